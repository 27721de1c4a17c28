// Wrong arguments, and assertions that they are refused with the right error.

import * as assert from 'uvu/assert'
import { thrown } from './indexes.js'
import { QUERY_OPTIONS } from './query-options.js'

export const NOT_NUMBERS = [null, '5', 5n, true, {}, [1], { valueOf: () => 1 }, Symbol('s')]

export const WRONG_SIZES = [...NOT_NUMBERS, NaN, 0, -1, 1.5, Infinity, 2 ** 28 + 1, 2 ** 32 + 5]
export const WRONG_WORDS = ['', 'Longest', 'none', 0, 1, null, {}, true, 5n]

/** Wrong values, by kind of argument. */
export const WRONG = {
  coordinate: [undefined, ...NOT_NUMBERS, NaN, Infinity, -Infinity, 1.1e18, -1e19, 1e39],
  direction: [undefined, ...NOT_NUMBERS, NaN, Infinity, -Infinity, 1e39],
  distance: [undefined, ...NOT_NUMBERS, NaN, -1, -1e-9, -Infinity],
  angle: [undefined, ...NOT_NUMBERS, NaN, -1, 3.2, Infinity],
  side: [undefined, ...NOT_NUMBERS, NaN],
  count: [undefined, ...NOT_NUMBERS, NaN, -1, 1.5, Infinity],
  slots: [undefined, ...NOT_NUMBERS, NaN, -1, 1.5, Infinity, 2 ** 32 + 5],
  options: [null, '5', 5n, true, 5, NaN, Symbol('s'), () => {}],
  bytes: [undefined, null, 5, 'x', [], {}, new Uint32Array(40), new ArrayBuffer(160)],
}

/** Wrong values, by option of a query. */
export const WRONG_OPTIONS = {
  mask: [...NOT_NUMBERS, NaN, 1.5, Infinity, 2 ** 32, -(2 ** 31) - 1, 2 ** 32 + 5],
  exclude: [...NOT_NUMBERS, NaN, 1.5, -2, Infinity, 2 ** 32, 2 ** 32 + 5],
  maxDistance: [...NOT_NUMBERS, NaN, -1, -Infinity],
  sort: [null, 5, 5n, true, {}, 'nearest', 'ID', ''],
  distances2: [null, 0, 1, 'true', {}, new Float32Array(4)],
}

/** Returns a value as a message shows it. */
function shown(value) {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'object' && value !== null) return value.constructor.name
  return String(value)
}

/**
 * Asserts that a call is refused. The message must name the method, the argument and its value. The
 * error must be a RangeError if the value has the right type, else a TypeError.
 */
export function assertRefused(call, place, argument, value, type = 'number') {
  const error = thrown(call)
  const context = `${place}, ${argument} = ${shown(value)}: ${error}`
  assert.instance(error, typeof value === type ? RangeError : TypeError, context)
  assert.ok(error.message.startsWith(`${place}: ${argument} must be `), context)
  assert.ok(error.message.endsWith(`got ${shown(value)}`), context)
}

/** Asserts that an option of a query is refused: its value, or the option if the query has none such. */
export function assertOptionRefused(call, name, method, option, value) {
  if (QUERY_OPTIONS[method].includes(option)) {
    const type = { sort: 'string', distances2: 'boolean' }[option] ?? 'number'
    assertRefused(call, `${name}.${method}`, option, value, type)
    return
  }
  const error = thrown(call)
  assert.instance(error, TypeError)
  assert.ok(error.message.startsWith(`${name}.${method}: no option '${option}' (`), error.message)
}

/** Returns a function that really traps: the export of a minimal module, `unreachable`. */
export function trap() {
  const header = [0, 97, 115, 109, 1, 0, 0, 0]
  const types = [1, 4, 1, 0x60, 0, 0]
  const functions = [3, 2, 1, 0]
  const exported = [7, 5, 1, 1, 'f'.charCodeAt(0), 0, 0]
  const code = [10, 5, 1, 3, 0, 0, 11]
  const bytes = Uint8Array.of(...header, ...types, ...functions, ...exported, ...code)
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f
}
