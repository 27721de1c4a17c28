// As many agents as the device can carry stream through a gap in a wall, which follows the pointer.

import { addSteps } from '../view/controls.js'
import { smooth } from '../view/clock.js'
import { drawKinds } from '../view/draw.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createPace, createTimer } from '../view/pace.js'
import { theme } from '../view/theme.js'
import { createQueries } from './doorway/queries.js'
import { COLORS, createWorld } from './doorway/world.js'

const AGENTS = [500, 1_000, 2_000, 5_000, 10_000, 20_000]
const LEAST = AGENTS[0]
const BUDGET = 8 // ms of a step, half of a frame: that many agents take part
const TRIAL = 6 // steps at the start, the fastest of which counts: code is still being compiled in the first
const ADJUSTED = 1 // seconds after which the number of agents is adjusted
const CHANGE = 0.1 // largest change at a time, as a part of all agents
const ASKED = 100 // agents whose neighbors are found
const REACH = 5 // of these queries, in radii
const DRAWN = 0.88 // part of the radius: neighbors stay apart in the picture
const RATIOS = [0.35, 2.8] // of the world's sides
const CROPPED = 1.25 // how much of the world a resize may hide before the world is created again
const [NEIGHBOR, CENTER] = [COLORS + 1, COLORS + 2] // kinds of agents in the picture; COLORS: a free slot
const HUES = [165, 300] // of the lanes, from side to side

export default {
  name: 'doorway',
  title: 'Doorway',
  order: 1,
  group: 'Games',
  summary: 'As many agents as your device can carry, through a gap that follows you',
  description:
    'A flow field leads the crowd to the gap, and is built again in slices while the gap moves; agents avoid each other at every step.',
  try: 'Move the gap; it wanders if left alone.',
  help: 'Pointer, finger or arrow keys move the gap. The number of agents is what fits a step of 8 ms, unless you turn that off. The neighbors of 100 agents are found in four ways.',
  legend: [
    [
      'dot',
      'linear-gradient(oklch(0.66 0.14 165), oklch(0.66 0.14 300))',
      'color: where it comes in',
    ],
    ['dot', 'ink', 'one of 100 agents'],
    ['dot', 'hit', 'neighbor of one'],
    ['line', 'wall', 'wall'],
  ],

  count: 'agents',
  params: { agents: 10_000, fitting: true, gap: 0.3, queries: true },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS).name('agents, at most')
    gui.add(params, 'fitting').name('only what fits 8 ms')
    gui.add(params, 'gap', 0.1, 0.6, 0.05).name('gap / wall')
    gui.add(params, 'queries').name('show neighbors')
  },

  setup(stage, params) {
    const { pointer } = stage
    const pace = createPace(step)
    const comparing = createTimer(0.5, () => queries.compare())
    const adjusting = createTimer(ADJUSTED, adjust)
    let world
    let queries
    let marked // the kinds in the picture
    let along
    let colors = []
    let painted = '' // the theme's paper when the colors were chosen
    let limit
    let stepTime // ms, smoothed
    let fieldTime

    // Creates the world with as many agents as fit, by the time of its first steps.
    function create() {
      const { width, height } = stage
      along = width >= height ? 0 : 1
      const ratio = along === 0 ? width / height : height / width
      const build = (agents) =>
        createWorld({
          ...{ agents, along, gap: params.gap },
          ratio: Math.min(Math.max(ratio, RATIOS[0]), RATIOS[1]),
        })
      world = build(params.agents)
      let least = Infinity
      for (let n = 0; n < TRIAL && params.fitting && least > BUDGET; n++) {
        step()
        least = Math.min(least, world.times.step)
      }
      if (least > BUDGET && params.fitting) {
        const fitting = 100 * Math.floor((params.agents * BUDGET) / least / 100)
        world.dispose()
        world = build(Math.max(fitting, LEAST))
      }
      limit = world.crowd.count
      marked = new Uint8Array(world.kinds.length)
      queries = createQueries(world.crowd, REACH * world.radius, ASKED)
      stepTime = fieldTime = undefined
      comparing.restart()
    }

    function release() {
      queries.dispose()
      world.dispose()
    }

    function step() {
      world.step()
      stepTime = smooth(stepTime, world.times.step)
      fieldTime = smooth(fieldTime, world.times.field)
    }

    // Lets fewer agents take part while steps take too long, and more while there is room.
    function adjust() {
      const { capacity } = world.crowd
      if (!params.fitting) limit = capacity
      else if (stepTime > BUDGET || stepTime < 0.7 * BUDGET) {
        const part = Math.min(Math.max(BUDGET / stepTime, 1 - CHANGE), 1 + CHANGE)
        limit = Math.min(Math.max(Math.round(limit * part), LEAST), capacity)
      }
    }

    // Pixels per unit: the world covers the stage.
    function scaleOf() {
      const [x, y] = sides()
      return Math.max(stage.width / x, stage.height / y) / 2
    }

    const sides = () => (along === 0 ? [world.ahead, world.across] : [world.across, world.ahead])

    // The pointer's place along the wall, in units.
    function pointed() {
      const [at, size] = along === 0 ? [pointer.y, stage.height] : [pointer.x, stage.width]
      return (at - size / 2) / scaleOf()
    }

    create()

    return {
      hits: () => queries.total,

      results: () =>
        queries.ways
          .filter(({ queryTime }) => queryTime !== undefined)
          .map(({ name, buildTime, queryTime, equal }) => ({
            ...{ name, equal },
            total: buildTime + queryTime,
          })),

      frame(dt, lap) {
        world.input({ gap: pointed(), agents: limit })
        pace(dt, 1)
        if (dt > 0) adjusting.pass(dt)
        lap('move')
        queries.run()
        lap('query')
        comparing.pass(dt)
        lap()
      },

      draw() {
        paint()
        const { crowd, kinds, radius } = world
        const { positions, slots } = crowd
        marked.set(kinds)
        if (params.queries) {
          const { neighbors, total, asked, count } = queries
          for (let n = 0; n < total; n++) marked[neighbors[n]] = NEIGHBOR
          for (let n = 0; n < count; n++) marked[asked[n]] = CENTER
        }
        inWorld(() => drawKinds(stage, positions, marked, slots, DRAWN * radius, colors))
        inWorld(drawWall)
      },

      report({ draw }) {
        const { ways } = queries
        const [tree] = ways
        return {
          numbers: [
            ['Agents', world.crowd.count],
            ['Step', formatTime(stepTime)],
            ['Field', formatTime(fieldTime)],
            ['100 queries', formatTime(tree.queryTime)],
            ['Drawing', formatTime(draw)],
            ['Neighbors each', (queries.total / queries.count - 1).toFixed(1)],
          ],
          table: {
            caption: 'Neighbors of 100 agents, every frame',
            head: ['', 'Build', 'Query', 'Visits each', 'Equal'],
            rows: ways.map(({ name, buildTime, queryTime, read, equal }, n) => [
              name,
              n < ways.length - 1 ? formatTime(buildTime) : '–',
              formatTime(queryTime),
              read === 0 ? '–' : formatNumber(Math.round(read)),
              equal === undefined ? '–' : equal ? '✓' : '✗',
            ]),
            current: 0,
            note: 'Visits: nodes of a tree, runs of cells of a grid, agents of the loop. One of the four runs in each frame; twice a second their results are compared.',
          },
        }
      },

      change(field) {
        if (field === 'queries') return
        if (field === 'fitting') return adjust()
        release()
        create()
      },

      resize() {
        const { width, height } = stage
        const [x, y] = sides()
        const cropped = (width / height) * (y / x)
        const isSame = along === (width >= height ? 0 : 1)
        if (isSame && Math.max(cropped, 1 / cropped) < CROPPED) return
        release()
        create()
      },

      dispose: release,
    }

    // Chooses the colors for the theme: lighter ones on a dark page.
    function paint() {
      if (painted === theme.paper) return
      painted = theme.paper
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches
      colors = Array.from({ length: COLORS }, (_, n) => {
        const hue = HUES[0] + ((HUES[1] - HUES[0]) * n) / (COLORS - 1)
        return `oklch(${isDark ? 0.72 : 0.6} 0.12 ${hue})`
      })
      colors.push('', theme.hit, theme.ink)
    }

    // Draws in the world's units.
    function inWorld(draw) {
      const { context } = stage
      const scale = scaleOf()
      context.save()
      context.translate(stage.width / 2, stage.height / 2)
      context.scale(scale, scale)
      draw(context, scale)
      context.restore()
    }

    function drawWall(context, scale) {
      const { gap, half, across } = world
      const end = 2 * across // beyond the stage
      const line = (from, to) => {
        context.moveTo(...(along === 0 ? [0, from] : [from, 0]))
        context.lineTo(...(along === 0 ? [0, to] : [to, 0]))
      }
      context.lineCap = 'round'
      context.lineWidth = 7 / scale
      context.strokeStyle = theme.wall
      context.beginPath()
      line(-end, gap - half)
      line(gap + half, end)
      context.stroke()

      // Where the gap is going.
      const at = pointed()
      context.lineWidth = 3 / scale
      context.strokeStyle = theme.accent
      context.beginPath()
      line(at - 8 / scale, at + 8 / scale)
      context.stroke()
    }
  },
}
