// Four groups between four boxes, each crossing to the opposite corner. Avoidance alone finds no path around a
// box: flow fields lead agents until they see the place where they end.

import { Crowd, FlowField, ObstacleTree } from 'copse'
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
const AGENT = { radius: 2, obstacleTimeHorizon: 5 }
const SPACING = 7 // of agents at the start
// Where boxes and groups begin and end, as fractions of half of the visible side.
const BOX = [0.16, 0.5]
const GROUP = [0.57, 0.97]
const CLEARANCE = AGENT.radius + 0.1 // of paths, to walls
const CELLS = 100 // of a field, along each axis
const LANES = 4 // around corners, since the shortest path has no room for all: fields of different clearance
const UNLED = 1 << (GROUPS * LANES) // group of agents that no field leads
const THINK_EVERY = 16 // steps between two looks for the end; agents take turns
const VERTICES = 16

export default {
  name: 'blocks',
  title: 'Crowd: swap corners',
  order: 6,
  group: 'Crowds',
  summary: 'Four groups swap corners, past four boxes',
  description:
    'Four groups swap corners, past four boxes and each other: flow fields lead them around the boxes, in several lanes.',
  try: 'Click an agent to see what it may not do.',
  help: 'Agents avoid walls by the same rule as neighbors. Enter picks the agent at the pointer, too. Arrow keys move the pointer; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'hues', 'color: group'],
    ['dot', 'wall', 'box'],
    ['area', 'blue', 'forbidden velocities'],
    ['line', 'blue', 'by a neighbor'],
    ['line', 'red', 'by a wall'],
  ],
  minimal: ['crowd-around-walls'],

  count: 'agents',
  params: { agents: 400, ...swapParams, speed: 8 },

  controls(gui, params) {
    addSwapControls(gui, params, AGENTS, 'show constraints')
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const obstacles = new ObstacleTree({ capacity: VERTICES })
    const colors = colorsAround(GROUPS, 0.5)
    const boxes = [] // corners x, y, … of each box
    const fields = [] // by group that starts at its goal, and lane
    const free = { inflate: CLEARANCE }
    let kinds = new Uint8Array(0) // group of each agent
    let columns = 1 // of a group at the start
    let half = 1 // of the visible side
    let turn = 0 // selects the agents that choose their path in this step

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
      obstacles.clear()
      for (let group = 0; group < GROUPS; group++) {
        boxes.push(cornersOf(group, near, far))
        obstacles.addPolygon(boxes[group])
      }
    }

    function cornersOf(group, near, far) {
      const [signX, signY] = SIGNS[group]
      const corners = [near, near, far, near, far, far, near, far]
      return corners.map((side, i) => side * (i % 2 ? signY : signX))
    }

    // Makes fields lead the crowd to the corners: in each lane, around the boxes at another distance.
    function lead(crowd) {
      for (const field of fields.splice(0)) {
        crowd.follow(field, { mask: 0 })
        field.dispose()
      }
      const cell = (2 * half) / CELLS
      const least = Math.max(CLEARANCE, cell / 2)
      const most = BOX[0] * half - cell // half of the room between boxes
      for (let group = 0; group < GROUPS; group++)
        for (let lane = 0; lane < LANES; lane++) {
          const radius = least + (lane / LANES) * (most - least)
          // copse:
          const field = new FlowField({ bounds: [-half, -half, half, half], cell, radius })
          const [minX, minY, , , maxX, maxY] = cornersOf(group, ...GROUP.map((part) => part * half))
          field.obstacles = obstacles
          field.setGoalAreas([minX, minY, maxX, maxY])
          field.build()
          crowd.follow(field, { mask: bitOf(group, lane) })
          fields.push(field)
        }
      for (let i = 0; i < params.agents; i++)
        crowd.groups[i] = bitOf((i + GROUPS / 2) % GROUPS, laneOf(i))
    }

    // Sends an agent straight to its end if it sees it. Otherwise a field leads it to the corner around it.
    function route(i, { positions, goals, groups }, ends) {
      if (i === 0) turn++
      if ((i + turn) % THINK_EVERY !== 0) return
      const [x, y] = [2 * i, 2 * i + 1]
      const isFree = obstacles.visible(positions[x], positions[y], ends[x], ends[y], free)
      if (!isFree) {
        const group = groupAt(ends[x], ends[y])
        const field = fields[group * LANES + laneOf(i)]
        const isInLane = field.distance(positions[x], positions[y]) < Infinity
        groups[i] = bitOf(group, isInLane ? laneOf(i) : 0) // beside a wall only the first lane has a path
        return
      }
      groups[i] = UNLED
      goals[x] = ends[x]
      goals[y] = ends[y]
    }

    function begin(crowd) {
      lead(crowd)
      kinds = Uint8Array.from({ length: params.agents }, (_, i) => i % GROUPS)
      plane.show(half)
    }

    // copse:
    const swap = createSwap(Crowd, params, {
      capacity: MAX_AGENTS,
      agent: AGENT,
      obstacles,
      place,
      begin,
      route,
      pick: plane.pick,
      refresh: stage.refresh,
    })

    return {
      ...swap,
      scroll: plane.zoom,

      draw() {
        plane.fit(Math.min(Math.max(1.1 * swap.reach, 1.1 * BOX[1] * half), half))
        drawBoxes()
        plane.drawTrail(swap.trail, swap.crowd, kinds, colors)
        plane.drawAgents(swap.crowd, kinds, colors)
        if (params.velocities) plane.drawVelocities(swap.crowd)
        if (params.constraints) {
          drawWalls()
          plane.drawInspected(swap.crowd, swap.picked, swap.inspected)
        }
      },

      dispose() {
        for (const field of fields) field.dispose()
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
      for (const edge of swap.inspected.obstacles) {
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

const laneOf = (i) => Math.floor(i / GROUPS) % LANES

/** Returns the bit of the agents that go to the corner of a group, in a lane. */
const bitOf = (group, lane) => 1 << (group * LANES + lane)
