// A scenario whose every answer goes into one hash: the same number from every build of the library,
// on every machine. tests/c/determinism.c plays the same in C; tests/determinism.txt holds the numbers,
// one for each kind of index.
//
// All numbers are float32, each step rounded, and all integers unsigned 32-bit.
//
// Random numbers: mulberry32 (random.js), state 1 at first; next() gives a word:
//   state += 0x6d2b79f5
//   t = (state ^ (state >>> 15)) * (state | 1)
//   t ^= t + (t ^ (t >>> 7)) * (t | 61)
//   the word is t ^ (t >>> 14)
//
// Hash: FNV-1a over words instead of bytes, 2166136261 at first:
//   hash = (hash ^ word) * 16777619
//
// Two parts, one after the other: 2 dimensions, 2,000 agents, SIZE 1024; then 3 dimensions, 1,000
// agents, SIZE 128. Each with an index of its own of that capacity, everything else by default, but for
// OPTIONS.
//
// Spawn: for each agent in turn, for each axis position = (next() >>> 8) * SIZE / 2^24 and velocity =
// ((next() >>> 20) - 2048) / 2^12 (both exact), the position's word before the velocity's; then
// groups = 1 << (next() & 3). Radii: (slot & 7) / 4.
//
// 60 frames. Move: for each agent and axis x = x + v, and then, where x < 0 or x > SIZE, v = -v. Build.
// Then for agents 0, 7, 14, … (the asker, at its position), six queries, in this order:
//   1. within 12: hash the total, then each id in the order given (the index's)
//   2. neighbors, k = 6, mask 5, the asker excluded: hash the total, then for each result its id and
//      the bits of its squared distance
//   3. range from position - 10 to position + 10, sorted by id: hash the total, then each id
//   4. unless its velocity is 0 on all axes: cone along its velocity, half angle 0.7 (as float32),
//      radius 40, sorted by distance: hash the total, then each id
//   5. countWithin 25, mask 2: hash the number
//   6. raycast to position + 64 * velocity, radius 0.5, the asker excluded: hash the id, and unless
//      nobody was hit (2^32 - 1) the bits of the fraction
// Then four batches:
//   7. allWithin 12: hash the total, then of each slot in turn the count and the row's ids
//   8. allNeighbors, k = 6, maxDistance 40: of each slot in turn hash the count, then for each neighbor
//      its id and the bits of its squared distance
//   9. pairs closer than 6: hash the number of pairs, then each id
//   10. raycastMany from each slot's position to that of the next, from the last to that of slot 0, each
//       agent with its own radius: of each slot in turn hash the id and the bits of the fraction

import { className } from './indexes.js'
import { createRandom } from './random.js'

const { fround, imul } = Math

const FRAMES = 60
const STEP = 7

function createHash() {
  let hash = 2166136261
  return {
    add: (word) => (hash = imul(hash ^ word, 16777619)),
    value: () => hash >>> 0,
  }
}

/** One part: plays it in an index of that many dimensions, and hashes what it answers. */
function play(index, dimensions, size, next, hash) {
  const agents = index.capacity
  const { groups, positions } = index
  const velocities = new Float32Array(positions.length)
  index.count = agents
  for (let agent = 0; agent < agents; agent++) {
    for (let axis = 0; axis < dimensions; axis++) {
      positions[agent * dimensions + axis] = ((next() >>> 8) * size) / 2 ** 24
      velocities[agent * dimensions + axis] = ((next() >>> 20) - 2048) / 2 ** 12
    }
    groups[agent] = 1 << (next() & 3)
    index.radii[agent] = (agent & 7) / 4
  }

  const out = new Uint32Array(agents)
  const distances2 = new Float32Array(agents)
  const distanceBits = new Uint32Array(distances2.buffer)
  const byId = { sort: 'id' }
  const byDistance = { sort: 'distance' }
  const others = { mask: 5, exclude: 0, distances2 }
  const secondGroup = { mask: 2 }
  const shot = { radius: 0.5, exclude: 0 }
  const segments = new Float32Array(2 * positions.length)
  const fraction = new Float32Array(1)
  const fractionBits = new Uint32Array(fraction.buffer)

  function addIds(total) {
    hash.add(total)
    for (let i = 0; i < total; i++) hash.add(out[i])
  }

  for (let frame = 0; frame < FRAMES; frame++) {
    for (let i = 0; i < positions.length; i++) {
      positions[i] = fround(positions[i] + velocities[i])
      if (positions[i] < 0 || positions[i] > size) velocities[i] = -velocities[i]
    }
    index.build()

    for (let asker = 0; asker < agents; asker += STEP) {
      const first = asker * dimensions
      const center = positions.subarray(first, first + dimensions)
      const velocity = velocities.subarray(first, first + dimensions)
      addIds(index.withinInto(...center, 12, out))

      others.exclude = asker
      const near = index.neighborsInto(...center, 6, out, others)
      hash.add(near)
      for (let i = 0; i < near; i++) {
        hash.add(out[i])
        hash.add(distanceBits[i])
      }

      const lo = center.map((x) => fround(x - 10))
      const hi = center.map((x) => fround(x + 10))
      addIds(index.rangeInto(...lo, ...hi, out, byId))

      if (velocity.some((v) => v !== 0))
        addIds(index.coneInto(...center, ...velocity, fround(0.7), 40, out, byDistance))

      hash.add(index.countWithin(...center, 25, secondGroup))

      shot.exclude = asker
      const target = center.map((x, axis) => fround(x + 64 * velocity[axis]))
      const hit = index.raycast(...center, ...target, shot)
      hash.add(hit?.id ?? -1)
      fraction[0] = hit?.fraction ?? 0
      if (hit) hash.add(fractionBits[0])
    }

    const rows = index.allWithin(12)
    hash.add(rows.total)
    for (let slot = 0; slot < agents; slot++) {
      hash.add(rows.counts[slot])
      for (let i = 0; i < rows.counts[slot]; i++) hash.add(rows.ids[rows.offsets[slot] + i])
    }

    const neighbors = index.allNeighbors({ k: 6, maxDistance: 40 })
    const neighborBits = new Uint32Array(
      neighbors.distances2.buffer,
      neighbors.distances2.byteOffset,
      6 * agents,
    )
    for (let slot = 0; slot < agents; slot++) {
      hash.add(neighbors.counts[slot])
      for (let i = 0; i < neighbors.counts[slot]; i++) {
        hash.add(neighbors.ids[6 * slot + i])
        hash.add(neighborBits[6 * slot + i])
      }
    }

    const pairs = index.pairs(6)
    hash.add(pairs.length / 2)
    for (const id of pairs) hash.add(id)

    for (let slot = 0; slot < agents; slot++) {
      const next = (slot + 1) % agents
      for (let axis = 0; axis < dimensions; axis++) {
        const at = 2 * dimensions * slot + axis
        segments[at] = positions[slot * dimensions + axis]
        segments[at + dimensions] = positions[next * dimensions + axis]
      }
    }
    const { ids, fractions } = index.raycastMany(segments)
    for (let slot = 0; slot < agents; slot++) {
      fraction[0] = fractions[slot]
      hash.add(ids[slot])
      hash.add(fractionBits[0])
    }
  }
}

/** By class. The cells in 3D are too many for a table of its own entry for each. */
const OPTIONS = {
  AgentTree: { leafSize: 16 },
  AgentTree3D: { leafSize: 16 },
  Grid: { cellSize: 12 },
  Grid3D: { cellSize: 5 },
}

/**
 * Plays the scenario with a kind of index of an entry of the library, given as its module.
 * @returns {Promise<number>} the hash
 */
export async function scenario(library, kind) {
  const instance = await library.create({ memory: 2 ** 22 }) // enough that no view is detached
  const random = createRandom(1)
  const next = () => random() * 2 ** 32 // the word itself, exactly
  const hash = createHash()
  for (const [dimensions, capacity, size] of [
    [2, 2000, 1024],
    [3, 1000, 128],
  ]) {
    const name = className(kind, dimensions)
    const index = new library[name]({ capacity, instance, ...OPTIONS[name] })
    play(index, dimensions, size, next, hash)
  }
  return hash.value()
}
