// Frames with every call of flow fields that must make no garbage.

import { FRACTIONS } from './points.js'

/** Like pointFrames. */
export function pathFrames(copse, instance) {
  const field = new copse.FlowField({ instance, bounds: [0, 0, 40, 40], cell: 5, capacity: 40 })
  field.obstacles = new copse.ObstacleTree({ instance, capacity: 4 })
  field.obstacles.addSegment(20, 10, 20, 30)
  field.setGoals([35, 20])
  field.build()
  const points = new Float32Array(64)
  const bytes = new Uint8Array(4096)
  const [direction, corners] = [new Float32Array(2), new Float32Array(8)]

  // A separate function: in a function with too many calls, V8 allocates fractions to pass them on.
  function read() {
    let sum = field.saveInto(bytes) + field.capacity + field.columns + field.rows
    sum += field.distances[3] > 1 ? 1 : 0
    sum += field.isBuilt ? 1 : 0
    sum += field.stats().anchors + field.closed.length
    return sum
  }

  function frame(number) {
    let sum = 0
    for (let i = 0; i < 64; i++) points[i] = (((i * 37 + number) & 127) + 0.5) / 4
    if ((number & 7) === 0) field.closed[5] = number & 8
    if (field.update(200)) sum++
    const { directions, distances } = field.directionMany(points)
    sum += directions[5] + distances[7] > 0 ? 1 : 0
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]
    sum += field.distance(x, y) > 1 ? 1 : 0
    sum += field.direction(x, y, direction)[0] > 0 ? 1 : 0
    sum += field.path(x, y, corners)
    return sum + read()
  }

  return { frame, objects: { field } }
}
