// `build(other)`: an index copies the agents of a crowd or of another index. Queries must return what brute
// force finds in the other object's own arrays, bit for bit, without and with threads.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as threaded from 'copse/threads'
import { forAll, runsOf } from './support/fastcheck.js'
import { assertSame, className, KINDS, observableState, thrown } from './support/indexes.js'
import * as oracle from './support/point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../web/random.js'

const RUNS = runsOf(12)
const NAMES = Object.keys(distributions)
const OTHERS = [...Object.keys(KINDS), 'Crowd']
const MAX_AGENTS = 60

const test = suite('build from')
/** @type {Record<string, { library: any, instance: any }>} */
const builds = {}
let instance

test.before(async () => {
  instance = await copse.create()
  builds['one thread'] = { library: copse, instance }
  builds['3 threads'] = { library: threaded, instance: await threaded.create({ threads: 3 }) }
})
test.after(() => builds['3 threads'].instance.dispose())

const create = (kind, dimensions, options, library = copse) =>
  new library[className(kind, dimensions)]({ instance, ...KINDS[kind]?.required, ...options })

function addAgent(other, kind, position) {
  if (kind === 'Crowd') other.add({ position: [...position] })
  else other.add(...position)
}

/** Removes, adds and moves agents, and draws their groups, masks and radii. */
function change(other, kind, dimensions, random) {
  const places = distributions[pick(random, NAMES)](random, other.capacity, dimensions)
  const placeOf = (slot) => places.subarray(slot * dimensions, (slot + 1) * dimensions)
  for (let slot = 0; slot < other.slots; slot++)
    if (other.has(slot) && random() < 0.2) other.remove(slot)
  const wanted = integer(random, other.capacity + 1)
  while (other.count < wanted) addAgent(other, kind, placeOf(other.count))
  const drawsGroups = random() < 0.5
  for (let slot = 0; slot < other.slots; slot++) {
    if (other.has(slot)) other.move(slot, ...placeOf(slot))
    // Also in free slots, which an index must ignore.
    if (drawsGroups) other.groups[slot] = integer(random, 4)
    other.masks[slot] = random() < 0.5 ? -1 : integer(random, 4)
    other.radii[slot] = 20 * random()
    if (kind === 'Crowd') other.enabled[slot] = random() < 0.8 ? 1 : 0
  }
}

function coordinate(other, dimensions, slot, axis) {
  if (other._layout === 'separate') return other[['xs', 'ys', 'zs'][axis]][slot]
  return other.positions[slot * dimensions + axis]
}

/** Returns a crowd's or an index's agents as the oracle wants them: read from its own arrays. */
function agentsOf(other, dimensions, wrap) {
  const { slots: count } = other
  const isFound = (slot) => other.has(slot) && (other.enabled?.[slot] ?? 1)
  return {
    dimensions,
    count,
    positions: Float32Array.from({ length: count * dimensions }, (_, i) =>
      coordinate(other, dimensions, Math.floor(i / dimensions), i % dimensions),
    ),
    groups: Uint32Array.from({ length: count }, (_, i) => (isFound(i) ? other.groups[i] : 0)),
    wrap,
  }
}

const positionOf = ({ positions, dimensions }, slot) => [
  ...positions.subarray(slot * dimensions, (slot + 1) * dimensions),
]

/** Returns row `slot` of a batch. */
const row = ({ ids, offsets, counts }, slot) => [
  ...ids.subarray(offsets[slot], offsets[slot] + counts[slot]),
]
const sorted = (ids) => [...ids].sort((a, b) => a - b)

/** Compares an index with brute force over another object's arrays. */
function compare(index, other, agents, random) {
  const { dimensions, count, wrap } = agents
  const place = () =>
    count > 0 && random() < 0.7
      ? positionOf(agents, integer(random, count))
      : Array.from({ length: dimensions }, () => 1000 * random())
  const options = { mask: pick(random, [1, 2, 3, -1]), exclude: integer(random, count + 1) }
  const radius = pick(random, [0, 300 * random(), 300 * random(), Infinity])
  const [from, to] = [place(), place()]

  const near = oracle.within(agents, from, radius, options)
  assertSame(index.within(...from, radius, { ...options, sort: 'id' }), near.ids)
  assert.is(index.nearest(...from, options), oracle.nearest(agents, from, options))
  assertSame(
    index.neighbors(...from, 5, options),
    oracle.neighbors(agents, from, 5, options).ids,
    'neighbors',
  )
  if (!wrap) {
    const hit = index.raycast(...from, ...to, options)
    const expected = oracle.raycast(agents, from, to, other.radii, options)
    assert.is(hit?.id ?? -1, expected.id)
    if (hit) assert.is(hit.fraction, expected.fraction)
  }
  const rows = index.allWithin(radius / 2)
  const nearest = index.allNeighbors(3)
  for (let slot = 0; slot < count; slot++) {
    const asks = { mask: other.masks[slot], exclude: slot }
    const present = oracle.isPresent(agents, slot)
    const center = positionOf(agents, slot)
    assert.equal(
      sorted(row(rows, slot)),
      present ? oracle.within(agents, center, radius / 2, asks).ids : [],
    )
    assert.equal(
      [...nearest.ids.subarray(3 * slot, 3 * slot + nearest.counts[slot])],
      present ? oracle.neighbors(agents, center, 3, asks).ids : [],
    )
  }
}

const drawnCase = fc.record({ dimensions: fc.constantFrom(2, 3), seed: fc.nat() })

for (const kind of Object.keys(KINDS))
  for (const otherKind of OTHERS)
    test(`a ${kind} finds the agents of a ${otherKind}`, () => {
      forAll(drawnCase, RUNS, ({ dimensions, seed }) => {
        const random = createRandom(seed)
        const layout = random() < 0.5 ? 'separate' : 'interleaved'
        const other = create(otherKind, dimensions, {
          capacity: 1 + integer(random, MAX_AGENTS),
          ...(otherKind !== 'Crowd' && { layout: random() < 0.5 ? 'separate' : 'interleaved' }),
        })
        const options = { layout, ...pick(random, KINDS[kind].variants) }
        if (kind === 'Grid' && random() < 0.3)
          options.wrap = Array.from({ length: 2 * dimensions }, (_, i) =>
            i < dimensions ? -9 : 700,
          )
        const index = create(kind, dimensions, { ...options, capacity: 1 + integer(random, 90) })
        for (let frame = 0; frame < 4; frame++) {
          if (frame === 2) other.reserve(other.capacity + 1 + integer(random, 50))
          if (frame === 3) other.restore(other.save())
          else change(other, otherKind, dimensions, random)
          index.build(other)
          assert.is(index.slots, other.slots)
          assert.is(index.count, other.count)
          assert.equal(
            index.generations.slice(0, other.slots),
            other.generations.slice(0, other.slots),
          )
          assert.ok(index._validate())
          const agents = agentsOf(other, dimensions, options.wrap)
          compare(index, other, agents, random)
          // Now the agents are its own: they stay if the other object changes, and in snapshots.
          const before = observableState(index)
          if (other.count > 0 && random() < 0.5) other.clear()
          index.build()
          assert.equal(observableState(index), before)
          const taker = create(kind, dimensions, { ...options, capacity: index.capacity })
          taker.restore(index.save())
          assertSame(taker.save(), index.save())
          taker.dispose()
        }
        index.dispose()
        other.dispose()
      })
    })

test('reserves what it lacks, and no more memory after that', () => {
  const crowd = create('Crowd', 2, { capacity: 5000 })
  const index = create('Grid', 2, { capacity: 1 })
  for (let i = 0; i < 5000; i++) crowd.add({ position: [i, 0], radius: 3 })
  index.build(crowd)
  assert.is(index.capacity, 5000)
  assert.is(index.positions[2 * 4999], 4999)
  assert.is(index.radii[4999], 3)
  const { byteLength } = instance.memory.buffer
  for (let i = 0; i < 20; i++) index.build(crowd)
  assert.is(instance.memory.buffer.byteLength, byteLength)
})

test('slots that the other object lacks are freed', () => {
  const crowd = create('Crowd', 2, {})
  crowd.add({ position: [1, 1] })
  const index = create('KdTree', 2, {})
  index.slots = 5
  const generation = index.generations[4]
  index.build(crowd)
  assert.equal([index.slots, index.count, index.has(4)], [1, 1, false])
  assert.is(index.generations[4], generation + 1)
  assert.is(index.add(7, 7), 1)
  index.build()
  assert.equal([...index.within(7, 7, 0)], [1])
  index.build(crowd)
  assert.equal([...index.within(7, 7, 0)], [])
})

test('of an object that is wrong is refused, and changes nothing', async () => {
  const crowd = create('Crowd', 2, {})
  const gone = create('Crowd', 2, {})
  gone.dispose()
  const stranger = new copse.Crowd({ instance: await copse.create() })
  const index = create('Grid', 2, { capacity: 3 })
  index.add(1, 1)
  index.build()
  const before = observableState(index)
  const what = 'TypeError: Grid.build: other must be a crowd or another index of points'
  const cases = [
    [1, `${what}, got 1`],
    [undefined, `${what}, got undefined`],
    [null, `${what}, got null`],
    [new copse.Quadtree({ instance, bounds: [0, 0, 1, 1] }), `${what}, got Quadtree`],
    [new copse.Sensors({ index }), `${what}, got Sensors`],
    [index, `${what}, got Grid`],
    [gone, 'CopseError: Grid.build: the Crowd was disposed'],
    [create('Crowd', 3, {}), 'RangeError: Grid.build: other must be of 2 dimensions, got Crowd3D'],
    [
      stranger,
      'RangeError: Grid.build: other must be of the same instance and the same entry of copse, got Crowd',
    ],
  ]
  for (const [other, message] of cases) {
    // A page's bundler may shorten the names of classes, which end messages.
    const [expected] = String(message).split(', got ')
    assert.ok(String(thrown(() => index.build(other))).startsWith(expected), message)
  }
  for (let i = 0; i < 9; i++) crowd.add({ position: [i, 0] })
  crowd.positions[16] = NaN
  const error = thrown(() => index.build(crowd))
  assert.equal([error.code, error.index], ['NOT_FINITE', 8])
  crowd.positions[16] = 8
  crowd.radii[7] = -1
  assert.is(
    String(thrown(() => index.build(crowd))),
    'RangeError: Grid.build: radii[7] must be a number ≥ 0, got -1',
  )
  assert.equal(observableState(index), before)
  crowd.remove(7)
  index.build(crowd)
  assert.is(index.count, 8)
})

// ---- Games over one crowd ----

/** Returns the agents of a crowd that turn and stray, some of them disabled. */
function herd(library, random, n) {
  const crowd = create('Crowd', 2, { capacity: n }, library)
  for (let i = 0; i < n; i++)
    crowd.add({
      position: [60 * random(), 60 * random()],
      preferredVelocity: [random() - 0.5, random() - 0.5],
      groups: 1 + (i % 3),
      radius: 0.3,
      mask: i % 7 ? -1 : 2,
    })
  return crowd
}

/** Removes, adds, disables and enables agents; sometimes the crowd grows or goes back in time. */
function shake(crowd, random, frame, saved) {
  for (let i = 0; i < 20; i++) {
    const slot = integer(random, crowd.slots)
    if (!crowd.has(slot)) crowd.add({ position: [60 * random(), 60 * random()] })
    else if (i % 4) crowd.enabled[slot] = i % 2
    else crowd.remove(slot)
  }
  if (frame === 3) crowd.reserve(crowd.capacity + 500)
  if (frame === 5) crowd.restore(saved)
}

for (const name of ['one thread', '3 threads'])
  test(`a flock, sensors and stealth over a crowd agree with brute force, ${name}`, () => {
    const { library } = builds[name]
    const random = createRandom(5)
    const n = 5000 // enough to be divided among threads
    const own = { instance: builds[name].instance }
    const crowd = new library.Crowd({ capacity: n, ...own })
    const model = herd(copse, random, n)
    crowd.restore(model.save())
    model.dispose()
    const flock = new library.Grid({ cellSize: 2, ...own })
    const seen = new library.AgentTree({ capacity: 9, ...own })
    const sensors = new library.Sensors({ index: flock })
    const guards = [0, 10, 20, 30]
    for (const agent of guards) sensors.add({ agent, radius: 2, exitRadius: 4 })
    const inside = guards.map(() => new Map()) // ids, and the generation that each had
    const lives = guards.map(() => 0)
    const saved = crowd.save()
    for (let frame = 0; frame < 7; frame++) {
      shake(crowd, random, frame, saved)
      crowd.step(0.1)
      flock.build(crowd)
      const agents = agentsOf(crowd, 2)

      // The flock: every agent's neighbors.
      const rows = flock.allWithin(1)
      for (let slot = 0; slot < crowd.slots; slot += 37) {
        const asks = { mask: crowd.masks[slot], exclude: slot }
        const expected = oracle.isPresent(agents, slot)
          ? oracle.within(agents, positionOf(agents, slot), 1, asks).ids
          : []
        assert.equal(sorted(row(rows, slot)), expected, `frame ${frame}, flock ${slot}`)
      }

      // Sensors around agents: sets, and generations of slots.
      const changes = sensors.update()
      for (const [i, agent] of guards.entries()) {
        const reach = (radius) =>
          oracle.isPresent(agents, agent)
            ? oracle.within(agents, positionOf(agents, agent), radius, { exclude: agent }).ids
            : []
        if (lives[i] !== crowd.generations[agent]) inside[i].clear()
        lives[i] = crowd.generations[agent]
        const isSame = (id) => inside[i].get(id) === crowd.generations[id]
        const stay = reach(4).filter(isSame)
        const enter = reach(2).filter((id) => !isSame(id))
        const left = [...inside[i].keys()].filter((id) => !stay.includes(id))
        inside[i] = new Map([...stay, ...enter].map((id) => [id, crowd.generations[id]]))
        assert.equal(row(changes.entered, i), enter, `frame ${frame}, entered ${i}`)
        assert.equal(row(changes.left, i), sorted(left), `frame ${frame}, left ${i}`)
      }

      // Stealth: an index over the first one's agents, in which hidden units are in no group.
      seen.build(flock)
      for (let slot = frame % 5; slot < seen.slots; slot += 5) seen.groups[slot] = 0
      seen.build()
      const visible = {
        ...agents,
        groups: agents.groups.map((g, i) => (i % 5 === frame % 5 ? 0 : g)),
      }
      for (let slot = 0; slot < crowd.slots; slot += 101) {
        const center = positionOf(agents, slot)
        const options = { mask: 3, exclude: slot, sort: 'id' }
        assertSame(
          seen.within(...center, 3, options),
          oracle.within(visible, center, 3, options).ids,
        )
        assertSame(
          flock.within(...center, 3, options),
          oracle.within(agents, center, 3, options).ids,
        )
      }
    }
    for (const object of [sensors, seen, flock, crowd]) object.dispose()
  })

test.run()
