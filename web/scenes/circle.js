// Agents start on a circle, or on several rings if they are many. All cross to the opposite side, and meet in
// the middle.

import { Crowd } from 'copse'
import { colorsAround, createPlane } from '../view/plane.js'
import { addSwapControls, createSwap, swapParams } from '../view/swap.js'
import { addThreads, threadParams } from '../view/threads.js'

const AGENTS = [250, 500, 1_000, 2_000, 5_000, 10_000, 20_000]
const MAX_AGENTS = AGENTS.at(-1)
const SPACING = 5 // of agents on a ring, and between rings
const AGENT = { radius: 1.5 }
const COLORS = 36
const FULL = 2 * Math.PI

export default {
  name: 'circle',
  title: 'Crowd: swap sides',
  order: 5,
  group: 'Crowds',
  summary: 'All agents cross to the opposite side, past each other',
  description:
    'All agents cross to the opposite side and meet in the middle: each picks the velocity nearest to the one it prefers that avoids its neighbors.',
  try: 'Click an agent to see what it may not do.',
  help: 'Enter picks the agent at the pointer, too. Arrow keys move the pointer; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'hues', 'color: where it started'],
    ['ring', 'ink', 'neighbor of the picked'],
    ['area', 'blue', 'forbidden velocities'],
  ],
  minimal: ['fixed-time-step-with-interpolation'],

  count: 'agents',
  params: { agents: 500, ...swapParams, speed: 8, ...threadParams },

  controls(gui, params) {
    addSwapControls(gui, params, AGENTS, 'show constraints')
    addThreads(gui, params)
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const colors = colorsAround(COLORS)
    const ring = { radius: 0, first: 0, room: 0 } // ring that is being filled
    let inner = 0 // radius of the first ring
    let outer = 0 // and of the last ring
    let kinds = new Uint8Array(0) // color of each agent: index in `colors`

    // Each ring is turned a little, so that agents do not line up. Agents of the first ring arrive first
    // and end on the last ring, where they are not in the way.
    function place(i, count, start, end) {
      if (i === 0) measure(count)
      else if (i === ring.first + ring.room) fill(ring.radius + SPACING, i)
      const room = Math.min(ring.room, count - ring.first) // the last ring has fewer
      const angle = (FULL * (i - ring.first)) / room + ring.radius
      const opposite = -Math.sqrt(inner ** 2 + outer ** 2 - ring.radius ** 2)
      start[0] = ring.radius * Math.cos(angle)
      start[1] = ring.radius * Math.sin(angle)
      end[0] = opposite * Math.cos(angle)
      end[1] = opposite * Math.sin(angle)
    }

    function measure(count) {
      inner = Math.max(200, 3 * Math.sqrt(count))
      fill(inner, 0)
      while (ring.first + ring.room < count) fill(ring.radius + SPACING, ring.first + ring.room)
      outer = ring.radius
      fill(inner, 0)
    }

    function fill(radius, first) {
      Object.assign(ring, { radius, first, room: roomOf(radius) })
    }

    const roomOf = (radius) => Math.floor((FULL * radius) / SPACING)

    function begin({ positions }) {
      kinds = Uint8Array.from({ length: params.agents }, (_, i) => {
        const turn = Math.atan2(positions[2 * i + 1], positions[2 * i]) / FULL
        return Math.round((turn + 1) * COLORS) % COLORS
      })
      plane.show(outer + 2 * AGENT.radius)
    }

    // copse:
    const swap = createSwap(Crowd, params, {
      capacity: MAX_AGENTS,
      agent: AGENT,
      place,
      begin,
      pick: plane.pick,
      refresh: stage.refresh,
    })

    return {
      ...swap,
      scroll: plane.zoom,

      draw() {
        plane.fit(Math.min(Math.max(1.1 * swap.reach, outer / 4), outer + 2 * AGENT.radius))
        plane.drawTrail(swap.trail, swap.crowd, kinds, colors)
        plane.drawAgents(swap.crowd, kinds, colors)
        if (params.velocities) plane.drawVelocities(swap.crowd)
        if (params.constraints) plane.drawInspected(swap.crowd, swap.picked, swap.inspected)
      },
    }
  },
}
