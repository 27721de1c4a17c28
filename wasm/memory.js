// Views of linear memory. When linear memory grows, every typed array over it is detached: its
// length becomes 0. A `View` compares lengths to notice that it must make a new typed array.

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

/** True if a typed array is a view of linear memory, and so is detached when memory grows. */
export function isInside(array, instance) {
  return array.buffer === instance.memory.buffer
}
