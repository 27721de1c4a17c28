// The crowd: what it adds to the published algorithm, and who avoids whom.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as scalar from 'copse/scalar'
import { assertThrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const STEP = 1 / 60
const SECOND = 60 // steps

for (const [build, library] of Object.entries({ simd: copse, scalar })) {
  const { Crowd, Crowd3D, ObstacleTree } = library
  const test = suite(`crowd, extras, ${build}`)
  /** @type {import('copse').Instance} */ let instance
  test.before(async () => (instance = await library.create({ memory: 2 ** 22 })))

  const crowdOf = (dimensions, options) =>
    new (dimensions === 2 ? Crowd : Crowd3D)({ instance, capacity: 8, ...options })
  const walls = (...polygons) => {
    const tree = new ObstacleTree({ instance, capacity: 100 })
    for (const polygon of polygons) tree.addPolygon(polygon, { solid: 'winding' })
    return tree
  }
  const vector = (crowd, array, slot) =>
    Array.from(array.subarray(slot * crowd.dimensions, (slot + 1) * crowd.dimensions))
  const lengthOf = (v) => Math.hypot(...v)
  const minus = (a, b) => a.map((x, axis) => x - b[axis])
  const dot = (a, b) => a.reduce((sum, x, axis) => sum + x * b[axis], 0)
  const distance = (crowd, a, b) =>
    lengthOf(minus(vector(crowd, crowd.positions, a), vector(crowd, crowd.positions, b)))
  const toGoal = (crowd, slot) =>
    lengthOf(minus(vector(crowd, crowd.positions, slot), vector(crowd, crowd.goals, slot)))
  /** Steps until something holds; how many it took, Infinity: more than there may be. */
  const stepsUntil = (crowd, most, holds) => {
    for (let step = 1; step <= most; step++) {
      crowd.step()
      if (holds(step)) return step
    }
    return Infinity
  }
  const steps = (crowd, count) => stepsUntil(crowd, count, () => false)
  /** Each event as [seconds, slot], over so many steps. */
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

  test('two exactly head-on pass each other, where the algorithm alone has them stand', () => {
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
          const taken = stepsUntil(crowd, 3000, () => {
            nearest = Math.min(nearest, distance(crowd, 0, 1))
            return toGoal(crowd, 0) < 1e-3 && toGoal(crowd, 1) < 1e-3
          })
          assert.ok(nearest > 0.9999, `${nearest}`)
          return taken
        }
        const taken = meet(false)
        assert.ok(taken <= 650, `${taken} steps`) // alone 600
        assert.is(meet(true), Infinity)
      }
  })

  test('a symmetric ring gets past, where the algorithm alone has it stand', () => {
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
        const told = new Set()
        let times = 0
        const taken = stepsUntil(crowd, seconds * SECOND, () => {
          for (const slot of crowd.arrived()) told.add(slot)
          times += crowd.arrived().length
          if (told.size < count) return false
          for (let slot = 0; slot < count; slot++) if (toGoal(crowd, slot) > 0.1) return false
          return true
        })
        if (exact) assert.is(times, 0)
        else {
          assert.ok(taken < Infinity, `${count} on a ring: ${told.size} arrived`)
          assert.ok(times <= 1.1 * count, `${times} times`) // a few where there was room, first
        }
      }
  })

  // ---- Rest ----

  test('a group that shares a goal comes to rest, lets another through, and rests again', () => {
    const COUNT = 200
    const crowd = crowdOf(2, { capacity: COUNT + 1 })
    const random = createRandom(5)
    for (let i = 0; i < COUNT; i++)
      crowd.add({ position: [60 * random() - 30, 60 * random() - 30], goal: [0, 0] })
    const told = new Uint32Array(COUNT + 1)
    const listen = () => {
      for (const slot of crowd.arrived()) told[slot]++
    }
    const hasEvery = () => {
      listen()
      return told.subarray(0, COUNT).every((times) => times > 0)
    }
    const taken = stepsUntil(crowd, 70 * SECOND, hasEvery) // measured: 56 s
    assert.ok(taken < Infinity, `${told.filter((times) => times > 0).length} arrived`)
    assert.ok(Math.max(...told) <= 6, `${Math.max(...told)}`) // measured: 3
    stepsUntil(crowd, 5 * SECOND, listen)

    const rests = () => {
      const before = crowd.positions.slice()
      let farthest = 0
      stepsUntil(crowd, 10 * SECOND, () => {
        listen()
        for (let at = 0; at < 2 * COUNT; at += 2)
          farthest = Math.max(
            farthest,
            Math.hypot(crowd.positions[at] - before[at], crowd.positions[at + 1] - before[at + 1]),
          )
      })
      assert.ok(farthest <= 0.01 * 0.5, `${farthest}`)
    }
    rests()

    told.fill(0)
    const passing = crowd.add({ position: [-25, 0.3], goal: [25, 0.3] })
    const passed = stepsUntil(crowd, 80 * SECOND, () => {
      listen()
      return toGoal(crowd, passing) < 0.1
    })
    assert.ok(passed <= 1.5 * 50 * SECOND, `${passed / SECOND} s`) // alone 50 s; measured: 64.3
    stepsUntil(crowd, 5 * SECOND, listen)
    assert.is(told[passing], 1)
    assert.ok(Math.max(...told) <= 12, `${Math.max(...told)}`) // who is pushed away arrives again
    rests()
  })

  // ---- Out of walls ----

  test('who overlaps a wall comes out', () => {
    for (const exact of [false, true])
      for (const preferredVelocity of [
        [0, 0],
        [0.5, 0],
        [0, -1], // into the wall
      ]) {
        const crowd = crowdOf(2, { exact })
        crowd.add({ position: [0, 0.25], preferredVelocity })
        crowd.obstacles = walls([-50, -5, 50, -5, 50, 0, -50, 0])
        const taken = stepsUntil(crowd, SECOND, () => crowd.positions[1] >= 0.99 * 0.5)
        if (exact) assert.is(taken, Infinity)
        else assert.ok(taken <= 0.5 * SECOND, `${taken} steps`)
        steps(crowd, 2 * SECOND)
        if (!exact) assert.ok(crowd.positions[1] >= 0.99 * 0.5, `${crowd.positions[1]}`)
      }
  })

  /** By name: a polygon, a place in what is solid, and how deep that is. */
  const SOLIDS = {
    square: [[0, 0, 10, 0, 10, 10, 0, 10], [5, 5], 5],
    'a U': [[0, 0, 12, 0, 12, 12, 8, 12, 8, 4, 4, 4, 4, 12, 0, 12], [6, 2], 2],
    'an L, at its inner corner': [[0, 0, 12, 0, 12, 4, 4, 4, 4, 12, 0, 12], [2.5, 2.5], 2.5],
    'all but a room': [[0, 0, 0, 10, 10, 10, 10, 0], [-3, 5], 3],
    'all but a room, at its corner': [[0, 0, 0, 10, 10, 10, 10, 0], [-3, -3], 4.3],
  }

  test('who is in a solid comes out, and who is put into one', () => {
    for (const [name, [polygon, place, depth]] of Object.entries(SOLIDS))
      for (const goal of [null, place, [40, 41]])
        for (const put of [null, 'written', 'moved']) {
          const tree = walls(polygon)
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
            // At full speed; then the radius, and what it takes to notice what was written.
            const notice = put === 'written' ? 32 : 0
            const most = Math.ceil((1.25 * (depth + 0.5) * SECOND) / 2) + 30 + notice
            return stepsUntil(crowd, most, () => isOut(crowd))
          }
          assert.ok(play(false) < Infinity, `${name}, goal ${goal}, ${put}`)
          if (goal !== null && goal !== place) continue
          assert.is(play(true), Infinity)
        }
  })

  // ---- Who takes part ----

  /** A walker in slot 0, and its path, among others as `begin` says. */
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

  test('who is removed, disabled, or in no group is avoided by nobody', () => {
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

  test('who is disabled stays as it is, and once enabled goes on', () => {
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
    assert.equal(Array.from(crowd.inspect(walker).neighbors), [])
    crowd.positions[2 * walker] = 0
    crowd.enabled[other] = 1
    assert.equal(Array.from(crowd.inspect(walker).neighbors), [other])
    stepsUntil(crowd, 6 * SECOND, () => {
      nearest = Math.min(nearest, distance(crowd, walker, other))
    })
    assert.ok(nearest > 0.999, `${nearest}`)
    assert.ok(crowd.positions[2 * other] < 0)
  })

  test('in no group, one avoids nobody', () => {
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
   * Two agents at random places that move at random, nobody else; what each is asked to do, as signed
   * lengths along the constraints' normals: > 0, its velocity is not permitted.
   */
  const shifts = (random, dimensions, options) => {
    const crowd = crowdOf(dimensions)
    const place = (size) => Array.from({ length: dimensions }, () => size * (random() - 0.5))
    for (const own of options) crowd.add({ position: place(5), velocity: place(3), ...own })
    if (distance(crowd, 0, 1) < 1.1) return null
    const asked = options.map((_, slot) => {
      const { constraints, neighbors } = crowd.inspect(slot)
      if (neighbors.length === 0) return null
      const [point, along] = [constraints.slice(0, dimensions), constraints.slice(dimensions)]
      const normal = dimensions === 3 ? Array.from(along) : [-along[1], along[0]]
      return dot(minus(Array.from(point), vector(crowd, crowd.velocities, slot)), normal)
    })
    return asked
  }

  /** Calls with what is asked of two alike and of two that are as told, for random cases. */
  const compareShifts = (options, check) => {
    for (const dimensions of [2, 3]) {
      let colliding = 0
      for (let seed = 0; seed < 700; seed++) {
        const alike = shifts(createRandom(seed), dimensions, [{}, {}])
        if (alike === null) continue
        const whole = 2 * alike[0]
        const close = (a, b) => Math.abs(a - b) <= 2e-5 * (1 + Math.abs(whole))
        assert.ok(close(alike[0], alike[1]), `seed ${seed}: ${alike}`)
        const given = options(createRandom(seed + 1000))
        const asked = shifts(createRandom(seed), dimensions, given)
        check({ asked, given, whole, close, seed })
        if (whole > 0) colliding++
      }
      assert.ok(colliding > 20, `${colliding}`)
    }
  }

  test('two share what is to be done by their priorities', () => {
    const options = (random) => [
      { priority: 8 * random() },
      { priority: random() < 0.2 ? 0 : 8 * random() },
    ]
    compareShifts(options, ({ asked, given, whole, close, seed }) => {
      const sum = given[0].priority + given[1].priority
      const parts = [given[1].priority / sum, given[0].priority / sum]
      if (whole < 0) parts.fill(0.5) // of the room that is left, where they would not collide
      assert.ok(close(asked[0] + asked[1], whole), `seed ${seed}: ${asked}, whole ${whole}`)
      for (const i of [0, 1])
        assert.ok(
          close(asked[i], parts[i] * whole),
          `seed ${seed}: ${asked[i]}, not ${parts[i]} of ${whole}`,
        )
    })
  })

  test('of two, one does all where the other is locked, or has a mask without it', () => {
    const others = [
      { locked: true, priority: 0 },
      { mask: ~1, priority: 0 },
      { mask: 0, priority: 2 },
    ]
    for (const other of others)
      compareShifts(
        () => [{ priority: 5 }, other],
        ({ asked, whole, close, seed }) =>
          assert.ok(close(asked[0], whole), `seed ${seed}: ${asked[0]}, not ${whole}`),
      )
  })

  test('whose groups a mask lacks is not heeded, and has to do all', () => {
    compareShifts(
      () => [{ groups: 4, mask: 1 }, { groups: 2 }],
      ({ asked, whole, close, seed }) => {
        assert.is(asked[0], null)
        assert.ok(close(asked[1], whole), `seed ${seed}: ${asked[1]}, not ${whole}`)
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

  test('one that goes on straight is avoided by those that have to', () => {
    for (const [most, extra] of [
      [0, { mask: 0 }],
      [0.25, { priority: 1e6 }], // turns aside a little all the same
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
      assert.ok(aside <= most, `${aside}`)
      assert.ok(toGoal(crowd, 0) < 0.1)
    }
  })

  // ---- Locked ----

  test('a locked agent never moves, whatever happens around it', () => {
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
        if (dimensions === 2) crowd.obstacles = walls([1, 1, 4, 1, 4, 4, 1, 4])
        const before = [crowd.positions.slice(), crowd.velocities.slice()]
        steps(crowd, 2 * SECOND)
        for (let slot = 0; slot < 40; slot++) {
          const isLocked = slot % 5 === 0
          const now = [crowd.positions, crowd.velocities].map((array) =>
            String(bits(crowd, array, slot)),
          )
          const then = before.map((array) => String(bits(crowd, array, slot)))
          assert.is(String(now) === String(then), isLocked, `seed ${seed}, slot ${slot}`)
        }
      }
  })

  test('a car that the game drives is avoided', () => {
    for (const dimensions of [2, 3]) {
      const random = createRandom(2)
      const crowd = crowdOf(dimensions, { capacity: 40 })
      const place = () =>
        Array.from({ length: dimensions }, (_, axis) => (axis ? 8 * random() - 4 : 20 * random()))
      const car = crowd.add({ position: [-8, 0, 0].slice(0, dimensions), radius: 1, locked: true })
      for (let i = 1; i < 30; i++) crowd.add({ position: place(), goal: i % 2 ? place() : null })
      let nearest = Infinity
      crowd.velocities[0] = 1.5
      steps(crowd, 2 * SECOND) // those that overlap part
      stepsUntil(crowd, 20 * SECOND, () => {
        crowd.positions[0] += 1.5 * STEP
        for (let slot = 1; slot < 30; slot++)
          nearest = Math.min(nearest, distance(crowd, car, slot) / 1.5)
      })
      assert.ok(nearest > 0.999, `${nearest}`)
      assert.ok(nearest < 1.2, `${nearest}`) // it met some
    }
  })

  // ---- Limits ----

  test('nobody is faster than allowed, or changes its velocity faster', () => {
    for (const dimensions of [2, 3])
      for (const maxAcceleration of [0, 0.01, 0.5, 3, 20, Infinity])
        for (const timeStep of [STEP, 0.25]) {
          const random = createRandom(4)
          const crowd = crowdOf(dimensions, { capacity: 50, maxAcceleration, timeStep })
          const place = (size) => Array.from({ length: dimensions }, () => size * random())
          for (let i = 0; i < 50; i++)
            crowd.add({
              position: place(8),
              goal: place(8),
              velocity: place(0.7),
              maxSpeed: 1.25 + random(),
            })
          if (dimensions === 2) crowd.obstacles = walls([2, 2, 5, 2, 5, 5, 2, 5])
          for (let step = 0; step < 100; step++) {
            const before = crowd.velocities.slice()
            crowd.step()
            for (let slot = 0; slot < 50; slot++) {
              const [now, most] = [vector(crowd, crowd.velocities, slot), crowd.maxSpeeds[slot]]
              assert.ok(lengthOf(now) <= most * (1 + 1e-5), `${lengthOf(now)}, not ${most}`)
              const change = lengthOf(minus(now, vector(crowd, before, slot)))
              // The sum of two floats is rounded.
              const allowed = maxAcceleration * timeStep * (1 + 1e-5) + 1e-7 * most
              assert.ok(change <= allowed, `${change}, not ${allowed}`)
            }
          }
        }
  })

  test('with a limit of acceleration, one still gets to its goal and past others', () => {
    for (const dimensions of [2, 3]) {
      const crowd = crowdOf(dimensions, { maxAcceleration: 2 })
      const place = (x, y) => [x, y, 0].slice(0, dimensions)
      crowd.add({ position: place(-8, 0), goal: place(8, 0) })
      crowd.add({ position: place(8, 0), goal: place(-8, 0) })
      let nearest = Infinity
      const taken = stepsUntil(crowd, 22 * SECOND, () => {
        nearest = Math.min(nearest, distance(crowd, 0, 1))
        return toGoal(crowd, 0) < 0.25 && toGoal(crowd, 1) < 0.25
      })
      assert.ok(taken < Infinity)
      assert.ok(nearest > 0.98, `${nearest}`)
    }
  })

  // ---- Events ----

  test('one arrives once, and again at another goal', () => {
    for (const exact of [false, true])
      for (const dimensions of [2, 3]) {
        const crowd = crowdOf(dimensions, { exact })
        const place = (x) => [x, 0, 0].slice(0, dimensions)
        crowd.add({ position: place(0) }) // goes nowhere
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

  test('who has arrived stops, however little it may do for one far behind it', () => {
    for (const dimensions of [2, 3])
      for (const priority of [0, 9]) {
        const crowd = crowdOf(dimensions)
        const place = (x) => [x, 0, 0].slice(0, dimensions)
        crowd.add({ position: place(0), priority })
        crowd.add({ position: place(4), goal: place(7) })
        const taken = stepsUntil(crowd, 10 * SECOND, () => crowd.positions[dimensions] > 7.001)
        assert.is(taken, Infinity)
        assert.ok(toGoal(crowd, 1) < 1e-3)
      }
  })

  test('who does not get past a wall is stuck after 2 seconds, once', () => {
    for (const exact of [false, true]) {
      const crowd = crowdOf(2, { exact, timeHorizonObstacles: 0.1 }) // stops all at once
      crowd.add({ position: [0, 20], goal: [30, 20] })
      const slot = crowd.add({ position: [0, 0], goal: [10, 0] })
      const tree = walls()
      const door = tree.addPolygon([3, -40, 4, -40, 4, 9, 3, 9])
      crowd.obstacles = tree
      const stuck = eventsOf(crowd, 30 * SECOND, 'stuck')
      assert.is(stuck.length, 1, `${JSON.stringify(stuck)}`)
      assert.is(stuck[0][1], slot)
      assert.ok(stuck[0][0] > 4.4 && stuck[0][0] < 5, `${stuck}`) // 2.5 to the wall
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

  test('who is moved is stuck no more, wherever to, and may be so again', () => {
    for (const exact of [false, true]) {
      const crowd = crowdOf(2, { exact, timeHorizonObstacles: 0.1 })
      crowd.obstacles = walls([3, -40, 4, -40, 4, 40, 3, 40])
      const slot = crowd.add({ position: [0, 0], goal: [10, 0] })
      const told = (seconds) => eventsOf(crowd, seconds * SECOND, 'stuck').map(([at]) => at)
      const first = told(20)
      assert.ok(first.length === 1 && first[0] > 4.4 && first[0] < 5, `${first}`)
      // To where it is, as far from the goal, nearer, and farther: it waits 2 seconds each time.
      const at = crowd.positions[0]
      for (const place of [
        [at, 0],
        [10 - (10 - at) * Math.cos(0.05), (10 - at) * Math.sin(0.05)],
        [at, -0.5],
        [0.5, 0],
      ]) {
        crowd.move(slot, ...place)
        const again = told(12)
        assert.is(again.length, 1, `${place}: ${again}`)
        assert.ok(again[0] > 1.9 && again[0] < 6, `${place}: ${again}`)
      }
      // Half a wait, moved, and half a wait more: not yet.
      crowd.move(slot, at, 0)
      assert.equal(told(1.5), [])
      crowd.move(slot, at, 0)
      assert.equal(told(1.5), [])
      assert.is(told(1.5).length, 1)
    }
  })

  test('who has arrived and is moved arrives again', () => {
    for (const dimensions of [2, 3]) {
      const crowd = crowdOf(dimensions)
      const place = (x) => [x, 0, 0].slice(0, dimensions)
      const slot = crowd.add({ position: place(0), goal: place(1) })
      const told = (seconds) => eventsOf(crowd, seconds * SECOND, 'arrived').length
      assert.is(told(3), 1)
      assert.is(told(3), 0)
      for (const x of [1, 0.5, -2, 1 + 2 ** -20]) {
        crowd.move(slot, ...place(x))
        assert.is(told(6), 1, `${x}`)
      }
    }
  })

  test('events are kept when a crowd grows, and gone when it is restored', () => {
    const crowd = crowdOf(2, { capacity: 3 })
    crowd.add({ position: [5, 5] })
    crowd.add({ position: [0, 0], goal: [0, 0] })
    crowd.add({ position: [9, 0], goal: [9, 0] })
    crowd.step()
    assert.equal(Array.from(crowd.arrived()), [1, 2])
    crowd.reserve(3000)
    assert.equal(Array.from(crowd.arrived()), [1, 2])
    const saved = crowd.save()
    crowd.restore(saved)
    assert.equal(Array.from(crowd.arrived()), [])
    crowd.step()
    assert.equal(Array.from(crowd.arrived()), []) // it has told
  })

  test('restored at any moment, a crowd goes on bit for bit', () => {
    for (const dimensions of [2, 3])
      for (const exact of [false, true]) {
        const random = createRandom(8)
        const options = { capacity: 60, exact, timeStep: 0.125 }
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
        if (dimensions === 2) crowd.obstacles = other.obstacles = walls([6, 3, 9, 3, 9, 6, 6, 6])
        let [arrived, stuck] = [0, 0]
        for (let moment = 0; moment < 20; moment++) {
          steps(crowd, 1 + Math.floor(12 * random()))
          other.clear()
          other.restore(crowd.save())
          for (let step = 0; step < 4; step++) {
            crowd.step()
            other.step()
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

  test('views have types, lengths and defaults', () => {
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
      const own = {
        maxAcceleration: 3,
        priority: 2,
        groups: 0,
        mask: 6,
        enabled: false,
        locked: true,
      }
      const heldBy = (of, slot) => Object.keys(views).map((name) => of[name][slot])
      const slot = crowd.add({ position, ...own })
      assert.equal(heldBy(crowd, slot), [3, 2, 0, 6, 0, 1])
      const all = crowdOf(dimensions, own)
      assert.equal(heldBy(all, all.add({ position })), [3, 2, 0, 6, 0, 1])
      assert.is(all.add({ position, enabled: true, locked: false, groups: -1, mask: -1 }), 1)
      assert.equal(heldBy(all, 1), [3, 2, 2 ** 32 - 1, 2 ** 32 - 1, 1, 0])
    }
  })

  test('refuses what is out of range, or of another type', () => {
    const wrongs = [
      ...['maxAcceleration', 'priority'].flatMap((what) => [
        ...[-1, NaN, 1e19].map((wrong) => [what, wrong, 'Range']),
        ...['1', null, {}, true].map((wrong) => [what, wrong, 'Type']),
      ]),
      ['priority', Infinity, 'Range'],
      ...['groups', 'mask'].flatMap((what) => [
        ...[0.5, NaN, 2 ** 32, -(2 ** 31) - 1, Infinity].map((wrong) => [what, wrong, 'Range']),
        ...['1', null, {}, false].map((wrong) => [what, wrong, 'Type']),
      ]),
      ...['enabled', 'locked'].flatMap((what) =>
        [0, 1, 'true', null, {}].map((wrong) => [what, wrong, 'Type']),
      ),
    ]
    const crowd = crowdOf(2)
    for (const [what, wrong, kind] of wrongs) {
      assertThrown(
        () => crowdOf(2, { [what]: wrong }),
        new RegExp(`^${kind}Error: Crowd: ${what} `),
      )
      assertThrown(
        () => crowd.add({ position: [0, 0], [what]: wrong }),
        new RegExp(`^${kind}Error: Crowd.add: ${what} `),
      )
      assertThrown(
        () => crowdOf(3, { [what]: wrong }),
        new RegExp(`^${kind}Error: Crowd3D: ${what} `),
      )
    }
    assert.is(crowd.count, 0)
  })

  test.run()
}
