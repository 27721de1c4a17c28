// Which items of a quadtree are held by divided cells. The library only counts them, so this walks its
// cells by its rule, in its rounding: down to the child on whose side of the center an item's middle
// lies, while that child, as loose as it is, holds the item.

const { fround } = Math
const FLOATS = 6 // of a cell: minX, minY, maxX, maxY, depth, items in it and below
const DEPTHS = 25

export function createStraddlers() {
  let children = new Uint32Array(0) // four a cell, by place; 0: it is not divided
  const path = new Uint32Array(DEPTHS) // the last cell of each depth
  const taken = new Uint32Array(DEPTHS) // how many of its children were met
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
    /** What the last call of `find` met, by depth: { cells, straddlers }. */
    perDepth,

    /** Writes the ids of straddlers among items 0 … count - 1, and returns how many they are. */
    find(cells, boxes, count, looseness, out) {
      const [left, top, right, bottom] = cells
      for (const met of perDepth) met.cells = met.straddlers = 0
      link(cells)
      for (let depth = 0; depth < DEPTHS; depth++) {
        const part = (fround(looseness) - 1) / 2 ** (depth + 1)
        margins[2 * depth] = part * (right - left)
        margins[2 * depth + 1] = part * (bottom - top)
      }

      let found = 0
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
          const at = FLOATS * child
          const depth = cells[at + 4]
          const marginX = margins[2 * depth]
          const marginY = margins[2 * depth + 1]
          // The world's border holds nothing back.
          if (
            (minX < fround(cells[at] - marginX) && cells[at] > left) ||
            (minY < fround(cells[at + 1] - marginY) && cells[at + 1] > top) ||
            (maxX > fround(cells[at + 2] + marginX) && cells[at + 2] < right) ||
            (maxY > fround(cells[at + 3] + marginY) && cells[at + 3] < bottom)
          ) {
            out[found++] = id
            perDepth[depth - 1].straddlers++
            break
          }
          cell = child
        }
      }
      return found
    },
  }
}
