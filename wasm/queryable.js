// What everything shares that answers queries: their options, and where their results lie. What is
// inside, and how it gets there, each family adds.

import { CoreObject, NOBODY } from './coreobject.js'
import {
  checkCoordinate,
  checkDistance,
  checkInteger,
  checkOptions,
  checkSide,
  checkWord,
  refuse,
} from './errors.js'
import { lengthOf } from './memory.js'

/**
 * What a query leaves out, and how it orders.
 * @typedef {object} QueryOptions
 * @property {number} [mask] 32 bits: keep those whose groups have a bit in common with it
 * @property {number} [exclude] leave out this slot: the one that asks
 * @property {'none' | 'id' | 'distance'} [sort] the order of ids: tree order (the default), ascending,
 *   or nearest first with ties by lower id
 */

/**
 * @typedef {object} IntoOptions
 * @property {Float32Array} [distances2] takes the squared distances; at least as long as `out`
 */

/**
 * @typedef {object} NearestOptions
 * @property {number} [mask] 32 bits: keep those whose groups have a bit in common with it
 * @property {number} [exclude] leave out this slot: the one that asks
 * @property {number} [maxDistance] nobody farther than this, inclusive
 */

/** @typedef {QueryOptions & NearestOptions & IntoOptions & { radius?: number }} AnyOptions */

export const SORT_NONE = 0
const SORT_DISTANCE = 2
export const SORTS = /** @type {const} */ (['none', 'id', 'distance'])
const ALL_GROUPS = -1

/** @abstract */
export class Queryable extends CoreObject {
  // The options of the query under way, read and checked.
  /** @protected */ _mask = ALL_GROUPS
  /** @protected */ _exclude = NOBODY
  /** @protected */ _sort = SORT_NONE
  /** @protected */ _maxDistance = Infinity
  // Those that are checked where they count.
  /** @protected @type {number | undefined} */ _radius = undefined
  /** @protected @type {Float32Array | undefined} */ _distances2 = undefined

  // ---- Queries: z is 0 where there are two dimensions ----

  /**
   * The ids that a query has just found: one small view.
   * @protected
   * @param {number} total
   * @returns {Uint32Array}
   */
  _ids(total) {
    return this._views.ids.fresh(total)
  }

  /**
   * Reads and checks the options of a query. Reading may call any code, also queries of this object: so
   * all are read before any is kept.
   * @protected
   * @param {string} method
   * @param {AnyOptions | undefined} options
   */
  _ask(method, options) {
    if (options === undefined) {
      this._mask = ALL_GROUPS
      this._exclude = NOBODY
      this._sort = SORT_NONE
      this._maxDistance = Infinity
      this._radius = undefined
      this._distances2 = undefined
      return
    }
    const name = this._name
    checkOptions(name, method, options)
    const { mask = ALL_GROUPS, exclude = NOBODY, sort, maxDistance = Infinity } = options
    const { radius, distances2 } = options
    checkInteger(name, method, 'mask', mask, -(2 ** 31), 2 ** 32 - 1)
    checkInteger(name, method, 'exclude', exclude, -1, 2 ** 32 - 1)
    checkDistance(name, method, 'maxDistance', maxDistance)
    this._mask = mask
    this._exclude = exclude
    this._sort = sort === undefined ? SORT_NONE : checkWord(name, method, 'sort', sort, SORTS)
    this._maxDistance = maxDistance
    this._radius = radius
    this._distances2 = distances2
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  _checkPoint(method, x, y, z) {
    checkCoordinate(this._name, method, 'x', x)
    checkCoordinate(this._name, method, 'y', y)
    checkCoordinate(this._name, method, 'z', z)
  }

  /**
   * Copies the result of the query just made into the caller's arrays, as far as they go.
   * @protected
   * @param {string} method
   * @param {number} total
   * @param {Uint32Array} out
   */
  _into(method, total, out) {
    if (!(out instanceof Uint32Array))
      refuse(this._name, method, 'out', out, 'a Uint32Array', false)
    const distances2 = this._distances2
    const length = lengthOf(out)
    if (distances2 !== undefined) {
      const expected = 'a Float32Array, for a query with distances'
      const has = method !== 'rangeInto' && method !== 'atInto'
      if (!(distances2 instanceof Float32Array) || !has)
        refuse(this._name, method, 'distances2', distances2, expected, false)
      const room = lengthOf(distances2)
      if (room < length) refuse(this._name, method, 'distances2.length', room, `at least ${length}`)
    }
    const written = Math.min(total, length)
    const ids = this._views.ids.at(this._capacity)
    for (let i = 0; i < written; i++) out[i] = ids[i]
    if (distances2 !== undefined) {
      const found = this._views.distances2.at(this._capacity)
      for (let i = 0; i < written; i++) distances2[i] = found[i]
    }
    return total
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _within(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).within(
        this._handle,
        x,
        y,
        z,
        radius,
        this._mask,
        this._exclude,
        this._sort,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   * @param {AnyOptions} [options]
   */
  _range(method, minX, minY, minZ, maxX, maxY, maxZ, options) {
    checkSide(this._name, method, 'X', minX, maxX)
    checkSide(this._name, method, 'Y', minY, maxY)
    checkSide(this._name, method, 'Z', minZ, maxZ)
    this._ask(method, options)
    if (this._sort === SORT_DISTANCE)
      refuse(this._name, method, 'sort', 'distance', "'none' or 'id': a box has no center", true)
    return this._leave(
      method,
      this._enter(method).range(
        this._handle,
        minX,
        minY,
        minZ,
        maxX,
        maxY,
        maxZ,
        this._mask,
        this._exclude,
        this._sort,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} k
   * @param {AnyOptions} [options]
   */
  _neighbors(method, x, y, z, k, options) {
    this._checkPoint(method, x, y, z)
    checkInteger(this._name, method, 'k', k, 0, Number.MAX_SAFE_INTEGER)
    this._ask(method, options)
    const most = Math.min(k, this._capacity)
    return this._leave(
      method,
      this._enter(method).neighbors(
        this._handle,
        x,
        y,
        z,
        most,
        this._maxDistance,
        this._mask,
        this._exclude,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {NearestOptions} [options]
   */
  _nearest(method, x, y, z, options) {
    this._checkPoint(method, x, y, z)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).nearest(
        this._handle,
        x,
        y,
        z,
        this._maxDistance,
        this._mask,
        this._exclude,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _countWithin(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).count_within(this._handle, x, y, z, radius, this._mask, this._exclude),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _anyWithin(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return (
      this._leave(
        method,
        this._enter(method).any_within(this._handle, x, y, z, radius, this._mask, this._exclude),
      ) === 1
    )
  }

  // ---- Debug ----

  /**
   * The cells to draw, in preorder: per cell its box (min x, y, (z,) max x, y, (z)), its depth and
   * how many it holds.
   * @returns {Float32Array} a copy
   */
  cells() {
    return this._drawn('cells')
  }

  /** Whether everything holds that must hold inside: for tests. O(N log N). */
  validate() {
    return this._leave('validate', this._enter('validate').validate(this._handle)) === 1
  }
}
