// Forged snapshots: changed, with a correct checksum.

/** The words of the head of a points snapshot. Generations, buffers and the last build follow. */
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
  ever: 11, // slots that were ever in use
  slots: 12,
  isBuilt: 13,
  builtCount: 14,
  skipped: 15,
}
export const STATE = 17

/** Writes the correct checksum into changed bytes, as a forger would. Returns the bytes. */
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

/** Returns a sealed copy with some words changed, by name or index. */
export function forged(saved, changes) {
  const bytes = saved.slice()
  const words = new Uint32Array(bytes.buffer)
  for (const [word, value] of Object.entries(changes)) words[WORDS[word] ?? word] = value
  return seal(bytes)
}
