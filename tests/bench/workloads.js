// What is measured: how agents are spread, how they move, and the works that every library does.

import { AgentTree, AgentTree3D } from 'copse'
import { GRAIN } from '../../web/peers/loops.js'
import { createRandom } from '../../web/random.js'
import { crowdWorks } from './crowds.js'
import { wallWorks } from './walls.js'

const grained = (x) => Math.round(x / GRAIN) * GRAIN

/** Agents within the radius of each, about. */
const NEIGHBORS = 10
const QUERIES = 10_000

/** The middle of four numbers: nearly a normal distribution, of deviation 1, by arithmetic only. */
const normal = (random) => (random() + random() + random() + random() - 2) * Math.sqrt(3)

/**
 * Each gives the function that writes the next agent's coordinates to `at`: about one agent in each
 * unit of area or volume where there are any.
 */
export const spreads = {
  /** Also as `renumbered`, and as `still`: points that are asked for from anywhere. */
  uniform(random, n, dimensions) {
    const side = n ** (1 / dimensions)
    return (at) => {
      for (let axis = 0; axis < dimensions; axis++) at[axis] = random() * side
    }
  },

  /** Groups of about 200 in a world that is mostly empty. */
  clusters(random, n, dimensions) {
    const members = 200
    const side = 4 * n ** (1 / dimensions)
    const deviation = members ** (1 / dimensions) / Math.sqrt(4 * Math.PI)
    const centers = Array.from({ length: Math.ceil(n / members) * 3 }, () => random() * side)
    return (at) => {
      const cluster = Math.floor((random() * centers.length) / 3) * 3
      for (let axis = 0; axis < dimensions; axis++)
        at[axis] = centers[cluster + axis] + normal(random) * deviation
    }
  },

  /** A column on the march, four abreast, along no axis. */
  line(random, n, dimensions) {
    const abreast = 4
    const length = n / abreast ** (dimensions - 1)
    const along = dimensions === 2 ? [0.6, 0.8] : [0.48, 0.64, 0.6]
    const across = [-0.8, 0.6, 0]
    const above = [-0.36, -0.48, 0.8]
    return (at) => {
      const t = random() * length
      const u = (random() - 0.5) * abreast
      const v = dimensions === 3 ? (random() - 0.5) * abreast : 0
      for (let axis = 0; axis < dimensions; axis++)
        at[axis] = t * along[axis] + u * across[axis] + v * above[axis]
    }
  },

  /** Two armies that meet: each is denser towards the front, and there they overlap. */
  battle(random, n, dimensions) {
    const width = n ** (1 / dimensions)
    const depth = width / 2
    return (at) => {
      const side = random() < 0.5 ? -1 : 1
      const u = random()
      at[0] = depth + side * depth * (u * Math.sqrt(u) - 0.1)
      for (let axis = 1; axis < dimensions; axis++) at[axis] = random() * width
    }
  },
}

/** The radius within which a sample of agents has NEIGHBORS others on average. */
function radiusOf(base, dimensions) {
  const sample = 200
  const far2 = 100 // beyond what any sample needs
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

/** Segments of a length, from each point on in any direction. */
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

/** Numbers agents in the order of a tree of them, as a game can do now and then. */
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
 * Agents of a spread, seeded: where they are in each frame, the radius, and points to ask at, each
 * near an agent, or anywhere if these stay. The native programs move agents by the same lines.
 * @param {string} spread
 * @param {number} n
 * @param {2 | 3} dimensions
 * @param {number} [queries] how many points to ask at
 */
export function createAgents(spread, n, dimensions, queries = QUERIES) {
  const random = createRandom(n + dimensions)
  const renumbered = spread === 'renumbered'
  const still = spread === 'still'
  const next = spreads[renumbered || still ? 'uniform' : spread](random, n, dimensions)
  const base = new Float32Array(n * dimensions)
  const steps = new Float32Array(n * dimensions)
  const at = [0, 0, 0]
  for (let i = 0; i < base.length; i += dimensions) {
    next(at)
    for (let axis = 0; axis < dimensions; axis++) {
      base[i + axis] = grained(at[axis])
      steps[i + axis] = (((Math.imul(i + axis + 1, 0x9e3779b1) >>> 16) % 9) - 4) * GRAIN
    }
  }

  if (renumbered) renumber(base, dimensions)

  const points = new Float32Array(queries * dimensions)
  for (let p = 0; p < points.length; p += dimensions) {
    if (still) {
      next(at)
      for (let axis = 0; axis < dimensions; axis++) points[p + axis] = grained(at[axis])
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
    /** Each from one of the points on. */
    segments,
    /** How large agents are for rays. */
    size: grained(radius / 8),
    /** Half the side of a box as large as the circle or sphere. */
    half: grained((radius * share ** (1 / dimensions)) / 2),
    /** Every agent walks on for 16 frames, then back. */
    place(frame) {
      const phase = frame & 31
      const walked = phase < 16 ? phase : 32 - phase
      const { positions } = this
      for (let i = 0; i < base.length; i++) positions[i] = base[i] + steps[i] * walked
    },
  }
}

// ---- Boxes ----

/** What a player sees. */
const VIEW = [40, 30]
const VIEWS = 1500

/**
 * Boxes, seeded: a third of them crowded together, the others far apart, as dense with any number of
 * them, and areas to ask for, every other one where the crowd is. `positions` are minX, minY, maxX,
 * maxY of each.
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
      const at = anywhere()
      if (at.some((x, axis) => Math.abs(x - crowd[axis]) > 4 * deviation)) return at
    }
  }

  const base = new Float32Array(4 * n)
  const steps = new Float32Array(2 * n)
  for (let i = 0; i < n; i++) {
    const at = i % 3 === 0 ? inCrowd() : anywhere()
    for (let axis = 0; axis < 2; axis++) {
      const size = grained(1 + 4 * random())
      const low = Math.min(Math.max(grained(at[axis] - size / 2), 0), side - size)
      base[4 * i + axis] = low
      base[4 * i + 2 + axis] = low + size
      steps[2 * i + axis] = grained(((random() - 0.5) * size) / 2)
    }
  }

  const views = new Float32Array(4 * VIEWS)
  for (let view = 0; view < VIEWS; view++) {
    const at = view % 2 === 0 ? inCrowd() : farFromCrowd()
    for (let axis = 0; axis < 2; axis++) {
      views[4 * view + axis] = grained(at[axis] - VIEW[axis] / 2)
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
    /** Every box walks on for 16 frames, at most a quarter of its size each, then back. */
    place(frame) {
      const phase = frame & 31
      const walked = phase < 16 ? phase : 32 - phase
      const { positions } = this
      for (let i = 0; i < n; i++)
        for (let axis = 0; axis < 2; axis++) {
          const at = 4 * i + axis
          const size = base[at + 2] - base[at]
          let low = base[at] + steps[2 * i + axis] * walked
          // Off the walls.
          if (low < 0) low = -low
          else if (low + size > side) low = 2 * (side - size) - low
          positions[at] = low
          positions[at + 2] = low + size
        }
    },
  }
}

// ---- Works ----

/** A build, then something about every agent. */
const frame = (title, all) => ({
  ...all,
  title,
  unit: 'ms',
  moves: true,
  run(peer, loops, agents) {
    peer.build(agents.positions)
    all.run(peer, loops, agents)
  },
  hash(peer, loops, agents) {
    peer.build(agents.positions)
    return all.hash(peer, loops, agents)
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

/** Queries from JavaScript, one by one, on what was built before. */
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
  frame: frame('frame: build, and the neighbours of every agent', {
    can: (peer) => peer.allWithin || peer.within,
    run: (peer, loops, agents) => loops.allWithin(peer, agents),
    hash: (peer, loops, agents) => loops.hashAllWithin(peer, agents),
  }),
  neighbors8: frame('build, and the 8 nearest of every agent', everyNeighbors(8, Infinity)),
  neighbors10: frame(
    'build, and the 10 nearest of every agent within 1.25 radii',
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
    title: 'build from nothing, of points that stay',
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
    title: 'brought up to date after every agent moved',
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
    'one query: in a box as large',
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
  nearestMany: single(
    'the nearest of many points in one call, each',
    'nearestMany',
    (peer, loops, { points }) => peer.nearestMany(points, 1),
    (peer, loops, agents) => loops.hashNearestMany(peer, agents.points, agents, 1),
  ),
  nearestMany8: single(
    'the 8 nearest of many points in one call, each',
    'nearestMany',
    (peer, loops, { points }) => peer.nearestMany(points, 8),
    (peer, loops, agents) => loops.hashNearestMany(peer, agents.points, agents, 8),
  ),
  raycast: single(
    'one ray: whom a segment of a quarter of the world hits first',
    'range',
    (peer, loops, agents) => loops.raycast(peer, agents),
    (peer, loops, agents) => loops.hashRays(peer, agents),
  ),
  raycastMany: single(
    'the same for many segments in one call, each',
    'raycastMany',
    (peer, loops, { segments, size }) => peer.raycastMany(segments, size),
    (peer, loops, agents) => loops.hashRays(peer, agents, true),
  ),
  boxFrame: ofBoxes(`insert all, and ask for ${VIEWS} areas of ${VIEW.join(' × ')}`, {
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
  areas: ofBoxes(`ask for ${VIEWS} areas of ${VIEW.join(' × ')}`, {
    run: (peer, loops, { views }) => loops.areas(peer, views),
  }),
  moveBoxes: ofBoxes('brought up to date after every box moved', {
    moves: true,
    run: (peer, loops, boxes) => moveBoxes(peer, boxes),
    /** After some frames. */
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
    /** After the many frames of a measurement. */
    hashAfter(peer, loops, boxes) {
      boxes.place(9)
      moveBoxes(peer, boxes)
      return (loops.hashAreas(peer, boxes) + loops.hashCorners(peer, boxes)) >>> 0
    },
  }),
  pairs: ofBoxes('all pairs of boxes that overlap, of an index that is there', {
    run: (peer, loops, boxes) => loops.pairs(peer, boxes),
    hash(peer, loops, boxes) {
      peer.build(boxes.positions)
      return loops.hashPairs(peer, boxes)
    },
  }),
  ...wallWorks,
  ...crowdWorks,
}

/** What a time in milliseconds is multiplied by for the unit of a work. */
export function scaleOf(work, { points, dimensions }) {
  const { unit, each } = works[work]
  return unit === 'µs' ? 1000 / (each ?? points.length / dimensions) : 1
}
