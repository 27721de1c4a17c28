// Queries and batches: how their options are read, how their results are returned, and the queries
// that points and boxes share.
//
// Each query is a function that takes x, y and z; in the plane, z is 0. The methods of the classes
// for the plane and for space pass their arguments on to it.

import {
  checkArray,
  checkBoolean,
  checkDistance,
  checkInteger,
  checkOptions,
  checkPoint,
  checkWord,
  isTypedArray,
  place,
  refuse,
} from './errors.js'
import { isInside } from './memory.js'
import { GIVEN, IDS, NEIGHBORS, NONE, Slots } from './object.js'

export const MAX_UINT32 = 2 ** 32 - 1
const SORT_NONE = 0
const SORT_DISTANCE = 2
/** A bit in the argument `sort` of core functions: distances are needed. See wasm/objects.h. */
const WITH_DISTANCES = 4
const SORTS = ['none', 'id', 'distance']
const SIDES = ['both', 'visible']
const EVERY_GROUP = -1

/**
 * The checked options of the current query. One object is enough, because queries run one at a
 * time.
 */
export const query = {
  mask: EVERY_GROUP,
  exclude: NONE,
  sort: SORT_NONE,
  maxDistance: Infinity,
  /** -1 if the caller did not give the option. */
  radius: -1,
  side: 0,
  inflate: 0,
  /** -1 if the caller did not give the option: pairs then touch, by their own radii. */
  distance: -1,
  distances2: false,
}

/**
 * A bit for each option: a set of options is the sum of their bits. `NAMES` is in the order of the
 * bits.
 */
export const MASK = 1
export const EXCLUDE = 2
export const SORT = 4
export const MAX_DISTANCE = 8
export const DISTANCES2 = 16
export const RADIUS = 32
export const SIDE = 64
export const BOUNDS = 128
export const INFLATE = 256
export const DISTANCE = 512
/**
 * A flag, not an option: if set, `mask`, `exclude` and `inflate` may be arrays, with a value for
 * each segment of a batch.
 */
export const EACH = 1024
const NAMES = [
  'mask',
  'exclude',
  'sort',
  'maxDistance',
  'distances2',
  'radius',
  'side',
  'bounds',
  'inflate',
  'distance',
]

/**
 * Returns the bit of an option; 0 for an unknown name. Five times as fast as a search in `NAMES`.
 */
function bitOf(name) {
  switch (name) {
    case 'mask':
      return MASK
    case 'exclude':
      return EXCLUDE
    case 'sort':
      return SORT
    case 'maxDistance':
      return MAX_DISTANCE
    case 'distances2':
      return DISTANCES2
    case 'radius':
      return RADIUS
    case 'side':
      return SIDE
    case 'bounds':
      return BOUNDS
    case 'inflate':
      return INFLATE
    case 'distance':
      return DISTANCE
  }
  return 0
}

export const SELECT = MASK | EXCLUDE
export const RANGE = SELECT | SORT
export const SEARCH = RANGE | DISTANCES2
const NEAREST = SELECT | MAX_DISTANCE

/**
 * Begins a query: writes its options to `query`. Accepts only the options in `bits`. `readOptions`
 * is a separate function, because V8 makes faster code of two small functions than of a big one.
 */
export function ask(object, method, options, bits) {
  object._begin(method)
  if (options === undefined) {
    query.mask = EVERY_GROUP
    query.exclude = NONE
    query.sort = SORT_NONE
    query.maxDistance = Infinity
    query.radius = -1
    query.side = 0
    query.inflate = 0
    query.distance = -1
    query.distances2 = false
  } else readOptions(object, options, bits)
}

/** Checks the options, and copies them to `query`. */
function readOptions(object, options, bits) {
  checkQueryOptions(object, options, bits)
  const { mask = EVERY_GROUP, exclude = NONE, sort, maxDistance = Infinity } = options
  const { radius, side, inflate = 0, distance, distances2 = false } = options
  const hasLists = bits & EACH
  if (!hasLists || !isTypedArray(mask, Uint32Array))
    checkInteger(object, 'mask', mask, -(2 ** 31), MAX_UINT32)
  if (!hasLists || !isTypedArray(exclude, Uint32Array))
    checkInteger(object, 'exclude', exclude, -1, MAX_UINT32)
  if (!hasLists || !isTypedArray(inflate, Float32Array)) checkDistance(object, 'inflate', inflate)
  checkDistance(object, 'maxDistance', maxDistance)
  if (radius !== undefined) checkDistance(object, 'radius', radius)
  if (distance !== undefined) checkDistance(object, 'distance', distance)
  query.sort = sort === undefined ? SORT_NONE : checkWord(object, 'sort', sort, SORTS)
  query.side = side === undefined ? 0 : checkWord(object, 'side', side, SIDES)
  query.mask = mask
  query.exclude = exclude
  query.maxDistance = maxDistance
  query.radius = radius ?? -1
  query.inflate = inflate
  query.distance = distance ?? -1
  checkBoolean(object, 'distances2', distances2)
  query.distances2 = distances2
  if (distances2) query.sort |= WITH_DISTANCES
}

/**
 * Throws if the caller passed an option that has no bit in `bits`. `checkOptions` is slow, so it is
 * called only to throw the error.
 */
export function checkQueryOptions(object, options, bits) {
  let unknown = typeof options !== 'object'
  for (const name in options)
    if (!(bitOf(name) & bits) && options[name] !== undefined) unknown = true
  if (unknown || options === null)
    checkOptions(
      object,
      options,
      NAMES.filter((_, i) => bits & (1 << i)),
    )
}

/** Returns the ids that the query just found, as a view of linear memory. */
export function ids(object, total) {
  object._measured = query.distances2 ? total : NONE
  return object._views.ids.at(total)
}

export const NOT_FLAT = 'not in a world that wraps around'

/** Refuses boxes, cones, rays and planes in a world that wraps around. */
export function checkFlat(object) {
  if (object._wraps) throw new TypeError(`${place(object)}: ${NOT_FLAT}`)
}

/** The base class of all objects whose queries return ids. @abstract */
export class Searched extends Slots {
  /** How many distances the last query that returned ids measured; NONE if none were wanted. */
  _measured = NONE

  get distances2() {
    this._begin('distances2')
    if (this._measured === NONE)
      throw new TypeError(`${place(this)}: the last query had no option distances2: true`)
    return this._views.distances2.at(this._measured)
  }

  reserve(capacity) {
    super.reserve(capacity)
    this._measured = NONE
  }

  restore(bytes) {
    super.restore(bytes)
    this._measured = NONE
  }
}

function within(object, x, y, z, radius, options) {
  ask(object, 'within', options, SEARCH)
  checkPoint(object, x, y, z)
  checkDistance(object, 'radius', radius)
  const { mask, exclude, sort } = query
  const wasm = object._enter()
  const found = wasm.within(object._handle, x, y, z, radius, mask, exclude, sort)
  return ids(object, object._leave(found))
}

function countWithin(object, x, y, z, radius, options) {
  ask(object, 'countWithin', options, SELECT)
  checkPoint(object, x, y, z)
  checkDistance(object, 'radius', radius)
  const { mask, exclude } = query
  const wasm = object._enter()
  return object._leave(wasm.count_within(object._handle, x, y, z, radius, mask, exclude))
}

function anyWithin(object, x, y, z, radius, options) {
  ask(object, 'anyWithin', options, SELECT)
  checkPoint(object, x, y, z)
  checkDistance(object, 'radius', radius)
  const { mask, exclude } = query
  const wasm = object._enter()
  return object._leave(wasm.any_within(object._handle, x, y, z, radius, mask, exclude)) === 1
}

/** Checks one side of a box, such as minX: any number but NaN, as a side may be infinite. */
export function checkSide(object, name, value) {
  if (typeof value !== 'number' || value !== value) refuse(object, name, value, 'a number')
}

function checkBox(object, minX, minY, minZ, maxX, maxY, maxZ) {
  checkSide(object, 'minX', minX)
  checkSide(object, 'minY', minY)
  checkSide(object, 'minZ', minZ)
  checkSide(object, 'maxX', maxX)
  checkSide(object, 'maxY', maxY)
  checkSide(object, 'maxZ', maxZ)
}

/** Refuses `sort: 'distance'`, for a query without a center. */
function checkUnsorted(object) {
  if (query.sort === SORT_DISTANCE)
    refuse(object, 'sort', 'distance', "'none' or 'id' (there is no center)", true)
}

/** Finds the items in a box. On an axis where min is greater than max, swaps the two. */
export function range(object, method, minX, minY, minZ, maxX, maxY, maxZ, options) {
  ask(object, method, options, RANGE)
  checkFlat(object)
  checkBox(object, minX, minY, minZ, maxX, maxY, maxZ)
  checkUnsorted(object)
  const { mask, exclude, sort } = query
  const wasm = object._enter()
  const found = wasm.range(
    object._handle,
    Math.min(minX, maxX),
    Math.min(minY, maxY),
    Math.min(minZ, maxZ),
    Math.max(minX, maxX),
    Math.max(minY, maxY),
    Math.max(minZ, maxZ),
    mask,
    exclude,
    sort,
  )
  return ids(object, object._leave(found))
}

function countRange(object, minX, minY, minZ, maxX, maxY, maxZ, options) {
  ask(object, 'countRange', options, SELECT)
  checkFlat(object)
  checkBox(object, minX, minY, minZ, maxX, maxY, maxZ)
  const { mask, exclude } = query
  const wasm = object._enter()
  return object._leave(
    wasm.count_range(
      object._handle,
      Math.min(minX, maxX),
      Math.min(minY, maxY),
      Math.min(minZ, maxZ),
      Math.max(minX, maxX),
      Math.max(minY, maxY),
      Math.max(minZ, maxZ),
      mask,
      exclude,
    ),
  )
}

function nearest(object, x, y, z, options) {
  ask(object, 'nearest', options, NEAREST)
  checkPoint(object, x, y, z)
  const { mask, exclude, maxDistance } = query
  const wasm = object._enter()
  return object._leave(wasm.nearest(object._handle, x, y, z, maxDistance, mask, exclude))
}

function neighbors(object, x, y, z, k, options) {
  ask(object, 'neighbors', options, NEAREST | DISTANCES2)
  checkPoint(object, x, y, z)
  checkInteger(object, 'k', k, 0, Number.MAX_SAFE_INTEGER)
  const { mask, exclude, maxDistance } = query
  const limit = Math.min(k, object._capacity)
  const wasm = object._enter()
  const found = wasm.neighbors(object._handle, x, y, z, limit, maxDistance, mask, exclude)
  return ids(object, object._leave(found))
}

// ---- Batches: many queries in one call ----

/** Returns the result object of a batch: views of the `count` rows that the core just wrote. */
export function rowsOf(object, count, total) {
  const rows = object._rows
  rows.ids = object._room(IDS, 'rowIds')
  rows.offsets = object._views.rowOffsets.at(count)
  rows.counts = object._views.rowCounts.at(count)
  rows.total = total
  return rows
}

export function neighborRowsOf(object, count) {
  const rows = object._neighborRows
  rows.ids = object._room(NEIGHBORS, 'neighborIds')
  rows.distances2 = object._room(NEIGHBORS, 'neighborDistances2')
  rows.counts = object._views.neighborCounts.at(count)
  return rows
}

/**
 * Casts many rays, at points or at boxes. `bits` are the options that the caller may pass. For
 * boxes, the core ignores the last argument, `radius`.
 */
export function castMany(object, segments, options, bits) {
  ask(object, 'raycastMany', options, bits | EACH)
  checkFlat(object)
  const { radius } = query
  const mask = listOf(object, 'mask', segments)
  const exclude = listOf(object, 'exclude', segments)
  const inflate = listOf(object, 'inflate', segments)
  const isList =
    typeof mask === 'object' || typeof exclude === 'object' || typeof inflate === 'object'
  const n = object._takePoints('segments', segments, 2 * object._dimensions, isList ? 3 : 0)
  const lists = give(object, 0, mask, n) | give(object, 1, exclude, n) | give(object, 2, inflate, n)
  const wasm = object._enter()
  const result = wasm.raycast_many(
    object._handle,
    n,
    lists & 4 ? 0 : inflate,
    lists & 1 ? -1 : mask,
    lists & 2 ? NONE : exclude,
    lists,
    radius,
  )
  object._leavePoints('segments', 2 * object._dimensions * n, result)
  return object._hitsOf(n)
}

/**
 * Returns an option of `raycastMany`: a number, or an array with a value per segment. Copies an
 * array that is a view of linear memory: the view would be detached if memory grows.
 */
function listOf(object, name, segments) {
  const value = query[name]
  if (typeof value !== 'object') return value
  checkArray(object, 'segments', segments, Float32Array)
  const n = segments.length / (2 * object._dimensions)
  if (value.length !== n) refuse(object, `${name}.length`, value.length, `${n}, one per segment`)
  for (let i = 0; name === 'inflate' && i < n; i++)
    if (!(value[i] >= 0)) checkDistance(object, `inflate[${i}]`, value[i])
  return isInside(value, object._instance) ? value.slice() : value
}

/**
 * If an option of `raycastMany` is an array, copies it to the core, behind the n segments. `which`
 * is 0 for `mask`, 1 for `exclude`, 2 for `inflate`. Returns the bit that tells the core to use the
 * array. If the option is a number, copies nothing and returns 0.
 */
function give(object, which, list, n) {
  if (typeof list !== 'object') return 0
  const given = which === 2 ? 'given' : 'givenWords'
  object._room(GIVEN, given).set(list, (2 * object._dimensions + which) * n)
  return 1 << which
}

/** Returns the result object of `pairs`: the pairs that the core just found, `count` ids. */
export function pairsOf(object, count) {
  const pairs = object._pairs
  pairs.ids = object._room(IDS, 'rowIds')
  pairs.count = count / 2
  return pairs
}

/** What indexes of points and of boxes share. @abstract */
export class Queries extends Searched {
  /** True if the world wraps around: an option of Grid. */
  _wraps = false
  // The objects that batches return: reused, not created for each call.
  /** @type {any} */ _rows = { total: 0 }
  /** @type {any} */ _neighborRows = {}
  /** @type {any} */ _pairs = { count: 0 }

  withinMany(points, radius, options) {
    ask(this, 'withinMany', options, SELECT)
    checkDistance(this, 'radius', radius)
    const n = this._takePoints('points', points, this._dimensions)
    const { mask, exclude } = query
    const result = this._enter().within_many(this._handle, n, radius, mask, exclude)
    return rowsOf(this, n, this._leavePoints('points', n * this._dimensions, result))
  }

  rangeMany(boxes, options) {
    ask(this, 'rangeMany', options, SELECT)
    checkFlat(this)
    const n = this._takePoints('boxes', boxes, 2 * this._dimensions)
    const { mask, exclude } = query
    const result = this._enter().range_many(this._handle, n, mask, exclude)
    const total = this._leavePoints('boxes', 2 * n * this._dimensions, result, checkSide)
    return rowsOf(this, n, total)
  }

  neighborsMany(points, k, options) {
    ask(this, 'neighborsMany', options, NEAREST)
    checkInteger(this, 'k', k, 0, MAX_UINT32)
    const n = this._takePoints('points', points, this._dimensions)
    const { mask, exclude, maxDistance } = query
    const wasm = this._enter()
    const result = wasm.neighbors_many(this._handle, n, k, maxDistance, mask, exclude)
    this._leavePoints('points', n * this._dimensions, result)
    return neighborRowsOf(this, n)
  }

  cells() {
    return this._drawn('cells')
  }

  _validate() {
    this._begin('validate')
    return this._leave(this._enter().validate(this._handle)) === 1
  }
}

/**
 * Returns a subclass that has the queries of the plane.
 * @template {new (...args: any[]) => Queries} Class
 * @param {Class} Class
 */
export const inPlane = (Class) =>
  class extends Class {
    within(x, y, radius, options) {
      return within(this, x, y, 0, radius, options)
    }

    countWithin(x, y, radius, options) {
      return countWithin(this, x, y, 0, radius, options)
    }

    anyWithin(x, y, radius, options) {
      return anyWithin(this, x, y, 0, radius, options)
    }

    range(minX, minY, maxX, maxY, options) {
      return range(this, 'range', minX, minY, 0, maxX, maxY, 0, options)
    }

    countRange(minX, minY, maxX, maxY, options) {
      return countRange(this, minX, minY, 0, maxX, maxY, 0, options)
    }

    nearest(x, y, options) {
      return nearest(this, x, y, 0, options)
    }

    neighbors(x, y, k, options) {
      return neighbors(this, x, y, 0, k, options)
    }
  }

/**
 * Returns a subclass that has the queries of space.
 * @template {new (...args: any[]) => Queries} Class
 * @param {Class} Class
 */
export const inSpace = (Class) =>
  class extends Class {
    within(x, y, z, radius, options) {
      return within(this, x, y, z, radius, options)
    }

    countWithin(x, y, z, radius, options) {
      return countWithin(this, x, y, z, radius, options)
    }

    anyWithin(x, y, z, radius, options) {
      return anyWithin(this, x, y, z, radius, options)
    }

    range(minX, minY, minZ, maxX, maxY, maxZ, options) {
      return range(this, 'range', minX, minY, minZ, maxX, maxY, maxZ, options)
    }

    countRange(minX, minY, minZ, maxX, maxY, maxZ, options) {
      return countRange(this, minX, minY, minZ, maxX, maxY, maxZ, options)
    }

    nearest(x, y, z, options) {
      return nearest(this, x, y, z, options)
    }

    neighbors(x, y, z, k, options) {
      return neighbors(this, x, y, z, k, options)
    }

    /** The items inside all planes, such as what a camera sees. */
    frustum(planes, options) {
      ask(this, 'frustum', options, RANGE)
      checkFlat(this)
      checkUnsorted(this)
      const count = this._takePoints('planes', planes, 4)
      if (count === 0) refuse(this, 'planes.length', 0, 'at least 4')
      const { mask, exclude, sort } = query
      const found = this._enter().frustum(this._handle, count, mask, exclude, sort)
      return ids(this, this._leavePoints('planes', 4 * count, found))
    }
  }
