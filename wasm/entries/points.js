// The entry 'copse/points': indexes of points, and sensors around them.

import core from '../core-points.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { AgentTree, AgentTree3D } from '../agenttree.js'
export { Grid, Grid3D } from '../grid.js'
export { KdTree, KdTree3D } from '../kdtree.js'
export { Sensors } from '../sensors.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/points', () => inflate(core))
