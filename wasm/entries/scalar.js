// The entry 'copse/scalar': the same API and results for engines without SIMD. Such old engines may lack
// DecompressionStream too, so the core is inlined without compression.

import core from '../core-scalar.wasm?base64'
import { entry, fromBase64 } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry('copse/scalar', () => fromBase64(core.base64))
