// The entry 'copse/scalar': the same API and the same results for engines without SIMD. These are
// old, so the core is inside as it is: they may lack DecompressionStream too.

import core from '../core-scalar.wasm?base64'
import { entry, fromBase64 } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry('copse/scalar', () => fromBase64(core.base64))
