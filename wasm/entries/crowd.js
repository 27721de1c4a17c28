// The entry 'copse/crowd': Crowd, Crowd3D, and ObstacleTree for the walls of a Crowd, with a SIMD
// core that contains only these three classes.

import core from '../core-crowd.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Crowd, Crowd3D } from '../crowd.js'
export { ObstacleTree } from '../obstacle.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/crowd', () => inflate(core))
