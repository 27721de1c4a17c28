// Every call of the quadtree and the octree. box-queries.js compares them with a plain list.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { testQueries } from './support/box-queries.js'
import { bytesOf, bits, pairIds, thrown } from './support/indexes.js'
import { createRandom, integer } from '../../web/random.js'
import {
  assertOptionRefused,
  assertRefused,
  NOT_NUMBERS,
  trap,
  WRONG,
  WRONG_OPTIONS,
  WRONG_SIZES,
} from './support/bad-arguments.js'

testQueries()

const NAMES = { 2: 'Quadtree', 3: 'Octree' }
let instance

async function createInstance() {
  instance ??= await copse.create()
}

/** Returns everything that a caller can read from a tree, except statistics that queries change. */
function observableState(tree) {
  const { boxes, capacity, count, slots } = tree
  const sides = boxes.length / capacity
  const everywhere = new Array(sides).fill(-Infinity).fill(Infinity, sides / 2)
  return {
    ...{ capacity, count, slots },
    boxes: bits(boxes),
    groups: tree.groups.slice(),
    generations: tree.generations.slice(),
    ids: tree.range(...everywhere).slice(),
    cells: bits(tree.cells()),
    stats: {
      ...tree.stats(),
      visits: 0,
      changes: 0,
      bytes: 0,
      perDepth: [...tree.stats().perDepth],
    },
  }
}

const COORDINATES = WRONG.coordinate
const FAR_COORDINATES = [...COORDINATES.slice(1), -1] // undefined: equal to the min
const SLOTS = WRONG.slots

/** By kind of argument: wrong values, a right value, and its type. */
const ARGUMENTS = {
  slot: [SLOTS, 1, 'number'],
  left: [COORDINATES, 0, 'number'],
  right: [FAR_COORDINATES, 9, 'number'],
  x: [COORDINATES, 5, 'number'],
  radius: [WRONG.distance, 3, 'number'],
  min: [WRONG.side, 0, 'number'],
  max: [WRONG.side, 9, 'number'],
  k: [WRONG.count, 3, 'number'],
  planes: [
    [undefined, null, 5, 'x', [1, 0, 0, 0], new Float64Array(4), new Uint32Array(4)],
    Float32Array.of(1, 0, 0, 0),
    'a Float32Array',
  ],
  out: [WRONG.out, new Uint32Array(8), 'a Uint32Array'],
  options: [WRONG.options, {}, 'an object'],
}

const BOX = 'left:minX left:minY left:minZ right:maxX right:maxY right:maxZ'
const RANGE = 'min:minX min:minY min:minZ max:maxX max:maxY max:maxZ'
const POINT = 'x:x x:y x:z'

/** The arguments of each method: kind:name. 2D has no z. */
const METHODS = {
  addAt: `slot:slot ${BOX}`,
  move: `slot:slot ${BOX}`,
  add: BOX,
  remove: 'slot:slot',
  range: `${RANGE} options:options`,
  countRange: `${RANGE} options:options`,
  frustum: 'planes:planes options:options',
  at: `${POINT} options:options`,
  within: `${POINT} radius:radius options:options`,
  countWithin: `${POINT} radius:radius options:options`,
  anyWithin: `${POINT} radius:radius options:options`,
  nearest: `${POINT} options:options`,
  neighbors: `${POINT} k:k options:options`,
  raycast: 'x:x0 x:y0 x:z0 x:x1 x:y1 x:z1 options:options',
  pairs: 'options:options',
}
const methodsOf = (dimensions) =>
  Object.keys(METHODS).filter((method) => dimensions === 3 || !method.startsWith('frustum'))
const CHANGES = ['addAt', 'move', 'add', 'remove']

function argumentsOf(dimensions, method) {
  return METHODS[method]
    .split(' ')
    .map((argument) => argument.split(':'))
    .filter(([, name]) => dimensions === 3 || !/^z|Z$/.test(name))
    .map(([kind, name]) => ({ name, kind }))
}

const rightOf = (kinds) => kinds.map(({ kind }) => ARGUMENTS[kind][1])

for (const dimensions of [2, 3]) {
  const name = NAMES[dimensions]
  const test = suite(name)
  test.before(createInstance)

  /** Returns each value once per axis: a point, or the lo and hi of a box. */
  const cube = (...sides) => sides.flatMap((x) => new Array(dimensions).fill(x))
  const bounds = cube(0, 16)

  const empty = (options) => new copse[name]({ bounds, capacity: 20, instance, ...options })

  /** Returns a tree with boxes along the diagonal, 1 wide, at 0, 2, … 10. The one of slot 3 was removed. */
  function row(options) {
    const tree = empty({ leafSize: 2, ...options })
    for (let i = 0; i < 6; i++) tree.add(...cube(2 * i, 2 * i + 1))
    tree.remove(3)
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
    const tree = row()
    const before = observableState(tree)
    for (const method of methodsOf(dimensions)) {
      const kinds = argumentsOf(dimensions, method)
      const right = rightOf(kinds)
      kinds.forEach(({ kind, name: argument }, i) => {
        const [wrongs, , type] = ARGUMENTS[kind]
        for (const wrong of wrongs) {
          const args = [...right]
          args[i] = wrong
          const call = () => tree[method](...args)
          assertRefused(call, `${name}.${method}`, argument, wrong, type)
        }
      })
      if (method === 'pairs' || CHANGES.includes(method)) continue
      assertRefused(() => tree[method](), `${name}.${method}`, kinds[0].name, undefined)
    }
    assert.equal(observableState(tree), before)
  })

  if (dimensions === 3)
    test('wrong planes are refused and change nothing', () => {
      const tree = row()
      const before = observableState(tree)
      const longest = 4 * 99 // does not fit in the room for arguments
      for (const wrong of [NaN, Infinity, -1.1e18])
        for (const planes of [
          Float32Array.of(0, 0, 1, wrong),
          new Float32Array(longest).fill(wrong),
        ])
          assert.match(
            thrown(() => tree.frustum(planes)).message,
            /^Octree.frustum: planes.\d. must be a finite number/,
          )
      for (const length of [0, 3, 5])
        assert.match(
          thrown(() => tree.frustum(new Float32Array(length))).message,
          /^Octree.frustum: planes.length must be/,
        )
      assert.equal(observableState(tree), before)
    })

  test('wrong numbers of arguments are refused and change nothing', () => {
    const tree = row()
    const before = observableState(tree)
    for (const [method, extra] of [
      ['add', 0],
      ['addAt', 1],
      ['move', 1],
    ]) {
      const right = [dimensions + extra, 2 * dimensions + extra]
      for (let argumentCount = 0; argumentCount <= 2 * dimensions + 3; argumentCount++) {
        if (right.includes(argumentCount)) continue
        const error = thrown(() => tree[method](...new Array(argumentCount).fill(4)))
        assert.instance(error, TypeError)
        const text = `takes ${right.join(' or ')} arguments, got ${argumentCount}`
        assert.is(error.message, `${name}.${method}: ${text}`)
      }
    }
    assert.equal(observableState(tree), before)
  })

  test('wrong options of queries are refused, but undefined is not', () => {
    const tree = row()
    for (const method of methodsOf(dimensions)) {
      if (CHANGES.includes(method)) continue
      const right = rightOf(argumentsOf(dimensions, method).slice(0, -1))
      for (const [option, wrongs] of Object.entries(WRONG_OPTIONS)) {
        for (const wrong of wrongs) {
          const call = () => tree[method](...right, { [option]: wrong })
          assertOptionRefused(call, name, method, option, wrong)
        }
        tree[method](...right, { [option]: undefined })
      }
      tree[method](...right, undefined)
      const byDistance = () => tree[method](...right, { sort: 'distance' })
      if (/^(at|range|frustum)/.test(method))
        assertRefused(byDistance, `${name}.${method}`, 'sort', 'distance', 'string')
    }
  })

  test('wrong options of the constructor are refused', () => {
    const assertOption = (option, wrong, type) =>
      assertRefused(() => empty({ [option]: wrong }), name, option, wrong, type)
    const wrongCounts = [...NOT_NUMBERS, NaN, -1, 1.5, Infinity, 2 ** 32 + 5]
    for (const wrong of WRONG_SIZES) assertOption('capacity', wrong)
    for (const wrong of wrongCounts)
      for (const option of ['leafSize', 'maxDepth']) assertOption(option, wrong)
    assertOption('maxDepth', 25)
    for (const right of [{ leafSize: 0 }, { maxDepth: 0 }, { leafSize: 0, maxDepth: 24 }])
      assert.is(empty(right).add(...cube(1)), 0)
    for (const wrong of [...NOT_NUMBERS, NaN, 0, -1, 0.999, 16.5, Infinity])
      assertOption('looseness', wrong)
    for (const wrong of [null, 5, 'x', {}, { memory: {} }])
      assertOption('instance', wrong, 'an instance')
    for (const wrong of [undefined, null, 5, 'x', {}, new Float32Array(2 * dimensions)])
      assertOption('bounds', wrong, 'an array')
    for (const wrong of [[], [0, 9]])
      assertRefused(() => empty({ bounds: wrong }), name, 'bounds.length', wrong.length)
    for (let i = 0; i < 2 * dimensions; i++)
      for (const wrong of COORDINATES) {
        const call = () => empty({ bounds: bounds.with(i, wrong) })
        assertRefused(call, name, `bounds[${i}]`, wrong)
      }
    // In float32, lo is not less than hi.
    for (const flat of [cube(0, 0), cube(1, -1), cube(1, 1 + 2 ** -30)])
      assertRefused(() => empty({ bounds: flat }), name, 'bounds[0]', flat[0])
    assertRefused(() => new copse[name](), name, 'bounds', undefined, 'an array')
    for (const wrong of [null, 5, 'x', 5n, true])
      assertRefused(() => new copse[name](wrong), name, 'options', wrong, 'an object')
    assert.match(
      String(thrown(() => empty({ results: 5 }))),
      `TypeError: ${name}: no option 'results'`,
    )
  })

  test('wrong arguments of reserve, saveInto and restore are refused', () => {
    const tree = row()
    const before = observableState(tree)
    for (const wrong of [...SLOTS, 0, 2 ** 28 + 1])
      assertRefused(() => tree.reserve(wrong), `${name}.reserve`, 'capacity', wrong)
    for (const wrong of WRONG.bytes) {
      assertRefused(() => tree.saveInto(wrong), `${name}.saveInto`, 'bytes', wrong, 'bytes')
      assertRefused(() => tree.restore(wrong), `${name}.restore`, 'bytes', wrong, 'bytes')
    }
    const short = new Uint8Array(tree.save().length - 1)
    assert.match(
      thrown(() => tree.saveInto(short)).message,
      `${name}.saveInto: bytes.length must be at least ${short.length + 1}`,
    )
    assert.equal(observableState(tree), before)
  })

  test('free slots, slots in use, and slots beyond the capacity throw and change nothing', () => {
    const tree = row({ capacity: 6 })
    const before = observableState(tree)
    for (const slot of [3, 6, 2 ** 32 - 1]) {
      const { message } = assertCode(() => tree.remove(slot), 'STALE_SLOT')
      assert.is(message, `${name}.remove: the slot is not in use: ${slot}`)
      assertCode(() => tree.move(slot, ...cube(1)), 'STALE_SLOT')
    }
    for (const slot of [6, 2 ** 32 - 1]) {
      const { message } = assertCode(() => tree.addAt(slot, ...cube(1)), 'FULL')
      const text = `${slot + 1} boxes, capacity 6: reserve(${slot + 1}) first`
      assert.is(message, `${name}.addAt: ${text}`)
    }
    assertRefused(() => tree.addAt(2, ...cube(1)), `${name}.addAt`, 'slot', 2)
    assert.equal(observableState(tree), before)
    assert.is(tree.add(...cube(1)), 3)
    const { message } = assertCode(() => tree.add(...cube(1)), 'FULL')
    const text = '7 boxes, capacity 6: reserve(7) first'
    assert.is(message, `${name}.add: ${text}`)
    assert.equal([tree.count, tree.slots], [6, 6])
  })

  test('moveAll names the first wrong box and changes nothing', () => {
    const tree = row()
    const width = 2 * dimensions
    const before = observableState(tree)
    const originalBoxes = tree.boxes.slice()
    tree.boxes.fill(7)
    tree.boxes[5 * width] = Infinity
    for (const wrong of [Infinity, -Infinity, 1e39, 2e18, -1.0000001e18, NaN]) {
      tree.boxes[4 * width + 1] = wrong
      for (const error of [
        assertCode(() => tree.moveAll(), 'NOT_FINITE'),
        assertCode(() => tree.load(6), 'NOT_FINITE'),
      ]) {
        assert.is(error.index, 4)
        assert.match(error.message, new RegExp(`^${name}\\.(moveAll|load): .*finite.*: slot 4$`))
      }
    }
    tree.boxes[4 * width + 1] = 8 // its max is 7
    const error = thrown(() => tree.moveAll())
    assert.instance(error, RangeError)
    assert.is(error.message, `${name}.moveAll: the box of slot 4 has min > max`)
    tree.boxes.set(originalBoxes)
    assert.equal(observableState(tree), before)
    tree.boxes.fill(NaN, 3 * width, 4 * width) // a free slot is ignored
    tree.moveAll()
    assert.ok(tree._validate())
  })

  test('load replaces all items by those in boxes, or throws and changes nothing', () => {
    const tree = row()
    const before = observableState(tree)
    const originalBoxes = tree.boxes.slice()
    for (const wrong of SLOTS) assertRefused(() => tree.load(wrong), `${name}.load`, 'count', wrong)
    const { message } = assertCode(() => tree.load(21), 'FULL')
    const text = '21 boxes, capacity 20: reserve(21) first'
    assert.is(message, `${name}.load: ${text}`)
    tree.boxes[1] = NaN
    assert.is(assertCode(() => tree.load(1), 'NOT_FINITE').index, 0)
    tree.boxes[1] = 1e17
    assert.is(thrown(() => tree.load(1)).message, `${name}.load: the box of slot 0 has min > max`)
    tree.boxes.set(originalBoxes)
    assert.equal(observableState(tree), before)
    tree.boxes.set(cube(3), 2 * dimensions)
    tree.boxes.set(cube(4), 3 * dimensions)
    tree.load(2)
    assert.equal([...tree.at(...cube(3.5))].includes(1), true)
    assert.equal([tree.count, tree.slots, tree.has(1), tree.has(2)], [2, 6, true, false])
    assert.equal([...tree.generations.subarray(0, 3)], [3, 3, 2])
    tree.load(0)
    assert.is(tree.count, 0)
  })

  // ---- Changes ----

  test('add without max adds a point, and returns the lowest free slot', () => {
    const tree = row()
    assert.is(tree.add(...cube(7)), 3)
    assert.equal([...tree.boxes.subarray(6 * dimensions, 8 * dimensions)], cube(7, 7))
    assert.equal([...tree.at(...cube(7))], [3])
    tree.addAt(9, ...cube(12.5))
    tree.move(0, ...cube(13))
    assert.is(tree.nearest(...cube(13)), 0)
    assert.is(tree.nearest(...cube(12.6)), 9)
    const others = new Array(dimensions - 1).fill(undefined)
    assert.is(tree.add(1, ...cube(2).slice(1), 5, ...others), 6, 'max on one axis only')
    assert.equal([...tree.boxes.subarray(12 * dimensions, 12 * dimensions + 2)], [1, 2])
    assert.is(tree.boxes[13 * dimensions], 5)
    assert.is(tree.boxes[13 * dimensions + 1], 2)
  })

  test('generations are odd while in use, and increase at every add and remove', () => {
    const tree = row()
    const firstGenerations = () => [...tree.generations.subarray(0, 7)]
    assert.equal(firstGenerations(), [1, 1, 1, 2, 1, 1, 0])
    tree.add(...cube(1))
    tree.move(0, ...cube(9))
    tree.moveAll()
    assert.equal(firstGenerations(), [1, 1, 1, 3, 1, 1, 0])
    assert.equal(
      [tree.has(3), tree.has(6), tree.has(20), tree.has(-1)],
      [true, false, false, false],
    )
    tree.clear()
    assert.equal(firstGenerations(), [2, 2, 2, 4, 2, 2, 0])
    assert.equal([tree.count, tree.slots], [0, 6])
    assert.is(tree.add(...cube(1)), 0)
    tree.reserve(50)
    assert.equal(firstGenerations(), [3, 2, 2, 4, 2, 2, 0])
  })

  test('stats and cells describe the tree', () => {
    const tree = empty({ leafSize: 1, maxDepth: 4 })
    tree.add(...cube(7, 9))
    tree.add(...cube(1))
    const { changes, leaves, nodes, depth, items, perDepth, straddlers, unsplit } = tree.stats()
    assert.ok(changes > 0)
    assert.is(tree.stats().changes, 0, 'since the last call')
    const [children, width] = [2 ** dimensions, 2 * dimensions + 2]
    assert.equal([nodes, leaves, depth, items, straddlers], [1 + children, children, 1, 2, 1])
    assert.equal([perDepth, unsplit], [[1, 1, 0, 0, 0], 0])
    assert.is(tree.stats(), tree.stats(), 'always the same object')
    const cells = tree.cells()
    assert.is(cells.length, nodes * width)
    assert.equal([...cells.subarray(0, width)], [...bounds, 0, 2])
    assert.equal([...cells.subarray(width, 2 * width)], [...cube(0, 8), 1, 1])
    tree.add(...cube(2))
    tree.add(...cube(3))
    assert.is(tree.nearest(...cube(3)), 3)
    assert.ok(tree.stats().visits > 0)
    tree.add(...cube(-5, -4))
    assert.is(tree.stats().outside, 1)
  })

  test('radius 0 finds items exactly there, Infinity all; k may be 0 or more than all', () => {
    const tree = row()
    assert.equal([...tree.within(...cube(0.5), 0)], [0])
    assert.equal([...tree.within(...cube(1), 0)], [0], 'a corner')
    assert.is(tree.countWithin(...cube(1.001), 0), 0)
    assert.not(tree.anyWithin(...cube(1.001), -0))
    assert.not(tree.anyWithin(...cube(0.5), 0, { exclude: 0 }))
    assert.not(tree.anyWithin(...cube(0.5), 0, { mask: 2 }))
    assert.is(tree.nearest(...cube(3), { maxDistance: 0 }), 1)
    for (const radius of [Infinity, 1e39, 1e30]) {
      assert.equal([...tree.within(...cube(-1e18), radius, { sort: 'id' })], [0, 1, 2, 4, 5])
      assert.is(tree.countWithin(...cube(1e18), radius), 5)
      assert.is(tree.neighbors(...cube(1e18), 9, { maxDistance: radius }).length, 5)
    }
    assert.equal([...tree.neighbors(...cube(0), 0)], [])
    assert.is(tree.neighbors(...cube(0), 0).length, 0)
    for (const k of [5, 6, 20, 21, 2 ** 32, 2 ** 32 + 5])
      assert.equal([...tree.neighbors(...cube(99), k)], [5, 4, 2, 1, 0])
  })

  // ---- Queries ----

  test('pairs finds all pairs, however many', () => {
    const tree = empty({ capacity: 6 })
    for (let i = 0; i < 6; i++) tree.add(...cube(1, 2))
    assert.is(tree.pairs().count, 15)
    assert.is(tree.pairs({ mask: 2 }).count, 0)
    const n = 400
    tree.reserve(n)
    for (let i = 6; i < n; i++) tree.add(...cube(1, 2))
    const pairs = pairIds(tree)
    assert.is(pairs.length, n * (n - 1))
    const distinct = new Set()
    for (let i = 0; i < pairs.length; i += 2) {
      assert.ok(pairs[i] < pairs[i + 1])
      distinct.add(pairs[i] * n + pairs[i + 1])
    }
    assert.is(distinct.size, (n * (n - 1)) / 2)
    const { bytes } = tree.stats()
    tree.remove(7)
    assert.is(tree.pairs().count, ((n - 1) * (n - 2)) / 2)
    assert.is(tree.stats().bytes, bytes, 'memory is taken once')
  })

  test('pairs without enough memory throws OUT_OF_MEMORY and changes nothing', async () => {
    const memory = 2 ** 20 + 2 ** 19
    const instance = await copse.create({ memory, growth: 'error' })
    const tree = empty({ instance, capacity: 1000 })
    for (let i = 0; i < 1000; i++) tree.add(...cube(1, 2))
    const before = observableState(tree)
    const { message } = assertCode(() => tree.pairs(), 'OUT_OF_MEMORY')
    const [, missing] = /: needs (\d+) bytes more than 1572864: init/.exec(message)
    assert.ok(Number(missing) >= 4 * 1000 * 999)
    assert.equal(observableState(tree), before)
    for (let i = 20; i < 1000; i++) tree.remove(i)
    assert.is(tree.pairs().count, 10 * 19)
  })

  test('raycast finds the first box, the point, and the normal of the side', () => {
    const tree = row()
    const hit = tree.raycast(-2, ...cube(0.5).slice(1), 14, ...cube(0.5).slice(1))
    assert.equal([hit.id, hit.fraction, hit.x, hit.y], [0, 0.125, 0, 0.5])
    assert.equal([hit.normalX, hit.normalY], [-1, 0])
    assert.equal([hit.z, hit.normalZ], dimensions === 3 ? [0.5, 0] : [undefined, undefined])
    const inside = tree.raycast(...cube(0.5), ...cube(9), { exclude: 1 })
    assert.is(inside, hit, 'always the same object')
    assert.equal([inside.fraction, inside.normalX, inside.normalY], [0, 0, 0])
    assert.is(tree.raycast(...cube(-9), ...cube(-1)), null)
    assert.is(tree.raycast(...cube(-9), ...cube(20), { mask: 2 }), null)
    assert.is(tree.raycast(...cube(-9), ...cube(20), { exclude: 0 }).id, 1)
  })

  test('a thick ray hits boxes rounded by its radius', () => {
    const tree = empty()
    tree.add(...cube(4, 6))
    const level = (y) => [-6, y, ...cube(5).slice(2), 14, y, ...cube(5).slice(2)]
    const hit = tree.raycast(...level(5), { inflate: 2 })
    assert.equal([hit.fraction, hit.normalX, hit.normalY], [Math.fround(0.4), -1, 0])
    assert.ok(Math.abs(hit.x - 2) < 1e-6, 'the center of the bullet')
    // The center is then 1.5 left of the corner, and 2 above it.
    const corner = tree.raycast(...level(8), { inflate: 2.5 })
    assert.equal(
      [corner.fraction, corner.normalX, corner.normalY],
      [0.425, -0.6, 0.8].map(Math.fround),
    )
    assert.is(tree.raycast(...level(8), { inflate: 1.9 }), null)
    assert.is(tree.raycast(...level(8)), null)
    const inside = tree.raycast(...level(8).map((x, i) => (i === 0 ? 5 : x)), { inflate: 3 })
    assert.equal([inside.fraction, inside.normalX, inside.normalY], [0, 0, 0])
    const segments = Float32Array.of(...level(8), ...level(8), ...level(8), ...level(8))
    const ids = (options) => Array.from(tree.raycastMany(segments, options).ids)
    assert.equal(ids({ inflate: 2.5 }), [0, 0, 0, 0])
    assert.equal(ids({ inflate: Float32Array.of(0, 1.9, 2, 9) }), [-1, -1, 0, 0])
    assert.equal(ids({ inflate: 3, mask: Uint32Array.of(1, 2, 3, 4) }), [0, -1, 0, -1])
    assert.equal(ids({ inflate: 3, exclude: Uint32Array.of(0, 1, 0, 1) }), [-1, 0, -1, 0])
    const ray = (options) => () => tree.raycast(...level(8), options)
    const rays = (options) => () => tree.raycastMany(segments, options)
    const refusals = [
      [ray({ inflate: -1 }), /^RangeError: .*raycast: inflate .* got -1$/],
      [ray({ inflate: Float32Array.of(1) }), /^TypeError: .*raycast: inflate .* got Float32Array$/],
      [rays({ inflate: NaN }), /^RangeError: .*raycastMany: inflate .* got NaN$/],
      [rays({ inflate: [1, 1, 1, 1] }), /^TypeError: .*raycastMany: inflate .* got Array$/],
      [rays({ radius: 1 }), /^TypeError: .*raycastMany: no option 'radius' /],
      [rays({ mask: new Uint32Array(3) }), /^RangeError: .*raycastMany: mask\.length must be 4, /],
      [
        rays({ inflate: Float32Array.of(1, 1, -1, 1) }),
        /^RangeError: .*raycastMany: inflate\[2\] .* got -1$/,
      ],
    ]
    for (const [call, pattern] of refusals) assert.match(String(thrown(call)), pattern)
  })

  test('changed groups count immediately', () => {
    const tree = row()
    tree.groups[1] = 6
    tree.groups[2] = 0
    assert.equal([...tree.range(...cube(0, 16), { sort: 'id' })], [0, 1, 4, 5])
    assert.equal([...tree.range(...cube(0, 16), { mask: 4 })], [1])
    assert.is(tree.nearest(...cube(4.5)), 1)
  })

  // ---- Snapshots ----

  const resultsOf = (tree) => [
    [...tree.range(...cube(2, 12))],
    [...tree.within(...cube(8), 6, { mask: 2 })],
    [...tree.neighbors(...cube(3), 12)],
    [...pairIds(tree)],
    [...tree.cells()],
  ]

  test('a tree restored in another instance continues like the saved one', async () => {
    const random = createRandom(4)
    const box = () => {
      const lo = cube(0).map(() => random() * 18 - 1)
      return [...lo, ...lo.map((x) => x + random())]
    }
    const tree = empty({ capacity: 80, leafSize: 3, looseness: 1.25 })
    for (let i = 0; i < 60; i++) tree.addAt(i, ...box())
    for (let i = 0; i < 60; i += 3) tree.remove(i)
    for (let i = 0; i < 60; i++) tree.groups[i] = 1 + integer(random, 3)
    const instance = await copse.create()
    const copy = empty({ capacity: 95, leafSize: 3, looseness: 1.25, instance })
    copy.add(...cube(1))
    tree.boxes.fill(5) // not moved yet, so not saved
    const saved = tree.save()
    copy.restore(saved)
    assert.equal(copy.save(), saved)
    assert.ok(copy._validate())
    assert.is(copy.stats().unsplit, 0)
    for (let i = 0; i < 80; i++) if (tree.has(i)) tree.boxes.set(box(), i * 2 * dimensions)
    copy.boxes.set(tree.boxes)
    for (let i = 0; i < 40; i++) {
      const added = box()
      if (i === 20) for (const object of [tree, copy]) object.moveAll()
      assert.is(copy.add(...added), tree.add(...added))
      const slot = i * 2
      if (tree.has(slot)) for (const object of [tree, copy]) object.remove(slot)
      const other = box()
      if (tree.has(slot + 1)) for (const object of [tree, copy]) object.move(slot + 1, ...other)
      assert.equal(resultsOf(copy), resultsOf(tree))
    }
  })

  test('saveInto writes to the start of the bytes', () => {
    const tree = row()
    const saved = tree.save()
    const bytes = new Uint8Array(saved.length + 3).fill(7)
    assert.is(tree.saveInto(bytes), saved.length)
    assert.equal([...bytes], [...saved, 7, 7, 7])
  })

  test('restore throws BAD_SNAPSHOT for other options, other classes and other bytes', async () => {
    const tree = row()
    const before = observableState(tree)
    const agents = new copse.AgentTree({ instance, capacity: 6 })
    const other = new copse[NAMES[5 - dimensions]]({
      bounds: dimensions === 2 ? [0, 0, 0, 16, 16, 16] : [0, 0, 16, 16],
      instance,
    })
    const bad = [
      ...[{ leafSize: 3 }, { leafSize: 2, maxDepth: 7 }, { leafSize: 2, looseness: 1.5 }],
      { leafSize: 2, bounds: cube(0, 17) },
    ].map((options) => empty(options).save())
    bad.push(agents.save(), other.save(), new Uint8Array(0), new Uint8Array(500))
    for (const bytes of bad) {
      const { message } = assertCode(() => tree.restore(bytes), 'BAD_SNAPSHOT')
      assert.ok(message.startsWith(`${name}.restore: `))
      assertCode(() => agents.restore(tree.save()), 'BAD_SNAPSHOT')
    }
    assert.equal(observableState(tree), before)
  })

  test('restore throws BAD_SNAPSHOT for every flipped bit, and truncated or extended bytes', () => {
    const tree = row()
    const bytes = tree.save()
    tree.move(0, ...cube(9))
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
    assert.is(tree.nearest(...cube(0)), 0)
  })

  test('restore reserves slots', () => {
    const tree = row({ capacity: 5 + 1 })
    const large = row({ capacity: 9 })
    large.addAt(8, ...cube(1))
    large.remove(8) // its generation is kept
    tree.restore(large.save())
    assert.is(tree.capacity, 9)
    assert.is(tree.generations[8], 2)
  })

  // ---- Memory, disposal, traps ----

  /** Returns a right call of every method and getter, by name. */
  function callsOf(tree) {
    const calls = {}
    for (const method of methodsOf(dimensions)) {
      const right = rightOf(argumentsOf(dimensions, method))
      calls[method] = () => tree[method](...right)
    }
    for (const method of ['moveAll', 'clear', 'stats', 'cells', 'save'])
      calls[method] = () => tree[method]()
    calls.validate = () => tree._validate()
    for (const property of ['count', 'slots', 'boxes', 'groups', 'generations', 'capacity'])
      calls[property] = () => tree[property]
    calls.has = () => tree.has(0)
    calls.reserve = () => tree.reserve(64)
    calls.saveInto = () => tree.saveInto(new Uint8Array(4096))
    calls.restore = () => tree.restore(new Uint8Array(64))
    return calls
  }

  test('a disposed tree throws DISPOSED from every call except dispose', () => {
    const [tree, other] = [row(), row()]
    tree.dispose()
    tree.dispose()
    tree[Symbol.dispose ?? 'dispose']()
    for (const [method, call] of Object.entries(callsOf(tree))) {
      const { message } = assertCode(call, 'DISPOSED')
      assert.ok(message.startsWith(`${name}.${method}: `), message)
    }
    other[Symbol.dispose ?? 'dispose']()
    assertCode(() => other.count, 'DISPOSED')
  })

  test('memory is reused after dispose', () => {
    const kept = empty() // created first, so that it takes none of the freed memory
    row({ capacity: 10_000 }).dispose()
    const bytes = bytesOf(kept)
    for (let i = 0; i < 300; i++) row({ capacity: 10_000 }).dispose()
    assert.is(bytesOf(kept), bytes)
  })

  test('growth detaches views, and getters return fresh ones', async () => {
    const instance = await copse.create({ memory: 2 ** 20 })
    const tree = row({ instance })
    const before = observableState(tree)
    const { boxes, generations, groups } = tree
    const bytes = bytesOf(tree)
    const ids = tree.range(...cube(0, 16))
    assert.is(tree.boxes, boxes, 'the same view before growth')
    const large = empty({ instance, capacity: 200_000 })
    assert.ok(bytesOf(tree) > bytes)
    assert.is(large.count, 0)
    for (const detached of [boxes, generations, groups, ids]) assert.is(detached.length, 0)
    assert.equal(observableState(tree), before)
    assert.is(tree.range(...cube(0, 16)).length, 5)
    const { byteLength } = instance.memory.buffer // only creation grows memory
    for (let i = 0; i < 5000; i++) large.add(...cube((i * 7) % 16, ((i * 7) % 16) + 0.5))
    large.boxes.fill(3, 0, 5000)
    large.moveAll()
    large.range(...cube(0, 16))
    large.neighbors(...cube(8), 5000)
    assert.is(instance.memory.buffer.byteLength, byteLength)
  })

  test('reserve keeps everything', () => {
    const tree = row({ capacity: 6 })
    tree.groups[2] = 4
    const { boxes, cells, generations, groups, ids } = observableState(tree)
    tree.reserve(3)
    assert.is(tree.capacity, 6)
    tree.reserve(5000)
    const after = observableState(tree)
    assert.is(after.capacity, 5000)
    assert.equal([after.cells, after.ids], [cells, ids])
    assert.equal(after.boxes.slice(0, boxes.length), boxes)
    assert.equal(after.generations.slice(0, 6), generations)
    assert.equal(after.groups, new Uint32Array(5000).fill(1).with(2, groups[2]))
    tree.addAt(4999, ...cube(6))
    assert.is(tree.nearest(...cube(6)), 4999)
    assert.ok(tree._validate())
  })

  test('growth that fails throws OUT_OF_MEMORY and changes nothing', async () => {
    const instance = await copse.create()
    const tree = row({ instance })
    const before = observableState(tree)
    const { message } = assertCode(() => tree.reserve(2 ** 28), 'OUT_OF_MEMORY')
    assert.ok(message.startsWith(`${name}.reserve: `))
    assertCode(() => empty({ instance, capacity: 2 ** 28 }), 'OUT_OF_MEMORY')
    assert.equal(observableState(tree), before)
  })

  test('objects of one instance do not affect each other', async () => {
    const instance = await copse.create()
    const [tree, other] = [row({ instance }), row({ instance })]
    const agents = new copse.AgentTree({ instance, capacity: 3 })
    agents.slots = 3
    agents.build()
    const ids = tree.range(...cube(0, 16), { sort: 'id' })
    const hit = tree.raycast(...cube(-1), ...cube(0.5))
    const { x } = hit
    other.raycast(...cube(9), ...cube(4.5))
    other.clear()
    other.save()
    agents.within(0, 0, 9)
    other.pairs()
    assert.equal([...ids], [0, 1, 2, 4, 5], 'valid until the next query on the same object')
    assert.is(hit.x, x)
    other.dispose()
    agents.dispose()
    assert.is(tree.count, 5)
    assert.ok(tree._validate())
  })

  test('a trap makes its instance unusable', async () => {
    const instance = await copse.create()
    const [tree, other] = [row({ instance }), row({ instance })]
    tree._wasm = { ...tree._wasm, move_all: trap() }
    assert.instance(
      thrown(() => tree.moveAll()),
      WebAssembly.RuntimeError,
    )
    const passive = /^(boxes|groups|generations|capacity|has|generation)$/ // no call into the core
    for (const each of [tree, other])
      for (const [method, call] of Object.entries(callsOf(each)))
        if (!passive.test(method)) assertCode(call, 'DEAD')
    assertCode(() => row({ instance }), 'DEAD')
  })

  test.run()
}
