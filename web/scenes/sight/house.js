// A house to walk about in: rooms with doorways, some of them with a door that slides, pillars, and walls
// that turn. Flat x0, y0, x1, y1, … throughout.

const ROOM = 130 // pixels, about
const MOST_ROOMS = 12 // side by side
const MARGIN = 8
const DOORWAY = 38
const THICK = 6
const OPEN = 0.25 // of two rooms side by side, how many are one
const THIN = 0.4 // of the walls
const DOORS = 0.4 // of the doorways
const PILLARS = 0.4 // of the rooms
const TURNING = 0.15

/**
 * @param {number} width
 * @param {number} height
 * @param {() => number} random
 * @returns border: a rectangle; solids: polygons; thin: segments; movers: segments that move, each of
 *   which `place(time, out)` writes
 */
export function spawnHouse(width, height, random) {
  const solids = []
  const thin = []
  const movers = []
  const xs = sides(width)
  const ys = sides(height)

  // Where rooms end along one axis, not all equally far apart.
  function sides(length) {
    const inside = length - 2 * MARGIN
    const rooms = Math.min(Math.max(Math.round(inside / ROOM), 2), MOST_ROOMS)
    return Array.from({ length: rooms + 1 }, (_, i) => {
      const jitter = i === 0 || i === rooms ? 0 : 0.3 * (random() - 0.5)
      return Math.round(MARGIN + ((i + jitter) * inside) / rooms)
    })
  }

  // A wall along x (or, upright, y) with a doorway.
  function wall(from, to, across, upright) {
    if (random() < OPEN) return
    const isThin = random() < THIN
    const most = (upright ? ys : xs).at(-1)
    const begin = from + THICK + (to - from - DOORWAY - 2 * THICK) * random()
    const end = begin + DOORWAY
    const turned = (x, y) => (upright ? [y, x] : [x, y])
    for (const [a, b] of [
      [from, begin],
      [end, to],
    ]) {
      if (isThin) thin.push([...turned(a, across), ...turned(b, across)])
      else {
        // As far as the walls that it meets are thick, but for the border.
        const half = THICK / 2
        const low = a === from && a > MARGIN ? a - half : a
        const high = b === to && b < most ? b + half : b
        const corners = [
          [low, across - half],
          [high, across - half],
          [high, across + half],
          [low, across + half],
        ]
        solids.push(corners.flatMap(([x, y]) => turned(x, y)))
      }
    }
    if (random() >= DOORS) return
    const phase = 2 * Math.PI * random()
    movers.push({
      place(time, out) {
        const shut = 0.52 + 0.48 * Math.sin(0.9 * time + phase)
        out.set([...turned(begin, across), ...turned(begin + shut * DOORWAY, across)])
        return out
      },
    })
  }

  function pillar(x, y, room) {
    const corners = 3 + Math.floor(6 * random())
    const radius = (0.06 + 0.1 * random()) * room
    const first = random()
    solids.push(
      Array.from({ length: corners }, (_, i) => {
        const angle = (2 * Math.PI * (i + first)) / corners
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
      }).flat(),
    )
  }

  // Two walls that cross, and turn together.
  function turnstile(x, y, room) {
    const half = 0.28 * room
    const speed = random() < 0.5 ? -0.5 : 0.5
    for (const quarter of [0, Math.PI / 2])
      movers.push({
        place(time, out) {
          const [dx, dy] = [
            half * Math.cos(speed * time + quarter),
            half * Math.sin(speed * time + quarter),
          ]
          out.set([x - dx, y - dy, x + dx, y + dy])
          return out
        },
      })
  }

  for (let row = 0; row + 1 < ys.length; row++) {
    for (let column = 0; column + 1 < xs.length; column++) {
      const [left, right, top, bottom] = [xs[column], xs[column + 1], ys[row], ys[row + 1]]
      if (column > 0) wall(top, bottom, left, true)
      if (row > 0) wall(left, right, top, false)
      const room = Math.min(right - left, bottom - top)
      const what = random()
      if (what < PILLARS) {
        const jitter = () => 0.3 * room * (random() - 0.5)
        pillar((left + right) / 2 + jitter(), (top + bottom) / 2 + jitter(), room)
      } else if (what < PILLARS + TURNING) {
        turnstile((left + right) / 2, (top + bottom) / 2, room)
      }
    }
  }
  const [right, bottom] = [xs.at(-1), ys.at(-1)]
  return {
    border: [MARGIN, MARGIN, right, MARGIN, right, bottom, MARGIN, bottom],
    solids,
    thin,
    movers,
  }
}
