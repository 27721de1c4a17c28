// Calls that are refused: with which error, and that they change nothing. Wrong arguments, which WebAssembly
// would coerce; calls after dispose; memory that cannot grow; instances that trapped.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import {
  bytesOf,
  className,
  KINDS,
  maker,
  methodsOf,
  observableState,
  ROW,
  ROW_3D,
  thrown,
} from './support/indexes.js'
import {
  assertOptionRefused,
  assertRefused,
  NOT_NUMBERS,
  trap,
  WRONG,
  WRONG_OPTIONS,
  WRONG_SIZES,
  WRONG_WORDS,
} from './support/bad-arguments.js'

/** By name of the argument: its kind, and a right value. */
const ARGUMENTS = {
  x: ['coordinate', 0],
  y: ['coordinate', 0],
  z: ['coordinate', 0],
  x0: ['coordinate', 0],
  y0: ['coordinate', 0],
  z0: ['coordinate', 0],
  x1: ['coordinate', 9],
  y1: ['coordinate', 9],
  z1: ['coordinate', 9],
  radius: ['distance', 1],
  minX: ['side', 0],
  minY: ['side', 0],
  minZ: ['side', 0],
  maxX: ['side', 9],
  maxY: ['side', 9],
  maxZ: ['side', 9],
  k: ['count', 3],
  dirX: ['direction', 1],
  dirY: ['direction', 1],
  dirZ: ['direction', 1],
  halfAngle: ['angle', 1],
  options: ['options', {}],
}

/** The arguments of every query. 2D has no z. */
const QUERIES = {
  within: 'x y z radius options',
  range: 'minX minY minZ maxX maxY maxZ options',
  countRange: 'minX minY minZ maxX maxY maxZ options',
  nearest: 'x y z options',
  neighbors: 'x y z k options',
  countWithin: 'x y z radius options',
  anyWithin: 'x y z radius options',
  cone: 'x y z dirX dirY dirZ halfAngle radius options',
  raycast: 'x0 y0 z0 x1 y1 z1 options',
  raycastAll: 'x0 y0 z0 x1 y1 z1 options',
}

/** Options that only one kind has, with wrong values and their type. */
const KIND_OPTIONS = {
  AgentTree: [
    ['leafSize', WRONG_SIZES, 'number'],
    ['axis', WRONG_WORDS, 'string'],
    ['split', WRONG_WORDS, 'string'],
  ],
  Grid: [
    ['cellSize', [...WRONG.direction, 0, -0, -1, -1e-30, 1e-50], 'number'],
    ['wrap', [null, 5, 'x', {}, new Float32Array(4), true], 'an array'],
  ],
  KdTree: [['builder', WRONG_WORDS, 'string']],
}

/** Tests a kind of index. */
function testKind(kind) {
  const { start, empty, unbuilt, built, variants, assertCode, assertThrown } = maker(copse, kind)
  const rowOf = (dimensions) => (dimensions === 2 ? built(2, ROW) : built(3, ROW_3D))

  // ---- Arguments ----

  const args = suite(`wrong arguments, ${kind}`)
  args.before(start)

  const argumentsOf = (dimensions, method) =>
    QUERIES[method].split(' ').filter((argument) => dimensions === 3 || !/^z|z$/i.test(argument))

  args('of every query are refused, and change nothing', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = rowOf(dimensions)
      const before = observableState(index)
      for (const method of Object.keys(QUERIES)) {
        const names = argumentsOf(dimensions, method)
        const right = names.map((argument) => ARGUMENTS[argument][1])
        index[method](...right)
        names.forEach((argument, i) => {
          const kind = ARGUMENTS[argument][0]
          const type = kind === 'options' ? 'an object' : 'number'
          for (const wrong of WRONG[kind]) {
            const args = [...right]
            args[i] = wrong
            assertRefused(() => index[method](...args), `${name}.${method}`, argument, wrong, type)
          }
        })
        assertRefused(() => index[method](), `${name}.${method}`, names[0], undefined)
      }
      const point = Array(dimensions).fill(0)
      assertRefused(() => index.cone(...point, ...point, 1, 1), `${name}.cone`, 'direction', 0)
      assert.equal(observableState(index), before)
    }
  })

  args('beyond the room for them are refused by the core, too', async () => {
    const instance = await copse.create()
    const index = built(2, [0, 0, 1, 0], { capacity: 4, instance })
    index.raycastMany(new Float32Array(16))
    const core = instance.enter()
    instance.leave()
    const { _handle: handle } = index
    const unbuilt = empty(2, { instance })
    const INVALID = 1
    const NO_MEMORY = 3
    const NOT_BUILT = 5
    const STALE = 6
    // By function: the number that there is room for, the error beyond it, and a call.
    const calls = {
      within_many: [8, INVALID, (handle, n) => core.points_within_many(handle, n, 1, -1, -1)],
      range_many: [4, INVALID, (handle, n) => core.points_range_many(handle, n, -1, -1)],
      all_neighbors: [99, NO_MEMORY, (handle, n) => core.points_all_neighbors(handle, n, 1, -1)],
      neighbors_many: [
        8,
        INVALID,
        (handle, n) => core.points_neighbors_many(handle, n, 1, 1, -1, -1),
      ],
      'neighbors_many, k': [
        99,
        NO_MEMORY,
        (handle, n) => core.points_neighbors_many(handle, 4, n, 1, -1, -1),
      ],
      raycast_many: [
        4,
        INVALID,
        (handle, n) => core.points_raycast_many(handle, n, 0, -1, -1, 0, 1),
      ],
    }
    const failed = (status) => status - 2 ** 31
    const { byteLength } = instance.memory.buffer
    for (const [name, [room, expected, call]] of Object.entries(calls)) {
      assert.ok(call(handle, room) >= 0, name)
      const tooMany = expected === INVALID ? [room + 1] : []
      for (const n of [...tooMany, 2 ** 31, 2 ** 32 - 1])
        assert.is(call(handle, n), failed(expected), name)
      for (const n of [room, 2 ** 32 - 1]) {
        assert.is(call(handle + 9, n), failed(STALE), name)
        assert.is(call(unbuilt._handle, n), failed(NOT_BUILT), name)
      }
    }
    for (const room of [6, 99, 2 ** 32 - 1])
      assert.is(core.take_room(handle, room, 1), failed(INVALID))
    for (const count of [NaN, -1, Infinity, 2 ** 61])
      assert.is(core.take_room(handle, 0, count), failed(INVALID))
    assert.is(core.take_room(handle, 0, 2 ** 60), failed(NO_MEMORY))
    assert.is(core.take_room(handle + 9, 0, 1), failed(STALE))
    assert.is(instance.memory.buffer.byteLength, byteLength)
  })

  args('of the batches are refused, and change nothing', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = rowOf(dimensions)
      const before = observableState(index)
      const points = new Float32Array(dimensions)
      const refused = (method, argument, wrongs, call, type) => {
        for (const wrong of wrongs)
          assertRefused(() => call(wrong), `${name}.${method}`, argument, wrong, type)
      }
      const { count, distance } = WRONG
      const counts = [...count, 2 ** 32, 2 ** 32 + 5]
      refused('allNeighbors', 'k', counts, (k) => index.allNeighbors(k))
      refused('neighborsMany', 'k', counts, (k) => index.neighborsMany(points, k))
      refused('allWithin', 'radius', distance, (radius) => index.allWithin(radius))
      refused('withinMany', 'radius', distance, (radius) => index.withinMany(points, radius))
      const distances = distance.filter((wrong) => wrong !== undefined)
      refused('pairs', 'distance', distances, (wrong) => index.pairs({ distance: wrong }))
      for (const [option, wrongs] of Object.entries(WRONG_OPTIONS)) {
        if (option === 'sort' || option === 'distances2') continue
        const calls = {
          allNeighbors: (options) => index.allNeighbors(1, { ...options }),
          neighborsMany: (options) => index.neighborsMany(points, 1, { ...options }),
        }
        if (option !== 'maxDistance') {
          calls.raycastMany = (options) =>
            index.raycastMany(new Float32Array(2 * dimensions), options)
          calls.rangeMany = (options) => index.rangeMany(new Float32Array(2 * dimensions), options)
        }
        if (option === 'mask') {
          calls.allWithin = (options) => index.allWithin(1, options)
          calls.pairs = (options) => index.pairs(options)
        }
        if (option === 'exclude') delete calls.allNeighbors
        for (const [method, call] of Object.entries(calls))
          refused(method, option, wrongs, (wrong) => call({ [option]: wrong }))
      }
      for (const wrong of [NaN, Infinity, -Infinity, 1e39, 1.1e18])
        for (const [method, argument, call] of [
          ['withinMany', 'points', (floats) => index.withinMany(floats, 1)],
          ['neighborsMany', 'points', (floats) => index.neighborsMany(floats, 1)],
          ['raycastMany', 'segments', (floats) => index.raycastMany(floats)],
        ]) {
          const floats = new Float32Array(2 * dimensions).fill(wrong, 2 * dimensions - 1)
          const message = new RegExp(
            `^RangeError: Index(3D)?.${method}: ${argument}.${2 * dimensions - 1}. must be `,
          )
          assertThrown(() => call(floats), message)
        }
      for (const length of [1, 20]) {
        const boxes = new Float32Array(2 * dimensions * length)
        boxes[2 * dimensions - 1] = NaN
        const place = `^RangeError: Index(3D)?.rangeMany: boxes.${2 * dimensions - 1}. must be a number`
        assertThrown(() => index.rangeMany(boxes), new RegExp(place))
      }
      if (dimensions === 3) {
        const plane = Float32Array.of(1, 0, 0, 0)
        for (const wrong of [NaN, Infinity, -1.1e18])
          for (const floats of [
            Float32Array.of(0, 0, 1, wrong),
            new Float32Array(99 * 4).fill(wrong),
          ])
            assertThrown(
              () => index.frustum(floats),
              /^RangeError: Index3D.frustum: planes.\d. must be a finite number/,
            )
        for (const length of [0, 3, 5])
          assertThrown(
            () => index.frustum(new Float32Array(length)),
            /^RangeError: Index3D.frustum: planes.length must be/,
          )
        assertThrown(
          () => index.frustum([1, 0, 0, 0]),
          /^TypeError: Index3D.frustum: planes must be/,
        )
        assertThrown(
          () => index.frustum(plane, { sort: 'distance' }),
          /^RangeError: .* sort must be/,
        )
      }
      assert.equal(observableState(index), before)
    }
  })

  args('in options are refused, but undefined is not', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = rowOf(dimensions)
      for (const method of Object.keys(QUERIES)) {
        const names = argumentsOf(dimensions, method).slice(0, -1)
        const right = names.map((argument) => ARGUMENTS[argument][1])
        for (const [option, wrongs] of Object.entries(WRONG_OPTIONS)) {
          for (const wrong of wrongs) {
            const call = () => index[method](...right, { [option]: wrong })
            assertOptionRefused(call, name, method, option, wrong)
          }
          index[method](...right, { [option]: undefined })
        }
        index[method](...right, { distances2: undefined })
        index[method](...right, undefined)
      }
    }
  })

  args('of the constructors are refused', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const assertOption = (option, wrong, type) =>
        assertRefused(() => empty(dimensions, { [option]: wrong }), name, option, wrong, type)
      for (const wrong of WRONG_SIZES) assertOption('capacity', wrong)
      for (const option of ['layout', 'onNonFinite'])
        for (const wrong of WRONG_WORDS) assertOption(option, wrong, 'string')
      for (const [option, wrongs, type] of KIND_OPTIONS[kind])
        for (const wrong of wrongs) assertOption(option, wrong, type)
      for (const wrong of [null, 5, 'x', {}, { memory: {} }])
        assertOption('instance', wrong, 'an instance')
      for (const wrong of [null, 5, 'x', 5n, true])
        assertRefused(() => new copse[name](wrong), name, 'options', wrong, 'an object')
    }
  })

  args('of slots, add, move, reserve, saveInto and restore are refused, and change nothing', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = rowOf(dimensions)
      const before = observableState(index)
      const point = new Array(dimensions).fill(0)
      for (const wrong of WRONG.slots) {
        assertRefused(() => void (index.slots = wrong), `${name}.slots`, 'slots', wrong)
        assertRefused(() => index.move(wrong, ...point), `${name}.move`, 'slot', wrong)
        assertRefused(() => index.remove(wrong), `${name}.remove`, 'slot', wrong)
        assert.not(index.has(wrong))
      }
      for (const wrong of WRONG.coordinate)
        for (const [axis, coordinate] of ['x', 'y', 'z'].slice(0, dimensions).entries()) {
          const wrongPoint = point.with(axis, wrong)
          assertRefused(() => index.add(...wrongPoint), `${name}.add`, coordinate, wrong)
          assertRefused(() => index.move(1, ...wrongPoint), `${name}.move`, coordinate, wrong)
        }
      for (const wrong of [...NOT_NUMBERS, NaN, -1, 1.5, Infinity, 2 ** 32]) {
        const reserved = (option) =>
          assertRefused(
            () => index.reserve(6, { [option]: wrong }),
            `${name}.reserve`,
            option,
            wrong,
          )
        reserved('results')
        reserved('k')
      }
      for (const wrong of WRONG.options)
        assertRefused(
          () => index.reserve(6, wrong),
          `${name}.reserve`,
          'options',
          wrong,
          'an object',
        )
      for (const wrong of [...WRONG.slots, 0, 2 ** 28 + 1])
        assertRefused(() => index.reserve(wrong), `${name}.reserve`, 'capacity', wrong)
      for (const wrong of WRONG.bytes) {
        assertRefused(() => index.saveInto(wrong), `${name}.saveInto`, 'bytes', wrong, 'bytes')
        assertRefused(() => index.restore(wrong), `${name}.restore`, 'bytes', wrong, 'bytes')
      }
      assert.equal(observableState(index), before)
    }
  })

  args('like views of the other layout are refused', () => {
    const separate = empty(3, { layout: 'separate' })
    assertThrown(() => separate.positions, /^TypeError: Index3D\.positions: .*xs, ys and zs/)
    assertThrown(() => empty(2).xs, /^TypeError: Index\.xs: .*positions/)
    assertThrown(() => empty(3).zs, /^TypeError: Index3D\.zs: .*positions/)
  })

  args('leave the instance usable', () => {
    const index = built(2, ROW)
    thrown(() => index.within(NaN, 0, 1))
    thrown(() => index.within(0, 0, 1, null))
    thrown(() => index.restore(new Uint8Array(64)))
    thrown(() => void (index.slots = 7))
    thrown(() => index.reserve(2 ** 29))
    thrown(() => empty(2, { capacity: 2 ** 28 }))
    assert.is(index.countWithin(0, 0, 9), 6)
  })

  args.run()

  // ---- Disposal, memory, traps ----

  const life = suite(`disposal, memory and traps, ${kind}`)
  life.before(start)

  /** Returns a right call of every method, by name. */
  function callsOf(index, dimensions) {
    const point = new Array(dimensions).fill(0)
    const ahead = new Array(dimensions).fill(1)
    return {
      within: () => index.within(...point, 1),
      range: () => index.range(...point, ...point),
      countRange: () => index.countRange(...point, ...point),
      nearest: () => index.nearest(...point),
      neighbors: () => index.neighbors(...point, 1),
      countWithin: () => index.countWithin(...point, 1),
      anyWithin: () => index.anyWithin(...point, 1),
      cone: () => index.cone(...point, ...ahead, 1, 1),
      raycast: () => index.raycast(...point, ...ahead),
      raycastAll: () => index.raycastAll(...point, ...ahead),
      raycastMany: () => index.raycastMany(Float32Array.of(...point, ...ahead)),
      build: () => index.build(),
      cells: () => index.cells(),
      stats: () => index.stats(),
      validate: () => index._validate(),
      save: () => index.save(),
      saveInto: () => index.saveInto(new Uint8Array(4096)),
      restore: () => index.restore(new Uint8Array(64)),
      reserve: () => index.reserve(64),
      slots: () => void (index.slots = 1),
      add: () => index.add(...point),
      move: () => index.move(0, ...point),
      remove: () => index.remove(0),
      clear: () => index.clear(),
      allWithin: () => index.allWithin(1),
      allNeighbors: () => index.allNeighbors(1),
      withinMany: () => index.withinMany(Float32Array.from(point), 1),
      rangeMany: () => index.rangeMany(Float32Array.of(...point, ...ahead)),
      ...(dimensions === 3 && {
        frustum: () => index.frustum(Float32Array.of(1, 0, 0, 0)),
      }),
      neighborsMany: () => index.neighborsMany(Float32Array.from(point), 1),
      pairs: () => index.pairs(),
      order: () => index.order(),
    }
  }

  life('have a test for every method', () => {
    const index = rowOf(3)
    const calls = callsOf(index, 3)
    for (const [method, length] of methodsOf(index.constructor)) {
      if (method === 'dispose' || method === 'has') continue // has() does not call the core
      assert.ok(method in calls, `${method} is missing in callsOf`)
      const isQuery = length >= 4 && method !== 'move'
      assert.ok(!isQuery || method in QUERIES, `${method} is missing in QUERIES`)
    }
  })

  life('a disposed index throws DISPOSED from every call except dispose', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = rowOf(dimensions)
      const other = rowOf(dimensions)
      const separate = empty(dimensions, { layout: 'separate' })
      index.dispose()
      index.dispose()
      index[Symbol.dispose ?? 'dispose']()
      separate[Symbol.dispose ?? 'dispose']()
      const calls = callsOf(index, dimensions)
      calls.positions = () => index.positions
      calls.groups = () => index.groups
      calls.radii = () => index.radii
      calls.distances2 = () => index.distances2
      for (const axis of ['xs', 'ys', 'zs'].slice(0, dimensions)) calls[axis] = () => separate[axis]
      for (const [method, call] of Object.entries(calls)) {
        const { message } = assertCode(call, 'DISPOSED')
        assert.ok(message.startsWith(`${name}.${method}: `), message)
      }
      assert.is(other.stats().agents, 6)
    }
  })

  life('a disposed index throws DISPOSED from every property', () => {
    const index = built(2, ROW)
    index.dispose()
    assertCode(() => index.count, 'DISPOSED')
    assertCode(() => index.slots, 'DISPOSED')
    assertCode(() => index.generations, 'DISPOSED')
    assertCode(() => index.has(0), 'DISPOSED')
    assertCode(() => index.capacity, 'DISPOSED')
  })

  life('memory is reused after dispose', () => {
    built(2, ROW, { capacity: 10_000 }).dispose()
    const before = empty(2, { capacity: 10_000 })
    const bytes = bytesOf(before)
    before.dispose()
    for (let i = 0; i < 200; i++) empty(2, { capacity: 10_000 }).dispose()
    assert.is(bytesOf(empty(2, { capacity: 10_000 })), bytes)
    const segments = new Float32Array(8000)
    const batches = () => {
      const index = built(2, ROW, { capacity: 1000 })
      index.allWithin(9)
      index.raycastMany(segments)
      index.neighborsMany(segments, 5)
      index.reserve(2000, { results: 9000, k: 2 })
      index.pairs({ distance: 2 })
      index.dispose()
    }
    batches()
    const bytesAfterBatches = bytesOf(empty(2))
    for (let i = 0; i < 20; i++) batches()
    assert.is(bytesOf(empty(2)), bytesAfterBatches)
  })

  life('many objects can be created and disposed side by side', () => {
    const indexes = Array.from({ length: 100 }, (_, i) => built(2, [i, i]))
    for (let i = 0; i < indexes.length; i += 2) indexes[i].dispose()
    const laterIndexes = Array.from({ length: 60 }, (_, i) => built(3, [-i, -i, -i]))
    for (let i = 1; i < indexes.length; i += 2) assert.is(indexes[i].within(i, i, 0).length, 1)
    laterIndexes.forEach((index, i) => assert.is(index.within(-i, -i, -i, 0).length, 1))
    assertCode(() => indexes[0].within(0, 0, 0), 'DISPOSED')
    for (const index of [...indexes, ...laterIndexes]) index.dispose()
  })

  life('growth detaches views, and getters return fresh ones', async () => {
    const instance = await copse.create({ memory: 2 ** 20 })
    const index = built(2, ROW, { instance, capacity: 8 })
    const separate = empty(3, { instance, layout: 'separate', capacity: 5 })
    separate.zs.fill(7)
    const before = observableState(index)
    const { groups, positions } = index
    const bytes = bytesOf(index)
    const { xs, zs } = separate
    const ids = index.within(0, 0, 9)
    assert.is(index.positions, positions, 'the same view before growth')
    assert.is(index.groups, groups)
    assert.is(separate.zs, zs)

    const large = empty(2, { instance, capacity: 1_000_000 })
    assert.ok(bytesOf(index) > bytes)
    assert.is(large.count, 0)
    for (const detached of [positions, groups, xs, zs, ids]) assert.is(detached.length, 0)
    assert.is(index.positions.length, 16)
    assert.equal(separate.zs, new Float32Array(5).fill(7))
    assert.equal(observableState(index), before)
    assert.is(index.within(0, 0, 9).length, 6)
    index.positions[0] = 77
    index.build()
    assert.is(index.nearest(77, 0), 0)

    large.reserve(1_000_000, { results: 700_000, k: 2 })
    const { byteLength } = instance.memory.buffer // only creation, reserve and batches grow memory
    large.slots = 50_000
    large.positions.forEach((_, i, array) => (array[i] = (i >> 1) % 1013))
    for (let i = 0; i < 25_000; i++) large.remove(2 * i)
    large.add(5, 5)
    large.build()
    large.within(0, 0, Infinity)
    large.neighbors(0, 0, 50_000)
    large.allNeighbors(2)
    large.pairs({ distance: 0.5 })
    assert.is(instance.memory.buffer.byteLength, byteLength)
  })

  life('reserve keeps everything, in either layout', () => {
    for (const options of variants.flatMap((variant) => [
      { ...variant, layout: 'interleaved' },
      { ...variant, layout: 'separate' },
    ])) {
      const { layout } = options
      const index = empty(3, { ...options, capacity: 6 })
      const z = (i, value) => {
        if (layout === 'separate') index.zs[i] = value
        else index.positions[3 * i + 2] = value
      }
      index.slots = 6
      for (let i = 0; i < 6; i++) z(i, i)
      index.groups.set([1, 2, 4, 8, 16, 32])
      index.build()
      z(5, 55) // not built yet
      const cells = index.cells()
      const ids = index.within(0, 0, 0, Infinity).slice()

      index.reserve(3)
      assert.is(index.capacity, 6)
      index.reserve(5000)
      assert.is(index.capacity, 5000)
      assert.is(index.count, 6)
      assert.equal(index.cells(), cells)
      assert.equal(index.within(0, 0, 0, Infinity), ids)
      assert.is(index.nearest(0, 0, 0, { mask: 32 }), 5)
      assert.equal([...index.groups.subarray(0, 8)], [1, 2, 4, 8, 16, 32, 0, 0])
      assert.equal([...index.generations.subarray(0, 8)], [1, 1, 1, 1, 1, 1, 0, 0])
      assert.ok(index._validate())

      index.slots = 5000
      index.build()
      assert.is(index.nearest(0, 0, 55), 5)
      assert.is(index.stats().agents, 5000)
      assert.is(index.countWithin(0, 0, 0, 0), 4995, 'new slots are at 0')
      assert.ok(index._validate())
    }
  })

  life('growth that fails throws OUT_OF_MEMORY and changes nothing', async () => {
    const instance = await copse.create()
    const index = built(2, ROW, { instance })
    const before = observableState(index)
    const error = assertCode(() => index.reserve(2 ** 28), 'OUT_OF_MEMORY')
    assert.match(error.message, new RegExp(`^${kind}\\.reserve: `))
    assert.equal(observableState(index), before)
    const failed = assertCode(() => empty(3, { instance, capacity: 2 ** 28 }), 'OUT_OF_MEMORY')
    assert.match(failed.message, new RegExp(`^${kind}3D: `))
    assert.equal(observableState(index), before)
    index.reserve(100)
    index.build()
    assert.is(index.countWithin(0, 0, 9), 6)
  })

  life('growth that fails half-way changes nothing', async () => {
    // There is memory for the agents, but not for the rows of neighbors: 2^30 ids.
    const instance = await copse.create()
    const index = built(2, ROW, { instance })
    const { stats, ...before } = observableState(index)
    const { byteLength } = instance.memory.buffer
    assertCode(() => index.reserve(1024, { k: 2 ** 20 }), 'OUT_OF_MEMORY')
    assertCode(() => index.reserve(2 ** 28, { k: 1 }), 'OUT_OF_MEMORY')
    const { stats: statsAfter, ...after } = observableState(index)
    assert.equal(after, before)
    assert.is(instance.memory.buffer.byteLength, byteLength)
    assertCode(() => void (index.slots = 7), 'FULL')
    index.positions[0] = 77
    index.groups[0] = 2
    index.build()
    assert.is(index.nearest(70, 0), 0)
    assert.is(index.nearest(0, 0, { mask: 2 }), 0)
  })

  life('growth that fails takes no memory', async () => {
    const instance = await copse.create()
    const index = built(2, ROW, { instance })
    const { byteLength } = instance.memory.buffer
    assertCode(() => index.reserve(2 ** 28), 'OUT_OF_MEMORY')
    assertCode(() => empty(3, { instance, capacity: 2 ** 28 }), 'OUT_OF_MEMORY')
    assert.is(instance.memory.buffer.byteLength, byteLength)
  })

  life('a trap makes its instance unusable, and no other', async () => {
    const elsewhere = built(2, ROW)
    for (const trapping of ['build', 'within', 'save', 'create', 'destroy']) {
      const instance = await copse.create()
      const index = built(2, ROW, { instance })
      const other = built(3, ROW_3D, { instance })
      const call = {
        build: () => index.build(),
        within: () => index.within(0, 0, 1),
        save: () => index.save(),
        create: () => empty(2, { instance }),
        destroy: () => index.dispose(),
      }[trapping]

      const { enter } = instance
      const name = `${kind.toLowerCase()}_create`
      if (trapping === 'create')
        instance.enter = () => ({ ...enter.call(instance), [name]: trap() })
      else index._wasm = { ...index._wasm, [trapping]: trap() }
      assert.instance(thrown(call), WebAssembly.RuntimeError)
      delete instance.enter

      for (const later of Object.values(callsOf(index, 2))) assertCode(later, 'DEAD')
      for (const later of Object.values(callsOf(other, 3))) assertCode(later, 'DEAD')
      assertCode(() => empty(2, { instance }), 'DEAD')
      assertCode(() => other.dispose(), 'DEAD')

      elsewhere.build()
      assert.is(elsewhere.countWithin(0, 0, 9), 6)
      const next = built(3, ROW_3D, { instance: await copse.create() })
      assert.is(next.nearest(0, 0, 4), 4)
    }
  })

  life('a CopseError has a name, code, index, and a message with the method', () => {
    const error = thrown(() => void (built(2, ROW).slots = 7))
    assert.instance(error, Error)
    assert.is(error.name, 'CopseError')
    assert.is(error.code, 'FULL')
    assert.is(error.index, -1)
    const text = '7 agents, capacity 6: reserve(7) first'
    assert.is(error.message, `${kind}.slots: ${text}`)
    const index = unbuilt(3, [0, 0, 0, 0, 0, 2e18])
    assertThrown(() => index.build(), /^CopseError: Index3D\.build: .*finite.*: slot 1$/)
  })

  life.run()
}

for (const kind of Object.keys(KINDS)) testKind(kind)
