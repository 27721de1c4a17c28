// What every object in a core shares: its life, its calls, its views of linear memory, and snapshots.

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
import { isInside, lengthOf, offsetOf, plainBytes, View } from './memory.js'
import { badSnapshot, wordOf } from './snapshot.js'

export const MAX_CAPACITY = 2 ** 28
/** No item, as the core returns it. */
export const NONE = -1
/** Rooms for what batches take and return, by their places in `room` of wasm/objects.h. */
export const GIVEN = 0
export const ROWS = 1
export const IDS = 2
export const NEIGHBOR_COUNTS = 3
export const NEIGHBORS = 4
export const HITS = 5
const ROOMS = 6
/** Bytes that hold the head of any snapshot: COPSE_SNAPSHOT_HEAD. */
const HEAD_BYTES = 128
/** What a family has slots for. @type {Record<string, string>} */
const ITEMS = { points: 'agents', boxes: 'boxes', walls: 'vertices', crowd: 'agents' }
/** Types of views, as the core names them. @type {Record<string, any>} */
const TYPES = { f: Float32Array, u: Uint32Array, i: Int32Array }

/**
 * Frees an object whose owner forgot to dispose it. A backstop only: it may run late or never, and
 * must not keep the instance.
 */
const forgotten = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry &&
  new FinalizationRegistry(({ instance, handle }) => {
    const alive = instance.deref()
    try {
      alive?.enter().destroy(handle)
      alive?.leave()
    } catch {
      // a dead instance has nothing to free
    }
  }))()

/**
 * Stages a snapshot piece by piece, without more memory: `check(wasm, first, size)` takes each. Returns
 * 0, or the first failure of a check.
 */
export function inPieces(instance, snapshot, check) {
  const room = instance.enter().staging_room()
  instance.leave()
  for (let first = 0; first < snapshot.length; first += room) {
    const piece = snapshot.subarray(first, first + room)
    const wasm = instance.enter()
    const offset = wasm.stage(piece.length) >>> 0
    new Uint8Array(instance.memory.buffer, offset, piece.length).set(piece)
    const result = check(wasm, first, piece.length)
    instance.leave()
    if (result < 0) return result
  }
  return 0
}

/**
 * Gives a class the methods of another that is not its base, and returns it.
 * @template {new (...args: any[]) => any} Class
 * @template {abstract new (...args: any[]) => any} Other
 * @param {Class} Class
 * @param {Other} other
 * @returns {new (...args: ConstructorParameters<Class>) => InstanceType<Class> & InstanceType<Other>}
 */
export function mixin(Class, other) {
  const { constructor, ...methods } = Object.getOwnPropertyDescriptors(other.prototype)
  Object.defineProperties(Class.prototype, methods)
  return /** @type {any} */ (Class)
}

/** Moves an agent of points or of a crowd, by the arguments of `move`, which were `given` in number. */
export function moveAgent(object, given, slot, x, y, z) {
  object._begin('move')
  checkArguments(object, given, 1 + object._dimensions)
  if (object._isPlane) z = 0
  checkSlot(object, slot)
  checkPoint(object, x, y, z)
  object._leave(object._enter().move(object._handle, slot, x, y, z))
}

/** @abstract */
export class CoreObject {
  _instance
  /** The functions of its family. */
  _wasm
  /** Arrays of the core, by name. @type {Record<string, any>} */
  _views = {}
  _handle = -1
  _capacity = 0
  /** For messages: its class, and the method that was called. */
  _name
  _method = ''
  /**
   * What the head of its snapshots holds: the options that must agree, see `badSnapshot`, and the places of the
   * words that must not exceed the capacity.
   * @type {{ options: readonly string[], sizes: readonly number[] }}
   */
  _head = { options: [], sizes: [] }
  /** The slot that the call is about. @type {number | undefined} */
  _slot
  /** The capacity that the call needs, and what of. */
  _wanted = 0
  _items

  #isAlive = true
  /** What the core says of the arrays: the capacity, how often rooms moved, and how large each is. */
  #limits
  #moves = 0
  /** @type {View | undefined} */ #figures
  /** @type {string[]} */ #figureNames = []
  /** @type {View | undefined} */ #staged
  #stagedOffset = 0

  /**
   * @param {string} name for messages
   * @param {string} family its file in the boundary, wasm/<family>.c
   * @param {string} noun for the core, which creates it by `<noun>_create`
   * @param {2 | 3} dimensions
   * @param {any} instance
   * @param {readonly number[]} words what `<noun>_create` takes
   */
  constructor(name, family, noun, dimensions, instance, words) {
    const owner = instanceOr(name, noun, instance)
    this._instance = owner
    this._wasm = owner.functions(family)
    this._name = name
    this._items = ITEMS[family]
    this._dimensions = dimensions
    this._isPlane = dimensions === 2

    const handle = owner.enter()[`${noun}_create`](...words)
    owner.leave()
    if (handle < 0) throw failure(owner, callOf(name), handle)
    this._handle = handle
    this.#limits = this.#locate()
    forgotten?.register(this, { instance: new WeakRef(owner), handle }, this)
  }

  // ---- Calls into the core: _begin, checks of arguments, _leave(_enter().call(…)) ----

  /** What is no such object, a proxy of one, say, is a `TypeError` here. */
  _begin(method) {
    if (!this.#isAlive)
      throw new CopseError('DISPOSED', `${this._name}.${method}: the object was disposed`)
    this._method = method
  }

  /** Returns the functions, to call one; `_leave` must follow. */
  _enter() {
    this._instance.enter()
    return this._wasm
  }

  /** Ends a call: returns its result, or throws what that stands for. */
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

  /** Asks how large the arrays are now, and where they lie. */
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

  /** Returns an array of a room, as long as the room. */
  _room(room, name) {
    const limits = this.#limits.at(2 + ROOMS)
    if (limits[1] !== this.#moves) this.#limits = this.#locate()
    return this._views[name].at(limits[2 + room])
  }

  /** Makes room for `count` items. */
  _takeRoom(room, count) {
    if (count > this.#limits.at(2 + ROOMS)[2 + room])
      this._leave(this._enter().take_room(this._handle, room, count))
  }

  /**
   * Copies the points of a batch into the core, or the segments, of two points each. Returns their number. Where
   * memory has to grow for them, they are checked first; else the core checks them.
   */
  _takePoints(name, points, each) {
    checkArray(this, name, points, Float32Array)
    const width = each * this._dimensions
    const length = lengthOf(points)
    if (length % width !== 0) refuse(this, `${name}.length`, length, `a multiple of ${width}`)
    if (length > this.#limits.at(2 + ROOMS)[2 + GIVEN]) {
      this.#checkPoints(name, points)
      this._prepare()
      const offset = isInside(points, this._instance) ? offsetOf(points) : -1
      this._takeRoom(GIVEN, length)
      const { buffer } = this._instance.memory
      if (offset >= 0) points = new Float32Array(buffer, offset, length) // it may be detached by now
    }
    this._room(GIVEN, 'given').set(points)
    return length / width
  }

  /** Throws if the object cannot answer now. Families that take points override it. */
  _prepare() {}

  #checkPoints(name, points) {
    const length = lengthOf(points)
    for (let i = 0; i < length; i++) checkCoordinate(this, `${name}[${i}]`, points[i])
  }

  /** Ends a batch of points: returns its result, or throws an error that names the bad coordinate. */
  _leavePoints(name, points, result) {
    try {
      return this._leave(result)
    } catch (error) {
      this.#checkPoints(name, points)
      throw error
    }
  }

  /** Returns the hits of a number of segments. */
  _hitsOf(hits, count) {
    this._room(HITS, 'hitIds') // which may have moved
    hits.ids = this._views.hitIds.at(count)
    hits.fractions = this._views.hitFractions.at(count)
    return hits
  }

  /** Returns a view of the pairs of the last call: this number of ids. */
  _pairs(ids) {
    this._room(IDS, 'rowIds')
    return this._views.rowIds.fresh(ids)
  }

  /** Begins a call that copies pairs: checks the array before memory can grow. */
  _askPairsInto(out) {
    this._begin('pairsInto')
    checkArray(this, 'out', out, Uint32Array)
  }

  /** Copies pairs of ids into the caller's array, in whole pairs as far as it goes; returns their number. */
  _pairsInto(ids, out) {
    const pairs = this._room(IDS, 'rowIds')
    const written = Math.min(ids, lengthOf(out)) & ~1
    for (let i = 0; i < written; i++) out[i] = pairs[i]
    return ids / 2
  }

  /** Returns the first bytes of the staging buffer, which may grow for it. */
  _stage(size) {
    const offset = this._leave(this._enter().stage(size))
    if (this.#staged === undefined || offset !== this.#stagedOffset) {
      this.#staged = new View(this._instance, Uint8Array, offset)
      this.#stagedOffset = offset
    }
    return this.#staged.at(size)
  }

  // ---- Life ----

  dispose() {
    if (!this.#isAlive) return
    this._leave(this._enter().destroy(this._handle))
    this.#isAlive = false
    this._handle = -1
    forgotten?.unregister(this)
  }

  [Symbol.dispose]() {
    this.dispose()
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
    this.#limits = this.#locate()
  }

  // ---- Slots ----

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
    return ((this._views.generations.at(this._capacity)[slot] ?? 0) & 1) === 1
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

  /** Returns an array by slot, with `each` numbers a slot. */
  _array(name, each) {
    this._begin(name)
    return this._views[name].at(each * this._capacity)
  }

  // ---- Figures ----

  /**
   * Reads the figures of the last build and the last query: whole numbers into `stats`, and all of them
   * into the array that it returns. V8 would box numbers with a fraction, stored under a name that varies or
   * returned; `_figurePlace` says where they are.
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
    const length = lengthOf(bytes)
    const needed = this._leave(this._enter().saved_bytes(this._handle))
    if (length < needed) refuse(this, 'bytes.length', length, `at least ${needed}`)
    const offset = isInside(bytes, this._instance) ? offsetOf(bytes) : -1
    const size = this.#saved()
    const { buffer } = this._instance.memory
    if (offset >= 0) bytes = new Uint8Array(buffer, offset, length) // it may be detached by now
    bytes.set(this._stage(size))
    return size
  }

  #saved() {
    return this._leave(this._enter().save(this._handle))
  }

  restore(bytes) {
    this._begin('restore')
    checkArray(this, 'bytes', bytes, Uint8Array)
    let snapshot = plainBytes(bytes)
    // Staging may grow the memory that they lie in.
    if (snapshot.buffer === this._instance.memory.buffer) snapshot = snapshot.slice()
    this._wanted = 1
    for (const word of this._head.sizes)
      this._wanted = Math.max(this._wanted, wordOf(snapshot, word))
    try {
      this.#checkSnapshot(snapshot)
      this._stage(snapshot.length).set(snapshot)
      this._leave(this._enter().restore(this._handle, snapshot.length))
    } catch (error) {
      if (!(error instanceof CopseError && error.code === 'BAD_SNAPSHOT')) throw error
      this._leave(this._enter().head(this._handle))
      const own = this._stage(HEAD_BYTES)
      throw badSnapshot(this._instance, this, snapshot, own, this._head.options)
    }
  }

  /**
   * Checks a snapshot that there is no room for: memory grows only for bytes that are what their head and
   * checksum say.
   */
  #checkSnapshot(snapshot) {
    const { length } = snapshot
    if (length <= this._leave(this._enter().staging_room())) return
    if (length >= 2 ** 32) throw badSnapshot(this._instance, this, snapshot)
    const result = inPieces(this._instance, snapshot, (wasm, first, size) =>
      wasm.restorable(this._handle, length, first, size),
    )
    this._leave(result)
  }

  // ---- What is drawn ----

  /** Returns the floats of all rows that a function of the core draws, piece by piece. */
  _drawn(method) {
    this._begin(method)
    const pieces = []
    let floats = 0
    for (;;) {
      const more = this._leave(this._enter()[method](this._handle, floats))
      if (more === 0) break
      pieces.push(this._stage(4 * more).slice())
      floats += more
    }
    const bytes = new Uint8Array(4 * floats)
    let end = 0
    for (const piece of pieces) {
      bytes.set(piece, end)
      end += piece.length
    }
    return new Float32Array(bytes.buffer)
  }
}
