// ObstacleTree: the walls of a level. Finds the walls near a point, the walls that rays hit, and
// what is visible.

import {
  callOf,
  checkBoolean,
  checkCoordinate,
  checkDistance,
  checkInteger,
  checkNumbers,
  checkOptions,
  checkPoint,
  checkSegment,
  checkSlot,
  checkWord,
  MAX_COORDINATE,
  place,
  refuse,
} from './errors.js'
import { View } from './memory.js'
import { MAX_CAPACITY, NONE } from './object.js'
import {
  ask,
  BOUNDS,
  checkQueryOptions,
  DISTANCES2,
  ids,
  INFLATE,
  MAX_DISTANCE,
  query,
  Searched,
  SIDE,
} from './queries.js'

const OPTIONS = ['capacity', 'pieces', 'leafSize', 'instance']
const POLYGON = ['solid']

/** The values of the option `solid`, in the order of the C enum `copse_solid`. */
const SOLID = ['winding', 'inside', 'outside', 'nowhere']
const NO_OPTIONS = {} // one for all calls: {} in each call would be garbage

/** Returns a view of a new array for `count` ids. It is not in linear memory, so it never moves. */
const keptIds = (count) => new View({ memory: new Uint32Array(count) }, Uint32Array, 0)

/** Checks the options. Returns the arguments for the constructor of `CoreObject`. */
function definition(options) {
  const call = callOf('ObstacleTree')
  checkOptions(call, options, OPTIONS)
  const { capacity, pieces, leafSize, instance } = options
  if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
  if (pieces !== undefined) checkInteger(call, 'pieces', pieces, capacity ?? 1, 2 * MAX_CAPACITY)
  if (leafSize !== undefined) checkInteger(call, 'leafSize', leafSize, 1, MAX_CAPACITY)
  const words = [capacity ?? 0, pieces ?? 0, leafSize ?? 0]
  return /** @type {const} */ (['ObstacleTree', 'walls', 'obstacle', 2, instance, words])
}

export class ObstacleTree extends Searched {
  // The box that the current visibility polygon is clipped to.
  #minX = 0
  #minY = 0
  #maxX = 0
  #maxY = 0
  /** The array that `keepVisible` writes ids to, and how many it has room for. */
  #keptIds = keptIds(0)
  #keptCapacity = 0
  // The objects that calls return, always the same ones.
  #nearestPoint = { id: NONE, x: 0, y: 0, distance: 0 }
  #hit = { id: NONE, fraction: 0, x: 0, y: 0, normalX: 0, normalY: 0 }
  /** @type {any} */ #stats = {}

  constructor(options = {}) {
    super(...definition(options))
    this._head = ['leafSize']
    this._items = 'vertices'
  }

  // ---- Vertices and polygons ----

  get vertices() {
    return this._array('vertices', 2)
  }

  get next() {
    return this._array('next', 1)
  }

  get polygons() {
    return this._array('polygons', 1)
  }

  has(slot) {
    this._begin('has')
    return this._isUsed(slot) && this._views.polygons.at(this._capacity)[slot] === slot
  }

  winding(slot) {
    this._begin('winding')
    checkSlot(this, slot)
    return this._leave(this._enter().winding(this._handle, slot))
  }

  // ---- Add, move and build ----

  addPolygon(points, options = {}) {
    this._begin('addPolygon')
    checkOptions(this, options, POLYGON)
    const { solid = 'inside' } = options
    const solidIndex = checkWord(this, 'solid', solid, SOLID)
    const floats = this.#pointsOf(points)
    try {
      return this.#add(floats, solidIndex)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const choice = "'winding' or 'nowhere'"
      throw new RangeError(
        `${place(this)}: points must enclose an area, or solid must be ${choice}`,
      )
    }
  }

  addSegment(x0, y0, x1, y1) {
    this._begin('addSegment')
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    return this.#add(Float32Array.of(x0, y0, x1, y1), SOLID.indexOf('winding'))
  }

  #add(points, solid) {
    const vertices = points.length / 2
    this._wanted = this._leave(this._enter().used(this._handle)) + vertices
    this.#stagePoints(points)
    return this._leave(this._enter().add(this._handle, vertices, solid))
  }

  move(slot, points) {
    this._begin('move')
    checkSlot(this, slot)
    const floats = this.#pointsOf(points)
    const vertices = this._leave(this._enter().size_of(this._handle, slot))
    if (floats.length !== 2 * vertices)
      refuse(this, 'points.length', floats.length, `${2 * vertices}, as before`)
    this.#stagePoints(floats)
    this._leave(this._enter().move(this._handle, slot, vertices))
  }

  build() {
    this._begin('build')
    this._leave(this._enter().build(this._handle))
  }

  /** Builds the tree if polygons changed. For `stats`, and for objects that use the tree. */
  _buildChanged() {
    this._begin('build')
    this._leave(this._enter().build_changed(this._handle))
  }

  /**
   * Returns a checked copy of the points of a polygon. A copy, because `points` may be a view of
   * linear memory, which is detached if memory grows.
   */
  #pointsOf(points) {
    checkNumbers(this, 'points', points)
    const { length } = points
    if (!(length >= 4 && length % 2 === 0 && length <= 2 * MAX_CAPACITY))
      refuse(this, 'points.length', length, 'even, at least 4 (x0, y0, x1, y1, …)')
    for (let i = 0; i < length; i++) checkCoordinate(this, `points[${i}]`, points[i])
    return Float32Array.from(points)
  }

  #stagePoints(points) {
    this._stage(points.byteLength).set(new Uint8Array(points.buffer))
  }

  // ---- Queries ----

  within(x, y, radius, options) {
    ask(this, 'within', options, SIDE | DISTANCES2)
    checkPoint(this, x, y, 0)
    checkDistance(this, 'radius', radius)
    return ids(this, this._leave(this._enter().within(this._handle, x, y, radius, query.side)))
  }

  nearest(x, y, options) {
    return this.#nearest('nearest', x, y, options)
  }

  #nearest(method, x, y, options) {
    ask(this, method, options, SIDE | MAX_DISTANCE)
    checkPoint(this, x, y, 0)
    const wasm = this._enter()
    return this._leave(wasm.nearest(this._handle, x, y, query.maxDistance, query.side))
  }

  nearestPoint(x, y, options) {
    const id = this.#nearest('nearestPoint', x, y, options)
    if (id === NONE) return null
    const numbers = this._views.nearest.at(3)
    const nearest = this.#nearestPoint
    nearest.id = id
    nearest.distance = Math.sqrt(numbers[0])
    nearest.x = numbers[1]
    nearest.y = numbers[2]
    return nearest
  }

  visible(x0, y0, x1, y1, options) {
    ask(this, 'visible', options, INFLATE)
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    return this.#sees(x0, y0, x1, y1)
  }

  /**
   * True if no wall is in the way from (x0, y0) to (x1, y1). Reads `inflate` from `query`, where
   * `ask` stored it: V8 would allocate memory for an argument that is not an integer.
   */
  #sees(x0, y0, x1, y1) {
    const { inflate } = query
    return this._leave(this._enter().visible(this._handle, x0, y0, x1, y1, inflate)) === 1
  }

  raycast(x0, y0, x1, y1, options) {
    ask(this, 'raycast', options, SIDE)
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    const id = this._leave(this._enter().raycast(this._handle, x0, y0, x1, y1, query.side))
    if (id === NONE) return null
    const numbers = this._views.hit.at(5)
    const hit = this.#hit
    hit.id = id
    hit.fraction = numbers[0]
    hit.x = numbers[1]
    hit.y = numbers[2]
    hit.normalX = numbers[3]
    hit.normalY = numbers[4]
    return hit
  }

  raycastMany(segments, options) {
    ask(this, 'raycastMany', options, SIDE)
    const n = this._takePoints('segments', segments, 4)
    const result = this._enter().raycast_many(this._handle, n, query.side)
    this._leavePoints('segments', 4 * n, result)
    return this._hitsOf(n)
  }

  contains(x, y) {
    this._begin('contains')
    checkPoint(this, x, y, 0)
    return this._leave(this._enter().contains(this._handle, x, y)) === 1
  }

  // ---- Visibility ----

  /**
   * Begins a visibility polygon: sets its box from the options, and checks it. Without options the
   * sides of the box are infinite: the core replaces them by sides beyond all walls. All of this is
   * one function: if it passed numbers that are not integers to another function, V8 would allocate
   * memory for each of them. Rounds the box and the point to float32 before it compares them,
   * because the core gets them in float32.
   */
  #askBox(x, y, options = NO_OPTIONS) {
    this._begin('visibilityPolygon')
    checkPoint(this, x, y, 0)
    checkQueryOptions(this, options, MAX_DISTANCE | BOUNDS)
    const { bounds, maxDistance = Infinity } = options
    checkDistance(this, 'maxDistance', maxDistance)
    let minX = -MAX_COORDINATE
    let minY = -MAX_COORDINATE
    let maxX = MAX_COORDINATE
    let maxY = MAX_COORDINATE
    if (bounds !== undefined) {
      checkNumbers(this, 'bounds', bounds)
      if (bounds.length !== 4) refuse(this, 'bounds.length', bounds.length, '4')
      minX = bounds[0]
      minY = bounds[1]
      maxX = bounds[2]
      maxY = bounds[3]
    }
    const areNumbers =
      typeof minX === 'number' &&
      typeof minY === 'number' &&
      typeof maxX === 'number' &&
      typeof maxY === 'number'
    if (!areNumbers) this.#refuseBox(x, y, bounds, maxDistance)
    const isFinite =
      minX >= -MAX_COORDINATE &&
      minY >= -MAX_COORDINATE &&
      maxX <= MAX_COORDINATE &&
      maxY <= MAX_COORDINATE
    const isCut = maxDistance < Infinity
    const reach = isCut ? maxDistance : 2 * MAX_COORDINATE
    const left = Math.fround(Math.max(minX, x - reach))
    const bottom = Math.fround(Math.max(minY, y - reach))
    const right = Math.fround(Math.min(maxX, x + reach))
    const top = Math.fround(Math.min(maxY, y + reach))
    const roundX = Math.fround(x)
    const roundY = Math.fround(y)
    const isAround = left < roundX && roundX < right && bottom < roundY && roundY < top
    if (!isFinite || !isAround) this.#refuseBox(x, y, bounds, maxDistance)
    const isUnbounded = bounds === undefined && !isCut
    this.#minX = isUnbounded ? -Infinity : left
    this.#minY = isUnbounded ? -Infinity : bottom
    this.#maxX = isUnbounded ? Infinity : right
    this.#maxY = isUnbounded ? Infinity : top
  }

  /**
   * Throws the error for a visibility polygon's box that is not finite, or not strictly around the
   * point.
   */
  #refuseBox(x, y, bounds, maxDistance) {
    for (let i = 0; i < bounds?.length; i++) checkCoordinate(this, 'bounds', bounds[i])
    const max = Math.fround(MAX_COORDINATE)
    for (const center of [x, y])
      if (!(Math.abs(Math.fround(center)) < max)) refuse(this, 'x and y', center, 'within ±1e18')
    const [minX, minY, maxX, maxY] = Float32Array.from(bounds ?? [-max, -max, max, max])
    const [roundX, roundY] = Float32Array.of(x, y)
    if (!(minX < roundX && roundX < maxX && minY < roundY && roundY < maxY))
      refuse(this, 'bounds', bounds, `around the point (${x}, ${y})`, true)
    refuse(this, 'maxDistance', maxDistance, 'larger: float32 rounds it to 0')
  }

  visibilityPolygon(x, y, options) {
    this.#askBox(x, y, options)
    // The capacity that the error FULL suggests: a guess, because walls that cross add corners.
    this._wanted = 2 * this._capacity
    const wasm = this._enter()
    const corners = this._leave(
      wasm.visibility(this._handle, x, y, this.#minX, this.#minY, this.#maxX, this.#maxY),
    )
    return this._views.corners.at(2 * corners)
  }

  keepVisible(x, y, ids, positions) {
    const count = this.#checkKeep(x, y, ids, positions)
    const isLarger = count > this.#keptCapacity
    const kept = isLarger ? keptIds(2 * count) : this.#keptIds
    const out = kept.at(count)
    let total = 0
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      const targetX = +positions[2 * id]
      const targetY = +positions[2 * id + 1]
      const isFinite = Math.abs(targetX) <= MAX_COORDINATE && Math.abs(targetY) <= MAX_COORDINATE
      ask(this, 'keepVisible', undefined, 0)
      if (isFinite && this.#sees(x, y, targetX, targetY)) out[total++] = id
    }
    if (isLarger) {
      this.#keptIds = kept
      this.#keptCapacity = 2 * count
    }
    return kept.at(total)
  }

  /** Begins `keepVisible`: checks arguments. Returns the number of ids. */
  #checkKeep(x, y, ids, positions) {
    this._begin('keepVisible')
    checkPoint(this, x, y, 0)
    checkNumbers(this, 'ids', ids)
    checkNumbers(this, 'positions', positions)
    const count = ids.length
    const last = Math.floor(positions.length / 2) - 1
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (!Number.isInteger(id) || id < 0 || id > last)
        refuse(this, `ids[${i}]`, id, `an integer from 0 to ${last}`)
    }
    return count
  }

  // ---- Shapes to draw, and statistics ----

  cells() {
    return this._drawn('cells')
  }

  lines() {
    return this._drawn('lines')
  }

  _validate() {
    this._begin('validate')
    return this._leave(this._enter().validate(this._handle)) === 1
  }

  stats() {
    this._begin('stats')
    this._buildChanged()
    this._readFigures('stats', this.#stats)
    return this.#stats
  }
}
