// Views of linear memory, and typed arrays from outside. When memory grows, every typed array over it
// is detached, and its length is 0: that tells a dead view, however memory grew.

/** So many lengths of a view are kept, for arrays whose length changes from call to call: a power of 2. */
const KEPT = 256

/** An array inside the core, as a typed array that is made anew when it is detached. */
export class View {
  #instance
  #Type
  #offset
  /** By length, as far as KEPT goes. @type {any[]} */ #kept = []

  /** The offset is in bytes. */
  constructor(instance, Type, offset) {
    this.#instance = instance
    this.#Type = Type
    this.#offset = offset
  }

  /** Returns the same array as last time, unless that is detached; the length is in elements. */
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

  /** Returns an array of its own. */
  fresh(length) {
    return new this.#Type(this.#instance.memory.buffer, this.#offset, length)
  }
}

/** What a typed array says of itself, whatever properties of its own it was given. */
const getter = (name) =>
  /** @type {any} */ (
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get
  )
const ownLength = /* @__PURE__ */ getter('length')
const ownBuffer = /* @__PURE__ */ getter('buffer')
const ownOffset = /* @__PURE__ */ getter('byteOffset')

/** Returns the true length of a typed array. */
export function lengthOf(array) {
  return ownLength.call(array)
}

/** True if a typed array lies in linear memory, which may grow and detach it. */
export function isInside(array, instance) {
  return ownBuffer.call(array) === instance.memory.buffer
}

/** Returns where a typed array begins in its buffer. */
export function offsetOf(array) {
  return ownOffset.call(array)
}

/** Returns a plain view of the same bytes. */
export function plainBytes(bytes) {
  const length = lengthOf(bytes)
  if (length === 0) return new Uint8Array(0) // they may be detached
  return new Uint8Array(ownBuffer.call(bytes), ownOffset.call(bytes), length)
}
