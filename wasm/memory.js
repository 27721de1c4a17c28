// Views of linear memory, and safe access to properties of the caller's typed arrays. When linear
// memory grows, every typed array over it is detached: its length becomes 0. A `View` compares
// lengths to notice that it must make a new typed array.

/**
 * How many typed arrays a view caches: one per length, as results differ in length. A power of 2.
 */
const CACHED = 256

/**
 * An array in linear memory. Makes typed arrays over it, and makes them again after memory has
 * grown.
 */
export class View {
  #instance
  #Type
  /** Cached typed arrays. The index is the low bits of their length. @type {any[]} */ #cache = []

  /** `offset` is the address of the array in linear memory. */
  constructor(instance, Type, offset) {
    this.#instance = instance
    this.#Type = Type
    this.offset = offset
  }

  /** Returns a typed array of the first `length` elements: a cached one if it is still valid. */
  at(length) {
    const cached = this.#cache[length & (CACHED - 1)]
    // A length of 0 does not tell if a typed array is detached: its buffer does.
    if (
      cached !== undefined &&
      cached.length === length &&
      (length > 0 || isInside(cached, this.#instance))
    )
      return cached
    return (this.#cache[length & (CACHED - 1)] = this.fresh(length))
  }

  /** Returns a new typed array of the first `length` elements. */
  fresh(length) {
    return new this.#Type(this.#instance.memory.buffer, this.offset, length)
  }
}

/**
 * Returns the built-in getter that all typed arrays have for a property. The getter works even if
 * the caller's array has a property of its own with that name.
 */
const getter = (name) =>
  /** @type {any} */ (
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get
  )
const ownLength = /* @__PURE__ */ getter('length')
const ownBuffer = /* @__PURE__ */ getter('buffer')
const ownOffset = /* @__PURE__ */ getter('byteOffset')

/** Returns the length of a typed array, even if it has a property `length` of its own. */
export function lengthOf(array) {
  return ownLength.call(array)
}

/** True if a typed array is a view of linear memory, and so is detached when memory grows. */
export function isInside(array, instance) {
  return ownBuffer.call(array) === instance.memory.buffer
}

/** Returns the byte offset of a typed array in its buffer. */
export function offsetOf(array) {
  return ownOffset.call(array)
}

let keptOffset = -1
let keptLength = 0

/**
 * Remembers the offset and length of `array` if it is a view of linear memory: if memory grows,
 * `kept` makes the array again.
 */
export function keep(array, instance) {
  keptOffset = isInside(array, instance) ? offsetOf(array) : -1
  keptLength = lengthOf(array)
}

/** Returns the array of the last `keep` or, if it was detached, a new view of the same memory. */
export function kept(array, instance, Type) {
  return keptOffset < 0 || lengthOf(array) === keptLength
    ? array
    : new Type(instance.memory.buffer, keptOffset, keptLength)
}

/**
 * Returns a plain `Uint8Array` over the same bytes: `bytes` may be of a subclass with other
 * methods.
 */
export function plainBytes(bytes) {
  const length = lengthOf(bytes)
  if (length === 0) return new Uint8Array(0) // a detached buffer can't be viewed
  return new Uint8Array(ownBuffer.call(bytes), ownOffset.call(bytes), length)
}
