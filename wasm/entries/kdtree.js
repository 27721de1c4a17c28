// The entry 'copse/kdtree': KdTree and KdTree3D, with a SIMD core that contains only these two
// classes.

import core from '../core-kdtree.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { KdTree, KdTree3D } from '../kdtree.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/kdtree', () => inflate(core))
