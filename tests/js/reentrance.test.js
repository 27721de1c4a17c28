// Arguments that call back: getters and proxies that query, change, reserve or dispose the object that reads
// them. Either the call returns what it would have returned, or it throws a documented error. Typed arrays are
// used as they really are, whatever own properties they have.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { HOLDERS } from './support/class-oracles.js'
import { thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const COUNT = 60
const instance = await copse.create()

/** Creates an object with the same content each time. */
function filled({ name, dimensions, required }) {
  const random = createRandom(11)
  const place = () => Math.floor(random() * 64) / 4
  const object = new copse[name]({ capacity: 4 * COUNT, instance, ...required })
  const point = () => Array.from({ length: dimensions }, place)
  if (name === 'ObstacleTree')
    for (let i = 0; i < COUNT; i++) object.addSegment(...point(), ...point())
  else if (/^Crowd/.test(name))
    for (let i = 0; i < COUNT; i++) object.add({ position: point(), groups: 1 + (i & 1) })
  else if (/^(Quad|Oc)tree/.test(name)) {
    for (let i = 0; i < COUNT; i++) object.add(...point())
    for (let i = 0; i < COUNT; i++) object.groups[i] = 1 + (i & 1)
  } else {
    for (let i = 0; i < COUNT; i++) object.add(...point())
    for (let i = 0; i < COUNT; i++) object.groups[i] = 1 + (i & 1)
    object.radii.fill(0.25)
    object.build()
  }
  return object
}

const isPoints = (name) => /^(AgentTree|Grid|KdTree)/.test(name)
const isBoxes = (name) => /^(Quad|Oc)tree/.test(name)
const isWalls = (name) => name === 'ObstacleTree'

const centerOf = (dimensions) => [4, 5, 6].slice(0, dimensions)
const rowsOf = (rows, n) =>
  Array.from({ length: n }, (_, i) =>
    Array.from(rows.ids.slice(rows.offsets[i], rows.offsets[i] + rows.counts[i])),
  )
const nearestOf = (rows, n, k) =>
  Array.from({ length: n }, (_, i) => Array.from(rows.ids.slice(i * k, i * k + rows.counts[i])))

/** Calls with options, that return comparable results. `has`: true if a class has the method. */
const CALLS = [
  {
    method: 'within',
    has: () => true,
    options: (name) => (isWalls(name) ? { side: 'both' } : { mask: 1, exclude: 2, sort: 'id' }),
    query: (object, options, d) => Array.from(object.within(...centerOf(d), 6, options)),
  },
  {
    method: 'withinInto',
    has: () => true,
    options: (name) => ({
      ...(isWalls(name) ? { side: 'both' } : { mask: 2, exclude: 3, sort: 'distance' }),
      distances2: new Float32Array(COUNT),
    }),
    query(object, options, d) {
      const out = new Uint32Array(COUNT)
      const total = object.withinInto(...centerOf(d), 6, out, options)
      return [total, ...out.slice(0, total)]
    },
  },
  {
    method: 'neighborsInto',
    has: (name) => !isWalls(name),
    options: () => ({ mask: 1, exclude: 4, maxDistance: 9, distances2: new Float32Array(COUNT) }),
    query(object, options, d) {
      const out = new Uint32Array(COUNT)
      const total = object.neighborsInto(...centerOf(d), 7, out, options)
      return [total, ...out.slice(0, total)]
    },
  },
  {
    method: 'nearest',
    has: () => true,
    options: (name) => (isWalls(name) ? { side: 'both', maxDistance: 9 } : { mask: 2, exclude: 5 }),
    query: (object, options, d) => ({ id: object.nearest(...centerOf(d), options) }),
  },
  {
    method: 'raycast',
    has: () => true,
    options: (name) =>
      isWalls(name)
        ? { side: 'both' }
        : isBoxes(name)
          ? { mask: 3, inflate: 0.5 }
          : { radius: 2, mask: 1 },
    query: (object, options, d) => ({
      ...object.raycast(...centerOf(d), ...centerOf(d).map(() => 15), options),
    }),
  },
  {
    method: 'raycastAll',
    has: isPoints,
    options: () => ({ radius: 2, mask: 1, inflate: 0.5 }),
    query: (object, options, d) => {
      const { ids, fractions } = object.raycastAll(
        ...centerOf(d),
        ...centerOf(d).map(() => 15),
        options,
      )
      return [...ids, ...fractions]
    },
  },
  {
    method: 'allWithin',
    has: isPoints,
    options: () => ({ mask: 1 }),
    query: (object, options) => rowsOf(object.allWithin(2, options), COUNT),
  },
  {
    method: 'allNeighbors',
    has: isPoints,
    options: () => ({ k: 3, mask: 2, maxDistance: 5 }),
    query: (object, options) => nearestOf(object.allNeighbors(options), COUNT, 3),
  },
  {
    method: 'nearestMany',
    has: isPoints,
    options: () => ({ k: 2, mask: 1, exclude: 7 }),
    query: (object, options, d) =>
      nearestOf(object.nearestMany(new Float32Array(4 * d), options), 4, 2),
  },
  {
    method: 'pairs',
    has: isPoints,
    options: () => ({ mask: 1 }),
    query: (object, options) => Array.from(object.pairs(2, options)),
  },
  {
    method: 'pairs, by radii',
    has: (name) => !isWalls(name),
    options: () => ({ mask: 2 }),
    query: (object, options) => Array.from(object.pairs(options)),
  },
  {
    method: 'pairsInto',
    has: (name) => !isWalls(name),
    options: () => ({ mask: 1 }),
    query(object, options, d) {
      const out = new Uint32Array(4 * COUNT)
      const pairs = object.pairsInto(out, options)
      return [pairs, ...out.slice(0, 2 * pairs)]
    },
  },
  {
    method: 'withinMany',
    has: (name) => !isWalls(name),
    options: () => ({ mask: 2, exclude: 4 }),
    query: (object, options, d) =>
      rowsOf(object.withinMany(new Float32Array(100 * d).fill(4), 3, options), 100),
  },
  {
    method: 'rangeMany',
    has: (name) => !isWalls(name),
    options: () => ({ mask: 2, exclude: 4 }),
    query: (object, options, d) =>
      rowsOf(
        object.rangeMany(
          Float32Array.from({ length: 40 * d }, (_, i) => i % 9),
          options,
        ),
        20,
      ),
  },
  {
    method: 'raycastMany',
    has: () => true,
    options: (name) =>
      isWalls(name) ? { side: 'visible' } : { ...(isPoints(name) && { radius: 0.5 }), exclude: 2 },
    query(object, options, d) {
      const segments = Float32Array.from({ length: 40 * d }, (_, i) => (i * 7) % 17)
      const { ids, fractions } = object.raycastMany(segments, options)
      return [...ids.slice(0, 20), ...fractions.slice(0, 20)]
    },
  },
  {
    method: 'visibilityPolygon',
    has: isWalls,
    options: () => ({ bounds: [-9, -9, 30, 30], maxDistance: 7 }),
    query: (object, options) => Array.from(object.visibilityPolygon(4.03, 5.01, options)),
  },
]

/** Returns the same options, one of which makes a call when it is read. */
function withGetter(options, key, call) {
  const value = options[key]
  return Object.defineProperty({ ...options }, key, {
    enumerable: true,
    get: () => (call(), value),
  })
}

const hasK = /^(allNeighbors|nearestMany)$/

const test = suite('reentrance')

for (const type of HOLDERS.filter(({ name }) => !/^(Crowd|FlowField)/.test(name))) {
  const { name, dimensions } = type

  test(`${name}: a query made while the options of another are read does not change it`, () => {
    const object = filled(type)
    const queries = CALLS.filter(({ has }) => has(name))
    for (const { method, options, query } of queries) {
      const expected = query(object, options(name), dimensions)
      for (const key of Object.keys(options(name)))
        for (const inner of queries) {
          const call = () => inner.query(object, inner.options(name), dimensions)
          const bare = () =>
            inner.query(object, hasK.test(inner.method) ? { k: 1 } : {}, dimensions)
          for (const callBack of isWalls(name) ? [call] : [call, bare])
            assert.equal(
              query(object, withGetter(options(name), key, callBack), dimensions),
              expected,
              `${method}, ${key}: ${inner.method}`,
            )
        }
    }
    object.dispose()
  })

  test(`${name}: a query works if its options reserve, and throws DISPOSED if they dispose`, () => {
    for (const { method, options, query, has } of CALLS) {
      if (!has(name)) continue
      for (const key of Object.keys(options(name))) {
        const object = filled(type)
        const expected = query(object, options(name), dimensions)
        const grows = () => object.reserve(object.capacity + 4000)
        assert.equal(
          query(object, withGetter(options(name), key, grows), dimensions),
          expected,
          `${method}, ${key}: reserve`,
        )
        const disposing = withGetter(options(name), key, () => object.dispose())
        assert.is(
          thrown(() => query(object, disposing, dimensions)).code,
          'DISPOSED',
          `${method}, ${key}: dispose`,
        )
      }
    }
  })
}

for (const type of HOLDERS.filter(({ name }) => isPoints(name))) {
  const { name, dimensions } = type

  test(`${name}: a query uses the build that its options make`, () => {
    const object = filled(type)
    const point = centerOf(dimensions)
    const meddle = () => {
      object.remove(5)
      assert.is(object.add(...point), 5)
      object.slots = COUNT + 10
      object.move(COUNT + 1, ...point)
      object.build()
      object.clear()
    }
    const options = { mask: -1 }
    for (const query of [
      (options) => object.countWithin(...point, 0, options),
      (options) => object.pairs(0, options).length >= 2,
      (options) => object.allWithin(0, options).counts[5] > 0,
      (options) => object.withinMany(Float32Array.from(point), 0, options).total,
    ]) {
      object.slots = COUNT
      object.positions.forEach((_, i, array) => (array[i] = 100 + i))
      object.build()
      const expected = query(options)
      object.slots = COUNT
      const actual = query(withGetter(options, 'mask', meddle))
      // The result is that of the last build.
      assert.equal(actual, query(options))
      assert.is.not(actual, expected)
      assert.equal([object.count, object.slots], [0, 0])
    }
    const disposing = withGetter({ results: 5, k: 2 }, 'k', () => object.dispose())
    assert.is(thrown(() => object.reserve(5000, disposing)).code, 'DISPOSED')
  })

  test(`${name}: reserve keeps what its options reserve`, () => {
    const object = filled(type)
    const inner = () => object.reserve(900, { results: 2000, k: 3 })
    object.reserve(700, withGetter({ results: 50, k: 2 }, 'k', inner))
    assert.is(object.capacity, 900)
    const { bytes } = object.stats()
    assert.ok(object.allWithin(1).ids.length >= 2000)
    assert.is(object.allNeighbors({ k: 3 }).counts[0], 3)
    assert.is(object.stats().bytes, bytes)
  })
}

for (const type of HOLDERS.filter(({ name }) => /^Crowd/.test(name)))
  test(`${type.name}: an agent that adds another while it is read is not mixed with it`, () => {
    const crowd = new copse[type.name]({ instance, capacity: 8 })
    const { dimensions } = type
    const position = [1, 2, 3].slice(0, dimensions)
    const inner = { position: [7, 8, 9].slice(0, dimensions), radius: 3, maxSpeed: 5, priority: 6 }
    const goal = [4, 4, 4].slice(0, dimensions)
    for (const key of ['goal', 'radius', 'locked', 'maxSpeed']) {
      crowd.clear()
      const agent = withGetter({ position, goal, radius: 2 }, key, () => crowd.add(inner))
      const slot = crowd.add(agent)
      assert.is(slot, 1)
      assert.equal([...crowd.positions.subarray(dimensions, 2 * dimensions)], position)
      assert.equal([...crowd.goals.subarray(dimensions, 2 * dimensions)], goal)
      assert.equal([crowd.radii[0], crowd.radii[1]], [3, 2])
      assert.equal([crowd.maxSpeeds[0], crowd.maxSpeeds[1]], [5, 2])
      assert.equal([crowd.priorities[0], crowd.priorities[1]], [6, 0])
    }
    const disposing = withGetter({ position }, 'radius', () => crowd.dispose())
    assert.is(thrown(() => crowd.add(disposing)).code, 'DISPOSED')
  })

test('keepVisible works if reading its ids calls keepVisible', () => {
  const walls = new copse.ObstacleTree({ instance })
  walls.addSegment(6, 2, 6, 12)
  const positions = Float32Array.from({ length: 2 * COUNT }, (_, i) => (i * 7) % 16)
  const ids = Uint32Array.from({ length: COUNT }, (_, i) => i)
  const expected = [...walls.keepVisible(4.03, 5.01, ids, positions)]
  assert.ok(expected.length > 2)
  const inner = () => walls.keepVisible(9, 9, [0, 1, 2], [9, 9, 9, 9, 9, 9])
  const proxy = new Proxy(ids, {
    get: (target, key) => (key === '5' && inner(), Reflect.get(target, key)),
  })
  assert.equal([...walls.keepVisible(4.03, 5.01, proxy, positions)], expected)
})

test('a typed array with an own length is used with its real length', () => {
  const longer = (array, length) => Object.defineProperty(array, 'length', { value: length })
  const tree = filled(HOLDERS.find(({ name }) => name === 'AgentTree'))
  const out = longer(new Uint32Array(4), 60)
  assert.ok(tree.withinInto(4, 5, 6, out) > 4)
  assert.equal([...out], [...tree.within(4, 5, 6)].slice(0, 4))
  const points = Float32Array.of(1, 1, 9, 9)
  const rows = rowsOf(tree.withinMany(points, 3), 2)
  assert.equal(rowsOf(tree.withinMany(longer(points, 8), 3), 2), rows)
  assert.ok(tree.pairsInto(2, longer(new Uint32Array(2), 9)) > 1)
})

test('KdTree.from reads the head of its bytes once', () => {
  const bytes = filled(HOLDERS.find(({ name }) => name === 'KdTree')).save()
  let reads = 0
  const shifting = Uint8Array.from(bytes)
  Object.defineProperty(shifting, 'buffer', {
    get() {
      reads++
      const buffer = bytes.slice().buffer
      if (reads > 1) new Uint32Array(buffer)[11] = 2 ** 27
      return buffer
    },
  })
  const tree = copse.KdTree.from(shifting, { instance })
  assert.is(tree.capacity, COUNT)
  assert.equal(tree.save(), bytes)

  // Shared bytes can change at any time. A getter shows a second read as well as a worker would.
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  const options = withGetter({ instance, capacity: undefined }, 'capacity', () => {
    new Uint32Array(shared.buffer)[11] = 2 ** 27
  })
  const before = instance.memory.buffer.byteLength
  assert.is(thrown(() => copse.KdTree.from(shared, options)).code, 'BAD_SNAPSHOT')
  assert.is(instance.memory.buffer.byteLength, before)
})

test.run()
