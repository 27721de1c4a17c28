// Grid: many moving points, queried mostly with one radius, rebuilt every frame. Its methods are in
// points.js and queries.js.

import { callOf, checkBox, checkFloat32, checkOptions, refuse } from './errors.js'
import { INDEX_OPTIONS, Points2D, Points3D } from './points.js'

const OPTIONS = [...INDEX_OPTIONS, 'cellSize', 'wrap']

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { cellSize, wrap } = options
  checkFloat32(call, 'cellSize', cellSize)
  if (!(Math.fround(cellSize) > 0)) refuse(call, 'cellSize', cellSize, 'a number > 0')
  const sides = wrap === undefined ? [] : checkBox(call, 'wrap', wrap, dimensions)
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = sides
  const own = [cellSize, Number(wrap !== undefined), a, b, c, d, e, f]
  return /** @type {const} */ ([name, dimensions, 'grid', options, own])
}

export class Grid extends Points2D {
  constructor(options = {}) {
    super(...definition('Grid', 2, options))
    this._wraps = options.wrap !== undefined
  }
}

export class Grid3D extends Points3D {
  constructor(options = {}) {
    super(...definition('Grid3D', 3, options))
    this._wraps = options.wrap !== undefined
  }
}
