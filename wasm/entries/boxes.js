// The entry 'copse/boxes': Quadtree and Octree.

import core from '../core-boxes.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Octree, Quadtree } from '../octree.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/boxes', () => inflate(core))
