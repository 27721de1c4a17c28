// The determinism scenario of tests/c/determinism.c, compiled to WebAssembly.

/**
 * Plays all scenes. Uses no outer names, so that a page can evaluate the function's text.
 * @param {ArrayBuffer | Uint8Array} bytes of build/test/determinism-simd.wasm or -scalar.wasm
 * @param {boolean} isLong
 * @returns {Promise<string>} lines as in tests/data/determinism.txt
 */
export async function playScenes(bytes, isLong) {
  const env = { emscripten_notify_memory_growth() {} }
  const { instance } = await WebAssembly.instantiate(bytes, { env })
  instance.exports._initialize()
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
    'source',
    'follow',
  ]
  const lines = names.map((name, scene) => {
    const hash = instance.exports.scene_hash(scene, isLong) >>> 0
    return `${name} 0x${hash.toString(16).padStart(8, '0')}\n`
  })
  return lines.join('')
}
