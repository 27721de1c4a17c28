// Crowds that meet: where agents start, the warm-up that makes them dense, and the works.

import { AgentTree, AgentTree3D, Crowd, Crowd3D, ObstacleTree } from 'copse'
import { createRandom } from '../../web/random.js'

/** The options of every agent. All agents head for the opposite place, through the middle of the world. */
export const AGENT = {
  radius: 1.5,
  maxSpeed: 2,
  preferredSpeed: 1,
  neighborDistance: 15,
  maxNeighbors: 10,
  timeHorizon: 10,
  obstacleTimeHorizon: 5,
}
export const TIME_STEP = 0.25
/** Measured steps after the warm-up; then all agents return to its end. The native programs have the same number. */
export const STEPS = 16

/** Agents overlap if their distance is below this share of the sum of their radii. */
const CLEAR = 0.97

/** In 2D and in 3D. */
const CRUSH_SPACING = [5, 6]
const BLOCKS_SPACING = 6
const RING_SPACING = 5
const DISC_RADIUS = 100

const rounded = (share) => Number(share.toPrecision(3))
const stepsToWalk = (distance) => Math.ceil(distance / (AGENT.preferredSpeed * TIME_STEP))

/** Agents in circles around a disc with the given number of edges, which is in everyone's way. */
const around = (edges) => (random, n) => {
  const places = []
  for (let radius = DISC_RADIUS + 2; places.length < 2 * n; radius += RING_SPACING) {
    const row = Math.floor((2 * Math.PI * radius) / RING_SPACING)
    for (let i = 0; i < row && places.length < 2 * n; i++) {
      const angle = (2 * Math.PI * (i + 0.1 * random())) / row
      places.push(radius * Math.cos(angle), radius * Math.sin(angle))
    }
  }
  const walls = Array.from({ length: edges }, (_, i) => {
    const angle = (2 * Math.PI * i) / edges
    return [DISC_RADIUS * Math.cos(angle), DISC_RADIUS * Math.sin(angle)]
  }).flat()
  return { places, walls: [walls], warmUp: stepsToWalk(5) }
}

/**
 * Each returns the places of agents (flat), walls if there are any, and the number of warm-up steps. Seeded, and
 * slightly irregular: a perfectly regular crowd would stay regular.
 */
const layouts = {
  /** A filled disc or ball, ids in random order: all agents press into the middle. */
  crush(random, n, dimensions) {
    const spacing = CRUSH_SPACING[dimensions - 2]
    const side = Math.ceil(n ** (1 / dimensions) * 1.5)
    const cells = Array.from({ length: side ** dimensions }, (_, cell) => {
      const place = []
      for (let axis = 0; axis < dimensions; axis++, cell = Math.floor(cell / side))
        place.push(((cell % side) - side / 2 + 0.1 * random()) * spacing)
      return { place, order: random(), distance: Math.hypot(...place) }
    })
    const chosen = cells.toSorted((a, b) => a.distance - b.distance).slice(0, n)
    const places = chosen.toSorted((a, b) => a.order - b.order).flatMap(({ place }) => place)
    return { places, warmUp: stepsToWalk(chosen.at(-1).distance / 8) }
  },

  /** Four groups in rows, which cross in the lanes between four boxes. */
  blocks(random, n) {
    const columns = Math.ceil(Math.sqrt(n / 4))
    const lane = (columns * BLOCKS_SPACING) / 5 // half of its width
    const far = 2 * lane
    const places = Array.from({ length: n }, (_, i) => {
      const [place, group] = [Math.floor(i / 4), i % 4]
      const x = far + (1 + (place % columns) + 0.1 * random()) * BLOCKS_SPACING
      const y = far + (1 + Math.floor(place / columns) + 0.1 * random()) * BLOCKS_SPACING
      return [group & 1 ? -x : x, group & 2 ? -y : y]
    }).flat()
    const walls = [
      [lane, lane],
      [-far, lane],
      [-far, -far],
      [lane, -far],
    ].map(([x, y]) => [x, y, x + far - lane, y, x + far - lane, y + far - lane, x, y + far - lane])
    return { places, walls, warmUp: stepsToWalk(1.75 * far) }
  },

  /** Agents in a row around a circle: few neighbors. */
  ring(random, n) {
    const radius = (RING_SPACING * n) / (2 * Math.PI)
    const places = Array.from({ length: n }, (_, i) => {
      const angle = (2 * Math.PI * (i + 0.1 * random())) / n
      return [radius * Math.cos(angle), radius * Math.sin(angle)]
    }).flat()
    return { places, warmUp: stepsToWalk(5) }
  },

  disc200: around(200),
  disc20000: around(20_000),
}

/** Returns an obstacle tree of walls, of the given class; null if there are no walls. */
export function obstaclesOf(walls, Tree) {
  if (walls.length === 0) return null
  const tree = new Tree({ capacity: walls.flat().length / 2 })
  for (const points of walls) tree.addPolygon(points)
  return tree
}

/**
 * Returns the state of a crowd after its warm-up. Seeded.
 * @param {string} spread
 * @param {number} n
 * @param {number} dimensions
 */
export function createCrowd(spread, n, dimensions) {
  const { places, walls = [], warmUp } = layouts[spread](createRandom(n), n, dimensions)
  const options = { ...AGENT, capacity: n }
  const crowd = dimensions === 2 ? new Crowd(options) : new Crowd3D(options)
  if (walls.length > 0) crowd.obstacles = obstaclesOf(walls, ObstacleTree)
  for (let offset = 0; offset < n * dimensions; offset += dimensions) {
    const position = places.slice(offset, offset + dimensions)
    crowd.add({ position, goal: position.map((x) => -x) })
  }
  for (let step = 0; step < warmUp; step++) crowd.step(TIME_STEP)
  const { neighbors, infeasible } = crowd.stats()
  const result = {
    spread,
    n,
    dimensions,
    radius: AGENT.radius,
    walls,
    positions: crowd.positions.slice(),
    velocities: crowd.velocities.slice(),
    goals: crowd.goals.slice(),
    /** A snapshot. */
    base: crowd.save(),
    /** The walls for the native program: for each the number of coordinates, then the coordinates. */
    points: new Float32Array(walls.flatMap((points) => [points.length, ...points])),
    /** The density: the mean number of neighbors, and the share of agents without any permitted velocity. */
    dense: { neighbors: rounded(neighbors), infeasible: rounded(infeasible / n) },
    /** Does nothing: the works move the agents. */
    place() {},
  }
  crowd.obstacles?.dispose()
  crowd.dispose()
  return result
}

// ---- Works ----

/** Returns the mean distance of all agents from their goals. */
function distanceLeft(positions, { goals, n, dimensions }) {
  let sum = 0
  for (let offset = 0; offset < n * dimensions; offset += dimensions) {
    let distance2 = 0
    for (let axis = offset; axis < offset + dimensions; axis++)
      distance2 += (goals[axis] - positions[axis]) ** 2
    sum += Math.sqrt(distance2)
  }
  return sum / n
}

/**
 * Returns the outcome of the measured steps: the mean progress of agents, relative to that without others, and the
 * share of agents that overlap by more than rounding. `left`: the mean distance from the goals before the steps.
 */
function outcomeOf(left, positions, state) {
  const { n, dimensions } = state
  positions = positions.slice() // a view of the crowd's memory, which the tree may let grow
  const walked = left - distanceLeft(positions, state)
  const progress = walked / (STEPS * TIME_STEP * AGENT.preferredSpeed)

  const tree = new (dimensions === 2 ? AgentTree : AgentTree3D)({ capacity: n })
  tree.slots = n
  tree.positions.set(positions)
  tree.build()
  const { counts } = tree.allNeighbors(1, { maxDistance: 2 * AGENT.radius * CLEAR })
  const overlaps = counts.subarray(0, n).reduce((sum, count) => sum + count, 0) / n
  tree.dispose()
  return { progress: rounded(progress), overlaps: rounded(overlaps) }
}

/** Returns a hash of all neighbors. native/crowd.c has the same. */
function hashRows({ counts, ids }, n) {
  let hash = 0
  for (let row = 0; row < n; row++)
    for (let i = 0; i < counts[row]; i++)
      hash = (hash + Math.imul(row + 1, ids[row * AGENT.maxNeighbors + i] + 1)) >>> 0
  return hash
}

/** Puts a crowd back to the end of its warm-up after every STEPS steps. */
function restoreIfDue(peer) {
  if (peer.taken === undefined || ++peer.taken === STEPS) {
    peer.build()
    peer.taken = 0
  }
}

/** @type {Record<string, any>} */
export const crowdWorks = {
  crowdStep: {
    title: 'one step',
    unit: 'ms',
    k: AGENT.maxNeighbors,
    maxDistance: () => AGENT.neighborDistance,
    can: (peer) => peer.step,
    prepare: restoreIfDue,
    run: (peer) => peer.step(),
    /** Hashes the state, only for libraries that must give the same; others are compared by their outcome. */
    hash(peer) {
      if (!peer.hash) return undefined
      peer.build()
      for (let step = 0; step < STEPS; step++) peer.step()
      return peer.hash()
    },
    outcome(peer, state) {
      peer.build()
      const left = distanceLeft(peer.positions(), state)
      for (let step = 0; step < STEPS; step++) peer.step()
      return outcomeOf(left, peer.positions(), state)
    },
    /** The outcome of a native program, which moved the agents. */
    nativeOutcome: (positions, state) =>
      outcomeOf(distanceLeft(state.positions, state), positions, state),
  },
  crowdNeighbors: {
    title: 'the part of a step for the tree and the neighbors, by an agent tree alone',
    unit: 'ms',
    k: AGENT.maxNeighbors,
    maxDistance: () => AGENT.neighborDistance,
    can: (peer) => peer.neighbors,
    prepare(peer) {
      restoreIfDue(peer)
      peer.step()
    },
    run: (peer) => peer.neighbors(),
    hash(peer, loops, { n }) {
      peer.build()
      peer.step()
      return hashRows(peer.neighbors(), n)
    },
  },
}
