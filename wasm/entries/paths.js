// The entry 'copse/paths': FlowField, ObstacleTree for its walls, and Crowd and Crowd3D, with a
// SIMD core that contains only these classes.

import core from '../core-paths.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Crowd, Crowd3D } from '../crowd.js'
export { FlowField } from '../flowfield.js'
export { ObstacleTree } from '../obstacle.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/paths', () => inflate(core))
