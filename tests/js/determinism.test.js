// The determinism scenario of tests/c/determinism.c, compiled with the SIMD and the scalar core, gives the
// recorded hashes in this engine.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('determinism')

/** Fetched in a page; read in Node, whose fetch reads no files. @param {URL} url */
async function read(url) {
  if (url.protocol !== 'file:') return (await fetch(url)).arrayBuffer()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url)
}

const recorded = new TextDecoder()
  .decode(await read(new URL('../data/determinism.txt', import.meta.url)))
  .trim()
  .split('\n')

const cores = {
  simd: new URL('../../build/test/determinism-simd.wasm', import.meta.url),
  scalar: new URL('../../build/test/determinism-scalar.wasm', import.meta.url),
}

for (const [name, url] of Object.entries(cores))
  test(`${name} gives the recorded hashes`, async () => {
    const env = { emscripten_notify_memory_growth() {} }
    const { instance } = await WebAssembly.instantiate(await read(url), { env })
    instance.exports._initialize()
    assert.is(recorded.length, 6)
    recorded.forEach((line, scene) => {
      const hash = instance.exports.scene_hash(scene, 0) >>> 0
      assert.is(`0x${hash.toString(16).padStart(8, '0')}`, line.split(' ')[1], line)
    })
  })

test.run()
