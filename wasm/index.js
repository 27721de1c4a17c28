// All classes. What init() and create() are, each entry says: it binds them to its core.

/** @typedef {import('./agenttree.js').AgentTreeOptions} AgentTreeOptions */
/** @typedef {import('./agenttree.js').TreeOptions} TreeOptions */
/** @typedef {import('./crowd.js').AgentNumbers} AgentNumbers */
/** @typedef {import('./crowd.js').AgentOptions} AgentOptions */
/** @typedef {import('./crowd.js').AgentVectors} AgentVectors */
/** @typedef {import('./crowd.js').CrowdOptions} CrowdOptions */
/** @typedef {import('./crowd.js').CrowdOwnOptions} CrowdOwnOptions */
/** @typedef {import('./crowd.js').CrowdStats} CrowdStats */
/** @typedef {import('./crowd.js').CrowdView} CrowdView */
/** @typedef {import('./grid.js').CellOptions} CellOptions */
/** @typedef {import('./grid.js').GridOptions} GridOptions */
/** @typedef {import('./kdtree.js').BuilderOptions} BuilderOptions */
/** @typedef {import('./kdtree.js').KdTreeOptions} KdTreeOptions */
/** @typedef {import('./obstacle.js').NearestWall} NearestWall */
/** @typedef {import('./obstacle.js').ObstacleOptions} ObstacleOptions */
/** @typedef {import('./obstacle.js').ObstacleStats} ObstacleStats */
/** @typedef {import('./obstacle.js').PolygonOptions} PolygonOptions */
/** @typedef {import('./obstacle.js').SideOptions} SideOptions */
/** @typedef {import('./obstacle.js').VisibilityOptions} VisibilityOptions */
/** @typedef {import('./obstacle.js').WallHit} WallHit */
/** @typedef {import('./octree.js').BoxHit} BoxHit */
/** @typedef {import('./octree.js').BoxHit3D} BoxHit3D */
/** @typedef {import('./octree.js').OctreeOptions} OctreeOptions */
/** @typedef {import('./octree.js').OctreeStats} OctreeStats */

export { AgentTree, AgentTree3D } from './agenttree.js'
export * from './common.js'
export { Crowd, Crowd3D } from './crowd.js'
export { Grid, Grid3D } from './grid.js'
export { KdTree, KdTree3D } from './kdtree.js'
export { ObstacleTree } from './obstacle.js'
export { Octree, Quadtree } from './octree.js'
