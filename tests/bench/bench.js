// Build and query times of ours and its peers: on the same data, in turn, results compared first.
// Prints a table and writes build/bench.json. `make bench`.

import { mkdirSync, writeFileSync } from 'node:fs'
import { init, AgentTree } from 'copse'
import KDBush from 'kdbush'
import { createRandom } from '../random.js'

const REPETITIONS = 15
const NEIGHBORS = 10 // of each agent within the radius, about

/** Coordinates are multiples of this, so that near squared distances are exact in any float type. */
const GRAIN = 1 / 64
const grained = (/** @type {number} */ x) => Math.round(x / GRAIN) * GRAIN

/**
 * Uniformly spread agents, one per unit of area.
 * @param {number} n
 */
function uniform(n) {
  const random = createRandom(n)
  return Float32Array.from({ length: 2 * n }, () => grained(random() * Math.sqrt(n)))
}

/** @typedef {{ name: string, build(positions: Float32Array): void,
 *    within(x: number, y: number, r: number): ArrayLike<number>,
 *    countAll(positions: Float32Array, r: number): number }} Peer */

/** @param {number} n @returns {Peer} */
function copse(n) {
  const tree = new AgentTree({ capacity: n })
  const out = new Uint32Array(n)
  tree.count = n
  return {
    name: 'copse',
    build(positions) {
      tree.positions.set(positions)
      tree.build()
    },
    within: (x, y, r) => tree.within(x, y, r),
    countAll(positions, r) {
      let total = 0
      for (let i = 0; i < n; i++)
        total += tree.withinInto(positions[2 * i], positions[2 * i + 1], r, out)
      return total
    },
  }
}

/** @param {number} n @returns {Peer} */
function kdbush(n) {
  /** @type {KDBush} */
  let index
  const out = new Uint32Array(n)
  return {
    name: 'kdbush',
    build(positions) {
      index = new KDBush(n, 64, Float32Array)
      for (let i = 0; i < n; i++) index.add(positions[2 * i], positions[2 * i + 1])
      index.finish()
    },
    within: (x, y, r) => index.within(x, y, r),
    countAll(positions, r) {
      let total = 0
      for (let i = 0; i < n; i++)
        total += index.withinInto(positions[2 * i], positions[2 * i + 1], r, out)
      return total
    },
  }
}

/** @param {Peer} ours @param {Peer} theirs @param {Float32Array} positions @param {number} r */
function compare(ours, theirs, positions, r) {
  const n = positions.length / 2
  for (let i = 0; i < n; i += Math.ceil(n / 2000)) {
    const [x, y] = [positions[2 * i], positions[2 * i + 1]]
    const a = Uint32Array.from(ours.within(x, y, r)).sort()
    const b = Uint32Array.from(theirs.within(x, y, r)).sort()
    if (a.join() !== b.join()) throw new Error(`${theirs.name} and copse differ at agent ${i}`)
  }
  if (ours.countAll(positions, r) !== theirs.countAll(positions, r))
    throw new Error(`${theirs.name} and copse differ in their totals`)
}

/** @param {() => void} work milliseconds */
function time(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** @param {number[]} times */
function summary(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (/** @type {number} */ share) => sorted[Math.round(share * (sorted.length - 1))]
  return { median: at(0.5), low: at(0.1), high: at(0.9) }
}

await init()
const rows = []
for (const n of [600, 10_000, 100_000]) {
  const positions = uniform(n)
  const r = grained(Math.sqrt(NEIGHBORS / Math.PI))
  const peers = [copse(n), kdbush(n)]
  for (const peer of peers) peer.build(positions)
  for (const peer of peers.slice(1)) compare(peers[0], peer, positions, r)

  const times = peers.map(() => ({ build: /** @type {number[]} */ ([]), within: [] }))
  for (let repetition = -3; repetition < REPETITIONS; repetition++) {
    for (let i = 0; i < positions.length; i++)
      positions[i] += GRAIN * ((i * 7 + repetition) % 5) - 2 * GRAIN
    peers.forEach((peer, p) => {
      const build = time(() => peer.build(positions))
      const within = time(() => peer.countAll(positions, r))
      if (repetition < 0) return // warm-up
      times[p].build.push(build)
      times[p].within.push(within)
    })
  }
  peers.forEach((peer, p) => {
    const [build, within] = [summary(times[p].build), summary(times[p].within)]
    rows.push({ n, peer: peer.name, build, within })
  })
}

const ms = (/** @type {{ median: number, low: number, high: number }} */ { median, low, high }) =>
  `${median.toPrecision(3)} (${low.toPrecision(3)}–${high.toPrecision(3)})`
console.table(
  rows.map(({ n, peer, build, within }) => ({
    agents: n,
    peer,
    'build, ms': ms(build),
    'within around each agent, ms': ms(within),
    'microseconds a query': ((within.median * 1000) / n).toPrecision(3),
  })),
)
mkdirSync('build', { recursive: true })
writeFileSync('build/bench.json', JSON.stringify(rows, null, 2))
