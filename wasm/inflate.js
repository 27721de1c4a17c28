// The core inside an entry, as build.js puts it there: deflated, in base64.

import { fromBase64 } from './init.js'

/** A function that makes a v128: whether an engine knows SIMD, sooner told than by the core. */
const PROBE = 'AGFzbQEAAAABBQFgAAF7AwIBAAoIAQYAQQD9Dws='

/** Returns the bytes of a SIMD core, or a response with them. Node loads streams slowly: it has zlib. */
export async function inflate({ base64 }) {
  if (!WebAssembly.validate(fromBase64(PROBE)))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  const deflated = fromBase64(base64)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const stream = new Blob([deflated]).stream()
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw')))
}
