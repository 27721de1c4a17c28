// Agents in space: they start all over a sphere, and cross to its opposite side.

import { Crowd3D } from 'copse'
import { loadWorld, tallnessOf } from '../view/loadworld.js'
import { addSwapControls, createSwap, swapParams } from '../view/swap.js'
import { theme } from '../view/theme.js'

const AGENTS = [100, 250, 500, 1_000, 2_000, 4_000]
const MAX_AGENTS = AGENTS.at(-1)
const AGENT = { radius: 1.5 }
const SPACING = 9 // of agents at the start
const MIN_RADIUS = 50 // of the sphere
const GOLDEN = Math.PI * (3 - Math.sqrt(5)) // angle between consecutive agents
const MAX_NEIGHBORS = 64

export default {
  name: 'spheres',
  title: 'Crowd in 3D',
  order: 7,
  group: 'Crowds',
  summary: 'A crowd in 3D crosses to the opposite side',
  description:
    'A crowd in space: all agents cross to the opposite side of the sphere that they start on, and meet in the middle.',
  try: 'Drag to turn; click an agent.',
  help: 'Each agent takes the velocity nearest to the one it prefers that avoids its neighbors. The view also turns by itself. Enter picks the agent at the pointer; arrow keys move the pointer; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'hues', 'color: where it started'],
    ['dot', 'hit', 'picked'],
    ['dot', 'ink', 'its neighbors'],
  ],

  count: 'agents',
  params: { agents: 250, ...swapParams },

  controls(gui, params) {
    addSwapControls(gui, params, AGENTS, 'show neighbors')
  },

  setup(stage, params) {
    const { pointer } = stage
    const starts = new Float32Array(3 * MAX_AGENTS)
    let radius = 1 // of the sphere
    let stale = true // start positions have changed
    const tall = tallnessOf(stage)
    const eye = [2.2, 1.5, 2.9].map((x) => (1.2 - 0.2 * tall) * x)
    const world = loadWorld(stage, eye, createView)

    // Spreads the starts evenly, along a spiral from pole to pole. On a phone, the sphere is stretched.
    function place(i, count, start, end) {
      radius = Math.max(MIN_RADIUS, SPACING * Math.sqrt(count / (4 * Math.PI)))
      const y = 1 - (2 * i + 1) / count
      const ring = Math.sqrt(1 - y * y)
      start[0] = radius * ring * Math.cos(GOLDEN * i)
      start[1] = radius * tall * y
      start[2] = radius * ring * Math.sin(GOLDEN * i)
      for (let axis = 0; axis < 3; axis++) end[axis] = -start[axis]
    }

    function begin({ positions }) {
      starts.set(positions)
      stale = true
    }

    const pick = () => world.view?.pick(pointer.x, pointer.y) ?? -1
    // copse:
    const swap = createSwap(Crowd3D, params, {
      capacity: MAX_AGENTS,
      agent: AGENT,
      place,
      begin,
      pick,
      refresh: stage.refresh,
    })

    return {
      ...swap,

      frame(dt, lap) {
        world.turn(dt)
        swap.frame(dt, lap)
      },

      draw() {
        const { crowd, picked } = swap
        const neighbors = params.constraints ? swap.inspected.neighbors : null
        const scale = 1 / Math.min(Math.max(1.3 * swap.reach, radius / 3), radius)
        world.draw((view) => {
          if (stale) view.color(starts, params.agents)
          stale = false
          view.showAgents(crowd, scale)
          view.showVelocities(crowd, params.velocities ? params.agents : 0, scale)
          view.showNeighbors(crowd, picked, neighbors, scale)
        })
      },

      scroll: world.zoom,

      dispose() {
        world.dispose()
        swap.dispose()
      },
    }
  },
}

/** Creates all objects that are drawn, in units of the sphere's radius. */
function createView(three, world) {
  const balls = world.add(three.createBalls(MAX_AGENTS))
  const velocities = world.add(three.createLines(MAX_AGENTS))
  const lit = world.add(three.createBalls(MAX_NEIGHBORS))
  const chosen = world.add(three.createBalls(1))
  const lines = world.add(three.createLines(MAX_NEIGHBORS))
  for (const { material } of [lit, chosen, lines]) material.fog = false
  lines.material.depthTest = false // visible through objects in front of them
  const color = new three.Color()

  return {
    paint() {
      lit.material.color.set(theme.ink)
      lines.material.color.set(theme.ink)
      chosen.material.color.set(theme.hit)
      velocities.material.color.set(theme.ink)
    },

    /** Colors agents by their start: hue by direction, lighter upward. */
    color(starts, count) {
      for (let i = 0; i < count; i++) {
        const [x, y, z] = starts.subarray(3 * i, 3 * i + 3)
        const hue = Math.atan2(z, x) / (2 * Math.PI) + 1
        const height = y / Math.hypot(x, y, z)
        color.setHSL(hue % 1, 0.62, 0.55 + 0.2 * height).toArray(balls.instanceColor.array, 3 * i)
      }
      balls.instanceColor.needsUpdate = true
    },

    showAgents({ positions, count, radii }, scale) {
      three.showBalls(balls, positions, null, count, scale, radii[0])
    },

    // Draws velocities as lines from the centers. At full speed they reach out of the balls.
    showVelocities({ positions, velocities: speeds, radii }, count, scale) {
      const ends = three.cornersOf(velocities)
      const length = 2.4 * radii[0]
      for (let i = 0; i < count; i++) {
        for (let axis = 0; axis < 3; axis++) {
          const center = positions[3 * i + axis]
          ends[6 * i + axis] = scale * center
          ends[6 * i + axis + 3] = scale * (center + length * speeds[3 * i + axis])
        }
      }
      three.showFirst(velocities, 2 * count)
    },

    showNeighbors({ positions, radii }, slot, neighbors, scale) {
      const count = neighbors ? neighbors.length : 0
      const ends = three.cornersOf(lines)
      for (let n = 0; n < count; n++) {
        for (let axis = 0; axis < 3; axis++) {
          ends[6 * n + axis] = scale * positions[3 * slot + axis]
          ends[6 * n + axis + 3] = scale * positions[3 * neighbors[n] + axis]
        }
      }
      three.showFirst(lines, 2 * count)
      three.showBalls(lit, positions, neighbors, count, scale, 1.1 * radii[0])
      three.showBalls(chosen, positions, [slot], neighbors ? 1 : 0, scale, 1.25 * radii[0])
    },

    pick: (x, y) => world.pickBall(balls, x, y),
  }
}
