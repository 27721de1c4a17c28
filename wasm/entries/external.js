// The entry 'copse/external': all classes, with the SIMD core as a file beside this one.

import { entry } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry(
  'copse/external',
  () => new URL('./core.wasm', import.meta.url),
)
