// Random calls of every method and property of every class, with arguments of every type, on objects that are
// right, foreign, forged, proxies or disposed. Only documented errors are thrown, the memory of other objects
// is unchanged, and afterward all objects return correct results.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as sources from '../../wasm/index.js'
import { SEED } from './support/fastcheck.js'
import { CLASSES, createOf, familyOf, HOLDERS } from './support/class-oracles.js'
import { argumentsOf, GETTER_ERROR } from './support/random-arguments.js'
import { thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const CALLS = Number(process.env.COPSE_CALLS ?? 8000)
const ROOM = 24

const CODES = [
  ...['FULL', 'OUT_OF_MEMORY', 'NOT_FINITE', 'NOT_BUILT', 'STALE_SLOT', 'DISPOSED', 'BAD_SNAPSHOT'],
]

/** Returns the descriptor of a class's member, own or inherited. */
function descriptorOf(Class, key) {
  let owner = Class.prototype
  while (!Object.hasOwn(owner, key)) owner = Object.getPrototypeOf(owner)
  return Object.getOwnPropertyDescriptor(owner, key)
}

/**
 * Returns everything that can be called on objects of a class, own or inherited, with the names of parameters,
 * which only the source code has.
 */
function membersOf(Class) {
  const members = []
  const known = new Set(['constructor'])
  for (
    let owner = Class.prototype;
    owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  )
    for (const key of Reflect.ownKeys(owner)) {
      if (known.has(key) || String(key).startsWith('_')) continue
      known.add(key)
      const { value, get, set } = Object.getOwnPropertyDescriptor(owner, key)
      const written = descriptorOf(sources[Class.name], key)
      const parameters = /\(([^)]*)\)/.exec(String(written.value ?? written.set))?.[1] ?? ''
      const names = parameters.split(',').flatMap((one) => one.split('=')[0].trim() || [])
      if (value) members.push({ key, call: value, names })
      if (get) members.push({ key, call: get, names: [] })
      if (set) members.push({ key, call: set, names })
    }
  return members
}

// ---- Calls ----

const test = suite('random calls')

test('calls throw only documented errors, and results are correct afterward', async () => {
  const instance = await copse.create()
  const random = createRandom(SEED)
  const place = () => integer(33) / 2 - 8
  const make = (type, options) => {
    const { name, dimensions } = type
    const object = createOf(copse, type, { capacity: ROOM, instance, ...options })
    familyOf(name).fill(object, dimensions, place)
    return object
  }
  let current
  const meddle = () => {
    const object = random() < 0.7 ? current : pick(targets).object
    pick([() => object.dispose(), () => object.reserve(object.capacity + 8), () => object.save()])()
  }
  const { any, expected, integer, pick } = argumentsOf(
    random,
    () => pick(targets).object,
    () => thrown(() => (meddle(), assert.unreachable())),
  )

  const succeeded = new Set()
  // Bystanders are never called. Each is next to a target in memory.
  const targets = []
  const bystanders = []
  for (const type of CLASSES) {
    const members = membersOf(copse[type.name])
    const object = make(type)
    targets.push({ ...type, members, object, saved: object.save() })
    bystanders.push(make(type))
  }
  const before = bystanders.map((object) => object.save())

  /** Draws a value that is not an object of the target's class, or only looks like one. */
  const foreign = (target) =>
    pick([
      () => pick(targets).object,
      () => Object.create(target.object),
      () => Object.create(copse[target.name].prototype),
      () => new Proxy(target.object, {}),
      any,
    ])()

  function assertDocumented(error, context) {
    const isArgument = error instanceof TypeError || error instanceof RangeError
    const isState = error instanceof copse.CopseError && CODES.includes(error.code)
    if (!isArgument && !isState && error !== GETTER_ERROR)
      assert.unreachable(`seed ${SEED}: ${context}: ${error?.stack ?? error}`)
  }

  function callOnce() {
    const target = pick(targets)
    const { key, call, names } = pick(target.members)
    const wrongShare = pick([0, 0, 0.1, 0.3, 1])
    const isFlat = target.dimensions === 2 && random() < 0.9 // where there is no z
    const args = names
      .filter((name) => !isFlat || !/^z|Z$/.test(name))
      .map((name) => (random() < wrongShare ? any() : expected(name, target, key)))
    // A center, or the corners of a box.
    if (target.name === 'Sensors' && key === 'move') args.length = pick([3, 5])
    if (random() < 0.02) args.pop()
    current = target.object
    try {
      call.apply(random() < 0.1 ? foreign(target) : current, args)
      succeeded.add(`${target.name}.${String(key)}`)
    } catch (error) {
      assertDocumented(error, `${target.name}.${String(key)}`)
    }
  }

  function constructOnce() {
    const { name, required } = pick(HOLDERS)
    const option = pick([
      'capacity',
      'instance',
      'bounds',
      'leafSize',
      'maxDepth',
      'onNonFinite',
      'layout',
    ])
    const options = { capacity: 3, instance, ...required, [option]: any() }
    try {
      new copse[name](random() < 0.2 ? any() : options).dispose()
      pick([copse.KdTree, copse.KdTree3D]).from(any(), any())
    } catch (error) {
      if (error.code !== 'NOT_READY') assertDocumented(error, `new ${name}`)
    }
  }

  function checkAll() {
    for (const target of targets) {
      let object = target.object
      try {
        object.count
      } catch (error) {
        assert.is(error.code, 'DISPOSED')
      }
      if (random() < 0.1) object.dispose()
      try {
        object.capacity
      } catch {
        object = target.object = make(target)
      }
      familyOf(target.name).check(object, target.dimensions, place)
      const saved = object.save()
      object.restore(saved)
      assert.equal(object.save(), saved)
      if ('validate' in object) assert.ok(object.validate(), target.name)
    }
    bystanders.forEach((object, i) => assert.equal(object.save(), before[i]))
  }

  for (let i = 0; i < CALLS; i++) {
    if (random() < 0.03) constructOnce()
    else callOnce()
    if (i % 50 === 49) checkAll()
  }
  // A member that was refused every time was not really tested.
  const hasSucceeded = (key, { name }) => succeeded.has(`${name}.${String(key)}`)
  const changes = ['add', 'move', 'remove', 'clear', 'slots', 'reserve', 'save', 'restore']
  for (const target of CALLS < 8000 ? [] : targets)
    for (const { key } of target.members) {
      const isChange = changes.includes(key) && target.name !== 'ObstacleTree'
      const isTried = isChange
        ? hasSucceeded(key, target)
        : targets.some((other) => hasSucceeded(key, other))
      // xs, ys and zs belong to the other layout.
      if (!/^[xyz]s$/.test(String(key)))
        assert.ok(isTried, `seed ${SEED}: ${target.name}.${String(key)} was always refused`)
    }
})

/** Returns a property that has another value on each read. */
const inTurn = (...values) => ({ get: () => values.shift(), configurable: true })

const { AgentTree, Crowd, KdTree, ObstacleTree, Quadtree, create } = copse

test('values that only look like an object are refused and change nothing', async () => {
  const instance = await create()
  const tree = new AgentTree({ instance, capacity: 2 })
  for (const [name, lookalike] of [
    ['proxy', new Proxy(tree, {})],
    ['heir', Object.create(tree)],
    ['forgery', Object.assign(Object.create(AgentTree.prototype), { capacities: 1 })],
  ]) {
    for (const call of [
      () => lookalike.reserve(5000),
      () => lookalike.dispose(),
      () => lookalike.count,
      () => lookalike.save(),
      () => void (lookalike.slots = 2),
      () => lookalike.within(0, 0, 1),
    ])
      assert.instance(thrown(call), TypeError, name)
  }
  assert.is(tree.positions.length, 4)
  assert.is(tree.count, 0)
})

test('methods of another class are refused and change nothing', async () => {
  const instance = await create()
  const walls = new ObstacleTree({ instance, capacity: 9 })
  const boxes = new Quadtree({ instance, bounds: [0, 0, 9, 9], capacity: 9 })
  const others = [walls, boxes, new Crowd({ instance, capacity: 9 })]
  const before = others.map((object) => object.save())
  const points = new Float32Array(4)
  for (const [method, ...args] of [
    ['allWithin', 1],
    ['withinMany', points, 1],
    ['rangeMany', points],
    ['allNeighbors', { k: 1 }],
    ['nearestMany', points, { k: 1 }],
    ['raycastMany', points],
    ['pairs', 1],
    ['pairs'],
    ['pairsInto', new Uint32Array(2)],
    ['order'],
    ['build'],
    ['cone', 0, 0, 1, 0, 1, 1],
    ['within', 0, 0, 1],
    ['stats'],
    ['reserve', 20, { results: 5, k: 2 }],
  ])
    for (const other of others) {
      const call = () => AgentTree.prototype[method].call(other, ...args)
      const shared = ['within', 'withinMany', 'rangeMany', 'nearestMany', 'raycastMany']
      const isOwn = [...shared, 'reserve', 'pairs', 'pairsInto', 'build'].includes(method)
      try {
        call()
      } catch (error) {
        const isArgument = error instanceof TypeError || error instanceof RangeError
        assert.ok(isArgument || error.code === 'STALE_SLOT', `${method}: ${error}`)
        continue
      }
      assert.ok(isOwn, `${method} of ${other.constructor.name}`)
    }
  others.forEach((object, i) => assert.equal(object.save(), before[i]))
})

test('an object that is disposed while arguments are read stays disposed', async () => {
  const instance = await create()
  const crowd = new Crowd({ instance, capacity: 2 })
  const other = new Crowd({ instance, capacity: 2 })
  const agent = { position: [1, 2] }
  const before = other.save()
  Object.defineProperty(agent, 'radius', { get: () => (crowd.dispose(), other.save(), 1) })
  assert.is(thrown(() => crowd.add(agent)).code, 'DISPOSED')
  assert.equal(other.save(), before)
  assert.is(new Crowd({ instance, capacity: 2 }).count, 0)
})

test('every argument is read once: the value that is checked is used', async () => {
  const instance = await create()
  const thrower = { valueOf: () => assert.unreachable() }
  const walls = new ObstacleTree({ instance })
  const points = Object.defineProperty([0, 0, 1, 0, 1, 1], 2, inTurn(1, NaN))
  assert.is(walls.addPolygon(points), 0)
  assert.equal([...walls.vertices.subarray(0, 6)], [0, 0, 1, 0, 1, 1])
  const around = Object.defineProperty([-9, -9, 9, 9], 0, inTurn(-9, thrower))
  assert.ok(walls.visibilityPolygon(-5, -5, { bounds: around }).length >= 6)
  const once = { valueOf: inTurn(5, undefined).get }
  assert.equal([...walls.keepVisible(-5, -5, [0], [once, -5])], [0])

  const bounds = Object.defineProperty([0, 0, 9, 9], 0, inTurn(0, thrower))
  const options = Object.defineProperty({ instance, bounds }, 'maxDepth', inTurn(3, thrower))
  assert.is(new Quadtree(options).stats().perDepth.length, 4)
  const settings = Object.defineProperty({ instance }, 'timeStep', inTurn(1 / 4, thrower))
  Object.defineProperty(settings, 'radius', inTurn(2, thrower))
  const crowd = new Crowd(settings)
  crowd.add({ position: [0, 0] })
  crowd.step()
  assert.equal([crowd.time, crowd.radii[0]], [0.25, 2])

  const tree = new KdTree({ instance, capacity: 4 })
  tree.slots = 4
  tree.build()
  const batchOptions = Object.defineProperty({}, 'k', inTurn(1, thrower))
  assert.is(tree.allNeighbors(batchOptions).ids.length, 4)
  const roomOptions = Object.defineProperty({}, 'results', inTurn(9, thrower))
  tree.reserve(4, roomOptions)
  assert.ok(tree.allWithin(1).ids.length >= 12)
  const polygonOptions = Object.defineProperty({}, 'solid', inTurn('outside', thrower))
  assert.is(walls.addPolygon([0, 0, 1, 0, 1, 1], polygonOptions), 3)
  const bytes = tree.save()
  Object.defineProperty(bytes, 'length', { get: () => thrower })
  tree.restore(bytes)
  assert.ok(tree.saveInto(bytes) > 0)
  tree.build()
  assert.ok(tree.validate(), 'the instance is usable')
})

test('has() is true only for slots in use', async () => {
  const instance = await create()
  const tree = new Quadtree({ instance, bounds: [0, 0, 9, 9], capacity: 5 })
  const crowd = new Crowd({ instance, capacity: 5 })
  const points = new AgentTree({ instance, capacity: 5 })
  const walls = new ObstacleTree({ instance, capacity: 5 })
  tree.add(1, 1)
  points.add(1, 1)
  walls.addSegment(1, 1, 2, 2)
  crowd.add({ position: [0, 0] })
  for (const object of [tree, crowd, points, walls]) {
    assert.ok(object.has(0))
    for (const wrong of ['length', '0', 'BYTES_PER_ELEMENT', NaN, 0.5, -1, 5, null, undefined])
      assert.not(object.has(wrong))
  }
})

test('from() of detached bytes throws BAD_SNAPSHOT', () => {
  const bytes = new Uint8Array(400)
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  assert.is(thrown(() => KdTree.from(bytes)).code, 'BAD_SNAPSHOT')
})

test.run()
