// Shortest paths around walls with clearance, by an exact visibility graph: slow, for tests of flow fields. All in
// double. A level is { edges: [[x0, y0, x1, y1], …], polygons: [[x, y, …], …] }: its walls, and those of them that are
// solid inside.

const { cos, hypot, max, min, PI, sin } = Math

/** Returns the distance of a point from a segment. */
export function distanceFrom([ax, ay, bx, by], x, y) {
  const [dx, dy] = [bx - ax, by - ay]
  const length2 = dx * dx + dy * dy
  const t = length2 ? max(0, min(1, ((x - ax) * dx + (y - ay) * dy) / length2)) : 0
  return hypot(x - ax - t * dx, y - ay - t * dy)
}

const sideOf = (ax, ay, bx, by, x, y) => (bx - ax) * (y - ay) - (by - ay) * (x - ax)

/** True if two segments cross each other, not only touch. */
const cross = ([ax, ay, bx, by], [cx, cy, dx, dy]) =>
  sideOf(ax, ay, bx, by, cx, cy) * sideOf(ax, ay, bx, by, dx, dy) < 0 &&
  sideOf(cx, cy, dx, dy, ax, ay) * sideOf(cx, cy, dx, dy, bx, by) < 0

/** Returns the distance of two segments. */
export function gapOf(one, other) {
  if (cross(one, other)) return 0
  return min(
    distanceFrom(one, other[0], other[1]),
    distanceFrom(one, other[2], other[3]),
    distanceFrom(other, one[0], one[1]),
    distanceFrom(other, one[2], one[3]),
  )
}

/** Returns the distance of a segment from the nearest wall of a level. */
export const clearanceOf = (level, segment) =>
  level.edges.reduce((least, edge) => min(least, gapOf(edge, segment)), Infinity)

/** True if a point is inside a polygon of the level. */
export function isSolid(level, x, y) {
  return level.polygons.some((polygon) => {
    let isInside = false
    for (let i = 0; i < polygon.length; i += 2) {
      const [ax, ay] = [polygon[i], polygon[i + 1]]
      const [bx, by] = [polygon[(i + 2) % polygon.length], polygon[(i + 3) % polygon.length]]
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside
    }
    return isInside
  })
}

export const isFree = (level, radius, x, y) =>
  !isSolid(level, x, y) && level.edges.every((edge) => distanceFrom(edge, x, y) >= radius)

/** The corners of the polygons that go around the ends of walls. */
const CORNERS = 12

/**
 * Returns the length of the shortest path from each start to the nearest of some goals, with their costs; Infinity if
 * there is none. Paths keep at least `radius` from all walls, and go around the end of a wall on a polygon around its
 * circle: so they are the shortest but for that. Points are [x, y]. `bounds`: where all corners are.
 */
export function shortestPaths(level, radius, starts, goals, options = {}) {
  const { costs = goals.map(() => 0), bounds = [-Infinity, -Infinity, Infinity, Infinity] } =
    options
  const nodes = [...goals]
  const corner = (radius / cos(PI / CORNERS)) * (1 + 1e-9)
  const ends = new Map(
    level.edges.flatMap(([ax, ay, bx, by]) => [
      [`${ax},${ay}`, [ax, ay]],
      [`${bx},${by}`, [bx, by]],
    ]),
  )
  for (const [x, y] of ends.values())
    for (let i = 0; i < CORNERS; i++) {
      const angle = (2 * PI * (i + 0.5)) / CORNERS
      const place = [x + corner * cos(angle), y + corner * sin(angle)]
      const [px, py] = place
      const isInside = px >= bounds[0] && py >= bounds[1] && px <= bounds[2] && py <= bounds[3]
      if (isInside && isFree(level, radius * (1 - 1e-9), ...place)) nodes.push(place)
    }
  nodes.push(...starts)
  const sees = (a, b) => {
    const [lox, loy] = [min(a[0], b[0]) - radius, min(a[1], b[1]) - radius]
    const [hix, hiy] = [max(a[0], b[0]) + radius, max(a[1], b[1]) + radius]
    return level.edges.every(
      ([x0, y0, x1, y1]) =>
        max(x0, x1) < lox ||
        min(x0, x1) > hix ||
        max(y0, y1) < loy ||
        min(y0, y1) > hiy ||
        gapOf([x0, y0, x1, y1], [a[0], a[1], b[0], b[1]]) >= radius * (1 - 1e-8),
    )
  }
  const lengths = nodes.map((_, i) => (i < goals.length ? costs[i] : Infinity))
  const isDone = nodes.map(() => false)
  for (;;) {
    let next = -1
    for (let i = 0; i < nodes.length; i++)
      if (!isDone[i] && lengths[i] < Infinity && !(lengths[next] <= lengths[i])) next = i
    if (next < 0) break
    isDone[next] = true
    if (next >= nodes.length - starts.length) continue
    const [x, y] = nodes[next]
    for (let i = 0; i < nodes.length; i++) {
      const length = lengths[next] + hypot(nodes[i][0] - x, nodes[i][1] - y)
      if (!isDone[i] && length < lengths[i] && sees(nodes[next], nodes[i])) lengths[i] = length
    }
  }
  return lengths.slice(nodes.length - starts.length)
}

/** Returns the walls of some polygons and segments as a level. Polygons are solid inside. */
export function levelOf(polygons, segments) {
  const edges = [...segments]
  for (const polygon of polygons)
    for (let i = 0; i < polygon.length; i += 2)
      edges.push([...polygon.slice(i, i + 2), ...[...polygon, ...polygon].slice(i + 2, i + 4)])
  return { edges, polygons }
}
