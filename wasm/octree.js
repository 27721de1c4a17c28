// Quadtree and Octree: boxes and points that are added, moved and removed one at a time. The
// queries that they share with the indexes of points are in queries.js. The first comment there
// explains how a method takes the arguments of 2D and of 3D.

import {
  callOf,
  checkArguments,
  checkBox,
  checkCoordinate,
  checkInteger,
  checkOptions,
  checkPoint,
  checkSegment,
  checkCount,
  checkSlot,
  place,
  refuse,
} from './errors.js'
import { withFrustum } from './frustum.js'
import { MAX_CAPACITY, mixin, NONE, Slots } from './object.js'
import {
  ask,
  castMany,
  EXCLUDE,
  ids,
  INFLATE,
  into,
  MASK,
  pairsInto,
  pairsOf,
  Queries,
  query,
  range,
} from './queries.js'

const RAYS = MASK | EXCLUDE | INFLATE
const OPTIONS = ['bounds', 'capacity', 'leafSize', 'maxDepth', 'looseness', 'instance']

const MAX_DEPTH = 24
const MAX_LOOSENESS = 16

// Names of arguments, for messages. Making these strings in every call would make garbage.
const MIN = { X: 'minX', Y: 'minY', Z: 'minZ' }
const MAX = { X: 'maxX', Y: 'maxY', Z: 'maxZ' }

/** Checks the options. Returns the arguments for the constructor of `CoreObject`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { bounds, capacity, leafSize, maxDepth, looseness, instance } = options
  const sides = checkBox(call, 'bounds', bounds, dimensions)
  if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
  if (leafSize !== undefined) checkInteger(call, 'leafSize', leafSize, 0, MAX_CAPACITY)
  if (maxDepth !== undefined) checkInteger(call, 'maxDepth', maxDepth, 0, MAX_DEPTH)
  const isLoose = typeof looseness === 'number' && looseness >= 1 && looseness <= MAX_LOOSENESS
  if (looseness !== undefined && !isLoose)
    refuse(call, 'looseness', looseness, `a number from 1 to ${MAX_LOOSENESS}`)
  const own = [leafSize ?? -1, maxDepth ?? -1, looseness ?? -1]
  const words = [dimensions, capacity ?? 0, ...own, ...sides]
  return /** @type {const} */ ([name, 'boxes', 'octree', dimensions, instance, words])
}

function checkSide(object, axis, min, max) {
  checkCoordinate(object, MIN[axis], min)
  checkCoordinate(object, MAX[axis], max)
  if (min > max) refuse(object, `max${axis}`, max, `at least min${axis} (${min})`)
}

/** Returns `max` or, if it is undefined because the item is a point, `min`. */
const orMin = (max, min) => (max === undefined ? min : max)

/** @abstract */
class OwnQueries extends Slots {
  /**
   * The core's total of changes at the last `stats()`. The next `stats()` subtracts this number.
   */
  #changes = 0
  // The objects that calls return: reused, not created for each call.
  /** @type {any} */ #stats
  /** @type {any} */ _rows = { total: 0 }
  /** @type {any} */ _neighborRows = {}
  #hit

  constructor(name, dimensions, options) {
    const args = definition(name, dimensions, options)
    super(...args)
    const sides = Array.from({ length: 2 * dimensions }, (_, i) => `bounds[${i}]:f`)
    this._head = ['dimensions', 'leafSize', 'maxDepth', 'looseness:f', ...sides]
    this._items = 'boxes'
    const maxDepth = args[5][3]
    this.#stats = { perDepth: new Array((maxDepth < 0 ? MAX_DEPTH : maxDepth) + 1).fill(0) }
    const hit = { id: NONE, fraction: 0, x: 0, y: 0, normalX: 0, normalY: 0 }
    this.#hit = /** @type {any} */ (dimensions === 3 ? { ...hit, z: 0, normalZ: 0 } : hit)
  }

  // ---- Items ----

  get boxes() {
    return this._array('boxes', 2 * this._dimensions)
  }

  get groups() {
    return this._array('groups', 1)
  }

  add(minX, minY, minZ, maxX, maxY, maxZ) {
    this._begin('add')
    checkArguments(this, arguments.length, this._dimensions, 2 * this._dimensions)
    if (this._isPlane) return this.#add(minX, minY, 0, orMin(minZ, minX), orMin(maxX, minY), 0)
    return this.#add(minX, minY, minZ, orMin(maxX, minX), orMin(maxY, minY), orMin(maxZ, minZ))
  }

  #add(minX, minY, minZ, maxX, maxY, maxZ) {
    this.#checkBox(minX, minY, minZ, maxX, maxY, maxZ)
    const wasm = this._enter()
    this._wanted = this._capacity + 1
    return this._leave(wasm.add(this._handle, minX, minY, minZ, maxX, maxY, maxZ))
  }

  addAt(slot, minX, minY, minZ, maxX, maxY, maxZ) {
    this._begin('addAt')
    checkArguments(this, arguments.length, 1 + this._dimensions, 1 + 2 * this._dimensions)
    if (this._isPlane) this.#addAt(slot, minX, minY, 0, orMin(minZ, minX), orMin(maxX, minY), 0)
    else
      this.#addAt(slot, minX, minY, minZ, orMin(maxX, minX), orMin(maxY, minY), orMin(maxZ, minZ))
  }

  #addAt(slot, minX, minY, minZ, maxX, maxY, maxZ) {
    checkSlot(this, slot)
    this.#checkBox(minX, minY, minZ, maxX, maxY, maxZ)
    const wasm = this._enter()
    this._wanted = slot + 1
    const result = wasm.add_at(this._handle, slot, minX, minY, minZ, maxX, maxY, maxZ)
    if (result < 0 && this._isUsed(slot)) {
      this._leave(0)
      refuse(this, 'slot', slot, 'free')
    }
    this._leave(result)
  }

  move(slot, minX, minY, minZ, maxX, maxY, maxZ) {
    this._begin('move')
    checkArguments(this, arguments.length, 1 + this._dimensions, 1 + 2 * this._dimensions)
    if (this._isPlane) this.#move(slot, minX, minY, 0, orMin(minZ, minX), orMin(maxX, minY), 0)
    else this.#move(slot, minX, minY, minZ, orMin(maxX, minX), orMin(maxY, minY), orMin(maxZ, minZ))
  }

  #move(slot, minX, minY, minZ, maxX, maxY, maxZ) {
    checkSlot(this, slot)
    this.#checkBox(minX, minY, minZ, maxX, maxY, maxZ)
    const wasm = this._enter()
    this._leave(wasm.move(this._handle, slot, minX, minY, minZ, maxX, maxY, maxZ))
  }

  #checkBox(minX, minY, minZ, maxX, maxY, maxZ) {
    checkSide(this, 'X', minX, maxX)
    checkSide(this, 'Y', minY, maxY)
    checkSide(this, 'Z', minZ, maxZ)
  }

  moveAll() {
    this._begin('moveAll')
    this.#leaveBoxes(this._enter().move_all(this._handle))
  }

  load(count) {
    this._begin('load')
    checkCount(this, 'count', count)
    this._wanted = count
    this.#leaveBoxes(this._enter().load(this._handle, count))
  }

  /**
   * Ends a call that reads the array `boxes`. If a box has min > max, throws an error that names
   * its slot.
   */
  #leaveBoxes(result) {
    try {
      this._leave(result)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const slot = this._leave(this._enter().first_bad())
      throw new RangeError(`${place(this)}: the box of slot ${slot} has min > max`)
    }
  }

  // ---- Queries ----

  at(x, y, z, options) {
    if (this._isPlane) return ids(this, this.#at('at', x, y, 0, z))
    return ids(this, this.#at('at', x, y, z, options))
  }

  atInto(x, y, z, out, options) {
    if (this._isPlane) return into(this, this.#at('atInto', x, y, 0, out), z)
    return into(this, this.#at('atInto', x, y, z, options), out)
  }

  #at(method, x, y, z, options) {
    this._begin(method)
    checkPoint(this, x, y, z)
    return range(this, method, x, y, z, x, y, z, options)
  }

  pairs(options) {
    return pairsOf(this, this.#pairs('pairs', options))
  }

  pairsInto(out, options) {
    return pairsInto(this, this.#pairs('pairsInto', options), out)
  }

  /** Finds the pairs of items that touch or overlap. Returns the number of ids, two per pair. */
  #pairs(method, options) {
    ask(this, method, options, MASK)
    return this._leave(this._enter().pairs(this._handle, query.mask))
  }

  raycastMany(segments, options) {
    return castMany(this, segments, options, RAYS)
  }

  raycast(x0, y0, z0, x1, y1, z1, options) {
    if (this._isPlane) return this.#raycast(x0, y0, 0, z0, x1, 0, y1)
    return this.#raycast(x0, y0, z0, x1, y1, z1, options)
  }

  #raycast(x0, y0, z0, x1, y1, z1, options) {
    ask(this, 'raycast', options, RAYS)
    checkSegment(this, x0, y0, z0, x1, y1, z1)
    const { _handle: handle } = this
    const { mask, exclude, inflate } = query
    const wasm = this._enter()
    const id = this._leave(wasm.raycast(handle, x0, y0, z0, x1, y1, z1, inflate, mask, exclude))
    if (id === NONE) return null
    const numbers = this._views.hit.at(4)
    const hit = this.#hit
    hit.id = id
    hit.fraction = numbers[0]
    hit.x = x0 + hit.fraction * (x1 - x0)
    hit.y = y0 + hit.fraction * (y1 - y0)
    hit.normalX = numbers[1]
    hit.normalY = numbers[2]
    if (!this._isPlane) {
      hit.z = z0 + hit.fraction * (z1 - z0)
      hit.normalZ = numbers[3]
    }
    return hit
  }

  // ---- Statistics ----

  stats() {
    const stats = this.#stats
    this._readFigures('stats', stats)
    stats.changes -= this.#changes
    this.#changes += stats.changes
    const perDepth = this._views.perDepth.at(stats.perDepth.length)
    for (let depth = 0; depth < perDepth.length; depth++) stats.perDepth[depth] = perDepth[depth]
    return stats
  }
}

const Boxes = /* @__PURE__ */ mixin(OwnQueries, Queries)
const Boxes3D = /* @__PURE__ */ withFrustum(Boxes)

export class Quadtree extends Boxes {
  constructor(options = {}) {
    super('Quadtree', 2, options)
  }
}

export class Octree extends Boxes3D {
  constructor(options = {}) {
    super('Octree', 3, options)
  }
}
