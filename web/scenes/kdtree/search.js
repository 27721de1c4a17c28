// The textbook search for the nearest point in an implicit k-d tree, recorded step by step: down the query's
// side of each line, and back by a stack.
//
// The median of a range is at begin + floor(n / 2); axes by level are x, y, x, …. Distances are rounded as
// in the library, so that ties break the same way.

import { distance2 } from '../../view/distance.js'

const { fround } = Math

/**
 * Returns { steps, read, pruned } of the search at x, y: the steps, the ids in the order of their tests, and
 * the boxes that were pruned. A step:
 *
 *   kind     push, pop, cross (search the other side of the line), prune (skip that side), done
 *   node     { id, axis, depth, line, gap, box, far }; `gap`: signed distance from the line to the query
 *   stack    waiting nodes; the last one is popped first
 *   read     number of ids tested so far
 *   pruned   number of boxes pruned so far
 *   best     id of the nearest point so far, -1: none
 *   best2    its squared distance
 *   better   true if this pop found it
 */
export function searchSteps(order, positions, width, height, x, y) {
  const query = [fround(x), fround(y)]
  const steps = []
  const stack = []
  const read = []
  const pruned = []
  let best = -1
  let best2 = Infinity

  const record = (kind, node, better = false) =>
    steps.push({
      ...{ kind, node, better, best, best2 },
      ...{ stack: [...stack], read: read.length, pruned: pruned.length },
    })

  // Pushes all nodes on the way from a subtree's root down to the query.
  function walkDown({ begin, end, depth, box }) {
    while (begin < end) {
      const middle = begin + ((end - begin) >> 1)
      const id = order[middle]
      const axis = depth & 1
      const line = positions[2 * id + axis]
      const gap = fround(query[axis] - line)
      const below = { begin, end: middle, depth: depth + 1, box: [...box] }
      const above = { begin: middle + 1, end, depth: depth + 1, box: [...box] }
      below.box[axis + 2] = above.box[axis] = line
      const [near, far] = gap < 0 ? [below, above] : [above, below]
      const node = { id, axis, depth, line, gap, box, far }
      stack.push(node)
      record('push', node)
      ;({ begin, end, depth, box } = near)
    }
  }

  walkDown({ begin: 0, end: order.length, depth: 0, box: [0, 0, width, height] })
  while (stack.length > 0) {
    const node = stack.pop()
    const { id, gap, far } = node
    const d2 = distance2(positions, id, x, y)
    const better = d2 < best2 || (d2 === best2 && id < best)
    if (better) {
      best = id
      best2 = d2
    }
    read.push(id)
    record('pop', node, better)
    if (far.begin === far.end) continue
    if (fround(gap * gap) <= best2) {
      record('cross', node)
      walkDown(far)
    } else {
      pruned.push(far.box)
      record('prune', node)
    }
  }
  record('done', null)
  return { steps, read, pruned }
}
