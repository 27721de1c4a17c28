// Errors, and checks of arguments. Without the checks, WebAssembly would convert wrong arguments
// silently: -1 to 4294967295, undefined to 0, NaN to 0. The parameter `call` of the functions below
// is the object whose method was called or, for a constructor or function, the result of `callOf`.
// Error messages start with the `_name` and `_method` of `call`.

/**
 * Marks every CopseError. Each entry point of the package bundles its own copy of the class, but
 * `instanceof CopseError` looks for this mark, so it accepts the errors of all entry points.
 */
const BRAND = Symbol.for('copse.CopseError')

export class CopseError extends Error {
  static [Symbol.hasInstance](value) {
    return value?.[BRAND] === true
  }

  get [BRAND]() {
    return true
  }

  constructor(code, message) {
    super(message)
    this.name = 'CopseError'
    this.code = code
    this.index = -1
  }
}

/** A function of the core that fails returns FAILED + its `copse_status`. */
const FAILED = -(2 ** 31)

/**
 * For a constructor or function called `name`: returns what it must pass as `call` to the functions
 * below.
 */
export const callOf = (name) => ({ _name: name, _method: '' })

/**
 * Returns the class and method of a call, for its error message. Call it only for errors: it
 * allocates a string, and queries that succeed must allocate nothing.
 */
export function place({ _name, _method }) {
  return _method ? `${_name}.${_method}` : _name
}

/**
 * Returns the error for a failed call of the core. `result` is the number that the core returned.
 */
export function failure(instance, call, result) {
  const status = result - FAILED
  const wasm = instance.enter()
  const code = instance.names(wasm.status_names())[status]
  let message = `${place(call)}: ${instance.text(wasm.status_text(status))}`
  if (code === 'OUT_OF_MEMORY') {
    const size = instance.memory.buffer.byteLength
    const more = wasm.refused_bytes()
    message += `: needs ${more} bytes more than ${size}: init({ memory: ${size + more} })`
  }
  if (code === 'FULL') {
    const { _wanted: wanted, _items: items, _capacity: capacity } = call
    message = `${place(call)}: ${wanted} ${items}, capacity ${capacity}: reserve(${wanted}) first`
  }
  if (code === 'STALE_SLOT' && call._slot !== undefined) message += `: ${call._slot}`
  instance.leave()
  return code === 'INVALID_ARGUMENT' ? new RangeError(message) : new CopseError(code, message)
}

function shown(value) {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object'
  return String(value)
}

/**
 * Throws the error for a wrong argument: a `RangeError` if `rightType` is true, else a `TypeError`.
 * @returns {never}
 */
export function refuse(call, name, value, expected, rightType = typeof value === 'number') {
  const Kind = rightType ? RangeError : TypeError
  throw new Kind(`${place(call)}: ${name} must be ${expected}, got ${shown(value)}`)
}

/** The maximum magnitude of a coordinate, chosen so that no squared distance overflows float32. */
export const MAX_COORDINATE = 1e18
const MAX_FLOAT32 = 2 ** 128 * (1 - 2 ** -24)

export function checkCoordinate(call, name, value) {
  if (typeof value !== 'number' || !(value >= -MAX_COORDINATE && value <= MAX_COORDINATE))
    refuse(call, name, value, 'a finite number up to ±1e18')
}

/** Checks the coordinates of a point. In 2D, the caller passes 0 for z. */
export function checkPoint(call, x, y, z) {
  checkCoordinate(call, 'x', x)
  checkCoordinate(call, 'y', y)
  checkCoordinate(call, 'z', z)
}

/**
 * Checks an option that is a box. Returns it in the core's order: minX, minY, minZ, maxX, maxY,
 * maxZ.
 */
export function checkBox(call, name, box, dimensions) {
  const sides = 2 * dimensions
  if (!Array.isArray(box)) refuse(call, name, box, `an array of ${sides} numbers`, false)
  if (box.length !== sides) refuse(call, `${name}.length`, box.length, `${sides}`)
  const words = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < sides; i++) {
    const side = box[i]
    checkCoordinate(call, `${name}[${i}]`, side)
    words[i < dimensions ? i : 3 + i - dimensions] = side
  }
  for (let axis = 0; axis < dimensions; axis++)
    if (!(Math.fround(words[axis]) < Math.fround(words[3 + axis])))
      refuse(call, `${name}[${axis}]`, words[axis], `less than ${name}[${dimensions + axis}]`)
  return words
}

/** Checks the coordinates of a segment. In 2D, the caller passes 0 for z0 and z1. */
export function checkSegment(call, x0, y0, z0, x1, y1, z1) {
  checkCoordinate(call, 'x0', x0)
  checkCoordinate(call, 'y0', y0)
  checkCoordinate(call, 'z0', z0)
  checkCoordinate(call, 'x1', x1)
  checkCoordinate(call, 'y1', y1)
  checkCoordinate(call, 'z1', z1)
}

export function checkFloat32(call, name, value) {
  if (typeof value !== 'number' || !(value >= -MAX_FLOAT32 && value <= MAX_FLOAT32))
    refuse(call, name, value, 'a finite float32')
}

export function checkDistance(call, name, value) {
  if (typeof value !== 'number' || !(value >= 0)) refuse(call, name, value, 'a number ≥ 0')
}

export function checkInteger(call, name, value, lo, hi) {
  if (!Number.isInteger(value) || value < lo || value > hi)
    refuse(call, name, value, `an integer from ${lo} to ${hi}`)
}

/** Throws unless `count`, the number of arguments of a call, is `expected` or `alternative`. */
export function checkArguments(call, count, expected, alternative = expected) {
  if (count === expected || count === alternative) return
  const text = alternative === expected ? expected : `${expected} or ${alternative}`
  throw new TypeError(`${place(call)}: takes ${text} arguments, got ${count}`)
}

/** Checks that a value is a valid number of slots. */
export function checkCount(call, name, value) {
  checkInteger(call, name, value, 0, 2 ** 32 - 1)
}

/** Checks a slot. Stores it in `call`, so that the message of a `STALE_SLOT` error can show it. */
export function checkSlot(call, slot) {
  checkInteger(call, 'slot', slot, 0, 2 ** 32 - 1)
  call._slot = slot
}

export function checkBoolean(call, name, value) {
  if (typeof value !== 'boolean') refuse(call, name, value, 'true or false', false)
}

/**
 * Returns the index of a string option in `words`, its permitted values. Throws if the option is
 * none of them.
 */
export function checkWord(call, name, value, words) {
  const index = words.indexOf(value)
  if (index < 0) {
    const expected = words.map((word) => `'${word}'`).join(' or ')
    refuse(call, name, value, expected, typeof value === 'string')
  }
  return index
}

/**
 * Checks that `options` is an object without properties beyond `names`. Ignores undefined
 * properties.
 */
export function checkOptions(call, options, names) {
  if (typeof options !== 'object' || options === null)
    refuse(call, 'options', options, 'an object', false)
  for (const name in options) if (!names.includes(name)) refuseOption(call, options, name, names)
}

function refuseOption(call, options, name, names) {
  if (options[name] === undefined) return
  if (name.startsWith('_')) refuse(call, 'options', options, 'an object of options', false)
  const similar = names.find((known) => isSimilar(name.toLowerCase(), known.toLowerCase(), 2))
  const hint = similar ? `did you mean '${similar}'?` : `options: ${names.join(', ')}`
  throw new TypeError(`${place(call)}: no option '${name}' (${hint})`)
}

/** True if one word becomes the other by changing, inserting or deleting at most `edits` letters. */
function isSimilar(word, other, edits) {
  if (edits < 0) return false
  if (!word || !other) return word.length + other.length <= edits
  const [rest, otherRest] = [word.slice(1), other.slice(1)]
  if (word[0] === other[0]) return isSimilar(rest, otherRest, edits)
  return [
    [rest, otherRest],
    [rest, other],
    [word, otherRest],
  ].some((pair) => isSimilar(...pair, edits - 1))
}

/**
 * The built-in getter that names the type of a typed array. It knows arrays of other realms, such as
 * an iframe, and those of subclasses, such as `Buffer`. `instanceof` and constructors do not.
 */
const typeName = /** @type {any} */ (
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
).get

/** True if a value is a typed array of a type, such as `Uint32Array`. */
export const isTypedArray = (value, Type) => typeName.call(value) === Type.name

export function checkArray(call, name, value, Type) {
  if (!isTypedArray(value, Type)) refuse(call, name, value, `a ${Type.name}`, false)
}

/** Checks that a value is array-like: has a `length`. The caller checks the elements. */
export function checkNumbers(call, name, value) {
  if (typeof value !== 'object' || value === null || typeof value.length !== 'number')
    refuse(call, name, value, 'an array of numbers', false)
}
