// The batch queries of an index of any kind against brute force, on drawn cases: the SIMD and the
// scalar core must give the same bytes, and both what a loop over all agents gives.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, bits, className, maker } from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(200)

const { fround } = Math
const MOST_NEIGHBORS = 40

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
    cramped: fc.boolean(),
    notFinite: fc.boolean(),
  })

/** An index that holds the state. */
function indexOf({ empty }, agents, options) {
  const index = empty(agents.dimensions, options)
  index.count = agents.count
  index.positions.set(agents.positions)
  index.groups.set(agents.groups)
  if (agents.masked) index.masks.set(agents.masks)
  index.build()
  return index
}

const at = (agents, id) =>
  agents.positions.subarray(id * agents.dimensions, (id + 1) * agents.dimensions)

/** A distance that some agents are apart, exactly, or one of the borders. */
function drawDistance(random, agents) {
  const kind = integer(random, 4)
  const borders = [0, Infinity, 50, agents.usual ?? 12]
  if (kind === 0 || agents.count === 0) return pick(random, borders)
  const [a, b] = [integer(random, agents.count), integer(random, agents.count)]
  const apart = fround(Math.sqrt(oracle.distance2(agents, a, at(agents, b))))
  return apart >= 0 ? apart : 50
}

/** Rows as plain arrays, by slot. */
const rowsOf = ({ offsets, counts, ids }, n) =>
  Array.from({ length: n }, (_, i) => ids.slice(offsets[i], offsets[i] + counts[i]))

/** What agents ask for themselves; nobody that no build takes does. */
const asked = (agents, id, mask) => ({ mask: mask & agents.masks[id], exclude: id })

function checkAllWithin(agents, indexes, radius, mask, results) {
  const [ours, theirs] = indexes.map((index) => {
    const { offsets, total, truncated, ...found } = index.allWithin(radius, { mask })
    const rows = rowsOf({ offsets, ...found }, agents.count)
    return { offsets: offsets.slice(0, agents.count), rows, total, truncated }
  })
  const { rows } = ours
  for (let id = 0; id < agents.count; id++) assertSame(rows[id], theirs.rows[id], 'SIMD and scalar')
  const expected = Array.from({ length: agents.count }, (_, id) => {
    if (!oracle.isPresent(agents, id)) return new Uint32Array()
    return oracle.within(agents, at(agents, id), radius, asked(agents, id, mask)).ids
  })
  const total = expected.reduce((sum, row) => sum + row.length, 0)
  assert.is(ours.total, total)
  assert.is(ours.truncated, total > results)

  // Whole rows, one behind the other, until one does not fit.
  const missing = []
  let used = 0
  for (let id = 0; id < agents.count; id++) {
    if (rows[id].length === 0 && expected[id].length > 0) missing.push(expected[id].length)
    else assertSame(rows[id].slice().sort(), expected[id], `row of ${id}`)
    used += rows[id].length
  }
  assert.ok(missing.length === 0 || (used <= results && Math.max(...missing) > results - used))
  const starts = rows.map((row, id) => [ours.offsets[id], row.length])
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
    const options = { ...asked(agents, id, mask), maxDistance }
    const { ids, distances2 } = oracle.neighbors(agents, at(agents, id), k, options)
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

function checkPairs(agents, indexes, distance, mask, results) {
  const [ours, theirs] = indexes.map((index) => index.pairs(distance, { mask }).slice())
  assertSame(ours, theirs, 'SIMD and scalar')
  const { radii } = distance
  const matching = []
  for (let id = 0; id < agents.count; id++)
    if (oracle.isPresent(agents, id) && (agents.groups[id] & mask) !== 0) matching.push(id)
  // A pair is a number: ascending by a, and then by b.
  const expected = []
  for (const [i, a] of matching.entries()) {
    const center = at(agents, a)
    for (let j = i + 1; j < matching.length; j++) {
      const b = matching[j]
      const reach = fround(radii ? fround(radii[a] + radii[b]) : distance)
      if (oracle.distance2(agents, b, center) <= fround(reach * reach))
        expected.push(a * 2 ** 32 + b)
    }
  }
  const found = Float64Array.from(
    { length: ours.length / 2 },
    (_, i) => ours[2 * i] * 2 ** 32 + ours[2 * i + 1],
  ).sort()
  if (2 * expected.length <= results) assertSame(found, expected, 'pairs')
  else {
    assert.is(ours.length, results & ~1)
    const all = new Set(expected)
    for (const pair of found) if (!all.has(pair)) assert.unreachable(`pair ${pair}`)
  }
  const out = new Uint32Array(7).fill(0xdeadbeef)
  assert.is(indexes[0].pairsInto(distance, out, { mask }), expected.length)
  const written = Math.min(6, ours.length)
  assert.equal(out.subarray(0, written), ours.subarray(0, written))
  assert.ok(out.subarray(written).every((id) => id === 0xdeadbeef))
}

function checkMany(agents, index, random, radius, k, mask) {
  const { dimensions } = agents
  // Often few; else enough that a k-d tree answers them in groups: spread, near agents, or equal.
  const n = integer(random, Math.min(index.capacity, random() < 0.3 ? 400 : 12) + 1)
  const points = Float32Array.from({ length: n * dimensions }, () => random() * 1000)
  const likeAgents = integer(random, 3)
  for (let i = 0; likeAgents && i < n; i++)
    if (likeAgents === 2) points.copyWithin(i * dimensions, 0, dimensions)
    else {
      const near = at(agents, integer(random, agents.count || 1))
      if (near.every(Number.isFinite)) points.set(near, i * dimensions)
    }
  const exclude = integer(random, agents.count + 1) - 1
  const rows = index.withinMany(points, radius, { mask, exclude })
  const { truncated } = rows
  const found = rowsOf(rows, n)
  const near = index.nearestMany(points, { k, maxDistance: radius, mask, exclude })
  for (let i = 0; i < n; i++) {
    const point = points.subarray(i * dimensions, (i + 1) * dimensions)
    if (!truncated) assertSame(found[i], index.within(...point, radius, { mask, exclude }))
    const ids = near.ids.subarray(i * k, i * k + near.counts[i])
    assertSame(ids, index.neighbors(...point, k, { mask, exclude, maxDistance: radius }))
  }
}

/** Plays one case. */
function check(drawn, dimensions, makers, optionsOf) {
  const random = createRandom(drawn.seed)
  const capacity = Math.max(1, drawn.n)
  const agents = {
    dimensions,
    count: drawn.n,
    positions: distributions[drawn.distribution](random, capacity, dimensions),
    groups: new Uint32Array(capacity).fill(1),
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
    results: drawn.cramped ? integer(random, 4 * capacity) : capacity ** 2,
    k: MOST_NEIGHBORS,
    ...optionsOf(drawn.options, agents),
  }
  agents.usual = options.cellSize
  const indexes = makers.map((make) => indexOf(make, agents, options))
  try {
    const radius = drawDistance(random, agents)
    const mask = random() < 0.3 ? integer(random, 8) : 0xffffffff
    const k = integer(random, Math.min(drawn.n + 2, MOST_NEIGHBORS + 1))
    checkAllWithin(agents, indexes, radius, mask, options.results)
    checkAllNeighbors(agents, indexes, k, random() < 0.5 ? Infinity : radius, mask)
    checkPairs(agents, indexes, radius, mask, options.results)
    const radii = Float32Array.from({ length: capacity }, () => random() * 20)
    checkPairs(agents, indexes, { radii }, mask, options.results)
    checkMany(agents, indexes[0], random, radius, k, mask)
  } finally {
    for (const index of indexes) index.dispose()
  }
}

/** Makes a suite of a kind: `drawnOptions` draws what is `optionsOf` given agents. */
export function testBatches(kind, { drawnOptions, optionsOf }) {
  const makers = [maker(simd, kind), maker(scalar, kind)]
  const { empty, built, assertThrown } = makers[0]
  const test = suite(`batches of ${kind}`)
  test.before(() => Promise.all(makers.map(({ start }) => start())))

  for (const dimensions of [2, 3])
    test(`equal brute force in ${dimensions}D`, () => {
      forAll(drawnCase(drawnOptions), RUNS, (drawn) => check(drawn, dimensions, makers, optionsOf))
    })

  test('answer with the same objects and views in every frame', () => {
    const index = built(2, [0, 0, 1, 0, 5, 0], { capacity: 10 })
    const rows = index.allWithin(2)
    const { ids, counts } = rows
    const near = index.allNeighbors({ k: 2 })
    index.build()
    assert.is(index.allWithin(3), rows)
    assert.is(rows.ids, ids)
    assert.is(rows.counts, counts)
    assert.is(index.allNeighbors({ k: 1 }), near)
    index.dispose()
  })

  test('are empty before the first build, and go on after reserve', () => {
    const index = empty(2, { capacity: 2 })
    index.count = 2
    assert.equal(index.masks, Uint32Array.of(0xffffffff, 0xffffffff))
    index.masks.set([2, 4])
    assert.is(index.allWithin(9).total, 0)
    assert.equal(index.allNeighbors({ k: 1 }).counts, new Uint32Array(2))
    assert.is(index.pairs(9).length, 0)
    assert.is(index.order().length, 0)
    index.reserve(5)
    assert.equal(index.masks, Uint32Array.of(2, 4, 0xffffffff, 0xffffffff, 0xffffffff))
    index.count = 5
    index.masks.fill(0xffffffff)
    index.build()
    assert.is(index.allWithin(0).total, 20)
    assert.is(index.pairs(0).length, 20)
    index.dispose()
  })

  test('pairs by radii are those of the last build, or what is missing is told', () => {
    const points = [0, 0, 1, 0, 2, 0, 3, 0, 9, 0, 9, 9]
    const index = built(2, points, { capacity: 9 })
    const radii = (n, radius = 0.5) => new Float32Array(n).fill(radius)
    const sorted = (pairs) => [...pairs.slice().sort()]
    const before = sorted(index.pairs({ radii: radii(6) }))
    assert.equal(before, [0, 1, 1, 2, 2, 3])
    const missing = (n) => [
      () => index.pairs({ radii: radii(n) }),
      new RegExp(
        `^RangeError: Index\\.pairs: radii\\.length must be from .* \\(6\\) .* \\(9\\), got ${n}$`,
      ),
    ]
    const isAsBuilt = () => {
      assert.equal(sorted(index.pairs({ radii: radii(6) })), before)
      for (const n of [0, 2, 5, 10]) assertThrown(...missing(n))
      const wrong = Float32Array.of(1, 1, 1, 1, NaN, 1)
      assertThrown(() => index.pairs({ radii: wrong }), /^RangeError: Index\.pairs: radii\[4\] /)
      index.pairs({ radii: radii(9, 50) }) // nothing of it is left
    }
    for (const count of [2, 0, 9]) {
      index.count = count
      isAsBuilt()
    }
    index.count = 2
    const bytes = index.save()
    index.build()
    assert.equal(sorted(index.pairs({ radii: radii(2) })), [0, 1])
    index.restore(bytes)
    assert.is(index.count, 2)
    isAsBuilt()

    // Options that change the last build while they are read.
    index.build()
    const options = {
      get mask() {
        index.restore(bytes)
        return -1
      },
    }
    assertThrown(() => index.pairs({ radii: radii(2) }, options), missing(2)[1])
    index.dispose()

    const unbuilt = empty(2, { capacity: 4 })
    unbuilt.count = 3
    assert.is(unbuilt.pairs({ radii: radii(0) }).length, 0)
    unbuilt.dispose()
  })

  test('refuse wrong arguments, by name', () => {
    const index = built(2, [0, 0, 0, 0], { capacity: 4, k: 3 })
    const refusals = [
      [() => index.allWithin(-1), /^RangeError: Index\.allWithin: radius .* got -1$/],
      [() => index.allWithin('5'), /^TypeError: Index\.allWithin: radius .* got '5'$/],
      [() => index.allWithin(1, null), /^TypeError: Index\.allWithin: options /],
      [() => index.allWithin(1, { mask: 0.5 }), /^RangeError: Index\.allWithin: mask .* got 0\.5$/],
      [() => index.allWithin(1, { sort: 'id' }), /^TypeError: Index\.allWithin: no option 'sort' /],
      [() => index.allNeighbors(), /^TypeError: Index\.allNeighbors: options /],
      [() => index.allNeighbors({}), /^TypeError: Index\.allNeighbors: k .* got undefined$/],
      [() => index.allNeighbors({ k: 4 }), /^RangeError: Index\.allNeighbors: k .* got 4$/],
      [() => index.allNeighbors({ k: -1 }), /^RangeError: Index\.allNeighbors: k .* got -1$/],
      [() => index.pairs(NaN), /^RangeError: Index\.pairs: distance .* got NaN$/],
      [() => index.pairs({ radii: [1] }), /^TypeError: Index\.pairs: radii .* got Array$/],
      [
        () => index.pairs({ radii: new Float32Array(1) }),
        /^RangeError: Index\.pairs: radii\.length /,
      ],
      [
        () => index.pairs({ radii: Float32Array.of(1, -2) }),
        /^RangeError: Index\.pairs: radii\[1\] .* got -2$/,
      ],
      [() => index.pairsInto(1, []), /^TypeError: Index\.pairsInto: out .* got Array$/],
      [() => index.withinMany([1, 2], 1), /^TypeError: Index\.withinMany: points .* got Array$/],
      [
        () => index.withinMany(new Float32Array(3), 1),
        /^RangeError: Index\.withinMany: points\.length /,
      ],
      [
        () => index.withinMany(new Float32Array(10), 1),
        /^RangeError: Index\.withinMany: points\.length /,
      ],
      [
        () => index.nearestMany(Float32Array.of(0, NaN), { k: 1 }),
        /^RangeError: Index\.nearestMany: points\[1\] .* got NaN$/,
      ],
      [() => empty(2, { results: -1 }), /^RangeError: Index: results .* got -1$/],
      [() => empty(2, { k: 1.5 }), /^RangeError: Index: k .* got 1\.5$/],
    ]
    for (const [call, pattern] of refusals) assertThrown(call, pattern)
    index.dispose()
    assertThrown(
      () => index.allWithin(1),
      /^CopseError: Index\.allWithin: the object was disposed$/,
    )
    assertThrown(() => index.masks, /^CopseError: Index\.masks: the object was disposed$/)
  })

  test.run()
}
