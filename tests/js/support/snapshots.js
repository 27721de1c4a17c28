// Snapshots as a forger makes them: changed, and with a right checksum.

/** Where the words of a snapshot of points lie; generations follow, its buffers, then what was built. */
export const WORDS = {
  magic: 0,
  version: 1,
  kind: 2,
  checksum: 3,
  bytes: 4,
  bytesHigh: 5,
  dimensions: 6,
  options: 7, // three words, by kind
  onNonFinite: 10,
  ever: 11,
  slots: 12,
  isBuilt: 13,
  builtCount: 14,
  skipped: 15,
}
export const STATE = 17

/** Gives bytes that were changed a right checksum, as a forger would. */
export function seal(bytes) {
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2)
  let hash = 0
  words.forEach((word, i) => {
    if (i === WORDS.checksum) return
    hash = Math.imul(hash ^ Math.imul(word, 0xcc9e2d51), 0x85ebca6b)
    hash ^= hash >>> 15
  })
  words[WORDS.checksum] = hash
  return bytes
}

/** A copy with some words changed, by name or place, and sealed again. */
export function forged(saved, changes) {
  const bytes = saved.slice()
  const words = new Uint32Array(bytes.buffer)
  for (const [word, value] of Object.entries(changes)) words[WORDS[word] ?? word] = value
  return seal(bytes)
}
