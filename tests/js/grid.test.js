// Compares the grids with brute force. Cells range from far too small (cells share entries of the table) to one
// cell for all agents.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import { testBatches } from './support/point-batches.js'
import { assertThrown, maker } from './support/indexes.js'
import * as oracle from './support/point-oracle.js'
import { testProperties } from './support/point-queries.js'
import { testSlots } from './support/point-slots.js'
import { createRandom, distributions } from '../../web/random.js'

const { fround } = Math

/** Returns the longest side of the bounds of all agents that a build includes. */
function extentOf(agents) {
  const { count, dimensions, positions } = agents
  let extent = 0
  for (let axis = 0; axis < dimensions; axis++) {
    let [lo, hi] = [Infinity, -Infinity]
    for (let id = 0; id < count; id++) {
      if (!oracle.isPresent(agents, id)) continue
      lo = Math.min(lo, positions[id * dimensions + axis])
      hi = Math.max(hi, positions[id * dimensions + axis])
    }
    extent = Math.max(extent, hi - lo)
  }
  return extent
}

const MIN_CELL_SIZE = 2 ** -149
const LARGE_FLOAT32 = 3e38

/** The size of a cell, or the number of cells along the longest side. */
const drawnOptions = fc.oneof(
  fc.record({ size: fc.constantFrom(8, 1, 50, 1e-20, 1e20, MIN_CELL_SIZE, LARGE_FLOAT32) }),
  fc.record({ side: fc.constantFrom(3, 1, 0.3, 7.5, 20, 100, 1e4, 1e7) }),
)

/** The same in worlds that wrap around. */
const drawnWorlds = fc.tuple(drawnOptions, fc.constantFrom('cube', 'slab', 'far', 'bounds', 'tiny'))

function optionsOf({ size, side }, agents) {
  const cellSize = size ?? (extentOf(agents) || 1) / side
  return { cellSize: Math.max(MIN_CELL_SIZE, fround(cellSize)) }
}

/** Returns options with a world: around all agents, or so that most of them are outside of it. */
function wrappedOptionsOf([options, world], agents) {
  const { dimensions } = agents
  const extent = extentOf(agents) || 1
  const boundary = Math.min(extent, 1e17)
  const sides = {
    cube: [0, 0, 0, 1000, 1000, 1000],
    slab: [-30, 100, -7, 610.5, 101, 7],
    far: [1e6, -1e6, 1e5, 1e6 + 1000, -1e6 + 300, 1e5 + 500],
    bounds: [0, 0, 0, boundary, boundary, boundary],
    tiny: [-1e-3, 0, 0, 1e-3, 1e-2, 1],
  }[world]
  const wrap = [...sides.slice(0, dimensions), ...sides.slice(3, 3 + dimensions)]
  return { ...optionsOf(options, agents), wrap }
}

/** Cells beyond this number along an axis share the last number. */
const MAX_CELLS = 2 ** 20

/** Checks that each agent is in exactly one cell and within its bounds, and that cells have the wanted size. */
function checkCells({ agents, indexes: [grid], options: { cellSize } }) {
  const { count, dimensions, positions } = agents
  const stats = grid.stats()
  assert.is(stats.depth, 0)
  assert.ok(stats.nodes <= 4 * stats.agents + 64)
  assert.ok(stats.leaves <= Math.min(stats.nodes, stats.agents))
  assert.is(stats.leaves > 0, stats.agents > 0)

  const extent = extentOf(agents)
  const exact = extent / cellSize < MAX_CELLS && cellSize > 1e-29
  const magnitude = positions.subarray(0, count * dimensions).reduce((greatest, x) => {
    return Math.abs(x) <= 1e18 ? Math.max(greatest, Math.abs(x)) : greatest
  }, cellSize)
  const tolerance = magnitude * 2 ** -20
  const cells = grid.cells()
  const order = grid.order()
  const width = 2 * dimensions + 2
  let place = 0
  for (let offset = 0; offset < cells.length; offset += width) {
    const inside = cells[offset + 2 * dimensions + 1]
    assert.ok(inside > 0)
    assert.is(cells[offset + 2 * dimensions], 0)
    for (let axis = 0; exact && axis < dimensions; axis++) {
      const [lo, hi] = [cells[offset + axis], cells[offset + dimensions + axis]]
      assert.ok(Math.abs(hi - lo - cellSize) <= tolerance, `${hi} - ${lo} is not ${cellSize}`)
      for (let i = place; i < place + inside; i++) {
        const x = positions[order[i] * dimensions + axis]
        assert.ok(x >= lo - tolerance && x <= hi + tolerance, `${x} not in ${lo} … ${hi}`)
      }
    }
    place += inside
  }
  assert.is(place, stats.agents)
}

/** Checks that cells that divide a world are in it, and as wide as each other. */
function checkWorld({ agents: { dimensions }, indexes: [grid], options: { wrap } }) {
  const cells = grid.cells()
  const width = 2 * dimensions + 2
  const { agents, nodes } = grid.stats()
  assert.ok(nodes <= 4 * agents + 64)
  let count = 0
  for (let offset = 0; offset < cells.length; offset += width) {
    count += cells[offset + width - 1]
    for (let axis = 0; axis < dimensions; axis++) {
      const [min, max] = [fround(wrap[axis]), fround(wrap[dimensions + axis])]
      const [lo, hi] = [cells[offset + axis], cells[offset + dimensions + axis]]
      const tolerance = (Math.abs(min) + Math.abs(max)) * 2 ** -20
      assert.ok(lo >= min - tolerance && hi <= max + tolerance, `${lo} … ${hi} of ${wrap}`)
      assert.ok(Math.abs(hi - lo - (cells[dimensions + axis] - cells[axis])) <= tolerance)
    }
  }
  assert.is(count, agents)
}

testProperties('Grid', { drawnOptions, optionsOf, checkCells })
testBatches('Grid', { drawnOptions, optionsOf })
const wrapped = { drawnOptions: drawnWorlds, optionsOf: wrappedOptionsOf, checkCells: checkWorld }
testProperties('Grid', wrapped)
testBatches('Grid', wrapped)
testSlots('Grid', { drawnOptions, optionsOf })

// ---- Grids only ----

const test = suite('grid')
const { start, built, empty, unbuilt } = maker(simd, 'Grid')
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
        assert.ok(grid.validate())
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
  assertThrown(() => new simd.Grid(), /^TypeError: Grid: cellSize must be /)
  assertThrown(() => new simd.Grid3D({}), /^TypeError: Grid3D: cellSize must be .* undefined$/)
})

test('wrap takes the sides of a world, min before max', () => {
  const make = (wrap, dimensions = 2) => empty(dimensions, { wrap })
  assertThrown(() => make([0, 0, 1]), /^RangeError: Grid: wrap.length must be 4, got 3$/)
  assertThrown(() => make([0, 0, 1, 1], 3), /^RangeError: Grid3D: wrap.length must be 6, got 4$/)
  assertThrown(() => make([0, 0, '1', 1]), /^TypeError: Grid: wrap\[2\] must be /)
  assertThrown(() => make([0, 0, 1, NaN]), /^RangeError: Grid: wrap\[3\] must be /)
  assertThrown(() => make([0, 0, 1e19, 1]), /^RangeError: Grid: wrap\[2\] must be /)
  for (const max of [0, -1, 1e-50])
    assertThrown(
      () => make([0, 0, 1, max]),
      /^RangeError: Grid: wrap\[1\] must be less than wrap\[3\], got 0$/,
    )
})

test('a world that wraps around leaves positions as they are, and refuses boxes, cones and rays', () => {
  const grid = built(2, [1, 1, 99, 99, 250, 1, -50, 1], { wrap: [0, 0, 100, 100] })
  assert.equal([...grid.positions.subarray(0, 8)], [1, 1, 99, 99, 250, 1, -50, 1])
  assert.equal([...grid.within(301, -199, 3, { sort: 'id' })], [0, 1])
  assert.equal([...grid.pairs(0)], [2, 3])
  assert.is(grid.nearest(-1, 99.5), 1)
  const calls = {
    range: [0, 0, 1, 1],
    rangeInto: [0, 0, 1, 1, new Uint32Array(1)],
    countRange: [0, 0, 1, 1],
    rangeMany: [new Float32Array(4)],
    cone: [0, 0, 1, 0, 1, 5],
    coneInto: [0, 0, 1, 0, 1, 5, new Uint32Array(1)],
    raycast: [0, 0, 1, 1],
    raycastAll: [0, 0, 1, 1],
    raycastMany: [new Float32Array(4)],
  }
  for (const [method, geometry] of Object.entries(calls))
    assertThrown(
      () => grid[method](...geometry),
      new RegExp(`^TypeError: Grid.${method}: not in a world that wraps around$`),
    )
})

test('what a world that wraps around refuses does not grow memory', async () => {
  const instance = await simd.create()
  const wrap = [0, 0, 0, 9, 9, 9]
  const grid = new simd.Grid3D({ cellSize: 1, capacity: 4, wrap, instance })
  grid.build()
  const { byteLength } = instance.memory.buffer
  const large = new Float32Array(12e6)
  for (const method of ['rangeMany', 'raycastMany', 'frustum', 'frustumInto'])
    assertThrown(
      () => grid[method](large, new Uint32Array(1)),
      new RegExp(`^TypeError: Grid3D.${method}: not in a world that wraps around$`),
    )
  assert.is(instance.memory.buffer.byteLength, byteLength)
  grid.dispose()
  assertThrown(() => grid.frustum(large), /^CopseError: Grid3D.frustum: the object was disposed$/)
})

test('a snapshot says if it is of another world', () => {
  const wrap = [0, 0, 100, 100]
  const grid = built(2, [1, 50, 99, 250], { wrap })
  const saved = grid.save()
  const others = [undefined, [0, 0, 100, 101], [1, 0, 101, 100], [0, -1, 100, 99]]
  for (const other of others)
    assertThrown(
      () => empty(2, { wrap: other }).restore(saved),
      /Grid.restore: the snapshot has hash of wrap \d+, expected \d+$/,
    )
  const copy = empty(2, { wrap })
  copy.restore(saved)
  assert.equal(copy.save(), saved)
  assert.is(copy.countWithin(0, 50, 2), 2)
})

test.run()
