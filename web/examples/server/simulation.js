// The simulation that the server and all clients run. All of its state is in the crowd, and so in the crowd's snapshots
// and hash. Its only input is orders: it uses no clock and no random numbers.

import { init, Crowd, ObstacleTree } from 'copse'

export const SIDE = 100 // side of the world
export const TICKS = 30 // per second
export const TEAMS = ['red', 'blue']
const ROWS = 12
const COLUMNS = 8 // of each team at the start
const RADIUS = 0.9

/** Pillars (x, y, …): small enough for a crowd to flow around them without pathfinding. */
export const PILLARS = [
  [50, 50],
  [36, 28],
  [64, 28],
  [36, 72],
  [64, 72],
].map(([x, y]) => [x, y - 7, x + 7, y, x, y + 7, x - 7, y])

await init()

export function createSimulation() {
  const walls = new ObstacleTree()
  walls.addPolygon([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], { solid: 'outside' })
  for (const pillar of PILLARS) walls.addPolygon(pillar)

  const crowd = new Crowd({
    ...{ capacity: TEAMS.length * ROWS * COLUMNS, radius: RADIUS },
    ...{ preferredSpeed: 9, maxSpeed: 11, obstacleTimeHorizon: 0.5 },
  })
  crowd.obstacles = walls
  for (let slot = 0; slot < crowd.capacity; slot++) {
    const place = Math.floor(slot / TEAMS.length)
    const x = 4 + 2.5 * (place % COLUMNS)
    const y = SIDE / 2 + 3 * (Math.floor(place / COLUMNS) - (ROWS - 1) / 2)
    crowd.add({ position: [teamOf(slot) ? SIDE - x : x, y] })
  }

  return {
    crowd,

    /** The number of steps since the start. */
    get tick() {
      return crowd.stats().steps
    },

    /** Runs one tick. An order [team, x, y] sends all agents of the team there. @param {number[][]} orders */
    advance(orders) {
      for (const [team, x, y] of orders)
        for (let slot = team; slot < crowd.capacity; slot += TEAMS.length)
          crowd.goals.set([x, y], 2 * slot)
      crowd.step(1 / TICKS)
    },
  }
}

/** Returns the team of an agent. @param {number} slot */
export const teamOf = (slot) => slot % TEAMS.length
