// Compares the agent trees with brute force, with every option of splitting.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { testBatches, testBatchResults } from './support/point-batches.js'
import { maker } from './support/indexes.js'
import { testProperties } from './support/point-queries.js'
import { testSlots } from './support/point-slots.js'
import { createRandom, distributions } from '../../web/random.js'

const drawnOptions = fc.record({
  axis: fc.constantFrom('longest', 'cycle'),
  split: fc.constantFrom('midpoint', 'median'),
  leafSize: fc.constantFrom(12, 1, 2, 3, 10, 24, 32, 'capacity'),
})

function optionsOf(drawn, { groups }) {
  return { ...drawn, leafSize: drawn.leafSize === 'capacity' ? groups.length : drawn.leafSize }
}

testProperties('AgentTree', { drawnOptions, optionsOf })
testBatchResults('AgentTree', { drawnOptions, optionsOf })
testBatches()
testSlots('AgentTree')

// ---- Agent trees only ----

const test = suite('agent tree')
const { start, built, empty, unbuilt, variants, assertThrown } = maker(copse, 'AgentTree')
test.before(start)

test('the only leaf has the bounds of its agent', () => {
  for (const options of variants) {
    const [tree, tree3D] = [built(2, [3, 4], options), built(3, [3, 4, 0], options)]
    assert.equal(tree.cells(), Float32Array.of(3, 4, 3, 4, 0, 1))
    assert.equal(tree3D.cells(), Float32Array.of(3, 4, 0, 3, 4, 0, 0, 1))
  }
})

test('a midpoint that rounds to a bound leaves no side empty', () => {
  const next = 1 + 2 ** -23
  const adjacent = [next, 1, 1, next, 1, next].flatMap((x) => [x, x])
  // Enough agents that the pool has nodes to spare.
  const many = new Array(4).fill(adjacent).flat()
  for (const axis of ['longest', 'cycle'])
    for (const leafSize of [1, 2, 4]) {
      const { depth, leaves, nodes } = built(2, many, { axis, leafSize }).stats()
      assert.equal([depth, leaves, nodes], [1, 2, 3])
    }
})

test('leafSize out of range throws RangeError', () => {
  for (const dimensions of [2, 3])
    for (const leafSize of [0, 2 ** 28 + 1])
      assertThrown(() => empty(dimensions, { leafSize }), /^RangeError: Index(3D)?: leafSize /)
  assert.is(built(2, [1, 2], { leafSize: 2 ** 28 }).nearest(0, 0), 0)
})

test('queries visit few nodes', () => {
  const n = 10_000
  const random = createRandom(2)
  const tree = unbuilt(2, distributions.uniform(random, n, 2), { leafSize: 4 })
  for (let i = 0; i < n; i++) tree.groups[i] = tree.positions[2 * i] < 500 ? 1 : 2
  tree.build()
  const { depth, nodes } = tree.stats()
  assert.ok(nodes > 4000)
  /** Returns the maximum number of nodes that one of a hundred queries visits. */
  const mostVisits = (query) => {
    let visits = 0
    for (let i = 0; i < 100; i++) {
      query(random() * 1000, random() * 1000)
      visits = Math.max(visits, tree.stats().visits)
    }
    return visits
  }
  assert.ok(mostVisits((x, y) => tree.nearest(x, y)) < 4 * depth)
  assert.ok(mostVisits((x, y) => tree.neighbors(x, y, 5)) < 6 * depth, 'up to three tries')
  assert.ok(mostVisits((x, y) => tree.within(x, y, 10)) < 5 * depth)
  assert.ok(mostVisits((x, y) => tree.range(x, y, x + 20, y + 20)) < 5 * depth)
  assert.ok(mostVisits((x, y) => tree.cone(x, y, 1, 0, 0.3, 20)) < 5 * depth)
  assert.ok(mostVisits((x, y) => tree.anyWithin(x, y, 100)) < 3 * depth, 'stops at the first')
  assert.is(
    mostVisits((x, y) => tree.countWithin(x, y, 1500)),
    1,
    'all inside: counted untested',
  )
  assert.ok(mostVisits((x, y) => tree.within(x, y, 10, { mask: 4 })) <= 1, 'no agent matches')
  assert.ok(mostVisits((x, y) => tree.within(x, y, 1500, { mask: 1 })) < 0.6 * nodes, 'half match')
})

test.run()
