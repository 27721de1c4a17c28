// Flow fields. Every segment of a path is tested against every wall. How short the paths are, tests/c asserts.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { NOT_NUMBERS, WRONG } from './support/bad-arguments.js'
import { forAll, runsOf } from './support/fastcheck.js'
import { assertSame, assertThrown, bits, bytesOf, methodsOf, thrown } from './support/indexes.js'
import { clearanceOf, gapOf, isFree, levelOf } from './support/path-oracle.js'
import { createRandom, integer } from '../../web/random.js'

const { fround, hypot, max, min } = Math

// ---- Levels ----

const boxOf = ([ax, ay], [bx, by]) => {
  const [x0, y0, x1, y1] = [min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)]
  return [x0, y0, x1, y0, x1, y1, x0, y1]
}
const hasArea = ([ax, ay, bx, by, cx, cy]) => (bx - ax) * (cy - ay) !== (by - ay) * (cx - ax)

/** Draws a segment, box or triangle into a level, with corners that `corner` draws. */
function drawWall(random, corner, polygons, segments) {
  const [a, b, c] = [corner(), corner(), corner()]
  const kind = integer(random, 3)
  if (kind === 0) {
    // The tree has no edges without length.
    if (a[0] !== b[0] || a[1] !== b[1]) segments.push([...a, ...b])
  } else {
    const polygon = kind === 1 ? boxOf(a, b) : [...a, ...b, ...c]
    if (hasArea(polygon)) polygons.push(polygon)
  }
}

/** Draws a level of 16 x 16 with walls of any size that cross and touch. */
function drawDenseLevel(random) {
  const [polygons, segments] = [[], []]
  for (let i = 6 + integer(random, 12); i > 0; i--) {
    const center = [integer(random, 129) / 8, integer(random, 129) / 8]
    const corner = () => center.map((at) => at + (integer(random, 49) - 24) / 8)
    drawWall(random, corner, polygons, segments)
  }
  return { ...levelOf(polygons, segments), segments, size: 16 }
}

/** Returns the obstacle tree of a level. */
function wallsOf(level, instance) {
  const walls = new copse.ObstacleTree({ instance })
  for (const polygon of level.polygons) walls.addPolygon(polygon)
  for (const segment of level.segments) walls.addSegment(...segment)
  return walls
}

/** Returns a field of a level. */
function fieldOf(level, options) {
  const bounds = [0, 0, level.size, level.size]
  const field = new copse.FlowField({ bounds, ...options })
  field.obstacles = wallsOf(level, options.instance)
  return field
}

/** Draws a point that is free. */
function drawFree(random, level, radius) {
  for (;;) {
    const [x, y] = [fround(random() * level.size), fround(random() * level.size)]
    if (isFree(level, radius * 1.001, x, y)) return [x, y]
  }
}

/** Returns the segments of a path. */
function segmentsOf(x, y, { corners }) {
  const points = [x, y, ...corners]
  return Array.from({ length: corners.length / 2 }, (_, i) => points.slice(2 * i, 2 * i + 4))
}

/** Returns the length of some segments. */
const lengthOf = (segments) =>
  segments.reduce((sum, [x0, y0, x1, y1]) => sum + hypot(x1 - x0, y1 - y0), 0)

const assertClose = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < 1e-5 * (1 + expected), `${actual} or ${expected}`)

const assertNoPath = (path) =>
  assert.equal(path, { corners: new Float32Array(0), length: Infinity, reached: false })

/**
 * Asserts that a path keeps farther than the radius from all walls, and that what the field says of it agrees. Returns
 * its length, with the goal's cost.
 */
function assertPath(field, level, [x, y], cost = 0) {
  const [distance, path] = [field.distance(x, y), field.path(x, y)]
  const [dirX, dirY] = field.direction(x, y)
  if (distance === Infinity) {
    assertNoPath(path)
    assert.equal([dirX, dirY], [0, 0])
    return distance
  }
  const segments = segmentsOf(x, y, path)
  for (const segment of segments) {
    const clearance = clearanceOf(level, segment)
    assert.ok(clearance >= fround(field.radius), `${clearance} from a wall: ${segment}`)
  }
  assert.is(path.reached, true)
  assertClose(path.length, lengthOf(segments))
  assertClose(path.length + cost, distance)
  const [toX, toY] = path.corners
  const step = hypot(toX - x, toY - y)
  assert.ok(hypot(toX - x - dirX * step, toY - y - dirY * step) < 1e-5, 'the direction')
  return distance
}

/** Asserts that two fields say the same, bit for bit. */
function assertSameField(field, other, context) {
  for (const name of ['cells', 'lines'])
    assertSame(bits(field[name]()), bits(other[name]()), context)
  assertSame(bits(field.distances), bits(other.distances), context)
  assert.equal(field.stats(), other.stats(), context)
}

const test = suite('flow fields')
const { FlowField, ObstacleTree } = copse
let instance
test.before(async () => void (instance = await copse.create()))

const open = (options) => new FlowField({ instance, bounds: [0, 0, 10, 10], cell: 1, ...options })
/** Returns a field with a wall from (5, 2) to (5, 8). */
function divided(options) {
  const field = open({ cell: 0.5, radius: 0.5, ...options })
  field.obstacles = new ObstacleTree({ instance: options?.instance ?? instance })
  field.obstacles.addSegment(5, 2, 5, 8)
  field.setGoals([9, 5])
  return field
}

// ---- Paths ----

test('keep the radius, and are as long as the field says', () => {
  let found = 0
  forAll(fc.nat(), runsOf(20), (seed) => {
    const random = createRandom(seed)
    const level = drawDenseLevel(random)
    const cell = 0.25 + 0.25 * integer(random, 2)
    const radius = cell * (0.5 + 0.8 * random())
    const field = fieldOf(level, { instance, cell, radius })
    const point = () => drawFree(random, level, radius)
    const [goals, costs] = [
      [point(), point()],
      [0, integer(random, 30)],
    ]
    field.setGoals(goals.flat(), costs)
    field.build()
    assert.ok(field._validate())
    for (let i = 0; i < 16; i++) {
      const start = point()
      const goal = field.path(...start).corners.slice(-2)
      const cost = costs[goals.findIndex(([x, y]) => x === goal[0] && y === goal[1])]
      const length = assertPath(field, level, start, cost)
      if (length < Infinity) found++
    }
    field.obstacles.dispose()
    field.dispose()
  })
  assert.ok(found > 0)
})

test('many directions are those of single calls', () => {
  const random = createRandom(3)
  const level = drawDenseLevel(random)
  const field = fieldOf(level, { instance, cell: 0.5, radius: 0.4 })
  field.setGoals([8, 8, 1, 1])
  field.build()
  const points = Float32Array.from({ length: 600 }, () => random() * 20 - 2)
  const { directions, distances } = field.directionMany(points)
  assert.equal([directions.length, distances.length], [600, 300])
  for (let i = 0; i < 300; i++) {
    const [x, y] = points.subarray(2 * i)
    assert.equal([...directions.subarray(2 * i, 2 * i + 2)], [...field.direction(x, y)])
    assert.is(distances[i], field.distance(x, y))
    assert.ok(distances[i] < Infinity || !(directions[2 * i] || directions[2 * i + 1]))
  }
  assert.is(field.directionMany(points), field.directionMany(new Float32Array(0)))
  assert.is(field.directionMany(new Float32Array(0)).distances.length, 0)
})

test('to areas end at their borders, with the cost of the area', () => {
  const field = open({ cell: 0.25 })
  const random = createRandom(8)
  const boxes = [2, 2, 4, 3, 9, 9, 7, 6]
  const costs = [0, 3]
  field.setGoalAreas(boxes, costs)
  field.build()
  const areas = [boxes.slice(0, 4), [7, 6, 9, 9]]
  for (let i = 0; i < 200; i++) {
    const [x, y] = [fround(random() * 10), fround(random() * 10)]
    const lengths = areas.map(
      ([x0, y0, x1, y1], j) => hypot(max(0, x0 - x, x - x1), max(0, y0 - y, y - y1)) + costs[j],
    )
    const best = min(...lengths)
    const distance = field.distance(x, y)
    assert.ok(distance >= best - 1e-5 && distance <= best + 0.14, `${distance}, best ${best}`)
    if (lengths[0] !== 0) continue
    assert.equal([...field.direction(x, y)], [0, 0])
    assert.equal(field.path(x, y), { corners: Float32Array.of(x, y), length: 0, reached: true })
  }
  // A box without extent is a point.
  const other = open({ cell: 0.25 })
  field.setGoalAreas([3, 4, 3, 4])
  other.setGoals(Float64Array.of(3, 4))
  field.build()
  other.build()
  assertSameField(field, other)
})

test('do not enter closed cells, but lead out of them', () => {
  const random = createRandom(5)
  for (let round = 0; round < 3; round++) {
    const field = open({ radius: 0.5 })
    const { closed, columns, rows } = field
    closed.forEach((_, i) => (closed[i] = integer(random, 3) ? 0 : 1 + integer(random, 255)))
    closed[55] = 0
    field.setGoals([5.5, 5.5])
    field.build()
    assert.ok(field._validate())
    // The cells that are linked to the goal by their sides.
    const linked = new Set([55])
    for (const cell of linked) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)]
      const sides = [column > 0, column < columns - 1, row > 0, row < rows - 1]
      const others = [cell - 1, cell + 1, cell - columns, cell + columns]
      for (const [i, next] of others.entries()) if (sides[i] && !closed[next]) linked.add(next)
    }
    const isIn = (cell, [x0, y0, x1, y1]) => {
      const [x, y] = [cell % columns, Math.floor(cell / columns)]
      const sides = [
        [x, y, x + 1, y],
        [x + 1, y, x + 1, y + 1],
        [x, y + 1, x + 1, y + 1],
        [x, y, x, y + 1],
      ]
      // A path may pass a corner at a little distance.
      return sides.some((side) => gapOf(side, [x0, y0, x1, y1]) < 1e-6)
    }
    for (let cell = 0; cell < columns * rows; cell++) {
      if (!linked.has(cell)) continue
      const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5]
      assert.ok(field.distance(x, y) < Infinity, `round ${round}: no path from cell ${cell}`)
      for (const segment of segmentsOf(x, y, field.path(x, y)))
        for (let i = 0; i < columns * rows; i++)
          assert.not(closed[i] && isIn(i, segment), `round ${round}: ${segment} enters cell ${i}`)
    }
  }
  const field = open()
  field.closed[22] = 1
  field.setGoals([8.5, 2.5])
  field.build()
  assert.is(field.distance(2.5, 2.5), 6)
})

test('lead around a wall that moved, once the field is built again', () => {
  const field = divided()
  field.build()
  assert.ok(field.distance(1, 5) < 11)
  const slot = field.obstacles.addSegment(5, 8, 5, 20) // now only below
  assert.is(field.isCurrent, false)
  const level = levelOf([], [[5, 2, 5, 20]])
  const random = createRandom(9)
  for (let i = 0; i < 300; i++) {
    const [x, y] = drawFree(random, { ...level, size: 10 }, 0.5)
    const [firstX, firstY] = field.path(x, y).corners
    if (firstX === undefined) assert.is(field.distance(x, y), Infinity)
    else assert.ok(clearanceOf(level, [x, y, firstX, firstY]) >= 0.5, `from ${x}, ${y}`)
  }
  field.build()
  assert.is(field.isCurrent, true)
  const [x, y] = field.path(1, 5).corners
  assert.ok(x < 5 && y < 2)
  field.obstacles.remove(slot)
  field.obstacles.addSegment(5, -20, 5, 20)
  field.build()
  assert.equal([field.distance(1, 5), field.distance(8, 5)], [Infinity, 1])
})

test('are current if their walls are those of the build', () => {
  const field = divided()
  const { obstacles } = field
  const build = () => (field.build(), field.isCurrent)
  assert.is(field.isCurrent, false)
  assert.is(field.buildPart(1), false)
  assert.is(field.isCurrent, false)
  assert.is(build(), true)
  for (const change of [
    () => obstacles.move(0, [5, 1, 5, 7]),
    () => obstacles.addSegment(20, 20, 30, 30),
    () => obstacles.remove(2),
    () => {
      obstacles.vertices[1] = 2
      assert.is(field.isCurrent, true, 'written vertices count from the next build on')
      obstacles.build()
    },
    () => (field.obstacles = null),
    () => (field.obstacles = obstacles),
    () => obstacles.clear(),
  ]) {
    change()
    assert.is(field.isCurrent, false, `${change}`)
    assert.is(build(), true)
  }
  field.obstacles = null
  assert.is(field.isCurrent, true, 'no walls, as before')
  field.obstacles = obstacles
  // Whatever else changes does not matter, nor does a build that is under way.
  field.setGoals([1, 1])
  field.closed[0] = 1
  field.radius = 1
  assert.is(field.isCurrent, true)
  assert.is(field.buildPart(1), false)
  assert.is(field.isCurrent, true)
  obstacles.addSegment(5, 2, 5, 8)
  assert.is(field.isCurrent, false)
  while (!field.buildPart(500));
  assert.is(field.isCurrent, true)
})

test('without goals, or with all cells closed, have no path', () => {
  const field = divided()
  for (const prepare of [
    () => field.setGoals([]),
    () => (field.setGoals([9, 5]), field.closed.fill(255)),
  ]) {
    prepare()
    field.build()
    assert.equal([field.distance(8, 5), ...field.direction(8, 5)], [Infinity, 0, 0])
    assertNoPath(field.path(8, 5))
    assert.ok(field.distances.every((distance) => distance === Infinity))
    assert.equal([field.lines().length, field.stats().reached], [0, 0])
    assert.ok(field._validate())
  }
  field.closed.fill(0)
  field.build()
  assert.is(field.distance(8, 5), 1)
})

test('move goals in walls, in solids, in closed cells and outside to free places', () => {
  const field = open({ cell: 0.5, radius: 0.5 })
  field.obstacles = new ObstacleTree({ instance })
  field.obstacles.addPolygon([4, 4, 6, 4, 6, 6, 4, 6])
  for (const goal of [
    [4, 5],
    [5, 5],
    [-30, 5],
    [1e18, -1e18],
  ]) {
    field.setGoals(goal)
    field.build()
    assert.is(field.stats().moved, 1, `${goal}`)
    const [x, y] = field.path(1, 1).corners.slice(-2)
    assert.ok(isFree(levelOf([[4, 4, 6, 4, 6, 6, 4, 6]], []), 0.5, x, y))
    assert.ok(x > 0 && x < 10 && y > 0 && y < 10)
  }
  field.setGoalAreas([4.5, 4.5, 5.5, 5.5, 1, 1, 1.5, 1.5])
  field.build()
  assert.is(field.stats().moved, 1)
  field.setGoals([1, 1])
  field.closed[2 * 20 + 2] = 1
  field.build()
  assert.is(field.stats().moved, 1)
})

test('answer for points outside of the bounds', () => {
  const field = divided()
  field.build()
  assert.ok(Math.abs(field.distance(20, 5) - 11) < 0.1)
  assert.ok(field.distance(-5, 20) < 30)
  assert.ok(field.distance(1e18, -1e18) > 1e18)
  assert.equal([...field.direction(1e6, 5)], [-1, 0])
})

// ---- Builds ----

test('in slices are those in one call', () => {
  const random = createRandom(6)
  for (const work of [1, 300, 5000, 2 ** 32 - 1]) {
    const level = drawDenseLevel(random)
    const [field, other] = [0, 1].map(() => fieldOf(level, { instance, cell: 0.5, radius: 0.3 }))
    for (const each of [field, other]) {
      each.setGoals([2, 2])
      each.build()
      each.closed.fill(1, 40, 48)
      each.setGoalAreas([8, 8, 12, 12, 1, 1, 1, 1], [0, 1])
      each.radius = 0.4
    }
    const before = field.cells()
    let calls = 1
    for (; !field.buildPart(work); calls++) {
      if (calls % 50 !== 1) continue
      assertSame(bits(field.cells()), bits(before))
      assert.is(field.stats().isUnderWay, true)
    }
    other.build()
    assert.ok(calls === 1 || work < 2 ** 31)
    assert.ok(calls > 20 || work > 4000, `${calls} calls`)
    assertSameField(field, other, `work ${work}`)
    assert.ok(field._validate() && field.stats().isUnderWay === false)
  }
})

test('begin again if the walls change, and keep what was set before', () => {
  const field = divided()
  assert.is(field.isBuilt, false)
  assert.is(field.buildPart(500), false)
  field.obstacles.addSegment(5, 8, 5, 20)
  while (!field.buildPart(500));
  assert.is(field.stats().restarts, 1)
  assert.is(field.isBuilt, true)
  assert.ok(field.path(1, 5).corners[1] < 2)
  // What is set during a build is for the next one.
  field.buildPart(500)
  field.setGoals([1, 1])
  while (!field.buildPart(500));
  assert.is(field.distance(9, 5), 0)
  field.build()
  assert.is(field.distance(1, 1), 0)
})

test('that need more anchors than the capacity say how many, and keep the previous build', () => {
  const field = divided({ capacity: 9 })
  field.build()
  const saved = field.save()
  for (let i = 0; i < 4; i++) field.obstacles.addSegment(2 * i + 1, 1, 2 * i + 1, 9)
  const before = field.distance(8, 5)
  for (const call of [
    () => field.build(),
    () => void (!field.buildPart(1e6) && field.buildPart(1e6)),
  ]) {
    const error = thrown(call)
    assert.is(error.code, 'FULL')
    const [, needed, advised] = /: (\d+) anchors, capacity 9: reserve\((\d+)\) first$/.exec(
      error.message,
    )
    assert.ok(needed === advised && Number(needed) > 9 && Number(needed) < 99)
    assert.is(field.distance(8, 5), before)
  }
  assert.is(field.stats().isUnderWay, false)
  assert.is(field.save().length, saved.length)
  for (let tries = 0; ; tries++)
    try {
      field.build()
      break
    } catch (error) {
      assert.ok(tries < 5)
      field.reserve(Number(/reserve\((\d+)\)/.exec(error.message)[1]))
    }
  assert.ok(field._validate())
  assert.is(field.isCurrent, true)
})

test('that reserve enlarges go on', () => {
  const [field, other] = [divided(), divided()]
  field.buildPart(3000)
  field.reserve(5000, { goals: 100 })
  assert.is(field.capacity, 5000)
  while (!field.buildPart(3000));
  other.build()
  assertSame(bits(field.distances), bits(other.distances))
  field.setGoals(new Float32Array(200))
  field.reserve(10)
  assert.is(field.capacity, 5000)
})

// ---- Snapshots ----

test('saved in the middle of an update go on in the same way', () => {
  const random = createRandom(7)
  for (let round = 0; round < 6; round++) {
    const level = drawDenseLevel(random)
    const [field, twin] = [0, 1].map(() => fieldOf(level, { instance, cell: 0.5, radius: 0.4 }))
    field.setGoals([3, 3])
    if (round % 2) field.build()
    field.setGoals([8, 12], [5])
    field.closed[77] = 1
    field.radius = 0.375
    for (let i = 0; i < 4 * round; i++) field.buildPart(1000)
    const bytes = field.save()
    field.setGoals([1, 1]) // does not belong to the snapshot
    twin.restore(bytes)
    field.restore(bytes)
    assert.equal([twin.save(), twin.radius, twin.closed[77]], [bytes, 0.375, 1])
    for (let isDone = false; !isDone;) {
      isDone = field.buildPart(1500)
      assert.is(twin.buildPart(1500), isDone)
      assert.equal(twin.save(), field.save())
    }
    assertSameField(field, twin)
    assert.ok(twin._validate())
  }
})

test('are refused if the options differ, and the message says how', () => {
  const field = divided()
  field.build()
  const bytes = field.save()
  const refused = (other, pattern) => {
    const before = other.save()
    assertThrown(() => other.restore(bytes), pattern)
    assert.equal(other.save(), before)
  }
  refused(open({ cell: 0.25 }), /BAD|FlowField.restore: the snapshot has cell 0.5, expected 0.25$/)
  const moved = { bounds: [0, -1, 10, 10], cell: 0.5 }
  refused(open(moved), /FlowField.restore: the snapshot has minY 0, expected -1$/)
  refused(new copse.Crowd({ instance }), /Crowd.restore: the snapshot is of class FlowField$/)
  const crowd = new copse.Crowd({ instance })
  assertThrown(() => field.restore(crowd.save()), /: the snapshot is of class Crowd$/)
})

test('restore reserves anchors and goals', () => {
  const field = divided()
  field.build()
  const small = open({ cell: 0.5, capacity: 1, goals: 1 })
  small.build()
  assert.is(small.distances.length, small.closed.length)
  small.restore(field.save()) // its arrays move
  assert.is(small.capacity, 9)
  assert.equal(small.distances, field.distances)
  assert.equal(small.closed, field.closed)
  field.setGoals([1, 1, 2, 2])
  const goals = field.save()
  small.restore(goals)
  assert.equal(small.save(), goals)
  small.setGoals([1, 1, 2, 2])
})

// ---- The obstacle tree ----

test('use trees of the same instance only', async () => {
  const other = await copse.create()
  const field = open()
  for (const wrong of [undefined, 5, 'x', {}, [], new copse.Crowd({ instance }), field])
    assert.match(
      String(thrown(() => (field.obstacles = wrong))),
      /^TypeError: FlowField.obstacles: obstacles must be an ObstacleTree or null, got/,
    )
  assertThrown(
    () => (field.obstacles = new ObstacleTree({ instance: other })),
    /^RangeError: FlowField.obstacles: obstacles must be from the same instance, got another$/,
  )
  const disposed = new ObstacleTree({ instance })
  disposed.dispose()
  assert.is(thrown(() => (field.obstacles = disposed)).code, 'DISPOSED')
  assert.is(field.obstacles, null)
  const walls = new ObstacleTree({ instance })
  field.obstacles = walls
  assert.is(field.obstacles, walls)
  field.obstacles = null
  assert.is(field.obstacles, null)
})

test('throw DISPOSED if their tree is disposed, until another is set', () => {
  const field = divided()
  field.build()
  field.buildPart(500)
  const [bytes, { obstacles }] = [field.save(), field]
  obstacles.dispose()
  // Trees in the memory of the disposed one.
  const others = Array.from({ length: 8 }, () => new ObstacleTree({ instance }))
  for (const other of others) other.addSegment(5, 4, 5, 6)
  for (const call of [
    () => field.build(),
    () => field.buildPart(1),
    () => field.distance(1, 5),
    () => field.direction(1, 5),
    () => field.directionMany(Float32Array.of(1, 5)),
    () => field.path(1, 5),
    () => field.isCurrent,
  ]) {
    const error = thrown(call)
    assert.is(error.code, 'DISPOSED')
    assert.match(error.message, /^FlowField\.\w+: obstacles must not be disposed$/)
  }
  assert.is(field.obstacles, obstacles)
  assert.is(field.stats().anchors, 9)
  assert.ok(field._validate())
  field.reserve(5000, { goals: 99 })
  assert.equal(field.save(), bytes)
  field.restore(bytes)
  assert.equal(field.cells().length, 7 * 400)
  field.obstacles = others[3]
  field.build()
  assert.is(field.isCurrent, true)
  assert.ok(field.path(1, 5).corners.length > 2 && field.distance(1, 5) < 9)
  field.obstacles = null
  field.build()
  assert.is(field.distance(1, 5), 8)
  for (const other of others) other.dispose()
  assert.is(field.distance(1, 5), 8)
})

test('share a tree with other fields, and build it when its polygons changed', () => {
  const [field, other] = [divided(), divided()]
  other.obstacles = field.obstacles
  field.obstacles.vertices[0] = NaN
  field.obstacles.addSegment(1, 1, 2, 2)
  for (const call of [
    () => field.build(),
    () => other.buildPart(5),
    () => field.isCurrent,
    () => field.obstacles.build(),
  ]) {
    const error = thrown(call)
    assert.is(error.code, 'NOT_FINITE')
    assert.match(error.message, /^ObstacleTree.build: .*: slot 0$/)
  }
  field.obstacles.vertices[0] = 5
  field.build()
  other.build()
  assertSameField(field, other)
})

// ---- Settings, arrays and wrong arguments ----

test('have the columns and rows that cover the bounds', () => {
  for (const [bounds, cell, columns, rows] of [
    [[0, 0, 10, 5], 1, 10, 5],
    [[-5, 0, 5.5, 0.5], 1, 11, 1],
    [[0, 0, 0.3, 0.7], 0.1, 3, 7],
    [[0, 0, 1638.4, 1], 0.1, 16384, 10],
    [[1000, 1000, 1001, 1001], 1 / 64, 64, 64],
  ]) {
    const field = new FlowField({ instance, bounds, cell })
    assert.equal([field.columns, field.rows], [columns, rows])
    assert.is(field.closed.length, columns * rows)
    assert.is(field.radius, cell / 2)
    assert.is(field.capacity, 4096)
    field.dispose()
  }
})

test('refuse a radius below half a cell', () => {
  const field = open({ cell: 0.5, radius: 0.25 })
  for (const radius of [...NOT_NUMBERS, undefined, NaN, 0.2499, 0, -1, Infinity, 1.1e18]) {
    const pattern =
      /^(Type|Range)Error: FlowField.radius: radius must be at least half a cell, 0.25, got /
    assertThrown(() => (field.radius = radius), pattern)
    assert.is(field.radius, 0.25)
    if (radius !== undefined)
      assertThrown(
        () => open({ cell: 0.5, radius }),
        /: radius must be at least half a cell, 0.25, got /,
      )
  }
  field.radius = 3.3
  assert.is(field.radius, 3.3)
  field.restore(field.save())
  assert.is(field.radius, 3.3)
})

test('refuse wrong options', () => {
  assertThrown(
    () => new FlowField(),
    /^TypeError: FlowField: options must be an object, got undefined/,
  )
  assertThrown(
    () => new FlowField({ cell: 1 }),
    /^TypeError: FlowField: bounds must be an array of 4/,
  )
  assertThrown(() => open({ bounds: [0, 0, 1] }), /bounds.length must be 4, got 3/)
  assertThrown(
    () => open({ bounds: [0, 5, 1, 5] }),
    /bounds\[1\] must be less than bounds\[3\], got 5/,
  )
  assertThrown(() => open({ cells: 1 }), /no option 'cells' \(did you mean 'cell'\?\)/)
  const cells = [...NOT_NUMBERS, undefined, NaN, 0, -1, Infinity, 10 / 16385, 1.1e18]
  for (const cell of cells) assertThrown(() => open({ cell }), /: cell must be at least 0.00061035/)
  assertThrown(() => open({ bounds: [1e6, 0, 1e6 + 9, 9] }), /: cell must be at least 15.2/)
  for (const name of ['capacity', 'goals'])
    for (const value of [...NOT_NUMBERS, NaN, 0, -1, 1.5, 65535, Infinity])
      assertThrown(
        () => open({ [name]: value }),
        new RegExp(`: ${name} must be an integer from 1 to 65534`),
      )
  for (const options of WRONG.options)
    assert.instance(
      thrown(() => new FlowField(options)),
      TypeError,
    )
  assertThrown(() => open({ instance: {} }), /instance must be made by create/)
  const most = new FlowField({
    instance,
    bounds: [0, 0, 1, 1],
    cell: 1,
    capacity: 65534,
    goals: 65534,
  })
  assert.is(most.capacity, 65534)
  const { reserve } = FlowField.prototype
  for (const capacity of [undefined, ...NOT_NUMBERS, 0, 65535])
    assertThrown(() => reserve.call(most, capacity), /reserve: capacity must be an integer from 1/)
  for (const goals of [...NOT_NUMBERS, -1, 65535])
    assertThrown(() => most.reserve(5, { goals }), /reserve: goals must be an integer from 0/)
  assertThrown(() => most.reserve(5, { goal: 1 }), /did you mean 'goals'/)
  most.dispose()
})

test('refuse wrong goals, and keep the old ones', () => {
  const field = open({ goals: 3 })
  field.setGoals([5, 5])
  const before = field.save()
  const refuse = (call, pattern) => {
    assertThrown(call, pattern)
    assert.equal(field.save(), before)
  }
  for (const points of [undefined, null, 5, 'ab', 5n, true])
    refuse(() => field.setGoals(points), /^TypeError: FlowField.setGoals: points must be an array/)
  for (const length of [1, 3, 1.5, -2, NaN, Infinity])
    refuse(() => field.setGoals({ length }), /setGoals: points.length must be a multiple of 2, got/)
  refuse(
    () => field.setGoalAreas([1, 2, 3, 4, 5, 6]),
    /setGoalAreas: boxes.length must be a multiple of 4/,
  )
  for (const x of WRONG.coordinate) {
    refuse(() => field.setGoals([1, 1, 1, x]), /setGoals: points\[3\] must be a finite number/)
    refuse(
      () => field.setGoalAreas([1, 1, x, 1]),
      /setGoalAreas: boxes\[2\] must be a finite number/,
    )
  }
  for (const costs of [null, 5, 'ab'])
    refuse(() => field.setGoals([1, 1], costs), /setGoals: costs must be an array/)
  refuse(() => field.setGoals([1, 1], [1, 2]), /setGoals: costs.length must be 1, got 2/)
  for (const cost of [...NOT_NUMBERS, undefined, NaN, -1, Infinity, 1.1e18])
    refuse(
      () => field.setGoals([1, 1, 2, 2], [0, cost]),
      /setGoals: costs\[1\] must be a finite number ≥ 0/,
    )
  refuse(
    () => field.setGoals([1, 1, 2, 2, 3, 3, 4, 4]),
    /^CopseError: FlowField.setGoals: 4 goals, capacity 3: reserve\(4096, { goals: 4 }\) first$/,
  )
})

test('refuse wrong arguments of queries', () => {
  const field = divided()
  for (const call of [
    () => field.distance(1, 1),
    () => field.direction(1, 1),
    () => field.path(1, 1),
    () => field.directionMany(Float32Array.of(1, 1)),
    () => field.distances,
  ]) {
    const error = thrown(call)
    assert.is(error.code, 'NOT_BUILT')
    assert.match(error.message, /^FlowField\.\w+: not built yet/)
  }
  assert.equal([field.cells().length, field.lines().length, field.stats().anchors], [0, 0, 0])
  field.build()
  for (const x of WRONG.coordinate)
    for (const name of ['distance', 'direction', 'path']) {
      assertThrown(
        () => field[name](x, 1),
        new RegExp(`FlowField.${name}: x must be a finite number`),
      )
      assertThrown(
        () => field[name](1, x),
        new RegExp(`FlowField.${name}: y must be a finite number`),
      )
    }
  for (const points of [undefined, null, 5, [1, 1], new Float64Array(2)])
    assertThrown(() => field.directionMany(points), /directionMany: points must be a Float32Array/)
  assertThrown(
    () => field.directionMany(new Float32Array(3)),
    /points.length must be a multiple of 2/,
  )
  for (const x of [NaN, Infinity, 1.1e18]) {
    const points = Float32Array.of(1, 1, 1, x)
    assertThrown(
      () => field.directionMany(points),
      /directionMany: points\[3\] must be a finite number/,
    )
  }
  for (const work of [undefined, ...NOT_NUMBERS, 0, -1, 1.5, NaN, 2 ** 32, Infinity])
    assertThrown(() => field.buildPart(work), /FlowField.buildPart: work must be an integer from 1/)
})

test('return the same path and the same direction each time', () => {
  const field = divided()
  field.build()
  field.directionMany(Float32Array.of(8, 5)) // the first one makes room, and new views
  const view = field.direction(1, 5)
  const [x, y] = view
  assert.instance(view, Float32Array)
  assert.ok(Math.abs(hypot(x, y) - 1) < 1e-6 && x > 0 && y !== 0)
  const path = field.path(1, 5)
  assert.equal(Object.keys(path), ['corners', 'length', 'reached'])
  const { corners, length } = path
  const copy = [...corners]
  assert.ok(corners.length > 4)
  assert.equal(copy.slice(-2), [9, 5])
  assert.equal([...view], [x, y], 'a path is no direction')
  field.distance(8, 5)
  field.directionMany(Float32Array.of(8, 5))
  assert.equal([path.length, path.reached, ...corners], [length, true, ...copy])
  assert.is(field.direction(8, 5), view)
  assert.equal([...view], [1, 0])
  assert.equal([...corners], copy)

  // A shorter path overwrites the first corners of the one before.
  assert.is(field.path(8, 5), path)
  assert.equal(path, { corners: Float32Array.of(9, 5), length: 1, reached: true })
  assert.equal([...corners], [9, 5, ...copy.slice(2)])
  assert.is(field.path(1, 5), path)
  assert.is(path.corners, corners)
  assert.equal([path.length, ...corners], [length, ...copy])

  assert.equal(field.path(9, 5), { corners: Float32Array.of(9, 5), length: 0, reached: true })
  field.closed.fill(1)
  field.build()
  assert.is(field.path(8, 5), path)
  assertNoPath(path)
})

test('have paths whose length is that of their stretches, without the cost of the goal', () => {
  const field = divided()
  for (const cost of [0, 7.5]) {
    field.setGoals([9, 5], [cost])
    field.build()
    for (const [x, y] of [
      [1, 5],
      [0.3, 9.7],
      [8, 5],
      [9, 5],
      [-40, 3],
    ]) {
      const path = field.path(x, y)
      assertClose(path.length, lengthOf(segmentsOf(x, y, path)))
      assert.equal([...path.corners.slice(-2)], [9, 5])
      assertClose(field.distance(x, y), path.length + cost)
    }
    assert.equal([field.path(8, 5).length, field.distance(8, 5)], [1, 1 + cost])
  }
  field.setGoalAreas([7, 4, 9, 6], [3])
  field.build()
  assert.equal(field.path(8, 5), { corners: Float32Array.of(8, 5), length: 0, reached: true })
  assert.is(field.distance(8, 5), 3)
  assert.equal([...field.path(9.5, 5).corners], [9, 5])
  assert.is(field.path(9.5, 5).length, 0.5)
})

test('renew their arrays when memory grows or they are reserved', async () => {
  const instance = await copse.create({ memory: 2 ** 20 })
  const field = divided({ instance })
  field.closed[3] = 9
  field.build()
  const before = [...field.distances]
  const { closed } = field
  const path = field.path(1, 5)
  const { corners } = path
  const direction = field.direction(1, 5)
  const [found, toward] = [[...corners], [...direction]]
  const bytes = bytesOf(instance)
  new copse.AgentTree({ instance, capacity: 100_000 })
  assert.ok(bytesOf(instance) > bytes && closed.length === 0)
  assert.equal([corners.length, direction.length], [0, 0])
  assert.is(field.path(1, 5), path)
  assert.equal([...path.corners], found)
  assert.equal([...field.direction(1, 5)], toward)
  assert.equal([field.closed[3], ...field.distances], [9, ...before])
  assert.is(field.closed, field.closed)
  field.reserve(9000, { goals: 9000 })
  assert.equal([field.closed[3], ...field.distances], [9, ...before])
  assert.is(field.path(1, 5), path)
  assert.equal([...path.corners, ...field.direction(1, 5)], [...found, ...toward])
  const { distances } = field
  field.buildPart(2 ** 31)
  assert.is.not(field.distances, distances)
  field.buildPart(2 ** 31)
  assert.is(field.distances, distances)
  assert.ok(field.closed instanceof Uint8Array && distances instanceof Float32Array)
})

test('throw DISPOSED after dispose', () => {
  const field = divided()
  field.build()
  field.dispose()
  field.dispose()
  for (const name of [
    'capacity',
    'columns',
    'rows',
    'obstacles',
    'radius',
    'closed',
    'isBuilt',
    'isCurrent',
    'distances',
  ])
    assert.is(thrown(() => field[name]).code, 'DISPOSED', name)
  for (const [name] of methodsOf(FlowField))
    if (name !== 'dispose') assert.is(thrown(() => field[name](1, 1)).code, 'DISPOSED', name)
  assert.is(thrown(() => (field.obstacles = null)).code, 'DISPOSED')
  assert.is(thrown(() => (field.radius = 1)).code, 'DISPOSED')
})

test('draw their cells and lines', () => {
  const field = divided()
  field.build()
  const cells = field.cells()
  assert.is(cells.length, 7 * 400)
  for (let i = 0; i < 400; i++) {
    const [x0, y0, x1, y1, distance, anchor, isBlocked] = cells.subarray(7 * i)
    assert.equal([x0, y0, x1 - x0, y1 - y0], [(i % 20) / 2, Math.floor(i / 20) / 2, 0.5, 0.5])
    assert.is(distance, field.distances[i])
    assert.is(anchor < 0, distance === Infinity)
    const isNear = gapOf([5, 2, 5, 8], [x0 + 0.25, y0 + 0.25, x0 + 0.25, y0 + 0.25]) <= 0.5
    assert.is(isBlocked === 1, isNear)
  }
  const lines = field.lines()
  assert.is(lines.length, 9 * 5)
  for (let i = 0; i < lines.length; i += 5)
    assert.ok(clearanceOf(levelOf([], [[5, 2, 5, 8]]), [...lines.subarray(i, i + 4)]) > 0.5)
  const large = new FlowField({ instance, bounds: [0, 0, 80, 80], cell: 1 })
  large.setGoals([3, 3])
  large.build()
  const drawn = large.cells()
  assert.is(drawn.length, 7 * 6400)
  for (let i = 0; i < 6400; i++) assert.is(drawn[7 * i + 4], large.distances[i])
})

test.run()
