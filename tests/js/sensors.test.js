// Sensors: which agents entered, and which left. Compared with sets that a plain loop fills.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { NOT_NUMBERS, WRONG, WRONG_OPTIONS, WRONG_SIZES } from './support/bad-arguments.js'
import { forAll, runsOf } from './support/fastcheck.js'
import { bytesOf, className, KINDS, thrown } from './support/indexes.js'
import { distance2 } from './support/point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../web/random.js'

const { fround } = Math
const RUNS = runsOf(10)

// ---- The oracle ----

/** True if an agent is within a distance of a sensor, whose center is `center`. */
function isWithin(position, { box }, center, distance) {
  const { length } = position
  if (!box) {
    const agents = { dimensions: length, positions: position }
    return distance2(agents, 0, Float32Array.from(center)) <= fround(fround(distance) ** 2)
  }
  return position.every((x, axis) => {
    const [a, b] = [box[axis], box[length + axis]].map((side) => fround(side))
    const lo = fround(Math.min(a, b) - fround(distance))
    return x >= lo && x <= fround(Math.max(a, b) + fround(distance))
  })
}

/** Sensors as plain sets: each remembers ids, with their generations. */
class Sets {
  constructor(index, dimensions) {
    this.index = index
    this.dimensions = dimensions
    /** By slot; undefined if the slot is free. @type {any[]} */
    this.sensors = []
    this.built = []
  }

  positionOf(agent) {
    const { index, dimensions } = this
    return [...index.positions.subarray(agent * dimensions, (agent + 1) * dimensions)]
  }

  build() {
    const { index } = this
    index.build()
    this.built = Array.from({ length: index.slots }, (_, agent) => ({
      position: this.positionOf(agent),
      groups: index.has(agent) ? index.groups[agent] : 0,
    }))
  }

  /** Updates one sensor. Returns the ids that left, that entered, and that are inside. */
  update(sensor) {
    const { index } = this
    const { generations } = index
    const { agent, radius, exitRadius, mask = -1 } = sensor
    if (agent !== undefined) {
      if (sensor.generation !== generations[agent]) sensor.inside.clear()
      sensor.generation = generations[agent]
    }
    const isBlind = agent !== undefined && !(index.has(agent) && index.groups[agent])
    const center = agent === undefined ? sensor.position : this.positionOf(agent)
    const [entered, inside] = [[], new Map()]
    for (const [id, { position, groups }] of this.built.entries()) {
      if (isBlind || id === agent || !(groups & mask) || !index.has(id)) continue
      const isKnown = sensor.inside.get(id) === generations[id]
      const distance = isKnown ? exitRadius : radius
      if (!isWithin(position, sensor, center, distance)) continue
      if (!isKnown) entered.push(id)
      inside.set(id, generations[id])
    }
    const hasLeft = ([id, generation]) => inside.get(id) !== generation
    const left = [...sensor.inside].filter(hasLeft).map(([id]) => id)
    sensor.inside = inside
    return { left: left.sort((a, b) => a - b), entered, inside: [...inside.keys()] }
  }
}

const rowOf = ({ ids, offsets, counts }, slot) => [
  ...ids.subarray(offsets[slot], offsets[slot] + counts[slot]),
]

/** Updates, and compares all rows with the sets. */
function assertUpdate(sensors, sets, context) {
  const changes = sensors.update()
  const totals = { left: 0, entered: 0, inside: 0 }
  assert.is(changes.left.counts.length, sensors.slots)
  for (let slot = 0; slot < sensors.slots; slot++) {
    const sensor = sets.sensors[slot]
    const expected = sensor ? sets.update(sensor) : { left: [], entered: [], inside: [] }
    for (const set of Object.keys(totals)) {
      const row = rowOf(changes[set], slot)
      if (set === 'inside') row.sort((a, b) => a - b)
      assert.equal(row, expected[set], `${context}, sensor ${slot}, ${set}`)
      totals[set] += row.length
    }
  }
  for (const set of Object.keys(totals)) assert.is(changes[set].total, totals[set])
  assert.is(sensors.stats().inside, totals.inside)
}

/** Draws a point: where an agent is, or anywhere near the origin. */
function drawPoint(random, sets, agents) {
  if (integer(random, 2)) return sets.positionOf(integer(random, agents))
  return Array.from({ length: sets.dimensions }, () => random() * 100)
}

function drawSensor(random, sets, agents) {
  const point = () => drawPoint(random, sets, agents)
  const radius = pick(random, [0, random() * 30, random() * 300, Infinity])
  const sensor = { radius, exitRadius: radius + (integer(random, 2) ? random() * 20 : 0) }
  if (integer(random, 3) === 0) sensor.mask = 1 << integer(random, 3)
  if (integer(random, 3) === 0) sensor.agent = integer(random, agents)
  else if (integer(random, 2)) sensor.position = point()
  else sensor.box = [...point(), ...point()]
  return sensor
}

/** Makes random changes to agents. */
function changeAgents(random, sets, agents) {
  const { index } = sets
  for (let i = 0; i < 6; i++) {
    const agent = integer(random, agents)
    if (!index.has(agent)) index.add(...drawPoint(random, sets, agents))
    else if (integer(random, 3) === 0) index.remove(agent)
    else {
      index.move(agent, ...drawPoint(random, sets, agents))
      index.groups[agent] = integer(random, 8)
    }
  }
}

/** Makes random changes to sensors. */
function changeSensors(random, sensors, sets, agents) {
  const point = () => drawPoint(random, sets, agents)
  for (let i = 0; i < 4; i++) {
    const slot = integer(random, 9)
    const sensor = sets.sensors[slot]
    if (!sensor || integer(random, 6) === 0) {
      if (sensor) sensors.remove(slot)
      sets.sensors[slot] = undefined
      const drawn = drawSensor(random, sets, agents)
      sets.sensors[sensors.add(drawn)] = { ...drawn, inside: new Map() }
    } else if (integer(random, 4) === 0) {
      sensors.reset(slot)
      sensor.inside.clear()
    } else if (sensor.position) sensors.move(slot, ...(sensor.position = point()))
    else if (sensor.box) sensors.move(slot, ...(sensor.box = [...point(), ...point()]))
    if (integer(random, 4) === 0 && sets.sensors[slot]) {
      const changed = sets.sensors[slot]
      sensors.radii[slot] = changed.radius = random() * 10
      sensors.exitRadii[slot] = changed.exitRadius = changed.radius + random() * 10
      sensors.masks[slot] = changed.mask = 1 + integer(random, 7)
    }
  }
}

const test = suite('sensors')
test.before(() => copse.init())

const row = (options) => {
  const index = new copse.AgentTree({ capacity: 8, ...options })
  for (let i = 0; i < 6; i++) index.add(i, 0)
  index.build()
  return index
}

// tests/c compares sensors with sets in many more cases.
for (const kind of Object.keys(KINDS))
  for (const dimensions of [2, 3])
    test(`of a ${className(kind, dimensions)} agree with sets`, () => {
      const drawnCase = fc.record({
        spread: fc.constantFrom(...Object.keys(distributions)),
        seed: fc.nat(),
        agents: fc.integer({ min: 1, max: 40 }),
      })
      forAll(drawnCase, RUNS, ({ spread, seed, agents }) => {
        const random = createRandom(seed)
        const places = distributions[spread](random, agents, dimensions)
        const options = { capacity: agents, ...KINDS[kind].required }
        const index = new copse[className(kind, dimensions)](options)
        index.slots = agents
        index.positions.set(places)
        const sensors = new copse.Sensors({ index, capacity: 9 })
        const sets = new Sets(index, dimensions)
        for (let frame = 0; frame < 6; frame++) {
          changeSensors(random, sensors, sets, agents)
          if (frame > 0) changeAgents(random, sets, agents)
          if (frame === 0 || integer(random, 6)) sets.build()
          assertUpdate(sensors, sets, `${spread}, frame ${frame}`)
          if (frame === 3) sensors.restore(sensors.save())
        }
        assert.is(sensors.count, sets.sensors.filter(Boolean).length)
        sensors.dispose()
        index.dispose()
      })
    })

test('calls with wrong arguments or objects leave the instance usable', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  assert.is(thrown(() => sensors.move(5, Symbol('x'), 0)).code, 'STALE_SLOT')
  const { reserve } = copse.Sensors.prototype
  assert.instance(
    thrown(() => reserve.call(index, 9)),
    TypeError,
  )
  index.build()
})

test('see the agents of a crowd as the last build copied them', () => {
  const crowd = new copse.Crowd({ capacity: 2 })
  for (let x = 0; x < 2; x++) crowd.add({ position: [x, 0] })
  const index = new copse.Grid({ cellSize: 4, capacity: 1 })
  const sensors = new copse.Sensors({ index })
  sensors.add({ agent: 0, radius: 2 })
  assert.is(thrown(() => sensors.update()).code, 'NOT_BUILT')
  index.build(crowd)
  assert.equal(rowOf(sensors.update().entered, 0), [1])
  crowd.remove(1)
  assert.is(sensors.update().left.total, 0)
  index.build(crowd)
  assert.equal(rowOf(sensors.update().left, 0), [1])
  crowd.reserve(3000)
  for (let i = 1; i < 3000; i++) crowd.add({ position: [1, 0] })
  index.build(crowd)
  assert.is(sensors.update().entered.counts[0], 2999)
  crowd.move(0, 0, 9) // the sensor moves with the next build
  assert.is(sensors.update().left.total, 0)
  index.build(crowd)
  assert.is(sensors.update().left.total, 2999)
  const saved = sensors.save()
  index.dispose()
  for (const call of [
    () => sensors.update(),
    () => sensors.restore(saved),
    () => new copse.Sensors({ index }),
  ])
    assert.match(String(thrown(call)), /^CopseError: .*the index was disposed$/)
})

// ---- Agents that leave ----

test('an agent enters within radius, and leaves beyond exitRadius', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  const slot = sensors.add({ position: [0, 0], radius: 1, exitRadius: 2 })
  assert.equal(rowOf(sensors.update().entered, slot), [0, 1])
  const at = (x) => {
    index.move(5, x, 0)
    index.build()
    const { left, entered } = sensors.update()
    return [rowOf(left, slot), rowOf(entered, slot)]
  }
  assert.equal(at(1.5), [[], []])
  assert.equal(at(1), [[], [5]])
  assert.equal(at(2), [[], []])
  assert.equal(at(2.5), [[5], []])
})

test('a slot that was reused is in both sets', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  sensors.add({ box: [3, 1, -1, -1] })
  sensors.update()
  index.remove(2)
  assert.is(index.add(1, 0), 2)
  index.build()
  const { left, entered, inside } = sensors.update()
  assert.equal([rowOf(left, 0), rowOf(entered, 0)], [[2], [2]])
  assert.is(inside.total, 4)
})

test('one sensor per slot of a pool forgets with each agent', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  for (let agent = 0; agent < index.capacity; agent++) sensors.add({ agent, radius: 1 })
  assert.equal([...sensors.agents.subarray(0, 3)], [0, 1, 2])
  assert.equal(rowOf(sensors.update().entered, 0), [1])
  index.remove(0)
  index.build()
  const { left, entered } = sensors.update()
  assert.equal([left.counts[0], entered.counts[0], rowOf(left, 1)], [0, 0, [0]])
  index.add(4.5, 0)
  index.build()
  assert.equal(rowOf(sensors.update().entered, 0), [4, 5])
})

// ---- Wrong arguments ----

test('wrong options of the constructor are refused', () => {
  const index = row()
  for (const wrong of [
    undefined,
    null,
    5,
    'x',
    {},
    [],
    new copse.Quadtree({ bounds: [0, 0, 1, 1] }),
    new copse.Crowd(),
  ])
    assert.match(
      String(thrown(() => new copse.Sensors({ index: wrong }))),
      /^TypeError: Sensors: index must be an AgentTree, Grid or KdTree, got/,
    )
  assert.instance(
    thrown(() => new copse.Sensors()),
    TypeError,
  )
  assert.match(
    thrown(() => new copse.Sensors({ index, capcity: 5 })).message,
    "did you mean 'capacity'",
  )
  for (const capacity of WRONG_SIZES)
    assert.match(
      thrown(() => new copse.Sensors({ index, capacity })).message,
      'Sensors: capacity must be ',
    )
  index.dispose()
  assert.is(thrown(() => new copse.Sensors({ index })).code, 'DISPOSED')
})

test('wrong sensors are refused, and change nothing', () => {
  const index = row()
  const sensors = new copse.Sensors({ index, capacity: 2 })
  const position = [1, 2]
  const refuse = (options, name) => {
    const error = thrown(() => sensors.add(options))
    assert.ok(error instanceof TypeError || error instanceof RangeError, String(error))
    assert.ok(error.message.startsWith(`Sensors.add: ${name}`), `${error}`)
    assert.is(sensors.count, 0)
  }
  for (const radius of WRONG.distance) refuse({ position, radius }, 'radius must be')
  for (const exitRadius of [...NOT_NUMBERS, NaN, 0.5])
    refuse({ position, radius: 1, exitRadius }, 'exitRadius must be')
  for (const mask of WRONG_OPTIONS.mask) refuse({ position, radius: 1, mask }, 'mask must be')
  for (const agent of [...WRONG.count, 2 ** 28].filter((agent) => agent !== undefined))
    refuse({ agent, radius: 1 }, 'agent must be')
  for (const x of WRONG.coordinate) refuse({ position: [x, 0], radius: 1 }, 'position must be')
  for (const x of WRONG.side) refuse({ box: [0, 0, 1, x] }, 'box must be')
  refuse({ position: [1], radius: 1 }, 'position.length must be 2')
  refuse({ box: [1, 2] }, 'box.length must be 4')
  refuse({ box: 5 }, 'box must be')
  refuse({ radius: 1 }, 'takes one of')
  refuse({ position, agent: 1, radius: 1 }, 'takes one of')
  refuse({ position, raduis: 1 }, "no option 'raduis'")
  for (const options of WRONG.options)
    assert.instance(
      thrown(() => sensors.add(options)),
      TypeError,
    )
  assert.instance(
    thrown(() => sensors.add({ box: [Infinity, 0, Infinity, 0], exitRadius: Infinity })),
    RangeError,
  )
  sensors.add({ position, radius: 0 })
  sensors.add({ box: [-Infinity, 0, Infinity, 0], exitRadius: Infinity })
  const full = thrown(() => sensors.add({ agent: 1, radius: 1 }))
  assert.is(full.code, 'FULL')
  assert.is(full.message, 'Sensors.add: 3 sensors, capacity 2: reserve(3) first')
})

test('wrong moves and slots are refused', () => {
  const sensors = new copse.Sensors({ index: row() })
  sensors.add({ position: [1, 2], radius: 1 })
  sensors.add({ box: [1, 2, 3, 4] })
  sensors.add({ agent: 1, radius: 1 })
  for (const slot of WRONG.slots)
    for (const name of ['move', 'reset', 'remove'])
      assert.match(thrown(() => sensors[name](slot, 1, 2)).message, `Sensors.${name}: slot must be`)
  for (const call of [() => sensors.move(3, 1, 2), () => sensors.reset(3), () => sensors.remove(9)])
    assert.is(thrown(call).code, 'STALE_SLOT')
  assert.match(thrown(() => sensors.move(0, 1)).message, 'Sensors.move: takes 3 arguments, got 2')
  assert.match(
    thrown(() => sensors.move(1, 1, 2)).message,
    'Sensors.move: takes 5 arguments, got 3',
  )
  assert.match(thrown(() => sensors.move(2, 1, 2)).message, 'a sensor with a place of its own')
  for (const x of WRONG.coordinate)
    assert.match(thrown(() => sensors.move(0, 0, x)).message, 'y must be')
  for (const x of WRONG.side)
    assert.match(thrown(() => sensors.move(1, 0, 0, 1, x)).message, 'maxY must be')
})

test('wrong updates are refused, and name the sensor', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  sensors.add({ position: [0, 0], radius: 1 })
  sensors.add({ position: [0, 0], radius: 1, exitRadius: 3 })
  const refuse = (array, value, pattern) => {
    const was = sensors[array][1]
    sensors[array][1] = value
    assert.match(String(thrown(() => sensors.update())), pattern)
    sensors[array][1] = was
  }
  refuse('radii', NaN, /^RangeError: Sensors.update: radii\[1\] must be a number ≥ 0, got NaN/)
  refuse('radii', -1, /radii\[1\] must be/)
  refuse(
    'exitRadii',
    0.5,
    /^RangeError: Sensors.update: exitRadii\[1\] must be a number ≥ the radius, 1, got 0.5/,
  )
  assert.is(sensors.update().entered.total, 4)
  const unbuilt = new copse.Sensors({ index: new copse.AgentTree() })
  assert.is(thrown(() => unbuilt.update()).code, 'NOT_BUILT')
  index.dispose()
  assert.is(thrown(() => sensors.update()).code, 'DISPOSED')
  assert.is(thrown(() => sensors.restore(new Uint8Array(64))).code, 'DISPOSED')
  sensors.dispose()
  for (const name of ['update', 'add', 'stats', 'save', 'clear'])
    assert.is(thrown(() => sensors[name]({})).code, 'DISPOSED')
})

// ---- Memory ----

test('memory grows only for more results than before', async () => {
  const instance = await copse.create({ memory: 2 ** 20 })
  const index = new copse.AgentTree({ instance, capacity: 3000 })
  index.slots = 3000
  index.build()
  const sensors = new copse.Sensors({ index, capacity: 40 })
  for (let i = 0; i < 40; i++) sensors.add({ position: [i, 0], radius: 0, exitRadius: 60 })
  const before = bytesOf(instance)
  const { radii } = sensors
  assert.is(sensors.update().entered.total, 3000)
  const grown = bytesOf(instance)
  assert.ok(grown > before)
  assert.is(radii.length, 0, 'detached')
  sensors.radii.fill(60)
  assert.is(sensors.update().entered.total, 39 * 3000)
  for (let i = 0; i < 3; i++) sensors.update()
  assert.is(bytesOf(instance), grown)
  index.reserve(6000)
  index.slots = 6000
  index.build()
  assert.is(sensors.update().entered.total, 40 * 3000)
  assert.is(sensors.stats().inside, 40 * 6000)
})

test('reserve takes room in advance', async () => {
  const instance = await copse.create({ growth: 'error' })
  const index = row({ instance })
  const sensors = new copse.Sensors({ index, capacity: 2 })
  sensors.add({ position: [0, 0], radius: 9 })
  sensors.update()
  sensors.reserve(5, { results: 100 })
  const { length } = sensors.update().inside.ids
  assert.ok(length >= 100 && sensors.capacity === 5)
  assert.is(sensors.update().inside.total, 6)
  assert.is(sensors.update().entered.total, 0)
  const error = thrown(() => sensors.reserve(5, { results: 2 ** 31 }))
  assert.is(error.code, 'OUT_OF_MEMORY')
  assert.is(sensors.update().inside.total, 6)
  assert.match(thrown(() => sensors.reserve(5, { result: 5 })).message, "did you mean 'results'")
})

test('an update without memory changes nothing', async () => {
  const instance = await copse.create({ memory: 2 ** 20, growth: 'error' })
  const index = new copse.AgentTree({ instance, capacity: 3000 })
  index.slots = 3000
  index.build()
  const sensors = new copse.Sensors({ index, capacity: 200 })
  sensors.add({ position: [0, 0], radius: 1 })
  assert.is(sensors.update().entered.total, 3000)
  for (let i = 1; i < 200; i++) sensors.add({ position: [0, 0], radius: 1 })
  const saved = sensors.save()
  const error = thrown(() => sensors.update())
  assert.is(error.code, 'OUT_OF_MEMORY')
  assert.equal(sensors.save(), saved)
  for (let i = 1; i < 200; i++) sensors.remove(i)
  assert.is(sensors.update().entered.total, 0)
})

// ---- Snapshots ----

test('a restored copy continues like the original', () => {
  const index = row()
  const sensors = new copse.Sensors({ index })
  sensors.add({ position: [0, 0], radius: 2, exitRadius: 3, mask: 3 })
  sensors.add({ agent: 2, radius: 1 })
  sensors.add({ box: [0, 0, 9, 9] })
  sensors.remove(sensors.add({ box: [0, 0, 1, 1] }))
  sensors.update()
  const saved = sensors.save()
  const copy = new copse.Sensors({ index, capacity: 4 })
  copy.restore(saved)
  assert.equal(copy.save(), saved)
  const out = new Uint8Array(saved.length)
  assert.is(copy.saveInto(out), saved.length)
  assert.equal(out, saved)
  assert.equal([copy.count, copy.slots, [...copy.generations]], [3, 4, [1, 1, 1, 2]])
  index.move(3, 90, 0)
  index.remove(0)
  index.build()
  const [mine, its] = [sensors.update(), copy.update()]
  for (const set of ['left', 'entered', 'inside'])
    for (let slot = 0; slot < 4; slot++) assert.equal(rowOf(mine[set], slot), rowOf(its[set], slot))
  assert.equal(copy.save(), sensors.save())
})

test('bad snapshots are refused, and change nothing', () => {
  const index = row()
  const sensors = new copse.Sensors({ index, capacity: 3 })
  for (let i = 0; i < 3; i++) sensors.add({ position: [i, 0], radius: 2 })
  sensors.update()
  const saved = sensors.save()
  const refuse = (bytes, pattern) => {
    assert.match(String(thrown(() => sensors.restore(bytes))), pattern)
    assert.equal(sensors.save(), saved)
  }
  refuse(new Uint8Array(0), /not a snapshot/)
  refuse(index.save(), /class AgentTree/)
  refuse(saved.subarray(4), /not a snapshot/)
  refuse(saved.slice(0, -4), /got/)
  for (let i = 0; i < saved.length; i += 7)
    refuse(
      saved.map((byte, j) => byte ^ (i === j ? 4 : 0)),
      /BAD|snapshot|damaged|bytes/,
    )
  const solid = new copse.Sensors({ index: new copse.Grid3D({ cellSize: 1 }) })
  assert.match(thrown(() => solid.restore(saved)).message, 'dimensions 2, expected 3')
  const small = new copse.Sensors({ index, capacity: 2 })
  small.restore(saved)
  assert.is(small.capacity, 3)
  assert.equal(small.save(), saved)
  sensors.update().inside.ids.fill(1e9) // the game must not write there, but nothing breaks
  assert.instance(
    thrown(() => sensors.save()),
    RangeError,
  )
  assert.is(sensors.update().entered.total, 12)
  assert.equal(sensors.save(), saved)
})

test('work across the edges of a world that wraps around, but not as boxes', () => {
  const index = new copse.Grid({ cellSize: 5, wrap: [0, 0, 100, 100] })
  index.add(99, 50)
  index.add(1, 50)
  index.add(50, 50)
  index.build()
  const sensors = new copse.Sensors({ index })
  sensors.add({ position: [100, 50], radius: 2 })
  sensors.add({ agent: 0, radius: 3, exitRadius: 4 })
  assert.equal([...sensors.update().entered.ids.subarray(0, 3)], [0, 1, 1])
  const error = thrown(() => sensors.add({ box: [0, 0, 1, 1] }))
  assert.is(String(error), 'TypeError: Sensors.add: box: not in a world that wraps around')

  const flat = new copse.Grid({ cellSize: 5 })
  const boxes = new copse.Sensors({ index: flat })
  boxes.add({ box: [0, 0, 1, 1] })
  sensors.restore(boxes.save())
  const late = thrown(() => sensors.update())
  assert.is(String(late), 'TypeError: Sensors.update: box: not in a world that wraps around')
})

test('a snapshot of a larger index is restored: the agents that are not there leave', () => {
  const large = new copse.AgentTree({ capacity: 500 })
  large.slots = 500
  large.build()
  const from = new copse.Sensors({ index: large })
  const slot = from.add({ position: [0, 0], radius: 1 })
  from.update()
  const sensors = new copse.Sensors({ index: row() })
  sensors.restore(from.save())
  const { left, inside } = sensors.update()
  assert.is(left.counts[slot] + inside.counts[slot], 500)
  assert.equal(rowOf(inside, slot), [0, 1])
})

test.run()
