// The entry 'copse': the SIMD core inside, deflated.

import core from './core.wasm?deflated'
import { entry, fromBase64 } from './init.js'

export * from './index.js'

async function inflate() {
  const stream = new Blob([fromBase64(core)]).stream()
  const bytes = await new Response(
    stream.pipeThrough(new DecompressionStream('deflate-raw')),
  ).arrayBuffer()
  if (!WebAssembly.validate(bytes))
    throw new Error("init: this engine has no WebAssembly SIMD: import from 'copse/scalar' instead")
  return bytes
}

export const { init, create } = /* @__PURE__ */ entry(inflate)
