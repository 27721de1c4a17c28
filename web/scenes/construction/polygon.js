// Convex polygons, lists of [x, y], divided by lines. A line is { normal: [x, y], offset }: the points
// whose dot product with the normal is the offset. Its left side is that of larger products.

export const sideOf = ({ normal, offset }, [x, y]) => normal[0] * x + normal[1] * y - offset

export const polygonOf = ([minX, minY, maxX, maxY]) => [
  [minX, minY],
  [maxX, minY],
  [maxX, maxY],
  [minX, maxY],
]

/** Returns the parts of a convex polygon on the left and on the right of a line. */
export function halves(polygon, line) {
  const [left, right] = [[], []]
  polygon.forEach((corner, i) => {
    const next = polygon[(i + 1) % polygon.length]
    const [here, there] = [sideOf(line, corner), sideOf(line, next)]
    if (here >= 0) left.push(corner)
    if (here <= 0) right.push(corner)
    if (here * there >= 0) return
    const crossing = between(corner, next, here / (here - there))
    left.push(crossing)
    right.push(crossing)
  })
  return [left, right]
}

/** Returns the part of a line in a convex polygon, [[x, y], [x, y]]; null if there is none. */
export function chord(polygon, line) {
  const ends = halves(polygon, line)[0].filter((corner) => Math.abs(sideOf(line, corner)) < 1e-4)
  return ends.length > 1 ? [ends[0], ends.at(-1)] : null
}

export const between = ([x0, y0], [x1, y1], part) => [x0 + part * (x1 - x0), y0 + part * (y1 - y0)]
