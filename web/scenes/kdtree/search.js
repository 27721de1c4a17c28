// The textbook search for the nearest point in an implicit k-d tree, written down step by step: with a
// stack, down to the query's side of each line, and back over what was pushed.
//
// The median of a range stands at begin + floor(n / 2), axis by level x, y, x, …; distances are rounded
// as the library's are, so that ties fall the same way.

const { fround } = Math

/** Squared, as the library computes it. */
export function distance2(positions, id, x, y) {
  const dx = fround(fround(x) - positions[2 * id])
  const dy = fround(fround(y) - positions[2 * id + 1])
  return fround(fround(dx * dx) + fround(dy * dy))
}

/**
 * All steps of the search at x, y:
 *
 *   kind     push, pop, cross (the line: to its other side), prune (that side), done
 *   node     which: { id, axis, depth, line, gap, box, far }, gap from its line to the query
 *   stack    the nodes that wait, the last is popped first
 *   read     ids that were popped and measured so far: the first of the list `read`
 *   pruned   sides that were pruned so far: the first of the list `pruned`
 *   best     the id, -1 in the beginning; best2: its squared distance
 *   better   whether this pop found it
 */
export function searchSteps(order, positions, width, height, x, y) {
  const query = [fround(x), fround(y)]
  const steps = []
  const stack = []
  const read = []
  const pruned = []
  let best = -1
  let best2 = Infinity

  const note = (kind, node, better = false) =>
    steps.push({
      ...{ kind, node, better, best, best2 },
      ...{ stack: [...stack], read: read.length, pruned: pruned.length },
    })

  // Pushes all nodes on the way from the top of a part down to the query.
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
      note('push', node)
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
    note('pop', node, better)
    if (far.begin === far.end) continue
    if (fround(gap * gap) <= best2) {
      note('cross', node)
      walkDown(far)
    } else {
      pruned.push(far.box)
      note('prune', node)
    }
  }
  note('done', null)
  return { steps, read, pruned }
}
