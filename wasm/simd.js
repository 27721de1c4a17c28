// The entry 'copse': the SIMD core inside, deflated.

import core, { size as CORE_BYTES } from './core.wasm?deflated'
import { entry, fromBase64 } from './init.js'

export * from './index.js'

/** Without Response and Blob, which are slow to load in Node. */
async function inflate() {
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  writer.write(fromBase64(core))
  writer.close()
  const reader = readable.getReader()
  const bytes = new Uint8Array(CORE_BYTES)
  let size = 0
  for (let chunk; !(chunk = await reader.read()).done; size += chunk.value.length)
    bytes.set(chunk.value, size)
  if (!WebAssembly.validate(bytes))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  return bytes
}

export const { init, create } = /* @__PURE__ */ entry(inflate)
