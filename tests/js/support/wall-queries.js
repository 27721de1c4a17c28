// Compares the queries of the obstacle tree with a plain list, on a few drawn scenes: arguments and options must reach
// the core, and all results must come back. tests/c compares the core itself, on many more.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame } from './indexes.js'
import { createRandom, integer, pick } from '../../../web/random.js'
import * as list from './wall-oracle.js'

const RUNS = runsOf(60)
const CAPACITY = 96
const SOLIDS = ['inside', 'outside', 'winding', 'nowhere']
const SIDES = ['both', 'visible']

const { fround } = Math

let instance

const drawnScene = fc.record({
  polygons: fc.integer({ min: 0, max: 12 }),
  isEven: fc.boolean(), // else on a lattice, where walls touch
  leafSize: fc.constantFrom(1, 4, 1000),
  pieces: fc.constantFrom(CAPACITY, 8 * CAPACITY),
  seed: fc.noBias(fc.nat()),
})

const drawCoordinate = (random, isEven) => (isEven ? fround(random() * 8) : integer(random, 9))

/** Creates a tree with drawn polygons, and the list that it must agree with. */
function createBoth(random, { polygons, isEven, leafSize, pieces }) {
  const tree = new copse.ObstacleTree({ capacity: CAPACITY, leafSize, pieces, instance })
  const model = list.createList(CAPACITY)
  const draw = (length) => Array.from({ length }, () => drawCoordinate(random, isEven))
  for (let i = 0; i < polygons; i++) {
    const points = draw(pick(random, [4, 6, 8, 12]))
    const solid = list.hasArea(points) ? pick(random, SOLIDS) : 'winding'
    assert.is(tree.addPolygon(points, { solid }), list.add(model, points, solid))
  }
  for (const slot of list.slotsOf(model)) {
    const change = pick(random, ['none', 'none', 'move', 'remove'])
    if (change === 'move') {
      const points = draw(2 * list.loopOf(model, slot).length)
      tree.move(slot, points)
      list.move(model, slot, points)
    } else if (change === 'remove') {
      tree.remove(slot)
      list.remove(model, slot)
    }
  }
  list.build(model)
  return { tree, model }
}

// ---- Queries ----

/** Draws a point: on an edge, or anywhere. */
function drawPlace(random, { edges }) {
  const edge = pick(random, edges)
  if (!edge || random() < 0.5) return [random() * 9 - 0.5, random() * 9 - 0.5].map(fround)
  const t = integer(random, 9) / 8
  return [edge.ax + (edge.bx - edge.ax) * t, edge.ay + (edge.by - edge.ay) * t].map(fround)
}

function drawRadius(random, { edges }, x, y) {
  const edge = pick(random, edges)
  const kind = pick(random, ['0', 'Infinity', 'border', 'any'])
  if (kind === '0') return 0
  if (kind === 'Infinity') return Infinity
  if (kind === 'any' || !edge) return random() * 8
  return fround(Math.sqrt(list.footOf(edge, x, y).distance2))
}

function checkAround(random, { model, tree }, x, y, radius) {
  const side = pick(random, SIDES)
  const expected = list.within(model, x, y, radius, side)
  const ids = expected.map(({ id }) => id)
  assertSame(tree.within(x, y, radius, { side }), ids, 'within')
  assertSame(tree.within(x, y, radius, { side, distances2: true }), ids, 'within, measured')
  assertSame(
    tree.distances2,
    expected.map(({ distance2 }) => distance2),
    'distances2',
  )
  assert.is(tree.nearest(x, y, { side, maxDistance: radius }), ids[0] ?? -1)
  const near = tree.nearestPoint(x, y, { side, maxDistance: radius })
  if (!expected.length) return assert.is(near, null)
  assert.equal(near, {
    id: ids[0],
    x: fround(expected[0].x),
    y: fround(expected[0].y),
    distance: Math.sqrt(expected[0].distance2),
  })
}

function checkAlong(random, { model, tree }, x0, y0, x1, y1, radius) {
  const side = pick(random, SIDES)
  assert.is(tree.visible(x0, y0, x1, y1), list.visible(model, x0, y0, x1, y1))
  assert.is(
    tree.visible(x0, y0, x1, y1, { inflate: radius }),
    list.visible(model, x0, y0, x1, y1, radius),
  )
  const expected = list.raycast(model, x0, y0, x1, y1, side)
  const back = list.raycast(model, x1, y1, x0, y0, side)
  assert.equal(tree.raycast(x0, y0, x1, y1, { side }), expected)
  const segments = Float32Array.of(x0, y0, x1, y1, x1, y1, x0, y0)
  const { fractions, ids } = tree.raycastMany(segments, { side })
  assertSame(ids, [expected?.id ?? -1, back?.id ?? -1], 'raycastMany')
  assertSame(fractions, [expected?.fraction ?? 1, back?.fraction ?? 1], 'raycastMany')
}

/** Checks what can be seen: the corners of visibility polygons are compared in tests/c. */
function checkSight(random, { model, tree }, x, y) {
  const ids = Array.from({ length: 12 }, () => integer(random, CAPACITY))
  const positions = model.vertices.slice()
  positions[2 * ids[0]] = NaN
  const expected = ids.filter((id) => {
    const [toX, toY] = positions.subarray(2 * id)
    return !Number.isNaN(toX) && list.visible(model, x, y, toX, toY)
  })
  assertSame(tree.keepVisible(x, y, ids, positions), expected, 'keepVisible')
  const kept = tree.keepVisible(x, y, Uint32Array.from(ids), positions)
  assertSame(tree.keepVisible(x, y, kept, positions), expected, 'keepVisible of its result')
  assert.is(tree.contains(x, y), list.contains(model, x, y), 'contains')
}

/** Checks that arrays and figures agree with the list. */
function checkState({ model, tree }) {
  const slots = list.slotsOf(model)
  const stats = tree.stats()
  assert.ok(tree._validate(), 'validate')
  assert.equal([stats.edges, stats.dropped], [model.edges.length, model.dropped])
  assert.equal([stats.polygons, tree.count], [slots.length, slots.length])
  assertSame(tree.generations, model.generations, 'generations')
  for (const slot of slots) {
    assert.ok(tree.has(slot))
    assert.is(tree.winding(slot), list.winding(model, slot))
    for (const id of list.loopOf(model, slot))
      assert.equal([tree.next[id], tree.polygons[id]], [model.next[id], slot])
  }
}

/** Creates a suite that compares all queries. */
export function testQueries() {
  const test = suite('queries of ObstacleTree')
  test.before(async () => {
    instance = await copse.create()
  })

  test('the tree returns what a list returns', () => {
    forAll(drawnScene, RUNS, (drawn) => {
      const random = createRandom(drawn.seed)
      const both = createBoth(random, drawn)
      try {
        checkState(both)
        for (let i = 0; i < 5; i++) {
          const [x, y] = drawPlace(random, both.model)
          const radius = drawRadius(random, both.model, x, y)
          checkAround(random, both, x, y, radius)
          checkAlong(random, both, x, y, ...drawPlace(random, both.model), radius)
          checkSight(random, both, x, y)
        }
      } finally {
        both.tree.dispose()
      }
    })
  })

  test.run()
}
