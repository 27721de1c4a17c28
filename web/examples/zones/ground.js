// What a zone knows of the ground: walls and paths.

import { init, FlowField, ObstacleTree } from 'copse'
import { neighborsOf, pillarsOf, RADIUS, reachOf, SIDE } from './world.js'

await init()

const EXIT = 4 // depth of the goals of walkers

/**
 * Creates the walls that a zone knows, and the two fields that lead its walkers: out of it to the east and to the west,
 * to the far side of its margin. They cost the same, however large the world is.
 * @param {number} zone
 * @param {number} zones
 */
export function createGround(zone, zones) {
  const walls = new ObstacleTree()
  walls.addPolygon([0, 0, zones * SIDE, 0, zones * SIDE, SIDE, 0, SIDE], { solid: 'outside' })
  for (const known of [zone, ...neighborsOf(zone, zones)])
    for (const pillar of pillarsOf(known)) walls.addPolygon(pillar)

  const { minX, maxX } = reachOf(zone, zones)
  const lead = (/** @type {number} */ goalX) => {
    const field = new FlowField({ bounds: [minX, 0, maxX, SIDE], cell: 1, radius: 1.1 * RADIUS })
    field.obstacles = walls
    field.setGoalAreas([goalX, 1, goalX + EXIT, SIDE - 1])
    field.build()
    return field
  }
  return { walls, east: lead(maxX - EXIT), west: lead(minX) }
}
