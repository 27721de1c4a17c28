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
import { IDS, MAX_CAPACITY, moveAgent, NEIGHBOR_COUNTS, NEIGHBORS, NONE, ROWS } from './object.js'
import {
  ask,
  castMany,
  checkFlat,
  DISTANCE,
  EXCLUDE,
  ids,
  INFLATE,
  inPlane,
  inSpace,
  MASK,
  MAX_DISTANCE,
  MAX_UINT32,
  neighborRowsOf,
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
const RAYS = RADIUS | MASK | EXCLUDE | INFLATE
const LAYOUTS = ['interleaved', 'separate']
const ON_NON_FINITE = ['error', 'skip']

function cone(object, x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
  ask(object, 'cone', options, SEARCH)
  checkFlat(object)
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
  return ids(
    object,
    object._leave(
      wasm.cone(handle, x, y, z, dirX, dirY, dirZ, halfAngle, radius, mask, exclude, sort),
    ),
  )
}

/** Casts a ray. Returns the id of the first agent or, with `all` 1, the number of hits. */
function cast(object, method, all, x0, y0, z0, x1, y1, z1, options) {
  ask(object, method, options, RAYS)
  checkFlat(object)
  checkSegment(object, x0, y0, z0, x1, y1, z1)
  const { mask, exclude, inflate, radius } = query
  const { _handle: handle } = object
  const wasm = object._enter()
  return object._leave(
    wasm.raycast(handle, x0, y0, z0, x1, y1, z1, radius, inflate, mask, exclude, all),
  )
}

/** Returns the hit of the ray that was just cast: `id` is what it hit. Writes all but z. */
function hitOf(object, id, x0, y0, x1, y1) {
  const hit = object._hit
  hit.id = id
  hit.fraction = object._views.fraction.at(1)[0]
  hit.x = x0 + hit.fraction * (x1 - x0)
  hit.y = y0 + hit.fraction * (y1 - y0)
  return hit
}

/** Returns what `raycastAll` found. */
function allHitsOf(object, total) {
  const hits = object._allHits
  object._measured = NONE // the core writes fractions where it writes distances
  hits.ids = object._views.ids.at(total)
  hits.fractions = object._views.distances2.at(total)
  return hits
}

function add(object, x, y, z) {
  checkPoint(object, x, y, z)
  object._wanted = object._capacity + 1
  const slot = object._leave(object._enter().add(object._handle, x, y, z))
  if (slot >= object._slots) object._slots = slot + 1
  return slot
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

/** What AgentTree, Grid and KdTree share in the plane and in space. @abstract */
class Points extends Queries {
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
  /** @type {any} */ _hit
  /** @type {any} */ _allHits = {}
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
    this._hit = dimensions === 3 ? { ...hit, z: 0 } : hit
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
    if (arguments.length === 0)
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

  allNeighbors(k, options) {
    ask(this, 'allNeighbors', options, MAX_DISTANCE | MASK)
    checkInteger(this, 'k', k, 0, MAX_UINT32)
    const { mask, maxDistance } = query
    const wasm = this._enter()
    this._leave(wasm.all_neighbors(this._handle, k, maxDistance, mask))
    return neighborRowsOf(this, this.#rowCount())
  }

  /** The pairs of agents within a distance of each other; without one, of agents that touch. */
  pairs(options) {
    ask(this, 'pairs', options, MASK | DISTANCE)
    const wasm = this._enter()
    return pairsOf(this, this._leave(wasm.pairs(this._handle, query.distance, query.mask)))
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
export class Points2D extends inPlane(Points) {
  add(x, y) {
    this._begin('add')
    checkArguments(this, arguments.length, 2)
    return add(this, x, y, 0)
  }

  move(slot, x, y) {
    moveAgent(this, arguments.length, slot, x, y, 0)
  }

  cone(x, y, dirX, dirY, halfAngle, radius, options) {
    return cone(this, x, y, 0, dirX, dirY, 0, halfAngle, radius, options)
  }

  raycast(x0, y0, x1, y1, options) {
    const id = cast(this, 'raycast', 0, x0, y0, 0, x1, y1, 0, options)
    return id === NONE ? null : hitOf(this, id, x0, y0, x1, y1)
  }

  raycastAll(x0, y0, x1, y1, options) {
    return allHitsOf(this, cast(this, 'raycastAll', 1, x0, y0, 0, x1, y1, 0, options))
  }
}

/** The base class of AgentTree3D, Grid3D and KdTree3D. */
export class Points3D extends inSpace(Points) {
  add(x, y, z) {
    this._begin('add')
    checkArguments(this, arguments.length, 3)
    return add(this, x, y, z)
  }

  move(slot, x, y, z) {
    moveAgent(this, arguments.length, slot, x, y, z)
  }

  cone(x, y, z, dirX, dirY, dirZ, halfAngle, radius, options) {
    return cone(this, x, y, z, dirX, dirY, dirZ, halfAngle, radius, options)
  }

  raycast(x0, y0, z0, x1, y1, z1, options) {
    const id = cast(this, 'raycast', 0, x0, y0, z0, x1, y1, z1, options)
    if (id === NONE) return null
    const hit = hitOf(this, id, x0, y0, x1, y1)
    hit.z = z0 + hit.fraction * (z1 - z0)
    return hit
  }

  raycastAll(x0, y0, z0, x1, y1, z1, options) {
    return allHitsOf(this, cast(this, 'raycastAll', 1, x0, y0, z0, x1, y1, z1, options))
  }
}
