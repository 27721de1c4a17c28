// What is thrown, and the checks of arguments before they reach WebAssembly, which would coerce
// them silently: -1 to 4294967295, undefined to 0, NaN to 0.

/**
 * What went wrong inside the library. A wrong argument is a `RangeError` or `TypeError` instead.
 *
 * - `FULL`: more items than the capacity
 * - `OUT_OF_MEMORY`: linear memory can't grow
 * - `NOT_FINITE`: a position is NaN, infinite or beyond 1e18; `index` is the first such slot
 * - `STALE_HANDLE`: a slot that is not in use
 * - `DISPOSED`: the object was disposed
 * - `NOT_READY`: `init()` has not finished, or its core has no such class
 * - `BAD_SNAPSHOT`: the bytes are no snapshot of such an object
 * - `DEAD`: a call trapped earlier; the instance can't be trusted any more
 *
 * @typedef {'FULL' | 'OUT_OF_MEMORY' | 'NOT_FINITE' | 'STALE_HANDLE'} StateCode
 * @typedef {StateCode | 'DISPOSED' | 'NOT_READY' | 'BAD_SNAPSHOT' | 'DEAD'} ErrorCode
 */
export class CopseError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.name = 'CopseError'
    /** @type {ErrorCode} */
    this.code = code
    /** The slot that a `NOT_FINITE` is about, else -1. @type {number} */
    this.index = -1
  }
}

/** Results below -1 are failures: this plus a status of `copse_status`. */
const FAILED = -(2 ** 31)

/**
 * `Class.method`, or what stands alone. Put together only when something is thrown: a query must
 * make no garbage.
 * @param {string} owner
 * @param {string} method
 */
function place(owner, method) {
  return method ? `${owner}.${method}` : owner
}

/**
 * The error for a failure that the core returned.
 * @param {import('./init.js').Instance} instance
 * @param {string} owner
 * @param {string} method
 * @param {number} result
 */
export function failure(instance, owner, method, result) {
  const status = result - FAILED
  const wasm = instance.enter()
  const code = instance.names(wasm.status_names())[status]
  const message = `${place(owner, method)}: ${instance.text(wasm.status_text(status))}`
  instance.leave()
  return code === 'INVALID_ARGUMENT'
    ? new RangeError(message)
    : new CopseError(/** @type {ErrorCode} */ (code), message)
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object'
  return String(value)
}

/**
 * Throws about an argument: a `TypeError` when it has the wrong type, else a `RangeError`.
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {unknown} value
 * @param {string} expected
 * @param {boolean} [rightType]
 * @returns {never}
 */
export function refuse(
  owner,
  method,
  name,
  value,
  expected,
  rightType = typeof value === 'number',
) {
  const Kind = rightType ? RangeError : TypeError
  throw new Kind(`${place(owner, method)}: ${name} must be ${expected}, got ${shown(value)}`)
}

/** Coordinates are accepted up to this magnitude, so that no squared distance overflows. */
const MAX_COORDINATE = 1e18
const MAX_FLOAT32 = 2 ** 128 * (1 - 2 ** -24)

/**
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {number} value
 */
export function checkCoordinate(owner, method, name, value) {
  if (typeof value !== 'number' || !(value >= -MAX_COORDINATE && value <= MAX_COORDINATE))
    refuse(owner, method, name, value, 'a finite number up to ±1e18')
}

/**
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {number} value
 */
export function checkFloat32(owner, method, name, value) {
  if (typeof value !== 'number' || !(value >= -MAX_FLOAT32 && value <= MAX_FLOAT32))
    refuse(owner, method, name, value, 'a finite float32')
}

/**
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {number} value
 */
export function checkDistance(owner, method, name, value) {
  if (typeof value !== 'number' || !(value >= 0)) refuse(owner, method, name, value, 'a number ≥ 0')
}

/**
 * One side of a closed box: min and max may be infinite, not NaN.
 * @param {string} owner
 * @param {string} method
 * @param {string} axis
 * @param {number} min
 * @param {number} max
 */
export function checkSide(owner, method, axis, min, max) {
  if (typeof min !== 'number' || min !== min) refuse(owner, method, `min${axis}`, min, 'a number')
  if (typeof max !== 'number' || !(max >= min))
    refuse(owner, method, `max${axis}`, max, `a number ≥ min${axis} (${min})`)
}

/**
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {number} value
 * @param {number} lo
 * @param {number} hi
 */
export function checkInteger(owner, method, name, value, lo, hi) {
  if (!Number.isInteger(value) || value < lo || value > hi)
    refuse(owner, method, name, value, `an integer from ${lo} to ${hi}`)
}

/**
 * Answers with the place of a word in its list.
 * @param {string} owner
 * @param {string} method
 * @param {string} name
 * @param {string} value
 * @param {readonly string[]} words
 */
export function checkWord(owner, method, name, value, words) {
  const index = words.indexOf(value)
  if (index < 0) {
    const expected = words.map((word) => `'${word}'`).join(' or ')
    refuse(owner, method, name, value, expected, typeof value === 'string')
  }
  return index
}

/**
 * @param {string} owner
 * @param {string} method
 * @param {unknown} options
 */
export function checkOptions(owner, method, options) {
  if (typeof options !== 'object' || options === null)
    refuse(owner, method, 'options', options, 'an object', false)
}
