// Paths around walls for many agents: the levels, and the works.

import { ObstacleTree } from 'copse'
import { createRandom } from '../../web/random.js'
import { AS_DRAWN, layouts } from './walls.js'

/** The side of each level, in world units. */
export const SIDE = 200
const WALLS = 200
/** The radius of agents: paths keep this distance from walls. */
const RADIUS = 0.5
/** The least distance of agents and goals from walls. More than the radius, which a navigation mesh rounds up. */
const ROOM = 0.8
/** The number of goals that all agents have in turn. */
const GOALS = 16

/** Clockwise, so that it is solid outside. */
const BORDER = [0, 0, 0, SIDE, SIDE, SIDE, SIDE, 0]

/** Returns a random direction, by plain arithmetic. */
function direction(random) {
  for (;;) {
    const [x, y] = [2 * random() - 1, 2 * random() - 1]
    const length = Math.sqrt(x * x + y * y)
    if (length > 0.1 && length < 1) return [x / length, y / length]
  }
}

/** Returns boxes of random places and directions. `draw` returns half their length and half their width. */
const boxes = (random, draw) =>
  Array.from({ length: WALLS }, () => {
    const [x, y] = [random() * SIDE, random() * SIDE]
    const [dx, dy] = direction(random)
    const [along, across] = draw()
    const corners = [
      [-along, -across],
      [along, -across],
      [along, across],
      [-along, across],
    ]
    return corners.flatMap(([u, v]) => [x + u * dx - v * dy, y + u * dy + v * dx])
  })

/** Each returns polygons, flat: x0, y0, x1, y1, …. */
const levels = {
  /** Houses, some of which overlap. */
  town: (random) => boxes(random, () => [1.5 + 4.5 * random(), 1 + 3 * random()]),

  /** Thin walls, some of which cross. */
  hedges: (random) => boxes(random, () => [4 + 9 * random(), 0]).map((box) => box.slice(0, 4)),

  /** A maze of thin walls, with a few more gaps. */
  labyrinth(random) {
    const runs = layouts.maze(random, 2 * WALLS)
    const side = Math.max(...runs.flat())
    return runs.map((run) => run.map((x) => (x * SIDE) / side))
  },
}

/**
 * Returns a level, the places of agents, and goals. Seeded: the level is the same for any number of agents.
 * @param {string} spread
 * @param {number} n agents
 */
export function createPaths(spread, n) {
  const random = createRandom(WALLS)
  const walls = [...levels[spread](random), BORDER].map((points) => new Float32Array(points))
  const tree = new ObstacleTree()
  for (const points of walls) tree.addPolygon(points, AS_DRAWN)
  const drawFree = () => {
    for (;;) {
      const [x, y] = [random() * SIDE, random() * SIDE]
      if (!tree.contains(x, y) && tree.nearestPoint(x, y).distance > ROOM) return [x, y]
    }
  }
  const many = (count) => new Float32Array(Array.from({ length: count }, drawFree).flat())
  const shared = many(GOALS)
  const starts = many(n)
  const goals = many(n)
  tree.dispose()
  return {
    spread,
    n,
    dimensions: 2,
    radius: RADIUS,
    /** The coordinates of each wall. */
    positions: walls,
    starts,
    /** The goal of each agent. */
    goals,
    /** The goal of all agents. */
    goal: shared.subarray(0, 2),
    place(frame) {
      const offset = 2 * (frame % GOALS)
      this.goal = shared.subarray(offset, offset + 2)
    },
  }
}

// ---- Works ----

/** The number of agents whose paths are compared, for each goal. */
const COMPARED = 100
/**
 * What paths may differ by. A navigation mesh rounds distances from walls to voxels, and simplifies its borders by a
 * little more than one: its path may be shorter by that. Each side misses some narrow passages of the other. And the
 * mesh's path is the shortest in the chain of polygons that was found, but another chain may have a shorter one.
 */
const LEAST_FOUND = 0.99
const LEAST_LENGTH = 0.998
const MISSED = 0.01
const MOST_MEDIAN = 1.05

const rounded = (ratio) => Number(ratio.toPrecision(5))

/**
 * Compares the lengths of paths with those of the first library. Throws if they differ by more than navigation meshes
 * do. Returns by library: the share of paths that are found by both or by none, and the ratios of lengths.
 * @param {{ name: string, peer: any }[]} entrants
 * @param {any} level
 */
function compareLengths([first, ...others], level) {
  const starts = level.starts.subarray(0, 2 * COMPARED)
  const lengthsOf = (peer) =>
    Array.from({ length: GOALS }, (_, frame) => {
      level.place(frame)
      return peer.lengths(starts, level.goal)
    }).flat()

  first.peer.build(level.positions)
  const expected = lengthsOf(first.peer)
  const differences = others.map(({ name, peer }) => {
    peer.build(level.positions)
    const lengths = lengthsOf(peer)
    const isSame = (length, i) => length < Infinity === expected[i] < Infinity
    const found = lengths.filter(isSame).length / lengths.length
    const ratios = lengths
      .map((length, i) => length / expected[i])
      .filter((ratio) => ratio > 0 && ratio < Infinity)
      .sort((a, b) => a - b)
    const quantile = (share) => ratios[Math.floor(share * (ratios.length - 1))]
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
    const isNear = quantile(MISSED) >= LEAST_LENGTH && quantile(0.5) <= MOST_MEDIAN
    if (!(found >= LEAST_FOUND && isNear))
      throw new Error(`${name}: ${found} of the paths, ${quantile(MISSED)} times as long`)
    const [least, median, most] = [0, 0.5, 1].map(quantile)
    return [name, { found, least, median, mean, most }]
  })
  level.place(0)
  return Object.fromEntries(
    differences.map(([name, numbers]) => [
      name,
      Object.fromEntries(Object.entries(numbers).map(([key, ratio]) => [key, rounded(ratio)])),
    ]),
  )
}

/** @type {Record<string, any>} */
export const pathWorks = {
  // The recorded results have this name.
  buildWays: {
    title: 'made from nothing: a field, or a navigation mesh',
    unit: 'ms',
    can: () => true,
    run: (peer, loops, { positions }) => peer.build(positions),
  },
  oneGoal: {
    title: 'a new goal for all agents: a field and their directions, or a path for each',
    unit: 'ms',
    moves: true,
    can: (peer) => peer.oneGoal,
    run: (peer, loops, { starts, goal }) => peer.oneGoal(starts, goal),
    compare: compareLengths,
  },
  ownGoals: {
    title: 'a new goal for each agent: a field for each, or a path for each',
    unit: 'ms',
    can: (peer) => peer.ownGoals,
    run: (peer, loops, { starts, goals }) => peer.ownGoals(starts, goals),
  },
  directions: {
    title: 'the directions of all agents, of a field that was built before',
    unit: 'ms',
    can: (peer) => peer.directions,
    run: (peer, loops, { starts }) => peer.directions(starts),
  },
}
