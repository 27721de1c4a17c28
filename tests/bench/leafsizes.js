// Times of an agent tree by the size of its leaves, for 1,000 to 100,000 agents, and by its rules of splitting.
// Results are compared first. Keeps the least of many short runs in turn, so that a busy machine disturbs the
// comparison little.
//
//   node --no-liftoff tests/bench/leafsizes.js [short | NUMBERS OF AGENTS]
//
// Prints tables. Without numbers of agents, also writes build/bench/leafsizes.json, which `make bench-keep` copies to
// tests/bench/results/, and `make figures` draws. short: a few runs with 1,000 agents, for the tests.

import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { init, AgentTree } from 'copse'
import { format } from 'prettier'
import { createAgents } from './workloads.js'

const words = process.argv.slice(2)
const isShort = words[0] === 'short'
const SIZES = isShort ? [1000] : words.length ? words.map(Number) : [1000, 10_000, 100_000]
const ROUNDS = isShort ? 2 : 120
const QUERIES = 1000
const K = 8

const sizes = Array.from({ length: 11 }, (_, power) => 2 ** power)
/** The trees to compare: options by name. The times are also shown relative to those of `base`. */
const leaves = {
  base: '64',
  options: Object.fromEntries(sizes.map((leafSize) => [leafSize, { leafSize }])),
}
const rules = {
  base: 'longest, midpoint',
  options: Object.fromEntries(
    ['longest', 'cycle'].flatMap((axis) =>
      ['midpoint', 'median'].map((split) => [`${axis}, ${split}`, { axis, split }]),
    ),
  ),
}

/** The works. Each returns a number that must be equal for all leaf sizes. */
const works = {
  build: {
    unit: 'ms',
    run(tree, { positions }) {
      tree.positions.set(positions)
      tree.build()
      return tree.stats().agents
    },
  },
  within: {
    unit: 'µs',
    each: QUERIES,
    run(tree, { points, radius }) {
      let total = 0
      for (let i = 0; i < 2 * QUERIES; i += 2)
        total += tree.within(points[i], points[i + 1], radius).length
      return total
    },
  },
  nearest: {
    unit: 'µs',
    each: QUERIES,
    run(tree, { points }) {
      let total = 0
      for (let i = 0; i < 2 * QUERIES; i += 2) total += tree.nearest(points[i], points[i + 1])
      return total
    },
  },
  allWithin: { unit: 'ms', run: (tree, { radius }) => tree.allWithin(radius).total },
  allNeighbors: {
    unit: 'ms',
    run(tree, { n }) {
      const { distances2 } = tree.allNeighbors(K)
      return distances2.subarray(0, K * n).reduce((sum, distance2) => sum + distance2, 0)
    },
  },
}

/** Returns the least milliseconds of each tree, measured in turn. */
function measure({ run }, trees, agents) {
  const least = trees.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round++) {
    agents.place(round)
    for (let turn = 0; turn < trees.length; turn++) {
      const i = (turn + round) % trees.length // the previous tree varies
      const start = performance.now()
      run(trees[i], agents)
      least[i] = Math.min(least[i], performance.now() - start)
    }
  }
  agents.place(0)
  return least
}

/** Measures each work, prints a table, and returns the measurements in the form of results.json. */
function compare(spread, n, { base, options }) {
  const agents = createAgents(spread, n, 2)
  const names = Object.keys(options)
  const trees = Object.values(options).map((more) => {
    const tree = new AgentTree({ capacity: n, ...more })
    tree.slots = n
    works.build.run(tree, agents)
    return tree
  })
  const row = (cells) => cells.map((it, i) => it.padStart(i ? width : 18)).join('')
  const width = Math.max(...names.map((name) => name.length), 7) + 2
  console.log(
    `\n${n.toLocaleString('en')} agents, ${spread}: least time, and relative to ${base}\n`,
  )
  console.log(row(['', ...names]))

  const measurements = Object.entries(works).map(([work, { unit, each = 1, run }]) => {
    const [expected, ...others] = trees.map((tree) => run(tree, agents))
    others.forEach((actual, i) => {
      if (actual !== expected)
        throw new Error(`${work}, ${names[i + 1]}: ${actual}, not ${expected}`)
    })
    const scale = unit === 'µs' ? 1000 / each : 1
    const least = measure(works[work], trees, agents).map((time) => scale * time)
    const reference = least[names.indexOf(base)]
    console.log(row([`${work}, ${unit}`, ...least.map((time) => time.toPrecision(3))]))
    console.log(row(['', ...least.map((time) => `×${(time / reference).toFixed(2)}`)]))
    const times = least.map((time, i) => [
      names[i],
      { least: Number(time.toPrecision(4)), runs: ROUNDS },
    ])
    const { dimensions, radius } = agents
    return { work, dimensions, spread, n, radius, unit, times: Object.fromEntries(times) }
  })
  for (const tree of trees) tree.dispose()
  return measurements
}

await init()
const measurements = SIZES.flatMap((n) => compare('uniform', n, leaves))
for (const spread of ['uniform', 'clusters', 'line'])
  compare(spread, isShort ? 1000 : 10_000, rules)

if (!words.length) {
  const report = { cpu: cpus()[0].model, node: process.version, measurements }
  mkdirSync('build/bench', { recursive: true })
  writeFileSync(
    'build/bench/leafsizes.json',
    await format(JSON.stringify(report), { parser: 'json', printWidth: 100 }),
  )
  console.log('\nwritten: build/bench/leafsizes.json')
}
