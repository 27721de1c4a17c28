// All classes. Each entry exports its own init() and create(), bound to its core.

export { AgentTree, AgentTree3D } from './agenttree.js'
export { Crowd, Crowd3D } from './crowd.js'
export { CopseError } from './errors.js'
export { Grid, Grid3D } from './grid.js'
export { KdTree, KdTree3D } from './kdtree.js'
export { ObstacleTree } from './obstacle.js'
export { Octree, Quadtree } from './octree.js'
