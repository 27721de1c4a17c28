// The entry 'copse/obstacle': ObstacleTree, over a SIMD core that holds nothing else.

import core from '../core-obstacle.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../obstacle.js').NearestWall} NearestWall */
/** @typedef {import('../obstacle.js').ObstacleOptions} ObstacleOptions */
/** @typedef {import('../obstacle.js').ObstacleStats} ObstacleStats */
/** @typedef {import('../obstacle.js').PolygonOptions} PolygonOptions */
/** @typedef {import('../obstacle.js').SideOptions} SideOptions */
/** @typedef {import('../obstacle.js').VisibilityOptions} VisibilityOptions */
/** @typedef {import('../obstacle.js').WallHit} WallHit */
export { ObstacleTree } from '../obstacle.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
