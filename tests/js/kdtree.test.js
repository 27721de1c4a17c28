// Compares the k-d trees of each builder with brute force, and their order with the tree's definition.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { testBatches } from './support/point-batches.js'
import { forAll, runsOf } from './support/fastcheck.js'
import { assertSame, bits, maker, ROW_3D } from './support/indexes.js'
import * as oracle from './support/point-oracle.js'
import { testProperties } from './support/point-queries.js'
import { testSlots } from './support/point-slots.js'
import { createRandom, distributions } from '../../web/random.js'

const RUNS = runsOf(200)

const BUILDERS = ['quickselect', 'median-of-medians', 'presort']
const drawnOptions = fc.record({ builder: fc.constantFrom(...BUILDERS) })
const optionsOf = (drawn) => drawn

/** Compares two agents by their coordinates, starting at an axis, cyclically, then by id. */
function compare({ dimensions, positions }, axis, a, b) {
  for (let key = 0; key < dimensions; key++) {
    const keyAxis = (axis + key) % dimensions
    const difference = positions[a * dimensions + keyAxis] - positions[b * dimensions + keyAxis]
    if (difference !== 0) return difference
  }
  return a - b
}

/**
 * Builds the tree by its definition, sorting again on each level. Returns the nodes in preorder, each with its
 * range, axis and depth, and the ids in order.
 */
function treeOf(agents) {
  const { count, dimensions } = agents
  const order = Array.from({ length: count }, (_, id) => id).filter((id) =>
    oracle.isPresent(agents, id),
  )
  const nodes = []
  function divide(begin, end, depth) {
    if (begin === end) return
    const axis = depth % dimensions
    const sorted = order.slice(begin, end).sort((a, b) => compare(agents, axis, a, b))
    for (let i = begin; i < end; i++) order[i] = sorted[i - begin]
    const middle = begin + Math.floor((end - begin) / 2)
    nodes.push({ begin, end, middle, axis, depth })
    divide(begin, middle, depth + 1)
    divide(middle + 1, end, depth + 1)
  }
  divide(0, order.length, 0)
  return { nodes, order }
}

/**
 * Checks that the order is that of the definition, and that each point has a line, as long as the region that it
 * divides, which ends at the lines above it.
 */
function checkCells({ agents, indexes }) {
  const { dimensions, positions } = agents
  const { nodes, order } = treeOf(agents)
  for (const index of indexes) assertSame(index.order(), order, 'order')

  const stats = indexes[0].stats()
  assert.is(stats.nodes, order.length)
  assert.is(stats.depth, order.length ? Math.floor(Math.log2(order.length)) : 0)
  assert.is(stats.leaves, nodes.filter(({ begin, end }) => end - begin === 1).length)

  const cells = indexes[0].cells()
  const width = 2 * dimensions + 2
  assert.is(cells.length, order.length * width)
  const extent = { lo: new Array(dimensions), hi: new Array(dimensions) }
  for (let axis = 0; axis < dimensions; axis++) {
    extent.lo[axis] = Infinity
    extent.hi[axis] = -Infinity
    for (const id of order) {
      extent.lo[axis] = Math.min(extent.lo[axis], positions[id * dimensions + axis] + 0)
      extent.hi[axis] = Math.max(extent.hi[axis], positions[id * dimensions + axis] + 0)
    }
  }
  /** By depth: the middle of the last node of that depth, and the extents of its sides. */
  const above = []
  nodes.forEach(({ begin, end, middle, axis, depth }, i) => {
    const parent = above[depth - 1]
    const { lo, hi } = parent ? parent.sides[begin < parent.middle ? 0 : 1] : extent
    const x = positions[order[middle] * dimensions + axis] + 0
    assert.ok(lo[axis] <= x && x <= hi[axis], `${x} not in ${lo[axis]} … ${hi[axis]}`)
    const row = cells.subarray(i * width, (i + 1) * width)
    assertSame(row, [...lo.with(axis, x), ...hi.with(axis, x), depth, end - begin], 'line')
    const sides = [
      { lo, hi: hi.with(axis, x) },
      { lo: lo.with(axis, x), hi },
    ]
    above[depth] = { middle, sides }
  })
}

testProperties('KdTree', { drawnOptions, optionsOf, checkCells })
testBatches('KdTree', { drawnOptions, optionsOf })
testSlots('KdTree', { drawnOptions, optionsOf })

// ---- K-d trees only ----

const test = suite('k-d tree')
const makers = [maker(simd, 'KdTree'), maker(scalar, 'KdTree')]
const [{ built, empty, unbuilt, variants }] = makers
test.before(() => Promise.all(makers.map(({ start }) => start())))

test('all builders of both cores make the same order, lines and bytes', () => {
  const drawn = fc.record({
    n: fc.oneof(
      { withCrossShrink: true },
      { weight: 90, arbitrary: fc.integer({ min: 0, max: 100 }) },
      { weight: 10, arbitrary: fc.integer({ min: 101, max: 3000 }) },
    ),
    distribution: fc.constantFrom(...Object.keys(distributions)),
    dimensions: fc.constantFrom(2, 3),
    /** The maximum number of distinct points: the others are copies. */
    places: fc.constantFrom(Infinity, Infinity, 1, 2, 3, 10, 40),
    /** The number of axes on which points differ. */
    axes: fc.constantFrom(3, 3, 1),
    seed: fc.noBias(fc.nat()),
  })
  forAll(drawn, RUNS, ({ n, distribution, dimensions, places, axes, seed }) => {
    const random = createRandom(seed)
    const positions = distributions[distribution](random, n, dimensions)
    for (let id = 0; id < n; id++) {
      const source = id < places ? id : Math.floor(random() * places)
      for (let axis = 0; axis < dimensions; axis++) {
        const x = axis < axes ? positions[source * dimensions + axis] : 7
        positions[id * dimensions + (seed % 2 ? axis : dimensions - 1 - axis)] = x
      }
    }
    const trees = makers.flatMap(({ built }) =>
      variants.map((options) => built(dimensions, positions, options)),
    )
    const agents = { count: n, dimensions, positions, groups: new Uint32Array(n).fill(1) }
    assertSame(trees[0].order(), treeOf(agents).order, 'order')
    const [order, cells, bytes] = [trees[0].order(), bits(trees[0].cells()), trees[0].save()]
    for (const tree of trees) {
      assert.ok(tree.validate())
      assertSame(tree.order(), order, 'order')
      assertSame(bits(tree.cells()), cells, 'lines')
      assertSame(tree.save(), bytes, 'bytes')
    }
    for (const tree of trees) tree.dispose()
  })
})

test('lines divide on x, then on y, then on x again', () => {
  const points = [2, 1, 0, 8, 1, 3, 9, 5, 4, 2]
  const lines = [
    [2, 1, 2, 8, 0, 5],
    [0, 8, 2, 8, 1, 2],
    [1, 1, 1, 8, 2, 1],
    [2, 5, 9, 5, 1, 2],
    [4, 1, 4, 5, 2, 1],
  ]
  for (const options of variants) {
    const tree = built(2, points, options)
    assert.equal(tree.cells(), Float32Array.from(lines.flat()))
    assert.equal(tree.order(), Uint32Array.of(2, 1, 0, 4, 3))
  }
})

test('changes of slots, groups and positions count from the next build on', () => {
  for (const options of variants) {
    const tree = built(3, ROW_3D, options)
    tree.positions.reverse()
    tree.groups[0] = 0
    tree.slots = 3
    assert.equal(tree.within(0, 0, 5, 0), Uint32Array.of(5))
    tree.build()
    assert.is(tree.stats().nodes, 2)
    assert.is(tree.within(0, 0, 5, 0).length, 0)
    assert.equal(tree.within(4, 0, 0, 1, { sort: 'id' }), Uint32Array.of(1, 2))
  }
})

test('queries visit few nodes', () => {
  const n = 10_000
  const random = createRandom(2)
  const tree = unbuilt(2, distributions.uniform(random, n, 2))
  for (let i = 0; i < n; i++) tree.groups[i] = tree.positions[2 * i] < 500 ? 1 : 2
  tree.build()
  const { depth } = tree.stats()
  assert.is(depth, 13)
  /** Returns the maximum number of nodes that one of a hundred queries visits. */
  const mostVisits = (query) => {
    let visits = 0
    for (let i = 0; i < 100; i++) {
      query(random() * 1000, random() * 1000)
      visits = Math.max(visits, tree.stats().visits)
    }
    return visits
  }
  const check = (query, limit) => {
    const visits = mostVisits(query)
    assert.ok(visits <= limit, `${visits} visits: ${query}`)
  }
  check((x, y) => tree.nearest(x, y), 3 * depth)
  check((x, y) => tree.nearest(x - 1500, y - 1500), 16 * depth) // all agents are about equally far
  check((x, y) => tree.neighbors(x, y, 5), 3 * depth)
  check((x, y) => tree.neighbors(x, y, 60), 8 * depth)
  check((x, y) => tree.within(x, y, 10), 2 * depth)
  check((x, y) => tree.range(x, y, x + 20, y + 20), 2 * depth)
  check((x, y) => tree.cone(x, y, 1, 0, 0.3, 20), 2 * depth)
  check((x, y) => tree.anyWithin(x, y, 100), 3 * depth) // stops at the first
  check((x, y) => tree.raycast(x, y, x + 20, y + 20, { radius: 2 }), 3 * depth)
  check((x, y) => tree.raycast(x, y, random() * 1000, random() * 1000, { radius: 2 }), 6 * depth)
  check((x, y) => tree.within(x, y, 10, { mask: 4 }), 0) // no agent matches
  const plain = built(2, distributions.uniform(createRandom(2), n, 2))
  plain.countWithin(500, 500, 1500)
  assert.is(plain.stats().visits, 1, 'all inside: counted untested')
})

// Places are handled in groups. On a lattice, most have several nearest agents: the lowest id counts.
test('nearestMany finds what nearest finds for each place', () => {
  const [n, placeCount] = [600, 640]
  for (const { empty } of makers)
    for (const dimensions of [2, 3]) {
      const random = createRandom(9)
      const lattice = (count, step, side) =>
        Float32Array.from({ length: count * dimensions }, () => step * Math.floor(random() * side))
      const tree = empty(dimensions, { capacity: n })
      tree.slots = n
      tree.positions.set(lattice(n, 1, dimensions === 2 ? 20 : 8))
      tree.build()
      const places = lattice(placeCount, 0.5, dimensions === 2 ? 42 : 18)
      places.fill(100, 0, 3 * dimensions) // some far away
      const out = new Uint32Array(1)
      const distances2 = new Float32Array(1)
      for (const maxDistance of [Infinity, 0.5, 0.8, 0])
        for (const exclude of [-1, 5]) {
          const {
            counts,
            ids,
            distances2: rowDistances2,
          } = tree.nearestMany(places, {
            k: 1,
            maxDistance,
            exclude,
          })
          for (let i = 0; i < placeCount; i++) {
            const place = places.subarray(i * dimensions, (i + 1) * dimensions)
            const options = { maxDistance, exclude, distances2 }
            const total = tree.neighborsInto(...place, 1, out, options)
            assert.is(counts[i], total)
            if (total) assert.equal([ids[i], rowDistances2[i]], [out[0], distances2[0]])
          }
        }
      tree.dispose()
    }
})

test('memory is at most two copies of points and groups, the ids, and the arrays of every index', () => {
  const n = 10_000
  for (const dimensions of [2, 3]) {
    const bytesOf = (options) => {
      const tree = empty(dimensions, { capacity: n, ...options })
      const { bytes } = tree.stats()
      tree.build()
      assert.is(tree.stats().bytes, bytes)
      tree.dispose()
      return bytes / n
    }
    // Coordinates twice, groups twice, ids; and the arrays of every index.
    const bytesNeeded = 4 * (2 * dimensions + 3) + 60 + (dimensions - 2) * 8
    const [quickselect, medians, presort] = BUILDERS.map((builder) => bytesOf({ builder }))
    assert.ok(quickselect <= bytesNeeded + 0.1, `${quickselect} a point`)
    assert.is(medians, quickselect)
    assert.ok(presort <= bytesNeeded + 16 + 4 * dimensions + 0.1, `${presort} a point, presort`)
  }
})

test.run()
