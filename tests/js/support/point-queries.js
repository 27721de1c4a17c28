// Compares the queries of an index of any kind with brute force, on drawn cases. A case takes several
// frames. In each frame, several indexes must return the same results in the same order: SIMD and
// scalar core, both layouts, indexes with a history, fresh ones, and one restored from a snapshot.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll, runsOf } from './fastcheck.js'
import { methodsOf, assertSame, assertThrown, className, maker } from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(1000)

const { fround } = Math
const NAMES = Object.keys(distributions)
const NOT_ACCEPTED = [NaN, Infinity, -Infinity, 1.1e18, -2e18]

/** Fills memory that a query must not write. */
const UNTOUCHED = 0xdeadbeef

// ---- Cases ----

const drawnCase = (drawnOptions) =>
  fc.record({
    n: fc.oneof(
      { withCrossShrink: true },
      { weight: 970, arbitrary: fc.integer({ min: 0, max: 64 }) },
      { weight: 28, arbitrary: fc.integer({ min: 65, max: 2000 }) },
      { weight: 2, arbitrary: fc.integer({ min: 2001, max: 10_000 }) },
    ),
    distribution: fc.constantFrom(...NAMES),
    seed: fc.noBias(fc.nat()),
    frames: fc.integer({ min: 1, max: 4 }),
    options: drawnOptions,
    layout: fc.constantFrom('interleaved', 'separate'),
    groups: fc.constantFrom('unset', 'one bit', 'many bits', 'some absent', 'mostly absent'),
    notFinite: fc.boolean(),
    filters: fc.boolean(),
    restores: fc.boolean(),
  })

const drawGroups = {
  'one bit': (random) => 1 << integer(random, 4),
  'many bits': (random) => integer(random, 2 ** 32),
  'some absent': (random) => integer(random, 4),
  'mostly absent': (random) => (random() < 0.9 ? 0 : 0x80000001),
}

/** Writes agents into an index of either layout. */
function load(index, layout, agents) {
  const { count, dimensions, positions, groups } = agents
  index.slots = count
  index.groups.set(groups)
  if (layout === 'interleaved') {
    index.positions.set(positions)
    return
  }
  const arrays = [index.xs, index.ys, index.zs]
  for (let axis = 0; axis < dimensions; axis++)
    for (let i = 0; i < groups.length; i++) arrays[axis][i] = positions[i * dimensions + axis]
}

/** Changes the agents for the next frame. */
function advance(random, agents, drawn) {
  const { dimensions, groups, positions } = agents
  const capacity = groups.length
  const change = pick(random, ['step', 'count', 'scene', 'meet', 'nothing'])
  if (change === 'step')
    for (let i = 0; i < positions.length; i++) positions[i] += (random() - 0.5) * 20
  if (change === 'count') agents.count = integer(random, capacity + 1)
  if (change === 'scene')
    positions.set(distributions[pick(random, NAMES)](random, capacity, dimensions))
  if (change === 'meet') {
    const source = integer(random, capacity) * dimensions
    const target = integer(random, capacity) * dimensions
    positions.copyWithin(target, source, source + dimensions)
  }
  if (random() < 0.5) scatter(random, agents, drawn)
}

/** Draws new groups, and writes a few positions that no build accepts. */
function scatter(random, agents, drawn) {
  const draw = drawGroups[drawn.groups]
  if (draw) for (let i = 0; i < agents.groups.length; i++) agents.groups[i] = draw(random)
  if (drawn.notFinite && agents.positions.length)
    for (let i = 0; i < 3; i++)
      agents.positions[integer(random, agents.positions.length)] = pick(random, NOT_ACCEPTED)
}

/** Plays a case. Yields, after each frame, the agents and the indexes that hold them. */
function* play(drawn, dimensions, { simdMaker, scalarMaker, optionsOf }) {
  const { n, frames, layout } = drawn
  const random = createRandom(drawn.seed)
  const capacity = Math.max(1, n + integer(random, n / 2 + 4))
  const agents = {
    dimensions,
    count: n,
    positions: distributions[drawn.distribution](random, capacity, dimensions),
    groups: new Uint32Array(capacity).fill(1),
  }
  scatter(random, agents, drawn)

  const otherLayout = layout === 'separate' ? 'interleaved' : 'separate'
  const onNonFinite = drawn.notFinite ? 'skip' : 'error'
  const options = { capacity, onNonFinite, ...optionsOf(drawn.options, agents) }
  const larger = { ...options, capacity: capacity + 5 }
  agents.usual = options.cellSize
  agents.wrap = options.wrap
  const indexes = [
    simdMaker.empty(dimensions, { ...options, layout }),
    scalarMaker.empty(dimensions, { ...options, layout: otherLayout }),
  ]
  try {
    for (let frame = 0; frame < frames; frame++) {
      if (frame > 0) advance(random, agents, drawn)
      load(indexes[0], layout, agents)
      load(indexes[1], otherLayout, agents)
      for (const index of indexes) index.build()

      const fresh = (frame % 2 ? simdMaker : scalarMaker).empty(dimensions, { ...options, layout })
      load(fresh, layout, agents)
      fresh.build()
      yield { agents, options, indexes: [...indexes, fresh], random }
      fresh.dispose()

      if (drawn.restores && frame === 0) {
        const saved = indexes[0].save()
        indexes[1].dispose()
        indexes[1] = scalarMaker.empty(dimensions, { ...larger, layout: otherLayout })
        indexes[1].restore(saved)
        yield { agents, options, indexes, random }
      }
    }
  } finally {
    for (const index of indexes) index.dispose()
  }
}

// ---- Queries ----

/** Draws a center: on an agent, near one, between two, or anywhere. */
function drawCenter(random, agents) {
  const { count, dimensions, positions } = agents
  const place = pick(random, ['on', 'on', 'near', 'between', 'anywhere'])
  const one = integer(random, count) * dimensions
  const other = integer(random, count) * dimensions
  return Array.from({ length: dimensions }, (_, axis) => {
    let x = (random() - 0.2) * 1500
    if (count > 0 && place === 'on') x = positions[one + axis]
    if (count > 0 && place === 'near') x = positions[one + axis] + random() * 10
    if (count > 0 && place === 'between') x = (positions[one + axis] + positions[other + axis]) / 2
    return Math.abs(x) <= 1e18 ? x : 0
  })
}

/** Draws a radius: 0, infinite, any, or one that puts an agent exactly or nearly on the border. */
function drawRadius(random, agents, center) {
  const kinds = ['0', 'Infinity', 'small', 'large', 'usual', 'border', 'border', 'border']
  const kind = pick(random, kinds)
  if (kind === '0') return random() < 0.5 ? 0 : 1e-30
  if (kind === 'Infinity') return random() < 0.5 ? Infinity : 1e20
  if (kind === 'small') return random() * 30
  if (kind === 'large') return random() * 2000
  if (kind === 'usual') return agents.usual ?? 12
  if (agents.count === 0) return 1
  const id = integer(random, agents.count)
  const border = fround(Math.sqrt(oracle.distance2(agents, id, Float32Array.from(center))))
  if (!(border < Infinity)) return 1
  return border * pick(random, [1, 1, 1 - 2 ** -23, 1 + 2 ** -23])
}

const MASKS = [0, 1, 5, 2, 0x80000000, ~1, -1, 2 ** 32 - 1]

function drawOptions(random, agents, drawn, sorts = []) {
  const options = {}
  if (sorts.length && random() < 0.5) options.sort = pick(random, sorts)
  if (!drawn.filters) return options
  if (random() < 0.5) options.mask = random() < 0.5 ? pick(random, MASKS) : integer(random, 2 ** 32)
  if (random() < 0.5)
    options.exclude = random() < 0.9 ? integer(random, agents.count) : pick(random, [-1, 2 ** 28])
  return options
}

const outBuffer = new Uint32Array(16_384)
const distances2Buffer = new Float32Array(16_384)

/** Checks the `Into` form of a query with an array that may be too short. */
function checkInto(random, index, method, geometry, options, ids, distances2) {
  const room = random() < 0.5 ? ids.length + 2 : integer(random, ids.length + 1)
  const written = Math.min(room, ids.length)
  const out = outBuffer.subarray(0, room).fill(UNTOUCHED)
  const withDistances = distances2 !== undefined && random() < 0.7
  const intoOptions = withDistances
    ? { ...options, distances2: distances2Buffer.fill(-1, 0, room + 1) }
    : options
  assert.is(index[`${method}Into`](...geometry, out, intoOptions), ids.length)
  assertSame(out.subarray(0, written), ids.subarray(0, written))
  for (let i = written; i < room; i++) assert.is(out[i], UNTOUCHED)
  if (!withDistances) return
  for (let i = 0; i < written; i++) assert.is(distances2Buffer[i], distances2[i])
  for (let i = written; i <= room; i++) assert.is(distances2Buffer[i], -1)
}

/** Checks a query for ids: all indexes return the same ids in the same order, equal to `expected`. */
function checkIds({ indexes, agents, random }, method, geometry, options, expected) {
  const ids = indexes[0][method](...geometry, options).slice()
  const { visits } = indexes[0].stats()
  const ordered = method === 'neighbors' || options.sort === 'distance'
  assertSame(ordered ? ids : ids.slice().sort(), expected.ids)
  if (options.sort === 'id') assertSame(ids, expected.ids)

  let distances2
  if (method !== 'range' && method !== 'frustum') {
    const distance2ById = new Map(expected.ids.map((id, i) => [id, expected.distances2[i]]))
    distances2 = Array.from(ids, (id) => distance2ById.get(id))
  }
  for (const index of indexes) {
    if (index !== indexes[0]) assertSame(index[method](...geometry, options), ids)
    assert.is(index.stats().visits, visits)
    checkInto(random, index, method, geometry, options, ids, distances2)
  }
}

function checkNumber({ indexes }, method, geometry, options, expected) {
  for (const index of indexes) assert.is(index[method](...geometry, options), expected)
}

const ANY_SORT = ['none', 'id', 'distance']

/** By method: draws a query. Returns its geometry, its options and its brute-force solution. */
const queries = {
  within(frame, drawn) {
    const { agents, random } = frame
    const center = drawCenter(random, agents)
    const radius = drawRadius(random, agents, center)
    const options = drawOptions(random, agents, drawn, ANY_SORT)
    const geometry = [...center, radius]
    return [geometry, options, () => oracle.within(agents, center, radius, options)]
  },

  range(frame, drawn) {
    const { agents, random } = frame
    const [one, other] = [drawCenter(random, agents), drawCenter(random, agents)]
    const reach = pick(random, [0, 0, 0, random() * 100, Infinity])
    const lo = one.map((x, axis) => Math.min(x, other[axis]) - reach)
    const hi = one.map((x, axis) => Math.max(x, other[axis]) + (random() < 0.9 ? reach : 1e30))
    const options = drawOptions(random, agents, drawn, ['none', 'id'])
    return [[...lo, ...hi], options, () => oracle.range(agents, lo, hi, options)]
  },

  /** 3D only. */
  frustum(frame, drawn) {
    const { agents, random } = frame
    const planes = Array.from({ length: 1 + integer(random, 7) }, () => {
      const [x, y, z] = drawCenter(random, agents)
      const normal = Array.from({ length: 3 }, () => pick(random, [0, -0, 1, -1, random() - 0.5]))
      const w = -(normal[0] * x + normal[1] * y + normal[2] * z)
      return [...normal, Math.min(Math.max(w, -1e18), 1e18)]
    })
    const options = drawOptions(random, agents, drawn, ['none', 'id'])
    const floats = Float32Array.from(planes.flat())
    return [[floats], options, () => oracle.frustum(agents, floats, options)]
  },

  neighbors(frame, drawn) {
    const { agents, random } = frame
    const center = drawCenter(random, agents)
    const { count } = agents
    const k = pick(random, [0, 1, 2, integer(random, 12), count, count + 3, 2 ** 32 + 5])
    const options = drawOptions(random, agents, drawn)
    if (random() < 0.5) options.maxDistance = drawRadius(random, agents, center)
    return [[...center, k], options, () => oracle.neighbors(agents, center, k, options)]
  },

  cone(frame, drawn) {
    const { agents, random } = frame
    const center = drawCenter(random, agents)
    const target = drawCenter(random, agents)
    const radius = drawRadius(random, agents, center)
    const length = pick(random, [1, 1, 1e-45, 1e20])
    const axis = integer(random, agents.dimensions)
    let direction = center.map((x, i) => fround((target[i] - x) * length))
    if (direction.every((x) => x === 0) || !direction.every(Number.isFinite))
      direction = center.map((x, i) => (i === axis ? length : 0))
    const halfAngle = pick(random, [0, 0.7, Math.PI / 2, Math.PI, random() * Math.PI])
    const options = drawOptions(random, agents, drawn, ANY_SORT)
    const geometry = [...center, ...direction, halfAngle, radius]
    const bruteForce = () => oracle.cone(agents, center, direction, halfAngle, radius, options)
    return [geometry, options, bruteForce]
  },

  nearest(frame, drawn) {
    const { agents, random } = frame
    const center = drawCenter(random, agents)
    const options = drawOptions(random, agents, drawn)
    if (random() < 0.5) options.maxDistance = drawRadius(random, agents, center)
    return [center, options, () => oracle.nearest(agents, center, options)]
  },

  countRange(frame, drawn) {
    const [geometry, { sort, ...options }, bruteForce] = queries.range(frame, drawn)
    return [geometry, options, () => bruteForce().ids.length]
  },

  countWithin(frame, drawn) {
    const [geometry, { sort, ...options }, bruteForce] = queries.within(frame, drawn)
    return [geometry, options, () => bruteForce().ids.length]
  },

  anyWithin(frame, drawn) {
    const [geometry, { sort, ...options }, bruteForce] = queries.within(frame, drawn)
    return [geometry, options, () => bruteForce().ids.length > 0]
  },
}

/** Queries that a world that wraps around refuses. */
const FLAT = ['range', 'countRange', 'cone', 'frustum']

function checkQuery(frame, drawn, method) {
  if (method === 'frustum' && frame.agents.dimensions === 2) return
  const [geometry, options, bruteForce] = queries[method](frame, drawn)
  if (frame.agents.wrap && FLAT.includes(method)) {
    const refusal = new RegExp(`^TypeError: .*.${method}: not in a world that wraps around$`)
    for (const index of frame.indexes)
      assertThrown(() => index[method](...geometry, options), refusal)
    return
  }
  try {
    const expected = bruteForce()
    const check = typeof expected === 'object' ? checkIds : checkNumber
    check(frame, method, geometry, options, expected)
  } catch (error) {
    error.message = `${method}(${geometry.join(', ')}, ${fc.stringify(options)}): ${error.message}`
    throw error
  }
}

// ---- Structure ----

/** Checks that every index is valid, and that all have the same cells and statistics. */
function checkShape({ agents, indexes }) {
  const { count, dimensions, groups } = agents
  let present = 0
  let skipped = 0
  for (let id = 0; id < count; id++) {
    if (oracle.isPresent(agents, id)) present++
    else if (groups[id] !== 0) skipped++
  }
  const cells = indexes[0].cells()
  const { nodes, leaves, depth } = indexes[0].stats()
  assert.is(cells.length % (2 * dimensions + 2), 0)
  for (const index of indexes) {
    assert.ok(index.validate(), 'validate')
    assertSame(index.cells(), cells)
    const stats = index.stats()
    assertSame([stats.agents, stats.skipped], [present, skipped])
    assertSame([stats.nodes, stats.leaves, stats.depth], [nodes, leaves, depth])
  }
}

/**
 * Creates a suite for each class of a kind. `drawnOptions` draws options, `optionsOf` adapts them to
 * the agents, and `checkCells` checks cells and statistics of this kind.
 */
export function testProperties(kind, { drawnOptions, optionsOf, checkCells }) {
  const [simdMaker, scalarMaker] = [maker(simd, kind), maker(scalar, kind)]
  for (const dimensions of [2, 3]) {
    const test = suite(className(kind, dimensions))
    test.before(() => Promise.all([simdMaker.start(), scalarMaker.start()]))

    test('every query method has an oracle', () => {
      const methods = methodsOf(simd[className(kind, dimensions)])
      const elsewhere =
        /^(all\w+|\w+Many|pairs\w*|raycast\w*|restore|reserve|add|move|remove|has)$|Into$/
      for (const [method, length] of methods)
        if (length > 0 && !elsewhere.test(method))
          assert.ok(method in queries, `${method} is missing`)
    })

    test('all indexes return what brute force returns, in the same order', () => {
      forAll(drawnCase(drawnOptions), RUNS, (drawn) => {
        for (const frame of play(drawn, dimensions, { simdMaker, scalarMaker, optionsOf })) {
          checkShape(frame)
          checkCells(frame)
          for (const method of Object.keys(queries)) checkQuery(frame, drawn, method)
        }
      })
    })

    test.run()
  }
}
