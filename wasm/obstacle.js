// The obstacle tree: walls, what they hide, and what is near them.

import { MAX_CAPACITY, NOBODY } from './coreobject.js'
import {
  checkCoordinate,
  checkDistance,
  checkInteger,
  checkOptions,
  checkWord,
  refuse,
} from './errors.js'
import { lengthOf } from './memory.js'
import { Queryable } from './queryable.js'

/** @typedef {import('./queryable.js').IntoOptions} IntoOptions */
/** @typedef {import('./spatialindex.js').Hits} Hits */

/**
 * @typedef {object} ObstacleOptions
 * @property {number} [capacity] the most vertices; 1,000 at first
 * @property {number} [pieces] room for edges and what they are cut into, at least the capacity; twice that
 *   at first. Where it runs short, queries are slower, and as exact
 * @property {number} [leafSize] the most pieces in a cell that is not divided
 * @property {import('./init.js').Instance} [instance] made by `create()`; else the default one
 */

/**
 * Which edges count: all, or those that are seen from where the query asks, their free side being
 * there, or both sides free.
 * @typedef {object} SideOptions
 * @property {'both' | 'visible'} [side] 'both' at first
 */

/**
 * @typedef {object} PolygonOptions
 * @property {boolean} [twoSided] its edges are seen from both sides, and it has no inside
 * @property {'solid' | 'boundary'} [winding] asks for one of them: the vertices are taken the other way
 *   round, beginning with the same, where they go the wrong one
 */

/**
 * The edge that is nearest. Always the same object.
 * @typedef {object} NearestWall
 * @property {number} id
 * @property {number} x of the nearest point on it
 * @property {number} y
 * @property {number} distance
 */

/**
 * What a ray meets first. Always the same object.
 * @typedef {object} WallHit
 * @property {number} id
 * @property {number} fraction of the way: 0 at its begin, 1 at its end
 * @property {number} x where that is
 * @property {number} y
 * @property {number} normalX of the edge, of length 1, towards the ray's begin
 * @property {number} normalY
 */

/**
 * The box around what is seen: that of `bounds`, cut to the square of `maxDistance`. Without either it
 * goes a bit beyond all walls and the point.
 * @typedef {object} VisibilityOptions
 * @property {number} [maxDistance] so far to each side of the point
 * @property {ArrayLike<number>} [bounds] minX, minY, maxX, maxY, with the point strictly inside
 */

/**
 * @typedef {object} ObstacleStats
 * @property {number} edges in the tree
 * @property {number} dropped left out of it, because they have no length
 * @property {number} pieces that edges are cut into, at least one each
 * @property {number} nodes lines and cells
 * @property {number} leaves cells
 * @property {number} unsplit cells with more than `leafSize` pieces: no line divides them well, or there is
 *   no room for more pieces
 * @property {number} depth of the deepest cell; the root has depth 0
 * @property {number} polygons
 * @property {number} bytes memory of the whole object
 * @property {number} visits nodes visited by the last query made through this object
 */

const SIDES = /** @type {const} */ (['both', 'visible'])
const WINDINGS = /** @type {const} */ (['solid', 'boundary'])
const MAX_COORDINATE = 1e18
const NONE_KEPT = /* @__PURE__ */ new Uint32Array(0)

/**
 * Checks the options, and answers with what the constructor of an object of the core takes.
 * @param {ObstacleOptions} options
 * @returns {[string, string, string, import('./init.js').Instance | undefined, number[]]}
 */
function definition(options) {
  const name = 'ObstacleTree'
  checkOptions(name, '', options)
  const { capacity, pieces, leafSize, instance } = options
  if (capacity !== undefined) checkInteger(name, '', 'capacity', capacity, 1, MAX_CAPACITY)
  if (pieces !== undefined)
    checkInteger(name, '', 'pieces', pieces, capacity ?? 1, 2 * MAX_CAPACITY)
  if (leafSize !== undefined) checkInteger(name, '', 'leafSize', leafSize, 1, MAX_CAPACITY)
  return [name, 'walls', 'obstacle', instance, [capacity ?? 0, pieces ?? 0, leafSize ?? 0]]
}

/**
 * Twice the area of a polygon, as the core computes it: positive, if it goes counter-clockwise.
 * @param {Float32Array} points
 */
function areaOf(points) {
  const [x, y] = points
  let area = 0
  for (let i = 2; i + 2 < points.length; i += 2)
    area += (points[i] - x) * (points[i + 3] - y) - (points[i + 1] - y) * (points[i + 2] - x)
  return area
}

/**
 * The same polygon the other way round, in place: the first vertex stays first.
 * @param {Float32Array} points
 */
function reverse(points) {
  points.subarray(2).reverse() // y before x
  for (let i = 2; i < points.length; i += 2) {
    const y = points[i]
    points[i] = points[i + 1]
    points[i + 1] = y
  }
}

/**
 * True if the core will find the point strictly inside the box.
 * @param {number} x
 * @param {number} y
 * @param {number} minX
 * @param {number} minY
 * @param {number} maxX
 * @param {number} maxY
 */
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

/**
 * Walls of a level, in 2D: what is near, what is in the way, what can be seen. Walls are the edges of
 * polygons; each has the id of the first of its two vertices, and a polygon that of its first vertex, its
 * slot.
 *
 * Polygons that are added counter-clockwise are solid, clockwise ones boundaries: solid outside. They stay so
 * wherever they are moved. That is with y up; where y goes down, as on a canvas, a solid polygon looks
 * clockwise. `winding` asks for either, whichever way the vertices go. Edges are seen from their free side; those of segments, which are thin walls, from
 * both. Polygons may touch, overlap and cross.
 *
 * A binary space partition after Fuchs, Kedem and Naylor (1980). What was added, removed or moved counts
 * from the next query on, which builds the tree; queries are exact, whatever the tree.
 */
export class ObstacleTree extends Queryable {
  #side = 0
  // The box of the visibility polygon under way.
  #minX = 0
  #minY = 0
  #maxX = 0
  #maxY = 0
  /** Those that were kept last. */
  #kept = NONE_KEPT
  /** @type {NearestWall} */ #nearest = { id: -1, x: 0, y: 0, distance: 0 }
  /** @type {WallHit} */
  #hit = { id: -1, fraction: 0, x: 0, y: 0, normalX: 0, normalY: 0 }
  /** @type {Hits} */ #hits = /** @type {any} */ ({})
  /** @type {ObstacleStats} */ #stats = /** @type {any} */ ({})

  /** @param {ObstacleOptions} [options] */
  constructor(options = {}) {
    super(...definition(options))
  }

  // ---- What there is ----

  /** How many vertices there are. */
  get count() {
    return this._leave('count', this._enter('count').count(this._handle))
  }

  /**
   * Where the vertices are, x and y for each of the capacity. `addPolygon`, `addSegment` and `move` write
   * here; what the game writes counts from the next `build()` on.
   */
  get vertices() {
    this._alive('vertices')
    return /** @type {Float32Array} */ (this._views.vertices.at(2 * this._capacity))
  }

  /** By vertex: the next, at the other end of its edge. Only to be read, as all that follow. */
  get next() {
    return this.#words('next')
  }

  /** By vertex: the slot of its polygon. */
  get polygons() {
    return this.#words('polygons')
  }

  /** By vertex: odd while it is in use, and one more whenever it is taken and freed. */
  get generations() {
    return this.#words('generations')
  }

  /**
   * @param {'next' | 'polygons' | 'generations'} name
   */
  #words(name) {
    this._alive(name)
    return /** @type {Uint32Array} */ (this._views[name].at(this._capacity))
  }

  /**
   * Whether a slot is a polygon's.
   * @param {number} slot
   */
  has(slot) {
    this._alive('has')
    const generation = this._views.generations.at(this._capacity)[slot] ?? 0
    return (generation & 1) === 1 && this._views.polygons.at(this._capacity)[slot] === slot
  }

  /**
   * Returns which way round a polygon's edges go: 1 counter-clockwise (y up), solid inside; -1 clockwise, a
   * boundary; 0: it has no area. `STALE_HANDLE`: the slot is not a polygon's.
   * @param {number} slot
   */
  winding(slot) {
    this.#checkSlot('winding', slot)
    return this._leave('winding', this._enter('winding').winding(this._handle, slot))
  }

  // ---- Changes ----

  /**
   * Adds a closed polygon; two vertices are a thin wall. `FULL`: there is no room for so many.
   * @param {ArrayLike<number>} points x0, y0, x1, y1, …
   * @param {PolygonOptions} [options]
   * @returns {number} its slot: the id of the first vertex and its edge. Without removals before, those of
   *   the others follow
   */
  addPolygon(points, options = {}) {
    const name = this._name
    checkOptions(name, 'addPolygon', options)
    const { twoSided = false, winding } = options
    if (typeof twoSided !== 'boolean')
      refuse(name, 'addPolygon', 'twoSided', twoSided, 'true or false', false)
    if (winding !== undefined) checkWord(name, 'addPolygon', 'winding', winding, WINDINGS)
    const floats = this.#pointsOf('addPolygon', points)
    const area = winding === undefined ? 0 : areaOf(floats)
    if (winding === 'solid' ? area < 0 : area > 0) reverse(floats)
    return this.#add('addPolygon', floats, twoSided)
  }

  /**
   * Adds a thin wall: a polygon of two vertices, with an edge for either side.
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @returns {number} its slot: the id of its first edge; the second goes back
   */
  addSegment(x0, y0, x1, y1) {
    this.#checkSegment('addSegment', x0, y0, x1, y1)
    return this.#add('addSegment', Float32Array.of(x0, y0, x1, y1), false)
  }

  /**
   * @param {string} method
   * @param {Float32Array} points
   * @param {boolean} twoSided
   */
  #add(method, points, twoSided) {
    const vertices = points.length / 2
    this._leave(method, this._enter(method).room_for(this._handle, vertices))
    this.#stagePoints(method, points)
    const wasm = this._enter(method)
    return this._leave(method, wasm.add(this._handle, vertices, twoSided ? 1 : 0))
  }

  /**
   * Moves the vertices of a polygon: a door, a platform. What is solid stays, inside or outside, whichever
   * way round they go now. `STALE_HANDLE`: the slot is not a polygon's.
   * @param {number} slot
   * @param {ArrayLike<number>} points as many as it has
   */
  move(slot, points) {
    this.#checkSlot('move', slot)
    const floats = this.#pointsOf('move', points)
    const vertices = this._leave('move', this._enter('move').size_of(this._handle, slot))
    if (floats.length !== 2 * vertices)
      refuse(this._name, 'move', 'points.length', floats.length, `${2 * vertices}, as it has`)
    this.#stagePoints('move', floats)
    this._leave('move', this._enter('move').move(this._handle, slot, vertices))
  }

  /**
   * Takes a polygon out. `STALE_HANDLE`: the slot is not a polygon's.
   * @param {number} slot
   */
  remove(slot) {
    this.#checkSlot('remove', slot)
    this._leave('remove', this._enter('remove').remove(this._handle, slot))
  }

  /** Takes all polygons out. */
  clear() {
    this._leave('clear', this._enter('clear').clear(this._handle))
  }

  /**
   * Builds the tree from `vertices` as they are now: O(N log N) for most N. Only needed where the game wrote
   * there; after other changes the next query does it, unless it should be done beforehand. What is solid of
   * a polygon stays. On `NOT_FINITE` the last build stays.
   */
  build() {
    this._leave('build', this._enter('build').build(this._handle))
  }

  /**
   * Builds the tree if something changed.
   * @internal
   */
  _buildChanged() {
    this._leave('build', this._enter('build').build_changed(this._handle))
  }

  /**
   * @param {string} method
   * @param {number} slot
   */
  #checkSlot(method, slot) {
    checkInteger(this._name, method, 'slot', slot, 0, 2 ** 32 - 1)
  }

  /**
   * @param {string} method
   * @param {string} what
   * @param {ArrayLike<number>} numbers
   */
  #checkNumbers(method, what, numbers) {
    if (typeof numbers !== 'object' || numbers === null || typeof numbers.length !== 'number')
      refuse(this._name, method, what, numbers, 'an array of numbers', false)
  }

  /**
   * The points of a polygon, checked: a copy, for they may lie in linear memory, which may grow.
   * @param {string} method
   * @param {ArrayLike<number>} points
   */
  #pointsOf(method, points) {
    this.#checkNumbers(method, 'points', points)
    const { length } = points
    if (!(length >= 4 && length % 2 === 0 && length <= 2 * MAX_CAPACITY))
      refuse(this._name, method, 'points.length', length, 'even, and at least 4')
    const numbers = []
    for (let i = 0; i < length; i++) {
      const number = points[i] // read once: it may be any code that answers
      checkCoordinate(this._name, method, `points[${i}]`, number)
      numbers.push(number)
    }
    return Float32Array.from(numbers)
  }

  /**
   * @param {string} method
   * @param {Float32Array} points
   */
  #stagePoints(method, points) {
    this._stage(method, points.byteLength).set(new Uint8Array(points.buffer))
  }

  // ---- Queries ----

  /**
   * @param {string} method
   * @param {number} x
   * @param {number} y
   */
  #checkPlace(method, x, y) {
    checkCoordinate(this._name, method, 'x', x)
    checkCoordinate(this._name, method, 'y', y)
  }

  /**
   * @param {string} method
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   */
  #checkSegment(method, x0, y0, x1, y1) {
    checkCoordinate(this._name, method, 'x0', x0)
    checkCoordinate(this._name, method, 'y0', y0)
    checkCoordinate(this._name, method, 'x1', x1)
    checkCoordinate(this._name, method, 'y1', y1)
  }

  /**
   * Reads and checks the options of a query, as `_ask` does.
   * @param {string} method
   * @param {SideOptions & IntoOptions & { maxDistance?: number, radius?: number } | undefined} options
   */
  #askWalls(method, options) {
    if (options === undefined) {
      this.#side = 0
      this._radius = 0
      this._maxDistance = Infinity
      this._distances2 = undefined
      return
    }
    checkOptions(this._name, method, options)
    const { side, maxDistance = Infinity, radius = 0, distances2 } = options
    checkDistance(this._name, method, 'maxDistance', maxDistance)
    checkDistance(this._name, method, 'radius', radius)
    this.#side = side === undefined ? 0 : checkWord(this._name, method, 'side', side, SIDES)
    this._maxDistance = maxDistance
    this._radius = radius
    this._distances2 = distances2
  }

  /**
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {SideOptions} [options]
   */
  #within(method, x, y, radius, options) {
    this.#checkPlace(method, x, y)
    checkDistance(this._name, method, 'radius', radius)
    this.#askWalls(method, options)
    const wasm = this._enter(method)
    return this._leave(method, wasm.within(this._handle, x, y, radius, this.#side))
  }

  /**
   * The edges within a radius, borders included, nearest first, ties by lower id.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {SideOptions} [options]
   * @returns {Uint32Array} their ids, valid until the next query on this object
   */
  within(x, y, radius, options) {
    return this._ids(this.#within('within', x, y, radius, options))
  }

  /**
   * As `within`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {Uint32Array} out is filled as far as it goes
   * @param {SideOptions & IntoOptions} [options]
   * @returns {number} how many there are in all
   */
  withinInto(x, y, radius, out, options) {
    const total = this.#within('withinInto', x, y, radius, options)
    return this._into('withinInto', total, out)
  }

  /**
   * The nearest edge, ties by lower id.
   * @param {number} x
   * @param {number} y
   * @param {SideOptions & { maxDistance?: number }} [options] none farther than `maxDistance`, inclusive
   * @returns {NearestWall | null} the same object every time; null: there is none
   */
  nearest(x, y, options) {
    this.#checkPlace('nearest', x, y)
    this.#askWalls('nearest', options)
    const id = this._leave(
      'nearest',
      this._enter('nearest').nearest(this._handle, x, y, this._maxDistance, this.#side),
    )
    if (id === NOBODY) return null
    const numbers = this._views.nearest.at(3)
    const nearest = this.#nearest
    nearest.id = id
    nearest.distance = Math.sqrt(numbers[0])
    nearest.x = numbers[1]
    nearest.y = numbers[2]
    return nearest
  }

  /**
   * Whether the way between two points is free: no edge meets it or, with a radius, comes as near as that.
   * The same there and back. From a point on a wall nothing is visible.
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {{ radius?: number }} [options]
   */
  visible(x0, y0, x1, y1, options) {
    this.#checkSegment('visible', x0, y0, x1, y1)
    this.#askWalls('visible', options)
    return this.#sees('visible', x0, y0, x1, y1, /** @type {number} */ (this._radius))
  }

  /**
   * @param {string} method
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {number} radius
   */
  #sees(method, x0, y0, x1, y1, radius) {
    const wasm = this._enter(method)
    return this._leave(method, wasm.visible(this._handle, x0, y0, x1, y1, radius)) === 1
  }

  /**
   * The first edge on the way of a segment, ties by lower id.
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {SideOptions} [options]
   * @returns {WallHit | null} the same object every time; null: nothing is in the way
   */
  raycast(x0, y0, x1, y1, options) {
    this.#checkSegment('raycast', x0, y0, x1, y1)
    this.#askWalls('raycast', options)
    const wasm = this._enter('raycast')
    const id = this._leave('raycast', wasm.raycast(this._handle, x0, y0, x1, y1, this.#side))
    if (id === NOBODY) return null
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

  /**
   * What each of many segments meets first; always the same object.
   * @param {Float32Array} segments x0, y0, x1, y1, x0, …; at most `capacity` segments
   * @param {SideOptions} [options]
   */
  raycastMany(segments, options) {
    const name = this._name
    this.#askWalls('raycastMany', options)
    if (!(segments instanceof Float32Array))
      refuse(name, 'raycastMany', 'segments', segments, 'a Float32Array', false)
    const length = lengthOf(segments)
    if (length % 4 !== 0 || length > 4 * this._capacity)
      refuse(
        name,
        'raycastMany',
        'segments.length',
        length,
        `a multiple of 4, for at most ${this._capacity} segments`,
      )
    for (let i = 0; i < length; i++)
      if (!(Math.abs(segments[i]) <= MAX_COORDINATE))
        checkCoordinate(name, 'raycastMany', `segments[${i}]`, segments[i])
    this._alive('raycastMany')
    this._views.given.at(4 * this._capacity).set(segments)
    const wasm = this._enter('raycastMany')
    this._leave('raycastMany', wasm.raycast_many(this._handle, length / 4, this.#side))
    const hits = this.#hits
    hits.ids = this._views.hitIds.at(this._capacity)
    hits.fractions = this._views.hitFractions.at(this._capacity)
    return hits
  }

  /**
   * Whether a point is in something solid, or on its border: in more solid polygons than boundaries, where
   * outside of all counts as solid if there are boundaries. Thin and two-sided walls are not solid.
   * @param {number} x
   * @param {number} y
   */
  contains(x, y) {
    this.#checkPlace('contains', x, y)
    return this._leave('contains', this._enter('contains').contains(this._handle, x, y)) === 1
  }

  // ---- Sight ----

  /**
   * The box of a visibility polygon; the core puts infinite sides beyond all walls.
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {VisibilityOptions | undefined} options
   */
  #askBox(method, x, y, options) {
    this.#checkPlace(method, x, y)
    const name = this._name
    if (!isAround(x, y, -MAX_COORDINATE, -MAX_COORDINATE, MAX_COORDINATE, MAX_COORDINATE))
      refuse(name, method, 'x and y', Math.abs(x) > Math.abs(y) ? x : y, 'nearer to 0 than 1e18')
    let minX = -Infinity
    let minY = -Infinity
    let maxX = Infinity
    let maxY = Infinity
    if (options !== undefined) {
      checkOptions(name, method, options)
      const { bounds, maxDistance = Infinity } = options
      if (bounds !== undefined) {
        this.#checkNumbers(method, 'bounds', bounds)
        if (bounds.length !== 4) refuse(name, method, 'bounds.length', bounds.length, '4')
        minX = bounds[0]
        minY = bounds[1]
        maxX = bounds[2]
        maxY = bounds[3]
        checkCoordinate(name, method, 'bounds', minX)
        checkCoordinate(name, method, 'bounds', minY)
        checkCoordinate(name, method, 'bounds', maxX)
        checkCoordinate(name, method, 'bounds', maxY)
        if (!isAround(x, y, minX, minY, maxX, maxY))
          refuse(name, method, 'bounds', bounds, `around the point (${x}, ${y})`, true)
      }
      checkDistance(name, method, 'maxDistance', maxDistance)
      if (maxDistance < Infinity) {
        minX = Math.max(minX, x - maxDistance, -MAX_COORDINATE)
        minY = Math.max(minY, y - maxDistance, -MAX_COORDINATE)
        maxX = Math.min(maxX, x + maxDistance, MAX_COORDINATE)
        maxY = Math.min(maxY, y + maxDistance, MAX_COORDINATE)
        if (!isAround(x, y, minX, minY, maxX, maxY))
          refuse(name, method, 'maxDistance', maxDistance, 'more than float32 rounds to 0 there')
      }
    }
    this.#minX = minX
    this.#minY = minY
    this.#maxX = maxX
    this.#maxY = maxY
  }

  /**
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {VisibilityOptions | undefined} options
   */
  #visibilityPolygon(method, x, y, options) {
    this.#askBox(method, x, y, options)
    return this._leave(
      method,
      this._enter(method).visibility(
        this._handle,
        x,
        y,
        this.#minX,
        this.#minY,
        this.#maxX,
        this.#maxY,
      ),
    )
  }

  /**
   * What can be seen from a point, within a box: for light, fog of war, a guard's sight. From a point on a
   * wall: nothing.
   * @param {number} x
   * @param {number} y
   * @param {VisibilityOptions} [options]
   * @returns {Float32Array} the corners of a polygon, counter-clockwise (y up): x, y, x, y, …; valid until
   *   the next query on this object
   */
  visibilityPolygon(x, y, options) {
    const corners = this.#visibilityPolygon('visibilityPolygon', x, y, options)
    return this._views.corners.fresh(2 * corners)
  }

  /**
   * As `visibilityPolygon`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {Float32Array} out is filled with whole corners as far as it goes
   * @param {VisibilityOptions} [options]
   * @returns {number} how many corners there are in all
   */
  visibilityPolygonInto(x, y, out, options) {
    if (!(out instanceof Float32Array))
      refuse(this._name, 'visibilityPolygonInto', 'out', out, 'a Float32Array', false)
    const total = this.#visibilityPolygon('visibilityPolygonInto', x, y, options)
    const corners = this._views.corners.at(2 * total)
    const written = Math.min(2 * total, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = corners[i]
    return total
  }

  /**
   * Checks what is to be kept, and returns how many ids there are.
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {ArrayLike<number>} ids
   * @param {ArrayLike<number>} positions
   */
  #checkKeep(method, x, y, ids, positions) {
    this.#checkPlace(method, x, y)
    this.#checkNumbers(method, 'ids', ids)
    this.#checkNumbers(method, 'positions', positions)
    this._alive(method)
    const count = ids.length
    const last = Math.floor(positions.length / 2) - 1
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (!Number.isInteger(id) || id < 0 || id > last)
        refuse(this._name, method, `ids[${i}]`, id, `an integer from 0 to ${last}`)
    }
    return count
  }

  /**
   * Writes the ids that the point sees, as far as `out` goes, which may be `ids`, and returns how many
   * there are.
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {ArrayLike<number>} ids
   * @param {number} count of them
   * @param {ArrayLike<number>} positions
   * @param {Uint32Array} out
   */
  #keepVisible(method, x, y, ids, count, positions, out) {
    const room = lengthOf(out)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      const toX = +positions[2 * id]
      const toY = +positions[2 * id + 1]
      const isPlace = Math.abs(toX) <= MAX_COORDINATE && Math.abs(toY) <= MAX_COORDINATE
      if (!isPlace || !this.#sees(method, x, y, toX, toY, 0)) continue
      if (kept < room) out[kept] = id
      kept++
    }
    return kept
  }

  /**
   * Of agents those that can be seen from a point, in the order given: what `within` or `cone` of another
   * index found, say. Those at positions that are not finite are not seen.
   * @param {number} x
   * @param {number} y
   * @param {ArrayLike<number>} ids
   * @param {ArrayLike<number>} positions x0, y0, x1, y1, … by id
   * @returns {Uint32Array} valid until the next call of this
   */
  keepVisible(x, y, ids, positions) {
    const count = this.#checkKeep('keepVisible', x, y, ids, positions)
    const out = this.#kept.length < count ? new Uint32Array(2 * count) : this.#kept
    this.#kept = NONE_KEPT // reading ids or positions may call this function
    const kept = this.#keepVisible('keepVisible', x, y, ids, count, positions, out)
    this.#kept = out
    return out.subarray(0, kept)
  }

  /**
   * As `keepVisible`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {ArrayLike<number>} ids
   * @param {ArrayLike<number>} positions
   * @param {Uint32Array} out is filled as far as it goes; may be `ids`
   * @returns {number} how many there are in all
   */
  keepVisibleInto(x, y, ids, positions, out) {
    if (!(out instanceof Uint32Array))
      refuse(this._name, 'keepVisibleInto', 'out', out, 'a Uint32Array', false)
    const count = this.#checkKeep('keepVisibleInto', x, y, ids, positions)
    return this.#keepVisible('keepVisibleInto', x, y, ids, count, positions, out)
  }

  // ---- Debug and snapshots ----

  /**
   * The lines that divide space, to draw, in preorder: x0, y0, x1, y1 and depth of each, cut to its cell.
   * @returns {Float32Array} a copy
   */
  lines() {
    return this._drawn('lines')
  }

  /** Figures of the tree, and of the last query: always the same object. */
  stats() {
    this._alive('stats')
    this._buildChanged()
    this._readFigures('stats', this.#stats)
    return this.#stats
  }

  /**
   * Takes the state of a snapshot: afterwards everything goes on as it would have, down to the ids of what
   * is added next. `leafSize` must be that of the saved object. Bytes from anywhere are safe: on
   * `BAD_SNAPSHOT` and `FULL` nothing has changed.
   * @param {Uint8Array} bytes
   */
  restore(bytes) {
    this._restore(bytes)
  }
}
