// Frames with every call of boxes that must make no garbage.

import { FRACTIONS, MOST, options } from './points.js'

const COUNT = 24

/** Like pointFrames. */
export function boxFrames(copse, instance, makesViews) {
  const common = { capacity: COUNT + 1, leafSize: 2, instance }
  const flat = new copse.Quadtree({ ...common, bounds: [0, 0, 128, 128] })
  const solid = new copse.Octree({ ...common, bounds: [0, 0, 0, 128, 128, 128], looseness: 2 })
  for (let i = 0; i < COUNT; i++) {
    flat.add(i, i, i + 4, i + 5)
    solid.add(i, i, i, i + 4, i + 5, i + 6)
  }
  flat.groups.fill(2, 0, COUNT / 2)

  // Each frame finds another number of these boxes, which stand in a row.
  const row = new copse.Quadtree({ ...common, capacity: MOST, bounds: [0, 0, MOST, 1] })
  for (let i = 0; i < MOST; i++) row.add(i, 0)

  const bytes = new Uint8Array(4096)
  const sorted = options({ mask: 3, exclude: 0, sort: 'id' })
  const ranked = options({ mask: 1, exclude: -1, sort: 'distance', distances2: true })
  const nearby = options({ mask: 1, exclude: -1, maxDistance: 40.5, distances2: true })
  const enemies = options({ mask: 2, exclude: 0, maxDistance: 60.5 })
  const others = options({ mask: 2, exclude: 0 })
  const group = options({ mask: 2 })
  const thick = options({ mask: 3, exclude: -1, inflate: 0.5 })
  const eachOwn = options({
    mask: new Uint32Array(6).fill(3),
    exclude: new Uint32Array(6),
    inflate: new Float32Array(6).fill(0.25),
  })
  const near = options({ maxDistance: 40.5 })
  const points = Float32Array.from({ length: 24 }, (_, i) => 20.5 + i)

  function frame(number) {
    let sum = 0
    const flatBoxes = flat.boxes
    const solidBoxes = solid.boxes
    const many = (number & 7) === 0 // else few boxes leave their cells
    for (let i = 0; i < COUNT; i++) {
      const step = many ? number : number >> 3
      const x = ((i * 37 + step) & 127) + 0.25
      const y = ((i * 91 + step * 3) & 127) + 0.5
      flatBoxes[4 * i] = solidBoxes[6 * i] = x
      flatBoxes[4 * i + 1] = solidBoxes[6 * i + 1] = y
      flatBoxes[4 * i + 2] = solidBoxes[6 * i + 3] = x + 3.5
      flatBoxes[4 * i + 3] = solidBoxes[6 * i + 4] = y + 2.5
      solidBoxes[6 * i + 2] = i
      solidBoxes[6 * i + 5] = i + 0.75
    }
    if ((number & 63) === 63) {
      flat.clear()
      flat.load(COUNT)
      solid.load(COUNT)
    } else {
      flat.moveAll()
      solid.moveAll()
    }
    const x = FRACTIONS[number & 7]
    const y = FRACTIONS[number & 3]

    const added = flat.add(x, y, 125.5, 126.5)
    flat.move(added, y, x)
    flat.remove(added)
    flat.addAt(COUNT, y, x, 127.5, 125.5)
    flat.remove(COUNT)
    const other = solid.add(x, y, 1.5)
    solid.move(other, y, x, 2.5, 125.5, 126.5, 127.5)
    solid.remove(other)
    sum += flat.has(added) ? 1 : 0
    sum += flat.count + flat.slots + flat.capacity + flat.groups[0] + flat.generations[0]

    sum += flat.range(1.5, 2.5, 33.5, 44.5, sorted).length
    sum += flat.at(x, y, sorted).length
    sum += flat.within(x, y, 30.5, ranked).length
    sum += flat.neighbors(x, y, 5, nearby).length
    sum += flat.nearest(x, y, enemies)
    sum += flat.countWithin(x, y, 25.5, others)
    sum += flat.countRange(1.5, 2.5, 33.5, 44.5, others)
    sum += flat.anyWithin(x, y, 0.5) ? 1 : 0
    sum += flat.pairs().count
    sum += flat.raycast(x, y, 90.5, 70.25)?.id ?? 0
    sum += flat.withinMany(points, 9.5, others).total
    sum += flat.rangeMany(points).total
    sum += flat.neighborsMany(points, 3, near).counts[0]
    sum += flat.raycastMany(points, others).ids[0]
    sum += flat.raycastMany(points, eachOwn).ids[0]
    sum += flat.raycast(x, y, 90.5, 70.25, thick)?.id ?? 0
    sum += flat.stats().visits

    sum += solid.range(1.5, 2.5, 3.5, 33.5, 44.5, 55.5).length
    sum += solid.at(y, x, 1.5).length
    sum += solid.within(y, x, 1.5, 30.5, ranked).length
    sum += solid.neighbors(y, x, 1.5, 5, nearby).length
    sum += solid.nearest(y, x, 2.5, enemies)
    sum += solid.countWithin(y, x, 1.5, 25.5)
    sum += solid.countRange(1.5, 2.5, 3.5, 33.5, 44.5, 55.5)
    sum += solid.anyWithin(y, x, 1.5, 0.5, others) ? 1 : 0
    sum += solid.pairs(group).count
    sum += solid.raycast(y, x, 2.5, 60.25, 50.75, 20.5, others)?.id ?? 0
    sum += solid.withinMany(points, 9.5).total
    sum += solid.rangeMany(points, others).total
    sum += solid.frustum(points, sorted).length
    sum += solid.neighborsMany(points, 3, near).counts[0]
    sum += solid.raycastMany(points).ids[0]
    sum += solid.stats().depth
    sum += row.within(-1, 0, number % (MOST + 1)).length
    sum += flat.saveInto(bytes) + solid.saveInto(bytes)

    if (makesViews) sum += flat.within(x, y, 30.5).slice().length
    return sum
  }
  return { frame, objects: { flat, solid } }
}
