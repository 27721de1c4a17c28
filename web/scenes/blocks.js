// Four groups between four boxes, each crossing to the opposite corner. Avoidance alone finds no way around a
// box: agents head for the visible corner of a box that lies on their shortest way.

import { Crowd, ObstacleTree } from 'copse'
import { colorsAround, createPlane } from '../view/plane.js'
import { addSwapControls, createSwap, swapParams } from '../view/swap.js'
import { theme } from '../view/theme.js'

const AGENTS = [100, 256, 400, 1_024, 2_116, 4_000, 10_000, 19_600]
const MAX_AGENTS = AGENTS.at(-1)
const SIGNS = [
  [1, 1],
  [-1, 1],
  [-1, -1],
  [1, -1],
] // of x and y, for each group and its box
const GROUPS = SIGNS.length
const AGENT = { radius: 2, timeHorizonObstacles: 5 }
const SPACING = 8 // of agents at the start
// Where boxes and groups begin and end, as fractions of half of the visible side.
const BOX = [0.16, 0.5]
const GROUP = [0.57, 0.97]
const CLEARANCE = AGENT.radius + 0.1 // of ways, to walls
const TURNING = 1.5 * AGENT.radius // least distance at which agents turn around a corner
const THINK_EVERY = 16 // steps between two choices of a way; agents take turns
const VERTICES = 16
const LANES = 8 // around corners, since the shortest way has no room for all

export default {
  name: 'blocks',
  title: 'Blocks',
  order: 9,
  group: 'Crowds',
  summary: 'Four groups swap corners, past four boxes',
  description:
    'Four groups swap corners, past four boxes and each other. Agents avoid walls by the same rule as neighbors. Lines of sight in the obstacle tree show them the way around the boxes.',
  help: 'Click, tap or press Enter to pick an agent. The tint marks velocities that neighbors (blue lines) and walls (red lines) forbid. Arrow keys move the pointer; wheel, pinch, + and - zoom.',
  minimal: ['crowd-around-walls'],

  count: 'agents',
  params: { agents: 400, ...swapParams, speed: 4 },

  controls(gui, params) {
    addSwapControls(gui, params, AGENTS, 'show constraints')
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const obstacles = new ObstacleTree({ capacity: VERTICES })
    const colors = colorsAround(GROUPS, 0.5)
    const boxes = [] // corners x, y, … of each box
    const lanes = [] // { corners: x, y, …; lengths: by group, of the ways from each corner to its start }
    const last = new Uint8Array(MAX_AGENTS) // corner that an agent heads for; usually it stays the best
    const free = { radius: CLEARANCE }
    let kinds = new Uint8Array(0) // group of each agent
    let columns = 1 // of a group at the start
    let half = 1 // of the visible side
    let turn = 0 // selects the agents that choose their way in this step

    // The first row of a group ends up last, so that agents that arrive early are not in the way.
    function place(i, count, start, end) {
      if (i === 0) build(count)
      const [near, far] = GROUP.map((part) => part * half)
      const spacing = (far - near) / columns
      const n = Math.floor(i / GROUPS)
      const [signX, signY] = SIGNS[i % GROUPS]
      start[0] = signX * (near + spacing * ((n % columns) + 0.5))
      start[1] = signY * (near + spacing * (Math.floor(n / columns) + 0.5))
      end[0] = start[0] - signX * (near + far)
      end[1] = start[1] - signY * (near + far)
    }

    function build(count) {
      columns = Math.ceil(Math.sqrt(count / GROUPS))
      half = (SPACING * columns) / (GROUP[1] - GROUP[0])
      const [near, far] = BOX.map((part) => part * half)
      boxes.length = turn = 0
      last.fill(0)
      obstacles.clear()
      for (let group = 0; group < GROUPS; group++) {
        boxes.push(cornersOf(group, near, far))
        obstacles.addPolygon(boxes[group])
      }
      for (let n = 0; n < LANES; n++) {
        const distance = TURNING + (n / LANES) * (near - TURNING)
        const corners = boxes.flatMap((_, group) =>
          cornersOf(group, near - distance, far + distance),
        )
        lanes[n] = { corners, lengths: boxes.map((_, group) => waysTo(group, corners)) }
      }
    }

    function cornersOf(group, near, far) {
      const [signX, signY] = SIGNS[group]
      const corners = [near, near, far, near, far, far, near, far]
      return corners.map((side, i) => side * (i % 2 ? signY : signX))
    }

    // Returns the lengths of the shortest ways from all corners to the start of a group, past other corners.
    function waysTo(group, corners) {
      const [goalX, goalY] = SIGNS[group].map((sign) => (sign * half * (GROUP[0] + GROUP[1])) / 2)
      const ways = new Float64Array(corners.length / 2).fill(Infinity)
      const shorten = (n, toX, toY, rest) => {
        const fromX = corners[2 * n]
        const fromY = corners[2 * n + 1]
        const length = Math.hypot(toX - fromX, toY - fromY) + rest
        if (length < ways[n] && obstacles.visible(fromX, fromY, toX, toY, free)) ways[n] = length
      }
      for (let n = 0; n < ways.length; n++) shorten(n, goalX, goalY, 0)
      for (let round = 0; round < ways.length; round++)
        for (let n = 0; n < ways.length; n++)
          for (let m = 0; m < ways.length; m++)
            if (ways[m] < ways[n]) shorten(n, corners[2 * m], corners[2 * m + 1], ways[m])
      return ways
    }

    // Sends an agent straight to its end if it sees it, else toward a corner: by its preferred velocity, since
    // it would stop at a goal.
    function route(i, { positions, goals, preferredVelocities }, ends) {
      if (i === 0) turn++
      const [x, y] = [2 * i, 2 * i + 1]
      if ((i + turn) % THINK_EVERY === 0) {
        const isFree = obstacles.visible(positions[x], positions[y], ends[x], ends[y], free)
        goals[x] = isFree ? ends[x] : NaN
        goals[y] = ends[y]
        if (!isFree) chooseCorner(i, positions[x], positions[y], groupAt(ends[x], ends[y]))
      }
      if (!Number.isNaN(goals[x])) return
      const { corners } = laneOf(i)
      const toX = corners[2 * last[i]] - positions[x]
      const toY = corners[2 * last[i] + 1] - positions[y]
      const scale = 1 / Math.max(Math.hypot(toX, toY), 1)
      preferredVelocities[x] = scale * toX
      preferredVelocities[y] = scale * toY
    }

    const laneOf = (i) => lanes[Math.floor(i / GROUPS) % LANES]

    // Chooses the visible corner with the shortest way to the end. Near a corner the next one comes into sight,
    // and the way past that one is shorter.
    function chooseCorner(i, x, y, group) {
      const { corners, lengths } = laneOf(i)
      const ways = lengths[group]
      let least = Infinity
      for (let tried = 0; tried <= ways.length; tried++) {
        const n = tried === 0 ? last[i] : tried - 1
        const length = Math.hypot(corners[2 * n] - x, corners[2 * n + 1] - y) + ways[n]
        if (length >= least || !obstacles.visible(x, y, corners[2 * n], corners[2 * n + 1], free))
          continue
        least = length
        last[i] = n
      }
    }

    function begin() {
      kinds = Uint8Array.from({ length: params.agents }, (_, i) => i % GROUPS)
      plane.show(half)
    }

    const swap = createSwap(Crowd, params, {
      capacity: MAX_AGENTS,
      agent: AGENT,
      obstacles,
      place,
      begin,
      route,
      pick: plane.pick,
    })

    return {
      ...swap,
      scroll: plane.zoom,

      draw() {
        drawBoxes()
        plane.drawAgents(swap.crowd, kinds, colors)
        if (params.velocities) plane.drawVelocities(swap.crowd)
        if (params.constraints) {
          drawWalls()
          plane.drawInspected(swap.crowd, swap.picked, swap.inspected)
        }
      },

      dispose() {
        swap.dispose()
        obstacles.dispose()
      },
    }

    function drawBoxes() {
      const { context } = stage
      plane.enter()
      context.fillStyle = theme.wall
      for (const [x0, y0, , , x1, y1] of boxes) context.fillRect(x0, y0, x1 - x0, y1 - y0)
      plane.leave()
    }

    // Marks the edges that the picked agent avoids.
    function drawWalls() {
      const { context } = stage
      const { vertices, next } = obstacles
      context.strokeStyle = theme.red
      const scale = plane.enter()
      context.lineWidth = 3 / scale
      context.beginPath()
      for (const edge of swap.inspected.walls) {
        context.moveTo(vertices[2 * edge], vertices[2 * edge + 1])
        context.lineTo(vertices[2 * next[edge]], vertices[2 * next[edge] + 1])
      }
      context.stroke()
      plane.leave()
    }
  },
}

/** Returns the group that starts in the corner around a point. */
const groupAt = (x, y) => SIGNS.findIndex(([signX, signY]) => signX * x > 0 && signY * y > 0)
