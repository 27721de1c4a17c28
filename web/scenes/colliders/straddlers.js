// Finds the straddlers of a quadtree: items held by divided cells. The library only counts them, so this
// applies its rule to its cells, with its rounding: an item goes down to the child on the side of its center,
// as long as that child, looseness included, contains the item.

const { fround } = Math
const FLOATS = 6 // per cell: minX, minY, maxX, maxY, depth, number of items in it and below
const DEPTHS = 25

export function createStraddlers() {
  let children = new Uint32Array(0) // four per cell; 0: the cell is not divided
  const path = new Uint32Array(DEPTHS) // last cell of each depth
  const taken = new Uint32Array(DEPTHS) // number of its children linked so far
  const margins = new Float32Array(2 * DEPTHS)
  const perDepth = Array.from({ length: DEPTHS }, () => ({ cells: 0, straddlers: 0 }))

  function link(cells) {
    const count = cells.length / FLOATS
    if (children.length < 4 * count) children = new Uint32Array(8 * count)
    for (let cell = 0; cell < count; cell++) {
      const depth = cells[FLOATS * cell + 4]
      if (depth > 0) children[4 * path[depth - 1] + taken[depth - 1]++] = cell
      children[4 * cell] = 0
      path[depth] = cell
      taken[depth] = 0
      perDepth[depth].cells++
    }
  }

  return {
    /** Counts of the last `find`, by depth: { cells, straddlers }. */
    perDepth,

    /** Writes the ids of straddlers among items 0 … count - 1, and returns their number. */
    find(cells, boxes, count, looseness, out) {
      const [left, top, right, bottom] = cells
      for (const counts of perDepth) counts.cells = counts.straddlers = 0
      link(cells)
      for (let depth = 0; depth < DEPTHS; depth++) {
        const part = (fround(looseness) - 1) / 2 ** (depth + 1)
        margins[2 * depth] = part * (right - left)
        margins[2 * depth + 1] = part * (bottom - top)
      }

      let total = 0
      for (let id = 0; id < count; id++) {
        const minX = boxes[4 * id]
        const minY = boxes[4 * id + 1]
        const maxX = boxes[4 * id + 2]
        const maxY = boxes[4 * id + 3]
        let cell = 0
        while (children[4 * cell] !== 0) {
          const first = FLOATS * children[4 * cell]
          const x = cells[first + 2]
          const y = cells[first + 3]
          const highX = fround(x - minX) <= fround(maxX - x)
          const highY = fround(y - minY) <= fround(maxY - y)
          const child = children[4 * cell + highX + 2 * highY]
          const offset = FLOATS * child
          const depth = cells[offset + 4]
          const marginX = margins[2 * depth]
          const marginY = margins[2 * depth + 1]
          // Items may extend past the border of the world.
          if (
            (minX < fround(cells[offset] - marginX) && cells[offset] > left) ||
            (minY < fround(cells[offset + 1] - marginY) && cells[offset + 1] > top) ||
            (maxX > fround(cells[offset + 2] + marginX) && cells[offset + 2] < right) ||
            (maxY > fround(cells[offset + 3] + marginY) && cells[offset + 3] < bottom)
          ) {
            out[total++] = id
            perDepth[depth - 1].straddlers++
            break
          }
          cell = child
        }
      }
      return total
    },
  }
}
