// How far paths keep from walls, for tests of flow fields. All in double. A level is
// { edges: [[x0, y0, x1, y1], …], polygons: [[x, y, …], …] }: its walls, and those of them that are solid inside.

const { hypot, max, min } = Math

/** Returns the distance of a point from a segment. */
function distanceFrom([ax, ay, bx, by], x, y) {
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
function isSolid(level, x, y) {
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

/** Returns the walls of some polygons and segments as a level. Polygons are solid inside. */
export function levelOf(polygons, segments) {
  const edges = [...segments]
  for (const polygon of polygons)
    for (let i = 0; i < polygon.length; i += 2)
      edges.push([...polygon.slice(i, i + 2), ...[...polygon, ...polygon].slice(i + 2, i + 4)])
  return { edges, polygons }
}
