// Grid: many moving points, queried mostly with one radius, rebuilt every frame. Its methods are in
// points.js, sourced.js and queries.js.

import { callOf, checkBox, checkFloat32, checkOptions, refuse } from './errors.js'
import { INDEX_OPTIONS, Points } from './sourced.js'

const OPTIONS = [...INDEX_OPTIONS, 'cellSize', 'wrap']

/** A world of size 0: the core's word for a world that does not wrap around. */
const NO_WORLD = [0, 0, 0, 0, 0, 0]

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { cellSize, wrap } = options
  checkFloat32(call, 'cellSize', cellSize)
  if (!(Math.fround(cellSize) > 0)) refuse(call, 'cellSize', cellSize, 'a number > 0')
  const world = wrap === undefined ? NO_WORLD : checkBox(call, 'wrap', wrap, dimensions)
  return /** @type {const} */ ([name, dimensions, 'grid', options, [cellSize, ...world]])
}

/**
 * Returns why the core refuses a query whose arguments were checked: the world has no such query.
 * @param {readonly any[]} args those for the constructor of `Points`
 */
function refusalOf([, , , , [, minX, , , maxX]]) {
  return maxX > minX && 'not in a world that wraps around'
}

export class Grid extends Points {
  constructor(options = {}) {
    const args = definition('Grid', 2, options)
    super(...args)
    this._refusal = refusalOf(args)
  }
}

export class Grid3D extends Points {
  constructor(options = {}) {
    const args = definition('Grid3D', 3, options)
    super(...args)
    this._refusal = refusalOf(args)
  }
}
