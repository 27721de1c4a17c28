// The determinism scenario has the recorded hashes in this engine: with SIMD, and with threads.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { create } from 'copse/threads'
import { playScenes } from './support/determinism.js'

const test = suite('determinism')

/** Reads a file: fetched in a page, read in Node, whose fetch reads no files. @param {URL} url */
async function read(url) {
  if (url.protocol !== 'file:') return (await fetch(url)).arrayBuffer()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url)
}

const cores = {
  simd: new URL('../../build/test/determinism-simd.wasm', import.meta.url),
  threads: new URL('../../build/test/determinism-threads.wasm', import.meta.url),
}
const recorded = read(new URL('../data/determinism.txt', import.meta.url)).then((bytes) =>
  new TextDecoder().decode(bytes),
)

test('simd has the recorded hashes', async () => {
  assert.is(await playScenes(await read(cores.simd), false), await recorded)
})

for (const threads of [1, 2, 3, 8])
  test(`${threads} threads have the recorded hashes`, async () => {
    const bytes = await read(cores.threads)
    const instance = await create({ wasm: bytes, threads })
    const [expected] = (await recorded).match(/^divided .*\n/m)
    assert.is(await playScenes(bytes, false, instance.enter(), 'divided'), expected)
    instance.dispose()
  })

test.run()
