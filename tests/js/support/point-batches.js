// Compares the batch queries of an index of any kind with brute force, on drawn cases: the SIMD and the
// scalar core must return the same bytes, and what a loop over all agents finds.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll, runsOf } from './fastcheck.js'
import {
  assertSame,
  assertThrown,
  bits,
  bytesOf,
  className,
  maker,
  ROW,
  thrown,
} from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(200)

const { fround } = Math
const MAX_K = 40

const drawnCase = (drawnOptions) =>
  fc.record({
    n: fc.oneof(
      { withCrossShrink: true },
      { weight: 97, arbitrary: fc.integer({ min: 0, max: 64 }) },
      { weight: 3, arbitrary: fc.integer({ min: 65, max: 400 }) },
    ),
    distribution: fc.constantFrom(...Object.keys(distributions)),
    seed: fc.noBias(fc.nat()),
    options: drawnOptions,
    masked: fc.boolean(),
    reserved: fc.boolean(),
    notFinite: fc.boolean(),
  })

/** Creates and builds an index that holds the agents. */
function indexOf({ empty }, agents, options) {
  const index = empty(agents.dimensions, options)
  index.slots = agents.count
  index.positions.set(agents.positions)
  index.groups.set(agents.groups)
  if (agents.masked) index.masks.set(agents.masks)
  index.radii.set(agents.radii)
  index.build()
  return index
}

const positionOf = (agents, id) =>
  agents.positions.subarray(id * agents.dimensions, (id + 1) * agents.dimensions)

/** Draws a distance: exactly that of two agents, or a special value. */
function drawDistance(random, agents) {
  const kind = integer(random, 4)
  const special = [0, Infinity, 50, agents.usual ?? 12]
  if (kind === 0 || agents.count === 0) return pick(random, special)
  const [a, b] = [integer(random, agents.count), integer(random, agents.count)]
  const distance = fround(Math.sqrt(oracle.distance2(agents, a, positionOf(agents, b))))
  return distance >= 0 ? distance : 50
}

/** Returns rows as arrays, by slot. */
const rowsOf = ({ offsets, counts, ids }, n) =>
  Array.from({ length: n }, (_, i) => ids.slice(offsets[i], offsets[i] + counts[i]))

/** Returns the options with which a batch queries for one agent. */
const ownOptions = (agents, id, mask) => ({ mask: mask & agents.masks[id], exclude: id })

function checkAllWithin(agents, indexes, radius, mask) {
  const [simdRows, scalarRows] = indexes.map((index) => {
    const { offsets, total, ...rest } = index.allWithin(radius, { mask })
    assert.ok(offsets.length >= agents.count && rest.ids.length >= total, 'room')
    const rows = rowsOf({ offsets, ...rest }, agents.count)
    return { offsets: offsets.slice(0, agents.count), rows, total }
  })
  const { rows } = simdRows
  for (let id = 0; id < agents.count; id++)
    assertSame(rows[id], scalarRows.rows[id], 'SIMD and scalar')
  const expected = Array.from({ length: agents.count }, (_, id) => {
    if (!oracle.isPresent(agents, id)) return new Uint32Array()
    return oracle.within(agents, positionOf(agents, id), radius, ownOptions(agents, id, mask)).ids
  })
  const total = expected.reduce((sum, row) => sum + row.length, 0)
  assert.is(simdRows.total, total)
  // Rows are complete, and follow each other without gaps.
  for (let id = 0; id < agents.count; id++)
    assertSame(rows[id].slice().sort(), expected[id], `row of ${id}`)
  const starts = rows.map((row, id) => [simdRows.offsets[id], row.length])
  starts.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  let end = 0
  for (const [start, length] of starts.filter((row) => row[1] > 0)) {
    assert.is(start, end)
    end += length
  }
}

function checkAllNeighbors(agents, indexes, k, maxDistance, mask) {
  const expected = Array.from({ length: agents.count }, (_, id) => {
    if (!oracle.isPresent(agents, id)) return { ids: [], words: [] }
    const options = { ...ownOptions(agents, id, mask), maxDistance }
    const { ids, distances2 } = oracle.neighbors(agents, positionOf(agents, id), k, options)
    return { ids, words: bits(new Float32Array(distances2)) }
  })
  for (const index of indexes) {
    const { counts, ids, distances2 } = index.allNeighbors({ k, maxDistance, mask })
    const words = bits(distances2)
    for (let id = 0; id < agents.count; id++) {
      const [begin, end] = [id * k, id * k + counts[id]]
      assertSame(ids.subarray(begin, end), expected[id].ids, `row of ${id}`)
      assertSame(words.subarray(begin, end), expected[id].words, `distances of ${id}`)
    }
  }
}

/** Checks pairs within a distance or, if that is undefined, of circles that touch. */
function checkPairs(agents, indexes, distance, mask) {
  const { radii } = agents
  const distanceArgs = distance === undefined ? [] : [distance]
  const [simdPairs, scalarPairs] = indexes.map((index) =>
    index.pairs(...distanceArgs, { mask }).slice(),
  )
  assertSame(simdPairs, scalarPairs, 'SIMD and scalar')
  const matching = []
  for (let id = 0; id < agents.count; id++)
    if (oracle.isPresent(agents, id) && (agents.groups[id] & mask) !== 0) matching.push(id)
  // A pair is encoded as a number: ascending by a, then by b.
  const expected = []
  for (const [i, a] of matching.entries()) {
    const center = positionOf(agents, a)
    for (let j = i + 1; j < matching.length; j++) {
      const b = matching[j]
      const reach = fround(distance ?? fround(radii[a] + radii[b]))
      if (oracle.distance2(agents, b, center) <= fround(reach * reach))
        expected.push(a * 2 ** 32 + b)
    }
  }
  const actual = Float64Array.from(
    { length: simdPairs.length / 2 },
    (_, i) => simdPairs[2 * i] * 2 ** 32 + simdPairs[2 * i + 1],
  ).sort()
  assertSame(actual, expected, 'pairs')
  const out = new Uint32Array(7).fill(0xdeadbeef)
  assert.is(indexes[0].pairsInto(...distanceArgs, out, { mask }), expected.length)
  const written = Math.min(6, simdPairs.length)
  assert.equal(out.subarray(0, written), simdPairs.subarray(0, written))
  assert.ok(out.subarray(written).every((id) => id === 0xdeadbeef))
}

/**
 * Draws points: often few, else enough for a k-d tree to handle them in groups, and more than the capacity. They
 * are spread, on agents, or all equal.
 */
function drawPlaces(random, agents) {
  const { dimensions, groups } = agents
  const n = integer(random, pick(random, [12, 12, 12, 400, 3 * groups.length + 1]))
  const points = Float32Array.from({ length: n * dimensions }, () => random() * 1000)
  const likeAgents = integer(random, 3)
  for (let i = 0; likeAgents && i < n; i++)
    if (likeAgents === 2) points.copyWithin(i * dimensions, 0, dimensions)
    else {
      const near = positionOf(agents, integer(random, agents.count || 1))
      if (near.every((x) => Math.abs(x) <= 1e18)) points.set(near, i * dimensions)
    }
  return points
}

/** Returns point i of places. */
const placeOf = (places, i, dimensions) => places.subarray(i * dimensions, (i + 1) * dimensions)

/** Returns the floats or, now and then, a copy in linear memory, which grows for the batch. */
function maybeInMemory(random, floats, index, other) {
  if (random() < 0.6 || floats.length === 0) return floats
  const { positions } = other(index, floats.length)
  positions.set(floats)
  return positions.subarray(0, floats.length)
}

function checkWithinMany(agents, indexes, places, radius, options, passFloats) {
  const { dimensions } = agents
  const n = places.length / dimensions
  const expected = Array.from(
    { length: n },
    (_, i) => oracle.within(agents, placeOf(places, i, dimensions), radius, options).ids,
  )
  for (const index of indexes) {
    const rows = index.withinMany(passFloats(places, index), radius, options)
    assert.is(
      rows.total,
      expected.reduce((sum, row) => sum + row.length, 0),
    )
    rowsOf(rows, n).forEach((row, i) => {
      assertSame(row, index.within(...placeOf(places, i, dimensions), radius, options))
      assertSame(row.slice().sort(), expected[i], `row of place ${i}`)
    })
  }
}

function checkRangeMany(agents, indexes, boxes, options, passFloats) {
  const { dimensions } = agents
  const n = boxes.length / (2 * dimensions)
  const boxAt = (i) => boxes.subarray(2 * i * dimensions, 2 * (i + 1) * dimensions)
  for (const index of indexes) {
    const rows = index.rangeMany(passFloats(boxes, index), options)
    const sizes = Array.from({ length: n }, (_, i) => index.countRange(...boxAt(i), options))
    assert.is(
      rows.total,
      sizes.reduce((sum, size) => sum + size, 0),
    )
    rowsOf(rows, n).forEach((row, i) => {
      assertSame(row, index.range(...boxAt(i), options))
      const [one, other] = [boxAt(i).subarray(0, dimensions), boxAt(i).subarray(dimensions)]
      const lo = one.map((x, axis) => Math.min(x, other[axis]))
      const hi = one.map((x, axis) => Math.max(x, other[axis]))
      assertSame(row.slice().sort(), oracle.range(agents, lo, hi, options).ids, `row of box ${i}`)
    })
  }
}

function checkNearestMany(agents, indexes, places, options, passFloats) {
  const { dimensions } = agents
  const { k, ...others } = options
  const n = places.length / dimensions
  for (const index of indexes) {
    const { counts, ids, distances2 } = index.nearestMany(passFloats(places, index), options)
    const words = bits(distances2)
    for (let i = 0; i < n; i++) {
      const expected = oracle.neighbors(agents, placeOf(places, i, dimensions), k, others)
      const [begin, end] = [i * k, i * k + counts[i]]
      assertSame(ids.subarray(begin, end), expected.ids, `row of place ${i}`)
      const expectedWords = bits(new Float32Array(expected.distances2))
      assertSame(words.subarray(begin, end), expectedWords, `distances of place ${i}`)
    }
  }
}

function checkRaycastMany(agents, indexes, segments, options, passFloats) {
  const { dimensions } = agents
  const expected = Array.from({ length: segments.length / (2 * dimensions) }, (_, i) => {
    const [from, to] = [2 * i, 2 * i + 1].map((end) => placeOf(segments, end, dimensions))
    return oracle.raycast(agents, from, to, agents.radii, options)
  })
  const fractions = bits(Float32Array.from(expected, ({ fraction }) => fraction))
  for (const index of indexes) {
    const hits = index.raycastMany(passFloats(segments, index), options)
    const n = expected.length
    assertSame(
      hits.ids.subarray(0, n),
      expected.map(({ id }) => id),
      'hits',
    )
    assertSame(bits(hits.fractions.subarray(0, n)), fractions, 'fractions')
  }
}

/** Returns a list in random order. */
const shuffled = (random, list) =>
  list
    .map((item) => [random(), item])
    .sort((a, b) => a[0] - b[0])
    .map(([, item]) => item)

/** Plays one case. */
function check(drawn, dimensions, makers, optionsOf) {
  const random = createRandom(drawn.seed)
  const capacity = Math.max(1, drawn.n)
  const agents = {
    dimensions,
    count: drawn.n,
    positions: distributions[drawn.distribution](random, capacity, dimensions),
    groups: new Uint32Array(capacity).fill(1),
    radii: Float32Array.from({ length: capacity }, () => random() * 20),
    masked: drawn.masked,
    masks: new Uint32Array(capacity).fill(0xffffffff),
  }
  if (drawn.masked)
    for (let id = 0; id < capacity; id++) {
      agents.groups[id] = integer(random, 5)
      agents.masks[id] = integer(random, 8)
    }
  if (drawn.notFinite) agents.positions[integer(random, agents.positions.length)] = NaN
  const options = {
    capacity,
    onNonFinite: drawn.notFinite ? 'skip' : 'error',
    ...optionsOf(drawn.options, agents),
  }
  agents.usual = options.cellSize
  agents.wrap = options.wrap
  const indexes = makers.map((make) => indexOf(make, agents, options))
  const others = new Map()
  /** Creates an index in the same memory: its positions are passed to the batch. */
  const other = (index, floats) => {
    const make = makers[indexes.indexOf(index)]
    others.get(index)?.dispose()
    others.set(index, make.empty(dimensions, { ...options, capacity: floats / dimensions }))
    return others.get(index)
  }
  const passFloats = (floats, index) => maybeInMemory(random, floats, index, other)
  try {
    if (drawn.reserved)
      for (const index of indexes)
        index.reserve(capacity, { results: integer(random, 4 * capacity), k: integer(random, 4) })
    const radius = drawDistance(random, agents)
    const mask = random() < 0.3 ? integer(random, 8) : 0xffffffff
    const exclude = integer(random, agents.count + 1) - 1
    const places = drawPlaces(random, agents)
    const segments = drawPlaces(random, agents)
    const wholeSegments = segments.subarray(
      0,
      segments.length - (segments.length % (2 * dimensions)),
    )
    const drawK = () => integer(random, Math.min(drawn.n + 2, MAX_K + 1))
    const [k, otherK] = [drawK(), drawK()]
    const maxDistance = random() < 0.5 ? Infinity : radius
    const nearest = { mask, exclude, maxDistance }
    const calls = [
      () => checkAllWithin(agents, indexes, radius, mask),
      () => checkAllWithin(agents, indexes, radius / 2, mask),
      () => checkAllNeighbors(agents, indexes, k, maxDistance, mask),
      () => checkAllNeighbors(agents, indexes, otherK, maxDistance, mask),
      () => checkPairs(agents, indexes, radius, mask),
      () => checkPairs(agents, indexes, undefined, mask),
      () => checkWithinMany(agents, indexes, places, radius, { mask, exclude }, passFloats),
      () => checkNearestMany(agents, indexes, places, { ...nearest, k }, passFloats),
    ]
    if (options.wrap)
      for (const index of indexes)
        for (const method of ['raycastMany', 'rangeMany'])
          assertThrown(
            () => index[method](wholeSegments),
            new RegExp(`^TypeError: .*.${method}: not in a world that wraps around$`),
          )
    else
      calls.push(
        () => checkRaycastMany(agents, indexes, wholeSegments, { mask, exclude }, passFloats),
        () => checkRangeMany(agents, indexes, wholeSegments, { mask, exclude }, passFloats),
      )
    for (const call of shuffled(random, calls)) call()
    const room = indexes.map((index) => index.stats().bytes)
    for (const call of shuffled(random, calls).slice(0, 3)) call()
    const roomAfter = indexes.map((index) => index.stats().bytes)
    assert.equal(roomAfter, room, 'no more room for the same results')
  } finally {
    for (const index of [...indexes, ...others.values()]) index.dispose()
  }
}

/** Creates a suite for a kind. `drawnOptions` draws options, `optionsOf` adapts them to the agents. */
export function testBatches(kind, { drawnOptions, optionsOf }) {
  const makers = [maker(simd, kind), maker(scalar, kind)]
  const { empty, built, assertCode, assertThrown } = makers[0]
  const test = suite(`batches of ${kind}`)
  test.before(() => Promise.all(makers.map(({ start }) => start())))

  for (const dimensions of [2, 3])
    test(`return what brute force returns, in ${dimensions}D`, () => {
      forAll(drawnCase(drawnOptions), RUNS, (drawn) => check(drawn, dimensions, makers, optionsOf))
    })

  test('return the same objects and views in every frame', () => {
    const index = built(2, [0, 0, 1, 0, 5, 0], { capacity: 10 })
    const [rows, near] = [index.allWithin(2), index.allNeighbors({ k: 2 })]
    const frame = () => {
      index.build()
      assert.is(index.allWithin(2), rows)
      assert.is(index.allNeighbors({ k: 1 }), near)
      return [rows.ids, rows.counts, rows.offsets, near.ids, near.counts, near.distances2]
    }
    const views = frame()
    frame().forEach((view, i) => assert.is(view, views[i]))
    index.dispose()
  })

  test('have rows for all slots of the last build and all present ones', () => {
    const index = built(2, ROW, { capacity: 9 })
    const others = (i) => [i - 1, i + 1].filter((id) => id >= 0 && id < 6)
    const assertAsBuilt = (slots) => {
      const rows = index.allWithin(1)
      assert.is(rows.total, 10)
      const near = index.allNeighbors({ k: 2, maxDistance: 1 })
      for (let i = 0; i < Math.max(slots, 6); i++) {
        const expected = i < 6 ? others(i) : []
        assert.equal([...(rowsOf(rows, slots)[i] ?? others(i))].sort(), expected)
        assert.equal([...near.ids.slice(2 * i, 2 * i + near.counts[i])].sort(), expected)
      }
      assert.is(index.pairs(1).length, 10)
    }
    for (const slots of [9, 2, 0, 7]) {
      index.slots = slots
      assertAsBuilt(slots)
    }
    index.clear()
    assertAsBuilt(0)
    for (let i = 0; i < 9; i++) index.add(i, i)
    index.remove(3)
    assertAsBuilt(9)
  })

  test('work after reserve, which keeps the masks', () => {
    const index = empty(2, { capacity: 2 })
    index.slots = 2
    assert.equal(index.masks, Uint32Array.of(0xffffffff, 0xffffffff))
    index.masks.set([2, 4])
    assert.is(index.order().length, 0)
    index.build()
    assert.is(index.allWithin(9).total, 0)
    assert.equal([...index.allNeighbors({ k: 1 }).counts.subarray(0, 2)], [0, 0])
    index.reserve(5)
    assert.equal(index.masks, Uint32Array.of(2, 4, 0xffffffff, 0xffffffff, 0xffffffff))
    index.slots = 5
    index.masks.fill(0xffffffff)
    index.build()
    assert.is(index.allWithin(0).total, 20)
    assert.is(index.pairs(0).length, 20)
    index.dispose()
  })

  test('pairs by radii use the radii of the last build', () => {
    const points = [0, 0, 1, 0, 2, 0, 3, 0, 9, 0, 9, 9]
    const sorted = (pairs) => [...pairs.slice().sort()]
    for (const isInto of [false, true]) {
      const index = built(2, points, { capacity: 9 })
      const pairs = () => {
        if (!isInto) return sorted(index.pairs())
        const out = new Uint32Array(40)
        return sorted(out.subarray(0, 2 * index.pairsInto(out)))
      }
      assert.equal(pairs(), [], 'radii are 0')
      index.radii.fill(0.5)
      assert.equal(pairs(), [], 'not built')
      index.build()
      const before = [0, 1, 1, 2, 2, 3]
      assert.equal(pairs(), before)
      index.radii.fill(50)
      for (const slots of [2, 0, 9]) {
        index.slots = slots
        assert.equal(pairs(), before)
      }
      index.slots = 2
      const bytes = index.save()
      index.build()
      assert.equal(pairs(), [0, 1])
      index.radii.fill(0.5)
      index.restore(bytes)
      assert.is(index.count, 2)
      assert.equal(pairs(), before, 'restore brings the radii')

      index.radii[1] = NaN
      index.slots = 6
      assertThrown(() => index.build(), /^RangeError: Index\.build: radii\[1\] .* got NaN$/)
      assert.equal(pairs(), before)

      // An option that builds again while it is read.
      const saved = index.save()
      const options = {
        get mask() {
          index.slots = 1
          index.radii.fill(0)
          index.build()
          return -1
        },
      }
      assert.is(index.pairs(options).length, 0)
      index.restore(saved)
      assert.is(index.pairsInto(9, new Uint32Array(2), options), 0)
      index.dispose()
    }
  })

  // ---- Memory ----

  /** Creates an index with n agents on one point: very many results. */
  const crowded = (n, options) => built(2, new Float32Array(2 * n).fill(5), options)

  test('take no memory before the first batch, and then once', async () => {
    const capacity = 100_000
    const index = empty(2, { capacity })
    const { bytes } = index.stats()
    assert.ok(bytes <= 116 * capacity, `${bytes / capacity} bytes an agent`)
    index.slots = capacity
    for (let i = 0; i < capacity; i++) index.positions.set([i % 300, i / 300], 2 * i)
    index.radii.fill(0.5)
    index.build()
    index.within(50, 50, 10)
    assert.is(index.stats().bytes, bytes)
    const segments = Float32Array.from({ length: 400 }, (_, i) => i)
    const calls = [
      () => index.allWithin(1),
      () => index.allNeighbors({ k: 3 }),
      () => index.pairs(),
      () => index.pairs(1),
      () => index.withinMany(segments, 2),
      () => index.nearestMany(segments, { k: 2 }),
      () => index.raycastMany(segments),
    ]
    for (const call of calls) call()
    const taken = index.stats().bytes
    assert.ok(taken > bytes)
    index.slots = 50_000
    index.build()
    for (const call of calls) call()
    assert.is(index.stats().bytes, taken)
    index.dispose()
  })

  test('do not grow memory for results that were reserved, or as many as before', async () => {
    const instance = await simd.create({ memory: 2 ** 20 })
    const index = crowded(300, { instance })
    index.reserve(300, { results: 300 * 299, k: 8 })
    const { buffer } = instance.memory
    const { bytes } = index.stats()
    assert.is(index.allWithin(0).total, 300 * 299)
    assert.is(index.pairs(0).length, 300 * 299)
    assert.is(index.allNeighbors({ k: 8 }).counts[0], 8)
    assert.is(index.stats().bytes, bytes)
    assert.is(instance.memory.buffer, buffer)
    const places = new Float32Array(2 * 5000).fill(5) // more than the capacity
    assert.is(index.withinMany(places, 1).total, 5000 * 300)
    assert.is.not(instance.memory.buffer, buffer)
    const grown = instance.memory.buffer
    for (let i = 0; i < 20; i++) {
      assert.is(index.withinMany(places.subarray(2 * i), 1).total, (5000 - i) * 300)
      index.build()
    }
    assert.is(instance.memory.buffer, grown)
    index.reserve(300, { results: 1 })
    index.reserve(300, {})
    assert.is(instance.memory.buffer, grown)
    index.reserve(600)
    assert.is(index.withinMany(places, 1).total, 5000 * 300)
  })

  for (const dimensions of [2, 3])
    test(`take points in the linear memory that grows for them, in ${dimensions}D`, async () => {
      const instance = await simd.create({ memory: 2 ** 20 })
      const random = createRandom(3)
      const points = distributions.uniform(random, 50, dimensions)
      const index = built(dimensions, points, { instance })
      const elsewhere = built(dimensions, points)
      const n = 30_000
      const other = empty(dimensions, { instance, capacity: n })
      other.positions.forEach((_, i, array) => (array[i] = random() * 1000))
      const places = other.positions.slice()
      const calls = [
        (target, floats) => target.withinMany(floats, 200),
        (target, floats) => target.nearestMany(floats, { k: 5 }),
        (target, floats) => target.raycastMany(floats, { radius: 20 }),
      ]
      for (const call of calls) {
        const { byteLength } = instance.memory.buffer
        const [actual, expected] = [call(index, other.positions), call(elsewhere, places)]
        assert.ok(instance.memory.buffer.byteLength > byteLength)
        for (const [name, rows] of Object.entries(actual))
          if (name === 'total') assert.is(rows, expected[name])
          else {
            const shared = Math.min(rows.length, expected[name].length)
            const used = name === 'ids' && 'total' in actual ? actual.total : shared
            assertSame(rows.subarray(0, used), expected[name].subarray(0, used), name)
          }
      }
      assertSame(other.positions, places)
    })

  test('that are refused do not grow memory or detach views', async () => {
    const instance = await simd.create({ memory: 2 ** 20 })
    const index = crowded(100, { instance })
    const unbuilt = empty(2, { instance })
    const { positions } = index
    const { buffer } = instance.memory
    const many = new Float32Array(1_000_000).fill(1)
    const wrong = many.slice()
    wrong[999_999] = NaN
    const refusals = [
      [() => index.withinMany(wrong, 1), 'RangeError'],
      [() => index.nearestMany(wrong, { k: 1 }), 'RangeError'],
      [() => index.raycastMany(wrong), 'RangeError'],
      [() => index.withinMany(many.subarray(1), 1), 'RangeError'],
      [() => index.withinMany(many, -1), 'RangeError'],
      [() => index.withinMany(many, 1, { mask: 0.5 }), 'RangeError'],
      [() => index.nearestMany(many, { k: -1 }), 'RangeError'],
      [() => index.nearestMany(many, { k: 1, radius: 1 }), 'TypeError'],
      [() => index.raycastMany(many, { radius: 'x' }), 'TypeError'],
      [() => index.allNeighbors({ k: 1e6, mask: 'x' }), 'TypeError'],
      [() => index.pairsInto(Infinity, []), 'TypeError'],
      [() => index.pairsInto([]), 'TypeError'],
      [() => unbuilt.withinMany(many, 1), 'NOT_BUILT'],
      [() => unbuilt.nearestMany(many, { k: 9 }), 'NOT_BUILT'],
      [() => unbuilt.raycastMany(many), 'NOT_BUILT'],
      [() => unbuilt.allWithin(1), 'NOT_BUILT'],
      [() => unbuilt.allNeighbors({ k: 1e6 }), 'NOT_BUILT'],
      [() => unbuilt.pairs(), 'NOT_BUILT'],
      [() => index.reserve(100, { results: 1e8, k: 'x' }), 'TypeError'],
      [() => index.reserve(100, { result: 1e8 }), 'TypeError'],
      [() => index.reserve(2 ** 29, { results: 1e8 }), 'RangeError'],
    ]
    const check = (bytes) => {
      for (const [call, expected] of refusals) {
        const error = thrown(call)
        assert.is(error.code ?? error.name, expected, String(call))
        assert.is(instance.memory.buffer.byteLength, bytes, String(call))
      }
    }
    check(buffer.byteLength)
    assert.is(positions.length, 200)
    // Room for the points, but not yet for results.
    index.raycastMany(many.subarray(0, 4))
    index.nearestMany(many, { k: 0 })
    check(bytesOf(index))
  })

  test('without memory for their results throw OUT_OF_MEMORY, and the index works as before', async () => {
    const memory = 2 ** 21
    const instance = await simd.create({ memory, growth: 'error' })
    const index = crowded(1500, { instance })
    const { positions } = index
    const saved = index.save()
    const far = new Float32Array(1_000_000).fill(1)
    const calls = {
      allWithin: () => index.allWithin(0),
      pairs: () => index.pairs(0),
      'pairs of circles': () => index.pairs(),
      pairsInto: () => index.pairsInto(0, new Uint32Array(2)),
      allNeighbors: () => index.allNeighbors({ k: 2000 }),
      'allNeighbors, most': () => index.allNeighbors({ k: 2 ** 32 - 1 }),
      withinMany: () => index.withinMany(far.subarray(0, 20_000).fill(5), 0),
      'withinMany, places': () => index.withinMany(far, 0),
      nearestMany: () => index.nearestMany(far.subarray(0, 2000), { k: 1000 }),
      raycastMany: () => index.raycastMany(far),
      'reserve, results': () => index.reserve(1500, { results: 1e6 }),
      'reserve, k': () => index.reserve(1600, { k: 1e3 }),
      'reserve, most': () => index.reserve(2 ** 27, { results: 2 ** 32 - 1, k: 2 ** 32 - 1 }),
    }
    for (const [name, call] of Object.entries(calls)) {
      const error = assertCode(call, 'OUT_OF_MEMORY')
      const [, missing, available] = /: needs (\d+) bytes more than (\d+): init/.exec(error.message)
      assert.ok(
        Number(missing) > 400_000 && Number(available) === memory,
        `${name}: ${error.message}`,
      )
      assert.is(positions.length, 3000, name)
      assert.is(index.capacity, 1500, name)
      assert.is(index.countWithin(5, 5, 0), 1500)
    }
    index.slots = 40
    index.build()
    assert.is(index.allWithin(0).total, 40 * 39)
    assert.is(index.pairs(0).length, 40 * 39)
    assert.is(index.pairs().length, 40 * 39)
    assert.is(index.allNeighbors({ k: 3 }).counts[39], 3)
    assert.is(index.withinMany(Float32Array.of(5, 5, 1, 1), 0).total, 40)
    assert.is(index.nearestMany(Float32Array.of(5, 5), { k: 50 }).counts[0], 40)
    assert.is(index.raycastMany(Float32Array.of(5, 5, 1, 1)).ids[0], 0)
    index.restore(saved)
    assert.equal(index.save(), saved)
    assert.ok(index.validate())
  })

  test('take exactly what they need if there is no more memory', async () => {
    const memory = 2 ** 22
    const instance = await simd.create({ memory, growth: 'error' })
    const [few, many] = [500, 510]
    const index = crowded(many, { instance })
    index.slots = few
    index.build()
    const resultBytes = 4 * few * (few - 1) // bytes
    assert.is(index.allWithin(0).total, few * (few - 1))
    // Leaves room for a few more results than before, but not for half as many again.
    const fillers = []
    const fits = (bytes) => {
      const probe = empty(2, { instance, capacity: 1 })
      try {
        probe.reserve(1, { results: Math.floor(bytes / 4) })
        return true
      } catch (error) {
        assert.is(error.code, 'OUT_OF_MEMORY')
        return false
      } finally {
        probe.dispose()
      }
    }
    while (fits(1.4 * resultBytes)) fillers.push(empty(2, { instance, capacity: 200 }))
    assert.ok(fillers.length > 2)
    index.slots = many
    index.build()
    assert.is(index.allWithin(0).total, many * (many - 1))
    assert.is(index.countWithin(5, 5, 0), many)
  })

  test('refuse wrong arguments and name them', () => {
    const index = built(2, [0, 0, 0, 0], { capacity: 4 })
    const refusals = [
      [() => index.allWithin(-1), /^RangeError: Index\.allWithin: radius .* got -1$/],
      [() => index.allWithin('5'), /^TypeError: Index\.allWithin: radius .* got '5'$/],
      [() => index.allWithin(1, null), /^TypeError: Index\.allWithin: options /],
      [() => index.allWithin(1, { mask: 0.5 }), /^RangeError: Index\.allWithin: mask .* got 0\.5$/],
      [() => index.allWithin(1, { sort: 'id' }), /^TypeError: Index\.allWithin: no option 'sort' /],
      [() => index.allNeighbors(), /^TypeError: Index\.allNeighbors: options /],
      [() => index.allNeighbors({}), /^TypeError: Index\.allNeighbors: k .* got undefined$/],
      [() => index.allNeighbors({ k: 0.5 }), /^RangeError: Index\.allNeighbors: k .* got 0\.5$/],
      [() => index.allNeighbors({ k: -1 }), /^RangeError: Index\.allNeighbors: k .* got -1$/],
      [() => index.pairs(NaN), /^RangeError: Index\.pairs: distance .* got NaN$/],
      [() => index.pairs(-1), /^RangeError: Index\.pairs: distance .* got -1$/],
      [() => index.pairs('1'), /^TypeError: Index\.pairs: options .* got '1'$/],
      [() => index.pairs(null), /^TypeError: Index\.pairs: options .* got null$/],
      [
        () => index.pairs({ radii: new Float32Array(2) }),
        /^TypeError: Index\.pairs: no option 'radii' \(options: mask\)$/,
      ],
      [() => index.pairs({ mask: 1.5 }), /^RangeError: Index\.pairs: mask .* got 1\.5$/],
      [() => index.pairs(1, { exclude: 1 }), /^TypeError: Index\.pairs: no option 'exclude' /],
      [() => index.pairsInto(1, []), /^TypeError: Index\.pairsInto: out .* got Array$/],
      [() => index.pairsInto([]), /^TypeError: Index\.pairsInto: out .* got Array$/],
      [() => index.pairsInto(), /^TypeError: Index\.pairsInto: out .* got undefined$/],
      [() => index.pairsInto({ mask: 1 }), /^TypeError: Index\.pairsInto: out .* got Object$/],
      [
        () => index.pairsInto(-1, new Uint32Array(1)),
        /^RangeError: Index\.pairsInto: distance .* got -1$/,
      ],
      [
        () => index.pairsInto(new Uint32Array(1), { mask: 'x' }),
        /^TypeError: Index\.pairsInto: mask .* got 'x'$/,
      ],
      [() => index.withinMany([1, 2], 1), /^TypeError: Index\.withinMany: points .* got Array$/],
      [
        () => index.withinMany(new Float32Array(3), 1),
        /^RangeError: Index\.withinMany: points\.length must be a multiple of 2, got 3$/,
      ],
      [
        () => index.nearestMany(Float32Array.of(0, NaN), { k: 1 }),
        /^RangeError: Index\.nearestMany: points\[1\] .* got NaN$/,
      ],
      [() => index.reserve(4, 5), /^TypeError: Index\.reserve: options .* got 5$/],
      [() => index.reserve(4, { results: -1 }), /^RangeError: Index\.reserve: results .* got -1$/],
      [() => index.reserve(4, { k: 1.5 }), /^RangeError: Index\.reserve: k .* got 1\.5$/],
      [() => index.reserve(4, { k: 2 ** 32 }), /^RangeError: Index\.reserve: k .* got 4294967296$/],
      [() => index.reserve(4, { K: 2 }), /^TypeError: Index\.reserve: no option 'K' /],
      [() => empty(2, { results: 1 }), /^TypeError: Index: no option 'results' /],
      [() => empty(2, { k: 1 }), /^TypeError: Index: no option 'k' /],
    ]
    for (const [call, pattern] of refusals) assertThrown(call, pattern)
    index.dispose()
    for (const call of [
      () => index.allWithin(1),
      () => index.masks,
      () => index.pairs(),
      () => index.pairsInto([]),
      () => index.reserve(9, { k: 1 }),
    ])
      assertThrown(call, /^CopseError: Index\.\w+: the object was disposed$/)
  })

  test.run()
}
