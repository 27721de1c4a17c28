// Unpacks the core of an entry: deflate.js has deflated it, and build.js has put it into the bundle
// as base64 text.

import { fromBase64 } from './init.js'

/**
 * Returns the bytes of a SIMD core or, outside of Node, a `Response` with them. In Node, zlib loads
 * faster than `DecompressionStream` does.
 */
export async function inflate({ base64 }) {
  const deflated = fromBase64(base64)
  const zlib = /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:zlib')
  if (zlib) return zlib.inflateRawSync(deflated)
  const stream = new Blob([deflated]).stream()
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw')))
}
