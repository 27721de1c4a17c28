// Compares the obstacle tree with a plain list, on drawn scenes that change: every query must return what
// the list returns. The scalar core plays an eighth as many scenes.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, thrown } from './indexes.js'
import { createRandom, integer, pick } from '../../../web/random.js'
import * as list from './wall-oracle.js'

const RUNS = runsOf(2000)

const { cos, fround, min, PI, sin } = Math
const libraries = [simd, scalar]
const instances = []

async function createInstances() {
  for (const [i, library] of libraries.entries()) instances[i] = await library.create()
}

// ---- Drawing scenes ----

/** Each maps 0 … 8 to coordinates. */
const WORLDS = {
  plain: (x) => x,
  quarters: (x) => x / 4 - 1,
  thirds: (x) => x / 3,
  shifted: (x) => 1e6 + x,
  huge: (x) => (x - 4) * 2.5e17,
  squaresUnderflow: (x) => x * 1e-25,
  denormal: (x) => Math.floor(x) * 2 ** -149,
  adjacent: (x) => 1 + Math.floor(x) * 2 ** -23,
  everyMagnitude: (x) => (x > 4 ? 1 : -1) * 2 ** (Math.floor(x * 25) - 140),
}

/** Each draws the points of a polygon in 0 … 8: x, y, … */
const SHAPES = {
  segment: (random, draw) => [draw(), draw(), draw(), draw()],
  mazeWall(random) {
    const [x, y, length] = [integer(random, 8), integer(random, 8), 1 + integer(random, 3)]
    return random() < 0.5 ? [x, y, x + length, y] : [x, y, x, y + length]
  },
  loop: (random, draw) => Array.from({ length: 2 * (3 + integer(random, 5)) }, draw),
  convex(random, draw) {
    const n = 3 + integer(random, random() < 0.2 ? 30 : 5)
    const [x, y, size, turn] = [draw(), draw(), random() * 4, pick(random, [-1, 1])]
    return Array.from({ length: 2 * n }, (_, i) => {
      const angle = ((2 * PI * (i >> 1)) / n) * turn
      return i & 1 ? y + size * sin(angle) : x + size * cos(angle)
    })
  },
  thereAndBack(random, draw) {
    const [x, y, dx, dy] = [draw(), draw(), draw() / 4 - 1, draw() / 4 - 1]
    return Array.from({ length: 2 + integer(random, 6) }, () => integer(random, 9) / 4 - 1).flatMap(
      (t) => [x + dx * t, y + dy * t],
    )
  },
  star: (random, draw) =>
    Array.from({ length: 2 + integer(random, 4) }, () => [draw(), draw()]).flatMap(([x, y]) => [
      ...[x, y],
      ...[8 - x, 8 - y],
    ]),
  repeated(random, draw) {
    const [x, y] = [draw(), draw()]
    return [x, y, x, y, ...(random() < 0.5 ? [draw(), draw(), draw(), draw()] : []), x, y]
  },
}

const seeded = (names) => fc.record({ name: fc.constantFrom(...names), seed: fc.noBias(fc.nat()) })

const CHANGES = [
  'add',
  'add',
  'remove',
  'move',
  'move',
  'write',
  'restore',
  'clear',
  'reserve',
  'wrong',
]

const drawnScene = fc.record({
  world: fc.constantFrom(...Object.keys(WORLDS), 'plain', 'plain'),
  isEven: fc.boolean(), // else on a lattice, where walls touch
  capacity: fc.constantFrom(24, 96, 200),
  room: fc.constantFrom(1, 1.25, 2, 8),
  leafSize: fc.constantFrom(1, 1, 2, 4, 1000),
  // Each has its own seed: dropping one does not change what the others draw.
  walls: fc.array(seeded(Object.keys(SHAPES)), { minLength: 0, maxLength: 12, size: 'max' }),
  changes: fc.array(seeded(CHANGES), { minLength: 0, maxLength: 3, size: 'max' }),
  seed: fc.noBias(fc.nat()),
})

// ---- Playing scenes ----

function start(drawn, i) {
  const { capacity, leafSize, room } = drawn
  const options = { capacity, leafSize, pieces: Math.floor(capacity * room) }
  const tree = new libraries[i].ObstacleTree({ ...options, instance: instances[i] })
  return { drawn, options, tree, model: list.createList(capacity), library: libraries[i], i }
}

/** Maps 0 … 8 into the world. Returns a float32. */
function place({ drawn }, x) {
  return fround(min(Math.max(WORLDS[drawn.world](x), -1e18), 1e18))
}

const drawCoordinate = (random, { drawn }) => (drawn.isEven ? random() * 8 : integer(random, 9))

function drawPolygon(random, state, shape) {
  const draw = () => drawCoordinate(random, state)
  return SHAPES[shape](random, draw).map((x) => place(state, x))
}

function addWall(random, state, shape) {
  const { model, tree } = state
  const points = drawPolygon(random, state, shape)
  const pointsArg = random() < 0.5 ? points : Float32Array.from(points)
  let solid = pick(random, [undefined, undefined, 'inside', 'outside', 'winding', 'nowhere'])
  const [used, added] = [list.usedOf(model), points.length / 2]
  if (added > model.capacity - used) {
    const error = thrown(() => tree.addPolygon(pointsArg, { solid }))
    assert.is(error.code, 'FULL')
    assert.ok(error.message.endsWith(`: reserve(${used + added}) first`), error.message)
    return
  }
  if (!list.hasArea(points) && solid !== 'winding' && solid !== 'nowhere') {
    const error = thrown(() => tree.addPolygon(pointsArg, { solid }))
    assert.instance(error, RangeError)
    assert.ok(error.message.startsWith('ObstacleTree.addPolygon: points must enclose an area'))
    solid = 'winding'
  }
  const slot = tree.addPolygon(pointsArg, { solid })
  assert.is(slot, list.add(model, points, solid ?? 'inside'), 'the lowest free slots')
}

/** Draws a slot, mostly a polygon's. */
const drawSlot = (random, { model }) =>
  (random() < 0.9 ? pick(random, list.slotsOf(model)) : undefined) ??
  integer(random, model.capacity + 2)

/** Each makes the same change to the tree and the list. */
const changes = {
  add: (random, state) => addWall(random, state, pick(random, Object.keys(SHAPES))),

  remove(random, state) {
    const slot = drawSlot(random, state)
    if (list.isPolygon(state.model, slot)) {
      state.tree.remove(slot)
      list.remove(state.model, slot)
    } else assert.is(thrown(() => state.tree.remove(slot)).code, 'STALE_SLOT')
  },

  move(random, state) {
    const { model, tree } = state
    const slot = drawSlot(random, state)
    const length = list.isPolygon(model, slot) ? 2 * list.loopOf(model, slot).length : 4
    const points = Array.from({ length }, () => place(state, drawCoordinate(random, state)))
    if (list.isPolygon(model, slot)) {
      tree.move(slot, points)
      list.move(model, slot, points)
    } else assert.is(thrown(() => tree.move(slot, points)).code, 'STALE_SLOT')
  },

  /** Writes a vertex: first one that is not finite, so that the last build stays; then a finite one. */
  write(random, state) {
    const { model, tree } = state
    const ids = Array.from(model.generations.keys()).filter((id) => list.isUsed(model, id))
    if (!ids.length) return
    tree.build()
    list.build(model)
    const id = pick(random, ids)
    tree.vertices[2 * id + integer(random, 2)] = pick(random, [NaN, Infinity, -Infinity, 1.1e18])
    const error = thrown(() => tree.build())
    assert.equal([error.code, error.index], ['NOT_FINITE', id])
    checkQueries(random, state)
    for (const axis of [0, 1]) {
      model.vertices[2 * id + axis] = place(state, drawCoordinate(random, state))
      tree.vertices[2 * id + axis] = model.vertices[2 * id + axis]
    }
    tree.build()
  },

  restore(random, state) {
    const { i, model, options, tree } = state
    const bytes = tree.save()
    tree.build() // with the present room for pieces
    const damaged = bytes.slice()
    damaged[integer(random, bytes.length)] ^= 1 << integer(random, 8)
    assert.is(thrown(() => tree.restore(damaged)).code, 'BAD_SNAPSHOT')
    const fresh = new libraries[i].ObstacleTree({ ...options, instance: instances[i] })
    if (random() < 0.5) fresh.addSegment(1, 2, 3, 4)
    fresh.restore(bytes)
    assertSame(fresh.cells(), tree.cells(), 'cells of a restored tree')
    assertSame(fresh.lines(), tree.lines(), 'lines of a restored tree')
    if (model.capacity - list.usedOf(model) >= 3) {
      // A polygon that was added and removed leaves no trace.
      const slot = fresh.addPolygon([0, 5, 9, 9, 1, 2])
      fresh.build()
      fresh.remove(slot)
      assertSame(fresh.cells(), tree.cells(), 'cells after another history')
      assertSame(fresh.lines(), tree.lines(), 'lines after another history')
    }
    fresh.dispose()
    if (random() < 0.5) tree.clear()
    tree.restore(bytes)
  },

  clear(random, { model, tree }) {
    if (random() < 0.7) return
    tree.clear()
    for (const slot of list.slotsOf(model)) list.remove(model, slot)
  },

  reserve(random, state) {
    const { model, options, tree } = state
    const capacity = model.capacity + integer(random, 40)
    tree.reserve(capacity)
    if (capacity === model.capacity) return
    const larger = list.createList(capacity)
    for (const name of ['vertices', 'next', 'polygons', 'generations', 'twoSided', 'solid'])
      larger[name].set(model[name])
    state.options = {
      ...options,
      capacity,
      pieces: Math.floor((options.pieces * capacity) / options.capacity),
    }
    state.model = larger
  },

  wrong(random, { tree, model }) {
    const slot = list.slotsOf(model)[0] ?? 0
    const bad = pick(random, [NaN, Infinity, -1e39, 1.01e18])
    assert.instance(
      thrown(() => tree.addPolygon([0, 0, bad, 1])),
      RangeError,
    )
    assert.instance(
      thrown(() => tree.addPolygon([0, 0])),
      RangeError,
    )
    assert.instance(
      thrown(() => tree.move(slot, [0, 0, 1, 1, bad, 2])),
      RangeError,
    )
    if (list.isPolygon(model, slot)) {
      const length = 2 * list.loopOf(model, slot).length + 2
      assert.instance(
        thrown(() => tree.move(slot, new Float32Array(length))),
        RangeError,
      )
    }
    assert.instance(
      thrown(() => tree.within(0, 0, -1)),
      RangeError,
    )
  },
}

// ---- Queries ----

/** Draws a point: at a vertex, on an edge, beside it, or anywhere. */
function drawPlace(random, state) {
  const edge = pick(random, state.model.edges)
  const kind = edge ? integer(random, 6) : 0
  if (kind < 2) return [0, 1].map(() => place(state, random() * 9 - 0.5))
  if (kind === 2) return [0, 1].map(() => place(state, integer(random, 9)))
  const t = kind === 3 ? 0 : integer(random, 9) / 8
  const x = fround(edge.ax + (edge.bx - edge.ax) * t)
  const y = fround(edge.ay + (edge.by - edge.ay) * t)
  if (kind < 5) return [x, y]
  return [fround(min(x + (place(state, 0.1) - place(state, 0)) / 8, 1e18)), y]
}

function drawRadius(random, { drawn, model }, x, y) {
  const edge = pick(random, model.edges)
  const size = Math.abs(WORLDS[drawn.world](8) - WORLDS[drawn.world](0))
  const kind = integer(random, 6)
  if (kind === 0) return 0
  if (kind === 1) return random() < 0.5 ? Infinity : 1e20
  if (kind < 4 && edge) return fround(Math.sqrt(list.footOf(edge, x, y).distance2))
  return random() * size
}

const out = new Uint32Array(512)
const distances2 = new Float32Array(512)

function checkAround(random, { model, tree }, x, y, radius) {
  const side = pick(random, ['both', 'visible'])
  const expected = list.within(model, x, y, radius, side)
  const ids = expected.map(({ id }) => id)
  assertSame(tree.within(x, y, radius, { side }), ids, 'within')
  const room = random() < 0.5 ? 512 : integer(random, ids.length + 1)
  out.fill(0xdeadbeef)
  const intoOptions = { side, distances2: distances2.subarray(0, room) }
  assert.is(tree.withinInto(x, y, radius, out.subarray(0, room), intoOptions), ids.length)
  for (let i = 0; i < min(room, ids.length); i++) {
    const one = expected.find(({ id }) => id === out[i])
    assert.is(one?.distance2, distances2[i], 'within: distances2')
    if (room === 512) assert.is(out[i], ids[i])
  }
  assert.is(out[min(room, ids.length)], 0xdeadbeef)
  const near = tree.nearestPoint(x, y, { side, maxDistance: radius })
  assert.is(near?.id, ids[0], 'nearest')
  if (!near) return assert.is(near, null)
  assertSame(
    [near.distance, near.x, near.y],
    [Math.sqrt(expected[0].distance2), fround(expected[0].x), fround(expected[0].y)],
    'nearest',
  )
}

const HIT = ['id', 'fraction', 'x', 'y', 'normalX', 'normalY']

function checkAlong(random, { model, tree }, x0, y0, x1, y1, radius) {
  const side = pick(random, ['both', 'visible'])
  const free = list.visible(model, x0, y0, x1, y1)
  assert.is(tree.visible(x0, y0, x1, y1), free, 'visible')
  assert.is(tree.raycast(x0, y0, x1, y1) === null, free, 'visible if a ray hits nothing')
  const wide = list.visible(model, x0, y0, x1, y1, radius)
  assert.is(tree.visible(x0, y0, x1, y1, { radius }), wide, 'visible with a radius')
  assert.is(tree.visible(x1, y1, x0, y0, { radius }), wide, 'visible back')
  const expected = list.raycast(model, x0, y0, x1, y1, side)
  const hit = tree.raycast(x0, y0, x1, y1, { side })
  assert.is(hit === null, expected === null, 'raycast')
  if (hit)
    for (const name of HIT)
      if (hit[name] !== expected[name]) assert.is(hit[name], expected[name], name)
  const back = list.raycast(model, x1, y1, x0, y0, side)
  const { fractions, ids } = tree.raycastMany(Float32Array.of(x0, y0, x1, y1, x1, y1, x0, y0), {
    side,
  })
  assertSame([ids[0], ids[1]], [expected?.id ?? -1, back?.id ?? -1], 'raycastMany')
  assertSame([fractions[0], fractions[1]], [expected?.fraction ?? 1, back?.fraction ?? 1])
}

function checkVisibility(random, { drawn, model, tree }, x, y) {
  let corners
  try {
    corners = tree.visibilityPolygon(x, y).slice()
  } catch (error) {
    // FULL where walls cross. A point at the limit of coordinates has no box around it.
    const isAtLimit = Math.max(Math.abs(x), Math.abs(y)) >= fround(1e18)
    assert.ok(error.code === 'FULL' || isAtLimit, String(error))
    return
  }
  assert.is(corners.length === 0, !list.visible(model, x, y, x, y), 'on a wall')
  if (!corners.length) return
  const [lo, hi] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ]
  for (let i = 0; i < corners.length; i++) {
    lo[i & 1] = min(lo[i & 1], corners[i])
    hi[i & 1] = Math.max(hi[i & 1], corners[i])
  }
  const room = 2 * integer(random, corners.length / 2 + 1)
  const out = new Float32Array(room)
  assert.is(tree.visibilityPolygonInto(x, y, out), corners.length / 2)
  assertSame(out, corners.subarray(0, room), 'visibilityPolygonInto')
  // Only worlds in which rounding the corners to float32 does not change the polygon's shape.
  if (!['plain', 'quarters', 'thirds', 'huge'].includes(drawn.world)) return
  const size = Math.max(hi[0] - lo[0], hi[1] - lo[1])
  const rounding = 1e-6 * size + Math.max(...[...lo, ...hi].map(Math.abs)) * 2 ** -22
  const near = list.within(model, x, y, Infinity, 'both')[0]
  if (size < 1e4 * rounding || (near && Math.sqrt(near.distance2) < 0.01 * size)) return
  assert.ok(lo[0] < x && x < hi[0] && lo[1] < y && y < hi[1], 'the point is in its polygon')
  for (let i = 0; i < 4; i++) {
    const [toX, toY] = [lo[0], lo[1]].map((start, axis) =>
      fround(start + random() * (hi[axis] - start)),
    )
    const turns = list.turnsAround(corners, toX, toY)
    const isSeen = list.visible(model, x, y, toX, toY)
    if (turns === Number(isSeen)) continue
    if (turns === 1 && list.isInThinShadow(model, x, y, toX, toY)) continue
    // Rounding of corners near the point is magnified behind them, up to a hundred times.
    const off = list.borderDistance(corners, toX, toY)
    if (off > 200 * rounding) assert.unreachable(`another polygon: ${toX}, ${toY}, off ${off}`)
  }
}

function checkKeepVisible(random, { model, tree }, x, y) {
  const ids = Array.from({ length: 12 }, () => integer(random, model.capacity))
  const positions = model.vertices.slice()
  positions[2 * ids[0]] = NaN
  const expected = ids.filter((id) => {
    const [toX, toY] = positions.subarray(2 * id)
    return !Number.isNaN(toX) && list.visible(model, x, y, toX, toY)
  })
  assertSame(tree.keepVisible(x, y, ids, positions), expected, 'keepVisible')
  const words = Uint32Array.from(ids)
  assert.is(tree.keepVisibleInto(x, y, words, positions, words), expected.length)
  assertSame(words.subarray(0, expected.length), expected, 'keepVisibleInto')
}

function checkQueries(random, state) {
  const [x, y] = drawPlace(random, state)
  const end = drawPlace(random, state)
  if (random() < 0.2) end[0] = x // along an axis, or of no length
  if (random() < 0.1) end.splice(0, 2, x, y)
  const radius = drawRadius(random, state, x, y)
  checkAround(random, state, x, y, radius)
  checkAlong(random, state, x, y, ...end, radius)
  assert.is(state.tree.contains(x, y), list.contains(state.model, x, y), 'contains')
  if (random() < 0.3) checkVisibility(random, state, x, y)
  if (random() < 0.1) checkKeepVisible(random, state, x, y)
}

function checkState({ model, tree }) {
  assert.ok(tree.validate(), 'validate')
  const stats = tree.stats()
  const slots = list.slotsOf(model)
  assert.is(stats.edges, model.edges.length)
  assert.is(stats.dropped, model.dropped)
  assert.is(stats.polygons, slots.length)
  assert.is(tree.count, slots.length)
  assert.is(tree.slots, model.generations.findLastIndex((generation) => generation > 0) + 1)
  assert.is(list.usedOf(model), stats.edges + stats.dropped)
  assert.is(tree.capacity, model.capacity)
  assertSame(tree.generations, model.generations, 'generations')
  for (const slot of slots) assert.is(tree.winding(slot), list.winding(model, slot), 'winding')
  for (let id = 0; id < model.capacity; id++) {
    if (tree.has(id) !== list.isPolygon(model, id)) assert.unreachable(`has ${id}`)
    if (!list.isUsed(model, id)) continue
    if (tree.next[id] !== model.next[id] || tree.polygons[id] !== model.polygons[id])
      assert.unreachable(`the loop of ${id}`)
  }
  const cells = tree.cells()
  let pieces = 0
  for (let i = 5; i < cells.length; i += 6) pieces += cells[i]
  assert.is(pieces, stats.pieces, 'pieces of the cells')
  assert.is(tree.lines().length, 5 * (stats.nodes - stats.leaves), 'lines')
}

function playScene(drawn, i) {
  const state = start(drawn, i)
  try {
    for (const { name, seed } of drawn.walls) addWall(createRandom(seed), state, name)
    const random = createRandom(drawn.seed)
    for (const change of [null, ...drawn.changes]) {
      if (change) changes[change.name](createRandom(change.seed), state)
      list.build(state.model)
      for (let i = 0; i < 3; i++) checkQueries(random, state)
      checkState(state)
    }
  } finally {
    state.tree.dispose()
  }
}

export function testScenes() {
  const test = suite('ObstacleTree, drawn scenes')
  test.before(createInstances)

  for (const [i, runs] of [RUNS, Math.ceil(RUNS / 8)].entries())
    test(`${['with', 'without'][i]} SIMD, the tree returns what a list returns, in ${runs} scenes`, () => {
      forAll(drawnScene, runs, (drawn) => playScene(drawn, i))
    })

  test.run()
}
