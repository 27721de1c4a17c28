// The entry 'copse/crowd': Crowd and Crowd3D, and ObstacleTree for their walls, over a SIMD core that
// holds nothing else.

import core from '../core-crowd.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../crowd.js').AgentNumbers} AgentNumbers */
/** @typedef {import('../crowd.js').AgentOptions} AgentOptions */
/** @typedef {import('../crowd.js').AgentVectors} AgentVectors */
/** @typedef {import('../crowd.js').CrowdOptions} CrowdOptions */
/** @typedef {import('../crowd.js').CrowdOwnOptions} CrowdOwnOptions */
/** @typedef {import('../crowd.js').CrowdStats} CrowdStats */
/** @typedef {import('../crowd.js').CrowdView} CrowdView */
/** @typedef {import('../obstacle.js').NearestWall} NearestWall */
/** @typedef {import('../obstacle.js').ObstacleOptions} ObstacleOptions */
/** @typedef {import('../obstacle.js').ObstacleStats} ObstacleStats */
/** @typedef {import('../obstacle.js').PolygonOptions} PolygonOptions */
/** @typedef {import('../obstacle.js').SideOptions} SideOptions */
/** @typedef {import('../obstacle.js').VisibilityOptions} VisibilityOptions */
/** @typedef {import('../obstacle.js').WallHit} WallHit */
export { Crowd, Crowd3D } from '../crowd.js'
export { ObstacleTree } from '../obstacle.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
