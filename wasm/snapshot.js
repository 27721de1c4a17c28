// Says why bytes are not a snapshot of an object, by their head: see c/base/snapshot.h and the heads of the
// structures. The core only says that they are not.

import { CopseError, place } from './errors.js'

const MAGIC_NUMBER = 0x73706f63
const FORMAT_NUMBER = 2
/** The words of every head, by place. The structure's own follow, from `OWN` on. */
const MAGIC = 0
const FORMAT = 1
const KIND = 2
const BYTES = 4
const OWN = 6

/** Returns a word of a snapshot; 0 beyond its end. */
export function wordOf(snapshot, word) {
  const i = 4 * word
  const high = (snapshot[i + 3] << 24) | (snapshot[i + 2] << 16)
  return (high | (snapshot[i + 1] << 8) | snapshot[i]) >>> 0
}

/** Returns the name of the class that a snapshot is of. */
export function classOf(instance, snapshot) {
  const names = instance.names(instance.enter().class_names())
  instance.leave()
  const isSpace = wordOf(snapshot, OWN) === 3
  return names[2 * wordOf(snapshot, KIND) - 2 + (isSpace ? 1 : 0)] ?? 'unknown'
}

/** True if bytes begin as a snapshot of any class, in the format of this version. */
export function isSnapshot(bytes) {
  return wordOf(bytes, MAGIC) === MAGIC_NUMBER && wordOf(bytes, FORMAT) === FORMAT_NUMBER
}

/** Returns an option as it is in a head. The name of a float ends with `:f`. */
function optionOf(snapshot, word, name) {
  const value = wordOf(snapshot, word)
  return name.endsWith(':f') ? new Float32Array(Uint32Array.of(value).buffer)[0] : value
}

/**
 * Returns the error that says what is wrong with a snapshot.
 * @param {any} instance only used for bytes that begin as a snapshot
 * @param {any} call with the name of its class
 * @param {Uint8Array} snapshot
 * @param {Uint8Array} own the first bytes of a snapshot of the object itself
 * @param {readonly string[]} options names of those that must agree, by word from `OWN` on; '' for other words
 */
export function badSnapshot(instance, call, snapshot, own = snapshot, options = []) {
  const isOther = (name, i) => name && wordOf(snapshot, OWN + i) !== wordOf(own, OWN + i)
  const differing = options.findIndex(isOther)
  const format = wordOf(snapshot, FORMAT)
  const size = wordOf(snapshot, BYTES)
  let why = 'the snapshot is damaged'
  if (wordOf(snapshot, MAGIC) !== MAGIC_NUMBER) why = 'the bytes are not a snapshot'
  else if (format !== FORMAT_NUMBER)
    why = `the snapshot has format ${format}, this is format ${FORMAT_NUMBER}`
  else if (classOf(instance, snapshot) !== call._name)
    why = `the snapshot is of another class: ${classOf(instance, snapshot)}`
  else if (size !== snapshot.length)
    why = `the snapshot has ${size} bytes, these are ${snapshot.length}`
  else if (differing >= 0) {
    const name = options[differing]
    const [theirs, ours] = [snapshot, own].map((head) => optionOf(head, OWN + differing, name))
    why = `the snapshot has other options: ${name.split(':')[0]} ${theirs}, here ${ours}`
  }
  return new CopseError('BAD_SNAPSHOT', `${place(call)}: ${why}`)
}
