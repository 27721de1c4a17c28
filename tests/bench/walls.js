// Walls in lines of sight: their layouts, and the works.

import { ObstacleTree } from 'copse'
import { createRandom, integer } from '../../web/random.js'

/** Solid by winding, because thin walls have no inside. */
export const AS_DRAWN = { solid: 'winding' }
/** The size of a room in world units: each holds one square, polygon or cell of a maze. */
export const ROOM = 10
const SIGHTS = 1000
const EYES = 20
const CROWD = 100 // agents around each eye
const VIEW = 5 * ROOM
const MOVED = 0.05 * ROOM // at most, in one frame

/** Each returns polygons with n edges in total, flat: x0, y0, x1, y1, … None crosses another. */
export const layouts = {
  /** Houses: separate squares along the axes. */
  squares(random, n) {
    const count = n / 4
    const columns = Math.ceil(Math.sqrt(count))
    return Array.from({ length: count }, (_, i) => {
      const size = ROOM * (0.2 + 0.5 * random())
      const left = (i % columns) * ROOM + (ROOM - size) * random()
      const low = Math.floor(i / columns) * ROOM + (ROOM - size) * random()
      return [left, low, left + size, low, left + size, low + size, left, low + size]
    })
  },

  /** Rocks: stars with 3 to 12 corners, convex or not. */
  polygons(random, n) {
    const counts = []
    for (let left = n; left > 0; left -= counts.at(-1)) {
      const most = Math.min(left, 12)
      const corners = Math.min(3 + integer(random, 10), most)
      counts.push(left - corners < 3 && left > corners ? most : corners)
      if (left - counts.at(-1) > 0 && left - counts.at(-1) < 3) counts[counts.length - 1] -= 3
    }
    const columns = Math.ceil(Math.sqrt(counts.length))
    return counts.map((corners, i) => {
      const x = ((i % columns) + 0.5) * ROOM
      const y = (Math.floor(i / columns) + 0.5) * ROOM
      const first = random()
      return Array.from({ length: corners }, (_, corner) => {
        const angle = (2 * Math.PI * (corner + first)) / corners
        const radius = ROOM * (0.2 + 0.25 * random())
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
      }).flat()
    })
  },

  /** A maze of thin walls, with exactly one path between any two cells. Straight runs are one wall. */
  maze(random, n) {
    let side = Math.floor(Math.sqrt(n / 2))
    let runs
    do runs = runsOf(carve(random, ++side), side)
    while (runs.length < n / 2)
    while (runs.length > n / 2) runs.splice(integer(random, runs.length), 1)
    return runs.map((run) => run.map((x) => x * ROOM))
  },

  /** A fence all around: thin walls with gaps, all in sight. */
  fence(random, n) {
    const count = n / 2
    const radius = (count * ROOM) / (2 * Math.PI)
    return Array.from({ length: count }, (_, i) =>
      [i, i + 0.6].flatMap((step) => {
        const angle = (2 * Math.PI * step) / count
        return [radius * Math.cos(angle), radius * Math.sin(angle)]
      }),
    )
  },
}

/** Returns the walls of a maze that stand: [vertical, horizontal], by column and row of the line. */
function carve(random, side) {
  const standing = [0, 1].map(() => new Uint8Array((side + 1) ** 2).fill(1))
  const visited = new Uint8Array(side * side)
  const path = [0]
  visited[0] = 1
  while (path.length > 0) {
    const cell = path.at(-1)
    const [x, y] = [cell % side, Math.floor(cell / side)]
    const steps = [
      [x - 1, y, 0, x, y],
      [x + 1, y, 0, x + 1, y],
      [x, y - 1, 1, x, y],
      [x, y + 1, 1, x, y + 1],
    ].filter(([x, y]) => x >= 0 && y >= 0 && x < side && y < side && !visited[y * side + x])
    if (steps.length === 0) path.pop()
    else {
      const [toX, toY, level, wallX, wallY] = steps[integer(random, steps.length)]
      standing[level][wallY * (side + 1) + wallX] = 0
      visited[toY * side + toX] = 1
      path.push(toY * side + toX)
    }
  }
  return standing
}

/** Joins straight walls of a maze: x0, y0, x1, y1 in cells. */
function runsOf(standing, side) {
  const runs = []
  for (const level of [0, 1])
    for (let line = 0; line <= side; line++)
      for (let i = 0, begin = -1; i <= side; i++) {
        const place = level ? line * (side + 1) + i : i * (side + 1) + line
        const there = i < side && standing[level][place]
        if (there && begin < 0) begin = i
        if (there || begin < 0) continue
        runs.push(level ? [begin, line, i, line] : [line, begin, line, i])
        begin = -1
      }
  return runs
}

/**
 * Returns the walls of a layout, and places to look from and at, outside of solid polygons. Seeded.
 * @param {string} spread
 * @param {number} n edges; a thin wall has two
 */
export function createWalls(spread, n) {
  const random = createRandom(n)
  const polygons = layouts[spread](random, n).map((points) => new Float32Array(points))
  const box = [Infinity, Infinity, -Infinity, -Infinity]
  for (const points of polygons)
    points.forEach((x, i) => {
      const axis = i & 1
      box[axis] = Math.min(box[axis], x)
      box[axis + 2] = Math.max(box[axis + 2], x)
    })
  const [minX, minY, maxX, maxY] = box
  const side = Math.max(maxX - minX, maxY - minY)

  const tree = new ObstacleTree({ capacity: n })
  for (const points of polygons) tree.addPolygon(points, AS_DRAWN)
  const anywhere = () => [minX + (maxX - minX) * random(), minY + (maxY - minY) * random()]
  const freely = (draw) => {
    for (;;) {
      const [x, y] = draw()
      if (!tree.contains(x, y)) return [x, y]
    }
  }
  const many = (count, draw) => new Float32Array(Array.from({ length: count }, () => draw()).flat())
  const around = (x, y, radius) => () => {
    const [dx, dy] = [2 * random() - 1, 2 * random() - 1]
    return [x + radius * dx, y + radius * dy]
  }
  const sightsOf = (length) =>
    many(SIGHTS, () => {
      const [x, y] = freely(anywhere)
      return [x, y, ...freely(length ? around(x, y, length) : anywhere)]
    })

  const eyes = many(EYES, () => freely(anywhere))
  const crowds = []
  for (let eye = 0; eye < 2 * EYES; eye += 2)
    crowds.push(many(CROWD, () => freely(around(eyes[eye], eyes[eye + 1], VIEW))))
  const walls = {
    spread,
    n,
    dimensions: 2,
    /** The coordinates of each polygon. */
    positions: polygons,
    moved: polygons.map((points) => points.slice()),
    box: [minX - 1, minY - 1, maxX + 1, maxY + 1],
    view: VIEW,
    /** The radius of a circle that meets about ten edges. */
    radius: 0.8 * ROOM,
    places: many(SIGHTS, anywhere),
    far: sightsOf(0),
    near: sightsOf(ROOM),
    rays: sightsOf(side / 4),
    eyes,
    crowd: new Float32Array(crowds.flatMap((crowd) => [...crowd])),
    ids: crowds.map((_, eye) => Uint32Array.from({ length: CROWD }, (_, i) => eye * CROWD + i)),
    /** The index of the polygon that moves next. */
    mover: 0,
    place(frame) {
      this.mover = (frame * 7919) % polygons.length
      const points = polygons[this.mover]
      const away = MOVED * Math.sin(frame)
      this.moved[this.mover] = points.map((x) => x + away)
    },
  }
  tree.dispose()
  return walls
}

// ---- Works ----

/** A work of single queries from JavaScript. `each`: the number of queries in a run. */
const single = (title, each, loop, method = loop) => ({
  title: `one query: ${title}`,
  unit: 'µs',
  each,
  can: (peer) => peer[method],
  run: (peer, loops, walls) => loops.walls[loop](peer, walls),
  hash(peer, loops, walls) {
    peer.build(walls.positions)
    return loops.walls[loop](peer, walls, true)
  },
})

/** @type {Record<string, any>} */
export const wallWorks = {
  buildWalls: {
    title: 'walls added to an empty tree and built',
    unit: 'ms',
    can: (peer) => peer.visible,
    run: (peer, loops, walls) => peer.build(walls.positions),
    hash(peer, loops, walls) {
      peer.build(walls.positions)
      return loops.walls.visibleNear(peer, walls, true)
    },
  },
  visibleFar: single('visible, between any two places', SIGHTS, 'visibleFar', 'visible'),
  visibleNear: single('visible, to a place a room away', SIGHTS, 'visibleNear', 'visible'),
  wallsWithin: single('walls within a radius', SIGHTS, 'wallsWithin'),
  nearestWall: single('the nearest wall', SIGHTS, 'nearestWall'),
  raycastWalls: single('a ray across a quarter of the world', SIGHTS, 'raycastWalls'),
  insideWalls: single('is a point in something solid', SIGHTS, 'insideWalls'),
  visibilityPolygon: single('the visibility polygon', EYES, 'visibilityPolygon'),
  visibilityView: single('the visibility polygon, five rooms to each side', EYES, 'visibilityView'),
  keepVisible: single('keepVisible, per agent, 100 at a time', EYES * CROWD, 'keepVisible'),
  moveWall: {
    title: 'one polygon moved, then one visible',
    unit: 'ms',
    moves: true,
    can: (peer) => peer.move,
    run(peer, loops, { mover, moved, far }) {
      peer.move(mover, moved[mover])
      peer.visible(far[0], far[1], far[2], far[3])
    },
    /** Hashes the walls after as many frames as there are polygons. */
    hash(peer, loops, walls) {
      peer.build(walls.positions)
      for (let frame = 1; frame <= walls.moved.length; frame++) {
        walls.place(frame)
        peer.move(walls.mover, walls.moved[walls.mover])
      }
      return loops.walls.visibleNear(peer, walls, true)
    },
  },
}
