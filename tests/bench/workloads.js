// The workloads: how agents are spread, how they move, and the works of the libraries.

import { AgentTree, AgentTree3D } from 'copse'
import { GRAIN } from '../../web/peers/loops.js'
import { createRandom } from '../../web/random.js'
import { crowdWorks } from './crowds.js'
import { wallWorks } from './walls.js'
import { pathWorks } from './paths.js'

const grained = (x) => Math.round(x / GRAIN) * GRAIN

/** The mean number of agents within the radius of each. */
const NEIGHBORS = 10
const QUERIES = 10_000

/** Returns a nearly normally distributed number, with deviation 1, by plain arithmetic. */
const normal = (random) => (random() + random() + random() + random() - 2) * Math.sqrt(3)

/**
 * Each returns a function that writes the next agent's coordinates to `point`. Where there are agents, there is about
 * one per unit of area or volume.
 */
export const spreads = {
  /** Also used for `renumbered`, and for `still`, whose queries come from anywhere. */
  uniform(random, n, dimensions) {
    const side = n ** (1 / dimensions)
    return (point) => {
      for (let axis = 0; axis < dimensions; axis++) point[axis] = random() * side
    }
  },

  /** Groups of about 200 agents in a mostly empty world. */
  clusters(random, n, dimensions) {
    const members = 200
    const side = 4 * n ** (1 / dimensions)
    const deviation = members ** (1 / dimensions) / Math.sqrt(4 * Math.PI)
    const centers = Array.from({ length: Math.ceil(n / members) * 3 }, () => random() * side)
    return (point) => {
      const cluster = Math.floor((random() * centers.length) / 3) * 3
      for (let axis = 0; axis < dimensions; axis++)
        point[axis] = centers[cluster + axis] + normal(random) * deviation
    }
  },

  /** A marching column, four abreast, not along an axis. */
  line(random, n, dimensions) {
    const abreast = 4
    const length = n / abreast ** (dimensions - 1)
    const along = dimensions === 2 ? [0.6, 0.8] : [0.48, 0.64, 0.6]
    const across = [-0.8, 0.6, 0]
    const above = [-0.36, -0.48, 0.8]
    return (point) => {
      const t = random() * length
      const u = (random() - 0.5) * abreast
      const v = dimensions === 3 ? (random() - 0.5) * abreast : 0
      for (let axis = 0; axis < dimensions; axis++)
        point[axis] = t * along[axis] + u * across[axis] + v * above[axis]
    }
  },

  /** Two armies that meet: each is denser toward the front, where they overlap. */
  battle(random, n, dimensions) {
    const width = n ** (1 / dimensions)
    const depth = width / 2
    return (point) => {
      const side = random() < 0.5 ? -1 : 1
      const u = random()
      point[0] = depth + side * depth * (u * Math.sqrt(u) - 0.1)
      for (let axis = 1; axis < dimensions; axis++) point[axis] = random() * width
    }
  },
}

/** Returns the radius within which a sample of agents has NEIGHBORS others on average. */
function radiusOf(base, dimensions) {
  const sample = 200
  const far2 = 100 // farther than any sample needs
  const n = base.length / dimensions
  const near = []
  for (let s = 0; s < sample; s++) {
    const i = Math.floor(((s + 0.5) / sample) * n)
    for (let j = 0; j < n; j++) {
      let distance2 = 0
      for (let axis = 0; axis < dimensions; axis++)
        distance2 += (base[i * dimensions + axis] - base[j * dimensions + axis]) ** 2
      if (distance2 < far2 && j !== i) near.push(distance2)
    }
  }
  near.sort((a, b) => a - b)
  return grained(Math.sqrt(near[sample * NEIGHBORS] ?? far2))
}

const extentOf = (base) => base.reduce((most, x) => Math.max(most, x), 0)

/** Returns a segment of a given length from each point, in random directions. */
function segmentsFrom(points, random, dimensions, length) {
  const segments = new Float32Array(2 * points.length)
  for (let p = 0; p < points.length; p += dimensions) {
    const way = Array.from({ length: dimensions }, () => normal(random))
    const stretch = length / Math.hypot(...way, Number.MIN_VALUE)
    for (let axis = 0; axis < dimensions; axis++) {
      segments[2 * p + axis] = points[p + axis]
      segments[2 * p + dimensions + axis] = points[p + axis] + grained(way[axis] * stretch)
    }
  }
  return segments
}

/** Renumbers agents in the order of a tree, as a game can do now and then. */
function renumber(base, dimensions) {
  const tree = new (dimensions === 3 ? AgentTree3D : AgentTree)({
    capacity: base.length / dimensions,
  })
  tree.slots = tree.capacity
  tree.positions.set(base)
  tree.build()
  const before = base.slice()
  tree.order().forEach((slot, i) => {
    for (let axis = 0; axis < dimensions; axis++)
      base[i * dimensions + axis] = before[slot * dimensions + axis]
  })
  tree.dispose()
}

/**
 * Returns agents of a spread: their positions in each frame, the radius, and points for queries, each near an agent or,
 * for points that stay, anywhere. Seeded. The native programs move agents in the same way.
 * @param {string} spread
 * @param {number} n
 * @param {2 | 3} dimensions
 * @param {number} [queries] the number of points for queries
 */
export function createAgents(spread, n, dimensions, queries = QUERIES) {
  const random = createRandom(n + dimensions)
  const renumbered = spread === 'renumbered'
  const still = spread === 'still'
  const next = spreads[renumbered || still ? 'uniform' : spread](random, n, dimensions)
  const base = new Float32Array(n * dimensions)
  const steps = new Float32Array(n * dimensions)
  const point = [0, 0, 0]
  for (let i = 0; i < base.length; i += dimensions) {
    next(point)
    for (let axis = 0; axis < dimensions; axis++) {
      base[i + axis] = grained(point[axis])
      steps[i + axis] = (((Math.imul(i + axis + 1, 0x9e3779b1) >>> 16) % 9) - 4) * GRAIN
    }
  }

  if (renumbered) renumber(base, dimensions)

  const points = new Float32Array(queries * dimensions)
  for (let p = 0; p < points.length; p += dimensions) {
    if (still) {
      next(point)
      for (let axis = 0; axis < dimensions; axis++) points[p + axis] = grained(point[axis])
      continue
    }
    const i = Math.floor(random() * n) * dimensions
    for (let axis = 0; axis < dimensions; axis++)
      points[p + axis] = base[i + axis] + grained(random() - 0.5)
  }

  const radius = radiusOf(base, dimensions)
  const segments = segmentsFrom(points, random, dimensions, extentOf(base) / 4)
  const share = dimensions === 2 ? Math.PI : (4 / 3) * Math.PI
  return {
    spread,
    n,
    dimensions,
    base,
    positions: base.slice(),
    points,
    radius,
    /** One segment from each point. */
    segments,
    /** The radius of agents for rays. */
    size: grained(radius / 8),
    /** Half the side of a box with the area or volume of the circle or sphere. */
    half: grained((radius * share ** (1 / dimensions)) / 2),
    /** Moves every agent forward for 16 frames, then back. */
    place(frame) {
      const phase = frame & 31
      const walked = phase < 16 ? phase : 32 - phase
      const { positions } = this
      for (let i = 0; i < base.length; i++) positions[i] = base[i] + steps[i] * walked
    },
  }
}

// ---- Boxes ----

/** The size of the area that a player sees. */
const VIEW = [40, 30]
const VIEWS = 1500

/**
 * Returns boxes, a third of them crowded together, with the same density for any number, and areas for queries, every
 * other one in the crowd. Seeded. `positions` are minX, minY, maxX, maxY of each box.
 * @param {string} spread
 * @param {number} n
 */
export function createBoxes(spread, n) {
  const random = createRandom(n)
  const side = grained(1000 * Math.sqrt(n / 1500))
  const deviation = side / 25
  const crowd = [0.3 * side, 0.6 * side]
  const inCrowd = () => crowd.map((x) => x + normal(random) * deviation)
  const anywhere = () => crowd.map(() => random() * side)
  const farFromCrowd = () => {
    for (;;) {
      const center = anywhere()
      if (center.some((x, axis) => Math.abs(x - crowd[axis]) > 4 * deviation)) return center
    }
  }

  const base = new Float32Array(4 * n)
  const steps = new Float32Array(2 * n)
  for (let i = 0; i < n; i++) {
    const center = i % 3 === 0 ? inCrowd() : anywhere()
    for (let axis = 0; axis < 2; axis++) {
      const size = grained(1 + 4 * random())
      const low = Math.min(Math.max(grained(center[axis] - size / 2), 0), side - size)
      base[4 * i + axis] = low
      base[4 * i + 2 + axis] = low + size
      steps[2 * i + axis] = grained(((random() - 0.5) * size) / 2)
    }
  }

  const views = new Float32Array(4 * VIEWS)
  for (let view = 0; view < VIEWS; view++) {
    const center = view % 2 === 0 ? inCrowd() : farFromCrowd()
    for (let axis = 0; axis < 2; axis++) {
      views[4 * view + axis] = grained(center[axis] - VIEW[axis] / 2)
      views[4 * view + 2 + axis] = views[4 * view + axis] + VIEW[axis]
    }
  }

  return {
    spread,
    n,
    dimensions: 2,
    side,
    positions: base.slice(),
    views,
    bullet: 0.5,
    /** Moves every box forward for 16 frames, by at most a quarter of its size each, then back. */
    place(frame) {
      const phase = frame & 31
      const walked = phase < 16 ? phase : 32 - phase
      const { positions } = this
      for (let i = 0; i < n; i++)
        for (let axis = 0; axis < 2; axis++) {
          const index = 4 * i + axis
          const size = base[index + 2] - base[index]
          let low = base[index] + steps[2 * i + axis] * walked
          // Bounces off the border.
          if (low < 0) low = -low
          else if (low + size > side) low = 2 * (side - size) - low
          positions[index] = low
          positions[index + 2] = low + size
        }
    },
  }
}

// ---- Views of cameras ----

const CAMERAS = 64
/** The directions of a camera, at right angles: forward, right and up. Whole numbers, so that planes are exact. */
const DIRECTIONS = [
  [1, 2, 2],
  [2, 1, -2],
  [2, -2, 1],
]

/**
 * Returns points spread evenly in a cube, and the planes of cameras among them. Each sees 53 degrees wide and high, half
 * the cube's side far: at most a 24th of the cube. Seeded. Coordinates and planes are such that no test is rounded.
 * @param {string} spread
 * @param {number} n
 */
export function createViews(spread, n) {
  const random = createRandom(n)
  const side = Math.ceil(n ** (1 / 3))
  const anywhere = () => grained(random() * side)
  const positions = Float32Array.from({ length: 3 * n }, anywhere)
  const views = Array.from({ length: CAMERAS }, () => {
    const place = [anywhere(), anywhere(), anywhere()]
    const signs = place.map(() => (random() < 0.5 ? -1 : 1))
    const turn = Math.floor(random() * 3)
    const [forward, right, up] = DIRECTIONS.map((direction) =>
      direction.map((_, axis) => signs[axis] * direction[(axis + turn) % 3]),
    )
    const along = (across, factor) => forward.map((x, axis) => x + factor * across[axis])
    const normals = [along(right, 2), along(right, -2), along(up, 2), along(up, -2), forward]
    const through = (normal) => -normal.reduce((sum, x, axis) => sum + x * place[axis], 0)
    const far = Math.round((3 * side) / 2) - through(forward) // the directions have length 3
    const planes = normals.flatMap((normal) => [...normal, through(normal)])
    return Float32Array.of(...planes, ...forward.map((x) => -x), far)
  })
  return { spread, n, dimensions: 3, side, positions, views, place() {} }
}

// ---- Works ----

/** A work of a build, then a query for every agent. */
const frame = (title, query) => ({
  ...query,
  title,
  unit: 'ms',
  moves: true,
  run(peer, loops, agents) {
    peer.build(agents.positions)
    query.run(peer, loops, agents)
  },
  hash(peer, loops, agents) {
    peer.build(agents.positions)
    return query.hash(peer, loops, agents)
  },
})

const everyNeighbors = (k, radii) => ({
  k,
  maxDistance: (radius) => (radii < Infinity ? grained(radii * radius) : Infinity),
  can: (peer) => peer.allNeighbors || peer.neighbors,
  run(peer, loops, agents) {
    const most = this.maxDistance(agents.radius)
    if (peer.allNeighbors) peer.allNeighbors(k, most)
    else loops.neighbors(peer, agents.positions, agents.dimensions, k + 1, most)
  },
  hash(peer, loops, agents) {
    const most = this.maxDistance(agents.radius)
    if (peer.allNeighbors) return loops.hashNeighborRows(peer.allNeighbors(k, most), agents, k)
    return loops.hashNeighbors(peer, agents.positions, agents, k, most, true)
  },
})

/** A work of single queries from JavaScript, on an index that was built before. */
const single = (title, method, run, hash) => ({
  title,
  unit: 'µs',
  can: (peer) => peer[method],
  run,
  hash(peer, loops, agents) {
    peer.build(agents.positions)
    return hash(peer, loops, agents)
  },
})

/** For works that are measured after a build, which is not timed. */
const afterBuild = {
  unit: 'ms',
  moves: true,
  prepare: (peer, { positions }) => peer.build(positions),
}

/** The radius in which an agent enters a sensor, which it leaves beyond `radius`. */
const enterRadius = (radius) => radius * 0.875

const ofBoxes = (title, more) => ({
  title,
  unit: 'ms',
  can: () => true,
  hash(peer, loops, boxes) {
    peer.build(boxes.positions)
    return loops.hashAreas(peer, boxes)
  },
  ...more,
})

const moveBoxes = (peer, { positions }) =>
  peer.move ? peer.move(positions) : peer.build(positions)

/** @type {Record<string, any>} */
export const works = {
  frame: frame('frame: build, and the neighbors of every agent', {
    can: (peer) => peer.allWithin || peer.within,
    run: (peer, loops, agents) => loops.allWithin(peer, agents),
    hash: (peer, loops, agents) => loops.hashAllWithin(peer, agents),
  }),
  frameCopied: {
    title:
      'frame of agents that are in another index: build from it, and the neighbors of every agent',
    unit: 'ms',
    moves: true,
    can: (peer) => peer.frameCopied,
    prepare: (peer, { positions }) => peer.placeOthers(positions),
    run: (peer, loops, { radius }) => peer.frameCopied(radius),
    hash(peer, loops, agents) {
      peer.placeOthers(agents.positions)
      return loops.hashRows(peer.frameCopied(agents.radius), agents)
    },
  },
  frameWrapped: {
    title: 'frame in a world that wraps around',
    unit: 'ms',
    moves: true,
    can: (peer) => peer.frameWrapped,
    run: (peer, loops, { positions, radius }) => peer.frameWrapped(positions, radius),
    hash: (peer, loops, agents) =>
      loops.hashRows(peer.frameWrapped(agents.positions, agents.radius), agents),
  },
  neighbors8: frame(
    'build, and the 8 nearest neighbors of every agent',
    everyNeighbors(8, Infinity),
  ),
  neighbors10: frame(
    'build, and the 10 nearest neighbors of every agent within 1.25 radii',
    everyNeighbors(10, 1.25),
  ),
  build: {
    title: 'build from nothing',
    unit: 'ms',
    moves: true,
    can: () => true,
    prepare: (peer) => peer.renew?.(),
    run: (peer, loops, { positions }) => peer.build(positions),
    hash(peer, loops, agents) {
      peer.build(agents.positions)
      return loops.hashAllWithin(peer, agents)
    },
  },
  buildStill: {
    title: 'build from nothing, points that stay',
    unit: 'ms',
    k: 1,
    moves: true,
    can: (peer) => peer.nearest,
    prepare: (peer) => peer.renew?.(),
    run: (peer, loops, { positions }) => peer.build(positions),
    hash(peer, loops, agents) {
      peer.build(agents.positions)
      return loops.hashNearest(peer, agents.points, agents)
    },
  },
  move: {
    title: 'update after every agent moved',
    unit: 'ms',
    moves: true,
    can: (peer) => peer.move,
    run: (peer, loops, { positions }) => peer.move(positions),
    hash(peer, loops, agents) {
      peer.build(agents.positions)
      agents.place(1)
      peer.move(agents.positions)
      const hash = loops.hashAllWithin(peer, agents)
      agents.place(0)
      return hash
    },
  },
  within: single(
    'one query: within the radius',
    'within',
    (peer, loops, { points, dimensions, radius }) => loops.within(peer, points, dimensions, radius),
    (peer, loops, agents) => loops.hashWithin(peer, agents.points, agents, agents.radius),
  ),
  range: single(
    'one query: in a box of the same size',
    'range',
    (peer, loops, { points, dimensions, half }) => loops.range(peer, points, dimensions, half),
    (peer, loops, agents) => loops.hashRange(peer, agents.points, agents, agents.half),
  ),
  nearest: {
    k: 1,
    ...single(
      'one query: the nearest',
      'nearest',
      (peer, loops, { points, dimensions }) => loops.nearest(peer, points, dimensions),
      (peer, loops, agents) => loops.hashNearest(peer, agents.points, agents),
    ),
  },
  nearest8: {
    k: 8,
    ...single(
      'one query: the 8 nearest',
      'neighbors',
      (peer, loops, { points, dimensions }) =>
        loops.neighbors(peer, points, dimensions, 8, Infinity),
      (peer, loops, agents) => loops.hashNeighbors(peer, agents.points, agents, 8, Infinity),
    ),
  },
  // The recorded results have these names.
  nearestMany: single(
    'the nearest agent of many points in one call, per point',
    'neighborsMany',
    (peer, loops, { points }) => peer.neighborsMany(points, 1),
    (peer, loops, agents) => loops.hashNearestMany(peer, agents.points, agents, 1),
  ),
  nearestMany8: single(
    'the 8 nearest agents of many points in one call, per point',
    'neighborsMany',
    (peer, loops, { points }) => peer.neighborsMany(points, 8),
    (peer, loops, agents) => loops.hashNearestMany(peer, agents.points, agents, 8),
  ),
  withinMany: {
    ...single(
      'all within the radius of many points in one call',
      'withinMany',
      (peer, loops, { positions, radius }) => peer.withinMany(positions, radius),
      (peer, loops, agents) => loops.hashWithinMany(peer, agents),
    ),
    ...afterBuild,
  },
  sensors: {
    ...single(
      'update of a sensor around every agent, which leaves beyond the same radius',
      'sense',
      (peer, loops, { radius }) => peer.sense(enterRadius(radius), radius),
      (peer, loops, agents) => {
        peer.renew()
        return loops.hashSensors(peer, agents, enterRadius(agents.radius))
      },
    ),
    ...afterBuild,
  },
  raycast: single(
    'one ray: the first agent on a segment across a quarter of the world',
    'range',
    (peer, loops, agents) => loops.raycast(peer, agents),
    (peer, loops, agents) => loops.hashRays(peer, agents),
  ),
  raycastMany: single(
    'the same for many segments in one call, per segment',
    'raycastMany',
    (peer, loops, { segments, size }) => peer.raycastMany(segments, size),
    (peer, loops, agents) => loops.hashRays(peer, agents, true),
  ),
  raycastAll: single(
    'one ray: all agents on the same segment',
    'range',
    (peer, loops, agents) => loops.raycastAll(peer, agents),
    (peer, loops, agents) => loops.hashAllHits(peer, agents),
  ),
  raycastThick: single(
    'bullets along many segments in one call, per segment',
    'raycastMany',
    (peer, loops, { segments, size }) => peer.raycastMany(segments, size / 2, size / 2),
    (peer, loops, agents) => loops.hashRays(peer, agents, true, agents.size / 2),
  ),
  boxFrame: ofBoxes(`insert all, and search ${VIEWS} areas of ${VIEW.join(' × ')}`, {
    moves: true,
    run(peer, loops, { positions, views }) {
      peer.build(positions)
      loops.areas(peer, views)
    },
  }),
  insertBoxes: ofBoxes('insert all', {
    moves: true,
    run: (peer, loops, { positions }) => peer.build(positions),
  }),
  areas: ofBoxes(`search ${VIEWS} areas of ${VIEW.join(' × ')}`, {
    run: (peer, loops, { views }) => loops.areas(peer, views),
  }),
  circles: ofBoxes(`search ${2 * VIEWS} circles of radius ${VIEW[1] / 2}`, {
    can: (peer) => peer.withinMany || peer.within,
    run: (peer, loops, { views }) => loops.circles(peer, views, VIEW[1] / 2),
    hash(peer, loops, { positions, views }) {
      peer.build(positions)
      return loops.hashCircles(peer, views, VIEW[1] / 2)
    },
  }),
  nearestBoxes: ofBoxes(`find the nearest box of ${2 * VIEWS} points`, {
    can: (peer) => peer.neighborsMany || peer.nearest,
    run: (peer, loops, { views }) => loops.nearestBoxes(peer, views),
    hash(peer, loops, { positions, views }) {
      peer.build(positions)
      return loops.hashNearestBoxes(peer, views)
    },
  }),
  boxRays: ofBoxes(`cast a bullet along the diagonals of ${VIEWS} areas of ${VIEW.join(' × ')}`, {
    run: (peer, loops, boxes) => loops.boxRays(peer, boxes),
    hash(peer, loops, boxes) {
      peer.build(boxes.positions)
      return loops.hashBoxRays(peer, boxes)
    },
  }),
  moveBoxes: ofBoxes('update after every box moved', {
    moves: true,
    run: (peer, loops, boxes) => moveBoxes(peer, boxes),
    /** Hashes the results of some frames. */
    hash(peer, loops, boxes) {
      boxes.place(0)
      peer.build(boxes.positions)
      let hash = 0
      for (let frame = 1; frame <= 8; frame++) {
        boxes.place(frame)
        moveBoxes(peer, boxes)
        hash = (Math.imul(hash, 31) + loops.hashAreas(peer, boxes)) >>> 0
      }
      hash = (Math.imul(hash, 31) + loops.hashCorners(peer, boxes)) >>> 0
      boxes.place(0)
      return hash
    },
    /** Hashes the results after the many frames of a measurement. */
    hashAfter(peer, loops, boxes) {
      boxes.place(9)
      moveBoxes(peer, boxes)
      return (loops.hashAreas(peer, boxes) + loops.hashCorners(peer, boxes)) >>> 0
    },
  }),
  pairs: ofBoxes('all pairs of overlapping boxes, with an existing index', {
    run: (peer, loops, boxes) => loops.pairs(peer, boxes),
    hash(peer, loops, boxes) {
      peer.build(boxes.positions)
      return loops.hashPairs(peer, boxes)
    },
  }),
  frustum: {
    title: 'one query: what a camera sees',
    unit: 'µs',
    each: CAMERAS,
    can: () => true,
    run: (peer, loops, { views }) => loops.frustums(peer, views),
    hash(peer, loops, { positions, views }) {
      peer.build(positions)
      return loops.hashFrustums(peer, views)
    },
  },
  ...wallWorks,
  ...pathWorks,
  ...crowdWorks,
}

/** Returns the factor from milliseconds to the unit of a work. */
export function scaleOf(work, { points, dimensions }) {
  const { unit, each } = works[work]
  return unit === 'µs' ? 1000 / (each ?? points.length / dimensions) : 1
}
