// What every index of points shares: its buffers, and the vocabulary of queries, in 2D and 3D. A class
// of its own adds how it is created.

import { DEFAULT, MAX_CAPACITY, MAX_RESULTS, NOBODY } from './coreobject.js'
import {
  checkCoordinate,
  checkDistance,
  checkFloat32,
  checkInteger,
  checkOptions,
  checkWord,
  refuse,
} from './errors.js'
import { lengthOf } from './memory.js'
import { Queryable, SORT_NONE, SORTS } from './queryable.js'

/** @typedef {import('./queryable.js').IntoOptions} IntoOptions */
/** @typedef {import('./queryable.js').NearestOptions} NearestOptions */
/** @typedef {import('./queryable.js').QueryOptions} QueryOptions */
/** @typedef {import('./init.js').Instance} Instance */

/**
 * @typedef {object} RayOptions
 * @property {number} [radius] of every agent; else each has its own, from `radii`
 * @property {number} [mask] 32 bits: keep agents whose groups have a bit in common with it
 * @property {number} [exclude] leave out this slot: the one that asks
 */

/**
 * What a ray hits first. Always the same object.
 * @typedef {object} Hit
 * @property {number} id
 * @property {number} fraction of the way: 0 at its begin, 1 at its end
 * @property {number} x where that is
 * @property {number} y
 */

/** @typedef {Hit & { z: number }} Hit3D */

/**
 * What many rays hit first: row i is that of segment i.
 * @typedef {object} Hits
 * @property {Int32Array} ids -1: nobody
 * @property {Float32Array} fractions of the way; nobody: 1
 */

/** @typedef {import('./queryable.js').AnyOptions & RayOptions} AnyOptions */

/**
 * @typedef {object} Stats
 * @property {number} agents in the last build
 * @property {number} skipped left out of it, because not finite
 * @property {number} nodes
 * @property {number} leaves
 * @property {number} depth of the deepest leaf; the root has depth 0
 * @property {number} bytes memory of the whole object
 * @property {number} visits nodes visited by the last query made through this object
 */

/**
 * What an index is created with.
 * @typedef {object} IndexOptions
 * @property {number} [capacity] the most agents; 1,000 at first
 * @property {number} [results] room for the ids of a batch: `allWithin`, `withinMany`, `pairs`; 16 times
 *   the capacity at first
 * @property {number} [k] the most neighbors a row of `allNeighbors` and `nearestMany` can hold; 10 at
 *   first
 * @property {'interleaved' | 'separate'} [layout] `positions` (x0, y0, x1, y1, …) or `xs`, `ys`, `zs`
 * @property {'error' | 'skip'} [onNonFinite] what `build()` does about positions that are NaN,
 *   infinite or beyond 1e18: throw, or leave those agents out of every result
 * @property {Instance} [instance] made by `create()`; else the default one
 */

/**
 * What a batch leaves out.
 * @typedef {object} BatchOptions
 * @property {number} [mask] 32 bits: keep agents whose groups have a bit in common with it
 */

/**
 * Rows of ids: row i is `ids[offsets[i]]` … `ids[offsets[i] + counts[i] - 1]`.
 * @typedef {object} Rows
 * @property {Uint32Array} offsets
 * @property {Uint32Array} counts
 * @property {Uint32Array} ids
 * @property {number} total ids of all rows
 * @property {boolean} truncated total was more than the room for `results`: rows that did not fit are
 *   empty
 */

/**
 * Rows of at most k ids, nearest first, ties by lower id: row i begins at `i * k`, for the k that was
 * asked for, and holds `counts[i]`.
 * @typedef {object} NeighborRows
 * @property {Uint32Array} counts
 * @property {Uint32Array} ids
 * @property {Float32Array} distances2 squared
 */

/**
 * @typedef {object} AllNeighborsOptions
 * @property {number} k
 * @property {number} [maxDistance] nobody farther than this, inclusive
 * @property {number} [mask] 32 bits: keep agents whose groups have a bit in common with it
 */

/**
 * How a class of index is created: its name, for messages; its dimensions; the options, of which
 * these are checked here; its noun, for the core; and what `<noun>_create` there takes of its own,
 * between the capacity and the layout.
 * @typedef {[name: string, dimensions: 2 | 3, options: IndexOptions, noun: string, own: number[]]}
 *   Definition
 */

const LAYOUTS = /** @type {const} */ (['interleaved', 'separate'])
export const ON_NON_FINITE = /** @type {const} */ (['error', 'skip'])

/** @abstract */
export class SpatialIndex extends Queryable {
  #count = 0
  #dimensions = 2
  #separate = false
  /** @type {Stats} */
  #stats = /** @type {any} */ ({})

  /**
   * @protected
   * @param {Definition} definition
   */
  constructor(...[name, dimensions, options, noun, own]) {
    const { capacity, layout = 'interleaved', onNonFinite = 'error', instance } = options
    const { results, k } = options
    if (capacity !== undefined) checkInteger(name, '', 'capacity', capacity, 1, MAX_CAPACITY)
    if (results !== undefined) checkInteger(name, '', 'results', results, 0, MAX_RESULTS)
    if (k !== undefined) checkInteger(name, '', 'k', k, 0, MAX_RESULTS)
    const layoutWord = checkWord(name, '', 'layout', layout, LAYOUTS)
    const nonFiniteWord = checkWord(name, '', 'onNonFinite', onNonFinite, ON_NON_FINITE)
    const words = [dimensions, capacity ?? 0, ...own, layoutWord, nonFiniteWord]
    super(name, 'points', noun, instance, [...words, results ?? DEFAULT, k ?? DEFAULT])
    this.#dimensions = dimensions
    this.#separate = layout === 'separate'
  }

  // ---- Buffers ----

  /** How many slots are in use: agents are 0 … count - 1. */
  get count() {
    this._alive('count')
    return this.#count
  }

  set count(count) {
    checkInteger(this._name, 'count', 'count', count, 0, 2 ** 32 - 1)
    this._leave('count', this._enter('count').set_count(this._handle, count))
    this.#count = count
  }

  /**
   * @param {'positions' | 'xs' | 'ys' | 'zs'} name
   * @param {boolean} separate the layout that the name belongs to
   */
  #positions(name, separate) {
    this._alive(name)
    if (separate !== this.#separate)
      throw new TypeError(
        `${this._name}.${name}: the layout is ` +
          (separate ? "'interleaved': use positions" : "'separate': use xs, ys and zs"),
      )
    const length = separate ? this._capacity : this._capacity * this.#dimensions
    const { [separate ? name : 'xs']: view } = this._views
    return /** @type {Float32Array} */ (view.at(length))
  }

  /**
   * Where the agents are: a view of linear memory to write to, x0, y0, (z0,) x1, y1, …, for the
   * whole capacity. Take it anew after anything was created or reserved.
   */
  get positions() {
    return this.#positions('positions', false)
  }

  /** With `layout: 'separate'`: every x. */
  get xs() {
    return this.#positions('xs', true)
  }

  /** With `layout: 'separate'`: every y. */
  get ys() {
    return this.#positions('ys', true)
  }

  /** @protected */
  _zs() {
    return this.#positions('zs', true)
  }

  /**
   * 32 group bits an agent, 1 at first; an agent with none is absent from every result from the next
   * `build()` on.
   */
  get groups() {
    this._alive('groups')
    return /** @type {Uint32Array} */ (this._views.groups.at(this._capacity))
  }

  /**
   * Builds from the buffers. Queries answer for the last build, and are empty before the first.
   * On `NOT_FINITE` the last build stays. O(N log N), no allocation.
   */
  build() {
    this._alive('build')
    if (this.#hasRadii) this.#checkRadii('build', this._views.radii.at(this._capacity), this.#count)
    this._leave('build', this._enter('build').build(this._handle))
    this.#takeRadii('build')
  }

  // ---- Cones: z is 0 where there are two dimensions ----

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} dirX
   * @param {number} dirY
   * @param {number} dirZ
   * @param {number} halfAngle
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _cone(method, x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
    this._checkPoint(method, x, y, z)
    checkFloat32(this._name, method, 'dirX', dirX)
    checkFloat32(this._name, method, 'dirY', dirY)
    checkFloat32(this._name, method, 'dirZ', dirZ)
    if (Math.fround(dirX) === 0 && Math.fround(dirY) === 0 && Math.fround(dirZ) === 0)
      refuse(this._name, method, 'direction', 0, 'not zero')
    if (typeof halfAngle !== 'number' || !(halfAngle >= 0 && halfAngle <= Math.PI))
      refuse(this._name, method, 'halfAngle', halfAngle, 'radians from 0 to Math.PI')
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).cone(
        this._handle,
        x,
        y,
        z,
        dirX,
        dirY,
        dirZ,
        halfAngle,
        radius,
        this._mask,
        this._exclude,
        this._sort,
      ),
    )
  }

  // ---- Rays: always the same result objects ----

  /** Whether the game has asked for `radii`: until then all are 0. */
  #hasRadii = false
  /** @type {Hit3D} */ #hit = /** @type {any} */ ({ id: -1, fraction: 0, x: 0, y: 0 })
  /** @type {Hits} */ #hits = /** @type {any} */ ({})

  /**
   * The radius of each agent for `raycast` and `raycastMany`, 0 at first, for the whole capacity. Queries
   * see changes from the next `build()` on, which throws a `RangeError` where one is NaN or negative.
   * `restore()` takes them as they are.
   */
  get radii() {
    this._alive('radii')
    this.#hasRadii = true
    return /** @type {Float32Array} */ (this._views.radii.at(this._capacity))
  }

  /**
   * Checks the radii of the first slots.
   * @param {string} method
   * @param {Float32Array} radii
   * @param {number} slots
   */
  #checkRadii(method, radii, slots) {
    for (let i = 0; i < slots; i++)
      if (!(radii[i] >= 0)) checkDistance(this._name, method, `radii[${i}]`, radii[i])
  }

  /**
   * Lets the radii count as they are now.
   * @param {string} method
   */
  #takeRadii(method) {
    if (this.#hasRadii) this._leave(method, this._enter(method).take_radii(this._handle))
  }

  /**
   * Returns the radius in the options of a ray, or -1: each agent has its own.
   * @param {string} method
   */
  #radiusOf(method) {
    const radius = this._radius
    if (radius === undefined) return -1
    checkDistance(this._name, method, 'radius', radius)
    return radius
  }

  /**
   * @protected
   * @param {number} x0
   * @param {number} y0
   * @param {number} z0
   * @param {number} x1
   * @param {number} y1
   * @param {number} z1
   * @param {RayOptions} [options]
   */
  _raycast(x0, y0, z0, x1, y1, z1, options) {
    const name = this._name
    checkCoordinate(name, 'raycast', 'x0', x0)
    checkCoordinate(name, 'raycast', 'y0', y0)
    checkCoordinate(name, 'raycast', 'z0', z0)
    checkCoordinate(name, 'raycast', 'x1', x1)
    checkCoordinate(name, 'raycast', 'y1', y1)
    checkCoordinate(name, 'raycast', 'z1', z1)
    this._ask('raycast', options)
    const radius = this.#radiusOf('raycast')
    const id = this._leave(
      'raycast',
      this._enter('raycast').raycast(
        this._handle,
        x0,
        y0,
        z0,
        x1,
        y1,
        z1,
        radius,
        this._mask,
        this._exclude,
      ),
    )
    if (id === NOBODY) return null
    const hit = this.#hit
    hit.id = id
    hit.fraction = this._views.fraction.at(1)[0]
    hit.x = x0 + hit.fraction * (x1 - x0)
    hit.y = y0 + hit.fraction * (y1 - y0)
    if (this.#dimensions === 3) hit.z = z0 + hit.fraction * (z1 - z0)
    return hit
  }

  /**
   * What each of many segments hits first; always the same object.
   * @param {Float32Array} segments x0, y0, (z0,) x1, y1, (z1,) x0, …; at most `capacity` segments
   * @param {RayOptions} [options]
   */
  raycastMany(segments, options) {
    this.#askBatch('raycastMany', options)
    const radius = this.#radiusOf('raycastMany')
    const n = this.#takePoints('raycastMany', 'segments', segments, 2)
    this.#leavePoints(
      'raycastMany',
      'segments',
      segments,
      this._enter('raycastMany').raycast_many(this._handle, n, radius, this._mask, this._exclude),
    )
    const hits = this.#hits
    hits.ids = this._views.hitIds.at(this._capacity)
    hits.fractions = this._views.hitFractions.at(this._capacity)
    return hits
  }

  // ---- Batches: always the same result objects ----

  /** @type {Rows} */ #rows = /** @type {any} */ ({ total: 0, truncated: false })
  /** @type {NeighborRows} */ #neighborRows = /** @type {any} */ ({})

  /**
   * Whom an agent looks for in `allWithin` and `allNeighbors`: 32 bits an agent, all of them at first.
   * Read when these are called.
   */
  get masks() {
    this._alive('masks')
    return /** @type {Uint32Array} */ (this._views.masks.at(this._capacity))
  }

  /**
   * The rows just written.
   * @param {number} total
   */
  #rowsOf(total) {
    const rows = this.#rows
    rows.offsets = this._views.rowOffsets.at(this._capacity)
    rows.counts = this._views.rowCounts.at(this._capacity)
    rows.ids = this._views.rowIds.at(this._results)
    rows.total = total
    rows.truncated = total > this._results
    return rows
  }

  #neighborRowsOf() {
    const rows = this.#neighborRows
    rows.counts = this._views.neighborCounts.at(this._capacity)
    rows.ids = this._views.neighborIds.at(this._capacity * this._k)
    rows.distances2 = this._views.neighborDistances2.at(this._capacity * this._k)
    return rows
  }

  /**
   * Reads and checks the options of a batch, which can't be sorted.
   * @param {string} method
   * @param {AnyOptions | undefined} options
   */
  #askBatch(method, options) {
    this._ask(method, options)
    if (this._sort !== SORT_NONE)
      refuse(
        this._name,
        method,
        'sort',
        SORTS[this._sort],
        "'none': a batch has its own order",
        true,
      )
  }

  /**
   * Every agent's neighbors within a radius, in one call: row i is that of slot i, without i itself.
   * Agents near each other have rows near each other. Shares its room with `withinMany` and `pairs`.
   * @param {number} radius
   * @param {BatchOptions} [options]
   */
  allWithin(radius, options) {
    checkDistance(this._name, 'allWithin', 'radius', radius)
    this.#askBatch('allWithin', options)
    return this.#rowsOf(
      this._leave(
        'allWithin',
        this._enter('allWithin').all_within(this._handle, radius, this._mask),
      ),
    )
  }

  /**
   * The k nearest of every agent, in one call: row i is that of slot i, without i itself. Kept until
   * `allNeighbors` or `nearestMany` is called again: a cache of distances.
   * @param {AllNeighborsOptions} options
   */
  allNeighbors(options) {
    const k = this.#checkK('allNeighbors', options)
    this._leave(
      'allNeighbors',
      this._enter('allNeighbors').all_neighbors(this._handle, k, this._maxDistance, this._mask),
    )
    return this.#neighborRowsOf()
  }

  /**
   * @param {string} method
   * @param {AllNeighborsOptions} options
   */
  #checkK(method, options) {
    checkOptions(this._name, method, options)
    const { k } = options
    this.#askBatch(method, options)
    checkInteger(this._name, method, 'k', k, 0, this._k)
    return k
  }

  /**
   * Takes the points of a query, or the segments, of two points each; answers with their number.
   * @param {string} method
   * @param {'points' | 'segments'} what
   * @param {Float32Array} points
   * @param {1 | 2} each
   */
  #takePoints(method, what, points, each) {
    if (!(points instanceof Float32Array))
      refuse(this._name, method, what, points, 'a Float32Array', false)
    const width = each * this.#dimensions
    const length = lengthOf(points)
    const n = length / width
    if (!Number.isInteger(n) || n > this._capacity)
      refuse(
        this._name,
        method,
        `${what}.length`,
        length,
        `a multiple of ${width}, for at most ${this._capacity} ${what}`,
      )
    this._alive(method)
    this._views.given.at(this._capacity * 2 * this.#dimensions).set(points)
    return n
  }

  /**
   * Ends a call about points. The core refuses them all where one is bad: only then it is sought.
   * @param {string} method
   * @param {'points' | 'segments'} what
   * @param {Float32Array} points
   * @param {number} result
   */
  #leavePoints(method, what, points, result) {
    try {
      return this._leave(method, result)
    } catch (error) {
      const length = lengthOf(points)
      for (let i = 0; i < length; i++)
        checkCoordinate(this._name, method, `${what}[${i}]`, points[i])
      throw error
    }
  }

  /**
   * The agents within a radius of each of many points: row i is that of point i.
   * @param {Float32Array} points x, y, (z,) x, y, …; at most `capacity` points
   * @param {number} radius
   * @param {BatchOptions & { exclude?: number }} [options]
   */
  withinMany(points, radius, options) {
    checkDistance(this._name, 'withinMany', 'radius', radius)
    this.#askBatch('withinMany', options)
    const n = this.#takePoints('withinMany', 'points', points, 1)
    return this.#rowsOf(
      this.#leavePoints(
        'withinMany',
        'points',
        points,
        this._enter('withinMany').within_many(this._handle, n, radius, this._mask, this._exclude),
      ),
    )
  }

  /**
   * The k nearest agents of each of many points: row i is that of point i.
   * @param {Float32Array} points x, y, (z,) x, y, …; at most `capacity` points
   * @param {AllNeighborsOptions & { exclude?: number }} options
   */
  nearestMany(points, options) {
    const k = this.#checkK('nearestMany', options)
    const n = this.#takePoints('nearestMany', 'points', points, 1)
    this.#leavePoints(
      'nearestMany',
      'points',
      points,
      this._enter('nearestMany').nearest_many(
        this._handle,
        n,
        k,
        this._maxDistance,
        this._mask,
        this._exclude,
      ),
    )
    return this.#neighborRowsOf()
  }

  /**
   * @param {string} method
   * @param {number | { radii: Float32Array }} distance
   * @param {BatchOptions | undefined} options
   */
  #pairs(method, distance, options) {
    const byRadii = typeof distance === 'object' && distance !== null
    const radii = byRadii && distance.radii
    this.#askBatch(method, options)
    if (byRadii) {
      if (!(radii instanceof Float32Array))
        refuse(this._name, method, 'radii', radii, 'a Float32Array', false)
      const slots = this._leave(method, this._enter(method).built(this._handle))
      const length = lengthOf(radii)
      if (length < slots || length > this._capacity)
        refuse(
          this._name,
          method,
          'radii.length',
          length,
          `from the last build's count (${slots}) to capacity (${this._capacity})`,
        )
      this.#checkRadii(method, radii, slots)
      this._views.pairRadii.at(this._capacity).set(radii)
    } else checkDistance(this._name, method, 'distance', distance)
    return this._leave(
      method,
      this._enter(method).pairs(this._handle, byRadii ? 0 : distance, byRadii ? 1 : 0, this._mask),
    )
  }

  /**
   * All pairs of agents within a distance of each other, each once: a, b, a, b, … with a < b, in an
   * order that depends on the state alone. As many as `results` has room for; `pairsInto` tells how
   * many there are.
   * @param {number | { radii: Float32Array }} distance or the radii of all agents, by slot, for all slots of
   *   the last build: pairs whose circles touch
   * @param {BatchOptions} [options] both must match the mask
   * @returns {Uint32Array} valid until the next batch on this object
   */
  pairs(distance, options) {
    const total = Math.min(this.#pairs('pairs', distance, options), this._results & ~1)
    return this._views.rowIds.fresh(total)
  }

  /**
   * As `pairs`, into an array of yours.
   * @param {number | { radii: Float32Array }} distance
   * @param {Uint32Array} out is filled with whole pairs as far as it, and `results`, go
   * @param {BatchOptions} [options]
   * @returns {number} how many pairs there are in all
   */
  pairsInto(distance, out, options) {
    if (!(out instanceof Uint32Array))
      refuse(this._name, 'pairsInto', 'out', out, 'a Uint32Array', false)
    const total = this.#pairs('pairsInto', distance, options)
    const ids = this._views.rowIds.at(this._results)
    const written = Math.min(total, this._results, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = ids[i]
    return total / 2
  }

  /**
   * The slots in tree order, those of the last build. Agents that are near each other in space are
   * near each other in it: a game that renumbers its agents so, now and then, misses the cache less.
   * @returns {Uint32Array} a copy
   */
  order() {
    const count = this._leave('order', this._enter('order').order(this._handle))
    return /** @type {Uint32Array} */ (this._views.order.at(count).slice())
  }

  // ---- Debug and snapshots ----

  /** Figures of the last build and the last query: always the same object. */
  stats() {
    this._readFigures('stats', this.#stats)
    return this.#stats
  }

  /**
   * Takes the state of a snapshot: afterwards everything goes on as if it had never been left. The
   * options of the saved object must be the same, but for the capacity and the layout. Bytes from
   * anywhere are safe: on `BAD_SNAPSHOT` and `FULL` nothing has changed.
   * @param {Uint8Array} bytes
   */
  restore(bytes) {
    this._restore(bytes)
    this.#count = this._leave('restore', this._enter('restore').count(this._handle))
    this.#takeRadii('restore')
  }
}

/** @abstract */
export class SpatialIndex2D extends SpatialIndex {
  /**
   * The ids within a radius, borders included.
   * @param {number} x
   * @param {number} y
   * @param {number} radius 0: those exactly there; Infinity: all
   * @param {QueryOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  within(x, y, radius, options) {
    return this._ids(this._within('within', x, y, 0, radius, options))
  }

  /**
   * As `within`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions & IntoOptions} [options]
   * @returns {number} how many there are in all
   */
  withinInto(x, y, radius, out, options) {
    return this._into('withinInto', this._within('withinInto', x, y, 0, radius, options), out)
  }

  /**
   * The ids in a closed box, whose sides may be infinite.
   * @param {number} minX
   * @param {number} minY
   * @param {number} maxX
   * @param {number} maxY
   * @param {QueryOptions} [options] `sort: 'distance'` makes no sense here
   * @returns {Uint32Array} valid until the next query on this object
   */
  range(minX, minY, maxX, maxY, options) {
    return this._ids(this._range('range', minX, minY, 0, maxX, maxY, 0, options))
  }

  /**
   * As `range`, into an array of yours.
   * @param {number} minX
   * @param {number} minY
   * @param {number} maxX
   * @param {number} maxY
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions} [options]
   * @returns {number} how many there are in all
   */
  rangeInto(minX, minY, maxX, maxY, out, options) {
    const total = this._range('rangeInto', minX, minY, 0, maxX, maxY, 0, options)
    return this._into('rangeInto', total, out)
  }

  /**
   * The nearest id, ties by lower id; -1: nobody.
   * @param {number} x
   * @param {number} y
   * @param {NearestOptions} [options]
   * @returns {number}
   */
  nearest(x, y, options) {
    return this._nearest('nearest', x, y, 0, options)
  }

  /**
   * The k nearest ids, nearest first, ties by lower id.
   * @param {number} x
   * @param {number} y
   * @param {number} k
   * @param {NearestOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  neighbors(x, y, k, options) {
    return this._ids(this._neighbors('neighbors', x, y, 0, k, options))
  }

  /**
   * As `neighbors`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} k
   * @param {Uint32Array} out is filled as far as it goes
   * @param {NearestOptions & IntoOptions} [options]
   * @returns {number} how many there are in all, at most k
   */
  neighborsInto(x, y, k, out, options) {
    return this._into('neighborsInto', this._neighbors('neighborsInto', x, y, 0, k, options), out)
  }

  /**
   * How many are within a radius; cheaper than asking who.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  countWithin(x, y, radius, options) {
    return this._countWithin('countWithin', x, y, 0, radius, options)
  }

  /**
   * Whether anyone is within a radius; stops at the first.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  anyWithin(x, y, radius, options) {
    return this._anyWithin('anyWithin', x, y, 0, radius, options)
  }

  /**
   * The ids in a field of view: within the radius, and at most `halfAngle` off the direction.
   * @param {number} x
   * @param {number} y
   * @param {number} dirX of any length but 0
   * @param {number} dirY
   * @param {number} halfAngle radians, 0 to Math.PI
   * @param {number} radius
   * @param {QueryOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  cone(x, y, dirX, dirY, halfAngle, radius, options) {
    return this._ids(this._cone('cone', x, y, 0, dirX, dirY, 0, halfAngle, radius, options))
  }

  /**
   * As `cone`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} dirX
   * @param {number} dirY
   * @param {number} halfAngle
   * @param {number} radius
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions & IntoOptions} [options]
   * @returns {number} how many there are in all
   */
  coneInto(x, y, dirX, dirY, halfAngle, radius, out, options) {
    const total = this._cone('coneInto', x, y, 0, dirX, dirY, 0, halfAngle, radius, options)
    return this._into('coneInto', total, out)
  }

  /**
   * The first agent that a segment hits, ties by lower id: agents are circles of `radius`, or each of its
   * own, from `radii`. Where the segment begins in one, the fraction is 0.
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {RayOptions} [options]
   * @returns {Hit | null} the same object every time; null: nobody
   */
  raycast(x0, y0, x1, y1, options) {
    return this._raycast(x0, y0, 0, x1, y1, 0, options)
  }
}

/** @abstract */
export class SpatialIndex3D extends SpatialIndex {
  /** With `layout: 'separate'`: every z. */
  get zs() {
    return this._zs()
  }

  /**
   * The ids within a radius, borders included.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius 0: those exactly there; Infinity: all
   * @param {QueryOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  within(x, y, z, radius, options) {
    return this._ids(this._within('within', x, y, z, radius, options))
  }

  /**
   * As `within`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions & IntoOptions} [options]
   * @returns {number} how many there are in all
   */
  withinInto(x, y, z, radius, out, options) {
    return this._into('withinInto', this._within('withinInto', x, y, z, radius, options), out)
  }

  /**
   * The ids in a closed box, whose sides may be infinite.
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   * @param {QueryOptions} [options] `sort: 'distance'` makes no sense here
   * @returns {Uint32Array} valid until the next query on this object
   */
  range(minX, minY, minZ, maxX, maxY, maxZ, options) {
    return this._ids(this._range('range', minX, minY, minZ, maxX, maxY, maxZ, options))
  }

  /**
   * As `range`, into an array of yours.
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions} [options]
   * @returns {number} how many there are in all
   */
  rangeInto(minX, minY, minZ, maxX, maxY, maxZ, out, options) {
    const total = this._range('rangeInto', minX, minY, minZ, maxX, maxY, maxZ, options)
    return this._into('rangeInto', total, out)
  }

  /**
   * The nearest id, ties by lower id; -1: nobody.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {NearestOptions} [options]
   * @returns {number}
   */
  nearest(x, y, z, options) {
    return this._nearest('nearest', x, y, z, options)
  }

  /**
   * The k nearest ids, nearest first, ties by lower id.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} k
   * @param {NearestOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  neighbors(x, y, z, k, options) {
    return this._ids(this._neighbors('neighbors', x, y, z, k, options))
  }

  /**
   * As `neighbors`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} k
   * @param {Uint32Array} out is filled as far as it goes
   * @param {NearestOptions & IntoOptions} [options]
   * @returns {number} how many there are in all, at most k
   */
  neighborsInto(x, y, z, k, out, options) {
    return this._into('neighborsInto', this._neighbors('neighborsInto', x, y, z, k, options), out)
  }

  /**
   * How many are within a radius; cheaper than asking who.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  countWithin(x, y, z, radius, options) {
    return this._countWithin('countWithin', x, y, z, radius, options)
  }

  /**
   * Whether anyone is within a radius; stops at the first.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  anyWithin(x, y, z, radius, options) {
    return this._anyWithin('anyWithin', x, y, z, radius, options)
  }

  /**
   * The ids in a field of view: within the radius, and at most `halfAngle` off the direction.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} dirX of any length but 0
   * @param {number} dirY
   * @param {number} dirZ
   * @param {number} halfAngle radians, 0 to Math.PI
   * @param {number} radius
   * @param {QueryOptions} [options]
   * @returns {Uint32Array} valid until the next query on this object
   */
  cone(x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
    return this._ids(this._cone('cone', x, y, z, dirX, dirY, dirZ, halfAngle, radius, options))
  }

  /**
   * As `cone`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} dirX
   * @param {number} dirY
   * @param {number} dirZ
   * @param {number} halfAngle
   * @param {number} radius
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions & IntoOptions} [options]
   * @returns {number} how many there are in all
   */
  coneInto(x, y, z, dirX, dirY, dirZ, halfAngle, radius, out, options) {
    const total = this._cone('coneInto', x, y, z, dirX, dirY, dirZ, halfAngle, radius, options)
    return this._into('coneInto', total, out)
  }

  /**
   * The first agent that a segment hits, ties by lower id: agents are spheres of `radius`, or each of its
   * own, from `radii`. Where the segment begins in one, the fraction is 0.
   * @param {number} x0
   * @param {number} y0
   * @param {number} z0
   * @param {number} x1
   * @param {number} y1
   * @param {number} z1
   * @param {RayOptions} [options]
   * @returns {Hit3D | null} the same object every time; null: nobody
   */
  raycast(x0, y0, z0, x1, y1, z1, options) {
    return this._raycast(x0, y0, z0, x1, y1, z1, options)
  }
}
