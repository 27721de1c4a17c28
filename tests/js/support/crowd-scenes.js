// Scenes of the crowd: where agents begin and where they want to go. tests/c/scenes.h has the same, bit
// for bit: nothing but + - * / and square roots, in double, rounded where it is stored.

import { createRandom } from '../../../web/random.js'

const agentOf = (radius, horizon) => ({
  radius,
  maxSpeed: 2,
  neighborDistance: 15,
  timeHorizon: horizon,
  timeHorizonObstacles: horizon,
})

/** Each tells the agents' numbers, and calls `add(from, to)` for each agent in turn. */
export const SCENES = {
  /** 250 agents on a circle, each heading for the opposite point. */
  circle: {
    dimensions: 2,
    timeStep: 0.25,
    agent: agentOf(1.5, 10),
    boxes: [],
    fill(add) {
      const [cosine, sine] = [0.9996841892832999, 0.02513009544333748] // of 1/250 of a turn
      let [x, y] = [200, 0]
      for (let i = 0; i < 250; i++) {
        add([x, y], [-x, -y])
        ;[x, y] = [x * cosine - y * sine, x * sine + y * cosine]
      }
    },
  },

  /** Four groups of 25 agents that cross between four boxes: who is in front goes farthest. */
  blocks: {
    dimensions: 2,
    timeStep: 0.25,
    agent: agentOf(2, 5),
    boxes: [
      [-10, 40, -40, 40, -40, 10, -10, 10],
      [10, 40, 10, 10, 40, 10, 40, 40],
      [10, -40, 40, -40, 40, -10, 10, -10],
      [-10, -40, -10, -10, -40, -10, -40, -40],
    ],
    fill(add) {
      for (let i = 0; i < 5; i++)
        for (let j = 0; j < 5; j++)
          for (let group = 0; group < 4; group++) {
            const [x, y] = [55 + 10 * i, 55 + 10 * j]
            const [right, up] = [group & 1 ? -1 : 1, group & 2 ? -1 : 1]
            add([right * x, up * y], [right * (x - 150), up * (y - 150)])
          }
    },
  },

  /** 500 agents on a sphere, each heading for the opposite point. */
  sphere: {
    dimensions: 3,
    timeStep: 0.125,
    agent: agentOf(1.5, 10),
    boxes: [],
    fill(add) {
      const [cosine, sine] = [-0.7373688780783197, 0.6754902942615238] // of the golden angle
      let [x, y] = [1, 0]
      for (let i = 0; i < 500; i++) {
        const up = 1 - (2 * i + 1) / 500
        const out = 100 * Math.sqrt(1 - up * up)
        const from = [out * x, out * y, 100 * up]
        add(
          from,
          from.map((at) => -at),
        )
        ;[x, y] = [x * cosine - y * sine, x * sine + y * cosine]
      }
    },
  },
}

/**
 * Begins one of `SCENES`.
 * @param {typeof import('copse')} library
 * @param {import('copse').Instance} instance
 * @param {string} name
 */
export function beginScene(library, instance, name) {
  const { dimensions, timeStep, agent, boxes, fill } = SCENES[name]
  const Crowd = dimensions === 2 ? library.Crowd : library.Crowd3D
  const crowd = new Crowd({ capacity: 500, timeStep, instance })
  const walls = boxes.length ? new library.ObstacleTree({ capacity: 100, instance }) : null
  const ends = []
  if (walls) {
    for (const box of boxes) walls.addPolygon(box)
    crowd.obstacles = walls
  }
  fill((from, to) => {
    crowd.add({ position: from, ...agent })
    ends.push(...to)
  })
  const goals = Float32Array.from(ends)
  const way = new Float64Array(dimensions)
  const random = createRandom(1)

  /** Measures the way of an agent to its goal, and answers with its squared length. */
  function measure(slot) {
    const { positions } = crowd
    let length2 = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const at = slot * dimensions + axis
      way[axis] = goals[at] - positions[at]
      length2 += way[axis] * way[axis]
    }
    return length2
  }

  return {
    crowd,
    walls,

    /** Towards the goals at a speed of 1, a little aside, so that nobody meets another exactly head-on. */
    prefer() {
      const { preferredVelocities } = crowd
      for (let slot = 0; slot < crowd.count; slot++) {
        const length2 = measure(slot)
        const scale = length2 > 1 ? 1 / Math.sqrt(length2) : 1
        for (let axis = 0; axis < dimensions; axis++) {
          const aside = ((Math.floor(random() * 2 ** 12) - 2048) / 4096) * 0.0001
          preferredVelocities[slot * dimensions + axis] = way[axis] * scale + aside
        }
      }
    },

    /** Whether all agents have reached their goals, each within its radius. */
    isThere() {
      const { radii } = crowd
      for (let slot = 0; slot < crowd.count; slot++)
        if (!(measure(slot) <= radii[slot] * radii[slot])) return false
      return true
    },
  }
}
