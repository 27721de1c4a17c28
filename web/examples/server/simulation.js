// What server and clients both run. Whatever decides the future lies in the crowd, and so in its
// snapshots and hash: no clock, no random number, nothing but orders from outside.

import { init, Crowd, ObstacleTree } from 'copse'

export const SIDE = 100 // of the world
export const TICKS = 30 // a second
export const TEAMS = ['red', 'blue']
const ROWS = 12
const COLUMNS = 8 // of each team when it begins
const RADIUS = 0.9

export const BOXES = [
  [30, 15, 36, 40],
  [64, 60, 70, 85],
  [30, 60, 36, 85],
  [64, 15, 70, 40],
  [46, 46, 54, 54],
] // left, top, right, bottom

await init()

export function createSimulation() {
  const walls = new ObstacleTree()
  walls.addPolygon([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], { winding: 'boundary' })
  for (const [left, top, right, bottom] of BOXES)
    walls.addPolygon([left, top, right, top, right, bottom, left, bottom])

  const crowd = new Crowd({
    ...{ capacity: TEAMS.length * ROWS * COLUMNS, timeStep: 1 / TICKS },
    ...{ radius: RADIUS, preferredSpeed: 9, maxSpeed: 11, timeHorizonObstacles: 0.5 },
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

    /** How many steps have been made since the world began. */
    get tick() {
      return crowd.stats().steps
    },

    /** One tick. Orders are [team, x, y]: everyone of that team goes there. @param {number[][]} orders */
    advance(orders) {
      for (const [team, x, y] of orders)
        for (let slot = team; slot < crowd.capacity; slot += TEAMS.length)
          crowd.goals.set([x, y], 2 * slot)
      crowd.step()
    },
  }
}

/** @param {number} slot */
export const teamOf = (slot) => slot % TEAMS.length
