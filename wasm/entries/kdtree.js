// The entry 'copse/kdtree': KdTree and KdTree3D, over a SIMD core that holds nothing else.

import core from '../core-kdtree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../kdtree.js').BuilderOptions} BuilderOptions */
/** @typedef {import('../kdtree.js').KdTreeOptions} KdTreeOptions */

export { KdTree, KdTree3D } from '../kdtree.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
