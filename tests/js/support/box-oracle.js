// A plain list of boxes, and what every query of one must answer: what the quadtree and the octree must
// agree with after every change. Math.fround rounds each step to a float32, as the library does.

const { fround, max, min } = Math

/** An empty list of so many slots, each free. */
export function createList(dimensions, capacity) {
  return {
    dimensions,
    boxes: new Float32Array(capacity * 2 * dimensions), // min x, y, (z,) max x, y, (z)
    groups: new Uint32Array(capacity).fill(1),
    generations: new Uint32Array(capacity), // odd: in use
  }
}

/** The same with more slots. */
export function grown(list, capacity) {
  const larger = createList(list.dimensions, capacity)
  for (const name of ['boxes', 'groups', 'generations']) larger[name].set(list[name])
  return larger
}

export const isUsed = (list, id) => (list.generations[id] & 1) === 1

/** The ids in use, ascending. */
export function usedIds(list) {
  const ids = []
  for (let id = 0; id < list.generations.length; id++) if (isUsed(list, id)) ids.push(id)
  return ids
}

/** The lowest free slot; -1: none. */
export const lowestFree = (list) => list.generations.findIndex((generation) => !(generation & 1))

export function boxOf(list, id) {
  const width = 2 * list.dimensions
  return list.boxes.subarray(id * width, (id + 1) * width)
}

/** The ids that a query may find, ascending. */
function admitted(list, { mask = -1, exclude = -1 }) {
  return usedIds(list).filter((id) => (list.groups[id] & mask) !== 0 && id !== exclude)
}

function meet(dimensions, box, lo, hi) {
  for (let axis = 0; axis < dimensions; axis++)
    if (!(box[axis] <= hi[axis] && lo[axis] <= box[dimensions + axis])) return false
  return true
}

/** @param {ArrayLike<number>} center of float32 numbers */
export function distance2({ dimensions }, box, center) {
  let sum = 0
  for (let axis = 0; axis < dimensions; axis++) {
    const x = center[axis]
    const gap = max(fround(box[axis] - x), fround(x - box[dimensions + axis]), 0)
    sum = fround(sum + fround(gap * gap))
  }
  return sum
}

export function range(list, lo, hi, options = {}) {
  const [least, most] = [Float32Array.from(lo), Float32Array.from(hi)]
  const ids = admitted(list, options)
  return { ids: ids.filter((id) => meet(list.dimensions, boxOf(list, id), least, most)) }
}

export function within(list, center, radius, options = {}) {
  const rounded = Float32Array.from(center)
  const radius2 = fround(fround(radius) * fround(radius))
  const found = []
  for (const id of admitted(list, options)) {
    const far2 = distance2(list, boxOf(list, id), rounded)
    if (far2 <= radius2) found.push({ id, far2 })
  }
  if (options.sort === 'distance') found.sort((a, b) => a.far2 - b.far2 || a.id - b.id)
  return { ids: found.map(({ id }) => id), distances2: found.map(({ far2 }) => far2) }
}

export function neighbors(list, center, k, options = {}) {
  const { maxDistance = Infinity } = options
  const { ids, distances2 } = within(list, center, maxDistance, { ...options, sort: 'distance' })
  return { ids: ids.slice(0, k), distances2: distances2.slice(0, k) }
}

/** Each pair once, by ascending ids. */
export function pairs(list, options = {}) {
  const { dimensions } = list
  const ids = admitted(list, options)
  const met = []
  ids.forEach((a, i) => {
    const box = boxOf(list, a)
    for (const b of ids.slice(i + 1))
      if (meet(dimensions, boxOf(list, b), box, box.subarray(dimensions))) met.push(a, b)
  })
  return met
}

/** Where a segment comes into a box, as copse.h defines it, in doubles; null: nowhere. */
function entry(dimensions, box, from, to) {
  const [way, least, most] = [[], [], []]
  for (let axis = 0; axis < dimensions; axis++) {
    if (max(from[axis], to[axis]) < box[axis]) return null
    if (min(from[axis], to[axis]) > box[dimensions + axis]) return null
    way[axis] = to[axis] - from[axis]
    least[axis] = box[axis] - from[axis]
    most[axis] = box[dimensions + axis] - from[axis]
  }
  for (let u = 0; u < (dimensions === 3 ? 3 : 1); u++) {
    const v = (u + 1) % dimensions
    const [a, b] = [way[u] * least[v], way[u] * most[v]]
    const [c, d] = [way[v] * least[u], way[v] * most[u]]
    if (max(a, b) < min(c, d) || min(a, b) > max(c, d)) return null
  }
  const found = { fraction: 0, normal: [0, 0, 0] }
  for (let axis = 0; axis < dimensions; axis++) {
    const side = least[axis] > 0 ? least[axis] : most[axis] < 0 ? most[axis] : 0
    const fraction = side / way[axis]
    if (side === 0 || fraction <= found.fraction) continue
    found.fraction = fraction
    found.normal = [0, 0, 0]
    found.normal[axis] = way[axis] > 0 ? -1 : 1
  }
  found.fraction = fround(min(found.fraction, 1))
  return found
}

/** @returns {{ id: number, fraction: number, normal: number[] } | null} */
export function raycast(list, from, to, options = {}) {
  const [start, end] = [Float32Array.from(from), Float32Array.from(to)]
  let first = null
  for (const id of admitted(list, options)) {
    const found = entry(list.dimensions, boxOf(list, id), start, end)
    if (found && (!first || found.fraction < first.fraction)) first = { id, ...found }
  }
  return first
}

/** How many are not wholly in the world. */
export function outside(list, bounds) {
  const { dimensions } = list
  const world = Float32Array.from(bounds)
  const isIn = (box) => {
    for (let axis = 0; axis < dimensions; axis++) {
      if (box[axis] < world[axis]) return false
      if (box[dimensions + axis] > world[dimensions + axis]) return false
    }
    return true
  }
  return usedIds(list).filter((id) => !isIn(boxOf(list, id))).length
}
