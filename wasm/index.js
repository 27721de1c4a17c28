// All classes. What init() and create() are, each entry says: it binds them to its core.

/** @typedef {import('./agenttree.js').AgentTreeOptions} AgentTreeOptions */
/** @typedef {import('./grid.js').GridOptions} GridOptions */
/** @typedef {import('./kdtree.js').KdTreeOptions} KdTreeOptions */
/** @typedef {import('./octree.js').BoxHit} BoxHit */
/** @typedef {import('./octree.js').BoxHit3D} BoxHit3D */
/** @typedef {import('./octree.js').OctreeOptions} OctreeOptions */
/** @typedef {import('./octree.js').OctreeStats} OctreeStats */

export { AgentTree, AgentTree3D } from './agenttree.js'
export * from './common.js'
export { Grid, Grid3D } from './grid.js'
export { KdTree, KdTree3D } from './kdtree.js'
export { Octree, Quadtree } from './octree.js'
