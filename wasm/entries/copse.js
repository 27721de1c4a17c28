// The entry 'copse': all classes, with the SIMD core inlined, deflated.

import core from '../core.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry('copse', () => inflate(core))
