// Compares the queries of an index of any kind with brute force, on a few drawn cases: arguments and options
// must reach the core, and all results must come back. tests/c compares the core itself, on many more.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './fastcheck.js'
import { methodsOf, assertSame, className, maker } from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(40)

const { fround } = Math

/** Fills memory that a query must not write. */
const UNTOUCHED = 0xdeadbeef

// ---- Cases ----

const drawnCase = (drawnOptions) =>
  fc.record({
    n: fc.integer({ min: 0, max: 80 }),
    distribution: fc.constantFrom(...Object.keys(distributions)),
    seed: fc.noBias(fc.nat()),
    options: drawnOptions,
    layout: fc.constantFrom('interleaved', 'separate'),
    hasGroups: fc.boolean(),
    notFinite: fc.boolean(),
  })

function drawAgents(random, { n, distribution, hasGroups, notFinite }, dimensions) {
  const capacity = n + 1
  const positions = distributions[distribution](random, capacity, dimensions)
  if (notFinite)
    for (let i = 0; i < 3; i++)
      positions[integer(random, positions.length)] = pick(random, [NaN, Infinity, -2e18])
  const groups = Uint32Array.from({ length: capacity }, () => (hasGroups ? integer(random, 4) : 1))
  return { dimensions, count: n, positions, groups }
}

/** Writes agents into an index of either layout. */
function load(index, layout, { count, dimensions, positions, groups }) {
  index.slots = count
  index.groups.set(groups)
  if (layout === 'interleaved') index.positions.set(positions)
  else
    for (const [axis, array] of [index.xs, index.ys, index.zs].slice(0, dimensions).entries())
      array.set(positions.filter((_, i) => i % dimensions === axis))
}

// ---- Queries ----

/** Draws a center: on an agent, or anywhere. */
function drawCenter(random, { count, dimensions, positions }) {
  const id = random() < 0.5 ? integer(random, count) : -1
  return Array.from({ length: dimensions }, (_, axis) => {
    const x = id < 0 || count === 0 ? (random() - 0.2) * 1500 : positions[id * dimensions + axis]
    return Math.abs(x) <= 1e18 ? x : 0
  })
}

/** Draws a radius: 0, infinite, any, or one that puts an agent exactly on the border. */
function drawRadius(random, agents, center) {
  const kind = pick(random, ['0', 'Infinity', 'any', 'border', 'border'])
  if (kind === '0') return 0
  if (kind === 'Infinity') return Infinity
  if (kind === 'any' || agents.count === 0) return random() * 500
  const id = integer(random, agents.count)
  const border = fround(Math.sqrt(oracle.distance2(agents, id, Float32Array.from(center))))
  return border < Infinity ? border : 1
}

function drawOptions(random, agents, sorts = []) {
  const options = {}
  if (sorts.length && random() < 0.5) options.sort = pick(random, sorts)
  if (random() < 0.5) options.mask = pick(random, [0, 1, 2, ~1, -1, 2 ** 32 - 1])
  if (random() < 0.5) options.exclude = integer(random, agents.count + 1) - 1
  return options
}

const ANY_SORT = ['none', 'id', 'distance']

/** By method: draws a query. Returns its geometry, its options and its expected result. */
const queries = {
  within(random, agents) {
    const center = drawCenter(random, agents)
    const radius = drawRadius(random, agents, center)
    const options = drawOptions(random, agents, ANY_SORT)
    return [[...center, radius], options, oracle.within(agents, center, radius, options)]
  },

  range(random, agents) {
    const [one, other] = [drawCenter(random, agents), drawCenter(random, agents)]
    const reach = pick(random, [0, random() * 100, Infinity])
    const lo = one.map((x, axis) => Math.min(x, other[axis]) - reach)
    const hi = one.map((x, axis) => Math.max(x, other[axis]) + reach)
    const options = drawOptions(random, agents, ['none', 'id'])
    return [[...lo, ...hi], options, oracle.range(agents, lo, hi, options)]
  },

  /** 3D only. */
  frustum(random, agents) {
    const planes = Array.from({ length: 1 + integer(random, 7) }, () => {
      const [x, y, z] = drawCenter(random, agents)
      const normal = Array.from({ length: 3 }, () => pick(random, [0, 1, -1, random() - 0.5]))
      const w = -(normal[0] * x + normal[1] * y + normal[2] * z)
      return [...normal, Math.min(Math.max(w, -1e18), 1e18)]
    })
    const floats = Float32Array.from(planes.flat())
    const options = drawOptions(random, agents, ['none', 'id'])
    return [[floats], options, oracle.frustum(agents, floats, options)]
  },

  neighbors(random, agents) {
    const center = drawCenter(random, agents)
    const k = pick(random, [0, 1, integer(random, 12), agents.count + 3, 2 ** 32 + 5])
    const options = drawOptions(random, agents)
    if (random() < 0.5) options.maxDistance = drawRadius(random, agents, center)
    return [[...center, k], options, oracle.neighbors(agents, center, k, options)]
  },

  cone(random, agents) {
    const center = drawCenter(random, agents)
    const target = drawCenter(random, agents)
    const radius = drawRadius(random, agents, center)
    let direction = center.map((x, axis) => fround(target[axis] - x))
    if (direction.every((x) => x === 0)) direction = center.map((_, axis) => axis + 1)
    const halfAngle = pick(random, [0, Math.PI, random() * Math.PI])
    const options = drawOptions(random, agents, ANY_SORT)
    const geometry = [...center, ...direction, halfAngle, radius]
    return [geometry, options, oracle.cone(agents, center, direction, halfAngle, radius, options)]
  },

  nearest(random, agents) {
    const [geometry, options] = queries.neighbors(random, agents)
    const center = geometry.slice(0, -1)
    return [center, options, oracle.nearest(agents, center, options)]
  },

  countRange(random, agents) {
    const [geometry, { sort, ...options }, { ids }] = queries.range(random, agents)
    return [geometry, options, ids.length]
  },

  countWithin(random, agents) {
    const [geometry, { sort, ...options }, { ids }] = queries.within(random, agents)
    return [geometry, options, ids.length]
  },

  anyWithin(random, agents) {
    const [geometry, { sort, ...options }, { ids }] = queries.within(random, agents)
    return [geometry, options, ids.length > 0]
  },
}

/** Queries that a world that wraps around refuses. */
const FLAT = ['range', 'countRange', 'cone', 'frustum']

/** Checks a query for ids, and the distances that it measures. */
function checkIds(index, method, geometry, options, expected) {
  const ids = index[method](...geometry, options).slice()
  const isOrdered = method === 'neighbors' || options.sort === 'distance' || options.sort === 'id'
  assertSame(isOrdered ? ids : ids.slice().sort(), expected.ids)
  assert.throws(() => index.distances2, /had no option distances2: true$/)
  if (/^(range|frustum)$/.test(method)) return
  const again = index[method](...geometry, { ...options, distances2: true })
  assertSame(again, ids)
  const distance2ById = new Map(expected.ids.map((id, i) => [id, expected.distances2[i]]))
  assertSame(
    index.distances2,
    Array.from(ids, (id) => distance2ById.get(id)),
  )
}

function checkQuery(random, index, agents, method) {
  if (method === 'frustum' && agents.dimensions === 2) return
  if (agents.wrap && FLAT.includes(method)) return
  const [geometry, options, expected] = queries[method](random, agents)
  try {
    if (typeof expected === 'object') checkIds(index, method, geometry, options, expected)
    else assert.is(index[method](...geometry, options), expected)
  } catch (error) {
    error.message = `${method}(${geometry.join(', ')}, ${fc.stringify(options)}): ${error.message}`
    throw error
  }
}

/** Checks that statistics and cells count the agents. */
function checkShape(index, agents) {
  const { count, dimensions, groups } = agents
  const ids = Array.from({ length: count }, (_, id) => id)
  const present = ids.filter((id) => oracle.isPresent(agents, id)).length
  const stats = index.stats()
  assert.ok(index._validate())
  assert.is(stats.agents, present)
  assert.is(stats.skipped, ids.filter((id) => groups[id] !== 0).length - present)
  assert.is(index.order().length, present)
  assert.is(index.cells().length % (2 * dimensions + 2), 0)
}

/** Creates a suite for each class of a kind. `drawnOptions` draws options, `optionsOf` adapts them to the agents. */
export function testProperties(kind, { drawnOptions, optionsOf }) {
  const { empty, start } = maker(copse, kind)
  for (const dimensions of [2, 3]) {
    const test = suite(className(kind, dimensions))
    test.before(start)

    test('every query method has an oracle', () => {
      const methods = methodsOf(copse[className(kind, dimensions)])
      const elsewhere =
        /^(build|all\w+|\w+Many|pairs|raycast\w*|saveInto|restore|reserve|add|move|remove|has)$/
      for (const [method, length] of methods)
        if (length > 0 && !elsewhere.test(method))
          assert.ok(method in queries, `${method} is missing`)
    })

    test('queries return what brute force returns', () => {
      forAll(drawnCase(drawnOptions), RUNS, (drawn) => {
        const random = createRandom(drawn.seed)
        const agents = drawAgents(random, drawn, dimensions)
        const { layout } = drawn
        const onNonFinite = drawn.notFinite ? 'skip' : 'error'
        const capacity = agents.groups.length
        const kindOptions = optionsOf(drawn.options, agents)
        const index = empty(dimensions, { capacity, layout, onNonFinite, ...kindOptions })
        agents.wrap = kindOptions.wrap
        try {
          load(index, layout, agents)
          index.build()
          checkShape(index, agents)
          for (const method of Object.keys(queries)) checkQuery(random, index, agents, method)
        } finally {
          index.dispose()
        }
      })
    })

    test.run()
  }
}
