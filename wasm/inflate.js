// Unpacks the core of an entry: deflate.js has deflated it, and build.js has put it into the bundle
// as base64 text.

import { fromBase64 } from './init.js'

/** A tiny module that uses a SIMD type (v128): an engine without SIMD rejects it. */
const PROBE = 'AGFzbQEAAAABBQFgAAF7AwIBAAoIAQYAQQD9Dws='

/**
 * Returns the bytes of a SIMD core or, outside of Node, a `Response` with them. In Node, zlib loads
 * faster than `DecompressionStream` does.
 */
export async function inflate({ base64 }) {
  if (!WebAssembly.validate(fromBase64(PROBE)))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  const deflated = fromBase64(base64)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const stream = new Blob([deflated]).stream()
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw')))
}
