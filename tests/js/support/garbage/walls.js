// Frames with every call of walls that must make no garbage.

import { FRACTIONS } from './points.js'

const COUNT = 6

/** Returns options, all of one shape (see points.js). */
const options = (side, maxDistance, inflate, distances2, bounds) => ({
  side,
  maxDistance,
  inflate,
  distances2,
  bounds,
})

/** Like pointFrames. */
export function wallFrames(copse, instance, makesViews) {
  const walls = new copse.ObstacleTree({ capacity: 4 * COUNT + 4, leafSize: 2, instance })
  walls.addPolygon([-1, -1, 130, -1, 130, 130, -1, 130], { solid: 'outside' })
  for (let i = 0; i < COUNT; i++) {
    const x = 10 + 20 * i
    walls.addPolygon([x, x, x + 6, x, x + 6, x + 7, x, x + 7])
  }

  const bytes = new Uint8Array(4096)
  const ids = Uint32Array.from({ length: COUNT }, (_, i) => i)
  const positions = Float32Array.from({ length: 2 * COUNT }, (_, i) => (i * 37) % 128)
  const segments = Float32Array.of(1.5, 2.5, 99.5, 98.5, 50.5, 1.5, 50.25, 99.75)
  const near = options('visible', undefined, undefined, true, undefined)
  const visible = options('visible', undefined, undefined, undefined, undefined)
  const nearby = options('visible', FRACTIONS[3], undefined, undefined, undefined)
  const wide = options(undefined, undefined, FRACTIONS[0], undefined, undefined)
  const box = options(undefined, FRACTIONS[4], undefined, undefined, [-0.5, -0.5, 129.5, 129.5])

  function frame(number) {
    let sum = 0
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[(number >> 3) & 7]
    // First: later in the function, V8 would allocate a fraction to pass it on.
    sum += walls.visible(x, y, 99.5, 98.5, wide) ? 1 : 0
    if ((number & 15) === 0) {
      walls.vertices[8] = 9.5 + x / 64
      walls.build()
    }
    sum += walls.visible(x, y, 99.5, 2.5) ? 1 : 0
    sum += walls.raycast(x, y, 99.5, 98.25)?.id ?? 0
    sum += walls.raycast(x, y, 99.5, 8.25, visible)?.id ?? 0
    sum += walls.raycastMany(segments, visible).ids[0]
    sum += walls.nearest(x, y)
    sum += walls.nearestPoint(x, y, nearby)?.id ?? 0
    sum += walls.contains(x, y) ? 1 : 0
    sum += walls.within(x, y, 50.5).length
    sum += walls.within(x, y, 50.5, near).length
    sum += walls.distances2.length
    sum += walls.keepVisible(x, y, ids, positions).length
    sum += walls.visibilityPolygon(x, y).length
    sum += walls.visibilityPolygon(x, y, box).length
    sum += walls.has(0) ? 1 : 0
    sum += walls.winding(0) + walls.count + walls.slots
    sum += walls.next[0] + walls.polygons[0] + walls.generations[0]
    sum += walls.stats().visits
    sum += walls.saveInto(bytes)
    if (makesViews) sum += walls.within(x, y, 30.5).slice().length
    return sum
  }
  return { frame, objects: { walls } }
}
