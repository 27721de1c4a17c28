// Drawn worlds in which agents stand in the way of others, or differ in size: every agent arrives, in time, and
// none gets deep into another.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Crowd, Crowd3D, init, ObstacleTree } from 'copse'
import { createRandom, integer } from '../../web/random.js'
import { runsOf, SEED } from './support/fastcheck.js'

const test = suite('outcomes of crowds')
await init()

/** Plays worlds, each drawn from a seed of its own. */
function playWorlds(usual, play) {
  for (let world = 0; world < runsOf(usual); world++) play(createRandom(1000 * SEED + world), world)
}

/** Creates a crowd in a corridor from 0 to `length`, which is `width` wide. */
function createCorridor(length, width) {
  const walls = new ObstacleTree({ capacity: 8 })
  const crowd = new Crowd({ capacity: 20 })
  walls.addPolygon([0, 0, length, 0, length, width, 0, width], { solid: 'outside' })
  crowd.obstacles = walls
  return { walls, crowd }
}

/** Steps a crowd until some agents are beyond x, and returns the seconds; Infinity if they need more than `limit`. */
function secondsUntilBeyond(crowd, slots, x, limit) {
  const dt = 1 / 30
  for (let time = 0; time < limit; time += dt) {
    crowd.step(dt)
    if (slots.every((slot) => crowd.positions[2 * slot] > x)) return time
  }
  return Infinity
}

test('an agent passes parked ones in corridors that leave it 1.1 diameters', () => {
  playWorlds(100, (random, world) => {
    const width = 2.2 + 3.8 * random()
    const { walls, crowd } = createCorridor(60, width)
    for (let x = 8; x < 40; x += 5) {
      const off = 0.5 + Math.max(0, width - 2.1) * random() // the other side of it is free
      if (width - off - 0.5 >= 1.1)
        crowd.add({ position: [x, random() < 0.5 ? off : width - off], locked: true })
    }
    const across = () => 0.55 + (width - 1.1) * random()
    const walker = crowd.add({ position: [3, across()], goal: [45, across()] })
    const seconds = secondsUntilBeyond(crowd, [walker], 44.5, 3 * 42)
    assert.ok(seconds < Infinity, `world ${world}, ${width} wide`)
    crowd.dispose()
    walls.dispose()
  })
})

test('agents leave through a gate that opens, past bystanders', () => {
  playWorlds(25, (random, world) => {
    const width = 4 + 4 * random()
    const { walls, crowd } = createCorridor(60, width)
    const gate = walls.addSegment(4, 0, 4, width)
    const across = () => 0.6 + (width - 1.2) * random()
    for (let bystanders = 1 + integer(random, 3); bystanders > 0; bystanders--)
      crowd.add({ position: [random() < 0.5 ? 3.4 : 4.6 + 2 * random(), across()] })
    const walkers = Array.from({ length: 1 + integer(random, 4) }, () => {
      const y = across()
      return crowd.add({ position: [0.6 + 2 * random(), y], goal: [50, y] })
    })
    for (let frame = 0; frame < 600; frame++) crowd.step(1 / 60)
    walls.remove(gate)
    const seconds = secondsUntilBeyond(crowd, walkers, 45, 3 * 48)
    assert.ok(seconds < Infinity, `world ${world}, ${width} wide`)
    crowd.dispose()
    walls.dispose()
  })
})

/** Plays a walker through a formation, and 60 s more. Returns how many are not home, and how many move. */
function playFormation(exact, gap, side, y) {
  const crowd = new Crowd({ capacity: side * side + 1, exact })
  for (let i = 0; i < side * side; i++) {
    const home = [4 + gap * Math.floor(i / side), gap * ((i % side) - (side - 1) / 2)]
    crowd.add({ position: home, goal: home })
  }
  const end = 8 + gap * side
  const walker = crowd.add({ position: [0, y], goal: [end, y] })
  assert.ok(secondsUntilBeyond(crowd, [walker], end - 0.2, 200) < Infinity)
  for (let frame = 0; frame < 3600; frame++) crowd.step(1 / 60)
  const { positions, goals, velocities } = crowd
  let away = 0
  let moving = 0
  for (let i = 0; i < 2 * walker; i += 2) {
    away += Math.hypot(positions[i] - goals[i], positions[i + 1] - goals[i + 1]) > 0.5
    moving += Math.hypot(velocities[i], velocities[i + 1]) > 0.01
  }
  crowd.dispose()
  return { away, moving }
}

test('a formation comes to rest after a walker has passed, as many at home as in an exact crowd', () => {
  let away = 0
  let awayExact = 0
  playWorlds(6, (random, world) => {
    const gap = 1.1 + 0.4 * random()
    const side = 3 + integer(random, 4)
    const y = (random() - 0.5) * gap * side
    const usual = playFormation(false, gap, side, y)
    assert.is(usual.moving, 0, `world ${world}`)
    away += usual.away
    awayExact += playFormation(true, gap, side, y).away
  })
  assert.ok(away <= awayExact, `${away}, exact: ${awayExact}`)
})

/** Returns how deep two agents of a crowd are in each other, at most, in units of the smaller one's radius. */
function deepestOverlap({ positions, radii }, count, dimensions) {
  let deepest = 0
  for (let i = 0; i < count; i++)
    for (let j = 0; j < i; j++) {
      let distance2 = 0
      for (let axis = 0; axis < dimensions; axis++)
        distance2 += (positions[i * dimensions + axis] - positions[j * dimensions + axis]) ** 2
      const depth = radii[i] + radii[j] - Math.sqrt(distance2)
      deepest = Math.max(deepest, depth / Math.min(radii[i], radii[j]))
    }
  return deepest
}

/** Adds small agents around the origin, apart from each other and from a giant there. They head for the other side. */
function addSmall(crowd, dimensions, random, { count, giant }) {
  const placed = []
  while (placed.length < count) {
    const direction = Array.from({ length: dimensions }, () => random() - 0.5)
    const length = Math.hypot(...direction)
    if (length < 0.1) continue
    const away = giant + 2 + (giant + 12) * random()
    const position = direction.map((x) => (x * away) / length)
    if (placed.some((other) => Math.hypot(...position.map((x, i) => x - other[i])) < 1.5)) continue
    placed.push(position)
    crowd.add({ position, goal: position.map((x) => -x), radius: 0.5 })
  }
}

for (const [dimensions, CrowdClass] of /** @type {[number, any][]} */ ([
  [2, Crowd],
  [3, Crowd3D],
]))
  test(`sizes that differ, in ${dimensions}D: where there is a way, no agent gets into another`, () => {
    playWorlds(4, (random, world) => {
      const giant = 0.5 * (2 + 78 * random())
      const crowd = new CrowdClass({ capacity: 60, maxNeighbors: 40 }) // so many can touch the giant
      const origin = new Array(dimensions).fill(0)
      const goal = random() < 0.5 ? origin : [2 * giant, ...origin.slice(1)]
      crowd.add({ position: origin, goal, radius: giant, locked: random() < 0.3 })
      addSmall(crowd, dimensions, random, { count: 40, giant })
      let before = 0
      for (let frame = 0; frame < 900; frame++) {
        crowd.step(1 / 30)
        const depth = deepestOverlap(crowd, 41, dimensions)
        const most = crowd.stats().infeasible ? Infinity : Math.max(0.05, before)
        assert.ok(depth <= most, `world ${world}, frame ${frame}: ${depth}`)
        before = depth
      }
      crowd.dispose()
    })
  })

test.run()
