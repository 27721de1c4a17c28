// Frustum queries of the 3D classes. index.js adds them to the classes, so the entries with one class,
// which do not import it, do not contain them.

import { checkArray, CopseError, place, refuse } from './errors.js'
import { CoreObject } from './object.js'
import { ask, checkUnsorted, ids, into, query, SEARCH } from './queries.js'

/** Finds the items inside all planes. Returns the number of ids. */
function frustum(object, method, planes, options) {
  ask(object, method, options, SEARCH)
  checkUnsorted(object)
  if (!object._wasm.frustum)
    throw new CopseError('NOT_READY', `${place(object)}: not in this core: use core.wasm`)
  const count = object._takePoints('planes', planes, 4)
  if (count === 0) refuse(object, 'planes.length', 0, 'at least 4')
  const { mask, exclude, sort } = query
  const result = object._enter().frustum(object._handle, count, mask, exclude, sort)
  return object._leavePoints('planes', planes, result)
}

/** @abstract */
export class Frustum extends CoreObject {
  frustum(planes, options) {
    return ids(this, frustum(this, 'frustum', planes, options))
  }

  frustumInto(planes, out, options) {
    this._begin('frustumInto')
    checkArray(this, 'out', out, Uint32Array) // before memory may grow
    return into(this, frustum(this, 'frustumInto', planes, options), out)
  }
}
