// Every call of the crowd, with expected values found by hand.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { bytesOf, assertThrown, thrown } from './support/indexes.js'
import { seal } from './support/snapshots.js'
import { createRandom } from '../../web/random.js'
import { assertRefused, NOT_NUMBERS, trap, WRONG, WRONG_SIZES } from './support/bad-arguments.js'

const STEP = 1 / 60
/** Wrong durations of a step. Float32 rounds the last one to 0. */
const WRONG_STEPS = [undefined, ...NOT_NUMBERS, NaN, -1, -1e-9, -Infinity, Infinity, 1.1e18, 1e-60]

const { Crowd, Crowd3D, ObstacleTree } = copse
const test = suite('crowd')
/** @type {import('copse').Instance} */ let instance
test.before(async () => (instance = await copse.create()))

const crowd2D = (options) => new Crowd({ instance, capacity: 8, ...options })
const crowd3D = (options) => new Crowd3D({ instance, capacity: 8, ...options })
const obstacleTree = (...polygons) => {
  const tree = new ObstacleTree({ instance, capacity: 100 })
  for (const polygon of polygons) tree.addPolygon(polygon, { solid: 'winding' })
  return tree
}
const assertCode = (call, code) => {
  const error = thrown(call)
  assert.instance(error, copse.CopseError)
  assert.is(error.code, code)
  return error
}
const vector = (array, slot, dimensions) =>
  Array.from(array.subarray(slot * dimensions, (slot + 1) * dimensions))
const dimensionsOf = (crowd) => crowd.positions.length / crowd.capacity
const distance = (crowd, a, b) => {
  const d = dimensionsOf(crowd)
  const [pointA, pointB] = [vector(crowd.positions, a, d), vector(crowd.positions, b, d)]
  return Math.hypot(...pointA.map((x, i) => x - pointB[i]))
}
const steps = (crowd, count, dt = STEP) => {
  for (let i = 0; i < count; i++) crowd.step(dt)
  return crowd
}
/** Returns a crowd whose agents cross each other's paths; in 2D, with a wall between them. */
const crossingCrowd = (dimensions, options) => {
  const crowd = new (dimensions === 2 ? Crowd : Crowd3D)({ instance, capacity: 40, ...options })
  const random = createRandom(7)
  const place = () => Array.from({ length: dimensions }, () => 20 * random())
  for (let i = 0; i < 30; i++) crowd.add({ position: place(), goal: place() })
  if (dimensions === 2) crowd.obstacles = obstacleTree([8, 8, 12, 8, 12, 12, 8, 12])
  return crowd
}

// ---- Agents ----

test('a new crowd and agent have the default values', () => {
  const crowd = new Crowd({ instance })
  assert.is(crowd.capacity, 1000)
  assert.is(crowd.count, 0)
  assert.is(crowd.positions.length, 2000)
  assert.is(crowd.stats().time, 0)
  assert.is(crowd.obstacles, null)
  assert.is(crowd.has(0), false)
  const slot = crowd.add({ position: [3, 4] })
  assert.is(slot, 0)
  assert.equal(vector(crowd.positions, 0, 2), [3, 4])
  assert.equal(vector(crowd.velocities, 0, 2), [0, 0])
  assert.equal(vector(crowd.preferredVelocities, 0, 2), [0, 0])
  assert.equal(vector(crowd.goals, 0, 2), [NaN, NaN])
  const { preferredSpeeds, arrivalRadii, radii, maxSpeeds, neighborDistances } = crowd
  assert.equal(
    [preferredSpeeds, arrivalRadii, radii, maxSpeeds, neighborDistances].map(([first]) => first),
    [1, 0, 0.5, 2, 10],
  )
  const { maxNeighborCounts, timeHorizons, obstacleTimeHorizons } = crowd
  assert.instance(maxNeighborCounts, Uint32Array)
  assert.equal(
    [maxNeighborCounts, timeHorizons, obstacleTimeHorizons].map(([first]) => first),
    [10, 2, 2],
  )
  assert.is(new Crowd3D({ instance }).positions.length, 3000)
  assert.not('obstacles' in Crowd3D.prototype)
})

test('agents get the options of the crowd, unless add overrides them', () => {
  const numbers = {
    ...{ preferredSpeed: 3, radius: 0.25, maxSpeed: 4, neighborDistance: Infinity },
    ...{ maxNeighbors: 5, timeHorizon: 6, obstacleTimeHorizon: 7, arrivalRadius: 1.5 },
  }
  const ownValues = {
    ...{ preferredSpeed: 1.5, radius: 0, maxSpeed: 0, neighborDistance: 0 },
    ...{ maxNeighbors: 0, timeHorizon: 0.5, obstacleTimeHorizon: 0.25, arrivalRadius: 0 },
  }
  const crowd = crowd3D(numbers)
  const valuesOf = (slot) => ({
    preferredSpeed: crowd.preferredSpeeds[slot],
    radius: crowd.radii[slot],
    maxSpeed: crowd.maxSpeeds[slot],
    neighborDistance: crowd.neighborDistances[slot],
    maxNeighbors: crowd.maxNeighborCounts[slot],
    timeHorizon: crowd.timeHorizons[slot],
    obstacleTimeHorizon: crowd.obstacleTimeHorizons[slot],
    arrivalRadius: crowd.arrivalRadii[slot],
  })
  crowd.add({ position: [0, 0, 0] })
  crowd.add({
    ...{ position: [1, 2, 3], velocity: Float32Array.of(4, 5, 6) },
    ...{ preferredVelocity: [7, 8, 9], goal: [10, 11, 12], ...ownValues },
  })
  crowd.add({ position: [0, 0, 0], goal: null })
  assert.equal(valuesOf(0), numbers)
  assert.equal(valuesOf(1), ownValues)
  const { positions, velocities, preferredVelocities, goals } = crowd
  assert.equal(
    [positions, velocities, preferredVelocities, goals].map((array) => vector(array, 1, 3)),
    [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
      [10, 11, 12],
    ],
  )
  assert.equal(vector(goals, 2, 3), [NaN, NaN, NaN])
})

test('add takes the lowest free slot, and generations count up', () => {
  const crowd = crowd2D({ capacity: 3 })
  const add = () => crowd.add({ position: [0, 0] })
  assert.equal([add(), add(), add()], [0, 1, 2])
  const { message } = assertCode(add, 'FULL')
  const text = '4 agents, capacity 3: reserve(4) first'
  assert.is(message, `Crowd.add: ${text}`)
  crowd.remove(1)
  assert.equal([crowd.has(0), crowd.has(1), crowd.count, crowd.slots], [true, false, 2, 3])
  crowd.remove(2)
  assert.equal([crowd.count, crowd.slots], [1, 3], 'slots bounds all slots that were ever in use')
  assert.is(crowd.add({ position: [0, 0] }), 1)
  crowd.remove(1)
  assert.is(crowd.add({ position: [0, 0] }), 1)
  assert.is(crowd.add({ position: [0, 0] }), 2)
  crowd.remove(1)
  assertCode(() => crowd.remove(1), 'STALE_SLOT')
  assertCode(() => crowd.remove(99), 'STALE_SLOT')
  assertCode(() => crowd.inspect(1, STEP), 'STALE_SLOT')
  assert.equal(Array.from(crowd.generations), [1, 6, 3])
  assert.is(add(), 1)
  crowd.clear()
  assert.equal([crowd.count, crowd.slots], [0, 3])
  assert.equal(Array.from(crowd.generations), [2, 8, 4])
  steps(crowd, 2)
  assert.is(crowd.stats().agents, 0)
})

test('move changes the position of an agent and nothing else', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 4, neighborDistance: 20 })
    const dimensions = dimensionsOf(crowd)
    const [home, away] = [
      [1, 2, 3],
      [7, 8, 9],
    ].map((place) => place.slice(0, dimensions))
    crowd.add({ position: home })
    crowd.add({
      position: home,
      velocity: home,
      preferredVelocity: away,
      goal: away,
      radius: 0.25,
    })
    assert.is(crowd.move(1, ...away), undefined)
    const movedVector = (array) => vector(array, 1, dimensions)
    const { positions, velocities, preferredVelocities, goals } = crowd
    assert.equal(movedVector(positions), away)
    assert.equal(
      [movedVector(velocities), movedVector(preferredVelocities), movedVector(goals)],
      [home, away, away],
    )
    assert.equal(vector(positions, 0, dimensions), home)
    assert.equal([...crowd.generations], [1, 1, 0, 0])
    assert.equal([...crowd.inspect(0, STEP).neighbors], [1])
    crowd.move(1, ...away.map((x) => x + 50))
    assert.equal([...crowd.inspect(0, STEP).neighbors], [])

    const before = crowd.save()
    const name = dimensions === 2 ? 'Crowd' : 'Crowd3D'
    for (const slot of [2, 3, 4, 99, 2 ** 32 - 1]) {
      const { message } = assertCode(() => crowd.move(slot, ...home), 'STALE_SLOT')
      assert.is(message, `${name}.move: the slot is not in use: ${slot}`)
    }
    for (let argumentCount = 0; argumentCount <= 6; argumentCount++) {
      if (argumentCount === dimensions + 1) continue
      const error = thrown(() => crowd.move(...new Array(argumentCount).fill(1)))
      assert.instance(error, TypeError)
      const text = `takes ${dimensions + 1} arguments, got ${argumentCount}`
      assert.is(error.message, `${name}.move: ${text}`)
    }
    for (const wrong of WRONG.slots)
      assertRefused(() => crowd.move(wrong, ...home), `${name}.move`, 'slot', wrong)
    for (const wrong of WRONG.coordinate)
      for (const [axis, coordinate] of ['x', 'y', 'z'].slice(0, dimensions).entries()) {
        const wrongPoint = home.with(axis, wrong)
        assertRefused(() => crowd.move(0, ...wrongPoint), `${name}.move`, coordinate, wrong)
      }
    assert.equal(crowd.save(), before)
    crowd.remove(1)
    assertCode(() => crowd.move(1, ...home), 'STALE_SLOT')
    crowd.dispose()
    assertCode(() => crowd.move(0, ...home), 'DISPOSED')
  }
})

test('a moved agent behaves like one that was added there', () => {
  for (const make of [crowd2D, crowd3D])
    for (const exact of [false, true]) {
      const crowds = [0, 1].map(() => make({ capacity: 9, exact }))
      const dimensions = dimensionsOf(crowds[0])
      const place = (x) => [x, 0, 0].slice(0, dimensions)
      const other = { position: [4, 3, 0].slice(0, dimensions), goal: place(4) }
      for (const crowd of crowds) {
        crowd.add(other)
        crowd.add({ position: place(0), goal: place(9) })
      }
      const [moved, added] = crowds
      steps(moved, 90)
      moved.move(0, ...other.position)
      moved.move(1, ...place(-3))
      moved.velocities.fill(0)
      added.remove(1)
      assert.is(added.add({ position: place(-3), goal: place(9) }), 1)
      for (let i = 0; i < 300; i++) {
        moved.step(STEP)
        added.step(STEP)
        assert.equal(moved.positions, added.positions, `step ${i}`)
        assert.equal([...moved.arrived()], [...added.arrived()])
        assert.equal([...moved.stuck()], [...added.stuck()])
      }
    }
})

test('refuses values out of range or of the wrong type', () => {
  for (const wrong of [-1, NaN, 1e19, '1', null, {}]) {
    const kind = typeof wrong === 'number' ? 'Range' : 'Type'
    for (const option of [
      'radius',
      'maxSpeed',
      'preferredSpeed',
      'arrivalRadius',
      'neighborDistance',
    ]) {
      assertThrown(
        () => crowd2D({ [option]: wrong }),
        new RegExp(`^${kind}Error: Crowd: ${option} `),
      )
      assertThrown(
        () => crowd2D().add({ position: [0, 0], [option]: wrong }),
        new RegExp(`^${kind}Error: Crowd.add: ${option} `),
      )
    }
    for (const option of wrong === -1 ? [] : ['position', 'velocity', 'preferredVelocity'])
      assertThrown(
        () => crowd2D().add({ position: [0, 0], [option]: [0, wrong] }),
        new RegExp(`^${kind}Error: Crowd.add: ${option} must be `),
      )
  }
  for (const wrong of [0, -1, NaN, Infinity, 1e-60])
    for (const option of ['timeHorizon', 'obstacleTimeHorizon'])
      assertThrown(() => crowd2D({ [option]: wrong }), new RegExp(`^RangeError: Crowd: ${option} `))
  for (const wrong of [-1, 65, 1.5, NaN]) {
    assertThrown(() => crowd2D({ maxNeighbors: wrong }), /^RangeError: Crowd: maxNeighbors /)
  }
  const limited = crowd2D({ maxNeighbors: 3 })
  assertThrown(
    () => limited.add({ position: [0, 0], maxNeighbors: 4 }),
    /^RangeError: Crowd.add: maxNeighbors must be an integer from 0 to 3, got 4/,
  )
  assertThrown(() => crowd2D({ radius: Infinity }), /^RangeError: Crowd: radius /)
  assertThrown(() => crowd2D({ capacity: 0 }), /^RangeError: Crowd: capacity /)
  assertThrown(() => crowd2D({ exact: 1 }), /^TypeError: Crowd: exact must be true or false/)
  assertThrown(() => crowd2D().add(), /^TypeError: Crowd.add: options /)
  assertThrown(() => crowd2D().add({}), /^TypeError: Crowd.add: position must be an array/)
  assertThrown(() => crowd2D().add({ position: null }), /^TypeError: Crowd.add: position /)
  assertThrown(() => crowd2D().add({ position: [1] }), /^RangeError: .*position.length must be 2/)
  assertThrown(() => crowd3D().add({ position: [1, 2] }), /^RangeError: Crowd3D.* must be 3, got 2/)
  assertThrown(() => crowd2D().remove(-1), /^RangeError: Crowd.remove: slot /)
  assertThrown(() => crowd2D().inspect(0.5, STEP), /^RangeError: Crowd.inspect: slot /)
  assert.is(limited.count, 0)
})

test('written arrays count from the next step on', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  assert.is(crowd.positions, crowd.positions)
  crowd.positions.set([5, 6])
  crowd.preferredVelocities.set([0.75, 0])
  crowd.step(1)
  assert.equal(vector(crowd.positions, 0, 2), [5.75, 6])
  assert.equal(vector(crowd.velocities, 0, 2), [0.75, 0])
  crowd.maxSpeeds[0] = 0.5
  crowd.step(1)
  assert.equal(vector(crowd.positions, 0, 2), [6.25, 6])
})

test('a step with a number that is not finite throws NOT_FINITE and moves no agent', () => {
  const crowd = crowd2D()
  for (let x = 0; x < 3; x++) crowd.add({ position: [3 * x, 0], preferredVelocity: [1, 0] })
  const before = crowd.hash()
  for (const array of [crowd.positions, crowd.velocities, crowd.preferredVelocities])
    for (const wrong of [NaN, Infinity, -Infinity, 1e39, 2e18, -1.0000001e18]) {
      const original = array.slice(3, 6)
      array[3] = array[5] = wrong
      assert.is(assertCode(() => crowd.step(STEP), 'NOT_FINITE').index, 1, 'the first')
      array[3] = original[0]
      const error = assertCode(() => crowd.step(STEP), 'NOT_FINITE')
      assert.is(error.index, 2)
      assert.match(error.message, /^Crowd\.step: .*finite.*: slot 2$/)
      assert.is(assertCode(() => crowd.save(), 'NOT_FINITE').index, 2)
      array[5] = original[2]
      assert.is(crowd.hash(), before)
    }
})

test('add beyond the capacity throws FULL and changes nothing', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 2 })
    const position = [0, 0, 0].slice(0, dimensionsOf(crowd))
    crowd.add({ position })
    crowd.add({ position })
    const before = crowd.save()
    assert.match(assertCode(() => crowd.add({ position }), 'FULL').message, /^Crowd(3D)?\.add: /)
    assert.equal(crowd.save(), before)
  }
})

test('among equally far neighbors, those with lower ids are avoided', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 9, maxNeighbors: 8 })
    const toPoint = ([x, y]) => [x, y, 0].slice(0, dimensionsOf(crowd))
    const ring = [
      [-3, 4],
      [3, 4],
      [4, -3],
      [5, 0],
      [0, -5],
      [-5, 0],
      [0, 5],
      [-4, 3],
    ]
    for (const place of ring) crowd.add({ position: toPoint(place) })
    const last = crowd.add({ position: toPoint([0, 0]), neighborDistance: 5 })
    for (let maxNeighbors = 0; maxNeighbors <= 8; maxNeighbors++) {
      crowd.maxNeighborCounts[last] = maxNeighbors
      assert.equal(
        [...crowd.inspect(last, STEP).neighbors],
        [0, 1, 2, 3, 4, 5, 6, 7].slice(0, maxNeighbors),
      )
    }
  }
})

test('a horizon below the time step is raised to it', () => {
  const played = (horizon) => {
    const crowd = crowd2D()
    crowd.obstacles = obstacleTree([-9, 1.25, 9, 1.25])
    for (const x of [-1.25, 1.25])
      crowd.add({ position: [x, 0.125 * x], preferredVelocity: [-x, 1] })
    crowd.timeHorizons.fill(horizon)
    crowd.obstacleTimeHorizons.fill(horizon)
    steps(crowd, 12, 0.25)
    crowd.timeHorizons.fill(1) // they are part of the hash
    crowd.obstacleTimeHorizons.fill(1)
    return crowd.hash()
  }
  const expected = played(0.25)
  for (const horizon of [0, -0, -1, NaN, -Infinity, 2 ** -149, 0.1, 0.2499])
    assert.is(played(horizon), expected, `${horizon}`)
  assert.is.not(played(1), expected)
})

test('where no velocity is permitted, velocities are finite and within maxSpeed', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 60, radius: 1 })
    const random = createRandom(5)
    for (let i = 0; i < 60; i++)
      crowd.add({ position: Array.from({ length: dimensionsOf(crowd) }, () => random()) })
    let infeasible = 0
    for (let i = 0; i < 60; i++) {
      crowd.step(STEP)
      infeasible += crowd.stats().infeasible
      for (let slot = 0; slot < 60; slot++) {
        const speed = Math.hypot(...vector(crowd.velocities, slot, dimensionsOf(crowd)))
        assert.ok(speed <= 2 * (1 + 1e-5), `${speed}`)
      }
    }
    assert.ok(infeasible > 60)
  }
})

test('integers that WebAssembly would coerce are refused', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  const before = crowd.hash()
  for (const wrong of WRONG.slots) {
    for (const method of ['remove', 'inspect'])
      assertRefused(() => crowd[method](wrong, STEP), `Crowd.${method}`, 'slot', wrong)
    assertRefused(() => crowd.reserve(wrong), 'Crowd.reserve', 'capacity', wrong)
    assert.not(crowd.has(wrong))
    if (wrong === undefined) continue // the default
    const agent = { position: [0, 0], maxNeighbors: wrong }
    assertRefused(() => crowd.add(agent), 'Crowd.add', 'maxNeighbors', wrong)
    assertRefused(() => crowd2D({ maxNeighbors: wrong }), 'Crowd', 'maxNeighbors', wrong)
  }
  for (const wrong of WRONG_SIZES)
    assertRefused(() => crowd2D({ capacity: wrong }), 'Crowd', 'capacity', wrong)
  for (const wrong of WRONG.bytes) {
    assertRefused(() => crowd.saveInto(wrong), 'Crowd.saveInto', 'bytes', wrong, 'bytes')
    assertRefused(() => crowd.restore(wrong), 'Crowd.restore', 'bytes', wrong, 'bytes')
  }
  const short = new Uint8Array(crowd.save().length - 1).fill(7)
  assertThrown(() => crowd.saveInto(short), /^RangeError: Crowd\.saveInto: bytes\.length must be/)
  assert.ok(short.every((byte) => byte === 7))
  assert.equal([crowd.count, crowd.hash()], [1, before])
})

test('growth detaches views, and getters return fresh ones', async () => {
  const ownInstance = await copse.create({ memory: 2 ** 20 })
  for (const Class of [Crowd, Crowd3D]) {
    const crowd = new Class({ instance: ownInstance, capacity: 8 })
    crowd.add({ position: [3, 4, 5].slice(0, dimensionsOf(crowd)) })
    const before = crowd.hash()
    const { generations, goals, positions, radii } = crowd
    const bytes = bytesOf(crowd)
    const { constraints } = crowd.inspect(0, STEP)
    assert.is(crowd.positions, positions, 'the same view before growth')
    new Class({ instance: ownInstance, capacity: 50_000 })
    assert.ok(bytesOf(crowd) > bytes)
    for (const detached of [constraints, generations, goals, positions, radii])
      assert.is(detached.length, 0)
    assert.equal([...crowd.positions.subarray(0, 2), crowd.radii[0]], [3, 4, 0.5])
    assert.is(crowd.hash(), before)
    crowd.positions[0] = 7
    crowd.step(STEP)
    assert.is(crowd.positions[0], 7)
    const { byteLength } = ownInstance.memory.buffer // only creation grows memory
    for (let i = 0; i < 7; i++) crowd.add({ position: [i, 7, 9].slice(0, dimensionsOf(crowd)) })
    steps(crowd, 10)
    crowd.inspect(0, STEP)
    assert.is(ownInstance.memory.buffer.byteLength, byteLength)
  }
})

// ---- Steps ----

for (const exact of [false, true]) {
  const suffix = exact ? ', exact' : ''

  test(`an agent goes to its goal and stops there${suffix}`, () => {
    for (const crowd of [crowd2D({ exact }), crowd3D({ exact })]) {
      const dimensions = dimensionsOf(crowd)
      const start = [1, 2, 3].slice(0, dimensions)
      const goal = [3, 2, 3].slice(0, dimensions)
      crowd.add({ position: start, goal, preferredSpeed: 1.5 })
      crowd.step(STEP)
      assert.equal(vector(crowd.velocities, 0, dimensions), [1.5, 0, 0].slice(0, dimensions))
      steps(crowd, 100)
      assert.equal(vector(crowd.positions, 0, dimensions), goal)
      assert.ok(Math.abs(crowd.stats().time - 101 / 60) < 1e-6)
      crowd.goals.fill(NaN) // no goal: its preferred velocity counts
      crowd.preferredVelocities[1] = 1
      crowd.step(STEP)
      assert.equal(vector(crowd.velocities, 0, dimensions), [0, 1, 0].slice(0, dimensions))
    }
  })

  test(`two agents that meet almost head-on pass each other${suffix}`, () => {
    for (const crowd of [crowd2D({ exact }), crowd3D({ exact })]) {
      const rest = dimensionsOf(crowd) === 3 ? [0] : []
      crowd.add({ position: [0, 0, ...rest], goal: [10, 0, ...rest] })
      crowd.add({ position: [10, 0.01, ...rest], goal: [0, 0.01, ...rest] })
      let nearest = Infinity
      for (let i = 0; i < 1200; i++) {
        crowd.step(STEP)
        nearest = Math.min(nearest, distance(crowd, 0, 1))
        assert.is(crowd.stats().infeasible, 0)
      }
      assert.ok(nearest > 0.9999 && nearest < 1.2, `${nearest}`)
      assert.ok(Math.abs(crowd.positions[0] - 10) < 1e-3, `${crowd.positions[0]}`)
    }
  })

  test(`agents at the same position part${suffix}`, () => {
    for (const crowd of [crowd2D({ exact }), crowd3D({ exact })]) {
      const position = [1, 2, 3].slice(0, dimensionsOf(crowd))
      for (let i = 0; i < 3; i++) crowd.add({ position })
      crowd.step(STEP)
      assert.is(crowd.stats().overlaps, 3)
      steps(crowd, 300)
      for (let i = 0; i < 3; i++)
        assert.ok(distance(crowd, i, (i + 1) % 3) > 0.99, `${distance(crowd, i, (i + 1) % 3)}`)
    }
  })
}

test('radius 0, maxSpeed 0 and maxNeighbors 0 are accepted', () => {
  const crowd = crowd2D({ radius: 0 })
  crowd.add({ position: [0, 0], goal: [10, 0], maxSpeed: 0 })
  crowd.add({ position: [2, 0], goal: [-2, 0], maxNeighbors: 0 })
  crowd.add({ position: [1, 3], goal: [1, -3] })
  steps(crowd, 600)
  assert.equal(vector(crowd.positions, 0, 2), [0, 0])
  assert.equal(vector(crowd.positions, 1, 2), [-2, 0])
  assert.ok(Math.hypot(crowd.positions[4] - 1, crowd.positions[5] + 3) < 1e-3)
  const isolated = crowd2D({ maxNeighbors: 0 })
  isolated.add({ position: [0, 0], goal: [4, 0] })
  isolated.add({ position: [4, 0], goal: [0, 0] })
  steps(isolated, 300)
  assert.equal(Array.from(isolated.positions.subarray(0, 4)), [4, 0, 0, 0])
  assert.is(isolated.inspect(0, STEP).neighbors.length, 0)
  assert.is(isolated.stats().neighbors, 0)
})

test('each step moves agents by the dt that it is given', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0], preferredVelocity: [1, 0] })
  for (const dt of [0.5, 0.25, 1]) crowd.step(dt)
  assert.is(crowd.positions[0], 1.75)
  assert.equal([crowd.stats().steps, crowd.stats().time], [3, 1.75])
})

test('a step of 0 seconds does nothing', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 2 })
    const position = [3, 4, 5].slice(0, dimensionsOf(crowd))
    crowd.add({ position, goal: position })
    crowd.add({ position, preferredVelocity: position })
    steps(crowd, 3)
    crowd.move(0, ...position)
    crowd.goals.set(position)
    crowd.step(STEP)
    assert.equal([...crowd.arrived()], [0])
    const [before, stats] = [crowd.save(), { ...crowd.stats() }]
    for (const dt of [0, -0]) assert.is(crowd.step(dt), undefined)
    assert.equal(crowd.save(), before)
    assert.equal(crowd.stats(), stats)
    assert.equal([...crowd.arrived()], [0], 'still those of the last step')
    crowd.positions[0] = NaN
    crowd.step(0)
    assertCode(() => crowd.step(STEP), 'NOT_FINITE')
  }
})

test('step and inspect refuse a dt that is missing, or out of range', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make({ capacity: 2 })
    crowd.add({ position: [1, 2, 3].slice(0, dimensionsOf(crowd)) })
    const name = make === crowd2D ? 'Crowd' : 'Crowd3D'
    const before = crowd.save()
    const missing = 'must be a finite number ≥ 0, got undefined'
    assertThrown(() => crowd.step(), new RegExp(`^TypeError: ${name}.step: dt ${missing}$`))
    assertThrown(() => crowd.inspect(0), new RegExp(`^TypeError: ${name}.inspect: dt must be `))
    for (const wrong of WRONG_STEPS) {
      assertRefused(() => crowd.step(wrong), `${name}.step`, 'dt', wrong)
      assertRefused(() => crowd.inspect(0, wrong), `${name}.inspect`, 'dt', wrong)
    }
    assertRefused(() => crowd.inspect(0, 0), `${name}.inspect`, 'dt', 0)
    assert.equal(crowd.save(), before)
  }
})

// ---- Walls ----

test('an agent does not pass through a wall', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0], goal: [0, 10] })
  crowd.obstacles = obstacleTree([-50, 2, 50, 2, 50, 3, -50, 3])
  let highest = 0
  for (let i = 0; i < 600; i++) {
    crowd.step(STEP)
    highest = Math.max(highest, crowd.positions[1])
  }
  assert.ok(highest > 1.4 && highest < 1.5001, `${highest}`)
  crowd.obstacles = null
  assert.is(crowd.obstacles, null)
  steps(crowd, 600)
  assert.equal(vector(crowd.positions, 0, 2), [0, 10])
})

test('crowds can share obstacles that change between steps', () => {
  const tree = obstacleTree()
  const crowds = [crowd2D(), crowd2D()]
  for (const crowd of crowds) {
    crowd.add({ position: [0, 0], goal: [10, 0] })
    crowd.obstacles = tree
    assert.is(crowd.obstacles, tree)
  }
  const door = tree.addPolygon([3, -9, 4, -9, 4, 9, 3, 9])
  for (const crowd of crowds) steps(crowd, 600)
  for (const { positions } of crowds) assert.ok(positions[0] < 2.5001 && positions[0] > 2.4)
  tree.remove(door)
  for (const crowd of crowds) steps(crowd, 600)
  for (const { positions } of crowds) assert.equal([positions[0], positions[1]], [10, 0])
})

test('obstacles must not be disposed, must be finite, and in the same instance', async () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  for (const wrong of [undefined, {}, 5, crowd])
    assertThrown(
      () => (crowd.obstacles = wrong),
      /^TypeError: Crowd.obstacles: obstacles must be an ObstacleTree or null/,
    )
  const other = new ObstacleTree({ instance: await copse.create() })
  assertThrown(
    () => (crowd.obstacles = other),
    /^RangeError: Crowd.obstacles: obstacles must be from the same instance, got another/,
  )
  const tree = obstacleTree([5, 0, 6, 0, 6, 1])
  crowd.obstacles = tree
  tree.addSegment(8, 8, 9, 9)
  tree.vertices[2] = NaN
  const error = assertCode(() => crowd.step(STEP), 'NOT_FINITE')
  assert.is(error.index, 1)
  assert.match(error.message, 'ObstacleTree')
  tree.vertices[2] = 6
  crowd.step(STEP)
  tree.dispose()
  assert.match(
    assertCode(() => crowd.step(STEP), 'DISPOSED').message,
    'Crowd.step: obstacles must not be disposed',
  )
  assert.match(
    assertCode(() => crowd.inspect(0, STEP), 'DISPOSED').message,
    'Crowd.inspect: obstacles must not be disposed',
  )
  assert.match(assertCode(() => (crowd.obstacles = tree), 'DISPOSED').message, 'Crowd.obstacles')
  crowd.obstacles = null
  crowd.step(STEP)
})

// ---- Results ----

test('inspect finds the neighbors that a loop finds', () => {
  for (const dimensions of [2, 3]) {
    const crowd = crossingCrowd(dimensions, { neighborDistance: 6, maxNeighbors: 4 })
    steps(crowd, 30)
    for (let slot = 0; slot < crowd.count; slot++) {
      const others = Array.from({ length: crowd.count }, (_, i) => i)
        .filter((i) => i !== slot && distance(crowd, slot, i) <= 6)
        .sort((a, b) => distance(crowd, slot, a) - distance(crowd, slot, b))
      const view = crowd.inspect(slot, STEP)
      assert.equal(Array.from(view.neighbors), others.slice(0, 4))
      const rows = view.constraints.length / (2 * dimensions)
      assert.is(rows, view.obstacleConstraints + view.neighbors.length)
      for (let row = 0; row < rows; row++) {
        const [, ...unit] = vector(view.constraints, row, 2 * dimensions)
        assert.ok(Math.abs(Math.hypot(...unit.slice(dimensions - 1)) - 1) < 1e-5)
      }
    }
  }
})

test('inspect uses the dt that it is given', () => {
  for (const make of [crowd2D, crowd3D]) {
    const crowd = make()
    for (const x of [0, 0.5]) crowd.add({ position: [x, 0, 0].slice(0, dimensionsOf(crowd)) })
    // They overlap by 0.5: each must do half of what parts them in dt seconds.
    for (const dt of [1, 0.25, 2 ** -6])
      assert.equal([...crowd.inspect(0, dt).constraints.slice(0, 2)], [-0.25 / dt, 0])
  }
})

test('inspect finds walls, and always returns the same object', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  assert.equal(Array.from(crowd.inspect(0, STEP).obstacles), [])
  const tree = obstacleTree([-5, 2, 5, 2, 5, 3, -5, 3])
  crowd.obstacles = tree
  const view = crowd.inspect(0, STEP)
  assert.equal(Array.from(view.obstacles), [tree.nearest(0, 0)])
  assert.is(view.obstacleConstraints, 1)
  assert.is(view.constraints.length, 4)
  const { neighbors, constraints } = view
  assert.is(crowd.inspect(0, STEP), view)
  assert.is(view.neighbors, neighbors)
  assert.is(view.constraints, constraints)
  // The speed toward the wall is limited such that the agent takes the horizon to reach it: 1.5 in 2 s.
  const [, y, directionX] = constraints
  assert.ok(Math.abs(y - 0.75) < 1e-6 && directionX === -1, `${constraints}`)
  new Crowd({ instance, capacity: 20_000 }) // memory grows
  assert.equal(Array.from(crowd.inspect(0, STEP).obstacles), [tree.nearest(0, 0)])
})

test('stats are those of the last step', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  crowd.add({ position: [0.5, 0] })
  crowd.add({ position: [9, 0] })
  crowd.step(STEP)
  const { agents, overlaps, neighbors, steps: stepCount, time, bytes } = crowd.stats()
  assert.equal([agents, overlaps, neighbors, stepCount, time], [3, 2, 2, 1, Math.fround(STEP)])
  assert.ok(bytes > 1000)
  assert.is(crowd.stats(), crowd.stats())
})

test('equal states have equal hashes, different states different ones', () => {
  for (const dimensions of [2, 3]) {
    const [one, two] = [crossingCrowd(dimensions), crossingCrowd(dimensions)]
    const hashes = new Set()
    for (let i = 0; i < 20; i++) {
      assert.is(one.hash(), two.hash())
      assert.ok(Number.isInteger(one.hash()) && one.hash() >= 0 && one.hash() < 2 ** 32)
      hashes.add(one.hash())
      one.step(STEP)
      two.step(STEP)
    }
    assert.is(hashes.size, 20)
    one.velocities[0] += 1
    assert.is.not(one.hash(), two.hash())
  }
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  const before = crowd.hash()
  crowd.velocities[0] = -0
  new Uint32Array(crowd.goals.buffer, crowd.goals.byteOffset, 1)[0] = 0xffc00001 // a NaN too
  assert.is(crowd.hash(), before)
})

// ---- Snapshots, memory, disposal ----

test('a restored crowd continues bit for bit like the saved one', () => {
  for (const dimensions of [2, 3])
    for (const exact of [false, true]) {
      const crowd = crossingCrowd(dimensions, { exact })
      steps(crowd, 50)
      crowd.remove(3)
      const saved = crowd.save()
      const other = crossingCrowd(dimensions, { exact, capacity: 60 })
      other.clear()
      other.restore(saved)
      assert.is(other.hash(), crowd.hash())
      assert.is(other.stats().time, crowd.stats().time)
      assert.is(other.add({ position: crowd.positions.slice(0, dimensions) }), 3)
      crowd.add({ position: crowd.positions.slice(0, dimensions) })
      for (let i = 0; i < 50; i++) {
        crowd.step(STEP)
        other.step(STEP)
        assert.is(other.hash(), crowd.hash())
      }
      assert.is(other.stats().steps, 100)
      const bytes = new Uint8Array(saved.length + 8)
      assert.is(crowd.saveInto(bytes), crowd.save().length)
      assert.equal(bytes.subarray(0, saved.length), crowd.save())
    }
})

test('restore refuses anything but a snapshot of a crowd with the same options', () => {
  const crowd = steps(crossingCrowd(2), 5)
  const saved = crowd.save()
  const before = crowd.hash()
  assertCode(() => crossingCrowd(3).restore(saved), 'BAD_SNAPSHOT')
  assertCode(() => crossingCrowd(2, { maxNeighbors: 9 }).restore(saved), 'BAD_SNAPSHOT')
  assertCode(() => crossingCrowd(2, { exact: true }).restore(saved), 'BAD_SNAPSHOT')
  assertCode(() => crowd.restore(crowd.obstacles.save()), 'BAD_SNAPSHOT')
  for (let size = 0; size < saved.length; size += 97)
    assertCode(() => crowd.restore(saved.slice(0, size)), 'BAD_SNAPSHOT')
  for (let extra = 1; extra <= 8; extra++)
    assertCode(() => crowd.restore(Uint8Array.of(...saved, ...new Array(extra))), 'BAD_SNAPSHOT')
  for (let word = 0; word < saved.length / 4; word += 5) {
    const bytes = saved.slice()
    bytes[4 * word + 3] ^= 0x40
    assertCode(() => crowd.restore(bytes), 'BAD_SNAPSHOT')
    assert.is(crowd.hash(), before)
    seal(bytes) // forged: refused or accepted, but nothing breaks
    const victim = crossingCrowd(2)
    try {
      victim.restore(bytes)
    } catch (error) {
      assert.is(error.code, 'BAD_SNAPSHOT')
    }
    steps(victim, 2)
  }
  assertThrown(() => crowd.restore([]), /^TypeError: Crowd.restore: bytes must be a Uint8Array/)
})

test('reserve keeps everything', () => {
  for (const dimensions of [2, 3]) {
    const [crowd, other] = [
      steps(crossingCrowd(dimensions), 10),
      steps(crossingCrowd(dimensions), 10),
    ]
    crowd.reserve(5000)
    assert.is(crowd.capacity, 5000)
    assert.is(crowd.positions.length, 5000 * dimensions)
    assert.is(crowd.hash(), other.hash())
    assert.is(steps(crowd, 10).hash(), steps(other, 10).hash())
    assert.equal(
      Array.from(crowd.inspect(0, STEP).neighbors),
      Array.from(other.inspect(0, STEP).neighbors),
    )
    crowd.reserve(10)
    assert.is(crowd.capacity, 5000)
  }
})

test('views after reserve are those of the present crowd, even if memory did not grow', async () => {
  const roomy = await copse.create({ memory: 2 ** 24 })
  const roomyBytes = bytesOf(roomy)
  const crowd = new Crowd({ instance: roomy, capacity: 8, maxNeighbors: 2 })
  for (const x of [0, 1, 2, 3]) crowd.add({ position: [3 * x, 0] })
  const readViews = () =>
    [crowd.inspect(0, STEP).neighbors, crowd.arrived()].map((slots) => [...slots])
  crowd.goals.set(crowd.positions.subarray(0, 2))
  crowd.step(STEP)
  assert.equal(readViews(), [[1, 2], [0]])
  crowd.reserve(500)
  new Crowd({ instance: roomy, capacity: 8 }) // takes the freed memory
  crowd.positions.set([20, 0], 2)
  crowd.goals.set(crowd.positions.subarray(6, 8), 6)
  crowd.step(STEP)
  assert.equal(readViews(), [[2, 3], [3]])
  assert.is(bytesOf(roomy), roomyBytes)
})

test('growth that fails throws OUT_OF_MEMORY and changes nothing', async () => {
  const ownInstance = await copse.create()
  for (const Class of [Crowd, Crowd3D]) {
    const crowd = new Class({ instance: ownInstance, capacity: 8 })
    crowd.add({ position: [3, 4, 5].slice(0, dimensionsOf(crowd)) })
    const [before, { byteLength }] = [crowd.save(), ownInstance.memory.buffer]
    const { message } = assertCode(() => crowd.reserve(2 ** 28), 'OUT_OF_MEMORY')
    assert.match(message, /^Crowd(3D)?\.reserve: /)
    assertCode(() => new Class({ instance: ownInstance, capacity: 2 ** 28 }), 'OUT_OF_MEMORY')
    assert.equal([crowd.capacity, ownInstance.memory.buffer.byteLength], [8, byteLength])
    assert.equal(crowd.save(), before)
    crowd.step(STEP)
  }
})

test('a trap makes its instance unusable, and no other', async () => {
  const ownInstance = await copse.create()
  const [crowd, other, elsewhere] = [
    crowd2D({ instance: ownInstance }),
    crowd3D({ instance: ownInstance }),
    crowd2D(),
  ]
  crowd._wasm = { ...crowd._wasm, step: trap() }
  assert.instance(
    thrown(() => crowd.step(STEP)),
    WebAssembly.RuntimeError,
  )
  for (const dead of [crowd, other])
    for (const call of [
      () => dead.step(STEP),
      () => dead.add({ position: [1, 2, 3].slice(0, dimensionsOf(dead)) }),
      () => dead.inspect(0, STEP),
      () => dead.count,
      () => dead.hash(),
      () => dead.save(),
      () => dead.reserve(100),
      () => dead.clear(),
      () => dead.dispose(),
    ])
      assertCode(call, 'DEAD')
  assertCode(() => crowd2D({ instance: ownInstance }), 'DEAD')
  elsewhere.step(STEP)
  assert.is(elsewhere.stats().steps, 1)
})

test('a disposed crowd throws DISPOSED from every call and getter', () => {
  const crowd = crowd2D()
  crowd.add({ position: [0, 0] })
  const bytes = crowd.save()
  crowd[Symbol.dispose ?? 'dispose']()
  crowd.dispose()
  const uses = {
    ...Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Crowd3D.prototype)))
        .filter(([, { get }]) => get)
        .map(([name]) => [name, () => crowd[name]]),
    ),
    obstacles: () => crowd.obstacles,
    add: () => crowd.add({ position: [0, 0] }),
    remove: () => crowd.remove(0),
    clear: () => crowd.clear(),
    has: () => crowd.has(0),
    step: () => crowd.step(STEP),
    follow: () => crowd.follow(null),
    inspect: () => crowd.inspect(0, STEP),
    stats: () => crowd.stats(),
    hash: () => crowd.hash(),
    save: () => crowd.save(),
    saveInto: () => crowd.saveInto(bytes),
    restore: () => crowd.restore(bytes),
    reserve: () => crowd.reserve(9),
    capacity: () => crowd.capacity,
  }
  assert.ok(Object.keys(uses).length > 28)
  for (const [name, use] of Object.entries(uses))
    assert.match(assertCode(use, 'DISPOSED').message, `Crowd.${name}: the object was disposed`)
})

test.run()
