// Compares the k-d trees of each builder with brute force.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { testBatchResults } from './support/point-batches.js'
import { assertSame, bits, maker, ROW_3D } from './support/indexes.js'
import { testProperties } from './support/point-queries.js'
import { testSlots } from './support/point-slots.js'
import { createRandom, distributions } from '../../web/random.js'

const BUILDERS = ['quickselect', 'median-of-medians', 'presort']
const drawnOptions = fc.record({ builder: fc.constantFrom(...BUILDERS) })
const optionsOf = (drawn) => drawn

testProperties('KdTree', { drawnOptions, optionsOf })
testBatchResults('KdTree', { drawnOptions, optionsOf })
testSlots('KdTree')

// ---- K-d trees only ----

const test = suite('k-d tree')
const { start, built, empty, unbuilt, variants } = maker(copse, 'KdTree')
test.before(start)

test('all builders make the same order, lines and bytes', () => {
  for (const dimensions of [2, 3]) {
    const positions = distributions.uniform(createRandom(4), 200, dimensions)
    const [first, ...others] = variants.map((options) => built(dimensions, positions, options))
    for (const tree of others) {
      assertSame(tree.order(), first.order(), 'order')
      assertSame(bits(tree.cells()), bits(first.cells()), 'lines')
      assertSame(tree.save(), first.save(), 'bytes')
    }
  }
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
test('neighborsMany finds what nearest finds for each place', () => {
  const [n, placeCount] = [600, 640]
  for (const dimensions of [2, 3]) {
    const random = createRandom(9)
    const lattice = (count, step, side) =>
      Float32Array.from({ length: count * dimensions }, () => step * Math.floor(random() * side))
    const tree = built(dimensions, lattice(n, 1, dimensions === 2 ? 20 : 8))
    const places = lattice(placeCount, 0.5, dimensions === 2 ? 42 : 18)
    places.fill(100, 0, 3 * dimensions) // some far away
    for (const [maxDistance, exclude] of [
      [Infinity, -1],
      [0.8, 5],
    ]) {
      const near = tree.neighborsMany(places, 1, { maxDistance, exclude })
      for (let i = 0; i < placeCount; i++) {
        const place = places.subarray(i * dimensions, (i + 1) * dimensions)
        const options = { maxDistance, exclude, distances2: true }
        const ids = tree.neighbors(...place, 1, options)
        assert.is(near.counts[i], ids.length)
        if (ids.length)
          assert.equal([near.ids[i], near.distances2[i]], [ids[0], tree.distances2[0]])
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
