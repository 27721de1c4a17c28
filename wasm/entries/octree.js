// The entry 'copse/octree': Quadtree and Octree, over a SIMD core that holds nothing else.

import core from '../core-octree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../octree.js').BoxHit} BoxHit */
/** @typedef {import('../octree.js').BoxHit3D} BoxHit3D */
/** @typedef {import('../octree.js').OctreeOptions} OctreeOptions */
/** @typedef {import('../octree.js').OctreeStats} OctreeStats */
export { Octree, Quadtree } from '../octree.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
