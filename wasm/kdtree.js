// KdTree: points that seldom move. Its methods are in points.js and queries.js.

import { callOf, checkOptions, checkWord } from './errors.js'
import { INDEX_OPTIONS, Points2D, Points3D } from './points.js'

const BUILDERS = ['quickselect', 'median-of-medians', 'presort']

const OPTIONS = [...INDEX_OPTIONS, 'builder']

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { builder = 'quickselect' } = options
  const words = [checkWord(call, 'builder', builder, BUILDERS)]
  return /** @type {const} */ ([name, dimensions, 'kdtree', options, words])
}

export class KdTree extends Points2D {
  constructor(options = {}) {
    super(...definition('KdTree', 2, options))
  }
}

export class KdTree3D extends Points3D {
  constructor(options = {}) {
    super(...definition('KdTree3D', 3, options))
  }
}
