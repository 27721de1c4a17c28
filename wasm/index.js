// All classes. The modules in entries/ export them together with init() and create(), which load
// the entry's core.

import { AgentTree3D } from './agenttree.js'
import { Frustum } from './frustum.js'
import { Grid3D } from './grid.js'
import { KdTree3D } from './kdtree.js'
import { mixin } from './object.js'
import { Octree } from './octree.js'

export { AgentTree } from './agenttree.js'
export { Crowd, Crowd3D } from './crowd.js'
export { CopseError } from './errors.js'
export { Grid } from './grid.js'
export { KdTree } from './kdtree.js'
export { ObstacleTree } from './obstacle.js'
export { Quadtree } from './octree.js'
export { Sensors } from './sensors.js'

// Not `export const AgentTree3D`: the bundler would rename the class.
const agentTree3D = /* @__PURE__ */ mixin(AgentTree3D, Frustum)
const grid3D = /* @__PURE__ */ mixin(Grid3D, Frustum)
const kdTree3D = /* @__PURE__ */ mixin(KdTree3D, Frustum)
const octree = /* @__PURE__ */ mixin(Octree, Frustum)
export { agentTree3D as AgentTree3D, grid3D as Grid3D, kdTree3D as KdTree3D, octree as Octree }
