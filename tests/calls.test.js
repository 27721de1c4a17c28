// Calls at random: every method and property of every class, with arguments of every type, on objects
// that are right, foreign, forged, proxies or disposed. Nothing but the documented errors comes out of
// it, nobody else's memory is touched, and all objects answer rightly afterwards.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import * as boxes from './boxes.js'
import { SEED } from './drawn.js'
import { argumentsOf, MINE } from './hostile.js'
import { className, CORES, dimensionsOf, requiredOf, thrown } from './indexes.js'
import * as oracle from './oracle.js'
import { createRandom } from './random.js'
import * as walls from './walls.js'

const CALLS = Number(process.env.COPSE_CALLS ?? 20_000)
const ROOM = 24

const CODES = ['FULL', 'OUT_OF_MEMORY', 'NOT_FINITE', 'STALE_HANDLE', 'DISPOSED', 'BAD_SNAPSHOT']

const CLASSES = [...CORES, 'Crowd'].flatMap((kind) =>
  dimensionsOf(kind).map((dimensions) => ({
    name: className(kind, dimensions),
    dimensions,
    required: requiredOf(kind, dimensions),
  })),
)

/** What can be called on objects of a class, inherited or not, with the names of its parameters. */
function membersOf(Class) {
  const members = []
  for (let at = Class.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const key of Reflect.ownKeys(at)) {
      if (key === 'constructor' || String(key).startsWith('_')) continue
      const { value, get, set } = Object.getOwnPropertyDescriptor(at, key)
      const parameters = /\(([^)]*)\)/.exec(String(value ?? set))?.[1] ?? ''
      const names = parameters.split(',').flatMap((one) => one.split('=')[0].trim() || [])
      if (value) members.push({ key, call: value, names })
      if (get) members.push({ key, call: get, names: [] })
      if (set) members.push({ key, call: set, names })
    }
  return members
}

// ---- Each family of classes: what fills an object, and whether it answers rightly ----

const families = {
  points: {
    fill(index, dimensions, place) {
      index.count = Math.min(ROOM, index.capacity)
      index.positions.forEach((_, i, all) => (all[i] = place()))
      index.build()
    },
    check(index, dimensions, place) {
      index.groups.fill(1)
      index.radii.fill(0.5)
      this.fill(index, dimensions, place)
      const { count, groups, positions } = index
      const agents = { dimensions, count, groups, positions }
      const [center, to] = [place, place].map((next) => Array.from({ length: dimensions }, next))
      const options = { sort: 'distance' }
      const found = Array.from(index.within(...center, 5, options))
      assert.equal(found, oracle.within(agents, center, 5, options).ids)
      const nearest = Array.from(index.neighbors(...center, 4))
      assert.equal(nearest, oracle.neighbors(agents, center, 4).ids)
      const radii = new Float32Array(count).fill(0.5)
      assert.is(
        index.raycast(...center, ...to)?.id ?? -1,
        oracle.raycast(agents, center, to, radii).id,
      )
      index.masks.fill(-1)
      const rows = index.allWithin(3)
      for (let i = 0; i < count && !rows.truncated; i++) {
        const row = rows.ids.slice(rows.offsets[i], rows.offsets[i] + rows.counts[i]).sort()
        const at = positions.subarray(i * dimensions, (i + 1) * dimensions)
        assert.equal([...row], oracle.within(agents, at, 3, { exclude: i }).ids)
      }
    },
  },
  boxes: {
    fill(tree, dimensions, place) {
      for (let i = 0; i < ROOM / 2; i++) tree.insert(...Array.from({ length: dimensions }, place))
    },
    check(tree, dimensions, place) {
      const width = 2 * dimensions
      for (let i = 0; i < tree.capacity * width; i += width)
        for (let axis = 0; axis < dimensions; axis++) {
          const least = (tree.boxes[i + axis] = place())
          tree.boxes[i + dimensions + axis] = least + 2
        }
      tree.groups.fill(1)
      tree.moveAll()
      const { groups, generations } = tree
      const list = { dimensions, groups, generations, boxes: tree.boxes }
      const center = Array.from({ length: dimensions }, place)
      const options = { sort: 'distance' }
      const found = Array.from(tree.within(...center, 5, options))
      assert.equal(found, boxes.within(list, center, 5, options).ids)
      assert.equal(tree.pairsInto(new Uint32Array(0)), boxes.pairs(list).length / 2)
      assert.is(tree.count, boxes.usedIds(list).length)
    },
  },
  walls: {
    fill(tree, dimensions, place) {
      for (let i = 0; i < 4; i++) tree.addPolygon(Array.from({ length: 6 }, place))
    },
    check(tree, dimensions, place) {
      tree.vertices.forEach((_, i, all) => (all[i] = place()))
      tree.build()
      assert.ok(tree.validate())
      tree.clear()
      const list = walls.createList(tree.capacity)
      while (walls.slotsOf(list).length < 3) {
        const points = Array.from({ length: 4 }, place)
        const slot = walls.add(list, points, false)
        if (slot < 0) break
        assert.is(tree.addPolygon(points), slot)
      }
      walls.build(list)
      for (let i = 0; i < 4; i++) {
        const [x, y] = [place(), place()]
        assert.equal(
          [...tree.within(x, y, 4)],
          walls.within(list, x, y, 4).map(({ id }) => id),
        )
      }
    },
  },
  crowd: {
    fill(crowd, dimensions, place) {
      for (let i = 0; i < ROOM / 2; i++)
        crowd.add({ position: Array.from({ length: dimensions }, place), maxNeighbors: 3 })
    },
    check(crowd, dimensions, place) {
      for (const name of ['positions', 'velocities', 'preferredVelocities', 'goals'])
        crowd[name].forEach((_, i, all) => (all[i] = place()))
      if (dimensions === 2) crowd.obstacles = null // they may be disposed
      const before = crowd.hash()
      crowd.restore(crowd.save())
      assert.is(crowd.hash(), before)
      crowd.step(1 / 8)
      for (let slot = 0; slot < crowd.capacity; slot++) {
        if (!crowd.has(slot)) continue
        for (const x of crowd.positions.subarray(slot * dimensions, (slot + 1) * dimensions))
          assert.ok(Number.isFinite(x))
      }
      const used = crowd.generations.filter((generation) => generation & 1)
      assert.is(crowd.count, used.length)
    },
  },
}

function familyOf(name) {
  if (/^Crowd/.test(name)) return families.crowd
  if (name === 'ObstacleTree') return families.walls
  return /^(Quad|Oc)tree/.test(name) ? families.boxes : families.points
}

// ---- Calls ----

const test = suite('calls at random')

for (const [build, library] of Object.entries({ simd, scalar }))
  test(`${build}: documented errors alone, and right answers afterwards`, async () => {
    const instance = await library.create()
    const random = createRandom(SEED)
    const place = () => integer(33) / 2 - 8
    const make = ({ name, dimensions, required }, options) => {
      const object = new library[name]({ capacity: ROOM, instance, ...required, ...options })
      familyOf(name).fill(object, dimensions, place)
      return object
    }
    let current
    const meddle = () => {
      const it = random() < 0.7 ? current : pick(targets).object
      pick([() => it.dispose(), () => it.reserve(it.capacity + 8), () => it.save()])()
    }
    const { any, expected, integer, pick } = argumentsOf(
      random,
      () => pick(targets).object,
      () => thrown(() => (meddle(), assert.unreachable())),
    )

    // Nobody calls these: beside each of the others, in memory too.
    const targets = []
    const bystanders = []
    for (const type of CLASSES) {
      const members = membersOf(library[type.name])
      const object = make(type)
      targets.push({ ...type, members, object, saved: object.save() })
      bystanders.push(make(type))
    }
    const before = bystanders.map((object) => object.save())

    /** Objects that are none, or not of this class. */
    const foreign = (target) =>
      pick([
        () => pick(targets).object,
        () => Object.create(target.object),
        () => Object.create(library[target.name].prototype),
        () => new Proxy(target.object, {}),
        any,
      ])()

    function assertDocumented(error, what) {
      const isArgument = error instanceof TypeError || error instanceof RangeError
      const isState = error instanceof library.CopseError && CODES.includes(error.code)
      if (!isArgument && !isState && error !== MINE)
        assert.unreachable(`seed ${SEED}: ${what}: ${error?.stack ?? error}`)
    }

    function callOnce() {
      const target = pick(targets)
      const { key, call, names } = pick(target.members)
      const wrong = pick([0, 0, 0.1, 0.3, 1])
      const given = names.map((name) => (random() < wrong ? any() : expected(name, target)))
      if (random() < 0.02) given.pop()
      current = target.object
      try {
        call.apply(random() < 0.1 ? foreign(target) : current, given)
      } catch (error) {
        assertDocumented(error, `${target.name}.${String(key)}`)
      }
    }

    function constructOnce() {
      const { name, required } = pick(CLASSES)
      const option = pick([
        'capacity',
        'instance',
        'bounds',
        'leafSize',
        'maxDepth',
        'results',
        'k',
      ])
      const options = { capacity: 3, instance, ...required, [option]: any() }
      try {
        new library[name](random() < 0.2 ? any() : options).dispose()
        pick([library.KdTree, library.KdTree3D]).from(any(), any())
      } catch (error) {
        if (error.code !== 'NOT_READY') assertDocumented(error, `new ${name}`)
      }
    }

    function checkAll() {
      for (const target of targets) {
        let object = target.object
        try {
          object.generation
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
        if ('validate' in object) assert.ok(object.validate(), target.name)
      }
      bystanders.forEach((object, i) => assert.equal(object.save(), before[i]))
    }

    for (let i = 0; i < CALLS; i++) {
      if (random() < 0.03) constructOnce()
      else callOnce()
      if (i % 50 === 49) checkAll()
    }
  })

const UNREACHED = /not to be reached/

/** What answers otherwise each time it is asked. */
const inTurn = (...answers) => ({ get: () => answers.shift(), configurable: true })

for (const [build, library] of Object.entries({ simd, scalar })) {
  const { AgentTree, Crowd, KdTree, ObstacleTree, Quadtree, create } = library

  test(`${build}: what only looks like an object is refused before anything happens`, async () => {
    const instance = await create()
    const tree = new AgentTree({ instance, capacity: 2 })
    for (const [name, like] of [
      ['proxy', new Proxy(tree, {})],
      ['heir', Object.create(tree)],
      ['forgery', Object.assign(Object.create(AgentTree.prototype), { capacities: 1 })],
    ]) {
      for (const call of [
        () => like.reserve(5000),
        () => like.dispose(),
        () => like.count,
        () => like.save(),
        () => void (like.count = 2),
        () => like.within(0, 0, 1),
      ])
        assert.instance(thrown(call), TypeError, name)
    }
    assert.is(tree.positions.length, 4)
    assert.is(tree.count, 0)
  })

  test(`${build}: an object that is disposed of while arguments are read stays so`, async () => {
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

  test(`${build}: what is checked is what is taken`, async () => {
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

    const tree = new KdTree({ instance, capacity: 4, k: 2 })
    const asked = Object.defineProperty({}, 'k', inTurn(1, thrower))
    assert.is(tree.allNeighbors(asked).ids.length, 8)
    const bytes = tree.save()
    Object.defineProperty(bytes, 'length', { get: () => thrower })
    assert.match(thrown(() => tree.restore(bytes)).message, UNREACHED)
    tree.build()
    assert.ok(tree.validate(), 'the instance is not dead')
  })

  test(`${build}: has() knows slots alone`, async () => {
    const instance = await create()
    const tree = new Quadtree({ instance, bounds: [0, 0, 9, 9], capacity: 5 })
    const crowd = new Crowd({ instance, capacity: 5 })
    tree.insert(1, 1)
    crowd.add({ position: [0, 0] })
    for (const object of [tree, crowd]) {
      assert.ok(object.has(0))
      for (const wrong of ['length', '0', 'BYTES_PER_ELEMENT', NaN, 0.5, -1, 5, null, undefined])
        assert.not(object.has(wrong))
    }
  })

  test(`${build}: from() of bytes that are gone: BAD_SNAPSHOT`, () => {
    const bytes = new Uint8Array(400)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    assert.is(thrown(() => KdTree.from(bytes)).code, 'BAD_SNAPSHOT')
  })
}

test.run()
