// The libraries for crowds, behind one interface.
//
// build()       puts all agents where the warm-up ended
// step()        moves all agents by TIME_STEP
// positions()   returns all coordinates, flat
// hash()        returns a hash of the whole state, if others must have the same
// neighbors()   builds a tree of all agents and finds their neighbors; moves no agent

import { Crowd as RecastCrowd, init as initRecast } from '@recast-navigation/core'
import { generateSoloNavMesh } from '@recast-navigation/generators'
import * as copse from 'copse'
import { AGENT, obstaclesOf, TIME_STEP } from './crowds.js'

/** Creates a copse crowd and its walls. @param {any} copse an entry */
function createOurs({ Crowd, Crowd3D, ObstacleTree }, { n, dimensions, walls }, options) {
  const crowd = new (dimensions === 2 ? Crowd : Crowd3D)({ capacity: n, ...options })
  const obstacles = obstaclesOf(walls, ObstacleTree)
  if (obstacles) crowd.obstacles = obstacles
  return {
    crowd,
    dispose() {
      crowd.dispose()
      obstacles?.dispose()
    },
  }
}

/** @param {any} copse an entry */
const oursBy = (copse) => (state) => {
  const { n, dimensions, base } = state
  const { AgentTree, AgentTree3D } = copse
  const { crowd, dispose } = createOurs(copse, state)
  const tree = new (dimensions === 2 ? AgentTree : AgentTree3D)({ capacity: n })
  tree.slots = n
  const near = { maxDistance: AGENT.neighborDistance }
  return {
    build: () => crowd.restore(base),
    step: () => crowd.step(TIME_STEP),
    positions: () => crowd.positions,
    hash: () => crowd.hash(),
    neighbors() {
      tree.positions.set(crowd.positions)
      tree.build()
      return tree.allNeighbors(AGENT.maxNeighbors, near)
    },
    bytes: () => crowd.stats().bytes,
    dispose() {
      dispose()
      tree.dispose()
    },
  }
}

/** Runs the published algorithm alone. Results differ from those of the other crowds, so there is no hash. */
function exactly(state) {
  const { crowd, dispose } = createOurs(copse, state, { ...AGENT, exact: true })
  for (let i = 0; i < state.n; i++) crowd.add({ position: new Array(state.dimensions).fill(0) })
  for (const name of ['positions', 'velocities', 'goals']) crowd[name].set(state[name])
  const base = crowd.save()
  return {
    build: () => crowd.restore(base),
    step: () => crowd.step(TIME_STEP),
    positions: () => crowd.positions,
    bytes: () => crowd.stats().bytes,
    dispose,
  }
}

// ---- Recast ----

/** Cells of its grid along a side, and the size of the floor relative to the agents' extent. */
const CELLS = 512
const MARGIN = 1.2
/** Its flag for avoidance, the only one that a plain needs, and the medium quality of its demo. */
const OBSTACLE_AVOIDANCE = 2
const MEDIUM = 1
const MEDIUM_QUALITY = { velBias: 0.5, adaptiveDivs: 5, adaptiveRings: 2, adaptiveDepth: 2 }
/** Steps that are not measured: all path searches happen in them. */
const SETTLING = 2
/** The state of a target that has a path; higher numbers have the beginning of one. */
const VALID = 2

/** Returns the triangles of a floor without the boxes on it: rectangles between all coordinates of walls. */
function floorOf(half, walls) {
  const numbers = [-half, half, ...walls.flat()]
  const breaks = [...new Set(numbers)].sort((a, b) => a - b)
  const boxes = walls.map((points) => [
    Math.min(...points.filter((_, i) => i % 2 === 0)),
    Math.min(...points.filter((_, i) => i % 2)),
  ])
  const positions = []
  const indices = []
  for (let column = 1; column < breaks.length; column++)
    for (let row = 1; row < breaks.length; row++) {
      const [x0, x1, y0, y1] = [breaks[column - 1], breaks[column], breaks[row - 1], breaks[row]]
      if (boxes.some(([x, y]) => x === x0 && y === y0)) continue
      const first = positions.length / 3
      positions.push(x0, 0, y0, x0, 0, y1, x1, 0, y1, x1, 0, y0)
      indices.push(first, first + 1, first + 2, first, first + 2, first + 3)
    }
  return [positions, indices]
}

/** In fixed steps. Recast has one speed per agent, maximum and preferred alike; velocities are not restored. */
function recast({ n, positions, goals, walls }) {
  const half = MARGIN * goals.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const { success, navMesh } = generateSoloNavMesh(...floorOf(half, walls), {
    cs: (2 * half) / CELLS,
    ch: 0.2,
    maxEdgeLen: 0, // few polygons: short searches
    walkableRadius: 0,
    walkableHeight: 10,
  })
  if (!success) throw new Error('Recast: no floor')
  const crowd = new RecastCrowd(navMesh, { maxAgents: n, maxAgentRadius: AGENT.radius })
  const quality = crowd.raw.getObstacleAvoidanceParams(MEDIUM)
  crowd.raw.setObstacleAvoidanceParams(MEDIUM, Object.assign(quality, MEDIUM_QUALITY))
  const pointAt = (points, i) => ({ x: points[2 * i], y: 0, z: points[2 * i + 1] })
  const agents = Array.from({ length: n }, (_, i) =>
    crowd.addAgent(pointAt(positions, i), {
      radius: AGENT.radius,
      height: 2,
      maxSpeed: AGENT.preferredSpeed,
      maxAcceleration: 8,
      collisionQueryRange: AGENT.neighborDistance,
      pathOptimizationRange: 2 * AGENT.neighborDistance,
      separationWeight: 0,
      updateFlags: OBSTACLE_AVOIDANCE,
      obstacleAvoidanceType: MEDIUM,
    }),
  )
  const found = new Float32Array(2 * n)
  return {
    build() {
      agents.forEach((agent, i) => {
        agent.teleport(pointAt(positions, i))
        if (!agent.requestMoveTarget(pointAt(goals, i)))
          throw new Error(`Recast: no target for agent ${i}`)
      })
      for (let step = 0; step < SETTLING; step++) crowd.update(TIME_STEP)
      if (agents.some(({ raw }) => raw.targetState < VALID)) throw new Error('Recast: no path')
    },
    step: () => crowd.update(TIME_STEP),
    positions() {
      agents.forEach((agent, i) => {
        const { x, z } = agent.position()
        found[2 * i] = x
        found[2 * i + 1] = z
      })
      return found
    },
    dispose() {
      crowd.destroy()
      navMesh.destroy()
    },
  }
}

// ---- The list ----

const [IN_2D, BOTH] = [[2], [2, 3]]

/** The fields are those of `stillPeers`. */
export const crowdPeers = [
  { name: 'copse Crowd', create: oursBy(copse), dimensions: BOTH },
  { name: 'copse Crowd exact', create: exactly, dimensions: BOTH },
  { name: 'recast-navigation', create: recast, dimensions: IN_2D, pace: 'recast' },
]

export const crowdPackages = { 'recast-navigation': '@recast-navigation/core' }

/** Starts Recast. */
export const loadRecast = () => initRecast()
