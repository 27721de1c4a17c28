// The entry 'copse/walls': ObstacleTree.

import core from '../core-walls.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { ObstacleTree } from '../obstacle.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/walls', () => inflate(core))
