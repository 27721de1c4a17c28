// The base class of all trees, grids, crowds, flow fields and sensors. Each of them is a JavaScript
// object that calls an object in the core (the .wasm file) by a handle. The base class contains
// what they share: lifetime, calls, views of linear memory, and snapshots.

import {
  callOf,
  checkArguments,
  checkArray,
  checkCoordinate,
  checkInteger,
  checkPoint,
  checkSlot,
  CopseError,
  failure,
  place,
  refuse,
} from './errors.js'
import { instanceOr } from './init.js'
import { isInside, View } from './memory.js'
import { badSnapshot } from './snapshot.js'

export const MAX_CAPACITY = 2 ** 28
/** The result of a function of the core that found no item. */
export const NONE = -1
/**
 * Indices of an object's rooms: the buffers for arguments and results of batches. The indices are
 * those of the enum `room` in wasm/objects.h.
 */
export const GIVEN = 0
export const ROWS = 1
export const IDS = 2
export const NEIGHBOR_COUNTS = 3
export const NEIGHBORS = 4
export const HITS = 5
const ROOMS = 6
/**
 * The name of the method that the statement `using` calls. In an engine without Symbol.dispose, the
 * name is 'dispose': the class then defines `dispose` twice, and the second definition counts.
 * @type {typeof Symbol.dispose}
 */
const DISPOSE = Symbol.dispose ?? /** @type {any} */ ('dispose')
/** The maximum size of a snapshot's head, in bytes: SNAPSHOT_HEAD in c/base/snapshot.h. */
const HEAD_BYTES = 128
const MAX_SNAPSHOT = 2 ** 31
/** The most bytes to draw that one call of the core writes: MAX_DRAWN floats in wasm/objects.h. */
const DRAWN_BYTES = 4 * 7560
/**
 * The classes of views, by the letters in the lists of views in wasm/*.c.
 * @type {Record<string, any>}
 */
const TYPES = { f: Float32Array, u: Uint32Array, i: Int32Array }

/**
 * Frees the memory of an object in the core if the JavaScript object is garbage-collected without
 * `dispose()`. Only a backstop: an engine may do this late or never. The registry holds a WeakRef
 * of the object's `Instance`, so that it does not keep the `Instance` alive.
 */
const undisposed = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry &&
  new FinalizationRegistry(({ instance, handle }) => {
    const alive = instance.deref()
    try {
      alive?.enter().destroy(handle)
      alive?.leave()
    } catch {
      // the instance is dead: nothing to free
    }
  }))()

/**
 * The method `move` of points and crowds. `count` is the number of arguments that the game passed.
 */
export function moveAgent(object, count, slot, x, y, z) {
  object._begin('move')
  checkArguments(object, count, 1 + object._dimensions)
  checkSlot(object, slot)
  checkPoint(object, x, y, z)
  object._leave(object._enter().move(object._handle, slot, x, y, z))
}

/** @abstract */
export class CoreObject {
  _instance
  /** The core's functions for objects of this family: see `functions` in init.js. */
  _wasm
  /** The object's arrays in linear memory, by name. @type {Record<string, any>} */
  _views = {}
  /** @type {any} */ #hits = {}
  _handle = -1
  _capacity = 0
  /** The class, and the method that is running, for messages. */
  _name
  _method = ''
  /**
   * The names of the options in the head of a snapshot, which must be equal to those of this object:
   * see `badSnapshot`.
   * @type {readonly string[]}
   */
  _head = []
  /** The slot that was an argument of the last call, for messages. @type {number | undefined} */
  _slot
  /**
   * For the message of the error `FULL`: the capacity that the call needs. If that is unknown, a
   * capacity larger than the current one.
   */
  _wanted = 0
  /** For the message of the error `FULL`: what the capacity counts. */
  _items = 'agents'

  #isAlive = true
  /**
   * A view of the last three members of the C struct `object`: the object's capacity, the number of
   * reallocations of its rooms (buffers of batches), and each room's capacity.
   */
  #limits
  #moves = 0
  /** @type {View | undefined} */ #figures
  /** @type {string[]} */ #figureNames = []
  /** @type {View | undefined} */ #staged

  /**
   * @param {string} name the class, for messages
   * @param {string} family points, boxes, walls, crowd, paths or sensors: selects the functions of
   * wasm/<family>.c
   * @param {string} noun the core creates the object by `<noun>_create`
   * @param {2 | 3} dimensions
   * @param {any} instance
   * @param {readonly number[]} words the arguments of `<noun>_create`
   */
  constructor(name, family, noun, dimensions, instance, words) {
    const owner = instanceOr(name, noun, instance)
    this._instance = owner
    this._wasm = owner.functions(family)
    this._name = name
    this._dimensions = dimensions
    this._isPlane = dimensions === 2

    const handle = owner.enter()[`${noun}_create`](...words)
    owner.leave()
    if (handle < 0) throw failure(owner, callOf(name), handle)
    this._handle = handle
    this.#limits = this.#locate()
    undisposed?.register(this, { instance: new WeakRef(owner), handle }, this)
  }

  // ---- Calls of the core ----
  // A method calls `_begin`, checks arguments, then calls `_enter`, a core function, and `_leave`.

  /**
   * Public methods call this first. It throws if the object was disposed. Reading #isAlive throws a
   * `TypeError` if `this` is not a CoreObject but, for example, a proxy of one.
   */
  _begin(method) {
    if (!this.#isAlive)
      throw new CopseError('DISPOSED', `${this._name}.${method}: the object was disposed`)
    this._method = method
  }

  /** Returns the core's functions. The caller calls one of them, and must then call `_leave`. */
  _enter() {
    this._instance.enter()
    return this._wasm
  }

  /** Ends a call of the core: returns `result` or, if it is a failure, throws the error. */
  _leave(result) {
    this._instance.leave()
    if (result < NONE) throw this.#failure(result)
    return result
  }

  #failure(result) {
    const error = failure(this._instance, this, result)
    if (error instanceof CopseError && error.code === 'NOT_FINITE') {
      error.index = this._leave(this._enter().first_bad()) >>> 0
      error.message += `: slot ${error.index}`
    }
    return error
  }

  /**
   * Makes new views of all arrays. Must be called after arrays may have been reallocated. Returns a
   * new value for `#limits`, the view of the object's capacities.
   */
  #locate() {
    const owner = this._instance
    const wasm = owner.enter()
    const limits = new View(owner, Uint32Array, wasm.limits_of(this._handle) >>> 0)
    this._capacity = limits.at(2 + ROOMS)[0]
    this.#moves = limits.at(2 + ROOMS)[1]
    this._views = {}
    this.#figureNames = owner.names(wasm.figure_names(this._handle))
    for (const [which, view] of owner.names(wasm.view_names(this._handle)).entries()) {
      const [name, type] = view.split(':')
      this._views[name] = new View(owner, TYPES[type], wasm.view_of(this._handle, which) >>> 0)
    }
    owner.leave()
    return limits
  }

  /** Makes new views, after the core enlarged the object. */
  _relocate() {
    this.#limits = this.#locate()
  }

  /**
   * Returns a view of the array `name` in a room, a buffer for batches: the view is as long as the
   * room's capacity. If a room was reallocated, first makes new views of all arrays.
   */
  _room(room, name) {
    if (this.#limit(1) !== this.#moves) this._relocate()
    return this._views[name].at(this.#limit(2 + room))
  }

  /** Returns an entry of `#limits`: entry 1 counts reallocations, entry 2 + room is its capacity. */
  #limit(index) {
    return this.#limits.at(2 + ROOMS)[index]
  }

  /** Grows a room, a buffer for batches, to at least `count` items. */
  _takeRoom(room, count) {
    if (count > this.#limit(2 + room))
      this._leave(this._enter().take_room(this._handle, room, count))
  }

  /**
   * Copies items to the core: points, segments, boxes or planes, of `width` numbers each. Makes
   * room for `extra` more words per item. Returns the number of items. The core checks the numbers
   * later.
   */
  _takePoints(name, points, width, extra = 0) {
    checkArray(this, name, points, Float32Array)
    const { length } = points
    if (length % width !== 0) refuse(this, `${name}.length`, length, `a multiple of ${width}`)
    const room = length + (extra * length) / width
    if (room > this.#limit(2 + GIVEN)) {
      if (isInside(points, this._instance)) points = points.slice() // it would be detached
      this._takeRoom(GIVEN, room)
    }
    this._room(GIVEN, 'given').set(points)
    return length / width
  }

  /**
   * Ends a batch that takes `count` numbers: returns its result. If a number made the batch fail,
   * throws an error that names it.
   */
  _leavePoints(name, count, result, check = checkCoordinate) {
    try {
      return this._leave(result)
    } catch (error) {
      const given = this._room(GIVEN, 'given')
      for (let i = 0; i < count; i++) check(this, `${name}[${i}]`, given[i])
      throw error
    }
  }

  /**
   * Returns the result object of `raycastMany`: views of what the core just wrote for `count`
   * segments.
   */
  _hitsOf(count) {
    const hits = this.#hits
    this._room(HITS, 'hitIds') // renews stale views
    hits.ids = this._views.hitIds.at(count)
    hits.fractions = this._views.hitFractions.at(count)
    return hits
  }

  /**
   * Returns a view of the first `size` bytes of the core's staging buffer. If necessary, grows the
   * buffer first.
   */
  _stage(size) {
    const offset = this._leave(this._enter().stage(size))
    if (this.#staged?.offset !== offset) this.#staged = new View(this._instance, Uint8Array, offset)
    return /** @type {View} */ (this.#staged).at(size)
  }

  // ---- Lifetime ----

  [DISPOSE]() {
    this.dispose()
  }

  dispose() {
    if (!this.#isAlive) return
    this._leave(this._enter().destroy(this._handle))
    this.#isAlive = false
    this._handle = -1
    undisposed?.unregister(this)
  }

  get capacity() {
    this._begin('capacity')
    return this._capacity
  }

  reserve(capacity) {
    this._begin('reserve')
    checkInteger(this, 'capacity', capacity, 1, MAX_CAPACITY)
    if (capacity <= this._capacity) return
    this._leave(this._enter().reserve(this._handle, capacity))
    this._relocate()
  }

  /** Returns an array that holds `width` numbers for each slot. */
  _array(name, width) {
    this._begin(name)
    return this._views[name].at(width * this._capacity)
  }

  // ---- Statistics ----

  /**
   * Reads the figures of the object, the numbers that `stats()` returns. Writes the integers among
   * them to `stats`. Returns an array of all figures: `_figurePlace(name)` is a figure's index. The
   * caller must write the non-integers itself, as `stats.time = …`: V8 would allocate memory for a
   * fraction written as `stats[name] = …`.
   */
  _readFigures(method, stats) {
    this._begin(method)
    const offset = this._enter().figures_of(this._handle) >>> 0
    this._instance.leave()
    const names = this.#figureNames
    this.#figures ??= new View(this._instance, Float64Array, offset)
    const numbers = this.#figures.at(names.length)
    for (let i = 0; i < names.length; i++)
      if (Number.isInteger(numbers[i])) stats[names[i]] = numbers[i]
    return numbers
  }

  _figurePlace(name) {
    return this.#figureNames.indexOf(name)
  }

  // ---- Snapshots ----

  save() {
    this._begin('save')
    return this._stage(this.#saved()).slice()
  }

  saveInto(bytes) {
    this._begin('saveInto')
    checkArray(this, 'bytes', bytes, Uint8Array)
    const size = this.#saved()
    if (bytes.length < size) refuse(this, 'bytes.length', bytes.length, `at least ${size}`)
    bytes.set(this._stage(size))
    return size
  }

  /** Writes a snapshot to the staging buffer. Returns its size in bytes. */
  #saved() {
    return this._leave(this._enter().save(this._handle))
  }

  restore(bytes) {
    this._begin('restore')
    checkArray(this, 'bytes', bytes, Uint8Array)
    if (bytes.length >= MAX_SNAPSHOT) throw badSnapshot(this._instance, this, bytes)
    const snapshot = isInside(bytes, this._instance) ? bytes.slice() : bytes // it may be detached
    try {
      this._stage(snapshot.length).set(snapshot)
      const capacity = this._leave(this._enter().restore(this._handle, snapshot.length))
      if (capacity > this._capacity) this._relocate()
    } catch (error) {
      if (!(error instanceof CopseError && error.code === 'BAD_SNAPSHOT')) throw error
      this._relocate() // the core may have reserved before it found what is wrong
      this._leave(this._enter().head(this._handle))
      throw badSnapshot(this._instance, this, snapshot, this._stage(HEAD_BYTES), this._head)
    }
  }

  // ---- Shapes to draw ----

  /**
   * Returns a copy of the floats of all cells or lines to draw. Each call of the core's `method`
   * returns the total number of floats, and writes the next part to the staging buffer.
   */
  _drawn(method) {
    this._begin(method)
    for (let skipped = 0, bytes; ; skipped += DRAWN_BYTES) {
      const total = 4 * this._leave(this._enter()[method](this._handle, skipped / 4))
      bytes ??= new Uint8Array(total)
      bytes.set(this._stage(Math.min(total - skipped, DRAWN_BYTES)), skipped)
      if (skipped + DRAWN_BYTES >= total) return new Float32Array(bytes.buffer)
    }
  }
}

/**
 * The base class of all classes except FlowField. Their objects hold items, each in a slot.
 * @abstract
 */
export class Slots extends CoreObject {
  get count() {
    this._begin('count')
    return this._leave(this._enter().count(this._handle))
  }

  get slots() {
    this._begin('slots')
    return this._leave(this._enter().slots(this._handle))
  }

  get generations() {
    return this._array('generations', 1)
  }

  has(slot) {
    this._begin('has')
    return typeof slot === 'number' && this._isUsed(slot)
  }

  _isUsed(slot) {
    return (this._views.generations.at(this._capacity)[slot] & 1) === 1
  }

  remove(slot) {
    this._begin('remove')
    checkSlot(this, slot)
    this._leave(this._enter().remove(this._handle, slot))
  }

  clear() {
    this._begin('clear')
    this._leave(this._enter().clear(this._handle))
  }
}
