// Views of linear memory. When linear memory grows, every typed array over it is detached: its
// length becomes 0. A `View` compares lengths to notice that it must make a new typed array.

/** The longest array that a view surely keeps, once it has made it. */
const MAX_SURE = 1024
/** How many longer arrays a view keeps, at most. A power of 2. */
const LONG = 256

/**
 * An array in linear memory. Makes typed arrays over it, and makes them again after memory has
 * grown.
 */
export class View {
  #instance
  #Type
  /** The typed arrays of at most MAX_SURE elements, by length. @type {any[]} */ #short = []
  /** Longer ones, by the low bits of their length. @type {any[]} */ #long = []

  /** `offset` is the address of the array in linear memory. */
  constructor(instance, Type, offset) {
    this.#instance = instance
    this.#Type = Type
    this.offset = offset
  }

  /** Returns a typed array of the first `length` elements: the one made before if it is valid. */
  at(length) {
    const isLong = length > MAX_SURE
    const arrays = isLong ? this.#long : this.#short
    const place = isLong ? length & (LONG - 1) : length
    const array = arrays[place]
    // A length of 0 does not tell if a typed array is detached: its buffer does.
    if (
      array !== undefined &&
      array.length === length &&
      (length > 0 || isInside(array, this.#instance))
    )
      return array
    return this.#make(arrays, place, length)
  }

  #make(arrays, place, length) {
    while (arrays.length < place) arrays.push(undefined) // an array with holes would be slower
    return (arrays[place] = new this.#Type(this.#instance.memory.buffer, this.offset, length))
  }
}

/** True if a typed array is a view of linear memory, and so is detached when memory grows. */
export function isInside(array, instance) {
  return array.buffer === instance.memory.buffer
}
