// Views of linear memory, and the caller's typed arrays. When memory grows, every typed array over it is
// detached: its length becomes 0, which is how views notice.

/** How many typed arrays a view caches, for lengths that change from call to call. A power of 2. */
const CACHED = 256

/** An array inside the core. Makes typed arrays over it, again after they were detached. */
export class View {
  #instance
  #Type
  #offset
  /** Typed arrays, by the low bits of their length. @type {any[]} */ #cache = []

  /** `offset` is in bytes. */
  constructor(instance, Type, offset) {
    this.#instance = instance
    this.#Type = Type
    this.#offset = offset
  }

  /** Returns the first `length` elements: the same typed array as last time, unless it was detached. */
  at(length) {
    const cached = this.#cache[length & (CACHED - 1)]
    // An empty array has length 0 whether it is detached or not.
    if (
      cached !== undefined &&
      cached.length === length &&
      (length > 0 || isInside(cached, this.#instance))
    )
      return cached
    return (this.#cache[length & (CACHED - 1)] = this.fresh(length))
  }

  /** Returns the first `length` elements, as a new typed array. */
  fresh(length) {
    return new this.#Type(this.#instance.memory.buffer, this.#offset, length)
  }
}

/** Returns the built-in getter of typed arrays: the caller's array may have its own property of that name. */
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

/** True if a typed array is a view of linear memory: when that grows, it is detached. */
export function isInside(array, instance) {
  return ownBuffer.call(array) === instance.memory.buffer
}

/** Returns the byte offset of a typed array in its buffer. */
export function offsetOf(array) {
  return ownOffset.call(array)
}

/** Returns a plain `Uint8Array` of the same bytes: the caller's may be of a subclass. */
export function plainBytes(bytes) {
  const length = lengthOf(bytes)
  if (length === 0) return new Uint8Array(0) // the buffer may be detached
  return new Uint8Array(ownBuffer.call(bytes), ownOffset.call(bytes), length)
}
