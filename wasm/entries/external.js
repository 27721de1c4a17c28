// The entry 'copse/external': all classes. Loads the SIMD core from core.wasm, a file beside the
// bundle.

import { entry } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry(
  'copse/external',
  () => new URL('./core.wasm', import.meta.url),
)
