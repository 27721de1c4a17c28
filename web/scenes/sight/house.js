// A house to walk about in: rooms with doorways, some with sliding doors; pillars; and turning walls. All
// points are flat: x0, y0, x1, y1, ….

const ROOM = 130 // size of a room, about, pixels
const MAX_ROOMS = 12 // side by side
const MARGIN = 8
const DOORWAY = 38
const THICK = 6
const OPEN = 0.25 // probability that two rooms side by side have no wall in between
const THIN = 0.4 // probability that a wall is thin
const DOORS = 0.4 // that a doorway has a door
const PILLARS = 0.4 // that a room has a pillar
const TURNING = 0.15 // that a room has a turnstile

/**
 * Returns the walls of a house.
 * @param {number} width
 * @param {number} height
 * @param {() => number} random
 * @returns border: a rectangle; solids: polygons; thin: segments; movers: moving segments, which their
 *   `place(time, out)` writes
 */
export function spawnHouse(width, height, random) {
  const solids = []
  const thin = []
  const movers = []
  const xs = sides(width)
  const ys = sides(height)

  // Returns where rooms begin and end along an axis, unevenly spaced.
  function sides(length) {
    const inside = length - 2 * MARGIN
    const rooms = Math.min(Math.max(Math.round(inside / ROOM), 2), MAX_ROOMS)
    return Array.from({ length: rooms + 1 }, (_, i) => {
      const jitter = i === 0 || i === rooms ? 0 : 0.3 * (random() - 0.5)
      return Math.round(MARGIN + ((i + jitter) * inside) / rooms)
    })
  }

  // Adds a wall with a doorway, along x or, if upright, y.
  function wall(start, end, across, upright) {
    if (random() < OPEN) return
    const isThin = random() < THIN
    const border = (upright ? ys : xs).at(-1)
    const doorBegin = start + THICK + (end - start - DOORWAY - 2 * THICK) * random()
    const doorEnd = doorBegin + DOORWAY
    const turned = (x, y) => (upright ? [y, x] : [x, y])
    for (const [a, b] of [
      [start, doorBegin],
      [doorEnd, end],
    ]) {
      if (isThin) thin.push([...turned(a, across), ...turned(b, across)])
      else {
        // Extends to the far side of the walls that it meets, except the border.
        const half = THICK / 2
        const low = a === start && a > MARGIN ? a - half : a
        const high = b === end && b < border ? b + half : b
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
        out.set([...turned(doorBegin, across), ...turned(doorBegin + shut * DOORWAY, across)])
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

  // Adds two crossing walls that turn together.
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
      const chance = random()
      if (chance < PILLARS) {
        const jitter = () => 0.3 * room * (random() - 0.5)
        pillar((left + right) / 2 + jitter(), (top + bottom) / 2 + jitter(), room)
      } else if (chance < PILLARS + TURNING) {
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
