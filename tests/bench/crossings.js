// Where the grid and the agent tree break even: how many times as fast as the tree the grid is, by the size of
// its cells, and by how agents cluster. Results are compared first.
//
//   node --no-liftoff tests/bench/crossings.js

import { init, AgentTree, Grid } from 'copse'
import { createRandom } from '../../web/random.js'
import { createAgents } from './workloads.js'

const N = 10_000
const K = 8
const TIMES = 60
const QUERIES = 2000

/** The works. Each returns a number that must be equal for all indexes. */
const works = {
  frame(index, { positions, radius }) {
    index.positions.set(positions)
    index.build()
    return index.allWithin(radius).total
  },
  neighbors8(index) {
    const { counts, distances2 } = index.allNeighbors(K)
    return (
      counts.subarray(0, N).reduce((sum, n) => sum + n, 0) +
      distances2.subarray(0, K * N).reduce((sum, d) => sum + d, 0)
    )
  },
  within(index, { points, radius }) {
    let total = 0
    for (let i = 0; i < 2 * QUERIES; i += 2)
      total += index.within(points[i], points[i + 1], radius).length
    return total
  },
  nearest(index, { points }) {
    let total = 0
    for (let i = 0; i < 2 * QUERIES; i += 2) total += index.nearest(points[i], points[i + 1])
    return total
  },
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1]

/** Returns for each work the tree's time over the grid's, measured in turn. */
function compare(agents, cellSize) {
  const options = { capacity: N }
  const indexes = [new AgentTree(options), new Grid({ ...options, cellSize })]
  for (const index of indexes) {
    index.slots = N
    works.frame(index, agents)
  }
  const ratios = Object.entries(works).map(([name, work]) => {
    const [expected, actual] = indexes.map((index) => work(index, agents))
    if (expected !== actual)
      throw new Error(`${name}: the grid gives ${actual}, the tree ${expected}`)
    const times = indexes.map(() => [])
    for (let time = 0; time < TIMES; time++) {
      if (name === 'frame') agents.place(time)
      indexes.forEach((index, i) => {
        const start = performance.now()
        work(index, agents)
        times[i].push(performance.now() - start)
      })
    }
    const [tree, grid] = times.map(median)
    return tree / grid
  })
  agents.place(0)
  for (const index of indexes) index.dispose()
  return ratios
}

function print(title, rows) {
  console.log(`\n${title}: how many times as fast as the agent tree\n`)
  console.log(['', ...Object.keys(works)].map((name) => name.padStart(12)).join(''))
  for (const [label, ratios] of rows)
    console.log([label, ...ratios.map((it) => it.toFixed(2))].map((it) => it.padStart(12)).join(''))
}

await init()

const uniform = createAgents('uniform', N, 2)
print(
  'Cell size over radius, uniform agents',
  [1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 1.5, 2, 3, 4, 8, 16].map((width) => [
    String(width),
    compare(uniform, width * uniform.radius),
  ]),
)

/** Puts half of the agents into crowds of 50, `closeness` times as close to each other as the others. */
function crowded(closeness) {
  const random = createRandom(closeness)
  const spread = Math.sqrt(50 / Math.PI) / closeness
  const agents = createAgents('uniform', N, 2)
  const { base, points } = agents
  for (let i = 0; i < 2 * N; i += 4) {
    const center = i - (i % 200) + 2
    for (let axis = 0; axis < 2; axis++) {
      const away = (random() + random() - 1) * spread
      base[i + axis] = Math.round((base[center + axis] + away) * 64) / 64
    }
  }
  points.set(base.subarray(0, points.length))
  agents.place(0)
  return agents
}

print(
  'Half of the agents in crowds, by closeness; cell size = radius',
  [1, 2, 4, 8, 16].map((closeness) => {
    const agents = crowded(closeness)
    return [String(closeness), compare(agents, agents.radius)]
  }),
)

print(
  'By spread; cell size = radius',
  ['uniform', 'clusters', 'line', 'battle'].map((spread) => {
    const agents = createAgents(spread, N, 2)
    return [spread, compare(agents, agents.radius)]
  }),
)
