// All classes. The modules in entries/ export them together with init() and create(), which load
// the entry's core.

export { AgentTree, AgentTree3D } from './agenttree.js'
export { Crowd, Crowd3D } from './crowd.js'
export { CopseError } from './errors.js'
export { FlowField } from './flowfield.js'
export { Grid, Grid3D } from './grid.js'
export { KdTree, KdTree3D } from './kdtree.js'
export { ObstacleTree } from './obstacle.js'
export { Octree, Quadtree } from './octree.js'
export { Sensors } from './sensors.js'
