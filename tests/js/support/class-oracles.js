// The families of classes: points, boxes, walls, crowds and paths. For each, a function that fills an
// object, and one that checks its queries against a loop over its contents.

import * as assert from 'uvu/assert'
import * as boxes from './box-oracle.js'
import { className, INDEXES, dimensionsOf, requiredOf, thrown } from './indexes.js'
import * as oracle from './point-oracle.js'
import * as walls from './wall-oracle.js'

/** Every class with buffers of its own, with the options that have no default. */
export const HOLDERS = [...INDEXES, 'Crowd', 'FlowField'].flatMap((kind) =>
  dimensionsOf(kind).map((dimensions) => ({
    name: className(kind, dimensions),
    dimensions,
    required: requiredOf(kind, dimensions),
  })),
)

/** Every class. */
export const CLASSES = [...HOLDERS, { name: 'Sensors', dimensions: 2, required: {} }]

/** Creates an object of a class. Sensors are over an index with a row of agents. */
export function createOf(library, { name, required }, { instance, ...options }) {
  if (name !== 'Sensors') return new library[name]({ instance, ...required, ...options })
  const index = new library.AgentTree({ instance, capacity: ROW_OF_SENSED })
  for (let x = 0; x < ROW_OF_SENSED; x++) index.add(x, 0)
  index.build()
  return new library.Sensors({ index, ...options })
}

const ROOM = 24
/** The duration of a step of a crowd, in seconds. */
const STEP = 1 / 8
const ROW_OF_SENSED = 8

/** Asserts that `count`, `slots` and `has()` agree with the generations. */
function assertSlots(object) {
  const { count, generations, slots } = object
  let used = 0
  generations.forEach((generation, slot) => {
    assert.is(object.has(slot), generation % 2 === 1)
    if (generation % 2 === 0) return
    assert.ok(slot < slots)
    used++
  })
  assert.is(count, used)
}

/** Asserts that a batch throws OUT_OF_MEMORY: it allocates its results when it is called. */
const assertNoMemory = (call) => assert.is(thrown(call).code, 'OUT_OF_MEMORY')

/** By family. `place` draws a coordinate. */
const families = {
  points: {
    fill(index, dimensions, place, count = ROOM) {
      index.slots = Math.min(count, index.capacity)
      index.positions.forEach((_, i, array) => (array[i] = place()))
      index.build()
    },
    check(index, dimensions, place, hasMemory = true) {
      assertSlots(index)
      index.radii.fill(0.5)
      this.fill(index, dimensions, place)
      index.groups.fill(1)
      for (let slot = 0; slot < index.slots; slot += 5) index.remove(slot)
      const added = index.add(...Array.from({ length: dimensions }, place))
      assert.is(added, 0, 'the lowest free slot')
      index.move(added, ...Array.from({ length: dimensions }, place))
      assertSlots(index)
      index.build()
      const { slots: count, groups, positions } = index
      const agents = { dimensions, count, groups, positions }
      const [center, end] = [place, place].map((next) => Array.from({ length: dimensions }, next))
      const options = { sort: 'distance' }
      const ids = Array.from(index.within(...center, 5, options))
      assert.equal(ids, oracle.within(agents, center, 5, options).ids)
      const nearest = Array.from(index.neighbors(...center, 4))
      assert.equal(nearest, oracle.neighbors(agents, center, 4).ids)
      const radii = new Float32Array(count).fill(0.5)
      assert.is(
        index.raycast(...center, ...end)?.id ?? -1,
        oracle.raycast(agents, center, end, radii).id,
      )
      index.masks.fill(-1)
      if (!hasMemory) return assertNoMemory(() => index.allNeighbors(100_000))
      const rows = index.allWithin(3)
      let total = 0
      const stride = 1 + (count >> 6)
      for (let i = 0; i < count; i++) {
        total += rows.counts[i]
        if (i % stride) continue
        const row = rows.ids.slice(rows.offsets[i], rows.offsets[i] + rows.counts[i]).sort()
        const position = positions.subarray(i * dimensions, (i + 1) * dimensions)
        const expected = index.has(i) ? oracle.within(agents, position, 3, { exclude: i }).ids : []
        assert.equal([...row], expected)
      }
      assert.is(rows.total, total)
    },
  },
  boxes: {
    fill(tree, dimensions, place, count = ROOM) {
      for (let i = 0; i < count / 2; i++) tree.add(...Array.from({ length: dimensions }, place))
    },
    check(tree, dimensions, place, hasMemory = true) {
      assertSlots(tree)
      const width = 2 * dimensions
      for (let i = 0; i < tree.capacity * width; i += width)
        for (let axis = 0; axis < dimensions; axis++) {
          const lo = (tree.boxes[i + axis] = place())
          tree.boxes[i + dimensions + axis] = lo + 2
        }
      tree.groups.fill(1)
      tree.moveAll()
      const { groups, generations } = tree
      const list = { dimensions, groups, generations, boxes: tree.boxes }
      const center = Array.from({ length: dimensions }, place)
      const options = { sort: 'distance' }
      const ids = Array.from(tree.within(...center, 5, options))
      assert.equal(ids, boxes.within(list, center, 5, options).ids)
      assert.is(tree.count, boxes.usedIds(list).length)
      const pairs = boxes.pairs(list)
      if (!hasMemory) return assertNoMemory(() => tree.pairs())
      assert.is(tree.pairs().count, pairs.length / 2)
    },
  },
  walls: {
    fill(tree, dimensions, place, count = ROOM) {
      for (let i = 0; i < count / 6; i++)
        tree.addPolygon(Array.from({ length: 6 }, place), { solid: 'winding' })
    },
    check(tree, dimensions, place) {
      tree.vertices.forEach((_, i, array) => (array[i] = place()))
      tree.build()
      assert.ok(tree._validate())
      tree.clear()
      const list = walls.createList(tree.capacity)
      for (const solid of ['winding', 'outside', 'nowhere', 'inside']) {
        const points = Array.from({ length: solid === 'winding' ? 4 : 6 }, place)
        if (!walls.hasArea(points.map(Math.fround)) && solid !== 'winding') continue
        const slot = walls.add(list, points, solid)
        if (slot < 0) break
        assert.is(tree.addPolygon(points, { solid }), slot)
      }
      assert.is(tree.count, walls.slotsOf(list).length)
      walls.build(list)
      for (let i = 0; i < 4; i++) {
        const [x, y] = [place(), place()]
        assert.equal(
          [...tree.within(x, y, 4)],
          walls.within(list, x, y, 4).map(({ id }) => id),
        )
        assert.is(tree.contains(x, y), walls.contains(list, x, y))
      }
    },
  },
  crowd: {
    fill(crowd, dimensions, place, count = ROOM) {
      for (let i = 0; i < count / 2; i++)
        crowd.add({ position: Array.from({ length: dimensions }, place), maxNeighbors: 3 })
    },
    check(crowd, dimensions, place) {
      assertSlots(crowd)
      for (const name of ['positions', 'velocities', 'preferredVelocities', 'goals'])
        crowd[name].forEach((_, i, array) => (array[i] = place()))
      for (const name of ['groups', 'masks', 'enabled']) crowd[name].fill(-1)
      crowd.neighborDistances.fill(5)
      crowd.maxNeighborCounts.fill(3)
      // The caller may have disposed them.
      if (dimensions === 2) crowd.obstacles = null
      for (const { field } of crowd._guides ?? []) crowd.follow(field, { mask: 0 })
      crowd.step(STEP)
      const { capacity: count, positions } = crowd
      const groups = Uint32Array.from({ length: count }, (_, slot) => (crowd.has(slot) ? 1 : 0))
      const agents = { dimensions, count, groups, positions }
      const stride = 1 + (crowd.capacity >> 6)
      for (let slot = 0; slot < crowd.capacity; slot += stride) {
        if (!crowd.has(slot)) continue
        const position = positions.subarray(slot * dimensions, (slot + 1) * dimensions)
        for (const x of position) assert.ok(Number.isFinite(x))
        const others = { exclude: slot, maxDistance: 5 }
        assert.equal(
          [...crowd.inspect(slot, STEP).neighbors],
          oracle.neighbors(agents, position, 3, others).ids,
        )
      }
    },
  },
  paths: {
    fill(field, dimensions, place, count = ROOM) {
      field.setGoals([placeInside(place), placeInside(place)])
      const { closed, columns } = field
      closed.fill(0)
      const atMost = (field.columns / 4) * (field.rows / 4)
      // Each takes 4 anchors.
      for (let i = 0; i < Math.min(atMost, (count - 1) >> 2); i++) {
        const perRow = columns / 4
        closed[(Math.floor(i / perRow) * 4 + 2) * columns + (i % perRow) * 4 + 2] = 1
      }
      field.build()
    },
    // Without walls, every path is straight.
    check(field, dimensions, place) {
      field.obstacles = null // the caller may have disposed them
      field.closed.fill(0)
      const point = () => [placeInside(place), placeInside(place)]
      const goals = [point(), point(), point()]
      field.setGoals(goals.flat())
      field.build()
      assert.ok(field._validate())
      for (let i = 0; i < 4; i++) {
        const [x, y] = point()
        const lengths = goals.map(([goalX, goalY]) => Math.hypot(goalX - x, goalY - y))
        const excess = field.distance(x, y) - Math.min(...lengths)
        assert.ok(excess > -1e-5 && excess < 0.1, `${excess} longer`)
        const { corners, length, reached } = field.path(x, y)
        const isGoal = ([goalX, goalY]) => goalX === corners[0] && goalY === corners[1]
        assert.ok(reached && corners.length === 2 && goals.some(isGoal))
        assert.ok(Math.abs(length - Math.hypot(corners[0] - x, corners[1] - y)) < 1e-5, `${length}`)
      }
    },
  },
  sensors: {
    fill(sensors, dimensions, place, count = ROOM) {
      for (let i = 0; i < count; i++) sensors.add({ position: [place(), place()], radius: 3 })
      sensors.update()
    },
    check(sensors, dimensions, place) {
      assertSlots(sensors)
      const { index } = sensors
      sensors.clear()
      const position = [place(), 0]
      assert.is(sensors.add({ position, radius: 2 }), 0, 'the lowest free slot')
      const { offsets, counts, ids } = sensors.update().entered
      const row = ids.slice(offsets[0], offsets[0] + counts[0])
      assert.equal([...row], [...index.within(...position, 2, { sort: 'id' })])
    },
  },
}

/** Returns a coordinate inside the bounds of a field, as float32. */
const placeInside = (place) => Math.fround(Math.abs(place()) % 9)

/** Returns the family of a class, by its name. */
export function familyOf(name) {
  if (name === 'FlowField') return families.paths
  if (/^Crowd/.test(name)) return families.crowd
  if (name === 'ObstacleTree') return families.walls
  if (name === 'Sensors') return families.sensors
  return /^(Quad|Oc)tree/.test(name) ? families.boxes : families.points
}
