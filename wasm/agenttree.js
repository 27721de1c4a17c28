// The agent tree: many moving points, rebuilt every frame.

import { MAX_CAPACITY } from './coreobject.js'
import { checkInteger, checkOptions, checkWord } from './errors.js'
import { SpatialIndex2D, SpatialIndex3D } from './spatialindex.js'

const AXES = /** @type {const} */ (['longest', 'cycle'])
const SPLITS = /** @type {const} */ (['midpoint', 'median'])

/**
 * @typedef {object} TreeOptions
 * @property {number} [leafSize] the most agents in a leaf; the default is measured. As large as the
 *   capacity: one leaf, which is brute force
 * @property {'longest' | 'cycle'} [axis] split the longer side of the bounds (the default), or x, y,
 *   (z,) x, y, … by depth: the textbook form, which gets out of balance with midpoints
 * @property {'midpoint' | 'median'} [split] at the middle of the bounds (the default: the fastest to
 *   build), or at the median agent, for exact balance
 */

/** @typedef {import('./spatialindex.js').IndexOptions & TreeOptions} AgentTreeOptions */

/**
 * Checks the options of a tree and answers with what creates it.
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {AgentTreeOptions} options
 * @returns {import('./spatialindex.js').Definition}
 */
function definition(name, dimensions, options) {
  checkOptions(name, '', options)
  const { leafSize, axis = 'longest', split = 'midpoint' } = options
  if (leafSize !== undefined) checkInteger(name, '', 'leafSize', leafSize, 1, MAX_CAPACITY)
  const axisWord = checkWord(name, '', 'axis', axis, AXES)
  const splitWord = checkWord(name, '', 'split', split, SPLITS)
  return [name, dimensions, options, 'agenttree', [leafSize ?? 0, axisWord, splitWord]]
}

/**
 * A tree of many points that all move: write `positions`, `build()` every frame, query.
 *
 * A bucketed k-d tree after Bentley (1975) and Friedman, Bentley, Finkel (1977). Ids are slots, the
 * indices of `positions` and `groups`.
 */
export class AgentTree extends SpatialIndex2D {
  /** @param {AgentTreeOptions} [options] */
  constructor(options = {}) {
    super(...definition('AgentTree', 2, options))
  }
}

/** As `AgentTree`, in three dimensions. */
export class AgentTree3D extends SpatialIndex3D {
  /** @param {AgentTreeOptions} [options] */
  constructor(options = {}) {
    super(...definition('AgentTree3D', 3, options))
  }
}
