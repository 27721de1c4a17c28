// The grid: many moving points and one radius, rebuilt every frame.

import { checkFloat32, checkOptions, refuse } from './errors.js'
import { SpatialIndex2D, SpatialIndex3D } from './spatialindex.js'

/**
 * @typedef {object} CellOptions
 * @property {number} cellSize the width of a cell; best as large as the usual radius
 */

/** @typedef {import('./spatialindex.js').IndexOptions & CellOptions} GridOptions */

/**
 * Checks the options of a grid and answers with what creates it.
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {GridOptions} options
 * @returns {import('./spatialindex.js').Definition}
 */
function definition(name, dimensions, options) {
  checkOptions(name, '', options)
  const { cellSize } = options
  checkFloat32(name, '', 'cellSize', cellSize)
  if (!(Math.fround(cellSize) > 0)) refuse(name, '', 'cellSize', cellSize, 'a number > 0')
  return [name, dimensions, options, 'grid', [cellSize]]
}

/**
 * A uniform grid of many points that all move: write `positions`, `build()` every frame, query.
 *
 * The fastest for one radius over evenly spread points, with cells as wide as that radius; the agent
 * tree is the better choice for crowds and for radii far from the size of a cell. Ids are slots, the
 * indices of `positions` and `groups`. Of its `stats()`, `nodes` are the entries of its table and
 * `leaves` those that hold agents.
 */
export class Grid extends SpatialIndex2D {
  /** @param {GridOptions} options */
  constructor(options) {
    super(...definition('Grid', 2, options))
  }
}

/** As `Grid`, in three dimensions. */
export class Grid3D extends SpatialIndex3D {
  /** @param {GridOptions} options */
  constructor(options) {
    super(...definition('Grid3D', 3, options))
  }
}
