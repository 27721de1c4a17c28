// Crowds that meet: where agents begin, how they come to be dense, and the works of who moves them.

import { AgentTree, AgentTree3D, Crowd, Crowd3D, ObstacleTree } from 'copse'
import { createRandom } from '../../web/random.js'

/** What every agent is. Everybody heads for the place opposite, through the middle of the world. */
export const AGENT = {
  radius: 1.5,
  maxSpeed: 2,
  preferredSpeed: 1,
  neighborDistance: 15,
  maxNeighbors: 10,
  timeHorizon: 10,
  timeHorizonObstacles: 5,
}
export const TIME_STEP = 0.25
/** Measured from where the warm-up ends; then all go back there. native/crowd.c has the same. */
export const STEPS = 16

/** Of two radii: nearer than so much is an overlap. */
const CLEAR = 0.97

/** Of a disc and of a ball. */
const CRUSH_SPACING = [5, 6]
const BLOCKS_SPACING = 6
const RING_SPACING = 5
const DISC_RADIUS = 100

const rounded = (share) => Number(share.toPrecision(3))
const stepsToWalk = (distance) => Math.ceil(distance / (AGENT.preferredSpeed * TIME_STEP))

/** In circles around a disc of so many edges, through which all would have to go. */
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
 * Each gives places, flat, walls where there are any, and how many steps to warm up. Seeded, and not
 * quite even: what is quite even stays so.
 */
const layouts = {
  /** A filled disc or ball, in no order: all press into the middle. */
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

  /** Four groups, in rows, that cross in the lanes between four boxes. */
  blocks(random, n) {
    const columns = Math.ceil(Math.sqrt(n / 4))
    const lane = (columns * BLOCKS_SPACING) / 5 // half of its width
    const far = 2 * lane
    const places = Array.from({ length: n }, (_, i) => {
      const [at, group] = [Math.floor(i / 4), i % 4]
      const x = far + (1 + (at % columns) + 0.1 * random()) * BLOCKS_SPACING
      const y = far + (1 + Math.floor(at / columns) + 0.1 * random()) * BLOCKS_SPACING
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

  /** One after the other around a circle: few neighbors. */
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

/** The obstacle tree of walls, of these classes; null: there are none. */
export function obstaclesOf(walls, Tree) {
  if (walls.length === 0) return null
  const tree = new Tree({ capacity: walls.flat().length / 2 })
  for (const points of walls) tree.addPolygon(points)
  return tree
}

/**
 * A crowd of a layout, seeded, after its warm-up.
 * @param {string} spread
 * @param {number} n
 * @param {number} dimensions
 */
export function createCrowd(spread, n, dimensions) {
  const { places, walls = [], warmUp } = layouts[spread](createRandom(n), n, dimensions)
  const options = { ...AGENT, capacity: n, timeStep: TIME_STEP }
  const crowd = dimensions === 2 ? new Crowd(options) : new Crowd3D(options)
  if (walls.length > 0) crowd.obstacles = obstaclesOf(walls, ObstacleTree)
  for (let at = 0; at < n * dimensions; at += dimensions) {
    const position = places.slice(at, at + dimensions)
    crowd.add({ position, goal: position.map((x) => -x) })
  }
  for (let step = 0; step < warmUp; step++) crowd.step()
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
    /** The walls for the native program: of each the number of coordinates, and these. */
    points: new Float32Array(walls.flatMap((points) => [points.length, ...points])),
    /** How dense it is: neighbors heeded in the mean, and agents without any permitted velocity. */
    dense: { neighbors: rounded(neighbors), infeasible: rounded(infeasible / n) },
    /** Nothing: who measures moves everybody. */
    place() {},
  }
  crowd.obstacles?.dispose()
  crowd.dispose()
  return result
}

// ---- Works ----

/**
 * What comes of the measured steps: how far agents come, in the mean, as a share of what they would
 * alone, and the share of those that are in each other by more than rounding.
 */
function outcome(peer, { goals, n, dimensions }) {
  const left = () => {
    const positions = peer.positions()
    let sum = 0
    for (let at = 0; at < n * dimensions; at += dimensions) {
      let distance2 = 0
      for (let axis = at; axis < at + dimensions; axis++)
        distance2 += (goals[axis] - positions[axis]) ** 2
      sum += Math.sqrt(distance2)
    }
    return sum / n
  }
  peer.build()
  const before = left()
  for (let step = 0; step < STEPS; step++) peer.step()
  const progress = (before - left()) / (STEPS * TIME_STEP * AGENT.preferredSpeed)

  const tree = new (dimensions === 2 ? AgentTree : AgentTree3D)({ capacity: n })
  tree.slots = n
  tree.positions.set(peer.positions())
  tree.build()
  const { counts } = tree.allNeighbors({ k: 1, maxDistance: 2 * AGENT.radius * CLEAR })
  const overlaps = counts.subarray(0, n).reduce((sum, count) => sum + count, 0) / n
  tree.dispose()
  return { progress: rounded(progress), overlaps: rounded(overlaps) }
}

/** A sum over all neighbors found. native/crowd.c has the same. */
function hashRows({ counts, ids }, n) {
  let hash = 0
  for (let row = 0; row < n; row++)
    for (let i = 0; i < counts[row]; i++)
      hash = (hash + Math.imul(row + 1, ids[row * AGENT.maxNeighbors + i] + 1)) >>> 0
  return hash
}

/** Who is somewhere else after as many steps: to be warmed up anew before what is measured. */
function returnInTime(peer) {
  if (peer.taken === undefined || ++peer.taken === STEPS) {
    peer.build()
    peer.taken = 0
  }
}

/** @type {Record<string, any>} */
export const crowdWorks = {
  crowdStep: {
    title: 'a step',
    unit: 'ms',
    can: (peer) => peer.step,
    prepare: returnInTime,
    run: (peer) => peer.step(),
    /** Of who does the same; of others only what comes of it is compared. */
    hash(peer) {
      if (!peer.hash) return undefined
      peer.build()
      for (let step = 0; step < STEPS; step++) peer.step()
      return peer.hash()
    },
    outcome,
  },
  crowdNeighbors: {
    title: 'of that, the tree and the neighbours: a step of an agent tree alone',
    unit: 'ms',
    k: AGENT.maxNeighbors,
    maxDistance: () => AGENT.neighborDistance,
    can: (peer) => peer.neighbors,
    prepare(peer) {
      returnInTime(peer)
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
