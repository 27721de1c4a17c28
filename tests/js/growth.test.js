// The calls that may grow linear memory, and so detach views: constructors, reserve, adding walls, the first
// snapshot, and a batch with more results than all before. No other call grows it, and no call that is
// refused. However memory grew, no call uses a detached view.

import { inspect } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { CLASSES, createOf, familyOf } from './support/class-oracles.js'
import { methodsOf, thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const COUNT = 20_000

/** Arguments of calls that need no memory, by name. Others are called without arguments. */
const ARGUMENTS = {
  within: (place, dimensions) => [...place(dimensions), 3],
  countWithin: (place, dimensions) => [...place(dimensions), 3],
  anyWithin: (place, dimensions) => [...place(dimensions), 3],
  nearest: (place, dimensions) => place(dimensions),
  nearestPoint: (place) => place(2),
  neighbors: (place, dimensions) => [...place(dimensions), 7],
  range: (place, dimensions) => [...Array(dimensions).fill(-9), ...Array(dimensions).fill(40)],
  countRange: (place, dimensions) => [...Array(dimensions).fill(-9), ...Array(dimensions).fill(40)],
  cone: (place, dimensions) => [...place(dimensions), ...place(dimensions), 1, 9],
  frustum: () => [Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0)],
  at: (place, dimensions) => place(dimensions),
  raycast: (place, dimensions) => [...place(dimensions), ...place(dimensions)],
  raycastAll: (place, dimensions) => [...place(dimensions), ...place(dimensions)],
  allWithin: () => [0.25],
  allNeighbors: () => [4],
  withinMany: (place, dimensions) => [Float32Array.from(place(100 * dimensions)), 2],
  rangeMany: (place, dimensions) => [
    Float32Array.from({ length: 8 * dimensions }, (_, i) => i % 3),
  ],
  neighborsMany: (place, dimensions) => [Float32Array.from(place(100 * dimensions)), 3],
  raycastMany: (place, dimensions) => [Float32Array.from(place(200 * dimensions))],
  pairs: (place, dimensions, isOfPoints) => (isOfPoints ? [{ distance: 0.125 }] : []),
  add: (place, dimensions, isOfPoints, name) =>
    /^(Crowd|Sensors)/.test(name)
      ? [{ position: place(dimensions), radius: 0.5 }]
      : place(dimensions),
  move: (place, dimensions, isOfPoints, name) =>
    name === 'ObstacleTree' ? [0, place(6)] : [3, ...place(dimensions)],
  visible: (place) => place(4),
  visibilityPolygon: (place) => place(2),
  keepVisible: (place) => [...place(2), [0, 1, 2], place(6)],
  contains: (place) => place(2),
  setGoals: (place) => [place(8), [1, 2, 3, 4]],
  setGoalAreas: (place) => [place(8)],
  buildPart: () => [1000],
  distance: (place) => place(2),
  direction: (place) => place(2),
  directionMany: (place) => [Float32Array.from(place(200))],
  path: (place) => place(2),
  has: () => [3],
  reset: () => [3],
  winding: () => [0],
  inspect: () => [1, 1 / 16],
  build: () => [],
  step: () => [1 / 16],
  remove: () => [6 + 3 * removeCount++],
}
/** Makes each `remove` free another slot. */
let removeCount = 0
const BATCHES = /^(all\w+|\w+Many|pairs|update)$/
/** Methods that may grow memory, or need an object of their own. */
const EXCLUDED = [
  ...['save', 'saveInto', 'restore', 'reserve', 'dispose', 'addPolygon', 'addSegment', 'clear'],
  'follow', // needs a field
]

/** Other changes. */
const OTHER_METHODS = /^(addAt|load)$/

const INSPECT_OPTIONS = { maxArrayLength: Infinity, depth: 3 }

const placesOf = (random) => (length) =>
  Array.from({ length }, () => Math.floor(random() * 4096) / 8 - 256)

function membersOf(Class) {
  const members = new Map()
  for (
    let owner = Class.prototype;
    owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  )
    for (const [key, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (!/^(constructor|_)/.test(key) && !members.has(key)) members.set(key, value ?? get)
  return members
}

function filled(type, instance, capacity = COUNT) {
  const { name, dimensions } = type
  const random = createRandom(3)
  const cells = name.startsWith('Grid') ? { cellSize: 16 } : {}
  const object = createOf(copse, type, { capacity, instance, ...cells })
  familyOf(name).fill(object, dimensions, () => placesOf(random)(1)[0], capacity - 5)
  return object
}

const bytesOf = (instance) => instance.memory.buffer.byteLength

/** Creates an instance with so little memory that it has to grow. */
const create = () => copse.create({ memory: 2 ** 20 })

const test = suite('growth')

for (const type of CLASSES) {
  const { name, dimensions } = type

  test(`${name}: only the documented calls grow memory`, async () => {
    const instance = await create()
    const object = filled(type, instance)
    const place = placesOf(createRandom(4))
    let before = bytesOf(instance)
    for (const [method, length] of methodsOf(copse[name]))
      assert.ok(
        length === 0 ||
          method in ARGUMENTS ||
          EXCLUDED.includes(method) ||
          OTHER_METHODS.test(method),
        `${method}: its arguments are missing in ARGUMENTS`,
      )
    let calls = 0
    const play = (key, call) => {
      const words = ARGUMENTS[key]?.(place, dimensions, 'order' in object, name) ?? []
      try {
        call.apply(object, words)
        calls++
      } catch (error) {
        assert.ok(!(key in ARGUMENTS), `${key}: ${error}`)
      }
    }
    const members = [...membersOf(copse[name])].filter(([key]) => !EXCLUDED.includes(key))
    for (const [key, call] of members) {
      if (BATCHES.test(key)) continue
      play(key, call)
      assert.is(bytesOf(instance), before, key)
    }
    assert.ok(calls >= 15, `${calls}`)
    // Batches grow memory once.
    for (const [key, call] of members) if (BATCHES.test(key)) play(key, call)
    if ('allWithin' in object) assert.ok(bytesOf(instance) > before)
    before = bytesOf(instance)
    for (let i = 0; i < 2; i++)
      for (const [key, call] of members) {
        play(key, call)
        assert.is(bytesOf(instance), before, key)
      }
  })

  test(`${name}: no call uses a view that another object's growth detached`, async () => {
    const instance = await create()
    const [object, twin] = [filled(type, instance, 300), filled(type, await create(), 300)]
    const place = placesOf(createRandom(5))
    for (const [key, call] of membersOf(copse[name])) {
      if (EXCLUDED.includes(key) && key !== 'save') continue
      const words = ARGUMENTS[key]?.(place, dimensions, 'order' in object, name) ?? []
      let results
      try {
        call.apply(object, words) // creates its views
        call.apply(twin, words)
        instance.memory.grow(1)
        results = [object, twin].map((each) => inspect(call.apply(each, words), INSPECT_OPTIONS))
      } catch (error) {
        assert.ok(!(key in ARGUMENTS) || key === 'remove', `${key}: ${error}`)
        continue
      }
      assert.is(results[0], results[1], key)
    }
    instance.memory.grow(1)
    if ('within' in object) {
      const ids = object.within(...Array(dimensions).fill(0), Infinity)
      assert.ok(new Set(ids).size > 1, 'ids, not zeros')
    }
  })
}

test('pairs of boxes grow memory once', async () => {
  const instance = await create()
  const tree = new copse.Quadtree({ instance, capacity: 600, bounds: [0, 0, 9, 9] })
  for (let i = 0; i < 500; i++) tree.add(1, 1, 2, 2)
  const before = bytesOf(instance)
  const { bytes } = tree.stats()
  assert.is(tree.pairs().count, (500 * 499) / 2)
  assert.ok(bytesOf(instance) > before && tree.stats().bytes > bytes)
  const grown = bytesOf(instance)
  tree.move(3, 5, 5)
  assert.is(tree.pairs().count, (499 * 498) / 2)
  assert.is(bytesOf(instance), grown)
})

test('snapshots may lie in the linear memory that grows for them', async () => {
  const instance = await copse.create({ memory: 2 ** 27 })
  const tree = filled({ name: 'KdTree', dimensions: 2 }, instance, 100_000)
  const room = () => new Uint8Array(instance.memory.buffer, 2 ** 26, 2 ** 22)
  const size = tree.saveInto(room())
  const saved = tree.save()
  assert.equal(room().slice(0, size), saved)
  const { buffer } = instance.memory
  const twin = new copse.KdTree({ instance, capacity: 1 })
  twin.restore(new Uint8Array(buffer, 2 ** 26, size))
  assert.equal(twin.save(), saved)
})

test('empty views can be read after memory grew', async () => {
  const instance = await create()
  const crowd = new copse.Crowd({ instance, capacity: 4 })
  crowd.add({ position: [0, 0] })
  const tree = new copse.AgentTree({ instance, capacity: 4 })
  const views = () => [crowd.arrived(), crowd.stuck(), crowd.inspect(0, 1).obstacles, tree.order()]
  views()
  instance.memory.grow(1)
  for (const view of views()) assert.equal([...view], [])
  const code = () => thrown(() => tree.restore(new Uint8Array(0))).code
  assert.is(code(), 'BAD_SNAPSHOT')
  instance.memory.grow(1)
  assert.is(code(), 'BAD_SNAPSHOT')
})

/** Returns points that lie in linear memory, in an instance that has to grow for a batch of them. */
async function pointsInside(n) {
  const instance = await create()
  const crowd = new copse.Crowd({ instance, capacity: n })
  for (let i = 0; i < n; i++) crowd.add({ position: [i % 90, i / 90] })
  return { instance, crowd }
}

test('batches take points that lie in the linear memory that grows for them', async () => {
  const n = 20_000
  const { instance, crowd } = await pointsInside(n)
  const grid = new copse.Grid({ instance, cellSize: 2, capacity: n })
  grid.build(crowd)
  const places = crowd.positions.slice()
  const before = bytesOf(instance)
  const { total } = grid.withinMany(crowd.positions, 1)
  assert.ok(bytesOf(instance) > before)
  assert.is(grid.withinMany(places, 1).total, total)
  assert.ok(total > 2 * n)
})

test('constructors that find no memory leave the instance usable', async () => {
  const bounds = [0, 0, 0, 1, 1, 1]
  for (const [name, capacity] of Object.entries({ Crowd: 9e6, ObstacleTree: 6e6, Octree: 8e6 })) {
    const instance = await create()
    const small = new copse.Crowd({ instance, capacity: 4 })
    let after
    for (let i = 0; i < 3; i++) {
      const create = () =>
        new copse[name]({ instance, capacity, ...(name === 'Octree' && { bounds }) })
      assert.is(thrown(create).code, 'OUT_OF_MEMORY', name)
      after ??= bytesOf(instance)
    }
    assert.is(bytesOf(instance), after, 'what was allocated is given back')
    small.step(1 / 16)
  }
})

test.run()
