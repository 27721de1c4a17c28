// The base class of AgentTree, Grid and KdTree. It holds the arrays of agents, and implements
// builds, cones, rays, batches and pairs. The queries shared with Quadtree and Octree are in
// queries.js. The constructors are in agenttree.js, grid.js and kdtree.js.

import {
  callOf,
  checkArguments,
  checkCount,
  checkDistance,
  checkFloat32,
  checkInteger,
  checkOptions,
  checkPoint,
  checkSegment,
  checkWord,
  CopseError,
  place,
  refuse,
} from './errors.js'
import {
  IDS,
  MAX_CAPACITY,
  mixin,
  moveAgent,
  NEIGHBOR_COUNTS,
  NEIGHBORS,
  NONE,
  ROWS,
  Slots,
} from './object.js'
import {
  ask,
  askNeighbors,
  castMany,
  DISTANCES2,
  EXCLUDE,
  ids,
  INFLATE,
  into,
  K,
  MASK,
  MAX_DISTANCE,
  MAX_UINT32,
  neighborRowsOf,
  pairsInto,
  pairsOf,
  Queries,
  query,
  RADIUS,
  rowsOf,
  SEARCH,
} from './queries.js'

/** The options that the constructors of AgentTree, Grid and KdTree share. */
export const INDEX_OPTIONS = ['capacity', 'layout', 'onNonFinite', 'instance']

const ROOM = ['results', 'k']
/** Passed as the distance of `pairs`: the core then uses each agent's own radius. */
const OWN_RADII = -1
const RAYS = RADIUS | MASK | EXCLUDE | INFLATE
const LAYOUTS = ['interleaved', 'separate']
const ON_NON_FINITE = ['error', 'skip']

function cone(object, method, x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
  ask(object, method, options, method === 'cone' ? SEARCH : SEARCH | DISTANCES2)
  checkPoint(object, x, y, z)
  checkFloat32(object, 'dirX', dirX)
  checkFloat32(object, 'dirY', dirY)
  checkFloat32(object, 'dirZ', dirZ)
  if (Math.fround(dirX) === 0 && Math.fround(dirY) === 0 && Math.fround(dirZ) === 0)
    refuse(object, 'direction', 0, 'longer than 0')
  if (typeof halfAngle !== 'number' || !(halfAngle >= 0 && halfAngle <= Math.PI))
    refuse(object, 'halfAngle', halfAngle, '0 to Math.PI radians')
  checkDistance(object, 'radius', radius)
  const { _handle: handle } = object
  const { mask, exclude, sort } = query
  const wasm = object._enter()
  return object._leave(
    wasm.cone(handle, x, y, z, dirX, dirY, dirZ, halfAngle, radius, mask, exclude, sort),
  )
}

/**
 * By class: the names of the options in a snapshot's head, in the order of points_snapshot.options
 * in c/points/points.c. The empty name stands for an unused option; the suffix ':f' marks a float,
 * instead of an integer.
 * @type {Record<string, string[]>}
 */
const HEADS = {
  agenttree: ['leafSize', 'axis', 'split'],
  grid: ['cellSize:f', 'hash of wrap', 'hash of wrap'],
  kdtree: ['', '', ''],
}

/** The methods whose code is not shared with Quadtree and Octree. @abstract */
export class PointsOnly extends Slots {
  _slots = 0
  /** The number of slots in the last build. */
  #built = 0
  _layout
  /**
   * False until the game gets the view `radii`, or restores a snapshot that holds radii. While it
   * is false, all radii are 0, and `build` skips them.
   */
  _hasRadii = false
  // The objects that calls return: reused, not created for each call.
  #hit
  /** @type {any} */ _rows = { total: 0 }
  /** @type {any} */ _neighborRows = {}
  /** @type {any} */ #allHits = {}
  /** @type {any} */ #stats = {}

  /**
   * @param {string} name the class, for messages
   * @param {2 | 3} dimensions
   * @param {string} noun the prefix of the core's function that creates the index, `<noun>_create`
   * @param {any} options the game's options. The subclass has already checked all names, and the
   * values of its own options
   * @param {readonly number[]} own the arguments of `<noun>_create` between the capacity and layout
   */
  constructor(name, dimensions, noun, options, own) {
    const call = callOf(name)
    const { capacity, layout = 'interleaved', onNonFinite = 'error', instance } = options
    if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
    const words = [dimensions, capacity ?? 0, ...own]
    words.push(checkWord(call, 'layout', layout, LAYOUTS))
    words.push(checkWord(call, 'onNonFinite', onNonFinite, ON_NON_FINITE))
    super(name, 'points', noun, dimensions, instance, words)
    this._head = ['dimensions', ...HEADS[noun], 'onNonFinite']
    this._layout = layout
    const hit = { id: NONE, fraction: 0, x: 0, y: 0 }
    this.#hit = /** @type {any} */ (dimensions === 3 ? { ...hit, z: 0 } : hit)
  }

  // ---- Agents ----

  get slots() {
    this._begin('slots')
    return this._slots
  }

  set slots(slots) {
    this._begin('slots')
    checkCount(this, 'slots', slots)
    this._wanted = slots
    this._leave(this._enter().set_slots(this._handle, slots))
    this._slots = slots
  }

  add(x, y, z) {
    this._begin('add')
    checkArguments(this, arguments.length, this._dimensions)
    if (this._isPlane) z = 0
    checkPoint(this, x, y, z)
    this._wanted = this._capacity + 1
    const slot = this._leave(this._enter().add(this._handle, x, y, z))
    if (slot >= this._slots) this._slots = slot + 1
    return slot
  }

  move(slot, x, y, z) {
    moveAgent(this, arguments.length, slot, x, y, z)
  }

  clear() {
    super.clear()
    this._slots = 0
  }

  reserve(capacity, options = {}) {
    this._begin('reserve')
    checkOptions(this, options, ROOM)
    const { results = 0, k = 0 } = options
    checkInteger(this, 'capacity', capacity, 1, MAX_CAPACITY)
    checkInteger(this, 'results', results, 0, MAX_UINT32)
    checkInteger(this, 'k', k, 0, MAX_UINT32)
    // The buffers of batches grow first, so that the capacity is unchanged if they fail to grow.
    if (results > 0 || k > 0) {
      const agents = Math.max(capacity, this._capacity)
      this._takeRoom(ROWS, agents)
      this._takeRoom(IDS, results)
      this._takeRoom(NEIGHBOR_COUNTS, agents)
      this._takeRoom(NEIGHBORS, agents * k)
    }
    super.reserve(capacity)
  }

  // ---- The arrays of agents, and build ----

  #positions(name, layout, floats) {
    this._begin(name)
    if (layout !== this._layout) {
      const arrays = this._isPlane ? 'xs and ys' : 'xs, ys and zs'
      const advice =
        layout === 'separate' ? "'interleaved': use positions" : `'separate': use ${arrays}`
      throw new TypeError(`${place(this)}: the layout is ${advice}`)
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

  get groups() {
    return this._array('groups', 1)
  }

  get masks() {
    return this._array('masks', 1)
  }

  get radii() {
    const radii = this._array('radii', 1)
    this._hasRadii = true
    return radii
  }

  build(other) {
    this._begin('build')
    if (other === undefined)
      this.#leaveBuild(this, this._enter().build(this._handle, Number(this._hasRadii)))
    else this.#buildFrom(other)
    this.#built = this._slots
  }

  /** Copies the agents of a crowd or of another index, then builds. */
  #buildFrom(other) {
    if (other?._items !== 'agents' || other === this)
      refuse(this, 'other', other, 'a crowd or another index of points', false)
    if (other._handle < 0)
      throw new CopseError('DISPOSED', `${place(this)}: the ${other._name} was disposed`)
    if (other._dimensions !== this._dimensions)
      refuse(this, 'other', other, `of ${this._dimensions} dimensions`, true)
    if (other._instance !== this._instance)
      refuse(this, 'other', other, 'of the same instance and the same entry of copse', true)
    const wasm = this._enter()
    this._slots = this.#leaveBuild(other, wasm.build_from(this._handle, other._handle))
    if (this._slots > this._capacity) this._relocate()
    this._hasRadii ||= other._hasRadii ?? true
  }

  /** Ends a build. If it failed because of a radius, the error names the radius. */
  #leaveBuild(owner, result) {
    try {
      return this._leave(result)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const slot = this._leave(this._enter().first_bad()) >>> 0
      throw checkDistance(this, `radii[${slot}]`, owner._views.radii.at(slot + 1)[slot])
    }
  }

  // ---- Cones, such as fields of view ----
  // Parameters are named for calls in 3D. In 2D, callers leave out z and dirZ. For example, the
  // third argument of cone(x, y, dirX, …) arrives in the parameter z.

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
    const id = this.#cast('raycast', x0, y0, z0, x1, y1, z1, options)
    if (id === NONE) return null
    const hit = this.#hit
    hit.id = id
    hit.fraction = this._views.fraction.at(1)[0]
    hit.x = x0 + hit.fraction * (x1 - x0)
    hit.y = y0 + hit.fraction * (y1 - y0)
    if (!this._isPlane) hit.z = z0 + hit.fraction * (z1 - z0)
    return hit
  }

  /** Casts a ray. Returns the id of the first agent or, for `raycastAll`, the number of hits. */
  #cast(method, x0, y0, z0, x1, y1, z1, options) {
    ask(this, method, options, RAYS)
    checkSegment(this, x0, y0, z0, x1, y1, z1)
    const { mask, exclude, inflate, radius } = query
    const { _handle: handle } = this
    const all = method === 'raycast' ? 0 : 1
    const wasm = this._enter()
    return this._leave(
      wasm.raycast(handle, x0, y0, z0, x1, y1, z1, radius, inflate, mask, exclude, all),
    )
  }

  raycastAll(x0, y0, z0, x1, y1, z1, options) {
    const total = this._isPlane
      ? this.#cast('raycastAll', x0, y0, 0, z0, x1, 0, y1)
      : this.#cast('raycastAll', x0, y0, z0, x1, y1, z1, options)
    const hits = this.#allHits
    hits.ids = this._views.ids.at(total)
    hits.fractions = this._views.distances2.at(total)
    return hits
  }

  raycastMany(segments, options) {
    return castMany(this, segments, options, RAYS)
  }

  // ---- Batches ----

  /**
   * Returns the number of rows of `allWithin` and `allNeighbors`: the number of slots now or at the
   * last build, whichever is greater.
   */
  #rowCount() {
    return Math.max(this._slots, this.#built)
  }

  allWithin(radius, options) {
    ask(this, 'allWithin', options, MASK)
    checkDistance(this, 'radius', radius)
    const total = this._leave(this._enter().all_within(this._handle, radius, query.mask))
    return rowsOf(this, this.#rowCount(), total)
  }

  allNeighbors(options) {
    const k = askNeighbors(this, 'allNeighbors', options, K | MAX_DISTANCE | MASK)
    const { mask, maxDistance } = query
    const wasm = this._enter()
    this._leave(wasm.all_neighbors(this._handle, k, maxDistance, mask))
    return neighborRowsOf(this, this.#rowCount())
  }

  // ---- Pairs: agents within a distance of each other, or agents that touch ----

  pairs(distance, options) {
    if (typeof distance !== 'number')
      return pairsOf(this, this.#pairs('pairs', undefined, distance))
    return pairsOf(this, this.#pairs('pairs', distance, options))
  }

  pairsInto(distance, out, options) {
    if (typeof distance !== 'number')
      return pairsInto(this, this.#pairs('pairsInto', undefined, out), distance)
    return pairsInto(this, this.#pairs('pairsInto', distance, options), out)
  }

  /**
   * Finds pairs within a distance or, if `distance` is undefined, pairs that touch. Returns the
   * number of ids, two per pair.
   */
  #pairs(method, distance, options) {
    ask(this, method, options, MASK)
    if (distance !== undefined) checkDistance(this, 'distance', distance)
    const wasm = this._enter()
    return this._leave(wasm.pairs(this._handle, distance ?? OWN_RADII, query.mask))
  }

  // ---- Order and statistics ----

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
    this._slots = this._leave(this._enter().slots(this._handle))
    this.#built = this._leave(this._enter().built(this._handle))
    if (this._leave(this._enter().has_radii(this._handle)) === 1) this._hasRadii = true
  }
}

/** The base class of AgentTree, Grid and KdTree. */
export const Points = /* @__PURE__ */ mixin(PointsOnly, Queries)
