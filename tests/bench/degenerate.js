// Measures builds of degenerate points relative to builds of uniform points, in turn. The depth of a naive tree
// grows with degenerate points: it takes 75 times as long, or overflows its stack. Fails above MOST.
//
//   node --no-liftoff tests/bench/degenerate.js

import * as copse from 'copse'
import { className, KINDS } from '../js/support/indexes.js'
import { createRandom, distributions, WORLD } from '../../web/random.js'
import { summary } from './measure.js'

const N = 10_000
const ROUNDS = 40
const MOST = 5

const variants = {
  AgentTree: [{ split: 'midpoint' }, { split: 'median' }],
  Grid: [{ cellSize: WORLD / 100 }],
  KdTree: KINDS.KdTree.variants,
}

/** Returns a function that builds an index of points, and returns the milliseconds. */
const ofPoints = (index) => {
  index.slots = N
  return (positions) => {
    index.positions.set(positions)
    const start = performance.now()
    index.build()
    return performance.now() - start
  }
}

/** Returns a function that loads boxes of size 0, and returns the milliseconds. */
const ofBoxes = (tree, dimensions) => (positions) => {
  for (let i = 0; i < N; i++) {
    const point = positions.subarray(i * dimensions, (i + 1) * dimensions)
    tree.boxes.set(point, 2 * i * dimensions)
    tree.boxes.set(point, (2 * i + 1) * dimensions)
  }
  const start = performance.now()
  tree.load(N)
  return performance.now() - start
}

await copse.init()
const { uniform, ...degenerate } = distributions
const create = (kind, dimensions, options) =>
  new copse[className(kind, dimensions)]({ capacity: N, ...options })
const builds = [2, 3].flatMap((dimensions) => [
  ...Object.entries(variants).flatMap(([kind, all]) =>
    all.map((options) => ({
      name: [className(kind, dimensions), ...Object.values(options)].join(', '),
      dimensions,
      build: ofPoints(create(kind, dimensions, options)),
    })),
  ),
  {
    name: className('Octree', dimensions),
    dimensions,
    build: ofBoxes(
      create('Octree', dimensions, {
        bounds: [0, WORLD].flatMap((x) => Array(dimensions).fill(x)),
      }),
      dimensions,
    ),
  },
])

let most = 0
for (const { name, dimensions, build } of builds) {
  const plain = uniform(createRandom(1), N, dimensions)
  const ratios = Object.entries(degenerate).map(([spread, draw]) => {
    const points = draw(createRandom(1), N, dimensions)
    const times = { plain: [], degenerate: [] }
    for (let round = 0; round < ROUNDS; round++) {
      times.plain.push(build(plain))
      times.degenerate.push(build(points))
    }
    return { spread, ratio: summary(times.degenerate).median / summary(times.plain).median }
  })
  const worst = ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a))
  most = Math.max(most, worst.ratio)
  console.log(`${name.padEnd(30)} ${worst.ratio.toFixed(2)} × uniform, ${worst.spread}`)
}
console.log(`\nat most ${most.toFixed(2)} times as long as uniform points; the limit is ${MOST}`)
process.exitCode = most <= MOST ? 0 : 1
