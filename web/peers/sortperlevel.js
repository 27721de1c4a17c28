// The naive k-d tree builder: sorts every range, level by level, in O(N log² N). The baseline for the
// library's builders, and an oracle for their order.

/** Ranges up to this long are sorted by insertion. */
const SHORT = 16

/**
 * Returns the ids 0 … count - 1 as an implicit k-d tree. The median of a range is at begin + floor(n / 2);
 * smaller coordinates on the axis of the level (x, y, x, … or x, y, z, x, …) come before it, greater ones
 * after it. The other axes in turn, then the id, break ties: so the order is unique.
 * @param {ArrayLike<number>} positions x0, y0, (z0,) x1, y1, …, all finite
 * @param {number} count
 * @param {2 | 3} dimensions
 * @returns {Uint32Array}
 */
export function sortPerLevel(positions, count, dimensions) {
  const ids = Uint32Array.from({ length: count }, (_, id) => id)
  const orders = [0, 1, 2].slice(0, dimensions).map((first) => {
    const second = (first + 1) % dimensions
    const third = (first + 2) % dimensions // in 2D the first axis again, which decides nothing
    return (a, b) => {
      const p = dimensions * a
      const q = dimensions * b
      return (
        positions[p + first] - positions[q + first] ||
        positions[p + second] - positions[q + second] ||
        positions[p + third] - positions[q + third] ||
        a - b
      )
    }
  })

  const insert = (begin, end, order) => {
    for (let i = begin + 1; i < end; i++) {
      const id = ids[i]
      let place = i
      for (; place > begin && order(ids[place - 1], id) > 0; place--) ids[place] = ids[place - 1]
      ids[place] = id
    }
  }

  const build = (begin, end, axis) => {
    const n = end - begin
    if (n < 2) return
    if (n <= SHORT) insert(begin, end, orders[axis])
    else ids.subarray(begin, end).sort(orders[axis])
    const middle = begin + (n >> 1)
    const next = (axis + 1) % dimensions
    build(begin, middle, next)
    build(middle + 1, end, next)
  }
  build(0, count, 0)
  return ids
}
