// Views of linear memory. When it grows, every typed array over it is detached (length 0), so a view
// is kept together with the growth count it was made at and is made anew when that changed.

/** @typedef {import('./init.js').Instance} Instance */

/**
 * @template {Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array} T
 */
export class View {
  /** @type {Instance} */ #instance
  /** @type {new (buffer: ArrayBuffer, offset: number, length: number) => T} */ #Type
  /** @type {T | null} */ #array = null
  #generation = -1
  #offset = 0
  #length = 0

  /**
   * @param {Instance} instance
   * @param {new (buffer: ArrayBuffer, offset: number, length: number) => T} Type
   */
  constructor(instance, Type) {
    this.#instance = instance
    this.#Type = Type
  }

  /**
   * The same array as last time, unless memory grew or it lies elsewhere now.
   * @param {number} offset in bytes
   * @param {number} length in elements
   * @returns {T}
   */
  at(offset, length) {
    if (
      this.#array === null ||
      this.#generation !== this.#instance.generation ||
      this.#offset !== offset ||
      this.#length !== length
    ) {
      this.#array = new this.#Type(this.#instance.memory.buffer, offset, length)
      this.#generation = this.#instance.generation
      this.#offset = offset
      this.#length = length
    }
    return this.#array
  }
}
