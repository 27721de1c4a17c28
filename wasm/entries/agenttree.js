// The entry 'copse/agenttree': AgentTree and AgentTree3D, with a SIMD core that contains only these
// two classes.

import core from '../core-agenttree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { AgentTree, AgentTree3D } from '../agenttree.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/agenttree', () => inflate(core))
