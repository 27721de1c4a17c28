// The core inside an entry, as build.js puts it there: deflated, in base64.

import { fromBase64 } from './init.js'

/** A function that makes a v128: whether an engine knows SIMD, sooner told than by the core. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
]

/**
 * The bytes of a SIMD core. Without Response and Blob, and in Node without streams: they are slow to
 * load there.
 * @param {{ base64: string, size: number }} core
 */
export async function inflate({ base64, size }) {
  if (!WebAssembly.validate(Uint8Array.from(PROBE)))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  const deflated = fromBase64(base64)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  writer.write(deflated)
  writer.close()
  const reader = readable.getReader()
  const bytes = new Uint8Array(size)
  let filled = 0
  for (let chunk; !(chunk = await reader.read()).done; filled += chunk.value.length)
    bytes.set(chunk.value, filled)
  return bytes
}
