// Frames with every call of flow fields, and of crowds that follow them, that must make no garbage.

import { FRACTIONS } from './points.js'

const COUNT = 12
const STEP = 1 / 60

/** Like pointFrames. `renew` replaces the field and the crowd by larger ones in the same state. */
export function pathFrames(copse, instance) {
  const walls = new copse.ObstacleTree({ instance, capacity: 4 })
  walls.addSegment(20, 10, 20, 30)
  const objects = { walls, ...create() }
  const { field, crowd } = objects
  field.setGoals([35, 20])
  field.build()
  for (let i = 0; i < COUNT; i++)
    crowd.add({ position: [2 + 3 * i, 5], radius: i & 1 ? 1 : 2, groups: 1 + (i & 1) })
  const points = new Float32Array(64)
  const bytes = new Uint8Array(4096)

  /** Returns a field, and a crowd one of whose groups follows it. */
  function create() {
    const field = new copse.FlowField({ instance, bounds: [0, 0, 40, 40], cell: 5, capacity: 40 })
    const crowd = new copse.Crowd({ instance, capacity: COUNT, maxSpeed: 9, preferredSpeed: 8 })
    field.obstacles = crowd.obstacles = walls
    crowd.follow(field, { mask: 1 })
    return { field, crowd }
  }

  function renew() {
    const { field, crowd } = objects
    const [fieldBytes, crowdBytes] = [field.save(), crowd.save()]
    field.dispose()
    crowd.dispose()
    Object.assign(objects, create())
    objects.field.reserve(80, { goals: 100 })
    objects.crowd.reserve(2 * COUNT)
    objects.field.restore(fieldBytes)
    objects.crowd.restore(crowdBytes)
  }

  // A separate function: in a function with too many calls, V8 allocates fractions to pass them on.
  function read({ field, crowd }) {
    let sum = field.saveInto(bytes) + field.capacity + field.columns + field.rows
    sum += field.distances[3] > 1 ? 1 : 0
    sum += field.isBuilt && field.isCurrent ? 1 : 0
    sum += field.stats().anchors + field.closed.length
    return sum + crowd.saveInto(bytes)
  }

  /** Moves the wall now and then, moves an agent, and steps the crowd. */
  function play({ crowd }, number) {
    if ((number & 63) === 0) {
      walls.vertices[1] = number & 64 ? 2 : 10
      walls.build()
    }
    // Often: V8 must optimize the call during the warm-up.
    if (number & 1) crowd.move((number >> 4) % COUNT, 2.5, FRACTIONS[(number >> 1) & 1])
    crowd.step(STEP)
    return crowd.arrived().length + crowd.stuck().length
  }

  function frame(number) {
    const { field } = objects
    let sum = play(objects, number)
    for (let i = 0; i < 64; i++) points[i] = (((i * 37 + number) & 127) + 0.5) / 4
    if ((number & 7) === 0) field.closed[5] = number & 8
    if (field.buildPart(200)) sum++
    const { directions, distances } = field.directionMany(points)
    sum += directions[5] + distances[7] > 0 ? 1 : 0
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]
    sum += field.distance(x, y) > 1 ? 1 : 0
    sum += field.direction(x, y)[0] > 0 ? 1 : 0
    const { corners, length, reached } = field.path(x, y)
    sum += corners.length + (reached && length > 1 ? 1 : 0)
    return sum + read(objects)
  }

  return { frame, renew, objects }
}
