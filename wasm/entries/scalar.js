// The entry 'copse/scalar': all classes, with the same results, for engines without SIMD. Such old
// engines may also lack DecompressionStream, so the bundle contains the core uncompressed, as text.

import core from '../core-scalar.wasm?base64'
import { entry, fromBase64 } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry('copse/scalar', () => fromBase64(core.base64))
