// The libraries for paths around walls, behind one interface.
//
// build(polygons)           makes what paths are found with, from nothing: x, y, … of each wall
// oneGoal(starts, goal)     finds where all agents go whose goal is the same
// ownGoals(starts, goals)   does so for agents that have a goal each
// directions(starts)        asks the field that was built last
// lengths(starts, goal)     returns the lengths of all paths; Infinity: there is none

import { NavMeshQuery } from '@recast-navigation/core'
import { generateSoloNavMesh } from '@recast-navigation/generators'
import { FlowField, ObstacleTree } from 'copse'
import { AS_DRAWN } from './walls.js'
import { SIDE } from './paths.js'

/** Returns a function that creates a field with so many cells along a side. @param {number} cells */
const fieldOf =
  (cells) =>
  ({ radius, goal }) => {
    const walls = new ObstacleTree()
    const field = new FlowField({ bounds: [0, 0, SIDE, SIDE], cell: SIDE / cells, radius })
    field.obstacles = walls
    field.setGoals(goal)
    const oneGoal = (starts, goal) => {
      field.setGoals(goal)
      field.build()
      return field.directionMany(starts)
    }
    return {
      build(polygons) {
        walls.clear()
        for (const points of polygons) walls.addPolygon(points, AS_DRAWN)
        field.build()
      },
      oneGoal,
      directions: (starts) => field.directionMany(starts),
      lengths: (starts, goal) => [...oneGoal(starts, goal).distances],
      dispose() {
        field.dispose()
        walls.dispose()
      },
    }
  }

/** Builds a field for each agent, one after the other. */
function fieldEach(level) {
  const { oneGoal, ...peer } = fieldOf(256)(level)
  return {
    ...peer,
    ownGoals(starts, goals) {
      for (let i = 0; i < goals.length; i += 2)
        oneGoal(starts.subarray(i, i + 2), goals.subarray(i, i + 2))
    },
  }
}

// ---- Recast ----

/** The side of its voxels: half an agent's radius. */
const VOXEL = 0.25
/** Walls are too high to climb; agents are too tall for the room under the tops of walls. */
const WALL_HEIGHT = 1.5
const AGENT_HEIGHT = 2
/** Room for the polygons of a path. The default, 256, does not hold the longest of a maze. */
const LONGEST = { maxPathPolys: 1024 }
/** The end of a path is at the goal if it is not farther from it. */
const AT_GOAL = 0.1

/** Returns the triangles of a floor with walls on it, y up. The tops of walls face down: no path leads over them. */
function trianglesOf(polygons) {
  const positions = [0, 0, 0, 0, 0, SIDE, SIDE, 0, SIDE, SIDE, 0, 0]
  const indices = [0, 1, 2, 0, 2, 3]
  for (const points of polygons) {
    const first = positions.length / 3
    const count = points.length / 2
    for (let i = 0; i < count; i++) {
      const [x, z] = [points[2 * i], points[2 * i + 1]]
      positions.push(x, 0, z, x, WALL_HEIGHT, z)
      const [low, next] = [first + 2 * i, first + 2 * ((i + 1) % count)]
      indices.push(low, next, next + 1, low, next + 1, low + 1)
      if (i >= 2) indices.push(first + 1, low - 1, low + 1)
    }
  }
  return [positions, indices]
}

function recast({ radius }) {
  let navMesh
  let query
  const destroy = () => {
    query?.destroy()
    navMesh?.destroy()
  }
  const pathOf = (starts, i, goal, k) =>
    query.computePath(
      { x: starts[i], y: 0, z: starts[i + 1] },
      { x: goal[k], y: 0, z: goal[k + 1] },
      LONGEST,
    ).path
  return {
    /** The last polygon is the border, where the floor ends. */
    build(polygons) {
      destroy()
      const result = generateSoloNavMesh(...trianglesOf(polygons.slice(0, -1)), {
        bounds: [
          [0, 0, 0],
          [SIDE, AGENT_HEIGHT, SIDE],
        ],
        cs: VOXEL,
        ch: VOXEL,
        walkableRadius: Math.ceil(radius / VOXEL),
        walkableHeight: AGENT_HEIGHT / VOXEL,
        walkableClimb: 1,
        maxEdgeLen: 0, // few polygons: short searches
      })
      if (!result.success) throw new Error(`Recast: ${result.error}`)
      navMesh = result.navMesh
      query = new NavMeshQuery(navMesh)
    },
    oneGoal(starts, goal) {
      for (let i = 0; i < starts.length; i += 2) pathOf(starts, i, goal, 0)
    },
    ownGoals(starts, goals) {
      for (let i = 0; i < starts.length; i += 2) pathOf(starts, i, goals, i)
    },
    lengths: (starts, goal) =>
      Array.from({ length: starts.length / 2 }, (_, i) => {
        const path = pathOf(starts, 2 * i, goal, 0)
        const end = path.at(-1)
        if (!end || Math.hypot(end.x - goal[0], end.z - goal[1]) > AT_GOAL) return Infinity
        return path
          .slice(1)
          .reduce((sum, { x, z }, k) => sum + Math.hypot(x - path[k].x, z - path[k].z), 0)
      }),
    dispose: destroy,
  }
}

const IN_2D = [2]

/** The fields are those of `stillPeers`. */
export const pathPeers = [
  {
    name: 'copse FlowField',
    create: fieldOf(256),
    dimensions: IN_2D,
    only: ['buildWays', 'oneGoal', 'directions'],
  },
  { name: 'copse FlowField 512', create: fieldOf(512), dimensions: IN_2D, only: ['buildWays'] },
  {
    name: 'copse FlowField each',
    create: fieldEach,
    dimensions: IN_2D,
    only: ['ownGoals'],
    pace: 'a field each',
  },
  { name: 'recast-navigation', create: recast, dimensions: IN_2D },
]
