// Views of linear memory, and typed arrays from outside. When memory grows, every typed array over it
// is detached, and its length is 0: that tells a dead view, however memory grew.

/** @typedef {import('./init.js').Instance} Instance */

/** So many lengths of a view are kept, for arrays whose length changes from call to call: a power of 2. */
const KEPT = 256

/**
 * An array inside the core, as a typed array that is made anew when it is detached.
 * @template {Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array} T
 */
export class View {
  /** @type {Instance} */ #instance
  /** @type {new (buffer: ArrayBuffer, offset: number, length: number) => T} */ #Type
  #offset
  /** By length, as far as KEPT goes. @type {(T | undefined)[]} */ #kept = []

  /**
   * @param {Instance} instance
   * @param {new (buffer: ArrayBuffer, offset: number, length: number) => T} Type
   * @param {number} offset in bytes
   */
  constructor(instance, Type, offset) {
    this.#instance = instance
    this.#Type = Type
    this.#offset = offset
  }

  /**
   * Returns the same array as last time, unless that is detached.
   * @param {number} length in elements
   * @returns {T}
   */
  at(length) {
    const kept = this.#kept[length & (KEPT - 1)]
    // The length does not tell whether an array without elements is detached.
    if (
      kept !== undefined &&
      kept.length === length &&
      (length > 0 || isInside(kept, this.#instance))
    )
      return kept
    return (this.#kept[length & (KEPT - 1)] = this.fresh(length))
  }

  /**
   * Returns an array of its own.
   * @param {number} length in elements
   * @returns {T}
   */
  fresh(length) {
    return new this.#Type(this.#instance.memory.buffer, this.#offset, length)
  }
}

/**
 * What a typed array says of itself, whatever properties of its own it was given.
 * @param {'length' | 'buffer' | 'byteOffset'} name
 */
const getter = (name) =>
  /** @type {() => any} */ (
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get
  )
const ownLength = /* @__PURE__ */ getter('length')
const ownBuffer = /* @__PURE__ */ getter('buffer')
const ownOffset = /* @__PURE__ */ getter('byteOffset')

/**
 * Returns the true length of a typed array.
 * @param {ArrayBufferView} array
 * @returns {number}
 */
export function lengthOf(array) {
  return ownLength.call(array)
}

/**
 * True if a typed array lies in linear memory, which may grow and detach it.
 * @param {ArrayBufferView} array
 * @param {Instance} instance
 */
export function isInside(array, instance) {
  return ownBuffer.call(array) === instance.memory.buffer
}

/**
 * Returns where a typed array begins in its buffer.
 * @param {ArrayBufferView} array
 * @returns {number}
 */
export function offsetOf(array) {
  return ownOffset.call(array)
}

/**
 * Returns a plain view of the same bytes.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function plainBytes(bytes) {
  const length = lengthOf(bytes)
  if (length === 0) return new Uint8Array(0) // they may be detached
  return new Uint8Array(ownBuffer.call(bytes), ownOffset.call(bytes), length)
}
