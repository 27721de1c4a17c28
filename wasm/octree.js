// The quadtree and the octree: boxes and points that come, go and move.

import { DEFAULT, MAX_CAPACITY, MAX_RESULTS, NOBODY } from './coreobject.js'
import { checkCoordinate, checkInteger, checkOptions, CopseError, refuse } from './errors.js'
import { lengthOf } from './memory.js'
import { Queryable, SORT_NONE, SORTS } from './queryable.js'

// Names of arguments: put together in every call they would be garbage.
const MIN = { X: 'minX', Y: 'minY', Z: 'minZ' }
const MAX = { X: 'maxX', Y: 'maxY', Z: 'maxZ' }

/** @typedef {import('./queryable.js').QueryOptions} QueryOptions */
/** @typedef {import('./queryable.js').IntoOptions} IntoOptions */
/** @typedef {import('./queryable.js').NearestOptions} NearestOptions */

/**
 * @typedef {object} OctreeOptions
 * @property {number[]} bounds the world: [minX, minY, maxX, maxY], in 3D [minX, minY, minZ, maxX, maxY,
 *   maxZ]; items outside are kept and found too
 * @property {number} [capacity] the most items; 1,000 at first
 * @property {number} [leafSize] the most items in a cell that is not divided, 24 at first; 0: all sink to
 *   `maxDepth`
 * @property {number} [maxDepth] how often cells are divided, 0 (one list) to 24
 * @property {number} [looseness] how much larger than itself a cell is for what it takes, 1 to 16: small
 *   items on a line between cells then need not stay in the large cell around them
 * @property {number} [results] room for the ids of `pairs`; 16 times the capacity at first
 * @property {import('./init.js').Instance} [instance] made by `create()`; else the default one
 */

/**
 * Where a ray enters a box first. Always the same object.
 * @typedef {object} BoxHit
 * @property {number} id
 * @property {number} fraction of the way: 0 at its begin, 1 at its end
 * @property {number} x where that is
 * @property {number} y
 * @property {number} normalX of the side that it hits: 1 or -1; all 0 where the ray begins inside
 * @property {number} normalY
 */

/** @typedef {BoxHit & { z: number, normalZ: number }} BoxHit3D */

/**
 * @typedef {object} OctreeStats
 * @property {number} items
 * @property {number} nodes cells, divided ones too
 * @property {number} leaves cells that are not divided
 * @property {number} depth of the deepest cell; the root has depth 0
 * @property {number[]} perDepth how many items the cells of each depth hold themselves
 * @property {number} straddlers items in cells that are divided: on a line between smaller ones
 * @property {number} outside items not wholly in the world
 * @property {number} unsplit cells that should be divided, but there was no room for more
 * @property {number} changes items that changed their cell, and cells divided or merged, since the last
 *   call of `stats()`
 * @property {number} bytes memory of the whole object
 * @property {number} visits cells visited by the last query made through this object
 */

const MAX_DEPTH = 24
const MAX_LOOSENESS = 16

/**
 * The world's sides, in the order of the core: z is there in 2D too.
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {number[]} bounds
 */
function checkBounds(name, dimensions, bounds) {
  const sides = 2 * dimensions
  if (!Array.isArray(bounds) || bounds.length !== sides)
    refuse(name, '', 'bounds', bounds, `an array of ${sides} numbers`, false)
  const words = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < sides; i++) {
    const bound = bounds[i]
    checkCoordinate(name, '', `bounds[${i}]`, bound)
    words[i < dimensions ? i : 3 + i - dimensions] = bound
  }
  for (let axis = 0; axis < dimensions; axis++)
    if (!(Math.fround(words[axis]) < Math.fround(words[3 + axis])))
      refuse(name, '', `bounds[${axis}]`, words[axis], `less than bounds[${dimensions + axis}]`)
  return words
}

/**
 * Checks the options, and answers with what the constructor of an object of the core takes.
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {OctreeOptions} options
 * @returns {[string, string, string, import('./init.js').Instance | undefined, number[]]}
 */
function definition(name, dimensions, options) {
  checkOptions(name, '', options)
  const { bounds, capacity, leafSize, maxDepth, looseness, results, instance } = options
  const words = checkBounds(name, dimensions, bounds)
  if (capacity !== undefined) checkInteger(name, '', 'capacity', capacity, 1, MAX_CAPACITY)
  if (leafSize !== undefined) checkInteger(name, '', 'leafSize', leafSize, 0, MAX_CAPACITY)
  if (maxDepth !== undefined) checkInteger(name, '', 'maxDepth', maxDepth, 0, MAX_DEPTH)
  const isLoose = typeof looseness === 'number' && looseness >= 1 && looseness <= MAX_LOOSENESS
  if (looseness !== undefined && !isLoose)
    refuse(name, '', 'looseness', looseness, `a number from 1 to ${MAX_LOOSENESS}`)
  if (results !== undefined) checkInteger(name, '', 'results', results, 0, MAX_RESULTS)
  const own = [leafSize ?? -1, maxDepth ?? -1, looseness ?? -1]
  const all = [dimensions, capacity ?? 0, ...own, results ?? DEFAULT, ...words]
  return [name, 'boxes', 'octree', instance, all]
}

/** @abstract */
class BoxTree extends Queryable {
  #dimensions
  #changes = 0
  /** @type {OctreeStats} */ #stats = /** @type {any} */ ({ perDepth: [] })
  /** @type {BoxHit3D} */ #hit = /** @type {any} */ ({ id: -1, fraction: 0, x: 0, y: 0 })

  /**
   * @protected
   * @param {string} name
   * @param {2 | 3} dimensions
   * @param {OctreeOptions} options
   */
  constructor(name, dimensions, options) {
    const made = definition(name, dimensions, options)
    super(...made)
    this.#dimensions = dimensions
    const maxDepth = made[4][3]
    this.#stats.perDepth = new Array((maxDepth < 0 ? MAX_DEPTH : maxDepth) + 1).fill(0)
  }

  /** How many items there are. */
  get count() {
    return this._leave('count', this._enter('count').count(this._handle))
  }

  /**
   * Where the items are: minX, minY, (minZ,) maxX, maxY, (maxZ) for each slot of the capacity. `insert`
   * and `move` write here; what the game writes counts from `moveAll()` on.
   */
  get boxes() {
    this._alive('boxes')
    const length = this._capacity * 2 * this.#dimensions
    return /** @type {Float32Array} */ (this._views.boxes.at(length))
  }

  /**
   * 32 group bits a slot, 1 at first; an item with none is absent from every result. What the game writes
   * here counts at once.
   */
  get groups() {
    this._alive('groups')
    return /** @type {Uint32Array} */ (this._views.groups.at(this._capacity))
  }

  /** By slot: odd while it is in use, and one more at every insert and remove: only to be read. */
  get generations() {
    this._alive('generations')
    return /** @type {Uint32Array} */ (this._views.generations.at(this._capacity))
  }

  /**
   * Whether a slot is in use.
   * @param {number} slot
   */
  has(slot) {
    this._alive('has')
    const generations = this._views.generations.at(this._capacity)
    return typeof slot === 'number' && ((generations[slot] ?? 0) & 1) === 1
  }

  /**
   * Takes an item out, wherever it is by now. `STALE_HANDLE`: the slot is not in use.
   * @param {number} slot
   */
  remove(slot) {
    this.#checkSlot('remove', slot)
    this._leave('remove', this._enter('remove').remove(this._handle, slot))
  }

  /** Takes all items out. */
  clear() {
    this._leave('clear', this._enter('clear').clear(this._handle))
  }

  /**
   * Everything moved: all items go where `boxes` says, one by one or, where many left their cells, into a
   * tree that is built anew. Where a box is not finite or has min > max, nothing changes.
   */
  moveAll() {
    this.#leaveBoxes('moveAll', this._enter('moveAll').move_all(this._handle))
  }

  /**
   * All anew: the items are those in the slots 0 … count - 1, where `boxes` says. Much faster than to
   * insert one by one. Where a box is not finite or has min > max, nothing changes.
   * @param {number} count
   */
  load(count) {
    checkInteger(this._name, 'load', 'count', count, 0, 2 ** 32 - 1)
    this.#leaveBoxes('load', this._enter('load').load(this._handle, count))
  }

  /**
   * Ends a call that takes what `boxes` says.
   * @param {string} method
   * @param {number} result
   */
  #leaveBoxes(method, result) {
    try {
      this._leave(method, result)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const slot = this._leave(method, this._enter(method).first_bad())
      throw new RangeError(`${this._name}.${method}: the box of slot ${slot} has min > max`)
    }
  }

  /**
   * All pairs of items that meet, each once.
   * @param {{ mask?: number }} [options]
   * @returns {Uint32Array} a, b, a, b, … with a < b; valid until the next query on this object; no more
   *   than fit into `results`
   */
  pairs(options) {
    const ids = Math.min(this.#pairs('pairs', options), this._results & ~1)
    return this._views.pairIds.fresh(ids)
  }

  /**
   * As `pairs`, into an array of yours.
   * @param {Uint32Array} out is filled with whole pairs as far as it, and `results`, go
   * @param {{ mask?: number }} [options]
   * @returns {number} how many pairs there are in all
   */
  pairsInto(out, options) {
    if (!(out instanceof Uint32Array))
      refuse(this._name, 'pairsInto', 'out', out, 'a Uint32Array', false)
    const total = this.#pairs('pairsInto', options)
    const ids = this._views.pairIds.at(this._results)
    const written = Math.min(total, this._results, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = ids[i]
    return total / 2
  }

  /** Figures of what there is and of the last query: always the same object. */
  stats() {
    const stats = this.#stats
    this._readFigures('stats', stats)
    stats.changes -= this.#changes
    this.#changes += stats.changes
    const perDepth = this._views.perDepth.at(stats.perDepth.length)
    for (let depth = 0; depth < perDepth.length; depth++) stats.perDepth[depth] = perDepth[depth]
    return stats
  }

  /**
   * Takes the state of a snapshot: afterwards everything goes on as it would have, down to the order of
   * results. The options of the saved object must be the same, but for the capacity. Bytes from anywhere
   * are safe: on `BAD_SNAPSHOT` and `FULL` nothing has changed.
   * @param {Uint8Array} bytes
   */
  restore(bytes) {
    this._restore(bytes)
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
   * @param {'X' | 'Y' | 'Z'} axis
   * @param {number} min
   * @param {number} max
   */
  #checkSide(method, axis, min, max) {
    checkCoordinate(this._name, method, MIN[axis], min)
    checkCoordinate(this._name, method, MAX[axis], max)
    if (min > max) refuse(this._name, method, `max${axis}`, max, `at least min${axis} (${min})`)
  }

  /**
   * @param {string} method
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   */
  #checkBox(method, minX, minY, minZ, maxX, maxY, maxZ) {
    this.#checkSide(method, 'X', minX, maxX)
    this.#checkSide(method, 'Y', minY, maxY)
    this.#checkSide(method, 'Z', minZ, maxZ)
  }

  /**
   * @protected
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   */
  _insert(minX, minY, minZ, maxX, maxY, maxZ) {
    this.#checkBox('insert', minX, minY, minZ, maxX, maxY, maxZ)
    const wasm = this._enter('insert')
    return this._leave('insert', wasm.insert(this._handle, minX, minY, minZ, maxX, maxY, maxZ))
  }

  /**
   * @protected
   * @param {'insertAt' | 'move'} method
   * @param {number} slot
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   */
  _put(method, slot, minX, minY, minZ, maxX, maxY, maxZ) {
    this.#checkSlot(method, slot)
    this.#checkBox(method, minX, minY, minZ, maxX, maxY, maxZ)
    const wasm = this._enter(method)
    if (method === 'move') {
      this._leave(method, wasm.move(this._handle, slot, minX, minY, minZ, maxX, maxY, maxZ))
      return
    }
    const result = wasm.insert_at(this._handle, slot, minX, minY, minZ, maxX, maxY, maxZ)
    if (result < 0 && this.has(slot)) {
      this._leave(method, 0)
      refuse(this._name, method, 'slot', slot, 'free')
    }
    this._leave(method, result)
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {QueryOptions} [options]
   */
  _at(method, x, y, z, options) {
    this._checkPoint(method, x, y, z)
    return this._range(method, x, y, z, x, y, z, options)
  }

  /**
   * @param {string} method
   * @param {{ mask?: number } | undefined} options
   */
  #pairs(method, options) {
    this._ask(method, options)
    const expected = "'none': pairs have an order of their own"
    if (this._sort !== SORT_NONE)
      refuse(this._name, method, 'sort', SORTS[this._sort], expected, true)
    return this._leave(method, this._enter(method).pairs(this._handle, this._mask))
  }

  /**
   * @protected
   * @param {number} x0
   * @param {number} y0
   * @param {number} z0
   * @param {number} x1
   * @param {number} y1
   * @param {number} z1
   * @param {QueryOptions} [options]
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
        this._mask,
        this._exclude,
      ),
    )
    if (id === NOBODY) return null
    const numbers = this._views.hit.at(4)
    const hit = this.#hit
    hit.id = id
    hit.fraction = numbers[0]
    hit.x = x0 + hit.fraction * (x1 - x0)
    hit.y = y0 + hit.fraction * (y1 - y0)
    hit.normalX = numbers[1]
    hit.normalY = numbers[2]
    if (this.#dimensions === 3) {
      hit.z = z0 + hit.fraction * (z1 - z0)
      hit.normalZ = numbers[3]
    }
    return hit
  }
}

/**
 * Boxes and points that come, go and move, one at a time: colliders, zones, pickups. `insert` answers with
 * a slot, the id of what was inserted; queries always answer for the present, exactly.
 *
 * The quadtree of Finkel and Bentley (1974), loose on demand. Needs no build and no clean-up: cells are
 * divided and merged as items come, go and move.
 */
export class Quadtree extends BoxTree {
  /** @param {OctreeOptions} options */
  constructor(options) {
    super('Quadtree', 2, options)
  }

  /**
   * Inserts a box or a point. `FULL`: there are as many as the capacity.
   * @param {number} minX
   * @param {number} minY
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   * @returns {number} its slot: the lowest that is free
   */
  insert(minX, minY, maxX = minX, maxY = minY) {
    return this._insert(minX, minY, 0, maxX, maxY, 0)
  }

  /**
   * Inserts a box or a point in a free slot of your choice.
   * @param {number} slot
   * @param {number} minX
   * @param {number} minY
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   */
  insertAt(slot, minX, minY, maxX = minX, maxY = minY) {
    this._put('insertAt', slot, minX, minY, 0, maxX, maxY, 0)
  }

  /**
   * Moves or resizes an item. Within its cell nothing but its box changes.
   * @param {number} slot
   * @param {number} minX
   * @param {number} minY
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   */
  move(slot, minX, minY, maxX = minX, maxY = minY) {
    this._put('move', slot, minX, minY, 0, maxX, maxY, 0)
  }

  /**
   * The ids of all that meet a closed box, whose sides may be infinite.
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
   * The ids of all boxes around a point, borders included.
   * @param {number} x
   * @param {number} y
   * @param {QueryOptions} [options] `sort: 'distance'` makes no sense here
   * @returns {Uint32Array} valid until the next query on this object
   */
  at(x, y, options) {
    return this._ids(this._at('at', x, y, 0, options))
  }

  /**
   * As `at`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions} [options]
   * @returns {number} how many there are in all
   */
  atInto(x, y, out, options) {
    const total = this._at('atInto', x, y, 0, options)
    return this._into('atInto', total, out)
  }

  /**
   * The ids of all that meet a circle, borders included.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
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
    const total = this._within('withinInto', x, y, 0, radius, options)
    return this._into('withinInto', total, out)
  }

  /**
   * How many meet a circle.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  countWithin(x, y, radius, options) {
    return this._countWithin('countWithin', x, y, 0, radius, options)
  }

  /**
   * Whether anything meets a circle; stops at the first.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {QueryOptions} [options]
   */
  anyWithin(x, y, radius, options) {
    return this._anyWithin('anyWithin', x, y, 0, radius, options)
  }

  /**
   * The nearest id, ties by lower id; -1: nobody. The distance to a box around the point is 0.
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
    const total = this._neighbors('neighborsInto', x, y, 0, k, options)
    return this._into('neighborsInto', total, out)
  }

  /**
   * The first box or point on the way of a segment, ties by lower id.
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {QueryOptions} [options] of which `mask` and `exclude` count
   * @returns {BoxHit | null} the same object every time; null: nobody
   */
  raycast(x0, y0, x1, y1, options) {
    return this._raycast(x0, y0, 0, x1, y1, 0, options)
  }
}

/** As `Quadtree`, in three dimensions. */
export class Octree extends BoxTree {
  /** @param {OctreeOptions} options */
  constructor(options) {
    super('Octree', 3, options)
  }

  /**
   * Inserts a box or a point. `FULL`: there are as many as the capacity.
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   * @param {number} [maxZ]
   * @returns {number} its slot: the lowest that is free
   */
  insert(minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    return this._insert(minX, minY, minZ, maxX, maxY, maxZ)
  }

  /**
   * Inserts a box or a point in a free slot of your choice.
   * @param {number} slot
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   * @param {number} [maxZ]
   */
  insertAt(slot, minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    this._put('insertAt', slot, minX, minY, minZ, maxX, maxY, maxZ)
  }

  /**
   * Moves or resizes an item. Within its cell nothing but its box changes.
   * @param {number} slot
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} [maxX] without it and those behind: a point
   * @param {number} [maxY]
   * @param {number} [maxZ]
   */
  move(slot, minX, minY, minZ, maxX = minX, maxY = minY, maxZ = minZ) {
    this._put('move', slot, minX, minY, minZ, maxX, maxY, maxZ)
  }

  /**
   * The ids of all that meet a closed box, whose sides may be infinite.
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
   * The ids of all boxes around a point, borders included.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {QueryOptions} [options] `sort: 'distance'` makes no sense here
   * @returns {Uint32Array} valid until the next query on this object
   */
  at(x, y, z, options) {
    return this._ids(this._at('at', x, y, z, options))
  }

  /**
   * As `at`, into an array of yours.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {Uint32Array} out is filled as far as it goes
   * @param {QueryOptions} [options]
   * @returns {number} how many there are in all
   */
  atInto(x, y, z, out, options) {
    const total = this._at('atInto', x, y, z, options)
    return this._into('atInto', total, out)
  }

  /**
   * The ids of all that meet a sphere, borders included.
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
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
    const total = this._within('withinInto', x, y, z, radius, options)
    return this._into('withinInto', total, out)
  }

  /**
   * How many meet a sphere.
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
   * Whether anything meets a sphere; stops at the first.
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
   * The nearest id, ties by lower id; -1: nobody. The distance to a box around the point is 0.
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
    const total = this._neighbors('neighborsInto', x, y, z, k, options)
    return this._into('neighborsInto', total, out)
  }

  /**
   * The first box or point on the way of a segment, ties by lower id.
   * @param {number} x0
   * @param {number} y0
   * @param {number} z0
   * @param {number} x1
   * @param {number} y1
   * @param {number} z1
   * @param {QueryOptions} [options] of which `mask` and `exclude` count
   * @returns {BoxHit3D | null} the same object every time; null: nobody
   */
  raycast(x0, y0, z0, x1, y1, z1, options) {
    return this._raycast(x0, y0, z0, x1, y1, z1, options)
  }
}
