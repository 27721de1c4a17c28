// As many agents as the device can carry stream through a gap in a wall, which follows the pointer. The crowd lives
// in a worker; the page draws it.

import { addSteps } from '../view/controls.js'
import { smooth } from '../view/clock.js'
import { drawKinds, drawMany } from '../view/draw.js'
import { formatNumber, formatPercent, formatTime } from '../view/format.js'
import { createTimer } from '../view/pace.js'
import { theme } from '../view/theme.js'
import { addThreads, DIVIDED, noteOf, threadParams } from '../view/threads.js'
import { connectPage, connectWorker } from './doorway/connect.js'
import { WAYS } from './doorway/queries.js'
import { COLORS, LEAST, NUMBERS, shapeOf } from './doorway/world.js'

const AGENTS = [500, 1_000, 2_000, 5_000, 10_000, 20_000]
const BUDGET = 8 // ms of a step, half of a frame: that many agents take part
const ADJUSTED = 1 // seconds after which the number of agents is adjusted
const CHANGE = 0.1 // largest change at a time, as a part of all agents
const DRAWN = 0.88 // part of the radius: neighbors stay apart in the picture
const RATIOS = [0.35, 2.8] // of the world's sides
const CROPPED = 1.25 // how much of the world a resize may hide before the world is created again
const GRAIN = 0.5 // units: smaller moves of the gap are not sent to the world
const WARM_UP = 60 // frames that a measured time leaves out, while code is compiled
const HUES = [165, 300] // of the lanes, from side to side

const isKnown = (number) => Number.isFinite(number)
const timeOf = (ms) => formatTime(isKnown(ms) ? ms : undefined)
const textOf = (number, digits) =>
  isKnown(number) ? formatNumber(Number(number.toFixed(digits))) : '–'

export default {
  name: 'doorway',
  title: 'Doorway',
  order: 1,
  group: 'Games',
  summary: 'As many agents as your device can carry, through a gap that follows you',
  description:
    'A flow field leads the crowd to the gap, and is built again in slices while the gap moves; agents avoid each other at every step.',
  try: 'Move the gap; it wanders if left alone.',
  help: 'Pointer, finger or arrow keys move the gap. It opens at once and closes slowly. The number of agents is what fits a step of 8 ms, unless you turn that off. The neighbors of 100 agents are found in four ways, one in each step; every 30 steps their results are compared. Visits: nodes of a tree, runs of cells of a grid, agents of the loop. The page’s thread is timed per frame, with the numbers and charts of this demo.',
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
  params: {
    ...{ agents: 10_000, fitting: true, gap: 0.3, queries: true, worker: true },
    ...threadParams,
  },
  hints: {
    worker: 'Details show the time of the page’s thread per frame, with the worker and without',
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS).name('agents, at most')
    gui.add(params, 'fitting').name('only what fits 8 ms')
    gui.add(params, 'gap', 0.1, 0.6, 0.05).name('gap / wall')
    gui.add(params, 'queries').name('show neighbors')
    gui.add(params, 'worker').name('run in a worker')
    addThreads(gui, params)
  },

  setup(stage, params) {
    const { pointer, sprites } = stage // sprites compile their shaders while the worker starts
    const adjusting = createTimer(ADJUSTED, adjust)
    const pageTimes = {} // ms of the page's thread per frame, by where the world runs
    let world
    let shape // of that world
    let wanted // threads of that world
    let next = null // { world, shape, threads }: replaces it once it has something to draw
    let shown = null // what to draw, valid for this frame
    let numbers = new Float64Array(NUMBERS.length).fill(NaN) // a copy of its numbers, and of its `ways`
    let ways = waysOf(numbers.subarray(0, 0))
    let reason = '' // why there are not more threads
    let place = 'worker' // where the newest world runs
    let isMissing = false // no worker started
    let frames // since the world was created
    let limit // of agents
    let sent
    let colors = []
    let painted = '' // the theme's paper when the colors were chosen

    // Creates the world with as many agents as fit, by the time of its first steps. Shows the old one until then.
    function create() {
      const { width, height } = stage
      const along = width >= height ? 0 : 1
      const ratio = along === 0 ? width / height : height / width
      const options = {
        ...{ agents: params.agents, gap: params.gap, along, threads: params.threads },
        ratio: Math.min(Math.max(ratio, RATIOS[0]), RATIOS[1]),
        budget: params.fitting ? BUDGET : undefined,
      }
      next?.world.dispose()
      next = {
        world: connect(options),
        shape: { ...shapeOf(options), along },
        threads: params.threads,
      }
      if (!world) show()
      limit = params.agents
    }

    function connect(options) {
      place = params.worker && !isMissing ? 'worker' : 'page'
      try {
        return place === 'worker' ? connectWorker(options, fail) : connectPage(options)
      } catch (error) {
        if (place === 'page') throw error
        noteMissing(error)
        return connect(options)
      }
    }

    // The same world runs in the page if no worker can: an old browser, or a content security policy.
    function noteMissing(error) {
      console.warn('Doorway runs in the page:', error.message)
      isMissing = true
    }

    function fail(error) {
      noteMissing(error)
      create()
    }

    function show() {
      world?.dispose()
      ;({ world, shape, threads: wanted } = next)
      next = sent = null
      frames = 0
    }

    const numberOf = (name, of = numbers) => of[NUMBERS.indexOf(name)]

    // Lets fewer agents take part while steps take too long, and more while there is room.
    function adjust() {
      if (!shown) return
      const [stepTime, capacity] = [numberOf('stepTime'), numberOf('capacity')]
      limit = Math.min(limit, capacity)
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

    function sides({ along, ahead, across } = shape) {
      return along === 0 ? [ahead, across] : [across, ahead]
    }

    // The pointer's place along the wall, in units.
    function pointed() {
      const [at, size] = shape.along === 0 ? [pointer.y, stage.height] : [pointer.x, stage.width]
      return (at - size / 2) / scaleOf()
    }

    function send() {
      const gap = Math.round(pointed() / GRAIN) * GRAIN
      if (sent?.gap === gap && sent.agents === limit) return
      sent = { gap, agents: limit }
      world.send(sent)
    }

    // Measures the time of the page's thread per frame, by where the world runs.
    function measure(dt, whole) {
      frames = dt > 0 && !next ? frames + 1 : 0
      const ms = whole + world.take()
      if (frames > WARM_UP) pageTimes[place] = smooth(pageTimes[place], ms)
    }

    function waysOf(ways) {
      return WAYS.map((name, n) => {
        const [buildTime, queryTime, read, equal] = ways.subarray(4 * n, 4 * n + 4)
        return { name, buildTime, queryTime, read, equal: isKnown(equal) ? equal === 1 : undefined }
      })
    }

    // Returns the medians of a step with one thread and with several.
    function threadTimes() {
      const [one, several, equal] = ['oneTime', 'severalTime', 'equal'].map((name) =>
        numberOf(name),
      )
      return isKnown(one) ? { one, several, equal: equal === 1 } : {}
    }

    function threadNote() {
      const isLoaded = shown && wanted === params.threads
      return noteOf({
        ...{
          wanted: params.threads,
          agents: numberOf('capacity'),
          least: DIVIDED.crowd,
          work: 'Step',
        },
        threads: isLoaded ? { count: numberOf('threads'), reason } : undefined,
        times: threadTimes(),
      })
    }

    create()

    return {
      hits: () => numberOf('found') || 0,

      results() {
        const { one, equal } = threadTimes()
        const alone = equal === undefined ? [] : [{ name: 'one thread', total: one, equal }]
        const measured = ways
          .filter(({ queryTime }) => queryTime >= 0)
          .map(({ name, buildTime, queryTime, equal }) => ({
            ...{ name, equal },
            total: buildTime + queryTime,
          }))
        return [...measured, ...alone]
      },

      frame(dt, lap, whole) {
        if (next?.world.between()) show()
        send()
        world.run(dt, stage.paused, lap)
        shown = world.between()
        if (shown) {
          numbers = shown.newer.numbers.slice()
          ways = waysOf(shown.newer.ways)
          reason = new TextDecoder().decode(shown.newer.reason)
        }
        measure(dt, whole)
        if (dt > 0) adjusting.pass(dt)
        lap('move')
      },

      draw() {
        if (!shown) return
        paint()
        sprites?.use()
        inWorld(drawAgents)
        inWorld(drawWall)
      },

      report({ draw }) {
        return {
          numbers: [
            ['Agents', textOf(numberOf('agents'))],
            [`Step in ${place}`, timeOf(numberOf('stepTime'))],
            ['Page’s thread', timeOf(pageTimes[place])],
            ['Field', timeOf(numberOf('fieldTime'))],
            ['100 queries', timeOf(ways[0].queryTime)],
            ['Drawing', formatTime(draw)],
            ['Neighbors each', textOf(numberOf('found') / numberOf('asked') - 1, 1)],
            ['Deepest overlap', formatPercent(numberOf('depth'))],
            ['Page, with worker', isMissing ? 'no worker' : timeOf(pageTimes.worker)],
            ['Page, without', timeOf(pageTimes.page)],
            ['Steps', textOf(numberOf('tick'))],
            ...hashed(),
          ],
          table: {
            caption: 'Neighbors of 100 agents, every step',
            head: ['', 'Build', 'Query', 'Visits each', 'Equal'],
            rows: ways.map(({ name, buildTime, queryTime, read, equal }, n) => [
              name,
              n < ways.length - 1 ? timeOf(buildTime) : '–',
              timeOf(queryTime),
              textOf(read),
              equal === undefined ? '–' : equal ? '✓' : '✗',
            ]),
            note: 'Take AgentTree for any radius and spread, Grid for one radius, KdTree for points that seldom move.',
          },
          notes: { threads: threadNote() },
        }
      },

      change(field) {
        if (field === 'queries') return
        if (field === 'fitting') return adjust()
        create()
      },

      resize() {
        const { width, height } = stage
        const newest = next?.shape ?? shape
        const [x, y] = sides(newest)
        const cropped = (width / height) * (y / x)
        const isSame = newest.along === (width >= height ? 0 : 1)
        if (isSame && Math.max(cropped, 1 / cropped) < CROPPED) return
        create()
      },

      dispose() {
        next?.world.dispose()
        world.dispose()
      },
    }

    function hashed() {
      const [tick, hash] = [numberOf('hashTick'), numberOf('hash')]
      return tick > 0 ? [[`Hash, step ${tick}`, hash.toString(16).padStart(8, '0')]] : []
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

    function drawAgents() {
      const { older, newer, part, jump } = shown
      const kinds = params.queries ? newer.marked : newer.kinds
      const items = { kinds, count: kinds.length, radius: DRAWN * numberOf('radius'), colors }
      const before = older === newer ? undefined : { positions: older.positions, part, jump }
      if (drawMany(stage, { ...items, positions: newer.positions, before }, false)) return
      drawKinds(stage, newer.positions, kinds, kinds.length, items.radius, colors)
    }

    function drawWall(context, scale) {
      const { across, along } = shape
      const { older, part } = shown
      const [low, high] = ['low', 'high'].map(
        (name) =>
          numberOf(name, older.numbers) + part * (numberOf(name) - numberOf(name, older.numbers)),
      )
      const end = 2 * across // beyond the stage
      const line = (from, to) => {
        context.moveTo(...(along === 0 ? [0, from] : [from, 0]))
        context.lineTo(...(along === 0 ? [0, to] : [to, 0]))
      }
      context.lineCap = 'round'
      context.lineWidth = 7 / scale
      context.strokeStyle = theme.wall
      context.beginPath()
      line(-end, low)
      line(high, end)
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
