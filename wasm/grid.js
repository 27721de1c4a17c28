// Grid: many moving points, queried mostly with one radius, rebuilt every frame. Its methods are in
// points.js, wrap.js and queries.js.

import { callOf, checkFloat32, checkOptions, refuse } from './errors.js'
import { withFrustum } from './frustum.js'
import { GRID_OPTIONS, GridPoints } from './wrap.js'

const OPTIONS = [...GRID_OPTIONS, 'cellSize']
const GridPoints3D = /* @__PURE__ */ withFrustum(GridPoints)

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { cellSize } = options
  checkFloat32(call, 'cellSize', cellSize)
  if (!(Math.fround(cellSize) > 0)) refuse(call, 'cellSize', cellSize, 'a number > 0')
  return /** @type {const} */ ([name, dimensions, 'grid', options, [cellSize]])
}

export class Grid extends GridPoints {
  constructor(options = {}) {
    super(...definition('Grid', 2, options))
  }
}

export class Grid3D extends GridPoints3D {
  constructor(options = {}) {
    super(...definition('Grid3D', 3, options))
  }
}
