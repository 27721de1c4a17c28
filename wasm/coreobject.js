/// <reference lib="esnext.disposable" preserve="true" />

// What everything that lives in a core shares: its life, its views of linear memory, and snapshots.

import { BAD_SNAPSHOT, checkInteger, CopseError, failure, refuse } from './errors.js'
import { instanceOr } from './init.js'
import { lengthOf, plainBytes, View } from './memory.js'

/** @typedef {import('./init.js').Instance} Instance */

export const MAX_CAPACITY = 2 ** 28
export const MAX_RESULTS = 2 ** 30
export const NOBODY = -1
/** `view_of` of exports.c, by place, where there are queries. */
export const IDS = 4

/**
 * Frees an object whose owner forgot to dispose it. A backstop only: it may run late or never, and
 * must not keep the instance.
 * @type {FinalizationRegistry<{ instance: WeakRef<Instance>, handle: number }> | undefined}
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

/** @abstract */
export class CoreObject {
  /** @protected @type {Instance} */ _instance
  /** Byte offsets, by `view_of`; they change with the capacity. @type {number[]} */ #offsets
  /** What lies there, by `view_of`. */ #types
  /** Typed arrays there, by `view_of`. @type {View<any>[]} */ #views = []
  /** @type {View<Float64Array>} */ #statistics
  /** @type {View<Uint8Array>} */ #staged
  /** Where that lies. */ #stagedOffset = 0

  #isAlive = true

  /** @protected @type {string} */ _name
  /** @protected */ _handle = -1
  /** @protected */ _capacity = 0
  /** @protected */ _results = 0

  /**
   * @protected
   * @param {string} name for messages
   * @param {string} noun for the core
   * @param {Instance | undefined} instance
   * @param {(new (buffer: ArrayBuffer, offset: number, length: number) => any)[]} types of what
   *   `view_of` tells, by place
   * @param {number} capacity
   * @param {number} results room for the ids of a batch; 0: there are none
   * @param {number[]} words all that `<noun>_create` takes
   */
  constructor(name, noun, instance, types, capacity, results, words) {
    const owner = instanceOr(name, noun, instance)
    this._instance = owner
    this.#offsets = types.map(() => 0)
    this.#types = types
    this.#statistics = new View(owner, Float64Array)
    this.#staged = new View(owner, Uint8Array)
    this._name = name
    this._capacity = capacity
    this._results = results

    const handle = owner.enter()[`${noun}_create`](...words)
    owner.leave()
    if (handle < 0) throw failure(name, '', handle)
    this._handle = handle
    this.#locate()
    forgotten?.register(this, { instance: new WeakRef(owner), handle }, this)
  }

  // ---- Calls into the core ----

  /**
   * Every call begins with it. What is no such object, a proxy of one, say, is a `TypeError` here.
   * @protected
   * @param {string} method
   */
  _alive(method) {
    if (!this.#isAlive)
      throw new CopseError('DISPOSED', `${this._name}.${method}: the object was disposed`)
  }

  /**
   * Begins a call; `_leave` must follow.
   * @protected
   * @param {string} method
   */
  _enter(method) {
    this._alive(method)
    return this._instance.enter()
  }

  /**
   * Ends a call: answers with its result, or throws what that stands for.
   * @protected
   * @param {string} method
   * @param {number} result
   */
  _leave(method, result) {
    this._instance.leave()
    if (result < NOBODY) throw this.#failure(method, result)
    return result
  }

  /**
   * @param {string} method
   * @param {number} result
   */
  #failure(method, result) {
    const error = failure(this._name, method, result)
    if (error instanceof CopseError && error.code === 'NOT_FINITE') {
      error.index = this._enter(method).first_bad() >>> 0
      this._instance.leave()
      error.message += `: slot ${error.index}`
    }
    return error
  }

  /** Asks where the arrays lie now. */
  #locate() {
    this.#views = this.#types.map((Type) => new View(this._instance, Type))
    const wasm = this._instance.enter()
    for (let which = 0; which < this.#offsets.length; which++)
      this.#offsets[which] = wasm.view_of(this._handle, which) >>> 0
    this._instance.leave()
  }

  /**
   * Returns the first bytes of the staging buffer, which may grow for it.
   * @protected
   * @param {string} method
   * @param {number} size
   */
  _stage(method, size) {
    const offset = this._enter(method).stage(size) >>> 0
    this._instance.leave()
    if (!offset && size)
      throw new CopseError('OUT_OF_MEMORY', `${this._name}.${method}: no ${size} bytes left`)
    if (offset !== this.#stagedOffset) this.#staged = new View(this._instance, Uint8Array)
    this.#stagedOffset = offset
    return this.#staged.at(offset, size)
  }

  /**
   * A view of one of the arrays inside.
   * @protected
   * @param {number} which
   * @param {number} length
   */
  _view(which, length) {
    return this.#views[which].at(this.#offsets[which], length)
  }

  /**
   * The ids that a query has just found: one small view.
   * @protected
   * @param {number} total
   * @param {number} [which] where they lie
   */
  _ids(total, which = IDS) {
    return new Uint32Array(this._instance.memory.buffer, this.#offsets[which], total)
  }

  // ---- Life ----

  /** Frees the memory. Twice is harmless; any other use afterwards throws. */
  dispose() {
    if (!this.#isAlive) return
    this._enter('dispose').destroy(this._handle)
    this._instance.leave()
    this.#isAlive = false
    this._handle = -1
    forgotten?.unregister(this)
  }

  [Symbol.dispose]() {
    this.dispose()
  }

  /** The most that it holds. */
  get capacity() {
    this._alive('capacity')
    return this._capacity
  }

  /** How often linear memory has grown: typed arrays taken before are detached. */
  get generation() {
    this._alive('generation')
    return this._instance.generation
  }

  /**
   * Grows to at least this capacity, `results` in proportion, and keeps everything but the results of
   * queries. Views taken before are void.
   * @param {number} capacity
   */
  reserve(capacity) {
    checkInteger(this._name, 'reserve', 'capacity', capacity, 1, MAX_CAPACITY)
    if (capacity <= this._capacity) return this._alive('reserve')
    const results = Math.min(Math.ceil((this._results / this._capacity) * capacity), MAX_RESULTS)
    this._leave('reserve', this._enter('reserve').reserve(this._handle, capacity, results))
    this._capacity = capacity
    this._results = results
    this.#locate()
  }

  // ---- Debug and snapshots ----

  /**
   * The figures of the last build and the last query.
   * @protected
   * @param {number} length
   */
  _statistics(length) {
    const offset = this._enter('stats').stats_of(this._handle) >>> 0
    this._instance.leave()
    return this.#statistics.at(offset, length)
  }

  /**
   * A snapshot: of points their count, positions, groups, and the agents of the last build. Needs
   * memory of that size inside the library, kept for the next snapshot.
   * @returns {Uint8Array}
   */
  save() {
    return this._stage('save', this.#saved('save')).slice()
  }

  /**
   * Writes a snapshot into bytes of yours and answers with its size. Without garbage.
   * @param {Uint8Array} bytes
   */
  saveInto(bytes) {
    if (!(bytes instanceof Uint8Array))
      refuse(this._name, 'saveInto', 'bytes', bytes, 'a Uint8Array', false)
    const length = lengthOf(bytes)
    const size = this.#saved('saveInto')
    if (length < size) refuse(this._name, 'saveInto', 'bytes.length', length, `at least ${size}`)
    bytes.set(this._stage('saveInto', size))
    return size
  }

  /** @param {string} method */
  #saved(method) {
    return this._leave(method, this._enter(method).save(this._handle))
  }

  /**
   * Takes the state of a snapshot.
   * @protected
   * @param {Uint8Array} bytes
   */
  _restore(bytes) {
    if (!(bytes instanceof Uint8Array))
      refuse(this._name, 'restore', 'bytes', bytes, 'a Uint8Array', false)
    let snapshot = plainBytes(bytes)
    this._alive('restore')
    // Staging may grow the memory that they lie in.
    if (snapshot.buffer === this._instance.memory.buffer) snapshot = snapshot.slice()
    this.#checkSnapshot(snapshot)
    this._stage('restore', snapshot.length).set(snapshot)
    this._leave('restore', this._enter('restore').restore(this._handle, snapshot.length))
  }

  /**
   * Checks a snapshot that there is no room for, piece by piece: memory grows only for bytes that are
   * what their head and checksum say.
   * @param {Uint8Array} snapshot
   */
  #checkSnapshot(snapshot) {
    const { length } = snapshot
    const room = this._enter('restore').staging_room()
    this._leave('restore', 0)
    if (length <= room) return
    if (length >= 2 ** 32) throw failure(this._name, 'restore', BAD_SNAPSHOT)
    for (let first = 0; first < length; first += room) {
      const piece = snapshot.subarray(first, first + room)
      this._stage('restore', piece.length).set(piece)
      const wasm = this._enter('restore')
      this._leave('restore', wasm.restorable(this._handle, length, first, piece.length))
    }
  }

  // ---- What is drawn ----

  /**
   * Returns the floats of all rows that a function of the core draws, piece by piece.
   * @protected
   * @param {'cells' | 'lines'} method
   */
  _drawn(method) {
    const pieces = []
    let floats = 0
    for (;;) {
      const more = this._leave(method, this._enter(method)[method](this._handle, floats))
      if (more === 0) break
      pieces.push(this._stage(method, 4 * more).slice())
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
