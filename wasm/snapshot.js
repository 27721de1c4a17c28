// Reads the head of a refused snapshot, to say why it was refused: the core only says that it was. The words that
// all heads begin with are in c/base/snapshot.h; each structure adds its own.

import { CopseError, place } from './errors.js'

const MAGIC_NUMBER = 0x73706f63
const FORMAT_NUMBER = 2
/** Words of every head, by index. The words of each structure follow, from `OWN` on. */
const MAGIC = 0
const FORMAT = 1
const KIND = 2
const BYTES = 4
const OWN = 6

/** Returns a word of a snapshot, by index; 0 beyond the end. */
export function wordOf(snapshot, word) {
  const i = 4 * word
  const high = (snapshot[i + 3] << 24) | (snapshot[i + 2] << 16)
  return (high | (snapshot[i + 1] << 8) | snapshot[i]) >>> 0
}

/** Returns the name of the class whose object was saved. */
export function classOf(instance, snapshot) {
  const names = instance.names(instance.enter().class_names())
  instance.leave()
  const isSpace = wordOf(snapshot, OWN) === 3
  return names[2 * wordOf(snapshot, KIND) - 2 + (isSpace ? 1 : 0)] ?? 'unknown'
}

/** True if bytes begin like a snapshot, of any class, in the format of this version. */
export function isSnapshot(bytes) {
  return wordOf(bytes, MAGIC) === MAGIC_NUMBER && wordOf(bytes, FORMAT) === FORMAT_NUMBER
}

/** Returns the value of an option in a head. The names of floats end with `:f`. */
function optionOf(snapshot, word, name) {
  const value = wordOf(snapshot, word)
  return name.endsWith(':f') ? new Float32Array(Uint32Array.of(value).buffer)[0] : value
}

/**
 * Returns the error of a refused snapshot, which says why it was refused.
 * @param {any} instance only used if the bytes begin like a snapshot
 * @param {any} call has the name of the class
 * @param {Uint8Array} snapshot
 * @param {Uint8Array} own the first bytes of a snapshot of the object itself
 * @param {readonly string[]} options names of the options that must be equal, by word from `OWN` on; '' for others
 */
export function badSnapshot(instance, call, snapshot, own = snapshot, options = []) {
  const isDifferent = (name, i) => name && wordOf(snapshot, OWN + i) !== wordOf(own, OWN + i)
  const different = options.findIndex(isDifferent)
  const format = wordOf(snapshot, FORMAT)
  const size = wordOf(snapshot, BYTES)
  let reason = 'the snapshot is damaged'
  if (wordOf(snapshot, MAGIC) !== MAGIC_NUMBER) reason = 'the bytes are not a snapshot'
  else if (format !== FORMAT_NUMBER)
    reason = `the snapshot has format ${format}, expected ${FORMAT_NUMBER}`
  else if (classOf(instance, snapshot) !== call._name)
    reason = `the snapshot is of class ${classOf(instance, snapshot)}`
  else if (size !== snapshot.length)
    reason = `the snapshot has ${size} bytes, got ${snapshot.length}`
  else if (different >= 0) {
    const name = options[different]
    const [theirs, ours] = [snapshot, own].map((head) => optionOf(head, OWN + different, name))
    reason = `the snapshot has ${name.split(':')[0]} ${theirs}, expected ${ours}`
  }
  return new CopseError('BAD_SNAPSHOT', `${place(call)}: ${reason}`)
}
