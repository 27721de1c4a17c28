// The shortest ways out past walls, from everywhere: a square grid, and for each of its cells the
// farthest cell in sight on the way. By a search from all exits at once, in which a way that need not
// bend at a cell goes straight past it (Theta*, after Nash, Daniel, Koenig and Felner, 2007).

const SIDES = [-1, 0, 1]

/**
 * Cells of this size between -halfX, -halfY and halfX, halfY. Ways keep `clearance` from the walls.
 * The exits are the cells at the border.
 */
export function createFlowField(walls, { halfX, halfY, cell, clearance }) {
  const columns = Math.round((2 * halfX) / cell)
  const rows = Math.round((2 * halfY) / cell)
  const lengths = new Float64Array(columns * rows) // of the way out
  const aims = new Int32Array(columns * rows)
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

  // Cells by the length of their way, as far as they are found; those whose way has since become
  // shorter come twice.
  function build() {
    const found = [[]]
    lengths.fill(Infinity)
    for (let n = 0; n < lengths.length; n++) {
      const [column, row] = [n % columns, Math.floor(n / columns)]
      if (column % (columns - 1) !== 0 && row % (rows - 1) !== 0) continue
      lengths[n] = 0
      aims[n] = n
      found[0].push(n)
    }
    const shorten = (n, aim) => {
      const length = lengths[aim] + between(n, aim)
      if (length >= lengths[n] || !isFree(n, aim)) return
      lengths[n] = length
      aims[n] = aim
      ;(found[Math.floor(length / cell)] ??= []).push(n)
    }
    for (let at = 0; at < found.length; at++)
      for (const n of found[at] ?? [])
        if (Math.floor(lengths[n] / cell) === at)
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

  // The cell that one stands in, or one beside it: no wall is in between.
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
     * Writes where one heads for: the next bend of the way out, or once that is as near as `near` the one
     * after it, if it is in sight. false: there is no way.
     */
    lead(x, y, near, out) {
      const n = cellOf(x, y)
      if (n < 0) return false
      const isOpen = (aim, options) => walls.visible(x, y, centerX(aim), centerY(aim), options)
      let aim = aims[n]
      const isNear = Math.hypot(centerX(aim) - x, centerY(aim) - y) < near
      if (isNear && isOpen(aims[aim], free)) aim = aims[aim]
      else if (!isOpen(aim)) aim = n // around a corner, by the middle of the cell
      out[0] = centerX(aim)
      out[1] = centerY(aim)
      return true
    },
  }
}
