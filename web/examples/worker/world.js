// The world: a crowd that follows a flow field to a goal. The same inputs at the same ticks give the same world, in a
// worker or not: it uses no clock and no Math.random.

import { init, Crowd, FlowField, ObstacleTree } from 'copse'

export const SIDE = 200
export const AGENTS = 10_000
export const GOAL = 5 // half the side of the area where agents arrive
export const RADIUS = 0.35
export const TIME_STEP = 1 / 60
export const MAX_SPEED = 9
const FAR = 60 // agents start at least this far from the goal

/** Each [x, y, width, height]. */
export const WALLS = [
  [40, 20, 4, 70],
  [40, 110, 4, 70],
  [70, 60, 60, 4],
  [70, 136, 60, 4],
  [98, 84, 4, 32],
  [156, 20, 4, 70],
  [156, 110, 4, 70],
]

export async function createWorld() {
  await init() // here, because workers may be built as scripts without a top-level await
  const walls = new ObstacleTree()
  walls.addPolygon([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], { solid: 'outside' })
  for (const [x, y, width, height] of WALLS)
    walls.addPolygon([x, y, x + width, y, x + width, y + height, x, y + height])
  const field = new FlowField({ bounds: [0, 0, SIDE, SIDE], cell: 1, radius: 1.5 * RADIUS })
  field.obstacles = walls
  const crowd = new Crowd({
    ...{ capacity: AGENTS, radius: RADIUS, maxSpeed: MAX_SPEED },
    ...{ preferredSpeed: 6, neighborDistance: 2.5, timeHorizon: 1, obstacleTimeHorizon: 0.3 },
  })
  crowd.obstacles = walls
  crowd.follow(field)

  let goal = [120, 100]
  let starts = 0

  /** Returns the next start: the places of this sequence are spread evenly over the world. */
  function nextStart() {
    for (;;) {
      const [x, y] = [0.7548776662, 0.569840291].map((part) => ((++starts * part) % 1) * SIDE)
      const isNear = Math.hypot(x - goal[0], y - goal[1]) < FAR
      if (!isNear && !walls.contains(x, y) && walls.nearestPoint(x, y).distance > RADIUS)
        return [x, y]
    }
  }

  function setGoal(place) {
    goal = place.map((coordinate) => Math.min(Math.max(coordinate, GOAL), SIDE - GOAL))
    field.setGoalAreas([goal[0] - GOAL, goal[1] - GOAL, goal[0] + GOAL, goal[1] + GOAL])
    field.build()
  }

  setGoal(goal)
  while (crowd.count < AGENTS) crowd.add({ position: nextStart() })
  return {
    timeStep: TIME_STEP,

    /** Each input is a goal [x, y]; the last one counts. */
    step(inputs) {
      if (inputs.length > 0) setGoal(inputs.at(-1))
      crowd.step(TIME_STEP)
      for (const slot of crowd.arrived().slice()) crowd.move(slot, ...nextStart())
    },

    arrays: () => ({ positions: crowd.positions, hash: Uint32Array.of(crowd.hash()) }),
  }
}
