// The obstacle tree: walls, what they hide, and what is near them.

import {
  callOf,
  checkArray,
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
  refuse,
} from './errors.js'
import { lengthOf } from './memory.js'
import { CoreObject, MAX_CAPACITY, NONE } from './object.js'
import { ids, into, query } from './queries.js'

const SIDES = ['both', 'visible']
const WINDINGS = ['solid', 'boundary']
const NO_OPTIONS = {} // made in every call it would be garbage
const NONE_KEPT = /* @__PURE__ */ new Uint32Array(0)

/** Returns what creates a tree: what the constructor of an object of the core takes. */
function definition(options) {
  const call = callOf('ObstacleTree')
  checkOptions(call, options)
  const { capacity, pieces, leafSize, instance } = options
  if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
  if (pieces !== undefined) checkInteger(call, 'pieces', pieces, capacity ?? 1, 2 * MAX_CAPACITY)
  if (leafSize !== undefined) checkInteger(call, 'leafSize', leafSize, 1, MAX_CAPACITY)
  const words = [capacity ?? 0, pieces ?? 0, leafSize ?? 0]
  return /** @type {const} */ (['ObstacleTree', 'walls', 'obstacle', 2, instance, words])
}

/** Twice the area of a polygon, as the core computes it: positive, if it goes counter-clockwise. */
function areaOf(points) {
  const [x, y] = points
  let area = 0
  for (let i = 2; i + 2 < points.length; i += 2)
    area += (points[i] - x) * (points[i + 3] - y) - (points[i + 1] - y) * (points[i + 2] - x)
  return area
}

/** The same polygon the other way round, in place: the first vertex stays first. */
function reverse(points) {
  points.subarray(2).reverse() // y before x
  for (let i = 2; i < points.length; i += 2) {
    const y = points[i]
    points[i] = points[i + 1]
    points[i + 1] = y
  }
}

/** True if the core will find the point strictly inside the box. */
function isAround(x, y, minX, minY, maxX, maxY) {
  const column = Math.fround(x)
  const row = Math.fround(y)
  return (
    Math.fround(minX) < column &&
    column < Math.fround(maxX) &&
    Math.fround(minY) < row &&
    row < Math.fround(maxY)
  )
}

export class ObstacleTree extends CoreObject {
  /** Which edges count, for the query under way. */
  #side = 0
  // The box of the visibility polygon under way.
  #minX = 0
  #minY = 0
  #maxX = 0
  #maxY = 0
  /** Those that were kept last. */
  #kept = NONE_KEPT
  // Always the same objects.
  #nearest = { id: NONE, x: 0, y: 0, distance: 0 }
  #hit = { id: NONE, fraction: 0, x: 0, y: 0, normalX: 0, normalY: 0 }
  /** @type {any} */ #hits = {}
  /** @type {any} */ #stats = {}

  constructor(options = {}) {
    super(...definition(options))
  }

  // ---- What there is ----

  get count() {
    this._begin('count')
    return this._leave(this._enter().count(this._handle))
  }

  #array(name, each) {
    this._begin(name)
    return this._views[name].at(each * this._capacity)
  }

  get vertices() {
    return this.#array('vertices', 2)
  }

  get next() {
    return this.#array('next', 1)
  }

  get polygons() {
    return this.#array('polygons', 1)
  }

  get generations() {
    return this.#array('generations', 1)
  }

  has(slot) {
    this._begin('has')
    const generation = this._views.generations.at(this._capacity)[slot] ?? 0
    return (generation & 1) === 1 && this._views.polygons.at(this._capacity)[slot] === slot
  }

  winding(slot) {
    this._begin('winding')
    checkSlot(this, 'slot', slot)
    return this._leave(this._enter().winding(this._handle, slot))
  }

  // ---- Changes ----

  addPolygon(points, options = {}) {
    this._begin('addPolygon')
    checkOptions(this, options)
    const { twoSided = false, winding } = options
    checkBoolean(this, 'twoSided', twoSided)
    if (winding !== undefined) checkWord(this, 'winding', winding, WINDINGS)
    const floats = this.#pointsOf('addPolygon', points)
    const area = winding === undefined ? 0 : areaOf(floats)
    if (winding === 'solid' ? area < 0 : area > 0) reverse(floats)
    return this.#add(floats, twoSided)
  }

  addSegment(x0, y0, x1, y1) {
    this._begin('addSegment')
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    return this.#add(Float32Array.of(x0, y0, x1, y1), false)
  }

  #add(points, twoSided) {
    const vertices = points.length / 2
    this._leave(this._enter().room_for(this._handle, vertices))
    this.#stagePoints(points)
    return this._leave(this._enter().add(this._handle, vertices, twoSided ? 1 : 0))
  }

  move(slot, points) {
    this._begin('move')
    checkSlot(this, 'slot', slot)
    const floats = this.#pointsOf('move', points)
    const vertices = this._leave(this._enter().size_of(this._handle, slot))
    if (floats.length !== 2 * vertices)
      refuse(this, 'points.length', floats.length, `${2 * vertices}, as it has`)
    this.#stagePoints(floats)
    this._leave(this._enter().move(this._handle, slot, vertices))
  }

  remove(slot) {
    this._begin('remove')
    checkSlot(this, 'slot', slot)
    this._leave(this._enter().remove(this._handle, slot))
  }

  clear() {
    this._begin('clear')
    this._leave(this._enter().clear(this._handle))
  }

  build() {
    this._begin('build')
    this._leave(this._enter().build(this._handle))
  }

  /** Builds the tree if something changed. */
  _buildChanged() {
    this._begin('build')
    this._leave(this._enter().build_changed(this._handle))
  }

  /**
   * Returns the points of a polygon, checked: a copy, for they may lie in linear memory, which may grow.
   * Reading them may call any code.
   */
  #pointsOf(method, points) {
    checkNumbers(this, 'points', points)
    const { length } = points
    if (!(length >= 4 && length % 2 === 0 && length <= 2 * MAX_CAPACITY))
      refuse(this, 'points.length', length, 'even, and at least 4')
    const numbers = []
    for (let i = 0; i < length; i++) {
      const number = points[i]
      checkCoordinate(this, `points[${i}]`, number)
      numbers.push(number)
    }
    this._begin(method)
    return Float32Array.from(numbers)
  }

  #stagePoints(points) {
    this._stage(points.byteLength).set(new Uint8Array(points.buffer))
  }

  // ---- Queries ----

  /** Reads and checks the options of a query, as `ask` of queries.js does. */
  #ask(method, options) {
    this._begin(method)
    if (options === undefined) {
      this.#side = 0
      query.radius = 0
      query.maxDistance = Infinity
      query.distances2 = undefined
      return
    }
    checkOptions(this, options)
    const { side = 'both', maxDistance = Infinity, radius = 0, distances2 } = options
    this._begin(method)
    checkDistance(this, 'maxDistance', maxDistance)
    checkDistance(this, 'radius', radius)
    this.#side = checkWord(this, 'side', side, SIDES)
    query.maxDistance = maxDistance
    query.radius = radius
    query.distances2 = distances2
  }

  #within(method, x, y, radius, options) {
    this.#ask(method, options)
    checkPoint(this, x, y, 0)
    checkDistance(this, 'radius', radius)
    return this._leave(this._enter().within(this._handle, x, y, radius, this.#side))
  }

  within(x, y, radius, options) {
    return ids(this, this.#within('within', x, y, radius, options))
  }

  withinInto(x, y, radius, out, options) {
    return into(this, this.#within('withinInto', x, y, radius, options), out)
  }

  nearest(x, y, options) {
    this.#ask('nearest', options)
    checkPoint(this, x, y, 0)
    const wasm = this._enter()
    const id = this._leave(wasm.nearest(this._handle, x, y, query.maxDistance, this.#side))
    if (id === NONE) return null
    const numbers = this._views.nearest.at(3)
    const nearest = this.#nearest
    nearest.id = id
    nearest.distance = Math.sqrt(numbers[0])
    nearest.x = numbers[1]
    nearest.y = numbers[2]
    return nearest
  }

  visible(x0, y0, x1, y1, options) {
    this.#ask('visible', options)
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    return this.#sees(x0, y0, x1, y1, query.radius)
  }

  #sees(x0, y0, x1, y1, radius) {
    return this._leave(this._enter().visible(this._handle, x0, y0, x1, y1, radius)) === 1
  }

  raycast(x0, y0, x1, y1, options) {
    this.#ask('raycast', options)
    checkSegment(this, x0, y0, 0, x1, y1, 0)
    const id = this._leave(this._enter().raycast(this._handle, x0, y0, x1, y1, this.#side))
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
    this.#ask('raycastMany', options)
    checkArray(this, 'segments', segments, Float32Array)
    const length = lengthOf(segments)
    if (length % 4 !== 0 || length > 4 * this._capacity) {
      const expected = `a multiple of 4, for at most ${this._capacity} segments`
      refuse(this, 'segments.length', length, expected)
    }
    for (let i = 0; i < length; i++)
      if (!(Math.abs(segments[i]) <= MAX_COORDINATE))
        checkCoordinate(this, `segments[${i}]`, segments[i])
    this._views.given.at(4 * this._capacity).set(segments)
    this._leave(this._enter().raycast_many(this._handle, length / 4, this.#side))
    const hits = this.#hits
    hits.ids = this._views.hitIds.at(this._capacity)
    hits.fractions = this._views.hitFractions.at(this._capacity)
    return hits
  }

  contains(x, y) {
    this._begin('contains')
    checkPoint(this, x, y, 0)
    return this._leave(this._enter().contains(this._handle, x, y)) === 1
  }

  // ---- Sight ----

  /** Begins a visibility polygon: reads and checks its box. The core puts infinite sides beyond all walls. */
  #askBox(method, x, y, options = NO_OPTIONS) {
    this._begin(method)
    checkPoint(this, x, y, 0)
    if (!isAround(x, y, -MAX_COORDINATE, -MAX_COORDINATE, MAX_COORDINATE, MAX_COORDINATE))
      refuse(this, 'x and y', Math.abs(x) > Math.abs(y) ? x : y, 'nearer to 0 than 1e18')
    checkOptions(this, options)
    const { bounds, maxDistance = Infinity } = options
    let minX = -Infinity
    let minY = -Infinity
    let maxX = Infinity
    let maxY = Infinity
    if (bounds !== undefined) {
      checkNumbers(this, 'bounds', bounds)
      if (bounds.length !== 4) refuse(this, 'bounds.length', bounds.length, '4')
      minX = bounds[0]
      minY = bounds[1]
      maxX = bounds[2]
      maxY = bounds[3]
      this._begin(method) // reading them may call any code
      checkCoordinate(this, 'bounds', minX)
      checkCoordinate(this, 'bounds', minY)
      checkCoordinate(this, 'bounds', maxX)
      checkCoordinate(this, 'bounds', maxY)
      if (!isAround(x, y, minX, minY, maxX, maxY))
        refuse(this, 'bounds', bounds, `around the point (${x}, ${y})`, true)
    }
    checkDistance(this, 'maxDistance', maxDistance)
    if (maxDistance < Infinity) {
      minX = Math.max(minX, x - maxDistance, -MAX_COORDINATE)
      minY = Math.max(minY, y - maxDistance, -MAX_COORDINATE)
      maxX = Math.min(maxX, x + maxDistance, MAX_COORDINATE)
      maxY = Math.min(maxY, y + maxDistance, MAX_COORDINATE)
      if (!isAround(x, y, minX, minY, maxX, maxY))
        refuse(this, 'maxDistance', maxDistance, 'more than float32 rounds to 0 there')
    }
    this._begin(method)
    this.#minX = minX
    this.#minY = minY
    this.#maxX = maxX
    this.#maxY = maxY
  }

  #visibilityPolygon(method, x, y, options) {
    this.#askBox(method, x, y, options)
    const wasm = this._enter()
    return this._leave(
      wasm.visibility(this._handle, x, y, this.#minX, this.#minY, this.#maxX, this.#maxY),
    )
  }

  visibilityPolygon(x, y, options) {
    const corners = this.#visibilityPolygon('visibilityPolygon', x, y, options)
    return this._views.corners.fresh(2 * corners)
  }

  visibilityPolygonInto(x, y, out, options) {
    const total = this.#visibilityPolygon('visibilityPolygonInto', x, y, options)
    checkArray(this, 'out', out, Float32Array)
    const corners = this._views.corners.at(2 * total)
    const written = Math.min(2 * total, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = corners[i]
    return total
  }

  keepVisible(x, y, ids, positions) {
    const count = this.#checkKeep('keepVisible', x, y, ids, positions)
    const out = this.#kept.length < count ? new Uint32Array(2 * count) : this.#kept
    this.#kept = NONE_KEPT // reading ids or positions may call this function
    const kept = this.#keepVisible('keepVisible', x, y, ids, count, positions, out)
    this.#kept = out
    return out.subarray(0, kept)
  }

  keepVisibleInto(x, y, ids, positions, out) {
    const count = this.#checkKeep('keepVisibleInto', x, y, ids, positions)
    checkArray(this, 'out', out, Uint32Array)
    return this.#keepVisible('keepVisibleInto', x, y, ids, count, positions, out)
  }

  /** Checks what is to be kept, and returns how many ids there are. */
  #checkKeep(method, x, y, ids, positions) {
    this._begin(method)
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

  /**
   * Writes the ids that the point sees, as far as `out` goes, which may be `ids`, and returns how many
   * there are.
   */
  #keepVisible(method, x, y, ids, count, positions, out) {
    const room = lengthOf(out)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      const toX = +positions[2 * id]
      const toY = +positions[2 * id + 1]
      const isPlace = Math.abs(toX) <= MAX_COORDINATE && Math.abs(toY) <= MAX_COORDINATE
      this._begin(method)
      if (!isPlace || !this.#sees(x, y, toX, toY, 0)) continue
      if (kept < room) out[kept] = id
      kept++
    }
    return kept
  }

  // ---- The tree ----

  cells() {
    return this._drawn('cells')
  }

  lines() {
    return this._drawn('lines')
  }

  validate() {
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
