// Frames with every call of sensors that must make no garbage.

import { FRACTIONS } from './points.js'

const COUNT = 24

/** Like pointFrames. */
export function sensorFrames(copse, instance) {
  const flat = new copse.AgentTree({ capacity: COUNT, instance })
  const solid = new copse.Grid3D({ capacity: COUNT, cellSize: 20, instance })
  flat.slots = COUNT
  solid.slots = COUNT
  const inFlat = new copse.Sensors({ index: flat, capacity: COUNT })
  const inSolid = new copse.Sensors({ index: solid, capacity: COUNT })
  for (let i = 0; i < COUNT - 2; i++) {
    inFlat.add({ agent: i, radius: i, exitRadius: i + 5 })
    inSolid.add({ agent: i, radius: i, exitRadius: i + 5 })
  }
  const disc = inFlat.add({ position: [50, 50], radius: 30 })
  const box = inFlat.add({ box: [0, 0, 50, 50], exitRadius: 5 })
  const ball = inSolid.add({ position: [50, 50, 5], radius: 30 })
  const cuboid = inSolid.add({ box: [0, 0, 0, 50, 50, 9], exitRadius: 5 })
  const bytes = new Uint8Array(16384)

  // A separate function: in a function with too many calls, V8 allocates fractions to pass them on.
  function read() {
    let sum = inFlat.saveInto(bytes) + inSolid.saveInto(bytes)
    sum += inFlat.count + inFlat.slots + inFlat.capacity + inFlat.stats().inside
    sum += inFlat.radii[3] + inFlat.exitRadii[3] + (inFlat.masks[3] & 1) + inFlat.agents[3]
    sum += inFlat.generations[3] + (inFlat.has(3) ? 1 : 0)
    return sum
  }

  function frame(number) {
    let sum = 0
    for (let i = 0; i < 2 * COUNT; i++) flat.positions[i] = ((i * 37 + number) & 127) + 0.25
    for (let i = 0; i < 3 * COUNT; i++) solid.positions[i] = ((i * 91 + number) & 127) + 0.5
    const slot = number % COUNT
    flat.remove(slot)
    sum += flat.add(1, 2)
    flat.build()
    solid.build()
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]
    inFlat.move(disc, x, y)
    inFlat.move(box, x, y, 60, 70)
    inSolid.move(ball, x, y, 5)
    inSolid.move(cuboid, x, y, 5, 60, 70, 80)
    inFlat.reset(slot)
    const { left, entered, inside } = inFlat.update()
    sum += left.total + entered.counts[disc] + inside.ids[inside.offsets[box]]
    sum += inSolid.update().left.offsets[cuboid]
    return sum + read()
  }
  return { frame, objects: { inFlat, inSolid } }
}
