// What the crowd adds to the published algorithm, and which agents avoid which.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { assertThrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const STEP = 1 / 60
const SECOND = 60 // steps

const { Crowd, Crowd3D, ObstacleTree } = copse
const test = suite('crowd, extras')
/** @type {import('copse').Instance} */ let instance
test.before(async () => (instance = await copse.create({ memory: 2 ** 22 })))

const crowdOf = (dimensions, options) =>
  new (dimensions === 2 ? Crowd : Crowd3D)({ instance, capacity: 8, ...options })
const obstacleTree = (...polygons) => {
  const tree = new ObstacleTree({ instance, capacity: 100 })
  for (const polygon of polygons) tree.addPolygon(polygon, { solid: 'winding' })
  return tree
}
const vector = (crowd, array, slot) => {
  const dimensions = array.length / crowd.capacity
  return Array.from(array.subarray(slot * dimensions, (slot + 1) * dimensions))
}
const lengthOf = (v) => Math.hypot(...v)
const minus = (a, b) => a.map((x, axis) => x - b[axis])
const dot = (a, b) => a.reduce((sum, x, axis) => sum + x * b[axis], 0)
const distance = (crowd, a, b) =>
  lengthOf(minus(vector(crowd, crowd.positions, a), vector(crowd, crowd.positions, b)))
const toGoal = (crowd, slot) =>
  lengthOf(minus(vector(crowd, crowd.positions, slot), vector(crowd, crowd.goals, slot)))
/** Steps until `holds` returns true. Returns the number of steps; Infinity if maxSteps did not suffice. */
const stepsUntil = (crowd, maxSteps, holds, dt = STEP) => {
  for (let step = 1; step <= maxSteps; step++) {
    crowd.step(dt)
    if (holds(step)) return step
  }
  return Infinity
}
const steps = (crowd, count, dt = STEP) => stepsUntil(crowd, count, () => false, dt)
/** Returns the events of `count` steps, each as [seconds, slot]. */
const eventsOf = (crowd, count, name) => {
  const events = []
  stepsUntil(crowd, count, (step) => {
    for (const slot of crowd[name]()) events.push([step / SECOND, slot])
  })
  return events
}
const bits = (crowd, array, slot) =>
  new Uint32Array(Float32Array.from(vector(crowd, array, slot)).buffer)

// ---- Symmetry ----

test('two agents exactly head-on pass each other; with `exact` they stop', () => {
  for (const dimensions of [2, 3])
    for (let axis = 0; axis < dimensions; axis++) {
      const meet = (exact) => {
        const crowd = crowdOf(dimensions, { exact })
        const ends = [0, 10].map((x) =>
          Array.from({ length: dimensions }, (_, i) => (i === axis ? x : 0)),
        )
        crowd.add({ position: ends[0], goal: ends[1] })
        crowd.add({ position: ends[1], goal: ends[0] })
        let nearest = Infinity
        const stepCount = stepsUntil(crowd, 3000, () => {
          nearest = Math.min(nearest, distance(crowd, 0, 1))
          return toGoal(crowd, 0) < 1e-3 && toGoal(crowd, 1) < 1e-3
        })
        assert.ok(nearest > 0.9999, `${nearest}`)
        return stepCount
      }
      const stepCount = meet(false)
      assert.ok(stepCount <= 650, `${stepCount} steps`) // 600 without the other agent
      assert.is(meet(true), Infinity)
    }
})

test('the agents of a symmetric ring pass each other; with `exact` they stop', () => {
  const rings = [
    [10, 10, 32], // measured: 25.5 s
    [50, 20, 85], // 68.2 s
  ]
  for (const [count, radius, seconds] of rings)
    for (const exact of [false, true]) {
      const crowd = crowdOf(2, { capacity: count, exact })
      for (let i = 0; i < count; i++) {
        const angle = (2 * Math.PI * i) / count
        const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)]
        crowd.add({ position: [x, y], goal: [-x, -y] })
      }
      const arrived = new Set()
      let arrivals = 0
      const stepCount = stepsUntil(crowd, seconds * SECOND, () => {
        for (const slot of crowd.arrived()) arrived.add(slot)
        arrivals += crowd.arrived().length
        if (arrived.size < count) return false
        for (let slot = 0; slot < count; slot++) if (toGoal(crowd, slot) > 0.1) return false
        return true
      })
      if (exact) assert.is(arrivals, 0)
      else {
        assert.ok(stepCount < Infinity, `${count} on a ring: ${arrived.size} arrived`)
        assert.ok(arrivals <= 1.1 * count, `${arrivals} times`) // a few agents arrive twice
      }
    }
})

// ---- Rest ----

test('a group with one goal comes to rest, lets another agent pass, and rests again', () => {
  const COUNT = 200
  const crowd = crowdOf(2, { capacity: COUNT + 1 })
  const random = createRandom(5)
  for (let i = 0; i < COUNT; i++)
    crowd.add({ position: [60 * random() - 30, 60 * random() - 30], goal: [0, 0] })
  const arrivals = new Uint32Array(COUNT + 1)
  const countArrivals = () => {
    for (const slot of crowd.arrived()) arrivals[slot]++
  }
  const hasEveryArrived = () => {
    countArrivals()
    return arrivals.subarray(0, COUNT).every((times) => times > 0)
  }
  const arrivalSteps = stepsUntil(crowd, 70 * SECOND, hasEveryArrived) // measured: 56 s
  assert.ok(arrivalSteps < Infinity, `${arrivals.filter((times) => times > 0).length} arrived`)
  assert.ok(Math.max(...arrivals) <= 6, `${Math.max(...arrivals)}`) // measured: 3
  stepsUntil(crowd, 5 * SECOND, countArrivals)

  const assertRest = () => {
    const before = crowd.positions.slice()
    let farthest = 0
    stepsUntil(crowd, 10 * SECOND, () => {
      countArrivals()
      for (let i = 0; i < 2 * COUNT; i += 2)
        farthest = Math.max(
          farthest,
          Math.hypot(crowd.positions[i] - before[i], crowd.positions[i + 1] - before[i + 1]),
        )
    })
    assert.ok(farthest <= 0.01 * 0.5, `${farthest}`)
  }
  assertRest()

  arrivals.fill(0)
  const walker = crowd.add({ position: [-25, 0.3], goal: [25, 0.3] })
  const crossingSteps = stepsUntil(crowd, 80 * SECOND, () => {
    countArrivals()
    return toGoal(crowd, walker) < 0.1
  })
  // Without the group: 50 s. Measured: 64.3 s.
  assert.ok(crossingSteps <= 1.5 * 50 * SECOND, `${crossingSteps / SECOND} s`)
  stepsUntil(crowd, 5 * SECOND, countArrivals)
  assert.is(arrivals[walker], 1)
  assert.ok(Math.max(...arrivals) <= 12, `${Math.max(...arrivals)}`) // an agent that is pushed away arrives again
  assertRest()
})

// ---- Out of walls ----

test('an agent that overlaps a wall leaves it, even if it prefers not to', () => {
  for (const exact of [false, true])
    for (const preferredVelocity of [
      [0, 0],
      [0.5, 0],
      [0, -1], // into the wall
    ]) {
      const crowd = crowdOf(2, { exact })
      crowd.add({ position: [0, 0.25], preferredVelocity })
      crowd.obstacles = obstacleTree([-50, -5, 50, -5, 50, 0, -50, 0])
      const stepCount = stepsUntil(crowd, SECOND, () => crowd.positions[1] >= 0.99 * 0.5)
      if (exact) assert.is(stepCount, Infinity)
      else assert.ok(stepCount <= 0.5 * SECOND, `${stepCount} steps`)
      steps(crowd, 2 * SECOND)
      if (!exact) assert.ok(crowd.positions[1] >= 0.99 * 0.5, `${crowd.positions[1]}`)
    }
})

/** By name: a polygon, a point where it is solid, and the distance of that point from free space. */
const SOLIDS = {
  square: [[0, 0, 10, 0, 10, 10, 0, 10], [5, 5], 5],
  'a U': [[0, 0, 12, 0, 12, 12, 8, 12, 8, 4, 4, 4, 4, 12, 0, 12], [6, 2], 2],
  'an L, at its inner corner': [[0, 0, 12, 0, 12, 4, 4, 4, 4, 12, 0, 12], [2.5, 2.5], 2.5],
  'all but a room': [[0, 0, 0, 10, 10, 10, 10, 0], [-3, 5], 3],
  'all but a room, at its corner': [[0, 0, 0, 10, 10, 10, 10, 0], [-3, -3], 4.3],
}

test('an agent inside a solid leaves it, however it came there', () => {
  for (const [name, [polygon, place, depth]] of Object.entries(SOLIDS))
    for (const goal of [null, place, [40, 41]])
      for (const put of [null, 'written', 'moved']) {
        const tree = obstacleTree(polygon)
        const free = name.startsWith('all but') ? [6, 6] : [14, 14]
        const isOut = (crowd) => {
          const [x, y] = crowd.positions
          return !tree.contains(x, y) && tree.nearestPoint(x, y).distance >= 0.98 * 0.5
        }
        const play = (exact) => {
          const crowd = crowdOf(2, { exact })
          crowd.add({ position: put ? free : place, goal })
          crowd.obstacles = tree
          if (put) {
            steps(crowd, 3)
            if (put === 'moved') crowd.move(0, ...place)
            else crowd.positions.set(place)
          }
          // At full speed, plus the radius, plus the steps until a written position is noticed.
          const noticeSteps = put === 'written' ? 32 : 0
          const maxSteps = Math.ceil((1.25 * (depth + 0.5) * SECOND) / 2) + 30 + noticeSteps
          return stepsUntil(crowd, maxSteps, () => isOut(crowd))
        }
        assert.ok(play(false) < Infinity, `${name}, goal ${goal}, ${put}`)
        if (goal !== null && goal !== place) continue
        assert.is(play(true), Infinity)
      }
})

// ---- Groups and enabled ----

/** Returns the path of a walker in slot 0, among the agents that `begin` adds. */
const pathOf = (dimensions, begin, during = () => {}) => {
  const crowd = crowdOf(dimensions, { capacity: 40 })
  const place = (x, y) => [x, y, 0].slice(0, dimensions)
  crowd.add({ position: place(0, 0), goal: place(12, 0) })
  begin(crowd, place)
  const path = []
  stepsUntil(crowd, 10 * SECOND, (step) => {
    path.push(...bits(crowd, crowd.positions, 0), ...bits(crowd, crowd.velocities, 0))
    during(crowd, step)
  })
  return path
}
const crossing = (extra) => (crowd, place) => {
  for (let i = 0; i < 9; i++)
    crowd.add({
      position: place(2 + i, (i % 3) / 4),
      velocity: place(-1, 0),
      goal: place(0, 0),
      ...extra,
    })
}

test('no agent avoids one that is removed, disabled, or in no group', () => {
  for (const dimensions of [2, 3]) {
    const alone = pathOf(dimensions, () => {})
    assert.is.not(String(pathOf(dimensions, crossing({}))), String(alone))
    const isAlone = (begin, during) => assert.equal(pathOf(dimensions, begin, during), alone)
    isAlone(crossing({ enabled: false }))
    isAlone(crossing({ groups: 0 }))
    isAlone(crossing({ groups: 0, locked: true }))
    isAlone((crowd, place) => {
      crossing({})(crowd, place)
      for (let slot = 1; slot < 10; slot++) crowd.remove(slot)
    })
    isAlone((crowd, place) => {
      crossing({})(crowd, place)
      crowd.enabled.fill(0, 1)
      crowd.positions.fill(NaN, dimensions)
      crowd.velocities.fill(Infinity, dimensions)
    })
  }
})

test('a disabled agent stays where it is; once enabled, it continues', () => {
  const crowd = crowdOf(2)
  const walker = crowd.add({ position: [0, 0], goal: [10, 0] })
  const other = crowd.add({
    position: [4, 0.1],
    velocity: [0.5, 0.25],
    goal: [-10, 0],
    enabled: false,
  })
  let nearest = Infinity
  steps(crowd, 3 * SECOND)
  assert.equal(vector(crowd, crowd.positions, other), [4, Math.fround(0.1)])
  assert.equal(vector(crowd, crowd.velocities, other), [0.5, 0.25])
  assert.equal(Array.from(crowd.inspect(walker, STEP).neighbors), [])
  crowd.positions[2 * walker] = 0
  crowd.enabled[other] = 1
  assert.equal(Array.from(crowd.inspect(walker, STEP).neighbors), [other])
  stepsUntil(crowd, 6 * SECOND, () => {
    nearest = Math.min(nearest, distance(crowd, walker, other))
  })
  assert.ok(nearest > 0.999, `${nearest}`)
  assert.ok(crowd.positions[2 * other] < 0)
})

test('an agent in no group avoids no other', () => {
  for (const dimensions of [2, 3]) {
    const alone = pathOf(dimensions, () => {})
    const path = pathOf(dimensions, (crowd, place) => {
      crossing({})(crowd, place)
      crowd.groups[0] = 0
    })
    assert.equal(path, alone)
  }
})

// ---- Shares ----

/**
 * Places two agents at random, with random velocities. Returns the correction that the constraint asks of each:
 * the signed length along its normal. Positive: the agent's velocity is not permitted.
 */
const correctionsOf = (random, dimensions, options) => {
  const crowd = crowdOf(dimensions)
  const place = (size) => Array.from({ length: dimensions }, () => size * (random() - 0.5))
  for (const agent of options) crowd.add({ position: place(5), velocity: place(3), ...agent })
  const areApart = distance(crowd, 0, 1) >= 1.1
  const corrections = options.map((_, slot) => {
    const { constraints, neighbors } = crowd.inspect(slot, STEP)
    if (neighbors.length === 0) return null
    const [point, along] = [constraints.slice(0, dimensions), constraints.slice(dimensions)]
    const normal = dimensions === 3 ? Array.from(along) : [-along[1], along[0]]
    return dot(minus(Array.from(point), vector(crowd, crowd.velocities, slot)), normal)
  })
  crowd.dispose() // thousands of crowds at once would slow down the allocator and the garbage collector
  return areApart ? corrections : null
}

/** Compares, for random cases, the corrections of two equal agents with those of two agents with `options`. */
const compareCorrections = (options, check) => {
  for (const dimensions of [2, 3]) {
    let colliding = 0
    for (let seed = 0; seed < 150; seed++) {
      const equal = correctionsOf(createRandom(seed), dimensions, [{}, {}])
      if (equal === null) continue
      const total = 2 * equal[0]
      const close = (a, b) => Math.abs(a - b) <= 2e-5 * (1 + Math.abs(total))
      assert.ok(close(equal[0], equal[1]), `seed ${seed}: ${equal}`)
      const agents = options(createRandom(seed + 1000))
      const corrections = correctionsOf(createRandom(seed), dimensions, agents)
      check({ corrections, agents, total, close, seed })
      if (total > 0) colliding++
    }
    assert.ok(colliding > 5, `${colliding}`)
  }
}

test('two agents share the correction by their priorities', () => {
  const options = (random) => [
    { priority: 8 * random() },
    { priority: random() < 0.2 ? 0 : 8 * random() },
  ]
  compareCorrections(options, ({ corrections, agents, total, close, seed }) => {
    const sum = agents[0].priority + agents[1].priority
    const shares = [agents[1].priority / sum, agents[0].priority / sum]
    if (total < 0) shares.fill(0.5) // they would not collide: each gets half of the free room
    const [first, second] = corrections
    assert.ok(close(first + second, total), `seed ${seed}: ${corrections}, total ${total}`)
    for (const i of [0, 1])
      assert.ok(
        close(corrections[i], shares[i] * total),
        `seed ${seed}: ${corrections[i]}, not ${shares[i]} of ${total}`,
      )
  })
})

test('an agent makes the whole correction if the other is locked or ignores it', () => {
  const others = [
    { locked: true, priority: 0 },
    { mask: ~1, priority: 0 },
    { mask: 0, priority: 2 },
  ]
  for (const other of others)
    compareCorrections(
      () => [{ priority: 5 }, other],
      ({ corrections, total, close, seed }) =>
        assert.ok(close(corrections[0], total), `seed ${seed}: ${corrections[0]}, not ${total}`),
    )
})

test('an agent outside of a mask is not avoided, and makes the whole correction', () => {
  compareCorrections(
    () => [{ groups: 4, mask: 1 }, { groups: 2 }],
    ({ corrections, total, close, seed }) => {
      assert.is(corrections[0], null)
      assert.ok(close(corrections[1], total), `seed ${seed}: ${corrections[1]}, not ${total}`)
    },
  )
  for (const dimensions of [2, 3]) {
    const alone = pathOf(dimensions, () => {})
    const path = pathOf(dimensions, (crowd, place) => {
      crossing({ groups: 6 })(crowd, place)
      crowd.masks[0] = ~6
    })
    assert.equal(path, alone)
  }
})

test('an agent that does not give way is avoided by the other', () => {
  for (const [maxAside, extra] of [
    [0, { mask: 0 }],
    [0.25, { priority: 1e6 }], // still turns aside a little
  ]) {
    const crowd = crowdOf(2)
    crowd.add({ position: [-8, 0], goal: [8, 0], ...extra })
    crowd.add({ position: [8, 0.02], goal: [-8, 0.02] })
    let [nearest, aside] = [Infinity, 0]
    stepsUntil(crowd, 16 * SECOND, () => {
      nearest = Math.min(nearest, distance(crowd, 0, 1))
      aside = Math.max(aside, Math.abs(crowd.positions[1]))
    })
    assert.ok(nearest > 0.999, `${nearest}`)
    assert.ok(aside <= maxAside, `${aside}`)
    assert.ok(toGoal(crowd, 0) < 0.1)
  }
})

// ---- Locked ----

test('a locked agent never moves, whatever the others do', () => {
  for (const dimensions of [2, 3])
    for (let seed = 0; seed < 10; seed++) {
      const random = createRandom(seed)
      const crowd = crowdOf(dimensions, { capacity: 40 })
      const place = (size) => Array.from({ length: dimensions }, () => size * random())
      for (let i = 0; i < 40; i++)
        crowd.add({
          ...{
            position: place(6),
            goal: place(6),
            velocity: place(1),
            preferredVelocity: place(1),
          },
          ...{ locked: i % 5 === 0, priority: 3 * random() },
        })
      if (dimensions === 2) crowd.obstacles = obstacleTree([1, 1, 4, 1, 4, 4, 1, 4])
      const before = [crowd.positions.slice(), crowd.velocities.slice()]
      steps(crowd, 2 * SECOND)
      for (let slot = 0; slot < 40; slot++) {
        const isLocked = slot % 5 === 0
        const current = [crowd.positions, crowd.velocities].map((array) =>
          String(bits(crowd, array, slot)),
        )
        const original = before.map((array) => String(bits(crowd, array, slot)))
        assert.is(String(current) === String(original), isLocked, `seed ${seed}, slot ${slot}`)
      }
    }
})

test('a locked agent that the caller moves is avoided', () => {
  for (const dimensions of [2, 3]) {
    const random = createRandom(2)
    const crowd = crowdOf(dimensions, { capacity: 40 })
    const place = () =>
      Array.from({ length: dimensions }, (_, axis) => (axis ? 8 * random() - 4 : 20 * random()))
    const car = crowd.add({ position: [-8, 0, 0].slice(0, dimensions), radius: 1, locked: true })
    for (let i = 1; i < 30; i++) crowd.add({ position: place(), goal: i % 2 ? place() : null })
    let nearest = Infinity
    crowd.velocities[0] = 1.5
    steps(crowd, 2 * SECOND) // agents that overlap part
    stepsUntil(crowd, 20 * SECOND, () => {
      crowd.positions[0] += 1.5 * STEP
      for (let slot = 1; slot < 30; slot++)
        nearest = Math.min(nearest, distance(crowd, car, slot) / 1.5)
    })
    assert.ok(nearest > 0.999, `${nearest}`)
    assert.ok(nearest < 1.2, `${nearest}`) // it came near some agents
  }
})

// ---- Limits ----

test('speeds and changes of velocity stay within their limits', () => {
  for (const dimensions of [2, 3])
    for (const maxAcceleration of [0, 0.5, 20, Infinity])
      for (const dt of [STEP, 0.25]) {
        const random = createRandom(4)
        const crowd = crowdOf(dimensions, { capacity: 50, maxAcceleration })
        const place = (size) => Array.from({ length: dimensions }, () => size * random())
        for (let i = 0; i < 50; i++)
          crowd.add({
            position: place(8),
            goal: place(8),
            velocity: place(0.7),
            maxSpeed: 1.25 + random(),
          })
        if (dimensions === 2) crowd.obstacles = obstacleTree([2, 2, 5, 2, 5, 5, 2, 5])
        for (let step = 0; step < 40; step++) {
          const before = crowd.velocities.slice()
          crowd.step(dt)
          for (let slot = 0; slot < 50; slot++) {
            const [velocity, maxSpeed] = [
              vector(crowd, crowd.velocities, slot),
              crowd.maxSpeeds[slot],
            ]
            assert.ok(
              lengthOf(velocity) <= maxSpeed * (1 + 1e-5),
              `${lengthOf(velocity)}, not ${maxSpeed}`,
            )
            const change = lengthOf(minus(velocity, vector(crowd, before, slot)))
            // The sum of two floats is rounded.
            const allowed = maxAcceleration * dt * (1 + 1e-5) + 1e-7 * maxSpeed
            assert.ok(change <= allowed, `${change}, not ${allowed}`)
          }
        }
      }
})

test('with limited acceleration, agents still pass each other and reach their goals', () => {
  for (const dimensions of [2, 3]) {
    const crowd = crowdOf(dimensions, { maxAcceleration: 2 })
    const place = (x, y) => [x, y, 0].slice(0, dimensions)
    crowd.add({ position: place(-8, 0), goal: place(8, 0) })
    crowd.add({ position: place(8, 0), goal: place(-8, 0) })
    let nearest = Infinity
    const stepCount = stepsUntil(crowd, 22 * SECOND, () => {
      nearest = Math.min(nearest, distance(crowd, 0, 1))
      return toGoal(crowd, 0) < 0.25 && toGoal(crowd, 1) < 0.25
    })
    assert.ok(stepCount < Infinity)
    assert.ok(nearest > 0.98, `${nearest}`)
  }
})

// ---- Events ----

test('an agent arrives once per goal', () => {
  for (const exact of [false, true])
    for (const dimensions of [2, 3]) {
      const crowd = crowdOf(dimensions, { exact })
      const place = (x) => [x, 0, 0].slice(0, dimensions)
      crowd.add({ position: place(0) }) // no goal
      const slot = crowd.add({ position: place(4), goal: place(7) })
      assert.equal(Array.from(crowd.arrived()), [])
      const first = eventsOf(crowd, 10 * SECOND, 'arrived')
      assert.is(first.length, 1)
      assert.is(first[0][1], slot)
      assert.ok(first[0][0] > 2.9 && first[0][0] < 3.1, `${first}`)
      crowd.goals.set(place(12), slot * dimensions)
      const second = eventsOf(crowd, 10 * SECOND, 'arrived')
      assert.is(second.length, 1)
      assert.ok(second[0][0] > 4.9 && second[0][0] < 5.1, `${second}`)
    }
})

test('an agent that has arrived stays, whatever the priority of one behind it', () => {
  for (const dimensions of [2, 3])
    for (const priority of [0, 9]) {
      const crowd = crowdOf(dimensions)
      const place = (x) => [x, 0, 0].slice(0, dimensions)
      crowd.add({ position: place(0), priority })
      crowd.add({ position: place(4), goal: place(7) })
      const stepCount = stepsUntil(crowd, 10 * SECOND, () => crowd.positions[dimensions] > 7.001)
      assert.is(stepCount, Infinity)
      assert.ok(toGoal(crowd, 1) < 1e-3)
    }
})

test('an agent that cannot pass a wall is stuck once, after 2 seconds', () => {
  for (const exact of [false, true]) {
    const crowd = crowdOf(2, { exact, obstacleTimeHorizon: 0.1 }) // stops abruptly
    crowd.add({ position: [0, 20], goal: [30, 20] })
    const slot = crowd.add({ position: [0, 0], goal: [10, 0] })
    const tree = obstacleTree()
    const door = tree.addPolygon([3, -40, 4, -40, 4, 9, 3, 9])
    crowd.obstacles = tree
    const stuck = eventsOf(crowd, 30 * SECOND, 'stuck')
    assert.is(stuck.length, 1, `${JSON.stringify(stuck)}`)
    assert.is(stuck[0][1], slot)
    assert.ok(stuck[0][0] > 4.4 && stuck[0][0] < 5, `${stuck}`) // it takes 2.5 s to the wall
    assert.ok(Math.abs(crowd.positions[3]) < 1e-3, `${crowd.positions[3]}`)
    tree.remove(door)
    let arrived = 0
    const again = []
    stepsUntil(crowd, 12 * SECOND, () => {
      arrived += Array.from(crowd.arrived()).includes(slot) ? 1 : 0
      again.push(...crowd.stuck())
    })
    assert.is(arrived, 1)
    assert.equal(again, [])
  }
})

test('a moved agent is not stuck, and may be stuck again 2 seconds later', () => {
  for (const exact of [false, true]) {
    const crowd = crowdOf(2, { exact, obstacleTimeHorizon: 0.1 })
    crowd.obstacles = obstacleTree([3, -40, 4, -40, 4, 40, 3, 40])
    const slot = crowd.add({ position: [0, 0], goal: [10, 0] })
    const stuckTimes = (seconds) => eventsOf(crowd, seconds * SECOND, 'stuck').map(([time]) => time)
    const first = stuckTimes(20)
    assert.ok(first.length === 1 && first[0] > 4.4 && first[0] < 5, `${first}`)
    // To the same place, to one as far from the goal, and to two farther ones: it waits 2 seconds each time.
    const x = crowd.positions[0]
    for (const place of [
      [x, 0],
      [10 - (10 - x) * Math.cos(0.05), (10 - x) * Math.sin(0.05)],
      [x, -0.5],
      [0.5, 0],
    ]) {
      crowd.move(slot, ...place)
      const again = stuckTimes(12)
      assert.is(again.length, 1, `${place}: ${again}`)
      assert.ok(again[0] > 1.9 && again[0] < 6, `${place}: ${again}`)
    }
    // Moving it restarts the wait.
    crowd.move(slot, x, 0)
    assert.equal(stuckTimes(1.5), [])
    crowd.move(slot, x, 0)
    assert.equal(stuckTimes(1.5), [])
    assert.is(stuckTimes(1.5).length, 1)
  }
})

test('an agent that has arrived and is moved arrives again', () => {
  for (const dimensions of [2, 3]) {
    const crowd = crowdOf(dimensions)
    const place = (x) => [x, 0, 0].slice(0, dimensions)
    const slot = crowd.add({ position: place(0), goal: place(1) })
    const arrivalsIn = (seconds) => eventsOf(crowd, seconds * SECOND, 'arrived').length
    assert.is(arrivalsIn(3), 1)
    assert.is(arrivalsIn(3), 0)
    for (const x of [1, 0.5, -2, 1 + 2 ** -20]) {
      crowd.move(slot, ...place(x))
      assert.is(arrivalsIn(6), 1, `${x}`)
    }
  }
})

test('reserve keeps events, restore clears them', () => {
  const crowd = crowdOf(2, { capacity: 3 })
  crowd.add({ position: [5, 5] })
  crowd.add({ position: [0, 0], goal: [0, 0] })
  crowd.add({ position: [9, 0], goal: [9, 0] })
  crowd.step(STEP)
  assert.equal(Array.from(crowd.arrived()), [1, 2])
  crowd.reserve(3000)
  assert.equal(Array.from(crowd.arrived()), [1, 2])
  const saved = crowd.save()
  crowd.restore(saved)
  assert.equal(Array.from(crowd.arrived()), [])
  crowd.step(STEP)
  assert.equal(Array.from(crowd.arrived()), []) // it arrived before the snapshot
})

test('a crowd restored at any moment continues bit for bit', () => {
  for (const dimensions of [2, 3])
    for (const exact of [false, true]) {
      const random = createRandom(8)
      const options = { capacity: 60, exact }
      const crowd = crowdOf(dimensions, options)
      const other = crowdOf(dimensions, options)
      const place = () => Array.from({ length: dimensions }, () => 16 * random())
      for (let i = 0; i < 60; i++)
        crowd.add({
          ...{ position: place(), goal: i % 3 ? place().fill(8) : place() },
          ...{ priority: i % 4, groups: 1 + (i % 3), mask: i % 5 ? -1 : 2 },
          ...{
            locked: i % 11 === 0,
            enabled: i % 13 !== 0,
            maxAcceleration: i % 7 ? Infinity : 4,
          },
        })
      if (dimensions === 2)
        crowd.obstacles = other.obstacles = obstacleTree([6, 3, 9, 3, 9, 6, 6, 6])
      let [arrived, stuck] = [0, 0]
      for (let moment = 0; moment < 20; moment++) {
        steps(crowd, 1 + Math.floor(12 * random()), 0.125)
        other.clear()
        other.restore(crowd.save())
        for (let step = 0; step < 4; step++) {
          crowd.step(0.125)
          other.step(0.125)
          assert.is(other.hash(), crowd.hash())
          assert.equal(Array.from(other.arrived()), Array.from(crowd.arrived()))
          assert.equal(Array.from(other.stuck()), Array.from(crowd.stuck()))
          arrived += crowd.arrived().length
          stuck += crowd.stuck().length
        }
        assert.equal(other.save(), crowd.save())
      }
      assert.ok(arrived + stuck > 0, `${arrived}, ${stuck}`)
    }
})

// ---- Options ----

test('views have the right types, lengths and defaults', () => {
  for (const dimensions of [2, 3]) {
    const crowd = crowdOf(dimensions)
    const position = new Array(dimensions).fill(0)
    crowd.add({ position })
    const views = {
      maxAccelerations: [Float32Array, Infinity],
      priorities: [Float32Array, 0],
      groups: [Uint32Array, 1],
      masks: [Uint32Array, 2 ** 32 - 1],
      enabled: [Uint32Array, 1],
      locked: [Uint32Array, 0],
    }
    for (const [name, [type, value]] of Object.entries(views)) {
      assert.instance(crowd[name], type, name)
      assert.is(crowd[name].length, 8, name)
      assert.is(crowd[name][0], value, name)
      assert.is(crowd[name], crowd[name])
    }
    const ownValues = {
      maxAcceleration: 3,
      priority: 2,
      groups: 0,
      mask: 6,
      enabled: false,
      locked: true,
    }
    const valuesOf = (owner, slot) => Object.keys(views).map((name) => owner[name][slot])
    const slot = crowd.add({ position, ...ownValues })
    assert.equal(valuesOf(crowd, slot), [3, 2, 0, 6, 0, 1])
    const configured = crowdOf(dimensions, ownValues)
    assert.equal(valuesOf(configured, configured.add({ position })), [3, 2, 0, 6, 0, 1])
    assert.is(configured.add({ position, enabled: true, locked: false, groups: -1, mask: -1 }), 1)
    assert.equal(valuesOf(configured, 1), [3, 2, 2 ** 32 - 1, 2 ** 32 - 1, 1, 0])
  }
})

test('refuses values out of range or of the wrong type', () => {
  const wrongs = [
    ...['maxAcceleration', 'priority'].flatMap((option) => [
      ...[-1, NaN, 1e19].map((wrong) => [option, wrong, 'Range']),
      ...['1', null, {}, true].map((wrong) => [option, wrong, 'Type']),
    ]),
    ['priority', Infinity, 'Range'],
    ...['groups', 'mask'].flatMap((option) => [
      ...[0.5, NaN, 2 ** 32, -(2 ** 31) - 1, Infinity].map((wrong) => [option, wrong, 'Range']),
      ...['1', null, {}, false].map((wrong) => [option, wrong, 'Type']),
    ]),
    ...['enabled', 'locked'].flatMap((option) =>
      [0, 1, 'true', null, {}].map((wrong) => [option, wrong, 'Type']),
    ),
  ]
  const crowd = crowdOf(2)
  for (const [option, wrong, kind] of wrongs) {
    assertThrown(
      () => crowdOf(2, { [option]: wrong }),
      new RegExp(`^${kind}Error: Crowd: ${option} `),
    )
    assertThrown(
      () => crowd.add({ position: [0, 0], [option]: wrong }),
      new RegExp(`^${kind}Error: Crowd.add: ${option} `),
    )
    assertThrown(
      () => crowdOf(3, { [option]: wrong }),
      new RegExp(`^${kind}Error: Crowd3D: ${option} `),
    )
  }
  assert.is(crowd.count, 0)
})

test.run()
