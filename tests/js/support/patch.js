// Cores in which some functions only trap.

import { readFileSync } from 'node:fs'

const ELEMENTS = 9
const CODE = 10
/** A function without locals: unreachable, end. */
const TRAP = [3, 0, 0, 11]

export const bytes = readFileSync(new URL(import.meta.resolve('copse/core-threads.wasm')))

/** Reads an unsigned LEB128 number. Returns it, and the place after it. */
function read(at) {
  let [value, shift, byte] = [0, 0, 0]
  do {
    byte = bytes[at++]
    value += (byte & 127) * 2 ** shift
    shift += 7
  } while (byte & 128)
  return [value, at]
}

function written(value) {
  const text = []
  for (; value > 127; value = Math.floor(value / 128)) text.push((value & 127) | 128)
  return [...text, value]
}

/** Returns where a section, with this id, begins, where its content begins, and where it ends. */
function section(id) {
  for (let at = 8; at < bytes.length;) {
    const [size, begin] = read(at + 1)
    if (bytes[at] === id) return { start: at, begin, end: begin + size }
    at = begin + size
  }
  throw new Error(`no section ${id}`)
}

/** Returns the functions that are called through pointers, such as tasks. */
export function calledByPointer() {
  let [, at] = read(section(ELEMENTS).begin)
  at += 1 + 1 // flags; i32.const
  ;[, at] = read(at)
  let count
  ;[count, at] = read(at + 1) // after the end of the expression
  return Array.from({ length: count }, () => {
    const [index, next] = read(at)
    at = next
    return index
  })
}

/** Returns the core as a module in which these functions only trap. The core imports one function. */
export function trappingIn(functions) {
  const { start, begin, end } = section(CODE)
  const content = []
  let [count, at] = read(begin)
  content.push(...written(count))
  for (let func = 1; func <= count; func++) {
    const [size, next] = read(at)
    content.push(...(functions.includes(func) ? TRAP : bytes.subarray(at, next + size)))
    at = next + size
  }
  const code = [CODE, ...written(content.length), ...content]
  const patched = [...bytes.subarray(0, start), ...code, ...bytes.subarray(end)]
  return new WebAssembly.Module(Uint8Array.from(patched))
}
