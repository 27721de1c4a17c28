// The shortest routes out, past walls, from everywhere: a square grid that holds for each cell the farthest
// visible cell on its route. It is found by a search from all exits at once, in which routes go straight past
// cells where they need not bend (Theta*: Nash, Daniel, Koenig and Felner, 2007).

const SIDES = [-1, 0, 1]

/**
 * Creates a field of square cells between -halfX, -halfY and halfX, halfY. Routes keep `clearance` from the
 * walls. The exits are the cells at the border.
 */
export function createFlowField(walls, { halfX, halfY, cell, clearance }) {
  const columns = Math.round((2 * halfX) / cell)
  const rows = Math.round((2 * halfY) / cell)
  const lengths = new Float64Array(columns * rows) // of the route out
  const aims = new Int32Array(columns * rows) // next bend of the route
  const free = { radius: clearance }

  const centerX = (n) => ((n % columns) + 0.5) * cell - halfX
  const centerY = (n) => (Math.floor(n / columns) + 0.5) * cell - halfY
  const between = (n, m) => Math.hypot(centerX(n) - centerX(m), centerY(n) - centerY(m))
  const isFree = (n, m) => walls.visible(centerX(n), centerY(n), centerX(m), centerY(m), free)

  function cellAt(x, y) {
    const column = Math.min(Math.max(Math.floor((x + halfX) / cell), 0), columns - 1)
    const row = Math.min(Math.max(Math.floor((y + halfY) / cell), 0), rows - 1)
    return row * columns + column
  }

  // Finds all routes. Cells wait in buckets, by the length of their route; a cell whose route became shorter is
  // in several.
  function build() {
    const buckets = [[]]
    lengths.fill(Infinity)
    for (let n = 0; n < lengths.length; n++) {
      const [column, row] = [n % columns, Math.floor(n / columns)]
      if (column % (columns - 1) !== 0 && row % (rows - 1) !== 0) continue
      lengths[n] = 0
      aims[n] = n
      buckets[0].push(n)
    }
    const shorten = (n, aim) => {
      const length = lengths[aim] + between(n, aim)
      if (length >= lengths[n] || !isFree(n, aim)) return
      lengths[n] = length
      aims[n] = aim
      ;(buckets[Math.floor(length / cell)] ??= []).push(n)
    }
    for (let b = 0; b < buckets.length; b++)
      for (const n of buckets[b] ?? [])
        if (Math.floor(lengths[n] / cell) === b)
          forEachBeside(n, (beside) => {
            shorten(beside, aims[n])
            shorten(beside, n)
          })
  }

  function forEachBeside(n, task) {
    const [column, row] = [n % columns, Math.floor(n / columns)]
    for (const dy of SIDES)
      for (const dx of SIDES) {
        const [x, y] = [column + dx, row + dy]
        if ((dx || dy) && x >= 0 && y >= 0 && x < columns && y < rows) task(y * columns + x)
      }
  }

  // Returns the cell of a point, or the best one beside it, with no wall in between; -1: none.
  function cellOf(x, y) {
    const own = cellAt(x, y)
    let best = -1
    const consider = (n) => {
      if (best >= 0 && lengths[n] + between(n, own) >= lengths[best] + between(best, own)) return
      if (lengths[n] < Infinity && walls.visible(x, y, centerX(n), centerY(n))) best = n
    }
    consider(own)
    if (best < 0) forEachBeside(own, consider)
    return best
  }

  return {
    build,

    /**
     * Writes the point to head for from x, y: the next bend of the route out. Within `near` of it, the bend
     * after that if it is visible. Returns false if there is no way out.
     */
    lead(x, y, near, out) {
      const n = cellOf(x, y)
      if (n < 0) return false
      const isOpen = (aim, options) => walls.visible(x, y, centerX(aim), centerY(aim), options)
      let aim = aims[n]
      const isNear = Math.hypot(centerX(aim) - x, centerY(aim) - y) < near
      if (isNear && isOpen(aims[aim], free)) aim = aims[aim]
      else if (!isOpen(aim)) aim = n // around a corner, through the center of the cell
      out[0] = centerX(aim)
      out[1] = centerY(aim)
      return true
    },
  }
}
