// A plain list of boxes with all queries: the quadtree and the octree must return the same results
// after every change. Math.fround rounds each step to a float32, as the library does.

const { fround, max, min } = Math

/** Returns a list with `capacity` free slots. */
export function createList(dimensions, capacity) {
  return {
    dimensions,
    boxes: new Float32Array(capacity * 2 * dimensions), // min x, y, (z,) max x, y, (z)
    groups: new Uint32Array(capacity).fill(1),
    generations: new Uint32Array(capacity), // odd: in use
  }
}

export const isUsed = (list, id) => (list.generations[id] & 1) === 1

/** Returns the ids in use, ascending. */
export function usedIds(list) {
  const ids = []
  for (let id = 0; id < list.generations.length; id++) if (isUsed(list, id)) ids.push(id)
  return ids
}

export function boxOf(list, id) {
  const width = 2 * list.dimensions
  return list.boxes.subarray(id * width, (id + 1) * width)
}

/** Returns the ids that a query's options admit, ascending. */
function admitted(list, { mask = -1, exclude = -1 }) {
  return usedIds(list).filter((id) => (list.groups[id] & mask) !== 0 && id !== exclude)
}

function meet(dimensions, box, lo, hi) {
  for (let axis = 0; axis < dimensions; axis++)
    if (!(box[axis] <= hi[axis] && lo[axis] <= box[dimensions + axis])) return false
  return true
}

/** Returns the squared distance of a box from a center. @param {ArrayLike<number>} center float32 numbers */
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
  const [lower, upper] = [Float32Array.from(lo), Float32Array.from(hi)]
  const ids = admitted(list, options)
  return { ids: ids.filter((id) => meet(list.dimensions, boxOf(list, id), lower, upper)) }
}

/** Returns the ids of the boxes that have a corner inside each plane. */
export function frustum(list, planes, options = {}) {
  const rounded = Float32Array.from(planes)
  const distance = (box, offset, corner) => {
    let sum = 0
    for (let axis = 0; axis < 3; axis++) {
      const step = fround(rounded[offset + axis] * box[axis + 3 * ((corner >> axis) & 1)])
      sum = axis === 0 ? step : fround(sum + step)
    }
    return fround(sum + rounded[offset + 3])
  }
  const isInside = (id) => {
    for (let offset = 0; offset < rounded.length; offset += 4) {
      const corners = [0, 1, 2, 3, 4, 5, 6, 7]
      if (!corners.some((corner) => distance(boxOf(list, id), offset, corner) >= 0)) return false
    }
    return true
  }
  return { ids: admitted(list, options).filter(isInside) }
}

export function within(list, center, radius, options = {}) {
  const rounded = Float32Array.from(center)
  const radius2 = fround(fround(radius) * fround(radius))
  const matches = []
  for (const id of admitted(list, options)) {
    const d2 = distance2(list, boxOf(list, id), rounded)
    if (d2 <= radius2) matches.push({ id, d2 })
  }
  if (options.sort === 'distance') matches.sort((a, b) => a.d2 - b.d2 || a.id - b.id)
  return { ids: matches.map(({ id }) => id), distances2: matches.map(({ d2 }) => d2) }
}

export function neighbors(list, center, k, options = {}) {
  const { maxDistance = Infinity } = options
  const { ids, distances2 } = within(list, center, maxDistance, { ...options, sort: 'distance' })
  return { ids: ids.slice(0, k), distances2: distances2.slice(0, k) }
}

/** Returns each pair of boxes that meet, once: a, b, a, b, … with a < b, ascending. */
export function pairs(list, options = {}) {
  const { dimensions } = list
  const ids = admitted(list, options)
  const meeting = []
  ids.forEach((a, i) => {
    const box = boxOf(list, a)
    for (const b of ids.slice(i + 1))
      if (meet(dimensions, boxOf(list, b), box, box.subarray(dimensions))) meeting.push(a, b)
  })
  return meeting
}

/** Returns where a segment enters a box, as copse.h defines it, in doubles; null: it does not. */
function entry(dimensions, box, from, to) {
  const [way, toLo, toHi] = [[], [], []]
  for (let axis = 0; axis < dimensions; axis++) {
    if (max(from[axis], to[axis]) < box[axis]) return null
    if (min(from[axis], to[axis]) > box[dimensions + axis]) return null
    way[axis] = to[axis] - from[axis]
    toLo[axis] = box[axis] - from[axis]
    toHi[axis] = box[dimensions + axis] - from[axis]
  }
  for (let u = 0; u < (dimensions === 3 ? 3 : 1); u++) {
    const v = (u + 1) % dimensions
    const [a, b] = [way[u] * toLo[v], way[u] * toHi[v]]
    const [c, d] = [way[v] * toLo[u], way[v] * toHi[u]]
    if (max(a, b) < min(c, d) || min(a, b) > max(c, d)) return null
  }
  const hit = { fraction: 0, normal: [0, 0, 0] }
  for (let axis = 0; axis < dimensions; axis++) {
    const side = toLo[axis] > 0 ? toLo[axis] : toHi[axis] < 0 ? toHi[axis] : 0
    const fraction = side / way[axis]
    if (side === 0 || fraction <= hit.fraction) continue
    hit.fraction = fraction
    hit.normal = [0, 0, 0]
    hit.normal[axis] = way[axis] > 0 ? -1 : 1
  }
  hit.fraction = fround(min(hit.fraction, 1))
  return hit
}

/** Returns where a segment comes within a radius of a box, as copse.h defines it; null: it does not. */
function roundedEntry(dimensions, box, from, to, radius) {
  const way = Array.from({ length: dimensions }, (_, axis) => to[axis] - from[axis])
  const sides = Array.from(box.subarray(0, 2 * dimensions), (x, i) => x - from[i % dimensions])
  const crossings = sides.map((side, i) => side / way[i % dimensions])
  const cuts = [...new Set([0, 1, ...crossings.filter((t) => t > 0 && t < 1)])].sort(
    (a, b) => a - b,
  )
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
  const cross = (u, v) => [1, 2, 0].map((i, k) => u[i] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[i])
  for (const [i, begin] of cuts.slice(0, -1).entries()) {
    const [m, d, side] = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]
    for (let axis = 0; axis < dimensions; axis++) {
      const [lo, hi] = [sides[axis], sides[axis + dimensions]]
      const [near, far] = way[axis] < 0 ? [hi, lo] : [lo, hi]
      const isStill = way[axis] === 0
      const isBefore = isStill ? lo > 0 : begin < near / way[axis]
      const isAfter = isStill ? hi < 0 : begin >= far / way[axis]
      if (!isStill && begin === near / way[axis]) side.fill(0)[axis] = -Math.sign(way[axis])
      if (!isBefore && !isAfter) continue
      m[axis] = isBefore ? near : far
      d[axis] = way[axis]
    }
    const [d2, along, c, radius2] = [dot(d, d), dot(m, d), cross(m, d), radius * radius]
    const under = d2 * radius2 - dot(c, c)
    const [enter, leave] = [-1, 1].map((sign) => (along + sign * Math.sqrt(under)) / d2)
    if (d2 === 0 ? dot(m, m) > radius2 : !(under >= 0) || enter > cuts[i + 1] || leave < begin)
      continue
    const fraction = d2 === 0 ? begin : max(enter, begin)
    const across = cross(d, c)
    const outward = (axis) => {
      if (fraction === 0) return 0
      if (d2 > 0) return 0 - (Math.sqrt(under) * d[axis] + across[axis]) / d2 / radius
      return dot(m, m) > 0 ? 0 - m[axis] / radius : side[axis]
    }
    return { fraction: fround(fraction), normal: [0, 1, 2].map((axis) => fround(outward(axis))) }
  }
  return null
}

/** Returns the first box that a segment hits. @returns {{ id: number, fraction: number, normal: number[] } | null} */
export function raycast(list, from, to, options = {}) {
  const [start, end] = [Float32Array.from(from), Float32Array.from(to)]
  const radius = fround(options.inflate ?? 0)
  let first = null
  for (const id of admitted(list, options)) {
    const box = boxOf(list, id)
    const hit =
      radius > 0
        ? roundedEntry(list.dimensions, box, start, end, radius)
        : entry(list.dimensions, box, start, end)
    if (hit && (!first || hit.fraction < first.fraction)) first = { id, ...hit }
  }
  return first
}
