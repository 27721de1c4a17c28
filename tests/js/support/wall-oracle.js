// A plain list of walls with all queries, as c/copse.h defines them: the obstacle tree must return the
// same results. Squared distances and fractions are rounded to a float32 at the end, as in the library;
// all else is double.

const { abs, fround, max, min, sqrt } = Math

/** Returns a list with `capacity` free vertices. */
export function createList(capacity) {
  return {
    capacity,
    vertices: new Float32Array(2 * capacity),
    next: new Uint32Array(capacity),
    polygons: new Uint32Array(capacity),
    generations: new Uint32Array(capacity), // odd: in use
    twoSided: new Uint8Array(capacity),
    solid: new Int8Array(capacity), // by polygon: 1 inside, -1 outside, 0 nowhere or a polygon added without area
    edges: [], // the last build: { id, ax, ay, bx, by, twoSided, ofArea }
    hasBoundaries: false,
  }
}

const isUsed = (list, id) => (list.generations[id] & 1) === 1
const isPolygon = (list, slot) => isUsed(list, slot) && list.polygons[slot] === slot

/** Returns the slots of all polygons, ascending. */
export function slotsOf(list) {
  const slots = []
  for (let id = 0; id < list.capacity; id++) if (isPolygon(list, id)) slots.push(id)
  return slots
}

/** Returns the vertex ids of a polygon, in order. */
export function loopOf(list, slot) {
  const ids = [slot]
  while (list.next[ids.at(-1)] !== slot) ids.push(list.next[ids.at(-1)])
  return ids
}

function writePoints(list, ids, points) {
  // -0 becomes 0
  for (const [i, id] of ids.entries())
    for (const axis of [0, 1]) list.vertices[2 * id + axis] = points[2 * i + axis] + 0
}

/** True if points enclose an area. Without one there is no inside or outside. */
export function hasArea(points) {
  let area = 0
  for (let i = 2; i < points.length; i += 2)
    area += sideOf(points[0], points[1], points[i - 2], points[i - 1], points[i], points[i + 1])
  return area !== 0
}

/** Adds a polygon at the lowest free ids, in order. Returns its slot; -1 if too few ids are free. */
export function add(list, points, solid) {
  const ids = []
  for (let id = 0; id < list.capacity && ids.length < points.length / 2; id++)
    if (!isUsed(list, id)) ids.push(id)
  if (ids.length < points.length / 2) return -1
  writePoints(list, ids, points)
  for (const [i, id] of ids.entries()) {
    list.next[id] = ids[(i + 1) % ids.length]
    list.polygons[id] = ids[0]
    list.twoSided[id] = Number(solid === 'nowhere')
    list.generations[id]++
  }
  const solids = { inside: 1, outside: -1, winding: orientation(list, ids[0]), nowhere: 0 }
  list.solid[ids[0]] = solids[solid]
  return ids[0]
}

export const move = (list, slot, points) => writePoints(list, loopOf(list, slot), points)

export function remove(list, slot) {
  for (const id of loopOf(list, slot)) list.generations[id]++
}

/** Returns (b - a) x (p - a): positive if p is left of a … b. */
const sideOf = (ax, ay, bx, by, x, y) => (bx - ax) * (y - ay) - (by - ay) * (x - ax)
const sideOfEdge = ({ ax, ay, bx, by }, x, y) => sideOf(ax, ay, bx, by, x, y)

/** Returns twice the area of a loop: the sum of triangles with its first vertex. */
function areaOf(list, ids) {
  const { vertices } = list
  const [x, y] = vertices.subarray(2 * ids[0])
  let area = 0
  for (const id of ids) {
    const after = list.next[id]
    area += sideOf(
      x,
      y,
      ...vertices.subarray(2 * id, 2 * id + 2),
      ...vertices.subarray(2 * after, 2 * after + 2),
    )
  }
  return area
}

/** Returns the direction of a polygon's vertices as they are now: 1 counter-clockwise, -1 clockwise, 0 no area. */
const orientation = (list, slot) => Math.sign(areaOf(list, loopOf(list, slot)))

/** Returns the direction of a polygon's edges: set by its solid side, if it has one; 0 without area. */
export const winding = (list, slot) =>
  orientation(list, slot) && (list.solid[slot] || orientation(list, slot))

/** Builds the edges that queries find from now on. */
export function build(list) {
  const { next, polygons, twoSided, vertices } = list
  list.edges = []
  list.dropped = 0
  list.hasBoundaries = slotsOf(list).some((slot) => !twoSided[slot] && winding(list, slot) < 0)
  const reversed = slotsOf(list).filter((slot) => winding(list, slot) !== orientation(list, slot))
  for (let id = 0; id < list.capacity; id++) {
    if (!isUsed(list, id)) continue
    const isReversed = reversed.includes(polygons[id])
    const [ax, ay] = vertices.subarray(2 * (isReversed ? next[id] : id))
    const [bx, by] = vertices.subarray(2 * (isReversed ? id : next[id]))
    const ofArea = !twoSided[polygons[id]] && next[next[id]] !== id
    if (ax === bx && ay === by) list.dropped++
    else list.edges.push({ id, ax, ay, bx, by, twoSided: twoSided[id] === 1, ofArea })
  }
}

/** Returns the point of a segment nearest to (x, y), and the squared distance. */
function footOn(ax, ay, bx, by, x, y) {
  const dx = bx - ax
  const dy = by - ay
  const t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
  const nearestX = t >= 1 ? bx : t > 0 ? ax + dx * t : ax
  const nearestY = t >= 1 ? by : t > 0 ? ay + dy * t : ay
  const gapX = x - nearestX
  const gapY = y - nearestY
  return { x: nearestX, y: nearestY, distance2: gapX * gapX + gapY * gapY }
}

export const footOf = ({ ax, ay, bx, by }, x, y) => footOn(ax, ay, bx, by, x, y)

const isWanted = (edge, x, y, side) =>
  side !== 'visible' || edge.twoSided || sideOfEdge(edge, x, y) < 0

/** Returns the edges within a radius, nearest first: { id, distance2, x, y }. */
export function within(list, x, y, radius, side) {
  const radius2 = fround(fround(radius) * fround(radius))
  const matches = []
  for (const edge of list.edges) {
    if (!isWanted(edge, x, y, side)) continue
    const foot = footOf(edge, x, y)
    const distance2 = fround(foot.distance2)
    if (distance2 <= radius2) matches.push({ id: edge.id, distance2, x: foot.x, y: foot.y })
  }
  return matches.sort((a, b) => a.distance2 - b.distance2 || a.id - b.id)
}

const spansMeet = (a, b, c, d) => min(a, b) <= max(c, d) && min(c, d) <= max(a, b)

/** True if a segment meets an edge. The same in both directions. */
function meets({ ax, ay, bx, by }, x0, y0, x1, y1) {
  if (!spansMeet(ax, bx, x0, x1) || !spansMeet(ay, by, y0, y1)) return false
  const [px, py, qx, qy] = x0 < x1 || (x0 === x1 && y0 <= y1) ? [x0, y0, x1, y1] : [x1, y1, x0, y0]
  const a = sideOf(px, py, qx, qy, ax, ay)
  const b = sideOf(px, py, qx, qy, bx, by)
  const p = sideOf(ax, ay, bx, by, px, py)
  const q = sideOf(ax, ay, bx, by, qx, qy)
  return min(a, b) <= 0 && max(a, b) >= 0 && min(p, q) <= 0 && max(p, q) >= 0
}

/** True if no edge meets the segment, or is within the radius of it. */
export function visible(list, x0, y0, x1, y1, radius = 0) {
  const radius2 = fround(fround(radius) * fround(radius))
  for (const edge of list.edges) {
    if (meets(edge, x0, y0, x1, y1)) return false
    if (fround(radius) === 0) continue
    const { ax, ay, bx, by } = edge
    const segment = x0 < x1 || (x0 === x1 && y0 <= y1) ? [x0, y0, x1, y1] : [x1, y1, x0, y0]
    const least = min(
      footOf(edge, x0, y0).distance2,
      footOf(edge, x1, y1).distance2,
      footOn(...segment, ax, ay).distance2,
      footOn(...segment, bx, by).distance2,
    )
    if (fround(least) <= radius2) return false
  }
  return true
}

/** Returns the fraction at which a segment meets an edge. They must meet. */
function fractionTo(edge, x0, y0, x1, y1) {
  const { ax, ay, bx, by } = edge
  const dx = x1 - x0
  const dy = y1 - y0
  if (dx === 0 && dy === 0) return 0
  const isWide = abs(dx) >= abs(dy)
  const ends = isWide ? [(ax - x0) / dx, (bx - x0) / dx] : [(ay - y0) / dy, (by - y0) / dy]
  const a = sideOfEdge(edge, x0, y0)
  const b = sideOfEdge(edge, x1, y1)
  const crossing = a === 0 && b === 0 ? min(...ends) : a / (a - b)
  return min(max(min(crossing, max(...ends)), min(...ends), 0), 1)
}

/** Returns the first edge that a segment meets, or null. */
export function raycast(list, x0, y0, x1, y1, side) {
  let first = null
  for (const edge of list.edges) {
    if (!isWanted(edge, x0, y0, side) || !meets(edge, x0, y0, x1, y1)) continue
    const fraction = fractionTo(edge, x0, y0, x1, y1)
    if (first && fround(fraction) >= first.fraction) continue
    const dx = edge.bx - edge.ax
    const dy = edge.by - edge.ay
    const length = sqrt(dx * dx + dy * dy) * (sideOfEdge(edge, x0, y0) > 0 ? -1 : 1)
    first = {
      id: edge.id,
      fraction: fround(fraction),
      x: fround(x0 + (x1 - x0) * fraction),
      y: fround(y0 + (y1 - y0) * fraction),
      normalX: fround(dy / length) + 0,
      normalY: fround(-dx / length) + 0,
    }
  }
  return first
}

/** True if a point is in something solid or on its border. */
export function contains(list, x, y) {
  let turns = list.hasBoundaries ? 1 : 0
  for (const edge of list.edges) {
    if (!edge.ofArea) continue
    const { ax, ay, bx, by } = edge
    const side = sideOfEdge(edge, x, y)
    if (side === 0 && spansMeet(ax, bx, x, x) && spansMeet(ay, by, y, y)) return true
    if (ay <= y && by > y && side > 0) turns++
    if (ay > y && by <= y && side < 0) turns--
  }
  return turns > 0
}
