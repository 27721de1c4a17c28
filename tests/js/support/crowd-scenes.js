// Scenes of the crowd: starts and goals of agents. tests/c/scenes.h has the same scenes, bit for bit: they
// use only + - * / and square roots, in double, rounded to float when stored.

import { createRandom } from '../../../web/random.js'

const agentOf = (radius, horizon) => ({
  radius,
  maxSpeed: 2,
  neighborDistance: 15,
  timeHorizon: horizon,
  obstacleTimeHorizon: horizon,
})

/**
 * Each has the duration of its steps, the options of its agents, and a `fill` that calls `add(start, goal)` for
 * every agent.
 */
export const SCENES = {
  /** 250 agents on a circle, each heading for the opposite point. */
  circle: {
    dimensions: 2,
    dt: 0.25,
    agent: agentOf(1.5, 10),
    boxes: [],
    fill(add) {
      const [cosine, sine] = [0.9996841892832999, 0.02513009544333748] // of 2 pi / 250
      let [x, y] = [200, 0]
      for (let i = 0; i < 250; i++) {
        add([x, y], [-x, -y])
        ;[x, y] = [x * cosine - y * sine, x * sine + y * cosine]
      }
    },
  },

  /** Four groups of 25 agents that cross between four boxes. The agents in front go farthest. */
  blocks: {
    dimensions: 2,
    dt: 0.25,
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
    dt: 0.125,
    agent: agentOf(1.5, 10),
    boxes: [],
    fill(add) {
      const [cosine, sine] = [-0.7373688780783197, 0.6754902942615238] // of the golden angle
      let [x, y] = [1, 0]
      for (let i = 0; i < 500; i++) {
        const up = 1 - (2 * i + 1) / 500
        const out = 100 * Math.sqrt(1 - up * up)
        const start = [out * x, out * y, 100 * up]
        add(
          start,
          start.map((x) => -x),
        )
        ;[x, y] = [x * cosine - y * sine, x * sine + y * cosine]
      }
    },
  },
}

/**
 * Creates the crowd of one of `SCENES`.
 * @param {typeof import('copse')} library
 * @param {import('copse').Instance} instance
 * @param {string} name
 */
export function beginScene(library, instance, name) {
  const { dimensions, dt, agent, boxes, fill } = SCENES[name]
  const Crowd = dimensions === 2 ? library.Crowd : library.Crowd3D
  const crowd = new Crowd({ capacity: 500, instance })
  const ends = []
  if (boxes.length) {
    crowd.obstacles = new library.ObstacleTree({ capacity: 100, instance })
    for (const box of boxes) crowd.obstacles.addPolygon(box)
  }
  fill((start, end) => {
    crowd.add({ position: start, ...agent })
    ends.push(...end)
  })
  const goals = Float32Array.from(ends)
  const toGoal = new Float64Array(dimensions)
  const random = createRandom(1)

  /** Writes the offset from an agent to its goal to `toGoal`. Returns its squared length. */
  function measure(slot) {
    const { positions } = crowd
    let length2 = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const i = slot * dimensions + axis
      toGoal[axis] = goals[i] - positions[i]
      length2 += toGoal[axis] * toGoal[axis]
    }
    return length2
  }

  return {
    crowd,
    dt,

    /** Prefers velocities toward the goals at speed 1, slightly off, so that no agents meet exactly head-on. */
    prefer() {
      const { preferredVelocities } = crowd
      for (let slot = 0; slot < crowd.count; slot++) {
        const length2 = measure(slot)
        const scale = length2 > 1 ? 1 / Math.sqrt(length2) : 1
        for (let axis = 0; axis < dimensions; axis++) {
          const offset = ((Math.floor(random() * 2 ** 12) - 2048) / 4096) * 0.0001
          preferredVelocities[slot * dimensions + axis] = toGoal[axis] * scale + offset
        }
      }
    },
  }
}
