// Four groups between four boxes, each on its way to the opposite corner. Avoidance alone finds no way
// around a box: agents head for the corner of a box that they see and that is on the shortest way.

import { Crowd, ObstacleTree } from 'copse'
import { colorsAround, createPlane } from '../view/plane.js'
import { addSwapControls, createSwap, swapParams } from '../view/swap.js'
import { theme } from '../view/theme.js'

const AGENTS = [100, 256, 400, 1_024, 2_116, 4_000, 10_000, 19_600]
const MOST = AGENTS.at(-1)
const SIGNS = [
  [1, 1],
  [-1, 1],
  [-1, -1],
  [1, -1],
] // of x and y of each group, and of its box
const GROUPS = SIGNS.length
const AGENT = { radius: 2, timeHorizonObstacles: 5 }
const SPACING = 8 // of agents when they begin
// Parts of half of what is seen: boxes and groups, from … to.
const BOX = [0.16, 0.5]
const GROUP = [0.57, 0.97]
const CLEARANCE = AGENT.radius + 0.1 // of ways
const TURNING = 1.5 * AGENT.radius // how far from a corner agents go around it
const THINK_EVERY = 16 // steps: agents take turns
const VERTICES = 16
const LANES = 8 // around corners: not all can go where it is shortest

export default {
  name: 'blocks',
  title: 'Blocks',
  order: 9,
  group: 'Crowds',
  summary: 'Four groups change places between walls',
  description:
    'Four groups change places, past four boxes and each other. The boxes are walls of an obstacle tree: agents keep clear of them by the same rule as of their neighbors, and ask it which way is free.',
  help: 'Click, tap or Enter picks an agent: tinted around it are the velocities that neighbors (blue lines) and walls (red ones) forbid. Arrow keys move the pointer; wheel, pinch, + and - zoom.',

  count: 'agents',
  params: { agents: 400, ...swapParams, speed: 4 },

  controls(gui, params) {
    addSwapControls(gui, params, AGENTS, 'show constraints')
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const obstacles = new ObstacleTree({ capacity: VERTICES })
    const colors = colorsAround(GROUPS, 0.5)
    const boxes = [] // corners of each: x, y, …
    const lanes = [] // { corners: x, y, …; lengths: from each on to where a group began, by group }
    const last = new Uint8Array(MOST) // the corner that an agent went to: most often still the best
    const free = { radius: CLEARANCE }
    let kinds = new Uint8Array(0) // of agents: the group
    let columns = 1 // of a group
    let half = 1 // of what is seen
    let turn = 0 // of agents to think

    // The first row ends as the last one: else those that arrive first would be in the way.
    function place(i, count, start, end) {
      if (i === 0) build(count)
      const [from, to] = GROUP.map((part) => part * half)
      const spacing = (to - from) / columns
      const n = Math.floor(i / GROUPS)
      const [signX, signY] = SIGNS[i % GROUPS]
      start[0] = signX * (from + spacing * ((n % columns) + 0.5))
      start[1] = signY * (from + spacing * (Math.floor(n / columns) + 0.5))
      end[0] = start[0] - signX * (from + to)
      end[1] = start[1] - signY * (from + to)
    }

    function build(count) {
      columns = Math.ceil(Math.sqrt(count / GROUPS))
      half = (SPACING * columns) / (GROUP[1] - GROUP[0])
      const [from, to] = BOX.map((part) => part * half)
      boxes.length = turn = 0
      last.fill(0)
      obstacles.clear()
      for (let group = 0; group < GROUPS; group++) {
        boxes.push(around(group, from, to))
        obstacles.addPolygon(boxes[group])
      }
      for (let n = 0; n < LANES; n++) {
        const off = TURNING + (n / LANES) * (from - TURNING)
        const corners = boxes.flatMap((_, group) => around(group, from - off, to + off))
        lanes[n] = { corners, lengths: boxes.map((_, group) => waysTo(group, corners)) }
      }
    }

    function around(group, near, far) {
      const [signX, signY] = SIGNS[group]
      const corners = [near, near, far, near, far, far, near, far]
      return corners.map((side, i) => side * (i % 2 ? signY : signX))
    }

    // The shortest way from every corner to where a group begins, past the other corners.
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

    // Straight to its end where nothing is in the way, else towards the corner it has chosen: that is no
    // goal, where one would stop.
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

    // The one in sight that has the shortest way on. Near a corner the next one comes in sight, and the way
    // by that is shorter still.
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
      capacity: MOST,
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
          plane.drawLook(swap.crowd, swap.picked, swap.look)
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

    // The edges that the picked agent keeps clear of.
    function drawWalls() {
      const { context } = stage
      const { vertices, next } = obstacles
      context.strokeStyle = theme.red
      const scale = plane.enter()
      context.lineWidth = 3 / scale
      context.beginPath()
      for (const edge of swap.look.walls) {
        context.moveTo(vertices[2 * edge], vertices[2 * edge + 1])
        context.lineTo(vertices[2 * next[edge]], vertices[2 * next[edge] + 1])
      }
      context.stroke()
      plane.leave()
    }
  },
}

/** The group that begins in this corner. */
const groupAt = (x, y) => SIGNS.findIndex(([signX, signY]) => signX * x > 0 && signY * y > 0)
