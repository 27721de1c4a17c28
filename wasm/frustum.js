// Frustum queries of the 3D classes.

import { refuse } from './errors.js'
import { mixin, Slots } from './object.js'
import { ask, checkUnsorted, ids, into, query, SEARCH } from './queries.js'

/** Finds the items inside all planes. Returns the number of ids. */
function frustum(object, method, planes, options) {
  ask(object, method, options, SEARCH)
  checkUnsorted(object)
  const count = object._takePoints('planes', planes, 4)
  if (count === 0) refuse(object, 'planes.length', 0, 'at least 4')
  const { mask, exclude, sort } = query
  const result = object._enter().frustum(object._handle, count, mask, exclude, sort)
  return object._leavePoints('planes', 4 * count, result)
}

/** @abstract */
class Frustum extends Slots {
  frustum(planes, options) {
    return ids(this, frustum(this, 'frustum', planes, options))
  }

  frustumInto(planes, out, options) {
    return into(this, frustum(this, 'frustumInto', planes, options), out)
  }
}

/**
 * Returns a subclass that has frustum queries.
 * @template {new (...args: any[]) => any} Class
 * @param {Class} Class
 */
export const withFrustum = (Class) => mixin(class extends Class {}, Frustum)
