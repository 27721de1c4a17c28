// Grids with the option `wrap`: worlds that wrap around.

import { callOf, checkBox, place } from './errors.js'
import { INDEX_OPTIONS, Points } from './points.js'

export const GRID_OPTIONS = [...INDEX_OPTIONS, 'wrap']

/** The methods that an index whose world wraps around does not have. */
const REFUSED = [
  ...['range', 'rangeInto', 'countRange', 'rangeMany', 'cone', 'coneInto'],
  ...['raycast', 'raycastAll', 'raycastMany', 'frustum', 'frustumInto'],
]

/** Makes an object refuse a method. */
function refuseMethod(object, method) {
  const value = () => {
    object._begin(method)
    throw new TypeError(`${place(object)}: ${object._refusal}`)
  }
  Object.defineProperty(object, method, { value })
}

/** The base class of Grid. */
export class GridPoints extends Points {
  /** Why the object refuses boxes, cones, rays and planes. @type {string | undefined} */ _refusal

  constructor(name, dimensions, noun, options, own) {
    const { wrap } = options
    const wraps = wrap !== undefined
    const sides = wraps ? checkBox(callOf(name), 'wrap', wrap, dimensions) : [0, 0, 0, 0, 0, 0]
    super(name, dimensions, noun, options, [...own, Number(wraps), ...sides])
    if (!wraps) return
    this._refusal = 'not in a world that wraps around'
    for (const method of REFUSED) if (method in this) refuseMethod(this, method)
  }
}
