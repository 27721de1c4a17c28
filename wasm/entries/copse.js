// The entry 'copse': all classes. Its bundle contains the SIMD core, deflated, as text.

import core from '../core.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export * from '../index.js'

export const { init, create } = /* @__PURE__ */ entry('copse', () => inflate(core))
