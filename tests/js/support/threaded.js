// Work that an instance with threads divides: builds and batches of indexes, steps of crowds. Sizes are on
// both sides of those from which on work is divided (…_DIVIDED in the core).

import { className } from './indexes.js'
import { createRandom, distributions, integer, WORLD } from '../../../web/random.js'

/** The number of places at which the agents of `coincident` stand. */
const PLACES = 300

/** Each returns positions of n agents, interleaved. */
const LAYOUTS = {
  uniform: distributions.uniform,

  /** Small clusters in a large world. */
  clusters(random, n, dimensions) {
    const centers = distributions.uniform(random, 20, dimensions)
    return Float32Array.from({ length: n * dimensions }, (_, i) => {
      if (i % dimensions === 0) integer(random, 20)
      return centers[(i * 7) % centers.length] + 40 * random()
    })
  },

  /** Many agents at each of a few places. */
  coincident(random, n, dimensions) {
    const places = distributions.uniform(random, PLACES, dimensions)
    return Float32Array.from({ length: n * dimensions }, (_, i) => {
      const place = Math.floor(i / dimensions) % PLACES
      return places[place * dimensions + (i % dimensions)]
    })
  },
}

/** A radius within which an agent of a uniform layout has some 12 neighbors. */
const usualRadius = (n, dimensions) =>
  dimensions === 2 ? WORLD * Math.sqrt(12 / (Math.PI * n)) : WORLD * Math.cbrt(9 / (Math.PI * n))

/** The cases: every kind in both dimensions, by layout and number of agents. */
export const INDEXES = ['AgentTree', 'Grid', 'KdTree'].flatMap((kind) =>
  [2, 3].flatMap((dimensions) =>
    [
      { layout: 'uniform', n: 1000 },
      { layout: 'uniform', n: 6000 },
      { layout: 'clusters', n: 5000 },
      { layout: 'coincident', n: 4500 },
      ...(kind === 'Grid' ? [{ layout: 'uniform', n: 33_000, wraps: dimensions === 3 }] : []),
      ...(kind === 'Grid' ? [{ layout: 'uniform', n: 6000, wraps: true }] : []),
    ].map((how) => ({ kind, dimensions, wraps: false, ...how })),
  ),
)

const OPTIONS = {
  AgentTree: () => ({ leafSize: 8 }),
  Grid: ({ wraps, dimensions }, radius) => ({
    cellSize: radius,
    ...(wraps && { wrap: [...Array(dimensions).fill(0), ...Array(dimensions).fill(WORLD)] }),
  }),
  KdTree: () => ({}),
}

/** Creates the index of a case, with groups, masks, radii, free slots and agents that are nowhere. */
export function createIndex(library, instance, how, seed = 1) {
  const { kind, dimensions, n, layout } = how
  const random = createRandom(seed)
  const radius = usualRadius(n, dimensions)
  const Index = library[className(kind, dimensions)]
  const options = OPTIONS[kind](how, radius)
  const index = new Index({ instance, capacity: n, onNonFinite: 'skip', ...options })
  index.slots = n
  index.positions.set(LAYOUTS[layout](random, n, dimensions))
  for (let id = 0; id < n; id++) {
    index.groups[id] = 1 + integer(random, 3)
    index.masks[id] = random() < 0.8 ? -1 : integer(random, 4)
    index.radii[id] = (radius * random()) / 2
  }
  for (let i = 0; i < n / 50; i++) {
    index.positions[integer(random, n) * dimensions] = NaN
    const id = integer(random, n)
    if (index.has(id)) index.remove(id)
  }
  return { index, dimensions, radius, random, wraps: how.wraps }
}

const rowsOf = ({ offsets, counts, ids, total }) => [
  offsets.slice(),
  counts.slice(),
  ids.slice(0, total),
]
const pairsOf = ({ ids, count }) => ids.slice(0, 2 * count)
/** Returns rows of k ids. What is behind the ids of a row has no meaning. */
function neighborsOf({ counts, ids, distances2 }, k) {
  const found = [counts.slice()]
  for (const array of [ids, distances2]) {
    const copy = array.slice(0, counts.length * k)
    for (let row = 0; row < counts.length; row++) copy.fill(0, row * k + counts[row], (row + 1) * k)
    found.push(copy)
  }
  return found
}

/** Builds an index and runs all batches. Returns arrays, all of which must be the same everywhere. */
export function batchesOf({ index, dimensions, radius, random, wraps }) {
  index.build()
  const points = Float32Array.from({ length: 700 * dimensions }, () => random() * WORLD)
  const boxes = Float32Array.from({ length: 400 * dimensions }, (_, i) => {
    const side = i % (2 * dimensions)
    return side < dimensions ? points[i] : points[i - dimensions] + 2 * radius
  })
  const { cells, depth, agents } = index.stats()
  return [
    index.order(),
    ...rowsOf(index.allWithin(radius)),
    ...rowsOf(index.allWithin(radius / 2, { mask: 2 })),
    ...rowsOf(index.allWithin(0)),
    ...neighborsOf(index.allNeighbors(6), 6),
    ...neighborsOf(index.allNeighbors(3, { maxDistance: radius, mask: 1 }), 3),
    pairsOf(index.pairs({ distance: radius / 2 })),
    pairsOf(index.pairs({ mask: 3 })),
    ...rowsOf(index.withinMany(points, radius)),
    ...(wraps ? [] : rowsOf(index.rangeMany(boxes))),
    ...neighborsOf(index.neighborsMany(points, 4), 4),
    index.save(),
    [cells, depth, agents].map(Number),
  ]
}

// ---- Crowds ----

const TIME_STEP = 1 / 20

/** Creates a crowd in two or three dimensions that crosses itself, with groups and masks; in 2D, with walls. */
export function createCrowd(library, instance, dimensions, n, isExact = false) {
  const random = createRandom(5)
  const Crowd = library[className('Crowd', dimensions)]
  const crowd = new Crowd({ instance, capacity: n + 7, exact: isExact })
  const side = 2.5 * (dimensions === 2 ? Math.sqrt(n) : Math.cbrt(n))
  const place = () => Array.from({ length: dimensions }, () => side * random())
  for (let i = 0; i < n; i++) {
    // Some have their goal nearby, and arrive.
    const position = place()
    const goal = i % 3 ? place() : position.map((x) => x + random())
    crowd.add({
      ...{ position, goal, radius: 0.3 + 0.3 * random(), maxSpeed: 2, preferredSpeed: 1.5 },
      ...{
        neighborDistance: 4,
        groups: 1 << (i % 3),
        mask: i % 5 ? 7 : 1 + (i % 4),
        priority: i & 3,
      },
    })
  }
  for (let i = 0; i < n / 20; i++) {
    const slot = integer(random, n)
    if (i & 1) crowd.enabled[slot] = 0
    else if (crowd.has(slot)) crowd.remove(slot)
  }
  const objects = { crowd }
  if (dimensions === 3) return objects
  const walls = new library.ObstacleTree({ instance, capacity: 2000 })
  for (let i = 0; i < 30; i++) {
    const [x, y] = place()
    walls.addPolygon([x, y, x + 3, y, x + 3, y + 1, x, y + 1])
  }
  const bounds = [-5, -5, side + 5, side + 5]
  const field = new library.FlowField({ instance, bounds, cell: 1, radius: 0.6 })
  crowd.obstacles = field.obstacles = walls
  field.setGoalAreas([0, 0, 5, 5])
  field.build()
  crowd.follow(field, { mask: 1 })
  return { ...objects, walls, field }
}

/** Steps a crowd. Returns the hash after each step, and the agents that arrived and those that are stuck. */
export function stepsOf({ crowd }, steps) {
  const found = []
  for (let i = 0; i < steps; i++) {
    crowd.step(TIME_STEP)
    found.push([crowd.hash()], crowd.arrived().slice(), crowd.stuck().slice())
  }
  found.push(crowd.save())
  const { overlaps } = crowd.stats()
  return [...found, [overlaps]]
}
