// The entry 'copse/crowd': crowds, walls, and paths around walls.

import core from '../core-crowd.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Crowd, Crowd3D } from '../crowd.js'
export { FlowField } from '../flowfield.js'
export { ObstacleTree } from '../obstacle.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/crowd', () => inflate(core))
