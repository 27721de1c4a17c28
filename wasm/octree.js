// Quadtree and Octree: boxes and points that are added, moved and removed one at a time. The
// queries that they share with the indexes of points are in queries.js.

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
import { MAX_CAPACITY, NONE } from './object.js'
import {
  ask,
  castMany,
  EXCLUDE,
  INFLATE,
  inPlane,
  inSpace,
  MASK,
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

function checkBoxSides(object, minX, minY, minZ, maxX, maxY, maxZ) {
  checkSide(object, 'X', minX, maxX)
  checkSide(object, 'Y', minY, maxY)
  checkSide(object, 'Z', minZ, maxZ)
}

// In the calls of these three functions for a point, the upper sides are equal to the lower ones.

function add(object, minX, minY, minZ, maxX, maxY, maxZ) {
  checkBoxSides(object, minX, minY, minZ, maxX, maxY, maxZ)
  const wasm = object._enter()
  object._wanted = object._capacity + 1
  return object._leave(wasm.add(object._handle, minX, minY, minZ, maxX, maxY, maxZ))
}

function addAt(object, slot, minX, minY, minZ, maxX, maxY, maxZ) {
  checkSlot(object, slot)
  checkBoxSides(object, minX, minY, minZ, maxX, maxY, maxZ)
  const wasm = object._enter()
  object._wanted = slot + 1
  const result = wasm.add_at(object._handle, slot, minX, minY, minZ, maxX, maxY, maxZ)
  if (result < 0 && object._isUsed(slot)) {
    object._leave(0)
    refuse(object, 'slot', slot, 'free')
  }
  object._leave(result)
}

function move(object, slot, minX, minY, minZ, maxX, maxY, maxZ) {
  checkSlot(object, slot)
  checkBoxSides(object, minX, minY, minZ, maxX, maxY, maxZ)
  const wasm = object._enter()
  object._leave(wasm.move(object._handle, slot, minX, minY, minZ, maxX, maxY, maxZ))
}

function at(object, x, y, z, options) {
  object._begin('at')
  checkPoint(object, x, y, z)
  return range(object, 'at', x, y, z, x, y, z, options)
}

/** Casts a ray. Returns the hit, all but its coordinates along z; null if there is none. */
function cast(object, x0, y0, z0, x1, y1, z1, options) {
  ask(object, 'raycast', options, RAYS)
  checkSegment(object, x0, y0, z0, x1, y1, z1)
  const { _handle: handle } = object
  const { mask, exclude, inflate } = query
  const wasm = object._enter()
  const id = object._leave(wasm.raycast(handle, x0, y0, z0, x1, y1, z1, inflate, mask, exclude))
  if (id === NONE) return null
  const numbers = object._views.hit.at(4)
  const hit = object._hit
  hit.id = id
  hit.fraction = numbers[0]
  hit.x = x0 + hit.fraction * (x1 - x0)
  hit.y = y0 + hit.fraction * (y1 - y0)
  hit.normalX = numbers[1]
  hit.normalY = numbers[2]
  return hit
}

/** What Quadtree and Octree share. @abstract */
class Boxes extends Queries {
  /**
   * The core's total of changes at the last `stats()`. The next `stats()` subtracts this number.
   */
  #changes = 0
  // The objects that calls return: reused, not created for each call.
  /** @type {any} */ #stats
  /** @type {any} */ _hit

  constructor(name, dimensions, options) {
    const args = definition(name, dimensions, options)
    super(...args)
    const sides = Array.from({ length: 2 * dimensions }, (_, i) => `bounds[${i}]:f`)
    this._head = ['dimensions', 'leafSize', 'maxDepth', 'looseness:f', ...sides]
    this._items = 'boxes'
    const maxDepth = args[5][3]
    this.#stats = { perDepth: new Array((maxDepth < 0 ? MAX_DEPTH : maxDepth) + 1).fill(0) }
    const hit = { id: NONE, fraction: 0, x: 0, y: 0, normalX: 0, normalY: 0 }
    this._hit = dimensions === 3 ? { ...hit, z: 0, normalZ: 0 } : hit
  }

  // ---- Items ----

  get boxes() {
    return this._array('boxes', 2 * this._dimensions)
  }

  get groups() {
    return this._array('groups', 1)
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

  pairs(options) {
    ask(this, 'pairs', options, MASK)
    return pairsOf(this, this._leave(this._enter().pairs(this._handle, query.mask)))
  }

  raycastMany(segments, options) {
    return castMany(this, segments, options, RAYS)
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

export class Quadtree extends inPlane(Boxes) {
  constructor(options = {}) {
    super('Quadtree', 2, options)
  }

  add(minX, minY, maxX = minX, maxY = minY) {
    this._begin('add')
    checkArguments(this, arguments.length, 2, 4)
    return add(this, minX, minY, 0, maxX, maxY, 0)
  }

  addAt(slot, minX, minY, maxX = minX, maxY = minY) {
    this._begin('addAt')
    checkArguments(this, arguments.length, 3, 5)
    addAt(this, slot, minX, minY, 0, maxX, maxY, 0)
  }

  move(slot, minX, minY, maxX = minX, maxY = minY) {
    this._begin('move')
    checkArguments(this, arguments.length, 3, 5)
    move(this, slot, minX, minY, 0, maxX, maxY, 0)
  }

  at(x, y, options) {
    return at(this, x, y, 0, options)
  }

  raycast(x0, y0, x1, y1, options) {
    return cast(this, x0, y0, 0, x1, y1, 0, options)
  }
}

export class Octree extends inSpace(Boxes) {
  constructor(options = {}) {
    super('Octree', 3, options)
  }

  add(minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    this._begin('add')
    checkArguments(this, arguments.length, 3, 6)
    return add(this, minX, minY, minZ, maxX, maxY, maxZ)
  }

  addAt(slot, minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    this._begin('addAt')
    checkArguments(this, arguments.length, 4, 7)
    addAt(this, slot, minX, minY, minZ, maxX, maxY, maxZ)
  }

  move(slot, minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    this._begin('move')
    checkArguments(this, arguments.length, 4, 7)
    move(this, slot, minX, minY, minZ, maxX, maxY, maxZ)
  }

  at(x, y, z, options) {
    return at(this, x, y, z, options)
  }

  raycast(x0, y0, z0, x1, y1, z1, options) {
    const hit = cast(this, x0, y0, z0, x1, y1, z1, options)
    if (hit === null) return null
    hit.z = z0 + hit.fraction * (z1 - z0)
    hit.normalZ = this._views.hit.at(4)[3]
    return hit
  }
}
