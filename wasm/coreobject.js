/// <reference lib="esnext.disposable" preserve="true" />

// What everything that lives in a core shares: its life, its views of linear memory, the options of
// queries, and where their results lie. What is inside, and how it gets there, each family adds.

import {
  checkCoordinate,
  checkDistance,
  checkInteger,
  checkOptions,
  checkSide,
  checkWord,
  CopseError,
  failure,
  refuse,
} from './errors.js'
import { instanceOr } from './init.js'
import { View } from './memory.js'

/** @typedef {import('./init.js').Instance} Instance */

/**
 * What a query leaves out, and how it orders.
 * @typedef {object} QueryOptions
 * @property {number} [mask] 32 bits: keep those whose groups have a bit in common with it
 * @property {number} [exclude] leave out this slot: the one that asks
 * @property {'none' | 'id' | 'distance'} [sort] the order of ids: tree order (the default), ascending,
 *   or nearest first with ties by lower id
 */

/**
 * @typedef {object} IntoOptions
 * @property {Float32Array} [distances2] takes the squared distances; at least as long as `out`
 */

/**
 * @typedef {object} NearestOptions
 * @property {number} [mask] 32 bits: keep those whose groups have a bit in common with it
 * @property {number} [exclude] leave out this slot: the one that asks
 * @property {number} [maxDistance] nobody farther than this, inclusive
 */

/** @typedef {QueryOptions & NearestOptions & IntoOptions} AnyOptions */

export const MAX_CAPACITY = 2 ** 28
export const MAX_RESULTS = 2 ** 30
export const NOBODY = -1
export const SORT_NONE = 0
const SORT_DISTANCE = 2
const SORTS = /** @type {const} */ (['none', 'id', 'distance'])
const ALL_GROUPS = -1

/** `view_of` of exports.c, by place: those that every object has. */
const IDS = 4
export const DISTANCES2 = 5

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
  /** @type {Instance} */ #instance
  /** Byte offsets, by `view_of`; they change with the capacity. @type {number[]} */ #offsets
  /** Typed arrays there, by `view_of`. @type {View<any>[]} */ #views
  /** @type {View<Float64Array>} */ #statistics
  /** @type {View<Uint8Array>} */ #staged

  /** @protected @type {string} */ _name
  /** @protected */ _handle = -1
  /** @protected */ _capacity = 0
  /** @protected */ _results = 0

  // The options of the query under way, read and checked.
  /** @protected */ _mask = ALL_GROUPS
  /** @protected */ _exclude = NOBODY
  /** @protected */ _sort = SORT_NONE
  /** @protected */ _maxDistance = Infinity

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
    this.#instance = owner
    this.#offsets = types.map(() => 0)
    this.#views = types.map((Type) => new View(owner, Type))
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
   * @protected
   * @param {string} method
   */
  _alive(method) {
    if (this._handle < 0)
      throw new CopseError('DISPOSED', `${this._name}.${method}: the object was disposed`)
  }

  /**
   * Begins a call; `_leave` must follow.
   * @protected
   * @param {string} method
   */
  _enter(method) {
    this._alive(method)
    return this.#instance.enter()
  }

  /**
   * Ends a call: answers with its result, or throws what that stands for.
   * @protected
   * @param {string} method
   * @param {number} result
   */
  _leave(method, result) {
    this.#instance.leave()
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
      this.#instance.leave()
      error.message += `: slot ${error.index}`
    }
    return error
  }

  /** Asks where the arrays lie. */
  #locate() {
    const wasm = this.#instance.enter()
    for (let which = 0; which < this.#offsets.length; which++)
      this.#offsets[which] = wasm.view_of(this._handle, which) >>> 0
    this.#instance.leave()
  }

  /**
   * The first bytes of the staging buffer.
   * @protected
   * @param {string} method
   * @param {number} size
   */
  _stage(method, size) {
    const offset = this._enter(method).stage(size) >>> 0
    this.#instance.leave()
    if (offset === 0 && size > 0)
      throw new CopseError('OUT_OF_MEMORY', `${this._name}.${method}: no ${size} bytes left`)
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

  // ---- Life ----

  /** Frees the memory. Twice is harmless; any other use afterwards throws. */
  dispose() {
    if (this._handle < 0) return
    this._enter('dispose').destroy(this._handle)
    this.#instance.leave()
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
    return this.#instance.generation
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

  // ---- Queries: z is 0 where there are two dimensions ----

  /**
   * Reads and checks the options of a query.
   * @protected
   * @param {string} method
   * @param {AnyOptions | undefined} options
   */
  _ask(method, options) {
    this._mask = ALL_GROUPS
    this._exclude = NOBODY
    this._sort = SORT_NONE
    this._maxDistance = Infinity
    if (options === undefined) return
    const name = this._name
    checkOptions(name, method, options)
    const { mask, exclude, sort, maxDistance } = options
    if (mask !== undefined) {
      checkInteger(name, method, 'mask', mask, -(2 ** 31), 2 ** 32 - 1)
      this._mask = mask
    }
    if (exclude !== undefined) {
      checkInteger(name, method, 'exclude', exclude, -1, 2 ** 32 - 1)
      this._exclude = exclude
    }
    if (sort !== undefined) this._sort = checkWord(name, method, 'sort', sort, SORTS)
    if (maxDistance !== undefined) {
      checkDistance(name, method, 'maxDistance', maxDistance)
      this._maxDistance = maxDistance
    }
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  _checkPoint(method, x, y, z) {
    checkCoordinate(this._name, method, 'x', x)
    checkCoordinate(this._name, method, 'y', y)
    checkCoordinate(this._name, method, 'z', z)
  }

  /**
   * The ids of the query just made: one small view.
   * @protected
   * @param {number} total
   * @param {number} [which] where they lie
   */
  _ids(total, which = IDS) {
    return new Uint32Array(this.#instance.memory.buffer, this.#offsets[which], total)
  }

  /**
   * Copies the result of the query just made into the caller's arrays, as far as they go.
   * @protected
   * @param {string} method
   * @param {number} total
   * @param {Uint32Array} out
   * @param {AnyOptions | undefined} options
   */
  _into(method, total, out, options) {
    if (!(out instanceof Uint32Array))
      refuse(this._name, method, 'out', out, 'a Uint32Array', false)
    const distances2 = options?.distances2
    if (distances2 !== undefined) {
      const expected = 'a Float32Array, for a query with distances'
      const has = method !== 'rangeInto' && method !== 'atInto'
      if (!(distances2 instanceof Float32Array) || !has)
        refuse(this._name, method, 'distances2', distances2, expected, false)
      if (distances2.length < out.length)
        refuse(this._name, method, 'distances2.length', distances2.length, `at least ${out.length}`)
    }
    const written = total < out.length ? total : out.length
    const ids = this._view(IDS, this._capacity)
    for (let i = 0; i < written; i++) out[i] = ids[i]
    if (distances2 !== undefined) {
      const found = this._view(DISTANCES2, this._capacity)
      for (let i = 0; i < written; i++) distances2[i] = found[i]
    }
    return total
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _within(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).within(
        this._handle,
        x,
        y,
        z,
        radius,
        this._mask,
        this._exclude,
        this._sort,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} minX
   * @param {number} minY
   * @param {number} minZ
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} maxZ
   * @param {AnyOptions} [options]
   */
  _range(method, minX, minY, minZ, maxX, maxY, maxZ, options) {
    checkSide(this._name, method, 'X', minX, maxX)
    checkSide(this._name, method, 'Y', minY, maxY)
    checkSide(this._name, method, 'Z', minZ, maxZ)
    this._ask(method, options)
    if (this._sort === SORT_DISTANCE)
      refuse(this._name, method, 'sort', 'distance', "'none' or 'id': a box has no center", true)
    return this._leave(
      method,
      this._enter(method).range(
        this._handle,
        minX,
        minY,
        minZ,
        maxX,
        maxY,
        maxZ,
        this._mask,
        this._exclude,
        this._sort,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} k
   * @param {AnyOptions} [options]
   */
  _neighbors(method, x, y, z, k, options) {
    this._checkPoint(method, x, y, z)
    checkInteger(this._name, method, 'k', k, 0, Number.MAX_SAFE_INTEGER)
    this._ask(method, options)
    const most = k < this._capacity ? k : this._capacity
    return this._leave(
      method,
      this._enter(method).neighbors(
        this._handle,
        x,
        y,
        z,
        most,
        this._maxDistance,
        this._mask,
        this._exclude,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {NearestOptions} [options]
   */
  _nearest(method, x, y, z, options) {
    this._checkPoint(method, x, y, z)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).nearest(
        this._handle,
        x,
        y,
        z,
        this._maxDistance,
        this._mask,
        this._exclude,
      ),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _countWithin(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return this._leave(
      method,
      this._enter(method).count_within(this._handle, x, y, z, radius, this._mask, this._exclude),
    )
  }

  /**
   * @protected
   * @param {string} method
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} radius
   * @param {AnyOptions} [options]
   */
  _anyWithin(method, x, y, z, radius, options) {
    this._checkPoint(method, x, y, z)
    checkDistance(this._name, method, 'radius', radius)
    this._ask(method, options)
    return (
      this._leave(
        method,
        this._enter(method).any_within(this._handle, x, y, z, radius, this._mask, this._exclude),
      ) === 1
    )
  }

  // ---- Debug and snapshots ----

  /**
   * The cells to draw, in preorder: per cell its box (min x, y, (z,) max x, y, (z)), its depth and
   * how many it holds.
   * @returns {Float32Array} a copy
   */
  cells() {
    const floats = this._leave('cells', this._enter('cells').cells(this._handle))
    return new Float32Array(this._stage('cells', floats * 4).slice().buffer)
  }

  /**
   * The figures of the last build and the last query.
   * @protected
   * @param {number} length
   */
  _statistics(length) {
    const offset = this._enter('stats').stats_of(this._handle) >>> 0
    this.#instance.leave()
    return this.#statistics.at(offset, length)
  }

  /** Whether everything holds that must hold inside: for tests. O(N log N). */
  validate() {
    return this._leave('validate', this._enter('validate').validate(this._handle)) === 1
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
    const size = this.#saved('saveInto')
    if (bytes.length < size)
      refuse(this._name, 'saveInto', 'bytes.length', bytes.length, `at least ${size}`)
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
    this._stage('restore', bytes.length).set(bytes)
    this._leave('restore', this._enter('restore').restore(this._handle, bytes.length))
  }
}
