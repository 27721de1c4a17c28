// Where the agent tree, the grid and the k-d tree break even: the cost of a build and a number of queries, one
// by one from JavaScript, and the number of queries from which the k-d tree is the cheapest. Results are
// compared first.
//
//   node --no-liftoff tests/bench/crossingqueries.js [agents…]

import * as copse from 'copse'
import { createAgents } from './workloads.js'

const { init, AgentTree, Grid, KdTree } = copse

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000]
/** Queries per agent. */
const SHARES = [0, 0.1, 1, 10]
const LEAST_RUNS = 5
const MOST_RUNS = 60
const BUDGET = 300 // ms of work for each index
const WARM_UP = 200 // ms of work for each index, before

/** Kinds of queries, from the first `queries` points. Each returns a number that must be equal for all indexes. */
const kinds = {
  nearest(index, { points }, queries) {
    let total = 0
    for (let offset = 0; offset < 2 * queries; offset += 2)
      total += index.nearest(points[offset], points[offset + 1])
    return total
  },
  within(index, { points, radius }, queries) {
    let total = 0
    for (let offset = 0; offset < 2 * queries; offset += 2)
      total += index.within(points[offset], points[offset + 1], radius).length
    return total
  },
}

function run({ index }, agents, ask, queries) {
  index.positions.set(agents.positions)
  index.build()
  let total = 0
  for (let left = queries; left > 0; left -= agents.n)
    total += ask(index, agents, Math.min(left, agents.n))
  return total
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/** Returns the median milliseconds of each index, measured in turn. */
function measure(entrants, agents, ask, queries) {
  agents.place(0)
  const [expected, ...others] = entrants.map((entrant) => run(entrant, agents, ask, queries))
  others.forEach((actual, i) => {
    if (actual !== expected) throw new Error(`${entrants[i + 1].name}: ${actual}, not ${expected}`)
  })
  const inTurn = (leastRuns, budget) => {
    const times = entrants.map(() => [])
    let spent = 0
    for (let time = 0; time < leastRuns || (time < MOST_RUNS && spent < budget); time++) {
      agents.place(time)
      entrants.forEach((entrant, i) => {
        const start = performance.now()
        run(entrant, agents, ask, queries)
        times[i].push(performance.now() - start)
        spent += times[i].at(-1)
      })
    }
    return times
  }
  inTurn(1, entrants.length * WARM_UP)
  const times = inTurn(LEAST_RUNS, entrants.length * BUDGET)
  agents.place(0)
  return times.map(median)
}

const counted = (number) => Math.round(number).toLocaleString('en')

/**
 * Returns for how many queries the last index is the cheapest, as text. The cost is that of a build plus an equal
 * cost for each query, from the times with no queries and with the most.
 */
function cheapest(none, most, queries) {
  const costs = none.map((build, i) => ({ build, each: (most[i] - build) / queries }))
  const own = costs.pop()
  let low = 0
  let high = Infinity
  for (const { build, each } of costs) {
    const even = (own.build - build) / (each - own.each)
    if (own.each < each) low = Math.max(low, even)
    else if (own.each > each) high = Math.min(high, even)
    else if (own.build > build) high = -Infinity
  }
  if (low > high) return 'never'
  return high === Infinity
    ? `from ${counted(low)} queries on`
    : `${counted(low)} – ${counted(high)}`
}

function print(cells) {
  console.log(cells.map((cell, i) => cell.padStart(i ? 14 : 26)).join(''))
}

await init()

for (const n of SIZES) {
  for (const spread of ['uniform', 'clusters']) {
    const agents = createAgents(spread, n, 2, n)
    const options = { capacity: n }
    // The k-d tree comes last: see `cheapest`.
    const entrants = [
      { name: 'AgentTree', index: new AgentTree(options) },
      { name: 'Grid', index: new Grid({ ...options, cellSize: agents.radius }) },
      { name: 'KdTree', index: new KdTree(options) },
    ]
    for (const { index } of entrants) index.slots = n

    console.log(`\n${counted(n)} agents, ${spread}: milliseconds\n`)
    print(['', ...entrants.map(({ name }) => name)])
    const verdicts = Object.entries(kinds).map(([kind, ask]) => {
      const rows = SHARES.map((share) => measure(entrants, agents, ask, share * n))
      SHARES.forEach((share, i) => {
        const label = share ? `build, ${counted(share * n)} ${kind}` : 'build'
        print([label, ...rows[i].map((time) => time.toPrecision(3))])
      })
      const last = SHARES.length - 1
      return `${kind}: ${cheapest(rows[0], rows[last], SHARES[last] * n)}`
    })
    print(['bytes', ...entrants.map(({ index }) => counted(index.stats().bytes))])
    print(['bytes per agent', ...entrants.map(({ index }) => (index.stats().bytes / n).toFixed(1))])
    console.log(`the k-d tree is cheapest: ${verdicts.join('; ')}`)
    for (const { index } of entrants) index.dispose()
  }
}
