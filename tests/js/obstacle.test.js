// Every call of the obstacle tree, with expected results found by hand.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { bytesOf, bits, thrown } from './support/indexes.js'
import { testQueries } from './support/wall-queries.js'
import {
  assertRefused,
  NOT_NUMBERS,
  trap,
  WRONG,
  WRONG_OPTIONS,
  WRONG_SIZES,
} from './support/bad-arguments.js'

testQueries() // compares it with a plain list, on drawn scenes

/** Returns a counter-clockwise square: its edges are bottom, right, top, left. */
const square = (x, y, size) => [x, y, x + size, y, x + size, y + size, x, y + size]
const clockwise = (x, y, size) => [x, y, x, y + size, x + size, y + size, x + size, y]

/** Returns everything that a caller can read from a tree, except statistics that queries change. */
function observableState(tree) {
  const { capacity, count, slots } = tree
  return {
    ...{ capacity, count, slots },
    vertices: bits(tree.vertices),
    generations: tree.generations.slice(),
    used: [...tree.generations]
      .map((generation, id) => (generation & 1 ? [id, tree.next[id], tree.polygons[id]] : []))
      .flat(),
    ids: tree.within(0, 0, Infinity).slice(),
    cells: bits(tree.cells()),
    lines: bits(tree.lines()),
    stats: { ...tree.stats(), visits: 0, bytes: 0 },
  }
}

const NOT_ARRAYS = [undefined, null, 5, '5', 5n, true, Symbol('s'), {}, () => {}]
const SIDES = [null, 5, 5n, true, {}, 'left', 'Both', '']
const NOT_BOOLEANS = [null, 5, 'true', 5n, {}, [], new Float32Array(8), Symbol('s')]

/** By kind of argument: wrong values, a right value, and its type. */
const ARGUMENTS = {
  slot: [WRONG.slots, 0, 'number'],
  x: [WRONG.coordinate, 3, 'number'],
  radius: [WRONG.distance, 3, 'number'],
  points: [NOT_ARRAYS, square(0, 0, 2), 'an array'],
  segments: [[...NOT_ARRAYS, new Float64Array(4), []], Float32Array.of(3, 1, 3, 3), 'floats'],
  ids: [NOT_ARRAYS, [0, 1], 'an array'],
  positions: [NOT_ARRAYS, [3, 0, 9, 9], 'an array'],
  options: [WRONG.options, {}, 'an object'],
}

const POINT = 'x:x x:y'
const SEGMENT = 'x:x0 x:y0 x:x1 x:y1'

/** The arguments of each method: kind:name. */
const METHODS = {
  move: 'slot:slot points:points',
  winding: 'slot:slot',
  within: `${POINT} radius:radius options:options`,
  nearest: `${POINT} options:options`,
  visible: `${SEGMENT} options:options`,
  raycast: `${SEGMENT} options:options`,
  raycastMany: 'segments:segments options:options',
  contains: POINT,
  visibilityPolygon: `${POINT} options:options`,
  keepVisible: `${POINT} ids:ids positions:positions`,
  addPolygon: 'points:points options:options',
  addSegment: SEGMENT,
  remove: 'slot:slot',
}

const argumentsOf = (method) =>
  METHODS[method].split(' ').map((argument) => {
    const [kind, name] = argument.split(':')
    return { kind, name }
  })
const rightOf = (method) => argumentsOf(method).map(({ kind }) => ARGUMENTS[kind][1])

const name = 'ObstacleTree'
const test = suite(name)
let instance
test.before(async () => {
  instance = await copse.create()
})

const empty = (options) => new copse[name]({ capacity: 20, instance, ...options })

/** Returns a tree with a square of size 2 and, to its right, a thin wall. */
function squareAndWall(options) {
  const tree = empty(options)
  assert.is(tree.addPolygon(square(0, 0, 2)), 0)
  assert.is(tree.addSegment(4, -2, 4, 2), 4)
  return tree
}

function assertCode(call, code) {
  const error = thrown(call)
  assert.instance(error, copse.CopseError)
  assert.is(error.code, code)
  return error
}

// ---- Arguments ----

test('wrong arguments are refused and change nothing', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  for (const method of Object.keys(METHODS)) {
    const right = rightOf(method)
    argumentsOf(method).forEach(({ kind, name: argument }, i) => {
      const [wrongs, , type] = ARGUMENTS[kind]
      for (const wrong of wrongs) {
        const args = [...right]
        args[i] = wrong
        assertRefused(() => tree[method](...args), `${name}.${method}`, argument, wrong, type)
      }
    })
  }
  assert.equal(observableState(tree), before)
})

test('wrong options are refused, but undefined is not', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  const TYPES = { side: 'string', solid: 'string', bounds: 'an array', distances2: 'boolean' }
  const wrongs = {
    within: { side: SIDES, distances2: NOT_BOOLEANS },
    nearest: { side: SIDES, maxDistance: WRONG_OPTIONS.maxDistance },
    visible: { inflate: WRONG.distance.slice(1) },
    raycast: { side: SIDES },
    raycastMany: { side: SIDES },
    visibilityPolygon: { maxDistance: WRONG_OPTIONS.maxDistance, bounds: NOT_ARRAYS.slice(1) },
    addPolygon: { solid: ['', 'Inside', 'solid', 'boundary', null, 1, 5n, true, {}] },
  }
  for (const [method, options] of Object.entries(wrongs)) {
    const right = rightOf(method).slice(0, -1)
    for (const [option, values] of Object.entries(options)) {
      const type = TYPES[option] ?? 'number'
      for (const wrong of values) {
        const call = () => tree[method](...right, { [option]: wrong })
        assertRefused(call, `${name}.${method}`, option, wrong, type)
      }
      if (method !== 'addPolygon') tree[method](...right, { [option]: undefined })
    }
  }
  for (const method of ['nearest', 'nearestPoint', 'visible', 'raycast', 'visibilityPolygon']) {
    const right = [...rightOf(method.replace('Point', '')).slice(0, -1), { distances2: true }]
    const { message } = thrown(() => tree[method](...right))
    assert.ok(message.startsWith(`${name}.${method}: no option 'distances2' `), message)
  }
  assert.equal(observableState(tree), before)
})

test('points must be at least two pairs of finite numbers', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  const changes = { addPolygon: (points) => tree.addPolygon(points) }
  changes.move = (points) => tree.move(0, points)
  for (const [method, change] of Object.entries(changes)) {
    for (const points of [[], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5], new Float32Array(2)])
      assertRefused(() => change(points), `${name}.${method}`, 'points.length', points.length)
    for (const wrong of WRONG.coordinate)
      assertRefused(() => change([0, 0, 1, wrong]), `${name}.${method}`, 'points[3]', wrong)
  }
  const call = () => tree.move(0, [0, 0, 1, 1])
  assertRefused(call, `${name}.move`, 'points.length', 4)
  assert.equal(observableState(tree), before)
})

test('all other numbers out of range are refused', () => {
  const tree = squareAndWall()
  for (const bounds of [
    [2, 0, 4],
    [0, 0, 3, 3],
    [3, 0, 9, 9],
    [9, 9, 0, 0],
    [0, 0, 0, 0, 0],
  ]) {
    const error = thrown(() => tree.visibilityPolygon(3, 1, { bounds }))
    assert.instance(error, RangeError)
    assert.match(error.message, /^ObstacleTree\.visibilityPolygon: bounds/)
  }
  for (const wrong of WRONG.coordinate)
    assert.match(
      String(thrown(() => tree.visibilityPolygon(3, 1, { bounds: [0, 0, wrong, 9] }))),
      /Error: ObstacleTree\.visibilityPolygon: bounds must be /,
    )
  for (const maxDistance of [0, 1e-30])
    assertRefused(
      () => tree.visibilityPolygon(3, 1, { maxDistance }),
      `${name}.visibilityPolygon`,
      'maxDistance',
      maxDistance,
    )
  for (const id of [...NOT_NUMBERS, -1, 2, 1.5, NaN, undefined])
    assertRefused(
      () => tree.keepVisible(3, 1, [0, id], [3, 0, 9, 9, 1]),
      `${name}.keepVisible`,
      'ids[1]',
      id,
    )
  for (const length of [1, 3, 4 * 21 + 2])
    assertRefused(
      () => tree.raycastMany(new Float32Array(length)),
      `${name}.raycastMany`,
      'segments.length',
      length,
    )
  for (const wrong of [NaN, Infinity, -2e18])
    assert.match(
      String(thrown(() => tree.raycastMany(Float32Array.of(0, wrong, 1, 1)))),
      /^RangeError: ObstacleTree\.raycastMany: segments\[1\] must be /,
    )
})

test('wrong options of the constructor are refused', () => {
  const assertOption = (option, wrong, type) =>
    assertRefused(() => empty({ [option]: wrong }), name, option, wrong, type)
  for (const wrong of WRONG_SIZES) assertOption('capacity', wrong)
  for (const wrong of WRONG_SIZES.filter((wrong) => wrong !== 2 ** 28 + 1))
    assertOption('pieces', wrong)
  for (const wrong of [19, 2 ** 29 + 1]) assertOption('pieces', wrong)
  assertRefused(() => new copse[name]({ pieces: 0 }), name, 'pieces', 0)
  for (const wrong of WRONG_SIZES) assertOption('leafSize', wrong)
  for (const wrong of [null, 5, 'x', {}]) assertOption('instance', wrong, 'an instance')
  for (const wrong of [null, 5, 'x', 5n, true])
    assertRefused(() => new copse[name](wrong), name, 'options', wrong, 'an object')
})

test('wrong arguments of reserve, saveInto and restore are refused', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  for (const wrong of [...WRONG.slots, 0, 2 ** 28 + 1])
    assertRefused(() => tree.reserve(wrong), `${name}.reserve`, 'capacity', wrong)
  for (const wrong of WRONG.bytes) {
    assertRefused(() => tree.saveInto(wrong), `${name}.saveInto`, 'bytes', wrong, 'bytes')
    assertRefused(() => tree.restore(wrong), `${name}.restore`, 'bytes', wrong, 'bytes')
  }
  assert.equal(observableState(tree), before)
})

// ---- Polygons ----

test('vertices take the lowest free ids, in order', () => {
  const tree = squareAndWall()
  assert.equal([tree.count, tree.slots], [2, 6])
  assert.equal([...tree.vertices.subarray(0, 12)], [...square(0, 0, 2), 4, -2, 4, 2])
  assert.equal([...tree.next.subarray(0, 6)], [1, 2, 3, 0, 5, 4])
  assert.equal([...tree.polygons.subarray(0, 6)], [0, 0, 0, 0, 4, 4])
  assert.equal([...tree.generations.subarray(0, 7)], [1, 1, 1, 1, 1, 1, 0])
  for (const slot of [0, 4]) assert.ok(tree.has(slot))
  for (const slot of [1, 3, 5, 6, 20, -1, 0.5, '0', NaN, undefined]) assert.not(tree.has(slot))

  tree.remove(0)
  assert.equal([tree.count, tree.slots], [1, 6])
  assert.not(tree.has(0))
  assert.is(tree.addPolygon([9, 9, 10, 9, 10, 10]), 0)
  assert.is(tree.addPolygon([7, 7, 8, 7, 8, 8]), 3)
  assert.equal([...tree.next.subarray(0, 8)], [1, 2, 0, 6, 5, 4, 7, 3])
  assert.equal([...tree.polygons.subarray(0, 8)], [0, 0, 0, 3, 4, 4, 3, 3])
  assert.equal([...tree.generations.subarray(0, 8)], [3, 3, 3, 3, 1, 1, 1, 1])
  assert.ok(tree._validate())
  assert.equal([tree.count, tree.slots], [3, 8])
  tree.clear()
  assert.is(tree.count, 0)
  assert.not(tree.has(4))
  assert.is(tree.addSegment(0, 0, 1, 1), 0)
})

test('points may be any array of numbers', () => {
  const tree = empty()
  const points = square(1, 2, 3)
  for (const Type of [Float32Array, Float64Array, Int8Array, Uint16Array, Array])
    assert.equal(
      [...tree.vertices.subarray(2 * tree.addPolygon(Type.from(points)))].slice(0, 8),
      points,
    )
  tree.clear()
  tree.addPolygon({ length: 6, ...[1, 2, 3, 4, 1, 4] })
  assert.equal([...tree.vertices.subarray(0, 6)], [1, 2, 3, 4, 1, 4])
  tree.addPolygon([-0, -0, 1, 1, 0, 1])
  assert.is(Object.is(tree.vertices[6], 0), true)
})

test('points may lie in the linear memory that grows for them', async () => {
  const instance = await copse.create({ memory: 2 ** 20 })
  const tree = empty({ instance, capacity: 50_000 })
  const { vertices } = tree
  for (let i = 0; i < vertices.length; i++) vertices[i] = i % 1000
  const bytes = bytesOf(tree)
  assert.is(tree.addPolygon(vertices, { solid: 'winding' }), 0)
  assert.ok(bytesOf(tree) > bytes, 'it grew')
  assert.equal([...tree.vertices.subarray(1998, 2004)], [998, 999, 0, 1, 2, 3])
})

test('winding returns the direction of the edges, which depends on what is solid', () => {
  const tree = empty({ capacity: 60 })
  const added = (points, solid) => {
    const slot = tree.addPolygon(points, solid && { solid })
    const { length } = points
    assert.equal([...tree.vertices.subarray(2 * slot, 2 * slot + length)], points, 'as given')
    return tree.winding(slot)
  }
  for (const points of [square(0, 0, 2), clockwise(0, 0, 2)]) {
    const drawn = points[2] === 2 ? 1 : -1
    assert.is(added(points), 1)
    assert.is(added(points, 'inside'), 1)
    assert.is(added(points, 'outside'), -1)
    assert.is(added(points, 'winding'), drawn)
    assert.is(added(points, 'nowhere'), drawn)
  }
  for (const solid of ['winding', 'nowhere']) {
    assert.is(added([1, 2, 3, 4], solid), 0)
    assert.is(added([0, 0, 1, 1, 2, 2], solid), 0)
  }
  assert.is(tree.addSegment(5, 5, 6, 6), 50)
  assert.is(tree.winding(50), 0)
})

test('a polygon without area that is to be solid throws RangeError and changes nothing', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  for (const points of [
    [1, 2, 3, 4],
    [0, 0, 0, 0],
    [0, 0, 1, 1, 2, 2],
    [5, 5, 5, 5, 5, 5],
    [0, 0, 4, 4, 4, 0, 0, 4], // a figure eight: its two areas cancel
    [0, 0, 2, 0, 2, 2, 2, 0], // there and back
  ])
    for (const options of [undefined, {}, { solid: 'inside' }, { solid: 'outside' }]) {
      const error = thrown(() => tree.addPolygon(points, options))
      assert.instance(error, RangeError)
      const text = "points must enclose an area, or solid must be 'winding' or 'nowhere'"
      assert.is(error.message, `${name}.addPolygon: ${text}`)
      assert.equal(observableState(tree), before)
    }
  const full = empty({ capacity: 2 })
  assertCode(() => full.addPolygon([0, 0, 1, 1, 2, 2]), 'FULL')
})

test('the solid side of a polygon stays, however its vertices are moved', () => {
  const mirrored = (points) => points.map((x, i) => (i % 2 ? x : 8 - x))
  /** In the square, out of it, and out of it and its mirror image. */
  const PLACES = [
    [4, 4],
    [1, 1],
    [9, 1],
  ]
  const changes = {
    none() {},
    move: (tree, points) => tree.move(0, mirrored(points)),
    moveTwice(tree, points) {
      tree.move(0, mirrored(points))
      tree.move(0, points)
    },
    moveByLine(tree, points) {
      tree.move(0, [2, 2, 6, 2, 6, 2, 2, 2]) // without area for a while
      tree.build()
      tree.move(0, mirrored(points))
    },
    write(tree, points) {
      tree.vertices.set(mirrored(points))
      tree.build()
    },
    restore(tree) {
      const bytes = tree.save()
      tree.clear()
      tree.addPolygon(clockwise(0, 0, 1), { solid: 'outside' })
      tree.restore(bytes)
    },
    moveAndRestore(tree, points) {
      changes.move(tree, points)
      changes.restore(tree)
    },
    restoreAndMove(tree, points) {
      changes.restore(tree)
      changes.write(tree, points)
    },
    restoreElsewhere(tree, points, other) {
      other.restore(tree.save())
      tree.restore(other.save())
    },
    reserve: (tree) => tree.reserve(30),
  }
  for (const [changeName, change] of Object.entries(changes))
    for (const points of [square(2, 2, 4), clockwise(2, 2, 4)])
      for (const [option, solid] of [
        [undefined, 'inside'],
        ['inside', 'inside'],
        ['outside', 'outside'],
        ['winding', points[2] > 2 ? 'inside' : 'outside'],
        ['nowhere', 'nowhere'],
      ]) {
        const context = `${changeName}, ${option}, ${points}`
        const tree = empty({ capacity: 8, leafSize: 1 })
        tree.addPolygon(points, { solid: option })
        change(tree, points, empty({ capacity: 12, leafSize: 1 }))
        const isIn = { inside: true, outside: false, nowhere: false }[solid]
        const isOut = { inside: false, outside: true, nowhere: false }[solid]
        assert.equal(
          PLACES.map(([x, y]) => tree.contains(x, y)),
          [isIn, isOut, isOut],
          context,
        )
        // The border is solid.
        assert.is(tree.contains(2, 4), solid !== 'nowhere', context)
        if (solid !== 'nowhere') assert.is(tree.winding(0), isIn ? 1 : -1, context)
        // Edges are seen from their free side.
        const side = 'visible'
        const isWallSeen = (x) => tree.nearest(x, 4, { side, maxDistance: 1.5 }) >= 0
        assert.equal([isWallSeen(1), isWallSeen(3)], [!isOut, !isIn], context)
        const out = tree.raycast(4, 4, 9, 4, { side })
        assert.is(out !== null, !isIn, context)
        if (out) assert.is(out.normalX, -1, context)
        const intoWall = tree.raycast(9, 4, 4, 4, { side })
        assert.is(intoWall !== null, !isOut, context)
        if (intoWall) assert.is(intoWall.normalX, 1, context)
        assert.not(tree.visible(1, 4, 4, 4), context)
        assert.equal([tree.count, tree.slots], [1, 4])
        assert.ok(tree._validate())
      }
})

test('a solid polygon inside of a boundary is solid, the space between is free', () => {
  for (const level of [square(0, 0, 20), clockwise(0, 0, 20)])
    for (const pillar of [square(5, 5, 4), clockwise(5, 5, 4)]) {
      const tree = empty({ capacity: 40 })
      tree.addPolygon(level, { solid: 'outside' })
      tree.addPolygon(pillar)
      tree.addPolygon(
        pillar.map((x) => x + 8),
        { solid: 'nowhere' },
      )
      for (const [x, y, isSolid] of [
        [2, 2, false],
        [7, 7, true],
        [15, 15, false],
        [-1, 3, true],
        [21, 3, true],
      ])
        assert.is(tree.contains(x, y), isSolid, `${x}, ${y}`)
      tree.remove(0)
      assert.not(tree.contains(-1, 3))
      assert.ok(tree.contains(7, 7))
    }
})

test('slots that are not in use throw STALE_SLOT and change nothing', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  for (const slot of [1, 3, 5, 6, 20, 2 ** 28, 2 ** 31, 2 ** 32 - 1])
    for (const method of ['remove', 'move', 'winding']) {
      const call = () => tree[method](slot, square(0, 0, 2))
      assert.match(assertCode(call, 'STALE_SLOT').message, `${name}.${method}: `)
    }
  assert.equal(observableState(tree), before)
})

test('more vertices than the capacity throw FULL and change nothing', () => {
  const tree = squareAndWall({ capacity: 9 })
  const before = observableState(tree)
  const { message } = assertCode(() => tree.addPolygon(square(5, 5, 1)), 'FULL')
  const text = (method, needed) =>
    `${name}.${method}: ${needed} vertices, capacity 9: reserve(${needed}) first`
  assert.is(message, text('addPolygon', 10))
  assert.equal(observableState(tree), before)
  assert.is(tree.addPolygon([5, 5, 6, 5, 6, 6]), 6)
  const segment = assertCode(() => tree.addSegment(0, 0, 1, 1), 'FULL')
  assert.is(segment.message, text('addSegment', 11))
  tree.reserve(11)
  assert.is(tree.addSegment(0, 0, 1, 1), 9)
})

// ---- Queries ----

test('an empty tree finds nothing', () => {
  const tree = empty()
  assert.equal([...tree.within(0, 0, Infinity)], [])
  assert.is(tree.nearestPoint(0, 0), null)
  assert.is(tree.raycast(0, 0, 1, 1), null)
  assert.ok(tree.visible(0, 0, 1, 1, { inflate: Infinity }))
  assert.not(tree.contains(0, 0))
  assert.equal([...tree.visibilityPolygon(5, 7)].sort(), [4, 4, 6, 6, 6, 6, 8, 8])
  assert.equal([...tree.cells(), ...tree.lines()], [])
  assert.is(tree.stats().edges, 0)
  assert.ok(tree._validate())
})

test('within finds edges nearest first, ties by lower id, from both sides or the visible one', () => {
  const tree = squareAndWall()
  assert.equal([...tree.within(3, 1, 1)], [1, 4, 5])
  assert.equal([...tree.within(3, 1, 1, { side: 'both' })], [1, 4, 5])
  assert.equal([...tree.within(3, 1, 1, { side: 'visible' })], [1, 5])
  assert.equal([...tree.within(3, 1, 0.99)], [])
  assert.equal([...tree.within(3.5, 1, 1.5)], [4, 5, 1])
  assert.equal([...tree.within(3.5, 1, 1.5, { side: 'visible' })], [5, 1])
})

test('distances2 are those of the ids of the last within, if it had the option', () => {
  const tree = squareAndWall()
  const assertMissing = () => {
    const { name: kind, message } = thrown(() => tree.distances2)
    const text = 'the last query had no option distances2: true'
    assert.equal([kind, message], ['TypeError', `${name}.distances2: ${text}`])
  }
  assertMissing()
  assert.equal([...tree.within(3.5, 1, 1.5, { distances2: true })], [4, 5, 1])
  assert.instance(tree.distances2, Float32Array)
  assert.equal([...tree.distances2], [0.25, 0.25, 2.25])
  assert.is(tree.distances2, tree.distances2)
  thrown(() => tree.within(3.5, 1, -1))
  assert.equal([...tree.distances2], [0.25, 0.25, 2.25], 'a query that throws changes nothing')
  for (const options of [undefined, {}, { distances2: false }, { distances2: undefined }]) {
    assert.is(tree.within(3.5, 1, 1.5, { side: 'visible', distances2: true }).length, 2)
    assert.equal([...tree.distances2], [0.25, 2.25])
    assert.is(tree.within(3.5, 1, 1.5, options).length, 3)
    assertMissing()
  }
  assert.is(tree.within(3, 1, 0.5, { distances2: true }).length, 0)
  assert.equal(tree.distances2, new Float32Array(0))
  tree.within(3, 1, 1, { distances2: true })
  tree.reserve(40)
  assertMissing()
})

test('nearestPoint finds the edge, the point on it, and the distance', () => {
  const tree = squareAndWall()
  const wall = tree.nearestPoint(3, 1)
  assert.equal(wall, { id: 1, x: 2, y: 1, distance: 1 })
  assert.is(tree.nearestPoint(-3, -4), wall, 'one object')
  assert.equal(wall, { id: 0, x: 0, y: 0, distance: 5 })
  assert.is(tree.nearestPoint(4.5, 0).id, 4)
  assert.is(tree.nearestPoint(3.5, 0).id, 4)
  assert.is(tree.nearestPoint(3.5, 0, { side: 'visible' }).id, 5)
  assert.is(tree.nearestPoint(3, 1, { maxDistance: 0.99 }), null)
  assert.is(tree.nearestPoint(3, 1, { maxDistance: 1 }).id, 1)
  assert.is(
    tree.nearestPoint(1, 1.75, { side: 'visible' }).id,
    5,
    'from inside no side of the square',
  )
})

test('visible is true if no wall is on the way, or within the radius of it, in both directions', () => {
  const tree = squareAndWall()
  for (const [x0, y0, x1, y1, free] of [
    [-1, 1, 3, 1, false],
    [3, -5, 3, 5, true],
    [3, 1, 5, 1, false],
    [3, 3, 5, 3, true],
    [-1, 2, 3, 2, false], // touches
    [-1, 2.25, 3, 2.25, true],
    [1, 0.5, 1.5, 1, true], // inside
    [4, 0, 5, 0, false], // on a wall
  ]) {
    assert.is(tree.visible(x0, y0, x1, y1), free)
    assert.is(tree.visible(x1, y1, x0, y0), free)
  }
  assert.ok(tree.visible(3, -5, 3, 5, { inflate: 0.99 }))
  assert.not(tree.visible(3, -5, 3, 5, { inflate: 1 }))
  assert.ok(tree.visible(3, -5, 3, 5, { inflate: 0 }))
})

test('raycast finds the first edge, the point, and the normal', () => {
  const tree = squareAndWall()
  const hit = tree.raycast(-2, 1, 6, 1)
  assert.equal(hit, { id: 3, fraction: 0.25, x: 0, y: 1, normalX: -1, normalY: 0 })
  assert.is(tree.raycast(1, 6, 1, -2), hit, 'one object')
  assert.equal(hit, { id: 2, fraction: 0.5, x: 1, y: 2, normalX: 0, normalY: 1 })
  assert.is(tree.raycast(3, 1, 5, 1).id, 4)
  assert.equal(tree.raycast(3, 1, 5, 1, { side: 'visible' }), {
    ...{ id: 5, fraction: 0.5, x: 4, y: 1, normalX: -1, normalY: 0 },
  })
  assert.is(tree.raycast(1, 1, 1, 9).id, 2)
  assert.is(tree.raycast(1, 1, 1, 9, { side: 'visible' }), null, 'from inside')
  assert.is(tree.raycast(3, 9, 3, -9), null)
})

test('raycastMany returns the hit of each segment', () => {
  const tree = squareAndWall()
  const hits = tree.raycastMany(Float32Array.of(-2, 1, 6, 1, 3, 9, 3, -9, 3, 1, 5, 1))
  assert.equal([...hits.ids.subarray(0, 3)], [3, -1, 4])
  assert.equal([...hits.fractions.subarray(0, 3)], [0.25, 1, 0.5])
  const visible = tree.raycastMany(Float32Array.of(3, 1, 5, 1), { side: 'visible' })
  assert.is(visible, hits, 'one object')
  assert.is(hits.ids[0], 5)
  assert.instance(hits.ids, Int32Array)
  tree.raycastMany(new Float32Array(0))
  const many = tree.raycastMany(
    Float32Array.from({ length: 4 * 30_000 }, (_, i) =>
      i % 2 ? 1 : i % 4 ? 6 : (i >> 2) % 2 ? 3 : -2,
    ),
  )
  assert.ok(many.ids.length >= 30_000, 'more than the capacity')
  for (let i = 0; i < 30_000; i++)
    assert.equal([many.ids[i], many.fractions[i]], i % 2 ? [4, Math.fround(1 / 3)] : [3, 0.25])
})

test('contains is true in something solid or on its border', () => {
  const tree = squareAndWall()
  for (const [x, y, inside] of [
    ...[
      [1, 1, true],
      [2, 1, true],
      [0, 0, true],
      [3, 1, false],
      [1, 2.01, false],
    ],
    ...[
      [4, 0, false],
      [-1, 1, false],
      [-1, 0, false],
      [-1, 2, false],
    ],
  ])
    assert.is(tree.contains(x, y), inside, `${x}, ${y}`)
  tree.addPolygon(square(-8, -8, 16), { solid: 'outside' })
  for (const [x, y, inside] of [
    ...[
      [1, 1, true],
      [3, 1, false],
      [9, 0, true],
      [0, -9, true],
      [8, 8, true],
      [-7, 1, false],
    ],
  ])
    assert.is(tree.contains(x, y), inside, `${x}, ${y}`)
})

test('polygons that are solid nowhere have no inside and are visible from both sides', () => {
  const tree = empty()
  tree.addPolygon(square(0, 0, 2), { solid: 'nowhere' })
  assert.is(tree.raycast(1, 1, 1, 9, { side: 'visible' }).id, 2)
  assert.equal([...tree.within(1, 1, 1, { side: 'visible' })], [0, 1, 2, 3])
  assert.not(tree.contains(1, 1))
  assert.not(tree.contains(2, 1))
  assert.not(tree.visible(1, 1, 3, 1))
  tree.addPolygon(square(0, 0, 2), { solid: 'inside' })
  assert.ok(tree.contains(1, 1))
})

// ---- Visibility ----

test('visibilityPolygon is what can be seen in a box', () => {
  const tree = squareAndWall()
  const polygon = [4, 2, 5, 3, 1, 3, 2, 2, 2, 0, 1, -1, 4, -1]
  assert.equal([...tree.visibilityPolygon(3, 1, { maxDistance: 2 })], polygon)
  assert.equal([...tree.visibilityPolygon(3, 1, { bounds: [1, -1, 5, 3] })], polygon)
  const options = { bounds: Float32Array.of(1, -9, 5, 9), maxDistance: 2 }
  assert.equal([...tree.visibilityPolygon(3, 1, options)], polygon)
  for (const [x, y] of [
    [4, 0],
    [2, 1],
  ])
    assert.is(tree.visibilityPolygon(x, y).length, 0, 'on a wall')
})

test('visibilityPolygon of a room is the room', () => {
  const tree = empty()
  tree.addPolygon(square(0, 0, 4), { solid: 'outside' })
  for (const options of [undefined, { maxDistance: Infinity }, { maxDistance: 1e18 }]) {
    const corners = tree.visibilityPolygon(1, 1, options) // rounded
    assert.equal([...corners].map(Math.round), [4, 4, 0, 4, 0, 0, 4, 0])
  }
})

test('too little room for a visibility polygon throws FULL and says what to reserve', () => {
  const tree = squareAndWall() // simulated: no scene is known that needs more
  tree._wasm = { ...tree._wasm, visibility: () => -(2 ** 31) + 2 }
  const { message } = assertCode(() => tree.visibilityPolygon(3, 1), 'FULL')
  assert.ok(message.endsWith(': 40 vertices, capacity 20: reserve(40) first'), message)
})

test('without a box, the visibility polygon extends a bit beyond all walls and the point', () => {
  const tree = squareAndWall()
  const corners = tree.visibilityPolygon(20, 20)
  const xs = corners.filter((_, i) => i % 2 === 0)
  const ys = corners.filter((_, i) => i % 2 === 1)
  const margin = 22 / 16
  for (const [actual, expected] of [
    ...[
      [Math.min(...xs), 0 - margin],
      [Math.max(...xs), 20 + margin],
    ],
    ...[
      [Math.min(...ys), -2 - margin],
      [Math.max(...ys), 20 + margin],
    ],
  ])
    assert.ok(Math.abs(actual - expected) < 1e-3, `${actual}, ${expected}`)
  tree.clear()
  tree.addPolygon([1e18, 1e18, -1e18, 1e18, -1e18, -1e18, 1e18, -1e18])
  assert.is(tree.visibilityPolygon(0, 0).length, 8)
})

test('visibilityPolygon needs a box around the point', () => {
  const tree = squareAndWall()
  for (const options of [undefined, {}, { maxDistance: 5e17 }, { maxDistance: Infinity }])
    for (const [x, y] of [
      [1e18, 0],
      [3, -1e18],
    ])
      assertRefused(
        () => tree.visibilityPolygon(x, y, options),
        `${name}.visibilityPolygon`,
        'x and y',
        x === 3 ? y : x,
      )
})

test('keepVisible returns the visible agents, in the order given', () => {
  const tree = squareAndWall()
  const positions = Float32Array.of(3, 0, -1, 1, 5, 5, 6, 1, NaN, 0, 3, Infinity)
  const ids = [5, 2, 4, 1, 0, 3, 2]
  assert.equal([...tree.keepVisible(3, 1, ids, positions)], [2, 0, 2])
  assert.equal([...tree.keepVisible(3, 1, Uint8Array.from(ids), [...positions])], [2, 0, 2])
  assert.equal([...tree.keepVisible(4, 1, ids, positions)], [], 'on a wall')
  assert.equal([...tree.keepVisible(3, 1, [], [])], [])
  const given = Uint32Array.from(ids)
  assert.instance(tree.keepVisible(3, 1, given, positions), Uint32Array)
  assert.equal([...given], ids, 'what is given stays')
  const visibleIds = tree.keepVisible(3, 1, ids, positions)
  assert.equal([...tree.keepVisible(3, 1, visibleIds, positions)], [2, 0, 2], 'of its own result')
  assert.equal([...tree.keepVisible(3, 1, [1], Float64Array.of(0, 0, 3, 1e19))], [])
})

// ---- Results ----

/** The positions of six agents, of which a point at (3, 1) sees 0, 2 and 4. */
const AGENTS = Float32Array.of(3, 0, -1, 1, 5, 5, 6, 1, 3, -1, 1, 1)

/** Queries that return an array: one that finds much, and one that finds less, but something. */
const RESULTS = {
  within: [
    (tree) => tree.within(3, 1, 1, { distances2: true }),
    (tree) => tree.within(3.5, 1, 0.5, { distances2: true }),
  ],
  distances2: [
    (tree) => (tree.within(3, 1, 1, { distances2: true }), tree.distances2),
    (tree) => (tree.within(3.5, 1, 0.5, { distances2: true }), tree.distances2),
  ],
  keepVisible: [
    (tree) => tree.keepVisible(3, 1, [5, 4, 3, 2, 1, 0], AGENTS),
    (tree) => tree.keepVisible(3, 1, [0, 1, 2], AGENTS),
  ],
  visibilityPolygon: [
    (tree) => tree.visibilityPolygon(3, 1, { maxDistance: 2 }),
    (tree) => tree.visibilityPolygon(20, 20, { maxDistance: 1 }),
  ],
}

test('a result stays valid during queries that return no ids', () => {
  const others = {
    nearest: (tree) => assert.is(tree.nearest(-3, -4), 0),
    nearestPoint: (tree) => assert.is(tree.nearestPoint(-3, -4).id, 0),
    visible: (tree) => assert.ok(tree.visible(3, -5, 3, 5, { inflate: 0.5 })),
    raycast: (tree) => assert.is(tree.raycast(-2, 1, 6, 1).id, 3),
    contains: (tree) => assert.ok(tree.contains(1, 1)),
  }
  for (const [result, [query]] of Object.entries(RESULTS)) {
    const tree = squareAndWall()
    for (const [other, call] of Object.entries(others)) {
      const found = query(tree)
      const copy = [...found]
      assert.ok(copy.length >= 3)
      for (let i = 0; i < 3; i++) {
        call(tree)
        if (result === 'within') assert.equal([...tree.distances2], [1, 1, 1])
        assert.equal([...found], copy, `${result}, then ${other}`)
        tree.addSegment(50 + i, 50, 50 + i, 60) // the next query builds the tree
      }
      assert.equal([...query(tree)], copy)
      for (let i = 0; i < 3; i++) tree.remove(6 + 2 * i)
    }
  }
})

test('the next result overwrites the beginning of an earlier one, even if it is shorter', () => {
  for (const [result, [query, shorterQuery]] of Object.entries(RESULTS)) {
    const tree = squareAndWall()
    query(tree) // later calls need no more room
    const earlier = query(tree)
    const copy = earlier.slice()
    const later = shorterQuery(tree)
    assert.ok(later.length > 0 && later.length < earlier.length, result)
    assert.is(later.buffer, earlier.buffer)
    assert.is(later.byteOffset, earlier.byteOffset)
    assert.equal([...earlier.subarray(0, later.length)], [...later], result)
    assert.not.equal([...later], [...copy.subarray(0, later.length)], result)
  }
})

test('results of the same length are the same view, until memory grows', async () => {
  const instance = await copse.create({ memory: 2 ** 20 })
  const tree = squareAndWall({ instance })
  for (const [result, [query, shorterQuery]] of Object.entries(RESULTS)) {
    query(tree)
    const [found, shorter] = [query(tree), shorterQuery(tree)]
    const copy = [...query(tree)]
    assert.is(query(tree), found, result)
    assert.is(shorterQuery(tree), shorter, result)
    query(tree)
    const bytes = bytesOf(tree)
    for (let capacity = 1e5; bytesOf(tree) === bytes; capacity *= 2) empty({ instance, capacity })
    if (result === 'distances2') assert.equal([...tree.distances2], copy)
    else assert.equal([...query(tree)], copy, result)
  }
})

// ---- Builds ----

test('added, moved and removed polygons count from the next query on', () => {
  const queries = {
    within: (tree) => tree.within(0, 0, 9).length,
    distances2: (tree) => [tree.within(0, 0, 9, { distances2: true }), tree.distances2].join(),
    nearest: (tree) => tree.nearest(0, 0),
    nearestPoint: (tree) => tree.nearestPoint(0, 0),
    visible: (tree) => tree.visible(0, -1, 0, 1),
    raycast: (tree) => tree.raycast(0, -1, 0, 1),
    raycastMany: (tree) => tree.raycastMany(Float32Array.of(0, -1, 0, 1)).ids[0],
    contains: (tree) => tree.contains(0, 0),
    visibilityPolygon: (tree) => tree.visibilityPolygon(0, -1, { maxDistance: 9 }).join(),
    'visibilityPolygon without a box': (tree) => tree.visibilityPolygon(0, -5).length,
    keepVisible: (tree) => tree.keepVisible(0, -2, [0], [0, 2]).length,
    cells: (tree) => tree.cells().join(),
    stats: (tree) => tree.stats().edges,
  }
  for (const [method, query] of Object.entries(queries)) {
    const resultOf = (tree) => JSON.stringify(query(tree))
    const tree = empty()
    const before = resultOf(tree)
    const slot = tree.addPolygon([-1, -1, 1, -1, 1, 1, -1, 1])
    const after = resultOf(tree)
    assert.is.not(after, before, `${method}, added`)
    tree.remove(slot)
    assert.is(resultOf(tree), before, `${method}, removed`)
    tree.addPolygon([30, 30, 31, 30, 31, 31, 30, 31])
    tree.move(0, [-1, -1, 1, -1, 1, 1, -1, 1])
    assert.is(resultOf(tree), after, `${method}, moved`)
    tree.clear()
    assert.is(resultOf(tree), before, `${method}, cleared`)
  }
  const tree = empty({ leafSize: 1 })
  tree.addPolygon(square(0, 0, 2))
  assert.ok(tree.lines().length > 0)
  tree.clear()
  tree.save()
  assert.equal([...tree.lines()], [])
})

test('written vertices count from the next build() on', () => {
  const tree = squareAndWall()
  assert.ok(tree.contains(1, 1))
  for (let i = 0; i < 8; i += 2) tree.vertices[i] += 10
  assert.ok(tree.contains(1, 1))
  tree.build()
  assert.not(tree.contains(1, 1))
  assert.ok(tree.contains(11, 1))
})

test('vertices that are not finite throw NOT_FINITE, and the last build stays', () => {
  const tree = squareAndWall()
  assert.ok(tree.contains(1, 1))
  tree.vertices[9] = NaN // never reported: another bad vertex comes first
  for (const wrong of [NaN, Infinity, -Infinity, 2e18, -1.0000001e18, 1e39]) {
    tree.vertices[5] = wrong
    for (const method of ['build', 'save']) {
      const error = assertCode(() => tree[method](), 'NOT_FINITE')
      assert.is(error.index, 2)
      assert.match(error.message, new RegExp(`^ObstacleTree\\.${method}: .*finite.*: slot 2$`))
    }
    assert.ok(tree.contains(1, 1))
  }
  tree.vertices[9] = -2
  const slot = tree.addSegment(9, 9, 9, 10)
  assert.is(assertCode(() => tree.contains(1, 1), 'NOT_FINITE').index, 2)
  for (const method of ['cells', 'lines', 'stats', 'build', 'save'])
    assertCode(() => tree[method](), 'NOT_FINITE')
  tree.vertices[5] = 2
  assert.ok(tree.contains(1, 1))
  assert.ok(tree.has(slot))
})

test('stats returns the right figures, and always the same object', () => {
  const tree = squareAndWall()
  const stats = tree.stats()
  assert.is(stats.edges, 6)
  assert.is(stats.polygons, 2)
  assert.is(stats.pieces, 6)
  assert.is(stats.dropped, 0)
  assert.equal([stats.nodes, stats.leaves, stats.depth, stats.unsplit], [1, 1, 0, 0])
  assert.ok(stats.bytes > 20 * 96)
  tree.addPolygon([7, 7, 7, 7, 8, 8], { solid: 'nowhere' })
  assert.is(tree.stats(), stats)
  assert.is(stats.dropped, 1)
  tree.contains(1, 1)
  assert.is(tree.stats().visits, 1)
  const divided = squareAndWall({ leafSize: 1 }).stats()
  assert.ok(divided.nodes > 1 && divided.leaves === (divided.nodes + 1) / 2)
})

test('cells are the bounds of pieces, lines divide them', () => {
  const undivided = squareAndWall()
  assert.equal([...undivided.cells()], [0, -2, 4, 2, 0, 6])
  assert.equal([...undivided.lines()], [])
  const tree = empty({ leafSize: 2 })
  tree.addSegment(0, 0, 0, 4)
  tree.addSegment(6, 0, 6, 4)
  const cells = tree.cells()
  assert.is(cells.length, 12)
  const lines = tree.lines()
  assert.is(lines.length, 5)
  assert.equal([...lines.subarray(1, 2), ...lines.subarray(3)].sort(), [0, 0, 4])
  assert.is(lines[0], lines[2])
})

// ---- Memory, disposal, traps ----

test('reserve keeps everything', () => {
  const tree = squareAndWall({ leafSize: 2 })
  tree.remove(0)
  const before = observableState(tree)
  tree.reserve(10)
  assert.is(tree.capacity, 20)
  tree.reserve(5000)
  assert.is(tree.capacity, 5000)
  assert.is(tree.vertices.length, 10_000)
  const after = observableState(tree)
  assert.equal(after.ids, before.ids)
  assert.equal(after.cells, before.cells)
  assert.equal(after.used, before.used)
  assert.equal(after.vertices.subarray(0, 40), before.vertices)
  for (let i = 0; i < 1000; i++) tree.addPolygon(square(10 * i, 20, 5))
  assert.is(tree.generations[0], 3)
  assert.is(tree.within(0, 0, Infinity).length, 4002)
  assert.equal([tree.count, tree.slots], [1001, 4002])
  assert.ok(tree._validate())
})

test('growth that fails throws OUT_OF_MEMORY and changes nothing', async () => {
  const tree = squareAndWall({ instance: await copse.create() })
  const before = observableState(tree)
  assert.match(assertCode(() => tree.reserve(2 ** 28), 'OUT_OF_MEMORY').message, name)
  assertCode(() => empty({ capacity: 2 ** 28 }), 'OUT_OF_MEMORY')
  assert.equal(observableState(tree), before)
})

test('growth detaches views, and getters return fresh ones', async () => {
  const instance = await copse.create({ memory: 2 ** 20 })
  const tree = squareAndWall({ instance })
  const before = observableState(tree)
  const { vertices, next } = tree
  const corners = tree.visibilityPolygon(3, 1)
  const ids = tree.within(3, 1, 1, { distances2: true })
  const { distances2 } = tree
  const bytes = bytesOf(tree)
  assert.is(tree.vertices, vertices, 'the same view before growth')
  empty({ instance, capacity: 100_000 })
  assert.ok(bytesOf(tree) > bytes)
  for (const view of [vertices, next, corners, ids, distances2]) assert.is(view.length, 0)
  assert.equal([...tree.distances2], [1, 1, 1])
  assert.equal(observableState(tree), before)
  assert.equal([...tree.within(3, 1, 1)], [1, 4, 5])
  assert.is(tree.visibilityPolygon(3, 1).length, 16)
})

/** Returns a right call of every method and getter, by name. */
function callsOf(tree) {
  const calls = {}
  for (const method of Object.keys(METHODS)) calls[method] = () => tree[method](...rightOf(method))
  for (const method of ['build', 'clear', 'stats', 'cells', 'lines', '_validate', 'save'])
    calls[method.replace('_', '')] = () => tree[method]()
  calls.has = () => tree.has(0)
  calls.reserve = () => tree.reserve(64)
  calls.saveInto = () => tree.saveInto(new Uint8Array(4096))
  calls.restore = () => tree.restore(new Uint8Array(64))
  calls.count = () => tree.count
  calls.slots = () => tree.slots
  return calls
}

test('a disposed tree throws DISPOSED from every call except dispose', () => {
  const tree = squareAndWall()
  tree.dispose()
  tree.dispose()
  tree[Symbol.dispose ?? 'dispose']()
  const calls = callsOf(tree)
  const views = ['vertices', 'next', 'polygons', 'generations', 'capacity', 'distances2']
  for (const view of views) calls[view] = () => tree[view]
  calls.keepVisible = () => tree.keepVisible(0, 0, [], [])
  for (const [method, call] of Object.entries(calls)) {
    const { message } = assertCode(call, 'DISPOSED')
    assert.ok(message.startsWith(`${name}.${method}: `), message)
  }
})

test('a trap makes its instance unusable, and no other', async () => {
  const instance = await copse.create()
  const tree = squareAndWall({ instance })
  tree._wasm = { ...tree._wasm, visible: trap() }
  assert.instance(
    thrown(() => tree.visible(0, 0, 1, 1)),
    WebAssembly.RuntimeError,
  )
  const calls = callsOf(tree)
  delete calls.has // reads a view, not the core
  for (const [method, call] of Object.entries(calls)) assert.is(thrown(call).code, 'DEAD', method)
  assert.ok(squareAndWall().contains(1, 1))
})

test('the core refuses handles of other families', async () => {
  const instance = await copse.create()
  const tree = squareAndWall({ instance })
  const agents = new copse.AgentTree({ capacity: 2, instance })
  const boxes = new copse.Quadtree({ bounds: [0, 0, 9, 9], capacity: 2, instance })
  const exports = instance.enter()
  instance.leave()
  const stale = -(2 ** 31) + 6
  const { _handle: walls } = tree
  for (const call of [
    ...['within', 'range', 'nearest', 'build', 'all_within', 'raycast', 'count', 'slots'],
    ...['set_slots', 'add', 'move', 'remove', 'clear', 'pairs', 'within_many', 'build_from'],
  ])
    assert.is(exports[`points_${call}`](walls, 0, 0, 0, 0, 0, 0, 0, 0), stale, call)
  for (const { _handle: other } of [agents, boxes])
    for (const call of [
      ...['add', 'move', 'remove', 'clear', 'count', 'winding', 'size_of', 'build'],
      ...['slots', 'used'],
      ...['build_changed', 'within', 'nearest', 'visible', 'raycast', 'raycast_many', 'contains'],
      ...['visibility', 'lines'],
    ])
      assert.is(exports[`walls_${call}`](other, 0, 0, 0, 0, 0, 0), stale, call)
  for (const call of [
    ...['remove', 'clear', 'count', 'slots', 'add', 'add_at', 'move', 'pairs', 'within', 'nearest'],
  ])
    assert.is(exports[`boxes_${call}`](agents._handle, 0), stale, call)
  const invalid = -(2 ** 31) + 1 // more than was staged, or than there is room for
  assert.is(exports.walls_add(walls, 2 ** 29, 0), invalid)
  assert.is(exports.walls_move(walls, 0, 2 ** 29), invalid)
  assert.is(exports.walls_raycast_many(walls, tree.capacity + 1, 0), invalid)
  assert.ok(tree._validate() && agents._validate() && boxes._validate())
})

// ---- Snapshots ----

test('a restored tree equals the saved one and gives out the same ids', () => {
  const tree = squareAndWall({ leafSize: 2 })
  tree.addPolygon(square(6, 6, 2), { solid: 'nowhere' })
  tree.addPolygon(square(-20, -20, 40), { solid: 'outside' })
  tree.remove(0)
  const copy = empty({ leafSize: 2 })
  copy.addPolygon(square(1, 1, 1))
  copy.restore(tree.save())
  const assertSame = () => {
    const vertices = null // free ones may differ
    assert.equal({ ...observableState(copy), vertices }, { ...observableState(tree), vertices })
    assert.equal(copy.save(), tree.save())
  }
  assertSame()
  assert.ok(copy._validate())
  assert.is(copy.addSegment(1, 1, 2, 2), tree.addSegment(1, 1, 2, 2))
  assertSame()
  assert.is(copy.raycast(7, 7, 7, 19, { side: 'visible' }).id, 8, 'two-sided')
  assert.ok(copy.contains(30, 0), 'outside of the boundary')
})

test('saveInto writes to the start of the bytes', () => {
  const tree = squareAndWall()
  const saved = tree.save()
  const bytes = new Uint8Array(saved.length + 3).fill(7)
  assert.is(tree.saveInto(bytes), saved.length)
  assert.equal([...bytes], [...saved, 7, 7, 7])
  assert.match(String(thrown(() => tree.saveInto(bytes.subarray(4)))), /bytes\.length must be/)
})

test('restore throws BAD_SNAPSHOT for other options, other classes and other bytes', () => {
  const tree = squareAndWall()
  const before = observableState(tree)
  const agents = new copse.AgentTree({ instance, capacity: 6 })
  const boxes = new copse.Quadtree({ instance, bounds: [0, 0, 9, 9] })
  const bad = [squareAndWall({ leafSize: 3 }), agents, boxes].map((other) => other.save())
  bad.push(new Uint8Array(0), new Uint8Array(500))
  for (const bytes of bad) {
    const { message } = assertCode(() => tree.restore(bytes), 'BAD_SNAPSHOT')
    assert.ok(message.startsWith(`${name}.restore: `))
  }
  for (const other of [agents, boxes]) assertCode(() => other.restore(tree.save()), 'BAD_SNAPSHOT')
  assert.equal(observableState(tree), before)
})

test('restore throws BAD_SNAPSHOT for every flipped bit, and truncated or extended bytes', () => {
  const tree = squareAndWall()
  const bytes = tree.save()
  tree.move(0, square(50, 0, 1))
  const before = observableState(tree)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    bytes[bit >> 3] ^= 1 << (bit & 7)
    assert.is(thrown(() => tree.restore(bytes)).code, 'BAD_SNAPSHOT', `bit ${bit}`)
    bytes[bit >> 3] ^= 1 << (bit & 7)
  }
  for (let size = 0; size < bytes.length; size++)
    assert.is(thrown(() => tree.restore(bytes.subarray(0, size))).code, 'BAD_SNAPSHOT')
  for (let extra = 1; extra <= 8; extra++)
    assertCode(
      () => tree.restore(Uint8Array.of(...bytes, ...new Array(extra).fill(0))),
      'BAD_SNAPSHOT',
    )
  assert.equal(observableState(tree), before)
  tree.restore(bytes)
  assert.ok(tree.contains(1, 1))
})

test('restore reserves slots', () => {
  const tree = squareAndWall({ capacity: 6 })
  const large = squareAndWall()
  large.remove(large.addSegment(9, 9, 8, 8)) // their generations are kept
  tree.restore(large.save())
  assert.is(tree.capacity, 8)
  assert.is(tree.generations[7], 2)
})

test.run()
