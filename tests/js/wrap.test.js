// Compares the grids in worlds that wrap around with brute force.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { testBatchResults } from './support/point-batches.js'
import { drawnOptions, extentOf, optionsOf } from './support/grid-options.js'
import { assertThrown, maker } from './support/indexes.js'
import { testProperties } from './support/point-queries.js'

/** The size of cells, and a world. */
const drawnWorlds = fc.tuple(drawnOptions, fc.constantFrom('cube', 'slab', 'far', 'bounds', 'tiny'))

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

const wrapped = { drawnOptions: drawnWorlds, optionsOf: wrappedOptionsOf }
testProperties('Grid', wrapped)
testBatchResults('Grid', wrapped)

const test = suite('wrap')
const { start, built, empty } = maker(copse, 'Grid')
test.before(start)

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
  const { ids, count } = grid.pairs({ distance: 0 })
  assert.equal([...ids.subarray(0, 2 * count)], [2, 3])
  assert.is(grid.nearest(-1, 99.5), 1)
  const calls = {
    range: [0, 0, 1, 1],
    countRange: [0, 0, 1, 1],
    rangeMany: [new Float32Array(4)],
    cone: [0, 0, 1, 0, 1, 5],
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
  const instance = await copse.create()
  const wrap = [0, 0, 0, 9, 9, 9]
  const grid = new copse.Grid3D({ cellSize: 1, capacity: 4, wrap, instance })
  grid.build()
  const { byteLength } = instance.memory.buffer
  const large = new Float32Array(12e6)
  for (const method of ['rangeMany', 'raycastMany', 'frustum'])
    assertThrown(
      () => grid[method](large),
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
