// A query for the points within a radius, recorded step by step as it descends a tree: see nodes.js.
// Numbers are rounded as in the library, so that the same nodes are pruned.
//
// A step:
//   kind      'visit' (an inner node), 'scan' (the points of a leaf) or 'prune'
//   node      the node; a pruned one is not visited
//   gaps      visit: distances to the children or to the other side of the line; prune: [distance]
//   axis      prune: the axis along which the distance is measured; -1: none
//   found     the number of points found so far

import { distance2 } from '../../view/distance.js'

const { fround } = Math
const ROUNDED_UP = fround(1.000001)
const LEAST = fround(1e-18)

/**
 * Returns { steps, found, visits } of a query. `descend(node, search)` records what happens at a node and
 * calls search.enter() or search.prune() for each child.
 */
function run(root, positions, [x, y], radius, descend) {
  const radius2 = fround(fround(radius) ** 2)
  const steps = []
  const found = []
  const search = {
    center: [fround(x), fround(y)],
    radius2,
    // The radius, rounded up.
    reach: fround(fround(fround(Math.sqrt(radius2)) * ROUNDED_UP) + LEAST),
    record: (kind, node, gaps = [], axis = -1) =>
      steps.push({ kind, node, gaps, axis, found: found.length }),
    test: (ids) => found.push(...ids.filter((id) => distance2(positions, id, x, y) <= radius2)),
    enter: (node) => descend(node, search),
    prune: (node, gap, axis) => search.record('prune', node, [gap], axis),
    scan(node) {
      search.test(node.ids)
      search.record('scan', node)
    },
  }
  if (root) descend(root, search)
  return { steps, found, visits: steps.filter(({ kind }) => kind !== 'prune').length }
}

/** Returns the distance from a point to a box, squared. */
function gap2([minX, minY, maxX, maxY], [x, y]) {
  const dx = Math.max(fround(minX - x), fround(x - maxX), 0)
  const dy = Math.max(fround(minY - y), fround(y - maxY), 0)
  return fround(fround(dx * dx) + fround(dy * dy))
}

/** The agent tree enters a child if the near side of its bounds, along the cut's axis, is in reach. */
export function searchAgentTree([root], positions, query, radius) {
  return run(root, positions, query, radius, (node, search) => {
    const { center, radius2, reach } = search
    if (node === root && !(gap2(node.box, center) <= radius2))
      return search.prune(node, Math.sqrt(gap2(node.box, center)))
    if (!node.cut) return search.scan(node)
    const { axis } = node.cut
    const [left, right] = node.children
    const gaps = [fround(center[axis] - left.box[axis + 2]), fround(right.box[axis] - center[axis])]
    search.record('visit', node, gaps)
    descendInto(node, search, gaps, axis, reach)
  })
}

/** The k-d tree tests the point of each node, then enters the sides of its line that are in reach. */
export function searchKdTree([root], positions, query, radius) {
  return run(root, positions, query, radius, (node, search) => {
    const { center, reach } = search
    const { axis, at } = node.cut
    search.test([node.own])
    const gap = fround(center[axis] - at)
    search.record(node.children.length ? 'visit' : 'scan', node, [gap])
    // The median of two points is the second: an only child is on the low side.
    descendInto(node, search, [gap, -gap], axis, reach)
  })
}

// Records pruned children before it enters the others: the query decides at the node.
function descendInto({ children }, search, gaps, axis, reach) {
  children.forEach((child, i) => gaps[i] <= reach || search.prune(child, gaps[i], axis))
  children.forEach((child, i) => gaps[i] <= reach && search.enter(child))
}

/** The quadtree enters the cells that meet the square around the query's circle, and are not empty. */
export function searchQuadtree([root], positions, query, radius) {
  return run(root, positions, query, radius, (node, search) => {
    const { center, reach } = search
    if (node.count === 0) return
    if (!node.cut) return search.scan(node)
    search.record('visit', node)
    const near = node.children.map((child) => meets(child, root.box, center, reach))
    node.children.forEach((child, i) => {
      if (!near[i] && child.count > 0) search.prune(child, Math.sqrt(gap2(child.box, center)))
    })
    node.children.forEach((child, i) => near[i] && search.enter(child))
  })
}

// Cells at the border of the world extend to infinity.
function meets({ box }, world, center, reach) {
  return [0, 1].every((axis) => {
    const isLow = box[axis] === world[axis]
    const isHigh = box[axis + 2] === world[axis + 2]
    const [lo, hi] = [fround(center[axis] - reach), fround(center[axis] + reach)]
    return (isLow || box[axis] <= hi) && (isHigh || lo <= box[axis + 2])
  })
}
