// Unpacks the core of an entry, which build.js inlined: deflated, as base64.

import { fromBase64 } from './init.js'

/** A tiny module with a v128 in it: finds out quickly if the engine has SIMD. */
const PROBE = 'AGFzbQEAAAABBQFgAAF7AwIBAAoIAQYAQQD9Dws='

/** Returns a SIMD core: its bytes or, outside of Node, a response. Node's zlib loads faster than streams do. */
export async function inflate({ base64 }) {
  if (!WebAssembly.validate(fromBase64(PROBE)))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  const deflated = fromBase64(base64)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const stream = new Blob([deflated]).stream()
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw')))
}
