// The entry 'copse': the SIMD core inside, deflated.

import core, { size as CORE_BYTES } from './core.wasm?deflated'
import { entry, fromBase64 } from './init.js'

export * from './index.js'

/** A function that makes a v128: whether an engine knows SIMD, sooner told than by the core. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
]

/** Without Response and Blob, and in Node without streams: they are slow to load there. */
async function inflate() {
  if (!WebAssembly.validate(Uint8Array.from(PROBE)))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  const deflated = fromBase64(core)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  writer.write(deflated)
  writer.close()
  const reader = readable.getReader()
  const bytes = new Uint8Array(CORE_BYTES)
  let size = 0
  for (let chunk; !(chunk = await reader.read()).done; size += chunk.value.length)
    bytes.set(chunk.value, size)
  return bytes
}

export const { init, create } = /* @__PURE__ */ entry(inflate)
