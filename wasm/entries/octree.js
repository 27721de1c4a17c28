// The entry 'copse/octree': Quadtree and Octree, with a SIMD core that contains only these two
// classes.

import core from '../core-octree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Octree, Quadtree } from '../octree.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/octree', () => inflate(core))
