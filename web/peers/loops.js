// Loops of queries, and hashes of their results. Each library imports its own copy of this module
// (loops.js?kdbush, …). A copy has its own type feedback, so the objects of one library do not slow down
// the loops of another.

/**
 * Coordinates are multiples of this. Squared distances of near agents are then exact in float32 and
 * float64, and every library must return the same results.
 */
export const GRAIN = 1 / 64

export function within(peer, points, dimensions, radius) {
  let total = 0
  for (let p = 0; p < points.length; p += dimensions)
    total += peer.within(points[p], points[p + 1], dimensions === 3 ? points[p + 2] : 0, radius)
  return total
}

/** Finds the neighbors of every agent, in one call or one by one. Returns their number. */
export function allWithin(peer, { positions, n, dimensions, radius }) {
  if (peer.allWithin) return peer.allWithin(radius).total
  return within(peer, positions, dimensions, radius) - n // each agent finds itself
}

export function range(peer, points, dimensions, half) {
  let total = 0
  for (let p = 0; p < points.length; p += dimensions) {
    const x = points[p]
    const y = points[p + 1]
    const z = dimensions === 3 ? points[p + 2] : 0
    total += peer.range(x - half, y - half, z - half, x + half, y + half, z + half)
  }
  return total
}

export function nearest(peer, points, dimensions) {
  let total = 0
  for (let p = 0; p < points.length; p += dimensions)
    total += peer.nearest(points[p], points[p + 1], dimensions === 3 ? points[p + 2] : 0)
  return total
}

export function neighbors(peer, points, dimensions, k, maxDistance) {
  let total = 0
  for (let p = 0; p < points.length; p += dimensions) {
    const z = dimensions === 3 ? points[p + 2] : 0
    total += peer.neighbors(points[p], points[p + 1], z, k, maxDistance)
  }
  return total
}

/** Returns the fraction at which a segment from 0 hits an agent, by the rule of copse.h; Infinity: it misses. */
function hitFraction(mx, my, mz, dx, dy, dz, radius) {
  const length2 = dx * dx + dy * dy + dz * dz
  const radius2 = radius * radius
  if (mx * mx + my * my + mz * mz <= radius2) return 0
  const along = mx * dx + my * dy + mz * dz
  if (along <= 0) return Infinity
  const [cx, cy, cz] = [my * dz - mz * dy, mz * dx - mx * dz, mx * dy - my * dx]
  const under = length2 * radius2 - (cx * cx + cy * cy + cz * cz)
  if (along >= length2) {
    const [ex, ey, ez] = [mx - dx, my - dy, mz - dz]
    if (ex * ex + ey * ey + ez * ez > radius2) return Infinity
  } else if (under < 0) return Infinity
  const exact = (along - Math.sqrt(Math.max(under, 0))) / length2
  return Math.fround(Math.min(Math.max(exact, 0), 1))
}

/**
 * Returns the first of some agents that a segment hits; -1: none. Or, if `all`, the number of hits.
 * @param {ArrayLike<number> | null} ids null: all agents
 */
function testHits(ids, count, { positions, dimensions, size }, x0, y0, z0, x1, y1, z1, all) {
  let first = -1
  let least = Infinity
  let hits = 0
  for (let i = 0; i < count; i++) {
    const id = ids === null ? i : ids[i]
    const offset = id * dimensions
    const mx = positions[offset] - x0
    const my = positions[offset + 1] - y0
    const mz = dimensions === 3 ? positions[offset + 2] - z0 : 0
    const fraction = hitFraction(mx, my, mz, x1 - x0, y1 - y0, z1 - z0, size)
    if (fraction === Infinity) continue
    hits++
    if (fraction < least || (fraction === least && id < first)) {
      least = fraction
      first = id
    }
  }
  return all ? hits : first
}

/**
 * Casts a ray: returns the first agent or, if `all`, the number of agents. A library without rays tests the
 * results of a box query around the segment.
 */
function rayOf(peer, agents, row, all = false) {
  const { segments, dimensions, size } = agents
  const offset = 2 * dimensions * row
  const end = offset + dimensions
  const [x0, y0, z0] = [
    segments[offset],
    segments[offset + 1],
    dimensions === 3 ? segments[offset + 2] : 0,
  ]
  const [x1, y1, z1] = [segments[end], segments[end + 1], dimensions === 3 ? segments[end + 2] : 0]
  if (peer.raycast && all) return peer.raycastAll(x0, y0, z0, x1, y1, z1, size)
  if (peer.raycast) return peer.raycast(x0, y0, z0, x1, y1, z1, size)
  if (peer.isLoop) return testHits(null, agents.n, agents, x0, y0, z0, x1, y1, z1, all)
  const count = peer.range(
    Math.min(x0, x1) - size,
    Math.min(y0, y1) - size,
    Math.min(z0, z1) - size,
    Math.max(x0, x1) + size,
    Math.max(y0, y1) + size,
    Math.max(z0, z1) + size,
  )
  return testHits(peer.found, count, agents, x0, y0, z0, x1, y1, z1, all)
}

export function raycast(peer, agents) {
  const rays = agents.points.length / agents.dimensions
  let hits = 0
  for (let row = 0; row < rays; row++) if (rayOf(peer, agents, row) >= 0) hits++
  return hits
}

/** Casts every ray, and returns the number of agents on them. */
export function raycastAll(peer, agents) {
  const rays = agents.points.length / agents.dimensions
  let hits = 0
  for (let row = 0; row < rays; row++) hits += rayOf(peer, agents, row, true)
  return hits
}

/** Finds the boxes in each area, in one call or by a query per area. Returns their number. */
export function areas(peer, views) {
  if (peer.rangeMany) return peer.rangeMany(views).total
  let total = 0
  for (let offset = 0; offset < views.length; offset += 4)
    total += peer.range(views[offset], views[offset + 1], views[offset + 2], views[offset + 3])
  return total
}

/** Finds the boxes in a circle around each point, in one call or one by one. Returns their number. */
export function circles(peer, points, radius) {
  if (peer.withinMany) return peer.withinMany(points, radius).total
  let total = 0
  for (let p = 0; p < points.length; p += 2) total += peer.within(points[p], points[p + 1], radius)
  return total
}

/** Finds the nearest box of each point, in one call or one by one. Returns the sum of their ids. */
export function nearestBoxes(peer, points) {
  const ids = peer.neighborsMany?.(points)
  let sum = 0
  for (let row = 0; 2 * row < points.length; row++)
    sum += ids ? ids[row] : peer.nearest(points[2 * row], points[2 * row + 1])
  return sum
}

/** Returns where a segment enters a circle: a fraction, Infinity if it misses. */
function enterCircle(x, y, radius, dx, dy) {
  const length2 = dx * dx + dy * dy
  if (x * x + y * y <= radius * radius) return 0
  const along = x * dx + y * dy
  const across = x * dy - y * dx
  const under = length2 * radius * radius - across * across
  const fraction = (along - Math.sqrt(under)) / length2 // NaN if it misses
  return fraction >= 0 && fraction <= 1 ? fraction : Infinity
}

/** Returns where a segment from 0, 0 enters a box: a fraction, Infinity if it misses. */
function enterBox(minX, minY, maxX, maxY, dx, dy) {
  const [x0, x1] = dx > 0 ? [minX / dx, maxX / dx] : [maxX / dx, minX / dx]
  const [y0, y1] = dy > 0 ? [minY / dy, maxY / dy] : [maxY / dy, minY / dy]
  const fraction = Math.max(x0, y0, 0)
  return fraction <= Math.min(x1, y1, 1) ? fraction : Infinity
}

/** Returns the first of some boxes, rounded by a radius, that a segment hits; -1: none. */
function firstBox({ found }, count, { positions }, radius, x0, y0, dx, dy) {
  let first = -1
  let least = Infinity
  for (let i = 0; i < count; i++) {
    const offset = 4 * found[i]
    const [minX, minY] = [positions[offset] - x0, positions[offset + 1] - y0]
    const [maxX, maxY] = [positions[offset + 2] - x0, positions[offset + 3] - y0]
    const fraction = Math.fround(
      Math.min(
        enterBox(minX - radius, minY, maxX + radius, maxY, dx, dy),
        enterBox(minX, minY - radius, maxX, maxY + radius, dx, dy),
        enterCircle(minX, minY, radius, dx, dy),
        enterCircle(minX, maxY, radius, dx, dy),
        enterCircle(maxX, minY, radius, dx, dy),
        enterCircle(maxX, maxY, radius, dx, dy),
      ),
    )
    if (fraction < least || (fraction === least && found[i] < first && fraction < Infinity)) {
      least = fraction
      first = found[i]
    }
  }
  return first
}

/** Casts the thick ray along the diagonal of an area. A library without rays searches the area. */
function boxRayOf(peer, boxes, offset) {
  const { views, bullet } = boxes
  const [x0, y0, x1, y1] = [views[offset], views[offset + 1], views[offset + 2], views[offset + 3]]
  if (peer.raycast) return peer.raycast(x0, y0, x1, y1, bullet)
  const count = peer.range(x0 - bullet, y0 - bullet, x1 + bullet, y1 + bullet)
  return firstBox(peer, count, boxes, bullet, x0, y0, x1 - x0, y1 - y0)
}

/** Casts a thick ray along the diagonal of each area, in one call or one by one. */
export function boxRays(peer, boxes) {
  if (peer.raycastMany) return peer.raycastMany(boxes.views, boxes.bullet).length
  let hits = 0
  for (let offset = 0; offset < boxes.views.length; offset += 4)
    if (boxRayOf(peer, boxes, offset) >= 0) hits++
  return hits
}

/** Finds all pairs of overlapping boxes, in one call or by a query per box. Returns their number. */
export function pairs(peer, { positions, n }) {
  if (peer.pairs) return peer.pairs()
  const { paired } = peer
  let count = 0
  for (let a = 0, offset = 0; a < n; a++, offset += 4) {
    const near = peer.range(
      positions[offset],
      positions[offset + 1],
      positions[offset + 2],
      positions[offset + 3],
    )
    for (let i = 0; i < near; i++) {
      const b = peer.found[i]
      if (b <= a) continue
      paired[2 * count] = a
      paired[2 * count + 1] = b
      count++
    }
  }
  return count
}

/** Finds what each camera sees. Returns the number of results. */
export function frustums(peer, views) {
  let total = 0
  for (const planes of views) total += peer.frustum(planes)
  return total
}

// ---- Walls: the number of results, or a hash of them ----

function sights(peer, segments, hash) {
  let total = 0
  for (let offset = 0; offset < segments.length; offset += 4) {
    const x1 = segments[offset + 2]
    const seen = Number(
      peer.visible(segments[offset], segments[offset + 1], x1, segments[offset + 3]),
    )
    total += hash ? mix(offset, seen) : seen
  }
  return total
}

function polygons(peer, method, { eyes, box }, hash) {
  const whole = (box[2] - box[0]) * (box[3] - box[1])
  let total = 0
  for (let offset = 0; offset < eyes.length; offset += 2) {
    const corners = peer[method](eyes[offset], eyes[offset + 1])
    if (!hash) total += corners.length
    // Compares areas: other libraries round differently, and add corners on straight borders.
    else total += mix(offset, Math.round((1e4 * areaOf([...corners].flat())) / whole))
  }
  return total
}

function areaOf(corners) {
  let area = 0
  let [x0, y0] = corners.slice(-2)
  for (let offset = 0; offset < corners.length; offset += 2) {
    const [x1, y1] = [corners[offset], corners[offset + 1]]
    area += x0 * y1 - x1 * y0
    ;[x0, y0] = [x1, y1]
  }
  return Math.abs(area) / 2
}

const floats = new Float32Array(1)
const bits = new Int32Array(floats.buffer)

function bitsOf(number) {
  floats[0] = number
  return bits[0]
}

export const walls = {
  visibleFar: (peer, { far }, hash) => sights(peer, far, hash),
  visibleNear: (peer, { near }, hash) => sights(peer, near, hash),
  wallsWithin(peer, { places }, hash) {
    let total = 0
    for (let offset = 0; offset < places.length; offset += 2) {
      const count = peer.wallsWithin(places[offset], places[offset + 1])
      if (!hash) total += count
      else for (let i = 0; i < count; i++) total += mix(offset + i, peer.found[i])
    }
    return total
  },
  nearestWall(peer, { places }, hash) {
    let total = 0
    for (let offset = 0; offset < places.length; offset += 2) {
      const { id, x, y, distance } = peer.nearestWall(places[offset], places[offset + 1])
      total += hash
        ? mix(offset, id) + mix(bitsOf(x), bitsOf(y)) + mix(offset, bitsOf(distance))
        : id
    }
    return total
  },
  raycastWalls(peer, { rays }, hash) {
    let total = 0
    for (let offset = 0; offset < rays.length; offset += 4) {
      const hit = peer.raycastWalls(
        rays[offset],
        rays[offset + 1],
        rays[offset + 2],
        rays[offset + 3],
      )
      if (hit) total += hash ? mix(offset, hit.id) + mix(offset, bitsOf(hit.fraction)) : 1
    }
    return total
  },
  insideWalls(peer, { places }, hash) {
    let total = 0
    for (let offset = 0; offset < places.length; offset += 2) {
      const inside = Number(peer.insideWalls(places[offset], places[offset + 1]))
      total += hash ? mix(offset, inside) : inside
    }
    return total
  },
  visibilityPolygon: (peer, walls, hash) => polygons(peer, 'visibilityPolygon', walls, hash),
  visibilityView: (peer, walls, hash) => polygons(peer, 'visibilityView', walls, hash),
  keepVisible(peer, { eyes, crowd, ids }, hash) {
    let total = 0
    for (let eye = 0; eye < ids.length; eye++) {
      const count = peer.keepVisible(eyes[2 * eye], eyes[2 * eye + 1], ids[eye], crowd)
      if (!hash) total += count
      else for (let i = 0; i < count; i++) total += mix(eye, peer.found[i])
    }
    return total
  },
}

// ---- Hashes: sums, so that the order within a row does not matter. Same as in native/common.h ----

/** Returns the hash of one number in a row. */
export function mix(row, number) {
  let h = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 12)) >>> 0
}

const pointOf = (points, dimensions, p) => points.subarray(p * dimensions, (p + 1) * dimensions)

/** Returns a squared distance in units of GRAIN²: an integer. */
function distance2(point, { positions, dimensions }, id) {
  let sum = 0
  for (let axis = 0; axis < dimensions; axis++)
    sum += ((point[axis] - positions[id * dimensions + axis]) * 64) ** 2
  return sum
}

/** Returns the hash of distances, nearest first. Ids are left out: libraries order ties differently. */
function mixDistances(row, distances2) {
  let sum = 0
  distances2.forEach((distance2, rank) => (sum += mix(row, Math.imul(distance2, 16) + rank)))
  return sum
}

/** @param {boolean} [own] true: the points are the agents, and none is its own neighbor */
export function hashWithin(peer, points, { dimensions }, radius, own) {
  let hash = 0
  for (let row = 0; row < points.length / dimensions; row++) {
    const [x, y, z = 0] = pointOf(points, dimensions, row)
    const count = peer.within(x, y, z, radius)
    for (let i = 0; i < count; i++)
      if (!own || peer.found[i] !== row) hash = (hash + mix(row, peer.found[i])) >>> 0
  }
  return hash
}

/** @param {boolean} [many] true: all rays in one call, each made thick by `inflate` */
export function hashRays(peer, agents, many, inflate = 0) {
  const rays = agents.points.length / agents.dimensions
  const { segments, size } = agents
  const ids = many ? peer.raycastMany(segments, size - inflate, inflate) : null
  let hash = 0
  for (let row = 0; row < rays; row++)
    hash = (hash + mix(row, ids ? ids[row] : rayOf(peer, agents, row))) >>> 0
  return hash
}

export function hashAllHits(peer, agents) {
  const rays = agents.points.length / agents.dimensions
  let hash = 0
  for (let row = 0; row < rays; row++)
    hash = (hash + mix(row, rayOf(peer, agents, row, true))) >>> 0
  return hash
}

export function hashRows({ offsets, counts, ids }, { n }) {
  let hash = 0
  for (let row = 0; row < n; row++)
    for (let i = 0; i < counts[row]; i++) hash = (hash + mix(row, ids[offsets[row] + i])) >>> 0
  return hash
}

export function hashFrustums(peer, views) {
  let hash = 0
  for (const [view, planes] of views.entries()) {
    const count = peer.frustum(planes)
    for (let i = 0; i < count; i++) hash = (hash + mix(view, peer.found[i])) >>> 0
  }
  return hash
}

export function hashWithinMany(peer, agents) {
  return hashRows(peer.withinMany(agents.positions, agents.radius), agents)
}

/** Hashes what enters the sensors first, and what enters them when agents have moved. */
export function hashSensors(peer, agents, radius) {
  let hash = 0
  for (let frame = 0; frame < 3; frame++) {
    agents.place(frame)
    peer.build(agents.positions)
    hash = (Math.imul(hash, 31) + hashRows(peer.sense(radius, agents.radius), agents)) >>> 0
  }
  agents.place(0)
  return hash
}

export function hashAllWithin(peer, agents) {
  if (peer.allWithin) return hashRows(peer.allWithin(agents.radius), agents)
  return hashWithin(peer, agents.positions, agents, agents.radius, true)
}

export function hashRange(peer, points, { dimensions }, half) {
  let hash = 0
  for (let row = 0; row < points.length / dimensions; row++) {
    const [x, y, z = 0] = pointOf(points, dimensions, row)
    const count = peer.range(x - half, y - half, z - half, x + half, y + half, z + half)
    for (let i = 0; i < count; i++) hash = (hash + mix(row, peer.found[i])) >>> 0
  }
  return hash
}

export function hashNearest(peer, points, agents) {
  let hash = 0
  for (let row = 0; row < points.length / agents.dimensions; row++) {
    const point = pointOf(points, agents.dimensions, row)
    const id = peer.nearest(point[0], point[1], point[2] ?? 0)
    hash = (hash + mixDistances(row, [distance2(point, agents, id)])) >>> 0
  }
  return hash
}

/** @param {boolean} [own] true: the points are the agents, and none is its own neighbor */
export function hashNeighbors(peer, points, agents, k, maxDistance, own) {
  let hash = 0
  for (let row = 0; row < points.length / agents.dimensions; row++) {
    const point = pointOf(points, agents.dimensions, row)
    const limit = own ? k + 1 : k
    const count = peer.neighbors(point[0], point[1], point[2] ?? 0, limit, maxDistance)
    const distances2 = []
    for (let i = 0; i < count; i++) distances2.push(distance2(point, agents, peer.found[i]))
    hash = (hash + mixDistances(row, own ? distances2.slice(1) : distances2)) >>> 0
  }
  return hash
}

/** Returns the hash of one batch call for all points. */
export function hashNearestMany(peer, points, agents, k) {
  const { counts, ids } = peer.neighborsMany(points, k)
  let hash = 0
  for (let row = 0; row < points.length / agents.dimensions; row++) {
    const point = pointOf(points, agents.dimensions, row)
    const distances2 = []
    for (let rank = 0; rank < counts[row]; rank++)
      distances2.push(distance2(point, agents, ids[row * k + rank]))
    hash = (hash + mixDistances(row, distances2)) >>> 0
  }
  return hash
}

export function hashNeighborRows({ counts, ids, distances2 }, agents, k) {
  const { n, positions, dimensions } = agents
  let hash = 0
  for (let row = 0; row < n; row++) {
    const expected = []
    for (let i = row * k; i < row * k + counts[row]; i++) {
      expected.push(distance2(pointOf(positions, dimensions, row), agents, ids[i]))
      if (expected.at(-1) !== distances2[i] * 4096) throw new Error(`wrong distance in row ${row}`)
    }
    hash = (hash + mixDistances(row, expected)) >>> 0
  }
  return hash
}

/** Returns the hash of the boxes in one area. */
function mixArea(peer, row, minX, minY, maxX, maxY) {
  const count = peer.range(minX, minY, maxX, maxY)
  let sum = 0
  for (let i = 0; i < count; i++) sum += mix(row, peer.found[i])
  return sum
}

export function hashBoxRays(peer, boxes) {
  const ids = peer.raycastMany?.(boxes.views, boxes.bullet)
  let hash = 0
  for (let offset = 0; offset < boxes.views.length; offset += 4)
    hash = (hash + mix(offset, ids ? ids[offset / 4] : boxRayOf(peer, boxes, offset))) >>> 0
  return hash
}

export function hashCircles(peer, points, radius) {
  const n = points.length / 2
  if (peer.withinMany) return hashRows(peer.withinMany(points, radius), { n })
  let hash = 0
  for (let row = 0; row < n; row++) {
    const count = peer.within(points[2 * row], points[2 * row + 1], radius)
    for (let i = 0; i < count; i++) hash = (hash + mix(row, peer.found[i])) >>> 0
  }
  return hash
}

export function hashNearestBoxes(peer, points) {
  const ids = peer.neighborsMany?.(points)
  let hash = 0
  for (let row = 0; 2 * row < points.length; row++) {
    const id = ids ? ids[row] : peer.nearest(points[2 * row], points[2 * row + 1])
    hash = (hash + mix(row, id)) >>> 0
  }
  return hash
}

export function hashAreas(peer, { views }) {
  let hash = 0
  if (peer.rangeMany) {
    const { offsets, counts, ids } = peer.rangeMany(views)
    for (let i = 0; i < counts.length; i++)
      for (let place = offsets[i]; place < offsets[i] + counts[i]; place++)
        hash = (hash + mix(4 * i, ids[place])) >>> 0
    return hash
  }
  for (let offset = 0; offset < views.length; offset += 4)
    hash =
      (hash +
        mixArea(
          peer,
          offset,
          views[offset],
          views[offset + 1],
          views[offset + 2],
          views[offset + 3],
        )) >>>
      0
  return hash
}

/**
 * Returns the hash of the boxes at two opposite corners of each box, or of some thousands of boxes: a box
 * that is slightly off misses one of its corners.
 */
export function hashCorners(peer, { positions, n }) {
  const stride = 4 * Math.ceil(n / 10_000)
  let hash = 0
  for (let offset = 0; offset < 4 * n; offset += stride)
    for (let corner = offset; corner < offset + 4; corner += 2) {
      const [x, y] = [positions[corner], positions[corner + 1]]
      hash = (hash + mixArea(peer, corner, x, y, x, y)) >>> 0
    }
  return hash
}

export function hashPairs(peer, agents) {
  const count = pairs(peer, agents)
  if (2 * count > peer.paired.length) throw new Error('too little room for pairs')
  let hash = 0
  for (let i = 0; i < count; i++) {
    const [a, b] = [peer.paired[2 * i], peer.paired[2 * i + 1]]
    hash = (hash + mix(Math.min(a, b), Math.max(a, b))) >>> 0
  }
  return hash
}
