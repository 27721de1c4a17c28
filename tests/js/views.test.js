// The views that queries return: made once, and overwritten by the next query of the same kind.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { thrown } from './support/indexes.js'

const test = suite('views')
const instance = await copse.create()

/** Agents or boxes at x = 0, 1, … 5, so that ids are places. */
const OBJECTS = {
  AgentTree: () => filled(new copse.AgentTree({ instance, capacity: 6 })),
  Grid: () => filled(new copse.Grid({ instance, capacity: 6, cellSize: 2 })),
  KdTree: () => filled(new copse.KdTree({ instance, capacity: 6 })),
  Quadtree: () => filled(new copse.Quadtree({ instance, capacity: 6, bounds: [0, 0, 6, 6] })),
}
function filled(index) {
  for (let x = 0; x < 6; x++) index.add(x, 0)
  index.radii?.fill(0.25)
  index.build?.()
  return index
}

const SORTED = { sort: 'id' }
/** Queries that return ids, with a result of three. */
const WITH_IDS = {
  within: (index) => index.within(1, 0, 1, SORTED),
  range: (index) => index.range(0, 0, 2, 0, SORTED),
  neighbors: (index) => index.neighbors(1, 0, 3),
  cone: (index) => index.cone?.(0, 0, 1, 0, 1, 2, SORTED),
  raycastAll: (index) => index.raycastAll?.(0, 0, 2, 0).ids,
}
/** Queries that leave the ids of others valid. */
const WITHOUT_IDS = {
  nearest: (index) => index.nearest(5, 0),
  countWithin: (index) => index.countWithin(4, 0, 1),
  anyWithin: (index) => index.anyWithin(4, 0, 1),
  countRange: (index) => index.countRange(3, 0, 5, 0),
  raycast: (index) => index.raycast(6, 0, 3, 0),
  raycastMany: (index) => index.raycastMany(Float32Array.of(6, 0, 3, 0)),
  withinMany: (index) => index.withinMany(Float32Array.of(4, 0, 5, 0), 1),
  rangeMany: (index) => index.rangeMany(Float32Array.of(3, 0, 5, 0)),
  neighborsMany: (index) => index.neighborsMany(Float32Array.of(5, 0), 3),
  allWithin: (index) => index.allWithin?.(1),
  allNeighbors: (index) => index.allNeighbors?.(2),
  pairs: (index) => index.pairs(),
  count: (index) => index.count,
  stats: (index) => index.stats(),
}

for (const [name, create] of Object.entries(OBJECTS)) {
  test(`${name}: the ids of a query are valid until the next one that returns ids`, () => {
    const index = create()
    for (const [query, call] of Object.entries(WITH_IDS)) {
      const ids = call(index)
      if (ids === undefined) continue
      const kept = [...ids]
      assert.is(kept.length, 3, query)
      for (const [between, other] of Object.entries(WITHOUT_IDS)) {
        other(index)
        assert.equal([...ids], kept, `${query}, ${between}`)
      }
      const [next, longer] = [index.within(5, 0, 0), index.neighbors(5, 0, 6)]
      assert.equal([...next], [5], query)
      assert.equal([...longer], [5, 4, 3, 2, 1, 0], query)
      assert.equal([...ids], [5, 4, 3], `${query}: overwritten`)
    }
  })

  test(`${name}: a query returns the view that it made before for as many ids`, () => {
    const index = create()
    const ids = index.within(1, 0, 1)
    assert.is(index.neighbors(4, 0, 3), ids)
    assert.is(index.range(0, 0, 2, 0), ids)
    assert.is(index.within(0, 9, 1), index.within(9, 0, 1))
    assert.is(index.within(0, 9, 1).length, 0)
    instance.memory.grow(1)
    assert.is(ids.length, 0, 'detached')
    assert.equal([...index.within(1, 0, 1, SORTED)], [0, 1, 2])
  })

  test(`${name}: distances are those of the last ids, if the option asked for them`, () => {
    const index = create()
    const refused = () =>
      assert.match(thrown(() => index.distances2).message, /no option distances2/)
    const wanted = { distances2: true }
    refused()
    index.within(1, 0, 1)
    refused()
    assert.equal([...index.neighbors(5, 0, 3, wanted)], [5, 4, 3])
    const { distances2 } = index
    assert.equal([...distances2], [0, 1, 4])
    for (const other of Object.values(WITHOUT_IDS)) other(index)
    assert.equal([...index.distances2], [0, 1, 4])
    assert.equal([...distances2], [0, 1, 4])
    index.within(1, 0, 2, { sort: 'distance', ...wanted })
    assert.equal([...index.distances2], [0, 1, 1, 4])
    index.within(9, 9, 1, wanted)
    assert.equal([...index.distances2], [])
    index.range(0, 0, 2, 0)
    refused()
    index.neighbors(5, 0, 3, wanted)
    index.neighbors(5, 0, 3, { distances2: false })
    refused()
    if (!index.raycastAll) return
    index.cone(0, 0, 1, 0, 1, 2, { sort: 'distance', ...wanted })
    assert.equal([...index.distances2], [0, 1, 4])
    index.raycastAll(0, 0, 2, 0)
    refused()
    index.neighbors(5, 0, 3, wanted)
    index.reserve(50)
    refused()
    index.neighbors(5, 0, 3, wanted)
    index.restore(index.save())
    refused()
  })

  test(`${name}: results of two objects can be held at once`, () => {
    const [index, other] = [create(), create()]
    const ids = index.within(1, 0, 1, SORTED)
    assert.equal([...other.within(4, 0, 1, SORTED)], [3, 4, 5])
    assert.equal([...ids], [0, 1, 2])
  })
}

test('batches of one kind overwrite each other, those of others do not', () => {
  const index = OBJECTS.AgentTree()
  const rows = index.withinMany(Float32Array.of(0, 0, 3, 0), 0)
  const near = index.neighborsMany(Float32Array.of(0, 0, 3, 0), 1)
  const first = () => [rows.ids[0], rows.ids[1], near.ids[0], near.ids[1]]
  assert.equal(first(), [0, 3, 0, 3])
  index.raycastMany(Float32Array.of(6, 0, 3, 0))
  index.within(5, 0, 1)
  assert.equal(first(), [0, 3, 0, 3])
  const { ids, count } = index.pairs({ distance: 1 })
  assert.is(count, 5)
  assert.equal([...ids.slice(0, 2 * count)].sort().join(''), '0112233445')
  index.allNeighbors(1)
  assert.equal([...near.counts.subarray(0, 2)], [1, 1])
  assert.equal(first().slice(2), [1, 0], 'the nearest of agents 0 and 1')
})

test.run()
