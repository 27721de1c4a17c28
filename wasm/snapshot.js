// Why bytes are no snapshot of an object: what their head says, see c/base/snapshot.h and the heads of the
// structures. The core only says that they are not.

import { CopseError, place } from './errors.js'

const MAGIC = 0x73706f63
const FORMAT = 2
/** Words of every head. The structure's own follow. */
const FORMAT_WORD = 1
const KIND = 2
const BYTES = 4
const OWN = 6
/** Returns the first words of a snapshot. */
export function wordsOf(snapshot) {
  const bytes = snapshot.slice(0, 128)
  const view = new DataView(bytes.buffer)
  return Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(4 * i, true))
}

/** Returns the name of the class that a snapshot is of. */
export function classOf(instance, words) {
  const names = instance.names(instance.enter().class_names())
  instance.leave()
  return names[2 * words[KIND] - 2 + (words[OWN] === 3 ? 1 : 0)] ?? 'unknown'
}

/** True if a head is one that this version writes, of any class. */
export function isSnapshot(words) {
  return words[0] === MAGIC && words[FORMAT_WORD] === FORMAT
}

/** An option as it is in a head; a name with `:f` is that of a float. */
function shown(word, name) {
  return name.endsWith(':f') ? new Float32Array(Uint32Array.of(word).buffer)[0] : word
}

/**
 * Returns what is wrong with a snapshot.
 * @param {any} instance only asked about bytes that are a snapshot
 * @param {any} call with the name of its class
 * @param {Uint8Array} snapshot
 * @param {readonly number[]} own the words of the object's own head, as far as known
 * @param {readonly string[]} options their names, from `OWN` on; those without a name need not agree
 */
export function badSnapshot(instance, call, snapshot, own = [], options = []) {
  const words = wordsOf(snapshot)
  const differing = options.findIndex((name, i) => name && words[OWN + i] !== own[OWN + i])
  let why = 'the snapshot is damaged'
  if (words[0] !== MAGIC) why = 'the bytes are not a snapshot'
  else if (words[FORMAT_WORD] !== FORMAT)
    why = `the snapshot has format ${words[FORMAT_WORD]}, this is format ${FORMAT}`
  else if (classOf(instance, words) !== call._name)
    why = `the snapshot is of another class: ${classOf(instance, words)}`
  else if (words[BYTES] !== snapshot.length)
    why = `the snapshot has ${words[BYTES]} bytes, these are ${snapshot.length}`
  else if (differing >= 0) {
    const name = options[differing]
    const [theirs, ours] = [words, own].map((head) => shown(head[OWN + differing], name))
    why = `the snapshot has other options: ${name.split(':')[0]} ${theirs}, here ${ours}`
  }
  return new CopseError('BAD_SNAPSHOT', `${place(call)}: ${why}`)
}
