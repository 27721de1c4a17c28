// Indexes of points: their buffers, and what only they answer: cones, rays and batches. Queries that boxes
// answer too are in queries.js; agenttree.js, grid.js and kdtree.js say how each index is created.

import {
  callOf,
  checkArray,
  checkCoordinate,
  checkDistance,
  checkFloat32,
  checkInteger,
  checkPoint,
  checkSegment,
  checkCount,
  checkWord,
  CopseError,
  place,
  refuse,
} from './errors.js'
import { lengthOf } from './memory.js'
import { CoreObject, DEFAULT, MAX_CAPACITY, MAX_RESULTS, mixin, NONE } from './object.js'
import {
  ask,
  checkQueryOptions,
  DISTANCES2,
  EXCLUDE,
  ids,
  into,
  K,
  MASK,
  MAX_DISTANCE,
  Queries,
  query,
  RADIUS,
  SEARCH,
} from './queries.js'

/** What all indexes are created with. */
export const INDEX_OPTIONS = ['capacity', 'results', 'k', 'layout', 'onNonFinite', 'instance']

const RAYS = RADIUS | MASK | EXCLUDE
const LAYOUTS = ['interleaved', 'separate']
export const ON_NON_FINITE = ['error', 'skip']

function cone(object, method, x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
  ask(object, method, options, method === 'cone' ? SEARCH : SEARCH | DISTANCES2)
  checkPoint(object, x, y, z)
  checkFloat32(object, 'dirX', dirX)
  checkFloat32(object, 'dirY', dirY)
  checkFloat32(object, 'dirZ', dirZ)
  if (Math.fround(dirX) === 0 && Math.fround(dirY) === 0 && Math.fround(dirZ) === 0)
    refuse(object, 'direction', 0, 'not zero')
  if (typeof halfAngle !== 'number' || !(halfAngle >= 0 && halfAngle <= Math.PI))
    refuse(object, 'halfAngle', halfAngle, 'radians from 0 to Math.PI')
  checkDistance(object, 'radius', radius)
  const { _handle: handle } = object
  const { mask, exclude, sort } = query
  const wasm = object._enter()
  return object._leave(
    wasm.cone(handle, x, y, z, dirX, dirY, dirZ, halfAngle, radius, mask, exclude, sort),
  )
}

/** What only points answer. @abstract */
class OwnQueries extends CoreObject {
  #slots = 0
  #layout
  /** Whether the game has asked for `radii`: until then all are 0. */
  #hasRadii = false
  // Always the same objects.
  #hit
  /** @type {any} */ #hits = {}
  /** @type {any} */ #rows = { total: 0, truncated: false }
  /** @type {any} */ #neighborRows = {}
  /** @type {any} */ #stats = {}

  /**
   * @param {string} name
   * @param {2 | 3} dimensions
   * @param {string} noun
   * @param {any} options of which these are checked here
   * @param {readonly number[]} own what <noun>_create takes between the capacity and the layout
   */
  constructor(name, dimensions, noun, options, own) {
    const call = callOf(name)
    const { capacity, layout = 'interleaved', onNonFinite = 'error', instance } = options
    const { results, k } = options
    if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
    if (results !== undefined) checkInteger(call, 'results', results, 0, MAX_RESULTS)
    if (k !== undefined) checkInteger(call, 'k', k, 0, MAX_RESULTS)
    const words = [dimensions, capacity ?? 0, ...own]
    words.push(checkWord(call, 'layout', layout, LAYOUTS))
    words.push(checkWord(call, 'onNonFinite', onNonFinite, ON_NON_FINITE))
    words.push(results ?? DEFAULT, k ?? DEFAULT)
    super(name, 'points', noun, dimensions, instance, words)
    this.#layout = layout
    const hit = { id: NONE, fraction: 0, x: 0, y: 0 }
    this.#hit = /** @type {any} */ (dimensions === 3 ? { ...hit, z: 0 } : hit)
  }

  // ---- Buffers ----

  get count() {
    this._begin('count')
    return this.#slots
  }

  set count(count) {
    this._begin('count')
    checkCount(this, 'count', count)
    this._leave(this._enter().set_count(this._handle, count))
    this.#slots = count
  }

  #positions(name, layout, floats) {
    this._begin(name)
    if (layout !== this.#layout) {
      const right = this._isPlane ? 'xs and ys' : 'xs, ys and zs'
      const instead =
        layout === 'separate' ? "'interleaved': use positions" : `'separate': use ${right}`
      throw new TypeError(`${place(this)}: the layout is ${instead}`)
    }
    return this._views[layout === 'separate' ? name : 'xs'].at(floats * this._capacity)
  }

  get positions() {
    return this.#positions('positions', 'interleaved', this._dimensions)
  }

  get xs() {
    return this.#positions('xs', 'separate', 1)
  }

  get ys() {
    return this.#positions('ys', 'separate', 1)
  }

  get zs() {
    return this._isPlane ? undefined : this.#positions('zs', 'separate', 1)
  }

  #array(name) {
    this._begin(name)
    return this._views[name].at(this._capacity)
  }

  get groups() {
    return this.#array('groups')
  }

  get masks() {
    return this.#array('masks')
  }

  get radii() {
    const radii = this.#array('radii')
    this.#hasRadii = true
    return radii
  }

  build() {
    this._begin('build')
    if (this.#hasRadii) this.#checkRadii(this._views.radii.at(this._capacity), this.#slots)
    this._leave(this._enter().build(this._handle))
    this.#takeRadii()
  }

  #checkRadii(radii, slots) {
    for (let i = 0; i < slots; i++)
      if (!(radii[i] >= 0)) checkDistance(this, `radii[${i}]`, radii[i])
  }

  /** Lets the radii count as they are now. */
  #takeRadii() {
    if (this.#hasRadii) this._leave(this._enter().take_radii(this._handle))
  }

  // ---- Cones ----

  cone(x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
    if (this._isPlane)
      return ids(this, cone(this, 'cone', x, y, 0, z, dirX, 0, dirY, dirZ, halfAngle))
    return ids(this, cone(this, 'cone', x, y, z, dirX, dirY, dirZ, halfAngle, radius, options))
  }

  coneInto(x, y, z, dirX, dirY, dirZ, halfAngle, radius, out, options) {
    if (this._isPlane)
      return into(this, cone(this, 'coneInto', x, y, 0, z, dirX, 0, dirY, dirZ, radius), halfAngle)
    const total = cone(this, 'coneInto', x, y, z, dirX, dirY, dirZ, halfAngle, radius, options)
    return into(this, total, out)
  }

  // ---- Rays ----

  raycast(x0, y0, z0, x1, y1, z1, options) {
    if (this._isPlane) return this.#raycast(x0, y0, 0, z0, x1, 0, y1)
    return this.#raycast(x0, y0, z0, x1, y1, z1, options)
  }

  #raycast(x0, y0, z0, x1, y1, z1, options) {
    ask(this, 'raycast', options, RAYS)
    checkSegment(this, x0, y0, z0, x1, y1, z1)
    const { mask, exclude, radius } = query
    const wasm = this._enter()
    const id = this._leave(
      wasm.raycast(this._handle, x0, y0, z0, x1, y1, z1, radius, mask, exclude),
    )
    if (id === NONE) return null
    const hit = this.#hit
    hit.id = id
    hit.fraction = this._views.fraction.at(1)[0]
    hit.x = x0 + hit.fraction * (x1 - x0)
    hit.y = y0 + hit.fraction * (y1 - y0)
    if (!this._isPlane) hit.z = z0 + hit.fraction * (z1 - z0)
    return hit
  }

  raycastMany(segments, options) {
    ask(this, 'raycastMany', options, RAYS)
    const n = this.#takePoints('segments', segments, 2)
    const { mask, exclude, radius } = query
    const wasm = this._enter()
    const result = wasm.raycast_many(this._handle, n, radius, mask, exclude)
    this.#leavePoints('segments', segments, result)
    const hits = this.#hits
    hits.ids = this._views.hitIds.at(this._capacity)
    hits.fractions = this._views.hitFractions.at(this._capacity)
    return hits
  }

  // ---- Batches ----

  /** Begins a batch with `k`, which it returns. */
  #askNeighbors(method, options, bits) {
    this._begin(method)
    checkQueryOptions(this, options, bits)
    const { k } = options
    ask(this, method, options, bits)
    checkInteger(this, 'k', k, 0, this._k)
    return k
  }

  /** Takes the points of a batch, or the segments, of two points each; returns their number. */
  #takePoints(name, points, each) {
    checkArray(this, name, points, Float32Array)
    const width = each * this._dimensions
    const length = lengthOf(points)
    const n = length / width
    if (!Number.isInteger(n) || n > this._capacity) {
      const expected = `a multiple of ${width}, for at most ${this._capacity} ${name}`
      refuse(this, `${name}.length`, length, expected)
    }
    this._views.given.at(this._capacity * 2 * this._dimensions).set(points)
    return n
  }

  /** Ends a batch about points. The core refuses them all where one is bad: only then it is sought. */
  #leavePoints(name, points, result) {
    try {
      return this._leave(result)
    } catch (error) {
      const length = lengthOf(points)
      for (let i = 0; i < length; i++) checkCoordinate(this, `${name}[${i}]`, points[i])
      throw error
    }
  }

  /** The rows just written. */
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

  allWithin(radius, options) {
    ask(this, 'allWithin', options, MASK)
    checkDistance(this, 'radius', radius)
    const wasm = this._enter()
    return this.#rowsOf(this._leave(wasm.all_within(this._handle, radius, query.mask)))
  }

  withinMany(points, radius, options) {
    ask(this, 'withinMany', options, MASK | EXCLUDE)
    checkDistance(this, 'radius', radius)
    const n = this.#takePoints('points', points, 1)
    const { mask, exclude } = query
    const wasm = this._enter()
    const total = wasm.within_many(this._handle, n, radius, mask, exclude)
    return this.#rowsOf(this.#leavePoints('points', points, total))
  }

  allNeighbors(options) {
    const k = this.#askNeighbors('allNeighbors', options, K | MAX_DISTANCE | MASK)
    const { mask, maxDistance } = query
    const wasm = this._enter()
    this._leave(wasm.all_neighbors(this._handle, k, maxDistance, mask))
    return this.#neighborRowsOf()
  }

  nearestMany(points, options) {
    const k = this.#askNeighbors('nearestMany', options, K | MAX_DISTANCE | MASK | EXCLUDE)
    const n = this.#takePoints('points', points, 1)
    const { mask, exclude, maxDistance } = query
    const wasm = this._enter()
    const result = wasm.nearest_many(this._handle, n, k, maxDistance, mask, exclude)
    this.#leavePoints('points', points, result)
    return this.#neighborRowsOf()
  }

  // ---- Pairs ----

  pairs(distance, options) {
    const total = Math.min(this.#pairs('pairs', distance, options), this._results & ~1)
    return this._views.rowIds.fresh(total)
  }

  pairsInto(distance, out, options) {
    const total = this.#pairs('pairsInto', distance, options)
    checkArray(this, 'out', out, Uint32Array)
    const pairs = this._views.rowIds.at(this._results)
    const written = Math.min(total, this._results, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = pairs[i]
    return total / 2
  }

  /** Writes pairs of ids, as far as there is room; returns how many ids there are. */
  #pairs(method, distance, options) {
    const hasRadii = typeof distance === 'object' && distance !== null
    const radii = hasRadii && distance.radii
    ask(this, method, options, MASK)
    if (hasRadii) this.#takePairRadii(radii)
    else checkDistance(this, 'distance', distance)
    const wasm = this._enter()
    const number = hasRadii ? 0 : distance
    return this._leave(wasm.pairs(this._handle, number, hasRadii ? 1 : 0, query.mask))
  }

  #takePairRadii(radii) {
    checkArray(this, 'radii', radii, Float32Array)
    const slots = this._leave(this._enter().built(this._handle))
    const length = lengthOf(radii)
    if (length < slots || length > this._capacity) {
      const expected = `from the last build's count (${slots}) to capacity (${this._capacity})`
      refuse(this, 'radii.length', length, expected)
    }
    this.#checkRadii(radii, slots)
    this._views.pairRadii.at(this._capacity).set(radii)
  }

  // ---- The tree, and its state ----

  order() {
    this._begin('order')
    return this._views.order.at(this._leave(this._enter().order(this._handle))).slice()
  }

  stats() {
    this._readFigures('stats', this.#stats)
    return this.#stats
  }

  restore(bytes) {
    super.restore(bytes)
    this.#slots = this._leave(this._enter().count(this._handle))
    this.#takeRadii()
  }
}

/** The base of every index of points. */
export const Points = /* @__PURE__ */ mixin(OwnQueries, Queries)
