// Frames with every call of crowds that must make no garbage.

import { FRACTIONS } from './points.js'

const COUNT = 12
const STEP = 1 / 60

/** Like pointFrames. */
export function crowdFrames(copse, instance) {
  const flat = new copse.Crowd({ instance, capacity: COUNT + 1, neighborDistance: 4 })
  const solid = new copse.Crowd3D({ instance, capacity: COUNT + 1, neighborDistance: 4 })
  for (let i = 0; i < COUNT; i++) {
    const extras = { priority: i & 3, locked: i === 3, mask: i & 1 ? 3 : 2, groups: 1 + (i & 1) }
    flat.add({ position: [i, i & 3], goal: [COUNT - i, 3.5], ...extras })
    solid.add({ position: [i, i & 3, i & 1], goal: [COUNT - i, 3.5, 0.5] })
  }
  flat.obstacles = new copse.ObstacleTree({ instance, capacity: 4 })
  flat.obstacles.addPolygon([5, 5, 7, 5, 7, 7, 5, 7])
  const agent = { position: [1.5, 8.5], radius: 1 }
  const grid = new copse.Grid({ instance, capacity: COUNT + 1, cellSize: 2 })
  const tree = new copse.AgentTree3D({ instance, capacity: COUNT + 1 })
  const bytes = new Uint8Array(4096)

  // A separate function: in a function with too many calls, V8 allocates fractions to pass them on.
  function read() {
    let sum = 0
    sum += flat.saveInto(bytes) + flat.count + flat.slots
    // A sum that is not an integer would be garbage of this test.
    sum += flat.positions[0] + flat.velocities[0] + flat.radii[0] + solid.positions[2] > 0 ? 1 : 0
    sum += flat.maxAccelerations[0] > 1 && flat.priorities[1] > 0 ? 1 : 0
    sum += flat.groups[0] + (flat.masks[0] & 1) + flat.locked[3]
    sum += flat.generations[0] + flat.maxNeighborCounts[0] + flat.stats().overlaps
    sum += flat.timeHorizons[0] + flat.obstacleTimeHorizons[0] + flat.maxSpeeds[0] > 0 ? 1 : 0
    sum += flat.preferredSpeeds[0] + flat.neighborDistances[0] > 0 ? 1 : 0
    sum += flat.preferredVelocities[0] > 0 ? 1 : 0
    sum += flat.capacity
    sum += solid.saveInto(bytes)
    return sum
  }

  function frame(number) {
    let sum = 0
    if ((number & 127) === 0) {
      const { goals } = flat
      for (let i = 0; i < 2 * COUNT; i++) goals[i] = (i * 37 + number) % 11
    }
    // First: later in the function, V8 would allocate a number that is not a small integer.
    sum += flat.hash() & 1
    flat.step(STEP)
    solid.step(0.015625)
    flat.enabled[5] = number & 1
    grid.build(flat)
    tree.build(solid)
    sum += grid.count + tree.nearest(1, 1, 1)
    sum += flat.arrived().length + flat.stuck().length + solid.arrived().length
    const slot = number % COUNT
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]
    const { neighbors, obstacles, constraints } = flat.inspect(slot, STEP)
    sum += neighbors.length + obstacles.length + constraints.length
    sum += solid.inspect(slot, STEP).neighbors.length
    flat.move(slot, x, y)
    solid.move(slot, x, y, x)
    const added = flat.add(agent)
    sum += flat.has(added) ? 1 : 0
    flat.remove(added)
    return sum + read()
  }

  return { frame, objects: { flat, solid, grid, tree } }
}
