// The batch queries against brute force, on drawn cases: the SIMD and the scalar core must give the
// same bytes, and both what a loop over all agents gives.
//
// COPSE_RUNS sets the number of cases for each class, COPSE_SEED what they are drawn from.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import * as oracle from './oracle.js'
import { createRandom, distributions } from './random.js'
import { assertThrown, bits } from './trees.js'

const environment = globalThis.process?.env
const SEED = Number(environment?.COPSE_SEED ?? 1)
const RUNS = Number(environment?.COPSE_RUNS ?? 2000)

const { fround } = Math
const integer = (random, count) => Math.floor(random() * count)
const MOST_NEIGHBORS = 40

const drawnCase = fc.record({
  n: fc.oneof(
    { withCrossShrink: true },
    { weight: 97, arbitrary: fc.integer({ min: 0, max: 64 }) },
    { weight: 3, arbitrary: fc.integer({ min: 65, max: 400 }) },
  ),
  distribution: fc.constantFrom(...Object.keys(distributions)),
  seed: fc.noBias(fc.nat()),
  leafSize: fc.constantFrom(32, 1, 3, 10, 24, 400),
  masked: fc.boolean(),
  cramped: fc.boolean(),
})

const test = suite('batches')
const instances = new Map()

test.before(async () => {
  for (const library of [simd, scalar]) instances.set(library, await library.create())
})

/** A tree of either build that holds the state. */
function treeOf(library, agents, options) {
  const Tree = agents.dimensions === 2 ? library.AgentTree : library.AgentTree3D
  const tree = new Tree({ ...options, instance: instances.get(library) })
  tree.count = agents.count
  tree.positions.set(agents.positions)
  tree.groups.set(agents.groups)
  if (agents.masked) tree.masks.set(agents.masks)
  tree.build()
  return tree
}

const sorted = (ids) => Uint32Array.from(ids).sort()
const at = (agents, id) =>
  agents.positions.subarray(id * agents.dimensions, (id + 1) * agents.dimensions)

/** A distance that some agents are apart, exactly, or one of the borders. */
function drawDistance(random, agents) {
  const kind = integer(random, 4)
  if (kind === 0 || agents.count === 0) return [0, Infinity, 50][integer(random, 3)]
  const [a, b] = [integer(random, agents.count), integer(random, agents.count)]
  return fround(Math.sqrt(oracle.distance2(agents, a, at(agents, b))))
}

/** Rows as plain arrays, by slot. */
const rowsOf = ({ offsets, counts, ids }, n) =>
  Array.from({ length: n }, (_, i) => ids.slice(offsets[i], offsets[i] + counts[i]))

function checkAllWithin(agents, trees, radius, mask, results) {
  const [ours, theirs] = trees.map((tree) => {
    const rows = tree.allWithin(radius, { mask })
    return {
      ...rows,
      offsets: rows.offsets.slice(),
      counts: rows.counts.slice(),
      ids: rows.ids.slice(),
    }
  })
  assert.equal(rowsOf(ours, agents.count), rowsOf(theirs, agents.count), 'SIMD and scalar')
  const expected = Array.from({ length: agents.count }, (_, id) => {
    if (!oracle.isPresent(agents, id)) return new Uint32Array()
    const options = { mask: mask & agents.masks[id], exclude: id }
    return sorted(oracle.within(agents, at(agents, id), radius, options).ids)
  })
  const total = expected.reduce((sum, row) => sum + row.length, 0)
  assert.is(ours.total, total)
  assert.is(ours.truncated, total > results)

  // Whole rows, one behind the other, until one does not fit.
  const rows = rowsOf(ours, agents.count)
  const missing = []
  let used = 0
  for (let id = 0; id < agents.count; id++) {
    if (rows[id].length === 0 && expected[id].length > 0) missing.push(expected[id].length)
    else assert.equal(sorted(rows[id]), expected[id], `row of ${id}`)
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

function checkAllNeighbors(agents, trees, k, maxDistance, mask) {
  const [ours, theirs] = trees.map((tree) => {
    const { counts, ids, distances2 } = tree.allNeighbors({ k, maxDistance, mask })
    return Array.from({ length: agents.count }, (_, i) => ({
      ids: [...ids.subarray(i * k, i * k + counts[i])],
      distances2: bits(distances2.subarray(i * k, i * k + counts[i])),
    }))
  })
  assert.equal(ours, theirs, 'SIMD and scalar')
  for (let id = 0; id < agents.count; id++) {
    const options = { mask: mask & agents.masks[id], exclude: id, maxDistance }
    const expected = oracle.isPresent(agents, id)
      ? oracle.neighbors(agents, at(agents, id), k, options)
      : { ids: [], distances2: [] }
    const distances2 = bits(Float32Array.from(expected.distances2))
    assert.equal(ours[id], { ids: expected.ids, distances2 }, `row of ${id}`)
  }
}

function checkPairs(agents, trees, distance, mask, results) {
  const [ours, theirs] = trees.map((tree) => tree.pairs(distance, { mask }).slice())
  assert.equal(ours, theirs, 'SIMD and scalar')
  const expected = []
  const matches = (id) => oracle.isPresent(agents, id) && (agents.groups[id] & mask) !== 0
  for (let a = 0; a < agents.count; a++) {
    if (!matches(a)) continue
    for (let b = a + 1; b < agents.count; b++) {
      const { radii } = distance
      const reach = fround(radii ? fround(radii[a] + radii[b]) : distance)
      if (matches(b) && oracle.distance2(agents, b, at(agents, a)) <= fround(reach * reach))
        expected.push(`${a} ${b}`)
    }
  }
  const found = Array.from(
    { length: ours.length / 2 },
    (_, i) => `${ours[2 * i]} ${ours[2 * i + 1]}`,
  )
  if (2 * expected.length <= results) assert.equal(found.sort(), expected.sort())
  else {
    assert.is(ours.length, results & ~1)
    for (const pair of found) assert.ok(expected.includes(pair), pair)
  }
  const out = new Uint32Array(7).fill(0xdeadbeef)
  assert.is(trees[0].pairsInto(distance, out, { mask }), expected.length)
  const written = Math.min(6, ours.length)
  assert.equal(out.subarray(0, written), ours.subarray(0, written))
  assert.ok(out.subarray(written).every((id) => id === 0xdeadbeef))
}

function checkMany(agents, tree, random, radius, k, mask) {
  const { dimensions } = agents
  const n = integer(random, Math.min(tree.capacity, 12) + 1)
  const points = Float32Array.from({ length: n * dimensions }, () => random() * 1000)
  const exclude = integer(random, agents.count + 1) - 1
  const rows = tree.withinMany(points, radius, { mask, exclude })
  const { truncated } = rows
  const found = rowsOf(rows, n)
  const near = tree.nearestMany(points, { k, maxDistance: radius, mask, exclude })
  for (let i = 0; i < n; i++) {
    const point = points.subarray(i * dimensions, (i + 1) * dimensions)
    if (!truncated) assert.equal(found[i], tree.within(...point, radius, { mask, exclude }).slice())
    const ids = near.ids.subarray(i * k, i * k + near.counts[i])
    assert.equal(ids, tree.neighbors(...point, k, { mask, exclude, maxDistance: radius }))
  }
}

for (const dimensions of [2, 3])
  test(`equal brute force in ${dimensions}D`, () => {
    const property = fc.property(drawnCase, (drawn) => {
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
      const results = drawn.cramped ? integer(random, 4 * capacity) : capacity ** 2
      const options = { capacity, leafSize: drawn.leafSize, results, k: MOST_NEIGHBORS }
      const trees = [simd, scalar].map((library) => treeOf(library, agents, options))
      try {
        const radius = drawDistance(random, agents)
        const mask = random() < 0.3 ? integer(random, 8) : 0xffffffff
        const k = integer(random, Math.min(drawn.n + 2, MOST_NEIGHBORS + 1))
        checkAllWithin(agents, trees, radius, mask, results)
        checkAllNeighbors(agents, trees, k, random() < 0.5 ? Infinity : radius, mask)
        checkPairs(agents, trees, radius, mask, results)
        const radii = Float32Array.from({ length: capacity }, () => random() * 20)
        checkPairs(agents, trees, { radii }, mask, results)
        checkMany(agents, trees[0], random, radius, k, mask)
      } finally {
        for (const tree of trees) tree.dispose()
      }
    })
    fc.assert(property, { seed: SEED, numRuns: RUNS })
  })

test('answer with the same objects and views in every frame', () => {
  const { AgentTree } = simd
  const tree = new AgentTree({ capacity: 10, instance: instances.get(simd) })
  tree.count = 3
  tree.positions.set([0, 0, 1, 0, 5, 0])
  tree.build()
  const rows = tree.allWithin(2)
  const { ids, counts } = rows
  const near = tree.allNeighbors({ k: 2 })
  tree.build()
  assert.is(tree.allWithin(3), rows)
  assert.is(rows.ids, ids)
  assert.is(rows.counts, counts)
  assert.is(tree.allNeighbors({ k: 1 }), near)
  tree.dispose()
})

test('are empty before the first build, and go on after reserve', () => {
  const { AgentTree } = simd
  const tree = new AgentTree({ capacity: 2, instance: instances.get(simd) })
  tree.count = 2
  assert.equal(tree.masks, Uint32Array.of(0xffffffff, 0xffffffff))
  tree.masks.set([2, 4])
  assert.is(tree.allWithin(9).total, 0)
  assert.equal(tree.allNeighbors({ k: 1 }).counts, new Uint32Array(2))
  assert.is(tree.pairs(9).length, 0)
  assert.is(tree.order().length, 0)
  tree.reserve(5)
  assert.equal(tree.masks, Uint32Array.of(2, 4, 0xffffffff, 0xffffffff, 0xffffffff))
  tree.count = 5
  tree.masks.fill(0xffffffff)
  tree.build()
  assert.is(tree.allWithin(0).total, 20)
  assert.is(tree.pairs(0).length, 20)
  tree.dispose()
})

test('refuse wrong arguments, by name', () => {
  const { AgentTree } = simd
  const tree = new AgentTree({ capacity: 4, k: 3, instance: instances.get(simd) })
  tree.count = 2
  tree.build()
  const refusals = [
    [() => tree.allWithin(-1), /^RangeError: AgentTree\.allWithin: radius .* got -1$/],
    [() => tree.allWithin('5'), /^TypeError: AgentTree\.allWithin: radius .* got '5'$/],
    [() => tree.allWithin(1, null), /^TypeError: AgentTree\.allWithin: options /],
    [
      () => tree.allWithin(1, { mask: 0.5 }),
      /^RangeError: AgentTree\.allWithin: mask .* got 0\.5$/,
    ],
    [() => tree.allWithin(1, { sort: 'id' }), /^RangeError: AgentTree\.allWithin: sort /],
    [() => tree.allNeighbors(), /^TypeError: AgentTree\.allNeighbors: options /],
    [() => tree.allNeighbors({}), /^TypeError: AgentTree\.allNeighbors: k .* got undefined$/],
    [() => tree.allNeighbors({ k: 4 }), /^RangeError: AgentTree\.allNeighbors: k .* got 4$/],
    [() => tree.allNeighbors({ k: -1 }), /^RangeError: AgentTree\.allNeighbors: k .* got -1$/],
    [() => tree.pairs(NaN), /^RangeError: AgentTree\.pairs: distance .* got NaN$/],
    [() => tree.pairs({ radii: [1] }), /^TypeError: AgentTree\.pairs: radii .* got Array$/],
    [
      () => tree.pairs({ radii: new Float32Array(1) }),
      /^RangeError: AgentTree\.pairs: radii\.length /,
    ],
    [
      () => tree.pairs({ radii: Float32Array.of(1, -2) }),
      /^RangeError: AgentTree\.pairs: radii\[1\] .* got -2$/,
    ],
    [() => tree.pairsInto(1, []), /^TypeError: AgentTree\.pairsInto: out .* got Array$/],
    [() => tree.withinMany([1, 2], 1), /^TypeError: AgentTree\.withinMany: points .* got Array$/],
    [
      () => tree.withinMany(new Float32Array(3), 1),
      /^RangeError: AgentTree\.withinMany: points\.length /,
    ],
    [
      () => tree.withinMany(new Float32Array(10), 1),
      /^RangeError: AgentTree\.withinMany: points\.length /,
    ],
    [
      () => tree.nearestMany(Float32Array.of(0, NaN), { k: 1 }),
      /^RangeError: AgentTree\.nearestMany: points\[1\] .* got NaN$/,
    ],
    [() => new AgentTree({ results: -1 }), /^RangeError: AgentTree: results .* got -1$/],
    [() => new AgentTree({ k: 1.5 }), /^RangeError: AgentTree: k .* got 1\.5$/],
  ]
  for (const [call, pattern] of refusals) assertThrown(call, pattern)
  tree.dispose()
  assertThrown(
    () => tree.allWithin(1),
    /^CopseError: AgentTree\.allWithin: the object was disposed$/,
  )
  assertThrown(() => tree.masks, /^CopseError: AgentTree\.masks: the object was disposed$/)
})

test.run()
