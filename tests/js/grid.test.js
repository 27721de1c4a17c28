// Compares the grids with brute force. Cells range from far too small (cells share entries of the table) to one
// cell for all agents. wrap.test.js does the same in worlds that wrap around.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { testBatchResults } from './support/point-batches.js'
import { drawnOptions, MIN_CELL_SIZE, optionsOf } from './support/grid-options.js'
import { assertThrown, maker } from './support/indexes.js'
import { testProperties } from './support/point-queries.js'
import { testSlots } from './support/point-slots.js'
import { createRandom, distributions } from '../../web/random.js'

testProperties('Grid', { drawnOptions, optionsOf })
testBatchResults('Grid', { drawnOptions, optionsOf })
testSlots('Grid')

// ---- Grids only ----

const test = suite('grid')
const { start, built, empty, unbuilt } = maker(copse, 'Grid')
test.before(start)

test('cells begin half a column and half a row before the first agent', () => {
  const grid = built(2, [0, 0, 1, 1, 9, 0], { cellSize: 4 })
  const boxes = [
    [-0.125, -2, 3.875, 2, 0, 2],
    [7.875, -2, 11.875, 2, 0, 1],
  ]
  assert.equal(grid.cells(), Float32Array.from(boxes.flat()))
  const { nodes, leaves, depth } = grid.stats()
  assert.equal([nodes, leaves, depth], [37, 3, 0], 'entries, three of which have agents')
})

test('agents are in the order of rows, columns and ids', () => {
  const grid = built(2, [5, 9, 0, 9, 2, 0, 2, 0, 0, 0, 0.1, 0], { cellSize: 4 })
  assert.equal(grid.order(), Uint32Array.of(4, 5, 2, 3, 1, 0))
  assert.equal(grid.within(0, 0, 99), Uint32Array.of(4, 5, 2, 3, 1, 0))
})

test('a huge, sparse world takes no more memory than a small one', () => {
  const n = 10_000
  for (const dimensions of [2, 3])
    for (const cellSize of [1e-20, 0.01, 1])
      for (const spread of [0, 1, 1e6, 1e18]) {
        const coordinates = distributions.uniform(createRandom(3), n, dimensions)
        const options = { cellSize }
        const grid = unbuilt(
          dimensions,
          coordinates.map((x) => (x / 1000) * spread),
          options,
        )
        const { bytes } = grid.stats()
        grid.build()
        assert.is(grid.stats().bytes, bytes)
        assert.ok(grid.stats().nodes <= 4 * n + 64)
        // 60 bytes per agent are the arrays of every index; 20 more hold third coordinates.
        assert.ok(bytes <= (64 + 60 + (dimensions - 2) * 20) * n + 4096, `${bytes / n} an agent`)
        assert.ok(grid._validate())
        grid.dispose()
      }
})

test('a line of agents is spread over many entries', () => {
  const n = 4096
  for (const dimensions of [2, 3])
    for (let axis = 0; axis < dimensions; axis++) {
      const coordinates = new Float32Array(n * dimensions).map((_, i) =>
        i % dimensions === axis ? 3 * Math.floor(i / dimensions) : i < dimensions ? 1e6 : 0,
      )
      const { leaves } = built(dimensions, coordinates).stats()
      assert.ok(leaves > n / 2, `${leaves} entries for ${n} agents along axis ${axis}`)
    }
})

test('queries read few runs', () => {
  const n = 10_000
  const random = createRandom(2)
  const grid = built(2, distributions.uniform(random, n, 2), { cellSize: 20 })
  const mostVisits = (query) => {
    let visits = 0
    for (let i = 0; i < 100; i++) {
      query(random() * 1000, random() * 1000)
      visits = Math.max(visits, grid.stats().visits)
    }
    return visits
  }
  assert.ok(mostVisits((x, y) => grid.within(x, y, 20)) <= 3, 'a row of cells is one run')
  assert.ok(mostVisits((x, y) => grid.range(x, y, x + 1, y + 1)) <= 2)
  assert.ok(mostVisits((x, y) => grid.cone(x, y, 1, 0, 0.3, 20)) <= 3)
  assert.ok(mostVisits((x, y) => grid.nearest(x, y)) <= 12)
  assert.ok(mostVisits((x, y) => grid.neighbors(x, y, 5)) <= 12)
  assert.ok(mostVisits((x, y) => grid.anyWithin(x, y, 500)) <= 3, 'stops at the first')
  assert.is(
    mostVisits((x, y) => grid.within(x, y, 20, { mask: 2 })),
    0,
    'no agent matches',
  )
})

test('cellSize may be any float32 above 0', () => {
  for (const cellSize of [MIN_CELL_SIZE, 3.4e38])
    assert.is(empty(2, { cellSize }).cells().length, 0)
  assertThrown(() => new copse.Grid(), /^TypeError: Grid: cellSize must be /)
  assertThrown(() => new copse.Grid3D({}), /^TypeError: Grid3D: cellSize must be .* undefined$/)
})

test.run()
