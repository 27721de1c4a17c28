// The entry 'copse/obstacle': ObstacleTree, with a SIMD core that contains only this class.

import core from '../core-obstacle.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { ObstacleTree } from '../obstacle.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/obstacle', () => inflate(core))
