// The determinism scenario has the recorded hashes in this engine, with and without SIMD.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { playScenes } from './support/determinism.js'

const test = suite('determinism')

/** Reads a file: fetched in a page, read in Node, whose fetch reads no files. @param {URL} url */
async function read(url) {
  if (url.protocol !== 'file:') return (await fetch(url)).arrayBuffer()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url)
}

const recorded = new URL('../data/determinism.txt', import.meta.url)
const cores = {
  simd: new URL('../../build/test/determinism-simd.wasm', import.meta.url),
  scalar: new URL('../../build/test/determinism-scalar.wasm', import.meta.url),
}

for (const [name, core] of Object.entries(cores))
  test(`${name} has the recorded hashes`, async () => {
    const expected = new TextDecoder().decode(await read(recorded))
    assert.is(await playScenes(await read(core), false), expected)
  })

test.run()
