/// <reference lib="esnext.disposable" preserve="true" />

// What everything that lives in a core shares: its life, its views of linear memory, and snapshots.

import { checkInteger, CopseError, failure, refuse } from './errors.js'
import { instanceOr } from './init.js'
import { isInside, lengthOf, offsetOf, plainBytes, View } from './memory.js'

/** @typedef {import('./init.js').Instance} Instance */

export const MAX_CAPACITY = 2 ** 28
export const MAX_RESULTS = 2 ** 30
export const NOBODY = -1
/** To the core: the default of this option. */
export const DEFAULT = 2 ** 32 - 1
/** Types of views, as the core names them. @type {Record<string, any>} */
const TYPES = { f: Float32Array, u: Uint32Array, i: Int32Array }

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

/**
 * Stages a snapshot piece by piece, without more memory. Returns 0, or the first failure of a check.
 * @param {Instance} instance
 * @param {Uint8Array} snapshot
 * @param {(wasm: import('./init.js').Exports, first: number, size: number) => number} check
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

/** @abstract */
export class CoreObject {
  /** @protected @type {Instance} */ _instance
  /** The functions of its family. @protected @type {import('./init.js').Exports} */ _wasm
  /** Arrays of the core, by name. @protected @type {Record<string, View<any>>} */ _views
  /** @type {View<Float64Array>} */ #figures
  /** @type {string[]} */ #figureNames
  /** @type {View<Uint8Array>} */ #staged
  #stagedOffset = 0

  #isAlive = true

  /** @protected @type {string} */ _name
  /** @protected */ _handle = -1
  /** @protected */ _capacity = 0
  /** Room for the ids of a batch. @protected */ _results = 0
  /** Room for the neighbors of a row. @protected */ _k = 0

  /**
   * @protected
   * @param {string} name for messages
   * @param {string} family
   * @param {string} noun for the core
   * @param {Instance | undefined} instance
   * @param {number[]} words all that `<noun>_create` takes
   */
  constructor(name, family, noun, instance, words) {
    const owner = instanceOr(name, noun, instance)
    this._instance = owner
    this._wasm = owner.functions(family)
    this._name = name

    const handle = owner.enter()[`${noun}_create`](...words)
    owner.leave()
    if (handle < 0) throw failure(owner, name, '', handle)
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
    this._instance.enter()
    return this._wasm
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
    const error = failure(this._instance, this._name, method, result)
    if (error instanceof CopseError && error.code === 'NOT_FINITE') {
      error.index = this._enter(method).first_bad() >>> 0
      this._instance.leave()
      error.message += `: slot ${error.index}`
    }
    return error
  }

  /** Asks how large the arrays are now, and where they lie. */
  #locate() {
    const owner = this._instance
    const wasm = owner.enter()
    const limits = new View(owner, Uint32Array, wasm.limits_of(this._handle) >>> 0).fresh(3)
    this._capacity = limits[0]
    this._results = limits[1]
    this._k = limits[2]
    this._views = {}
    this.#figureNames = owner.names(wasm.figure_names(this._handle))
    for (const [which, view] of owner.names(wasm.view_names(this._handle)).entries()) {
      const [name, type] = view.split(':')
      this._views[name] = new View(owner, TYPES[type], wasm.view_of(this._handle, which) >>> 0)
    }
    owner.leave()
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
    if (offset !== this.#stagedOffset) {
      this.#staged = new View(this._instance, Uint8Array, offset)
      this.#stagedOffset = offset
    }
    return this.#staged.at(size)
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
    this.#locate()
  }

  // ---- Debug and snapshots ----

  /**
   * Reads the figures of the last build and the last query: whole numbers into `stats`, and all of them
   * into the array that it returns. V8 would box numbers with a fraction, stored under a name that varies or
   * returned; `_figurePlace` says where they are.
   * @protected
   * @param {string} method
   * @param {Record<string, any>} stats
   */
  _readFigures(method, stats) {
    const wasm = this._enter(method)
    const offset = wasm.figures_of(this._handle) >>> 0
    this._instance.leave()
    const names = this.#figureNames
    this.#figures ??= new View(this._instance, Float64Array, offset)
    const numbers = this.#figures.at(names.length)
    for (let i = 0; i < names.length; i++)
      if (Number.isInteger(numbers[i])) stats[names[i]] = numbers[i]
    return numbers
  }

  /**
   * @protected
   * @param {string} name
   */
  _figurePlace(name) {
    return this.#figureNames.indexOf(name)
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
    const needed = this._leave('saveInto', this._enter('saveInto').saved_bytes(this._handle))
    if (length < needed)
      refuse(this._name, 'saveInto', 'bytes.length', length, `at least ${needed}`)
    const offset = isInside(bytes, this._instance) ? offsetOf(bytes) : -1
    const size = this.#saved('saveInto')
    const { buffer } = this._instance.memory
    if (offset >= 0) bytes = new Uint8Array(buffer, offset, length) // it may be detached by now
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
   * Checks a snapshot that there is no room for: memory grows only for bytes that are what their head and
   * checksum say.
   * @param {Uint8Array} snapshot
   */
  #checkSnapshot(snapshot) {
    const { length } = snapshot
    const room = this._enter('restore').staging_room()
    this._leave('restore', 0)
    if (length <= room) return
    if (length >= 2 ** 32)
      throw new CopseError('BAD_SNAPSHOT', `${this._name}.restore: ${length} bytes are too many`)
    const result = inPieces(this._instance, snapshot, (wasm, first, size) =>
      wasm.restorable(this._handle, length, first, size),
    )
    this._leave('restore', result)
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
