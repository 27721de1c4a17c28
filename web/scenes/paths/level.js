// A maze with wide corridors and many loops: squares, with thin walls between some of them.

const LOOPS = 0.5 // part of the walls of a perfect maze that are left out

/**
 * Returns the walls of a maze of columns × rows squares around 0, 0, each x0, y0, x1, y1, as few as possible.
 * `side` is that of a square.
 */
export function spawnMaze(columns, rows, side, random) {
  const isOpen = [new Uint8Array(columns * rows), new Uint8Array(columns * rows)] // to the right; upward
  const isReached = new Uint8Array(columns * rows)
  const stack = [0]
  isReached[0] = 1
  while (stack.length > 0) {
    const n = stack.at(-1)
    const steps = stepsFrom(n, columns, rows).filter(([to]) => !isReached[to])
    if (steps.length === 0) {
      stack.pop()
      continue
    }
    const [to, axis, from] = steps[Math.floor(random() * steps.length)]
    isOpen[axis][from] = isReached[to] = 1
    stack.push(to)
  }
  for (const open of isOpen) for (const n of open.keys()) if (random() < LOOPS) open[n] = 1

  const walls = []
  const counts = [columns, rows]
  for (const axis of [0, 1]) {
    const across = 1 - axis
    for (let line = 0; line + 1 < counts[axis]; line++) {
      let begin = -1
      for (let n = 0; n <= counts[across]; n++) {
        const square = axis === 0 ? n * columns + line : line * columns + n
        const isWall = n < counts[across] && !isOpen[axis][square]
        if (isWall && begin < 0) begin = n
        if (isWall || begin < 0) continue
        const at = (line + 1 - counts[axis] / 2) * side
        const ends = [begin, n].map((end) => (end - counts[across] / 2) * side)
        walls.push(axis === 0 ? [at, ends[0], at, ends[1]] : [ends[0], at, ends[1], at])
        begin = -1
      }
    }
  }
  return walls
}

/** Returns the squares beside a square: each with the axis between them, and the square at its low end. */
function stepsFrom(n, columns, rows) {
  const [column, row] = [n % columns, Math.floor(n / columns)]
  const steps = []
  if (column > 0) steps.push([n - 1, 0, n - 1])
  if (column + 1 < columns) steps.push([n + 1, 0, n])
  if (row > 0) steps.push([n - columns, 1, n - columns])
  if (row + 1 < rows) steps.push([n + columns, 1, n])
  return steps
}
