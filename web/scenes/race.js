// Libraries side by side in the page: on the same moving agents each builds its index anew and finds
// everybody's neighbors. One of them has its turn in a frame, and then rests for a multiple of what it
// took, so that the page stays alive however slow it is. Results are compared, outside of the times.

import { median, timeRun } from '../view/clock.js'
import { addSteps } from '../view/controls.js'
import { drawDots, radiusFor, strokeCircle } from '../view/draw.js'
import { formatFactor, formatNumber, formatTime } from '../view/format.js'
import { spawn } from '../view/spawn.js'
import { FONT, theme } from '../view/theme.js'

const AGENTS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
const SPREADS = ['uniform', 'clusters', 'battle']
const NEIGHBORS = 10 // of each, about
const SAMPLE = 1_000 // agents that the radius is chosen by
const RUNS = 9 // whose median is shown
const TIMED = 2 // ms together, the clock is coarse
const MOMENTS = 8 // kept: a quick library does not build the same again and again
const REST = 6 // times as long as the turn
const MAX_DRAWN = 10_000 // agents

export default {
  name: 'race',
  title: 'Race',
  order: 4,
  group: 'Trees',
  summary: 'The same task for copse and other libraries, in your browser',
  description:
    "The same moving agents for each library: it builds its index, then finds everybody's neighbors within the radius, about ten each. They must all find the same.",
  help: 'Wheel, pinch, + and - change how many agents there are.',

  count: 'agents',
  params: {
    agents: 5_000,
    spread: 'uniform',
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'spread', SPREADS)
  },

  setup(stage, params) {
    let closed = false
    let contenders = [] // until they are loaded
    let runners = [] // the contenders, with what they have done so far
    let turns = null
    let credit = null // the meter's lap of this frame
    let crowd
    let field // where the agents are on the stage, and where the bars
    let bars
    let snapshot // what a round is about: { positions, n, dimensions, radius }
    let radius = 0
    let moments = [] // the positions of the last rounds, this one's first
    let reference = null // what the first contender finds in it: { pairs, hash }
    const lit = new Uint32Array(AGENTS.at(-1))
    let hits = 0

    import('./race/contenders.js').then((module) => {
      contenders = module.contenders
      if (!closed) restart()
    })

    function arrange() {
      const { width, height } = stage
      if (width > 1.1 * height) {
        const split = Math.round(0.42 * width)
        field = { x: 24, y: 24, width: split - 24, height: height - 48 }
        bars = { x: split + 28, y: 24, width: width - split - 52, height: height - 48 }
      } else {
        const split = Math.round(0.36 * height)
        field = { x: 14, y: 14, width: width - 28, height: split - 14 }
        bars = { x: 14, y: split + 16, width: width - 28, height: height - split - 26 }
      }
    }

    function gather() {
      crowd = spawn(params.spread, params.agents, field.width, field.height, stage.random)
    }

    function restart() {
      disband()
      runners = contenders.map((contender) => ({
        ...contender,
        takesPart: params.agents <= (contender.limit ?? Infinity),
        peer: null,
        builds: [],
        queries: [],
        due: 0,
        compared: false,
        mismatch: '',
      }))
      moments = []
      reference = null
      radius = 0
      turns = runners.length > 0 ? takeTurns() : null
    }

    function disband() {
      for (const { peer } of runners) peer?.dispose?.()
    }

    // Each step of it is what happens in one frame.
    function* takeTurns() {
      for (;;) {
        freeze()
        for (const runner of runners) {
          if (!runner.takesPart || performance.now() < runner.due) continue
          const start = performance.now()
          run(runner)
          const took = performance.now() - start
          yield
          compare(runner)
          yield
          // The first never rests: the others are compared with it.
          if (runner !== runners[0]) runner.due = performance.now() + REST * took
        }
      }
    }

    // Coordinates are rounded to a power of two, so that the squared distances of near agents are
    // exact in float32 and float64 alike and every library must find the same.
    function freeze() {
      const n = params.agents
      const widest = Math.sqrt((1.5 * NEIGHBORS * field.width * field.height) / (Math.PI * n))
      const grain = 2 ** Math.floor(Math.log2(widest / 2_048))
      const grained = (x) => Math.round(x / grain) * grain
      const positions = crowd.positions.map(grained)
      snapshot = { positions, n, dimensions: 2, radius }
      snapshot.radius = radius ||= grained(findRadius(widest))
      moments = [positions, ...moments.slice(0, MOMENTS - 1)]
    }

    // By halving: within it a sample of agents has as many neighbors as wanted.
    function findRadius(high) {
      const peer = peerOf(runners[0])
      const { positions, n } = snapshot
      const sample = Math.min(SAMPLE, n)
      let low = 0
      peer.build(positions)
      for (let step = 0; step < 10; step++) {
        const middle = (low + high) / 2
        let total = -sample // each finds itself
        for (let i = 0; i < sample; i++) {
          total += peer.within(positions[2 * i], positions[2 * i + 1], 0, middle)
        }
        if (total < sample * NEIGHBORS) low = middle
        else high = middle
      }
      return high
    }

    function peerOf(runner) {
      return (runner.peer ??= runner.create(snapshot))
    }

    function run(runner) {
      const { loops, builds, queries } = runner
      const peer = peerOf(runner)
      let built = 0
      credit()
      builds.push(timeRun(() => peer.build(moments[built++ % moments.length]), 1, TIMED))
      credit('build')
      if (built > 1) peer.build(snapshot.positions)
      queries.push(timeRun(() => (runner.pairs = loops.allWithin(peer, snapshot)), 1, TIMED))
      credit('query')
      if (builds.length > RUNS) {
        builds.shift()
        queries.shift()
      }
    }

    function compare(runner) {
      const { peer, loops, pairs } = runner
      const hash = loops.hashAllWithin(peer, snapshot)
      if (runner === runners[0]) reference = { pairs, hash }
      runner.compared = true
      if (pairs !== reference.pairs) {
        runner.mismatch = `differs: ${formatNumber(pairs)} of ${formatNumber(reference.pairs)} pairs`
      } else if (hash !== reference.hash) {
        runner.mismatch = 'differs: as many pairs, but others'
      }
    }

    // What is known of a runner so far; times in ms.
    function resultOf({ name, builds, queries, compared, mismatch }) {
      const [build, query] = [median(builds), median(queries)]
      const total = builds.length ? build + query : undefined
      return { name, build, query, total, equal: compared && !mismatch }
    }

    arrange()
    gather()

    return {
      hits: () => hits,
      results: () => runners.filter(({ takesPart }) => takesPart).map(resultOf),

      frame(dt, lap) {
        crowd.move(dt)
        lap('move')
        credit = lap
        turns?.next()
      },

      draw() {
        drawField()
        drawBars()
      },

      report() {
        const results = runners.map(resultOf)
        const rows = results.map(({ name, build, query, total }) => [
          name,
          ...[build, query, total].map(formatTime),
          formatFactor(total, results[0].total),
        ])
        return {
          numbers: [
            ['Agents', params.agents],
            ['Neighbors each', reference ? (reference.pairs / params.agents).toFixed(1) : '–'],
            ['AgentTree', formatTime(results[0]?.total)],
          ],
          table: {
            caption: "Build, and everybody's neighbors",
            head: ['', 'Build', 'Query', 'Total', '× AgentTree'],
            rows,
            current: 0,
            note: `Medians of the last ${RUNS} runs, each library in its fastest documented way, one in a frame. Equal: as many pairs, with the same checksum, in the same agents. A slow one has its turn less often.`,
          },
        }
      },

      change() {
        gather()
        restart()
      },

      resize() {
        const { width, height } = field
        arrange()
        crowd.resize(field.width / width, field.height / height)
        restart()
      },

      scroll(steps) {
        const place = AGENTS.indexOf(params.agents) + Math.sign(steps)
        if (!(place in AGENTS)) return
        params.agents = AGENTS[place]
        stage.refresh()
        gather()
        restart()
      },

      dispose() {
        closed = true
        disband()
      },
    }

    // The agents, and those that the first of them finds.
    function drawField() {
      const { positions } = crowd
      const [x, y] = positions
      const drawn = Math.min(params.agents, MAX_DRAWN)
      const size = radiusFor(field, drawn, 0.14, [0.75, 3])
      hits = 0
      for (let i = 1; i < params.agents; i++) {
        const dx = positions[2 * i] - x
        const dy = positions[2 * i + 1] - y
        if (dx * dx + dy * dy <= radius * radius) lit[hits++] = i
      }
      inField((context) => {
        context.strokeStyle = theme.line
        context.lineWidth = 1
        context.strokeRect(-4.5, -4.5, field.width + 9, field.height + 9)
        drawDots(stage, positions, null, drawn, size, theme.agent)
      })
      inField(() => drawDots(stage, positions, lit, hits, 1.35 * size, theme.hit))
      inField((context) => strokeCircle(context, x, y, radius, theme.query))
    }

    function inField(draw) {
      const { context } = stage
      context.save()
      context.translate(field.x, field.y)
      draw(context)
      context.restore()
    }

    function drawBars() {
      const { context } = stage
      const results = runners.map(resultOf)
      const longest = Math.max(...results.map(({ total }) => total || 0))
      const step = Math.min(bars.height / (runners.length + 0.4), 100)
      const room = bars.width - 116 // the rest is for the number
      const thick = Math.min(28, 0.34 * step)
      drawKey()
      runners.forEach(({ name, takesPart, limit, compared, mismatch }, i) => {
        const { build, query, total } = results[i]
        const y = bars.y + (i + 0.6) * step
        write(name, bars.x, y, theme.ink, `600 13px ${FONT}`)
        if (!takesPart) {
          write(`– above ${formatNumber(limit)} agents`, bars.x, y + 12 + thick / 2, theme.muted)
          return
        }
        if (i > 0 && compared) {
          const verdict = mismatch || 'equal ✓'
          write(
            verdict,
            bars.x + bars.width,
            y,
            mismatch ? theme.red : theme.muted,
            undefined,
            'right',
          )
        }
        if (!total) return
        const scale = room / longest
        context.fillStyle = theme.parts.build
        context.fillRect(bars.x, y + 11, build * scale, thick)
        context.fillStyle = theme.parts.query
        context.fillRect(bars.x + build * scale, y + 11, query * scale, thick)
        const factor = i > 0 ? ` · ${formatFactor(total, results[0].total)}` : ''
        const end = bars.x + total * scale + 8
        write(formatTime(total) + factor, end, y + 11 + thick / 2, theme.ink)
      })
    }

    function drawKey() {
      const { context } = stage
      let x = bars.x + bars.width
      for (const part of ['query', 'build']) {
        const label = part[0].toUpperCase() + part.slice(1)
        write(label, x, bars.y + 4, theme.muted, undefined, 'right')
        x -= context.measureText(label).width + 14
        context.fillStyle = theme.parts[part]
        context.fillRect(x, bars.y - 1, 9, 9)
        x -= 12
      }
    }

    function write(text, x, y, color, font = `12px ${FONT}`, align = 'left') {
      const { context } = stage
      context.font = font
      context.textAlign = align
      context.textBaseline = 'middle'
      context.fillStyle = color
      context.fillText(text, x, y)
    }
  },
}
