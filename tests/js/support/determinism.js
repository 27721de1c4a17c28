// The determinism scenario of tests/c/determinism.c, compiled to WebAssembly.

/**
 * Plays all scenes. Uses no outer names, so that a page can evaluate the function's text.
 * @param {ArrayBuffer | Uint8Array} bytes of build/test/determinism-simd.wasm or -scalar.wasm
 * @param {boolean} isLong
 * @param {any} [made] the exports of an instance with threads, instead of bytes
 * @param {string} [only] the name of the only scene to play
 * @returns {Promise<string>} lines as in tests/data/determinism.txt
 */
export async function playScenes(bytes, isLong, made, only) {
  const env = { emscripten_notify_memory_growth() {} }
  const exports = made ?? (await WebAssembly.instantiate(bytes, { env })).instance.exports
  if (!made) exports._initialize()
  const names = [
    'agenttree',
    'grid',
    'kdtree',
    'octree',
    'obstacle',
    'crowd',
    'sensors',
    'wrap',
    'paths',
    'copied',
    'follow',
    'divided',
  ]
  const lines = names.map((name, scene) => {
    if (only && name !== only) return ''
    const hash = exports.scene_hash(scene, isLong) >>> 0
    return `${name} 0x${hash.toString(16).padStart(8, '0')}\n`
  })
  return lines.join('')
}
