// Frames with every call of points that must make no garbage.

import { className } from '../indexes.js'

const COUNT = 12
/** Results of up to this many ids make no garbage. */
export const MOST = 1024

// V8 may allocate 16 bytes to pass on a fraction that was just computed or read from an object. That
// garbage is the game's. So here all fractions are allocated in advance (the null keeps the array from
// holding unboxed numbers), and all options have one shape.
export const FRACTIONS = [1.5, 20.25, 40.5, 61.75, 80.125, 99.5, 110.5, 120.75, null]
export const options = ({
  mask,
  exclude,
  sort,
  maxDistance,
  distances2,
  radius,
  inflate,
  distance,
}) => ({
  ...{ mask, exclude, sort, maxDistance, distances2, radius, inflate, distance },
})

/** Returns the objects, and `frame`, which plays a frame and returns a sum of its results. */
export function pointFrames(copse, instance, kind, makesViews) {
  const kindOptions = { AgentTree: { leafSize: 4 }, Grid: { cellSize: 20 } }[kind]
  const common = { capacity: COUNT, instance, ...kindOptions }
  const flat = new copse[className(kind, 2)](common)
  const solid = new copse[className(kind, 3)]({ ...common, layout: 'separate' })
  flat.slots = COUNT
  solid.slots = COUNT
  flat.groups.fill(2, 0, COUNT / 2)

  const wrap = [10, 10, 100, 90]
  const around = kind === 'Grid' && new copse.Grid({ ...common, wrap })
  if (around) around.slots = COUNT

  const sorted = options({ mask: 3, exclude: 0, sort: 'id' })
  const ranked = options({ mask: 1, exclude: -1, sort: 'distance', distances2: true })
  const nearby = options({ mask: 1, exclude: -1, maxDistance: 40.5, distances2: true })
  const enemies = options({ mask: 2, exclude: 0, maxDistance: 60.5 })
  const others = options({ mask: 2, exclude: 0 })
  const group = options({ mask: 2 })
  const close = options({ distance: 10.5 })
  const closeInGroup = options({ mask: 2, distance: 10.5 })

  const near = options({ maxDistance: 40.5 })
  const points = new Float32Array(12).fill(20.5)
  const bytes = new Uint8Array(4096)
  const rayOptions = options({ mask: 3, exclude: 0, radius: 2.5, inflate: 0.5 })
  const bulletOptions = options({
    mask: new Uint32Array(3).fill(3),
    exclude: new Uint32Array(3),
    inflate: new Float32Array(3).fill(0.25),
  })
  // Each frame finds another number of these agents, which stand in a row.
  const row = new copse[className(kind, 2)]({ ...common, capacity: MOST })
  row.slots = MOST
  for (let i = 0; i < MOST; i++) row.positions[2 * i] = i
  row.build()

  flat.radii.fill(3.5)
  solid.radii.fill(4.5)

  function frame(number) {
    let sum = 0
    const { positions } = flat
    const { xs, ys, zs } = solid
    for (let i = 0; i < COUNT; i++) {
      positions[2 * i] = ((i * 37 + number) & 127) + 0.25
      positions[2 * i + 1] = ((i * 91 + number * 3) & 127) + 0.5
      xs[i] = positions[2 * i + 1]
      ys[i] = positions[2 * i]
      zs[i] = i + 0.75
    }
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]
    const slot = number % COUNT
    flat.remove(slot)
    sum += flat.add(x, y)
    flat.move(slot, y, x)
    solid.remove(slot)
    sum += solid.add(x, y, 2.5)
    solid.move(slot, y, x, 0.5)
    sum += flat.has(slot) ? 1 : 0
    sum += flat.generations[slot] & 1
    if ((number & 15) === 0) {
      flat.clear()
      flat.slots = COUNT - 1
      sum += flat.add(x, y) + flat.slots
      flat.groups.fill(2, 0, COUNT / 2)
      solid.slots = COUNT - (number & 3)
      solid.slots = COUNT
    }
    flat.build()
    solid.build()

    sum += flat.within(x, y, 30.5, sorted).length
    sum += flat.range(1.5, 2.5, 33.5, 44.5, sorted).length
    sum += flat.neighbors(x, y, 5, nearby).length
    sum += flat.cone(x, y, 1, 0.5, 0.7, 50.5, ranked).length
    sum += flat.distances2.length
    sum += flat.nearest(x, y, enemies)
    sum += flat.countWithin(x, y, 25.5, others)
    sum += flat.countRange(1.5, 2.5, 33.5, 44.5, others)
    sum += flat.anyWithin(x, y, 0.5) ? 1 : 0
    sum += flat.stats().visits
    sum += flat.count + flat.capacity + flat.groups[0] + (flat.masks[0] & 1)

    sum += solid.within(y, x, 1, 30.5, ranked).length
    sum += solid.range(1.5, 2.5, 3.5, 33.5, 44.5, 55.5).length
    sum += solid.neighbors(y, x, 1.5, 5, nearby).length
    sum += solid.cone(y, x, 1, 1, 0.5, 0.25, 0.7, 50.5, ranked).length
    sum += solid.nearest(y, x, 2.5, enemies)
    sum += solid.countWithin(y, x, 1, 25.5)
    sum += solid.countRange(1.5, 2.5, 3.5, 33.5, 44.5, 55.5)
    sum += solid.anyWithin(y, x, 1, 0.5, others) ? 1 : 0
    sum += solid.stats().depth

    sum += row.within(-1, 0, number % (MOST + 1)).length
    sum += row.range(0, 0, (number % (MOST + 1)) - 1, 0, sorted).length

    sum += flat.allWithin(20.5).total
    sum += flat.allNeighbors(3, near).counts[0]
    sum += flat.pairs(close).count
    sum += flat.pairs(group).count
    sum += flat.withinMany(points, 30.5, others).total
    sum += flat.rangeMany(points, others).total
    sum += flat.neighborsMany(points, 3, near).counts[0]
    sum += solid.allWithin(20.5, group).total
    sum += solid.allNeighbors(3, near).counts[0]
    sum += solid.pairs(closeInGroup).count
    sum += solid.pairs().count
    sum += solid.allNeighbors(number & 1 ? 3 : 4, near).counts[1]
    sum += solid.withinMany(points, 30.5).total
    sum += solid.rangeMany(points).total
    sum += solid.frustum(points, sorted).length
    sum += solid.neighborsMany(points, 3, near).counts[0]

    sum += flat.raycast(x, y, 90.5, 70.25)?.id ?? 0
    sum += solid.raycast(y, x, 2.5, 60.25, 50.75, 20.5, rayOptions)?.id ?? 0
    sum += flat.raycastAll(x, y, 90.5, 70.25).ids.length
    sum += solid.raycastAll(y, x, 2.5, 60.25, 50.75, 20.5, rayOptions).fractions.length
    sum += flat.raycastMany(points).ids[0]
    sum += solid.raycastMany(points, rayOptions).ids[0]
    sum += flat.raycastMany(points, bulletOptions).ids[0]
    sum += flat.saveInto(bytes) + solid.saveInto(bytes)

    if (around) {
      for (let i = 0; i < 2 * COUNT; i++) around.positions[i] = positions[i]
      around.build()
      sum += around.within(x, y, 30.5, ranked).length
      sum += around.neighbors(x, y, 5, nearby).length
      sum += around.nearest(x, y, enemies)
      sum += around.countWithin(x, y, 25.5, others)
      sum += around.allWithin(20.5).total
      sum += around.allNeighbors(3, near).counts[0]
      sum += around.pairs(close).count
      sum += around.withinMany(points, 30.5, others).total
      sum += around.neighborsMany(points, 3, near).counts[0]
      sum += around.saveInto(bytes)
    }
    if (makesViews) sum += flat.within(x, y, 30.5).slice().length
    return sum
  }
  return { frame, objects: { flat, solid } }
}
