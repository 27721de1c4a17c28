// The grid that a good programmer writes by hand in an afternoon: typed arrays, points sorted into cells by counting,
// and the neighbors of all points in rows, as copse returns them. In 2D.

/** More cells than this per point are mostly empty: then cells become larger than the radius. */
const MOST_CELLS = 4

export function handGrid({ n, radius }) {
  const xs = new Float32Array(n) // sorted by cell, as ids are
  const ys = new Float32Array(n)
  const ids = new Uint32Array(n)
  const cells = new Uint32Array(n)
  let starts = new Uint32Array(0) // of each cell, and the end of the last
  let [size, columns, rows] = [0, 0, 0]
  const result = {
    offsets: new Uint32Array(n),
    counts: new Uint32Array(n),
    ids: new Uint32Array(16 * n),
    total: 0,
  }

  function build(positions) {
    let minX = Infinity
    let minY = Infinity
    let maxX = -Infinity
    let maxY = -Infinity
    for (let i = 0; i < 2 * n; i += 2) {
      const x = positions[i]
      const y = positions[i + 1]
      if (x < minX) minX = x
      if (x > maxX) maxX = x
      if (y < minY) minY = y
      if (y > maxY) maxY = y
    }
    const [width, height] = [maxX - minX, maxY - minY]
    size = Math.max(radius, Math.sqrt((width * height) / (MOST_CELLS * n)))
    const inverse = 1 / size
    columns = Math.floor(width * inverse) + 1
    rows = Math.floor(height * inverse) + 1
    if (starts.length < columns * rows + 1) starts = new Uint32Array(2 * columns * rows + 1)
    starts.fill(0, 0, columns * rows + 1)
    for (let i = 0; i < n; i++) {
      const column = ((positions[2 * i] - minX) * inverse) | 0
      const row = ((positions[2 * i + 1] - minY) * inverse) | 0
      const cell = row * columns + column
      cells[i] = cell
      starts[cell]++
    }
    let sum = 0
    for (let cell = 0; cell <= columns * rows; cell++) {
      sum += starts[cell]
      starts[cell] = sum
    }
    for (let i = n - 1; i >= 0; i--) {
      const place = --starts[cells[i]]
      ids[place] = i
      xs[place] = positions[2 * i]
      ys[place] = positions[2 * i + 1]
    }
  }

  /** Finds the neighbors of every point, those of the same cell one after another. */
  function allWithin(within) {
    const { offsets, counts } = result
    const radius2 = within * within
    const reach = Math.ceil(within / size)
    let found = result.ids
    let total = 0
    for (let row = 0; row < rows; row++) {
      const low = Math.max(row - reach, 0)
      const high = Math.min(row + reach, rows - 1)
      for (let column = 0; column < columns; column++) {
        const cell = row * columns + column
        const left = Math.max(column - reach, 0)
        const right = Math.min(column + reach, columns - 1)
        const last = starts[cell + 1]
        for (let i = starts[cell]; i < last; i++) {
          const x = xs[i]
          const y = ys[i]
          const begin = total
          if (begin + n > found.length) found = grown(found)
          for (let near = low; near <= high; near++) {
            // Cells of the same row lie side by side.
            const end = starts[near * columns + right + 1]
            for (let j = starts[near * columns + left]; j < end; j++) {
              const dx = xs[j] - x
              const dy = ys[j] - y
              // Without a branch, which processors would predict wrongly for every third point.
              found[total] = ids[j]
              total += Number(dx * dx + dy * dy <= radius2) & Number(j !== i)
            }
          }
          offsets[ids[i]] = begin
          counts[ids[i]] = total - begin
        }
      }
    }
    result.total = total
    return result
  }

  function grown(found) {
    result.ids = new Uint32Array(2 * found.length + n)
    result.ids.set(found)
    return result.ids
  }

  return { found: result.ids, build, allWithin }
}
