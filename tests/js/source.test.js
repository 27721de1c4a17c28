// The option `source`: an index over the agents of a crowd, or of another index, without buffers of its own.
// It must return the same as an index with the same agents in its own buffers, bit for bit.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './support/fastcheck.js'
import { assertSame, assertThrown, bits, className, KINDS, thrown } from './support/indexes.js'
import { createRandom, distributions, integer, pick } from '../../web/random.js'

const RUNS = runsOf(60)
const NAMES = Object.keys(distributions)
const SOURCES = [...Object.keys(KINDS), 'Crowd']
const MAX_AGENTS = 60

const test = suite('source')
let instance

test.before(async () => {
  instance = await copse.create()
})

const create = (kind, dimensions, options) =>
  new copse[className(kind, dimensions)]({ instance, ...KINDS[kind]?.required, ...options })

/** Returns a source with free slots, and with agents that have no group or are disabled. */
function drawSource(kind, dimensions, random) {
  const capacity = 1 + integer(random, MAX_AGENTS)
  const layout = kind !== 'Crowd' && random() < 0.5 ? 'separate' : undefined
  const source = create(kind, dimensions, { capacity, layout })
  change(source, kind, dimensions, random)
  return source
}

function addAgent(source, kind, position) {
  if (kind === 'Crowd') source.add({ position: [...position] })
  else source.add(...position)
}

/** Removes, adds and moves agents, and draws their groups, masks and radii. */
function change(source, kind, dimensions, random) {
  const places = distributions[pick(random, NAMES)](random, source.capacity, dimensions)
  const placeOf = (slot) => places.subarray(slot * dimensions, (slot + 1) * dimensions)
  for (let slot = 0; slot < source.slots; slot++)
    if (source.has(slot) && random() < 0.2) source.remove(slot)
  const wanted = integer(random, source.capacity + 1)
  while (source.count < wanted) addAgent(source, kind, placeOf(source.count))
  const drawsGroups = random() < 0.5
  for (let slot = 0; slot < source.slots; slot++) {
    if (source.has(slot)) source.move(slot, ...placeOf(slot))
    // Also in free slots, which an index must ignore.
    if (drawsGroups) source.groups[slot] = integer(random, 4)
    source.masks[slot] = random() < 0.5 ? -1 : integer(random, 4)
    source.radii[slot] = 20 * random()
    if (kind === 'Crowd') source.enabled[slot] = random() < 0.8 ? 1 : 0
  }
}

/** Returns an index with the agents of a source in its own buffers. */
function copyOf(kind, dimensions, source, options) {
  const own = create(kind, dimensions, { ...options, capacity: source.capacity })
  const { slots } = source
  own.slots = slots
  for (let slot = 0; slot < slots; slot++) {
    for (let axis = 0; axis < dimensions; axis++)
      own.positions[slot * dimensions + axis] = coordinate(source, dimensions, slot, axis)
    const isPresent = source.has(slot) && (source.enabled?.[slot] ?? 1)
    own.groups[slot] = isPresent ? source.groups[slot] : 0
    own.masks[slot] = source.masks[slot]
    own.radii[slot] = source.radii[slot]
  }
  own.build()
  return own
}

const isSeparate = (object) => object._layout === 'separate'

function coordinate(source, dimensions, slot, axis) {
  if (isSeparate(source)) return source[['xs', 'ys', 'zs'][axis]][slot]
  return source.positions[slot * dimensions + axis]
}

/** Makes both indexes run the same queries. */
function compare(index, own, dimensions, random, wraps) {
  /** Draws a place: on an agent, or anywhere. */
  const place = () => {
    const slot = integer(random, 2 * own.slots + 1)
    return Array.from({ length: dimensions }, (_, axis) =>
      slot < own.slots ? own.positions[slot * dimensions + axis] : 1000 * random(),
    )
  }
  const radius = pick(random, [0, 300 * random(), 300 * random(), Infinity])
  const segments = Float32Array.from([...place(), ...place(), ...place(), ...place()])
  const mask = pick(random, [undefined, 1, 2])
  const [exclude, inflate] = [integer(random, own.slots + 1), 30 * random()]
  const lists = {
    mask: Uint32Array.of(1, 3),
    exclude: Uint32Array.of(exclude, -1),
    inflate: Float32Array.of(inflate, 0),
  }
  const planes = Float32Array.of(1, 0, 0, -place()[0], 0, -1, 0.5, 700)
  const flat = [
    ['range', ...place(), ...place(), { mask }],
    ['countRange', ...place(), ...place()],
    ['cone', ...place(), ...new Array(dimensions).fill(1), 0.6, radius, { mask }],
    ['raycast', ...place(), ...place(), { mask, exclude, inflate }],
    ['raycastAll', ...place(), ...place(), { mask, exclude, inflate }],
    ['raycastMany', segments, { mask }],
    ['raycastMany', segments, lists],
    ['rangeMany', segments, { mask, exclude }],
    ...(dimensions === 3 ? [['frustum', planes, { mask }]] : []),
  ]
  const calls = [
    ...(wraps ? [] : flat), // a world that wraps around refuses these
    ['within', ...place(), radius, { mask }],
    ['nearest', ...place(), { mask }],
    ['neighbors', ...place(), 5, { mask }],
    ['countWithin', ...place(), radius],
    ['anyWithin', ...place(), radius],
    ['pairs', { mask }],
    ['pairs', radius / 4],
    ['allWithin', radius / 2, { mask }],
    ['allNeighbors', { k: 3, mask }],
    ['withinMany', segments, radius / 2],
    ['nearestMany', segments, { k: 2 }],
    ['order'],
    ['cells'],
  ]
  for (const [name, ...args] of calls)
    assertEqual(index[name](...args), own[name](...args), `${name} ${args}`)
  const stats = ({ agents, skipped, nodes, leaves, depth }) => [
    agents,
    skipped,
    nodes,
    leaves,
    depth,
  ]
  assert.equal(stats(index.stats()), stats(own.stats()))
}

/** Compares results: numbers, arrays, hits, or the rows of a batch. */
function assertEqual(result, expected, message) {
  if (ArrayBuffer.isView(expected)) return assertSame(bits(result), bits(expected), message)
  if (typeof expected !== 'object' || expected === null) return assert.is(result, expected, message)
  if (!expected.counts) {
    for (const [name, value] of Object.entries(expected)) assertEqual(result[name], value, message)
    return
  }
  assert.equal(rowsOf(result, message), rowsOf(expected, message), message)
}

/** Returns the rows of a batch, as arrays of ids and squared distances. */
function rowsOf({ offsets, counts, ids, distances2 }, message) {
  const k = message.startsWith('nearestMany') ? 2 : 3
  return Array.from(counts, (count, row) => {
    const begin = offsets ? offsets[row] : row * k
    const part = (array) => [...(array?.subarray(begin, begin + count) ?? [])]
    return [part(ids), part(distances2)]
  })
}

const drawnCase = fc.record({
  dimensions: fc.constantFrom(2, 3),
  seed: fc.nat(),
})

for (const kind of Object.keys(KINDS))
  for (const sourceKind of SOURCES)
    test(`a ${kind} over a ${sourceKind} finds what one with a copy finds`, () => {
      forAll(drawnCase, Math.ceil(RUNS / 10), ({ dimensions, seed }) => {
        const random = createRandom(seed)
        const source = drawSource(sourceKind, dimensions, random)
        const options = { ...pick(random, KINDS[kind].variants) }
        if (kind === 'Grid' && random() < 0.3)
          options.wrap = Array.from({ length: 2 * dimensions }, (_, i) =>
            i < dimensions ? -9 : 700,
          )
        const index = create(kind, dimensions, { ...options, source })
        for (let frame = 0; frame < 3; frame++) {
          if (frame === 2) source.reserve(source.capacity + 1 + integer(random, 50))
          change(source, sourceKind, dimensions, random)
          index.build()
          assert.is(index.capacity, source.capacity)
          assert.is(index.slots, source.slots)
          assert.is(index.count, source.count)
          assert.ok(index.validate())
          const own = copyOf(kind, dimensions, source, options)
          compare(index, own, dimensions, random, options.wrap)
          own.dispose()
        }
        index.dispose()
        source.dispose()
      })
    })

test('arrays are those of the source', () => {
  for (const kind of SOURCES) {
    const source = create(kind, 2, { capacity: 5 })
    addAgent(source, kind, [1, 2])
    const index = create('Grid', 2, { source })
    for (const name of ['positions', 'groups', 'masks', 'radii', 'generations'])
      assert.is(index[name], source[name], name)
    assert.is(index.capacity, 5)
    assert.is(index.count, 1)
    assert.is(index.slots, 1)
    assert.ok(index.has(0) && !index.has(1) && !index.has('0'))
    source.reserve(50)
    assert.is(index.capacity, 50)
    assert.is(index.positions.length, 100)
  }
})

test('radii written by way of the index count in the source too', () => {
  const source = create('AgentTree', 2, {})
  source.add(5, 0)
  const index = create('Grid', 2, { source })
  index.radii[0] = 2
  index.build()
  source.build()
  assert.is(index.raycast(0, 0, 10, 0).fraction, Math.fround(0.3))
  assert.is(source.raycast(0, 0, 10, 0).fraction, Math.fround(0.3))
})

test('a layout of one array per axis is that of the source', () => {
  const source = create('AgentTree', 3, { layout: 'separate' })
  const index = create('KdTree', 3, { source })
  assert.is(index.zs, source.zs)
  assertThrown(() => index.positions, /^TypeError: KdTree3D.positions: the layout is 'separate'/)
})

test('an index over an index with a source reads the source of that', () => {
  const crowd = create('Crowd', 2, { capacity: 9 })
  crowd.add({ position: [3, 4] })
  const first = create('Grid', 2, { source: crowd })
  const second = create('KdTree', 2, { source: first })
  first.dispose()
  second.build()
  assert.equal([...second.within(3, 4, 0)], [0])
})

test('takes less memory than an index with buffers of its own', () => {
  for (const kind of Object.keys(KINDS)) {
    const source = create('Crowd', 2, { capacity: 1000 })
    const own = create(kind, 2, { capacity: 1000 })
    const { bytes } = create(kind, 2, { source }).stats()
    // Positions, groups, generations, masks and radii.
    assert.ok(own.stats().bytes - bytes >= 1000 * 4 * 6)
  }
})

test('rows of slots that the source took after the build are empty', () => {
  const source = create('AgentTree', 2, { capacity: 3 })
  source.add(0, 0)
  source.add(1, 0)
  const index = create('AgentTree', 2, { source })
  index.build()
  source.reserve(40)
  source.slots = 40
  for (const rows of [index.allWithin(2), index.allNeighbors({ k: 1 })])
    assert.equal([...rows.counts], [1, 1, ...Array(38).fill(0)])
  assert.equal([...index.allWithin(2).offsets.subarray(2)], Array(38).fill(0))
})

test('masks of the source take effect at once', () => {
  const source = create('Crowd', 2, {})
  for (const x of [0, 1]) source.add({ position: [x, 0] })
  const index = create('AgentTree', 2, { source })
  index.build()
  source.masks[0] = 2
  assert.equal([...index.allWithin(2).counts], [0, 1])
  assert.equal([...index.allNeighbors({ k: 1 }).counts], [0, 1])
})

test('changes and snapshots are refused, and change nothing', () => {
  for (const kind of Object.keys(KINDS)) {
    const source = create('Crowd', 2, { capacity: 4 })
    source.add({ position: [1, 1] })
    const index = create(kind, 2, { source })
    index.build()
    const calls = {
      add: () => index.add(1, 2),
      move: () => index.move(0, 1, 2),
      remove: () => index.remove(0),
      clear: () => index.clear(),
      slots: () => (index.slots = 3),
      reserve: () => index.reserve(100),
      save: () => index.save(),
      saveInto: () => index.saveInto(new Uint8Array(999)),
      restore: () => index.restore(new Uint8Array(999)),
    }
    for (const [name, call] of Object.entries(calls))
      assert.is(
        String(thrown(call)),
        `TypeError: ${kind}.${name}: the agents are those of the source, Crowd`,
      )
    assert.equal([index.slots, index.count, index.capacity], [1, 1, 4])
    assert.equal([...index.within(1, 1, 0)], [0])
  }
})

test('wrong sources are refused', async () => {
  const crowd = create('Crowd', 2, {})
  const gone = create('Crowd', 2, {})
  const over = create('Grid', 2, { source: gone })
  gone.dispose()
  const box = new copse.Quadtree({ instance, bounds: [0, 0, 1, 1] })
  const cases = [
    [{ source: 1 }, 'TypeError: Grid: source must be a crowd or an index of points, got 1'],
    [{ source: null }, 'TypeError: Grid: source must be a crowd or an index of points, got null'],
    [
      { source: box },
      'TypeError: Grid: source must be a crowd or an index of points, got Quadtree',
    ],
    [
      { source: crowd, capacity: 9 },
      'TypeError: Grid: capacity is that of the source: leave it out',
    ],
    [
      { source: crowd, layout: 'separate' },
      'TypeError: Grid: layout is that of the source: leave it out',
    ],
    [{ source: gone }, 'CopseError: Grid: the source was disposed'],
    [{ source: over }, 'CopseError: Grid: the source was disposed'],
    [
      { source: create('Crowd', 3, {}) },
      'RangeError: Grid: source must be of 2 dimensions, got Crowd3D',
    ],
    [
      { source: crowd, instance: await copse.create() },
      "RangeError: Grid: source must be of the option 'instance', got Crowd",
    ],
  ]
  for (const [options, message] of cases)
    assert.is(String(thrown(() => new copse.Grid({ cellSize: 1, ...options }))), message)
  assertThrown(
    () => copse.KdTree.from(create('KdTree', 2, {}).save(), { source: crowd }),
    /^TypeError: KdTree.from: no option 'source'/,
  )
})

test('disposing of the source first is safe', () => {
  for (const kind of SOURCES) {
    const source = create(kind, 2, { capacity: 100 })
    addAgent(source, kind, [1, 1])
    const index = create('AgentTree', 2, { source })
    index.build()
    source.dispose()
    const calls = {
      build: () => index.build(),
      positions: () => index.positions,
      radii: () => index.radii,
      masks: () => index.masks,
      slots: () => index.slots,
      count: () => index.count,
      capacity: () => index.capacity,
      has: () => index.has(0),
      allWithin: () => index.allWithin(1),
      allNeighbors: () => index.allNeighbors({ k: 1 }),
    }
    for (const [name, call] of Object.entries(calls)) {
      const error = thrown(call)
      assert.is(error.code, 'DISPOSED')
      assert.is(error.message, `AgentTree.${name}: the source was disposed`)
    }
    // Queries still see the last build.
    assert.equal([...index.within(1, 1, 0)], [0])
    assert.equal([...index.neighbors(1, 1, 5)], [0])
    assert.ok(index.validate())
    index.dispose()
  }
})

test('positions and radii that a build refuses are named', () => {
  const source = create('Crowd', 2, { capacity: 4 })
  for (const x of [0, 1, 2]) source.add({ position: [x, 0] })
  const index = create('Grid', 2, { source })
  const skipping = create('Grid', 2, { source, onNonFinite: 'skip' })
  index.build()
  source.positions[2] = NaN
  const error = thrown(() => index.build())
  assert.equal([error.code, error.index], ['NOT_FINITE', 1])
  assert.is(index.countWithin(1, 0, 0), 1)
  skipping.build()
  assert.is(skipping.stats().skipped, 1)
  source.positions[2] = 1
  source.radii[2] = -1
  assertThrown(
    () => index.build(),
    /^RangeError: Grid.build: radii\[2\] must be a number ≥ 0, got -1/,
  )
  source.remove(2)
  index.build()
})

test('a step of the crowd does not change the last build', () => {
  const crowd = create('Crowd', 2, {})
  crowd.add({ position: [0, 0], velocity: [1, 0], preferredVelocity: [1, 0] })
  const index = create('Grid', 2, { source: crowd })
  index.build()
  crowd.step(1)
  assert.is(index.nearest(0, 0, { maxDistance: 0 }), 0)
  index.build()
  assert.is(index.nearest(1, 0, { maxDistance: 0 }), 0)
})

test.run()
