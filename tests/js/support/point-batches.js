// Compares the batch queries of an index of any kind with its single queries, which point-queries.js compares with
// brute force; and tests their views, their memory and their errors.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, bytesOf, maker, pairIds, ROW, thrown } from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(30)

const { fround } = Math

const drawnCase = (drawnOptions) =>
  fc.record({
    n: fc.integer({ min: 0, max: 64 }),
    distribution: fc.constantFrom(...Object.keys(distributions)),
    seed: fc.noBias(fc.nat()),
    options: drawnOptions,
    masked: fc.boolean(),
    notFinite: fc.boolean(),
  })

function drawAgents(random, { n, distribution, masked, notFinite }, dimensions) {
  const capacity = Math.max(1, n)
  const positions = distributions[distribution](random, capacity, dimensions)
  if (notFinite) positions[integer(random, positions.length)] = NaN
  return {
    dimensions,
    count: n,
    positions,
    groups: Uint32Array.from({ length: capacity }, () => (masked ? integer(random, 5) : 1)),
    masks: Uint32Array.from({ length: capacity }, () => (masked ? integer(random, 8) : -1)),
    radii: Float32Array.from({ length: capacity }, () => random() * 20),
  }
}

/** Returns row i of a batch. */
const rowOf = ({ offsets, counts, ids }, i) => ids.slice(offsets[i], offsets[i] + counts[i])

/** Returns point i of floats. */
const pointOf = (floats, i, dimensions) => floats.subarray(i * dimensions, (i + 1) * dimensions)

/** Checks that rows hold these ids, and follow each other without gaps. `isSorted`: the order does not count. */
function checkRows(rows, expected, isSorted = false) {
  const starts = []
  for (const [i, ids] of expected.entries()) {
    const row = rowOf(rows, i)
    assertSame(isSorted ? row.sort() : row, ids, `row ${i}`)
    if (ids.length) starts.push([rows.offsets[i], ids.length])
  }
  starts.sort((one, other) => one[0] - other[0])
  let end = 0
  for (const [start, length] of starts) {
    assert.is(start, end)
    end += length
  }
  assert.is(rows.total, end)
}

/** Checks rows of neighbors. `single(i)` makes the single query for row i, with distances. */
function checkNeighborRows(index, { counts, ids, distances2 }, k, n, single) {
  for (let i = 0; i < n; i++) {
    const near = single(i)
    const row = [i * k, i * k + near.length]
    assert.is(counts[i], near.length)
    assertSame(ids.subarray(...row), near, `row ${i}`)
    if (near.length > 0) assertSame(distances2.subarray(...row), index.distances2, `row ${i}`)
  }
}

/** Checks pairs within a distance or, if that is undefined, of circles that touch. */
function checkPairs(index, agents, distance, mask) {
  const { radii } = agents
  const ids = Array.from({ length: agents.count }, (_, id) => id).filter(
    (id) => oracle.isPresent(agents, id) && (agents.groups[id] & mask) !== 0,
  )
  const expected = []
  for (const a of ids)
    for (const b of ids) {
      const reach = fround(distance ?? fround(radii[a] + radii[b]))
      const distance2 = oracle.distance2(agents, b, pointOf(agents.positions, a, agents.dimensions))
      if (a < b && distance2 <= fround(reach * reach)) expected.push(`${a} ${b}`)
    }
  const pairs = pairIds(index, { mask, distance })
  const actual = Array.from(
    { length: pairs.length / 2 },
    (_, i) => `${pairs[2 * i]} ${pairs[2 * i + 1]}`,
  )
  assert.equal(actual.sort(), expected.sort())
}

function checkBatches(random, index, agents) {
  const { count, dimensions, masks, positions } = agents
  const radius = pick(random, [0, Infinity, random() * 500])
  const k = integer(random, 9)
  const maxDistance = pick(random, [Infinity, radius])
  const mask = pick(random, [0xffffffff, integer(random, 8)])
  const exclude = integer(random, count + 1) - 1

  const isPresent = (id) => oracle.isPresent(agents, id)
  /** The options with which a batch queries for one agent. */
  const ownOptions = (id) => ({ mask: mask & masks[id], exclude: id })
  const around = Array.from({ length: count }, (_, id) => {
    const center = pointOf(positions, id, dimensions)
    const options = { ...ownOptions(id), sort: 'id' }
    return isPresent(id) ? index.within(...center, radius, options).slice() : []
  })
  checkRows(index.allWithin(radius, { mask }), around, true)
  checkNeighborRows(index, index.allNeighbors(k, { maxDistance, mask }), k, count, (id) => {
    const center = pointOf(positions, id, dimensions)
    const options = { ...ownOptions(id), maxDistance, distances2: true }
    return isPresent(id) ? index.neighbors(...center, k, options) : []
  })
  checkPairs(index, agents, radius, mask)
  checkPairs(index, agents, undefined, mask)

  const n = pick(random, [0, 1, 12, 2 * count])
  const places = Float32Array.from({ length: 2 * n * dimensions }, () => random() * 1000)
  const placeOf = (i) => pointOf(places, i, dimensions)
  const within = Array.from({ length: 2 * n }, (_, i) =>
    index.within(...placeOf(i), radius, { mask, exclude }).slice(),
  )
  checkRows(index.withinMany(places, radius, { mask, exclude }), within)
  const near = index.neighborsMany(places, k, { maxDistance, mask, exclude })
  checkNeighborRows(index, near, k, 2 * n, (i) =>
    index.neighbors(...placeOf(i), k, { maxDistance, mask, exclude, distances2: true }),
  )
  if (agents.wrap) return
  const inside = Array.from({ length: n }, (_, i) =>
    index.range(...placeOf(2 * i), ...placeOf(2 * i + 1), { mask, exclude }).slice(),
  )
  checkRows(index.rangeMany(places, { mask, exclude }), inside)
}

/** Creates a suite that compares batches of a kind. `optionsOf` adapts drawn options to the agents. */
export function testBatchResults(kind, { drawnOptions, optionsOf }) {
  const { start, empty } = maker(copse, kind)
  const test = suite(`results of batches of ${kind}`)
  test.before(start)

  for (const dimensions of [2, 3])
    test(`return what single queries return, in ${dimensions}D`, () => {
      forAll(drawnCase(drawnOptions), RUNS, (drawn) => {
        const random = createRandom(drawn.seed)
        const agents = drawAgents(random, drawn, dimensions)
        const kindOptions = optionsOf(drawn.options, agents)
        const index = empty(dimensions, {
          capacity: agents.groups.length,
          onNonFinite: drawn.notFinite ? 'skip' : 'error',
          ...kindOptions,
        })
        agents.wrap = kindOptions.wrap
        try {
          index.slots = agents.count
          for (const name of ['positions', 'groups', 'masks', 'radii'])
            index[name].set(agents[name])
          index.build()
          checkBatches(random, index, agents)
        } finally {
          index.dispose()
        }
      })
    })

  test.run()
}

/** Creates a suite for the views, the memory and the errors of batches, which are the same for all kinds. */
export function testBatches() {
  const kind = 'AgentTree'
  const { start, empty, built, assertCode, assertThrown } = maker(copse, kind)
  const test = suite('batches')
  test.before(start)

  test('return the same objects and views in every frame', () => {
    const index = built(2, [0, 0, 1, 0, 5, 0], { capacity: 10 })
    const [rows, near] = [index.allWithin(2), index.allNeighbors(2)]
    const frame = () => {
      index.build()
      assert.is(index.allWithin(2), rows)
      assert.is(index.allNeighbors(1), near)
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
      const near = index.allNeighbors(2, { maxDistance: 1 })
      for (let i = 0; i < Math.max(slots, 6); i++) {
        const expected = i < 6 ? others(i) : []
        assert.equal(i < slots ? [...rowOf(rows, i)].sort() : expected, expected)
        assert.equal([...near.ids.slice(2 * i, 2 * i + near.counts[i])].sort(), expected)
      }
      assert.is(index.pairs({ distance: 1 }).count, 5)
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
    assert.equal([...index.allNeighbors(1).counts.subarray(0, 2)], [0, 0])
    index.reserve(5)
    assert.equal(index.masks, Uint32Array.of(2, 4, 0xffffffff, 0xffffffff, 0xffffffff))
    index.slots = 5
    index.masks.fill(0xffffffff)
    index.build()
    assert.is(index.allWithin(0).total, 20)
    assert.is(index.pairs({ distance: 0 }).count, 10)
    index.dispose()
  })

  test('pairs by radii use the radii of the last build', () => {
    const points = [0, 0, 1, 0, 2, 0, 3, 0, 9, 0, 9, 9]
    const index = built(2, points, { capacity: 9 })
    const pairs = () => [...pairIds(index).sort()]
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
    index.dispose()
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
      () => index.allNeighbors(3),
      () => index.pairs(),
      () => index.pairs({ distance: 1 }),
      () => index.withinMany(segments, 2),
      () => index.neighborsMany(segments, 2),
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
    const instance = await copse.create({ memory: 2 ** 20 })
    const index = crowded(300, { instance })
    index.reserve(300, { results: 300 * 299, k: 8 })
    const { buffer } = instance.memory
    const { bytes } = index.stats()
    assert.is(index.allWithin(0).total, 300 * 299)
    assert.is(index.pairs({ distance: 0 }).count, (300 * 299) / 2)
    assert.is(index.allNeighbors(8).counts[0], 8)
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
      const instance = await copse.create({ memory: 2 ** 20 })
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
        (target, floats) => target.neighborsMany(floats, 5),
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

  test('without memory for their results throw OUT_OF_MEMORY, and the index works as before', async () => {
    const memory = 2 ** 21
    const instance = await copse.create({ memory, growth: 'error' })
    const index = crowded(1500, { instance })
    const { positions } = index
    const saved = index.save()
    const far = new Float32Array(1_000_000).fill(1)
    const calls = {
      allWithin: () => index.allWithin(0),
      pairs: () => index.pairs({ distance: 0 }),
      'pairs of circles': () => index.pairs(),
      allNeighbors: () => index.allNeighbors(2000),
      'allNeighbors, most': () => index.allNeighbors(2 ** 32 - 1),
      withinMany: () => index.withinMany(far.subarray(0, 20_000).fill(5), 0),
      'withinMany, places': () => index.withinMany(far, 0),
      neighborsMany: () => index.neighborsMany(far.subarray(0, 2000), 1000),
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
    assert.is(index.pairs({ distance: 0 }).count, 20 * 39)
    assert.is(index.pairs().count, 20 * 39)
    assert.is(index.allNeighbors(3).counts[39], 3)
    assert.is(index.withinMany(Float32Array.of(5, 5, 1, 1), 0).total, 40)
    assert.is(index.neighborsMany(Float32Array.of(5, 5), 50).counts[0], 40)
    assert.is(index.raycastMany(Float32Array.of(5, 5, 1, 1)).ids[0], 0)
    index.restore(saved)
    assert.equal(index.save(), saved)
    assert.ok(index._validate())
  })

  test('take exactly what they need if there is no more memory', async () => {
    const memory = 2 ** 22
    const instance = await copse.create({ memory, growth: 'error' })
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

  test('refuse the arguments that errors.test.js does not try, and name them', () => {
    const index = built(2, [0, 0, 0, 0], { capacity: 4 })
    const refusals = [
      [() => index.allWithin(1, null), /^TypeError: Index\.allWithin: options /],
      [() => index.allWithin(1, { sort: 'id' }), /^TypeError: Index\.allWithin: no option 'sort' /],
      [() => index.allNeighbors(), /^TypeError: Index\.allNeighbors: k .* got undefined$/],
      [() => index.allNeighbors(3, 5), /^TypeError: Index\.allNeighbors: options .* got 5$/],
      [() => index.pairs('1'), /^TypeError: Index\.pairs: options .* got '1'$/],
      [() => index.pairs(null), /^TypeError: Index\.pairs: options .* got null$/],
      [
        () => index.pairs({ radii: new Float32Array(2) }),
        /^TypeError: Index\.pairs: no option 'radii' \(options: mask, distance\)$/,
      ],
      [() => index.pairs({ exclude: 1 }), /^TypeError: Index\.pairs: no option 'exclude' /],
      [() => index.pairs({ mask: 'x' }), /^TypeError: Index\.pairs: mask .* got 'x'$/],
      [() => index.withinMany([1, 2], 1), /^TypeError: Index\.withinMany: points .* got Array$/],
      [
        () => index.withinMany(new Float32Array(3), 1),
        /^RangeError: Index\.withinMany: points\.length must be a multiple of 2, got 3$/,
      ],
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
      () => index.distances2,
      () => index.reserve(9, { k: 1 }),
    ])
      assertThrown(call, /^CopseError: Index\.\w+: the object was disposed$/)
  })

  test.run()
}
