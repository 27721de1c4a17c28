// AgentTree: many moving points, rebuilt every frame. Its methods are in points.js and queries.js.

import { callOf, checkInteger, checkOptions, checkWord } from './errors.js'
import { MAX_CAPACITY } from './object.js'
import { INDEX_OPTIONS, Points2D, Points3D } from './points.js'

const AXES = ['longest', 'cycle']
const SPLITS = ['midpoint', 'median']

const OPTIONS = [...INDEX_OPTIONS, 'leafSize', 'axis', 'split']

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { leafSize, axis = 'longest', split = 'midpoint' } = options
  if (leafSize !== undefined) checkInteger(call, 'leafSize', leafSize, 1, MAX_CAPACITY)
  const words = [checkWord(call, 'axis', axis, AXES), checkWord(call, 'split', split, SPLITS)]
  return /** @type {const} */ ([name, dimensions, 'agenttree', options, [leafSize ?? 0, ...words]])
}

export class AgentTree extends Points2D {
  constructor(options = {}) {
    super(...definition('AgentTree', 2, options))
  }
}

export class AgentTree3D extends Points3D {
  constructor(options = {}) {
    super(...definition('AgentTree3D', 3, options))
  }
}
