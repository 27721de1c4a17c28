// The entry 'copse/agenttree': AgentTree and AgentTree3D, over a SIMD core that holds nothing else.

import core from '../core-agenttree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../agenttree.js').AgentTreeOptions} AgentTreeOptions */
/** @typedef {import('../agenttree.js').TreeOptions} TreeOptions */

export { AgentTree, AgentTree3D } from '../agenttree.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
