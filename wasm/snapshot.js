// Reads the head of a snapshot, its first bytes, to tell the game why the core refused it: the core
// only returns BAD_SNAPSHOT. A head starts with the words of snapshot_header (c/base/snapshot.h),
// which are the same for all classes. The options of the class follow.

import { CopseError, place } from './errors.js'

const MAGIC_NUMBER = 0x73706f63
const FORMAT_NUMBER = 2
/** Indices of 32-bit words in a head. From `OWN` on, the words differ by class. */
const MAGIC = 0
const FORMAT = 1
const KIND = 2
const BYTES = 4
const OWN = 6

/** Returns a snapshot's 32-bit word at the index `word`; 0 beyond the end. */
function wordOf(snapshot, word) {
  const i = 4 * word
  const high = (snapshot[i + 3] << 24) | (snapshot[i + 2] << 16)
  return (high | (snapshot[i + 1] << 8) | snapshot[i]) >>> 0
}

/** Returns the name of the class of the object that was saved. */
function classOf(instance, snapshot) {
  const names = instance.names(instance.enter().class_names())
  instance.leave()
  const place = 2 * wordOf(snapshot, KIND) - (wordOf(snapshot, OWN) === 3 ? 1 : 2)
  return names[place] ?? 'unknown'
}

/**
 * Returns an option that a snapshot stores in its 32-bit word at the index `word`: a float if
 * `name` ends with `:f`, else an integer.
 */
function optionOf(snapshot, word, name) {
  const value = wordOf(snapshot, word)
  return name.endsWith(':f') ? new Float32Array(Uint32Array.of(value).buffer)[0] : value
}

/**
 * Returns the error for a snapshot that was refused. Its message says why.
 * @param {any} instance
 * @param {any} call the object, or the result of `callOf`: its `_name` is the class that was
 *   expected
 * @param {Uint8Array} snapshot
 * @param {Uint8Array} own the first bytes of a snapshot of the object itself
 * @param {readonly string[]} options the names of the options that a snapshot stores from the word
 *   `OWN` on. Each must be equal in `snapshot` and `own`, unless its name is ''
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
