// Cells for grids of random agents: from far too small (cells share entries of the table) to one cell for all
// agents.

import fc from 'fast-check'
import * as oracle from './point-oracle.js'

const { fround } = Math

/** Returns the longest side of the bounds of all agents that a build includes. */
export function extentOf(agents) {
  const { count, dimensions, positions } = agents
  let extent = 0
  for (let axis = 0; axis < dimensions; axis++) {
    let [lo, hi] = [Infinity, -Infinity]
    for (let id = 0; id < count; id++) {
      if (!oracle.isPresent(agents, id)) continue
      lo = Math.min(lo, positions[id * dimensions + axis])
      hi = Math.max(hi, positions[id * dimensions + axis])
    }
    extent = Math.max(extent, hi - lo)
  }
  return extent
}

export const MIN_CELL_SIZE = 2 ** -149
const LARGE_FLOAT32 = 3e38

/** The size of a cell, or the number of cells along the longest side. */
export const drawnOptions = fc.oneof(
  fc.record({ size: fc.constantFrom(8, 1, 50, 1e-20, 1e20, MIN_CELL_SIZE, LARGE_FLOAT32) }),
  fc.record({ side: fc.constantFrom(3, 1, 0.3, 7.5, 20, 100, 1e4, 1e7) }),
)

/** Returns the options of a grid for these agents. */
export function optionsOf({ size, side }, agents) {
  const cellSize = size ?? (extentOf(agents) || 1) / side
  return { cellSize: Math.max(MIN_CELL_SIZE, fround(cellSize)) }
}
