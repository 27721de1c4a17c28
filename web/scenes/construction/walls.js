// The construction of an ObstacleTree and a query in it, step by step. The library reports the lines and
// cells of the finished tree, but not the lines that it tried. So the construction is done again here, by
// the library's rule and with its rounding, and the result is compared with lines() and cells().
//
// A node is one as in nodes.js, in build order: the right child is built first. Instead of points it has
//   pieces      the parts of edges in it: { edge, from, to, ends }, fractions of the edge, x0, y0, x1, y1
//   candidates  the lines that were tried: { edge, axis, normal, offset, left, right, best }; `best`: index
//               of the best candidate so far. `edge` is -1 for the line of a median, along `axis`
//   polygon     its region
//   cut         the line that divides it, null in a leaf

import { halves, polygonOf, sideOf } from './polygon.js'

const { fround } = Math
const EXACT = 32 // c/walls/obstacle_build.c
const SAMPLES = 16
const add = (a, b) => fround(a + b)
const multiply = (a, b) => fround(a * b)

/**
 * Returns { nodes, edges, center, tolerance } of a tree that has been built. `world`: the box that the nodes
 * divide. Edges are by id, { from, to }; their solid side is on the left.
 */
export function wallNodes(tree, leafSize, world) {
  const edges = readEdges(tree)
  const [center, tolerance] = measure(Object.values(edges))
  const nodes = []

  const pointOn = ({ from, to }, fraction) =>
    from.map((start, axis) => fround(start + (to[axis] - start) * fraction - center[axis]))

  const pieces = Object.entries(edges).map(([id, edge]) => {
    const [start, end] = [pointOn(edge, 0), pointOn(edge, 1)]
    const way = edge.to.map((x, axis) => x - edge.from[axis])
    const length = Math.sqrt(way[0] * way[0] + way[1] * way[1])
    edge.normal = [-fround(way[1] / length), fround(way[0] / length)]
    edge.offset = fround(edge.normal[0] * start[0] + edge.normal[1] * start[1])
    return { edge: Number(id), from: 0, to: 1, ends: [...start, ...end] }
  })

  function grow(parent, pieces, polygon) {
    const depth = parent ? parent.depth + 1 : 0
    const node = { index: nodes.length, parent, children: [], depth, pieces, polygon, cut: null }
    node.candidates = pieces.length > leafSize ? tryLines(pieces, edges, tolerance) : []
    nodes.push(node)
    const best = node.candidates[node.candidates.at(-1)?.best]
    if (!best || Math.max(best.left, best.right) > mostOf(pieces)) return node
    const offset = best.offset + best.normal[0] * center[0] + best.normal[1] * center[1]
    node.cut = { ...best, offset, relative: best.offset }
    const [left, right] = divide(pieces, best)
    const [leftPolygon, rightPolygon] = halves(polygon, node.cut)
    const rightChild = grow(node, right, rightPolygon)
    node.children = [grow(node, left, leftPolygon), rightChild]
    return node
  }

  // Divides pieces by their side of a line, and splits those that cross it.
  function divide(pieces, line) {
    const [left, right] = [[], []]
    for (const piece of pieces) {
      const [begin, end] = sidesOf(piece, line)
      if (isLeft(begin, end, tolerance)) left.push(piece)
      else if (isRight(begin, end, tolerance)) right.push(piece)
      else {
        const part = fround(begin / add(begin, -end))
        const middle = add(piece.from, multiply(add(piece.to, -piece.from), part))
        const point = pointOn(edges[piece.edge], middle)
        const head = { ...piece, to: middle, ends: [...piece.ends.slice(0, 2), ...point] }
        const tail = { ...piece, from: middle, ends: [...point, ...piece.ends.slice(2)] }
        left.push(begin > 0 ? head : tail)
        right.push(begin > 0 ? tail : head)
      }
    }
    return [left, right]
  }

  grow(null, pieces, polygonOf(world))
  return { nodes, edges, center, tolerance }
}

/** Returns the edges of all polygons by id. */
function readEdges(tree) {
  const { vertices, next, polygons, slots } = tree
  const point = (id) => [vertices[2 * id], vertices[2 * id + 1]]
  const edges = {}
  for (let id = 0; id < slots; id++) {
    if ((tree.generations[id] & 1) === 0) continue
    const [from, to] = [point(id), point(next[id])]
    const isReversed = tree.winding(polygons[id]) * areaOf(tree, polygons[id]) < 0
    if (from[0] === to[0] && from[1] === to[1]) continue
    edges[id] = isReversed ? { from: to, to: from } : { from, to }
  }
  return edges
}

function areaOf({ vertices, next }, first) {
  let area = 0
  for (let id = first; ; id = next[id]) {
    const [a, b] = [2 * id, 2 * next[id]]
    area += vertices[a] * vertices[b + 1] - vertices[b] * vertices[a + 1]
    if (next[id] === first) return area
  }
}

/** Returns the center of all edges, and the tolerance within which a piece may be on either side. */
function measure(edges) {
  const center = []
  let reach = 0
  for (const axis of [0, 1]) {
    const places = edges.flatMap(({ from, to }) => [from[axis], to[axis]])
    const [lo, hi] = [Math.min(...places), Math.max(...places)]
    center[axis] = add(lo, fround(add(hi, -lo) / 2))
    reach = add(reach, add(hi, -center[axis]))
  }
  return [center, add(multiply(reach, 2 ** -18), fround(1e-36))]
}

const side = ({ normal, offset }, x, y) =>
  add(add(multiply(normal[0], x), multiply(normal[1], y)), -offset)
const sidesOf = ({ ends }, line) => [side(line, ends[0], ends[1]), side(line, ends[2], ends[3])]
const isLeft = (begin, end, tolerance) => begin >= -tolerance && end >= -tolerance
const isRight = (begin, end, tolerance) => begin <= tolerance && end <= tolerance

/** A line is used only if it leaves at most this many pieces on each side. */
const mostOf = (pieces) => Math.floor((3 * pieces.length) / 4)

/** True if a line has fewer pieces on its fuller side or, if equal, on its other side. */
function isBetter(line, best) {
  if (!best) return true
  const [fuller, fullest] = [line, best].map(({ left, right }) => Math.max(left, right))
  return (
    fuller < fullest ||
    (fuller === fullest && Math.min(line.left, line.right) < Math.min(best.left, best.right))
  )
}

/** Tries lines along edges and, if none is good, at medians. The best one is the first with its score. */
function tryLines(pieces, edges, tolerance) {
  const size = pieces.length
  const candidates = []
  let best = -1

  function attempt(candidate) {
    const counts = { left: 0, right: 0 } // a piece that crosses the line counts on both sides
    for (const piece of pieces) {
      const [begin, end] = sidesOf(piece, candidate)
      const onLeft = isLeft(begin, end, tolerance)
      if (onLeft || !isRight(begin, end, tolerance)) counts.left++
      if (!onLeft) counts.right++
    }
    const tried = { ...candidate, ...counts }
    if (isBetter(tried, candidates[best])) best = candidates.length
    candidates.push({ ...tried, best })
  }
  const isGood = () => Math.max(candidates[best].left, candidates[best].right) <= mostOf(pieces)

  const tries = size <= EXACT ? size : SAMPLES
  for (let i = 0; i < tries; i++) {
    const { edge } = pieces[Math.floor(((2 * i + 1) * size) / (2 * tries))]
    const { normal, offset } = edges[edge]
    attempt({ edge, axis: -1, normal, offset })
  }
  const places = (axis) => pieces.flatMap(({ ends }) => [ends[axis], ends[axis + 2]])
  const [width, height] = [0, 1].map((axis) =>
    add(Math.max(...places(axis)), -Math.min(...places(axis))),
  )
  const longer = Number(height > width)
  for (const axis of [longer, 1 - longer]) {
    if (isGood()) break
    const normal = axis === 0 ? [1, 0] : [0, 1]
    attempt({ edge: -1, axis, normal, offset: medianOf(pieces, axis) })
  }
  return candidates
}

// The median of the places where pieces start, of a sample if there are many.
function medianOf(pieces, axis) {
  const samples = Math.min(pieces.length, EXACT)
  const starts = Array.from({ length: samples }, (_, i) => {
    return pieces[Math.floor((i * pieces.length) / samples)].ends[axis]
  })
  return starts.sort((a, b) => a - b)[samples >> 1]
}

/** True if lines() and cells() of the library are the lines and cells of these nodes. */
export function isSameTree({ nodes }, tree) {
  const [lines, cells] = [tree.lines(), tree.cells()]
  let [line, cell] = [0, 0]

  function compare(node) {
    if (!node.cut) {
      const { depth, pieces } = node
      if (pieces.length === 0) return true // not in cells()
      cell += 6
      return cells[cell - 2] === depth && cells[cell - 1] === pieces.length
    }
    const [x0, y0, x1, y1, depth] = lines.subarray(line, (line += 5))
    const near = (x, y) => Math.abs(sideOf(node.cut, [x, y])) < 1e-4
    return (
      depth === node.depth &&
      near(x0, y0) &&
      near(x1, y1) &&
      node.children.toReversed().every(compare)
    )
  }
  return compare(nodes[0]) && line === lines.length && cell === cells.length
}

// ---- A query for the edges within a radius ----

const SLACK = fround(1e-22)
const ROUNDED_UP = fround(1.000001)

/**
 * Returns { steps, found, visits } of a query, as in search.js; `gaps` of a visit: the signed distance from
 * the node's line, positive on its left.
 */
export function searchWalls({ nodes, edges, center, tolerance }, [queryX, queryY], radius) {
  const [x, y] = [add(fround(queryX), -center[0]), add(fround(queryY), -center[1])]
  const far = add(Math.abs(x), Math.abs(y))
  const slack = add(add(multiply(2, tolerance), multiply(far, 2 ** -20)), SLACK)
  const reach = add(slack, multiply(fround(radius), ROUNDED_UP))
  const steps = []
  const found = []
  const record = (kind, node, gaps = []) => steps.push({ kind, node, gaps, found: found.length })

  function descend(node) {
    if (!node.cut) {
      for (const piece of node.pieces) if (isFound(piece)) found.push(piece.edge)
      return record('scan', node)
    }
    const gap = side({ ...node.cut, offset: node.cut.relative }, x, y)
    const [near, other] = gap < 0 ? node.children.toReversed() : node.children
    const isPruned = Math.abs(gap) > reach
    record('visit', node, [gap])
    if (isPruned) record('prune', other, [Math.abs(gap)])
    descend(near)
    if (!isPruned) descend(other)
  }

  // An edge is found in the piece that has its point nearest to the query.
  function isFound({ edge, from, to }) {
    const [a, b] = [edges[edge].from, edges[edge].to]
    const way = [b[0] - a[0], b[1] - a[1]]
    const off = [fround(queryX) - a[0], fround(queryY) - a[1]]
    const along = off[0] * way[0] + off[1] * way[1]
    const fraction = Math.min(Math.max(along / (way[0] * way[0] + way[1] * way[1]), 0), 1)
    const distance2 = (off[0] - way[0] * fraction) ** 2 + (off[1] - way[1] * fraction) ** 2
    const isHere = fraction >= from && (fraction < to || to === 1)
    return isHere && fround(distance2) <= multiply(fround(radius), fround(radius))
  }

  descend(nodes[0])
  return { steps, found, visits: steps.filter(({ kind }) => kind !== 'prune').length }
}
