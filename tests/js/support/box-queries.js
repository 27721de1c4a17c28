// Compares the queries of the quadtree and the octree with a plain list, on a few drawn cases: arguments and options
// must reach the core, and all results must come back. tests/c compares the core itself, on many more.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as list from './box-oracle.js'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, pairIds } from './indexes.js'
import { createRandom, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(40)

const { fround } = Math
const NAMES = { 2: 'Quadtree', 3: 'Octree' }
const SIDE = 16
const UNTOUCHED = 0xdeadbeef

let instance

// ---- Cases ----

const drawnCase = fc.record({
  n: fc.integer({ min: 0, max: 60 }),
  seed: fc.noBias(fc.nat()),
  looseness: fc.constantFrom(1, 1.25, 16),
  leafSize: fc.constantFrom(0, 1, 4, 100),
  maxDepth: fc.integer({ min: 0, max: 24 }),
  loads: fc.boolean(),
})

/** Draws a box or a point, on a lattice so that many of them touch. */
function drawBox(random, dimensions) {
  const lo = Array.from({ length: dimensions }, () => integer(random, SIDE + 1))
  const isPoint = random() < 0.3
  const hi = lo.map((x) => (isPoint ? x : x + integer(random, 4)))
  return [...lo, ...hi]
}

/** Creates a tree with drawn boxes, and the list that it must agree with. */
function createBoth(random, dimensions, { n, loads, seed, ...options }) {
  const capacity = n + 1
  const bounds = [...new Array(dimensions).fill(0), ...new Array(dimensions).fill(SIDE)]
  const tree = new copse[NAMES[dimensions]]({ ...options, bounds, capacity, instance })
  const model = list.createList(dimensions, capacity)
  const boxes = Array.from({ length: n }, () => drawBox(random, dimensions))
  if (loads) {
    tree.boxes.set(boxes.flat())
    tree.load(n)
  } else for (const box of boxes) tree.add(...box)
  model.boxes.set(boxes.flat())
  model.generations.fill(1, 0, n)
  for (let id = 0; id < n; id++) {
    tree.groups[id] = model.groups[id] = pick(random, [0, 1, 1, 2, 3, 0x80000000])
    const change = pick(random, ['none', 'none', 'move', 'remove'])
    const box = drawBox(random, dimensions)
    if (change === 'remove') {
      tree.remove(id)
      model.generations[id]++
    } else if (change === 'move') {
      tree.move(id, ...box)
      list.boxOf(model, id).set(box)
    }
  }
  return { tree, model }
}

// ---- Queries ----

/** Draws a point: at a corner of a box, or anywhere. */
function drawPlace(random, { boxes, dimensions }) {
  const id = integer(random, boxes.length / (2 * dimensions))
  const isCorner = random() < 0.5
  return Array.from({ length: dimensions }, (_, axis) =>
    isCorner
      ? boxes[(2 * id + integer(random, 2)) * dimensions + axis]
      : fround((random() * 1.5 - 0.25) * SIDE),
  )
}

/** Draws a radius, often one that puts a box exactly on the border. */
function drawRadius(random, model, center) {
  const kind = pick(random, ['0', 'Infinity', 'any', 'border'])
  const id = pick(random, list.usedIds(model))
  if (kind === '0') return 0
  if (kind === 'Infinity') return Infinity
  if (kind === 'any' || id === undefined) return random() * SIDE
  return fround(Math.sqrt(list.distance2(model, list.boxOf(model, id), center)))
}

const MASKS = [0, 1, 2, 0x80000000, ~1, -1, 2 ** 32 - 1]

function drawOptions(random, model, sorts = []) {
  const options = {}
  if (sorts.length && random() < 0.5) options.sort = pick(random, sorts)
  if (random() < 0.3) options.mask = pick(random, MASKS)
  if (random() < 0.3) options.exclude = pick(random, [...list.usedIds(model), -1])
  return options
}

/** Returns options for queries whose results have no order. */
const withoutSort = ({ sort, ...options }) => options

/** Checks a query for ids, and the distances that it measures. */
function checkIds(tree, method, geometry, options, expected) {
  const ids = tree[method](...geometry, options).slice()
  const isOrdered = method === 'neighbors' || options.sort === 'distance' || options.sort === 'id'
  assertSame(isOrdered ? ids : ids.slice().sort(), expected.ids, method)
  assert.throws(() => tree.distances2, /had no option distances2: true$/)
  if (!expected.distances2) return
  assertSame(tree[method](...geometry, { ...options, distances2: true }), ids, method)
  const distance2ById = new Map(expected.ids.map((id, i) => [id, expected.distances2[i]]))
  const near = Array.from(ids, (id) => distance2ById.get(id))
  assertSame(tree.distances2, near, 'distances2')
}

/** Returns the rows of a batch, as arrays. */
const rowsOf = ({ ids, offsets, counts }, n) =>
  Array.from({ length: n }, (_, i) => ids.slice(offsets[i], offsets[i] + counts[i]))

const queries = {
  range(random, tree, model) {
    const [one, other] = [drawPlace(random, model), drawPlace(random, model)]
    const reach = pick(random, [0, random() * SIDE, Infinity])
    const lo = one.map((x, axis) => Math.min(x, other[axis]) - reach)
    const hi = one.map((x, axis) => Math.max(x, other[axis]) + reach)
    const options = drawOptions(random, model, ['none', 'id'])
    const expected = list.range(model, lo, hi, options)
    checkIds(tree, 'range', [...lo, ...hi], options, expected)
    assert.is(tree.countRange(...lo, ...hi, withoutSort(options)), expected.ids.length)
  },

  frustum(random, tree, model) {
    if (model.dimensions !== 3) return
    const planes = Array.from({ length: 1 + integer(random, 6) }, () => {
      const [x, y, z] = drawPlace(random, model)
      const normal = Array.from({ length: 3 }, () => pick(random, [0, 1, -1, random() - 0.5]))
      return [...normal, -(normal[0] * x + normal[1] * y + normal[2] * z)]
    })
    const floats = Float32Array.from(planes.flat())
    const options = drawOptions(random, model, ['none', 'id'])
    checkIds(tree, 'frustum', [floats], options, list.frustum(model, floats, options))
  },

  at(random, tree, model) {
    const point = drawPlace(random, model)
    const options = drawOptions(random, model, ['none', 'id'])
    checkIds(tree, 'at', point, options, list.range(model, point, point, options))
  },

  within(random, tree, model) {
    const center = drawPlace(random, model)
    const radius = drawRadius(random, model, center)
    const options = drawOptions(random, model, ['none', 'id', 'distance'])
    const expected = list.within(model, center, radius, options)
    checkIds(tree, 'within', [...center, radius], options, expected)
    const { length } = expected.ids
    assert.is(tree.countWithin(...center, radius, withoutSort(options)), length)
    assert.is(tree.anyWithin(...center, radius, withoutSort(options)), length > 0)
  },

  neighbors(random, tree, model) {
    const center = drawPlace(random, model)
    const k = pick(random, [0, 1, integer(random, 12), model.groups.length, 2 ** 32 + 5])
    const options = drawOptions(random, model)
    if (random() < 0.5) options.maxDistance = drawRadius(random, model, center)
    const expected = list.neighbors(model, center, k, options)
    checkIds(tree, 'neighbors', [...center, k], options, expected)
    const [nearest = -1] = list.neighbors(model, center, 1, options).ids
    assert.is(tree.nearest(...center, options), nearest)
  },

  raycast(random, tree, model) {
    const [from, to] = [drawPlace(random, model), drawPlace(random, model)]
    const options = drawOptions(random, model)
    if (random() < 0.5) options.inflate = random() * 3
    const expected = list.raycast(model, from, to, options)
    const hit = tree.raycast(...from, ...to, options)
    assert.is(hit === null, expected === null)
    if (!hit) return
    assertSame([hit.id, hit.fraction], [expected.id, expected.fraction], 'raycast')
    for (const [axis, name] of ['x', 'y', 'z'].slice(0, model.dimensions).entries()) {
      assert.is(hit[`normal${name.toUpperCase()}`], expected.normal[axis])
      assert.is(hit[name], from[axis] + hit.fraction * (to[axis] - from[axis]))
    }
  },

  /** Each row of a batch is what a single query returns. */
  many(random, tree, model) {
    const n = pick(random, [0, 1, 7])
    const places = Array.from({ length: 2 * n }, () => drawPlace(random, model))
    const points = Float32Array.from(places.flat())
    const radius = random() * SIDE
    const options = drawOptions(random, model)
    const k = integer(random, 5)

    const around = tree.withinMany(points, radius, options)
    const rows = rowsOf(around, 2 * n)
    assert.is(around.total, rows.flatMap((row) => [...row]).length)
    rows.forEach((row, i) => {
      assertSame(row, tree.within(...places[i], radius, options), 'withinMany')
    })
    rowsOf(tree.rangeMany(points, options), n).forEach((row, i) => {
      assertSame(row, tree.range(...places[2 * i], ...places[2 * i + 1], options), 'rangeMany')
    })
    const near = tree.neighborsMany(points, k, { ...options })
    places.forEach((place, i) => {
      const expected = list.neighbors(model, place, k, options)
      const [begin, end] = [i * k, i * k + near.counts[i]]
      assertSame(near.ids.subarray(begin, end), expected.ids, 'neighborsMany')
      assertSame(near.distances2.subarray(begin, end), expected.distances2, 'neighborsMany')
    })
    const filters = {
      mask: Uint32Array.from({ length: n }, () => pick(random, MASKS)),
      exclude: Uint32Array.from({ length: n }, () => integer(random, 9)),
      inflate: Float32Array.from({ length: n }, () => random() * 3),
    }
    const { ids, fractions } = tree.raycastMany(points, filters)
    assertSame([ids.length, fractions.length], [n, n])
    for (let i = 0; i < n; i++) {
      const own = Object.fromEntries(Object.entries(filters).map(([name, each]) => [name, each[i]]))
      const hit = tree.raycast(...places[2 * i], ...places[2 * i + 1], own)
      assertSame([ids[i], fractions[i]], [hit?.id ?? -1, hit?.fraction ?? 1], 'raycastMany')
    }
  },

  pairs(random, tree, model) {
    const options = random() < 0.3 ? { mask: pick(random, MASKS) } : {}
    const expected = list.pairs(model, options)
    const pairs = pairIds(tree, options)
    const rows = Array.from({ length: pairs.length / 2 }, (_, i) => pairs.slice(2 * i, 2 * i + 2))
    rows.sort((one, other) => one[0] - other[0] || one[1] - other[1])
    assertSame(
      rows.flatMap((row) => [...row]),
      expected,
      'pairs',
    )
  },
}

/** Checks that arrays and figures agree with the list. */
function checkState(tree, model) {
  const ids = list.usedIds(model)
  assert.ok(tree._validate(), 'validate')
  assertSame(tree.generations, model.generations, 'generations')
  assert.is(tree.count, ids.length)
  assert.is(tree.stats().items, ids.length)
  for (const id of ids)
    assertSame(
      tree.boxes.subarray(2 * id * model.dimensions, 2 * (id + 1) * model.dimensions),
      list.boxOf(model, id),
      'box',
    )
}

/** Creates a suite that compares all queries. */
export function testQueries() {
  const test = suite('queries of Quadtree and Octree')
  test.before(async () => {
    instance = await copse.create()
  })

  for (const dimensions of [2, 3])
    test(`${NAMES[dimensions]} returns what a list returns`, () => {
      forAll(drawnCase, RUNS, (drawn) => {
        const random = createRandom(drawn.seed)
        const { tree, model } = createBoth(random, dimensions, drawn)
        try {
          checkState(tree, model)
          for (const query of Object.values(queries)) query(random, tree, model)
        } finally {
          tree.dispose()
        }
      })
    })

  test.run()
}
