// Libraries side by side in the page: each rebuilds its index of the same moving agents, and finds the
// neighbors of every agent. One library runs per frame, and then rests for a multiple of the time it took:
// so even slow ones keep the page responsive. Results are compared outside of the measured times.

import { RUNS, timeTurn } from '../peers/turn.js'
import { median } from '../view/clock.js'
import { addSteps } from '../view/controls.js'
import { drawDots, radiusFor, strokeCircle } from '../view/draw.js'
import { formatNumber, formatSpeed, formatTime } from '../view/format.js'
import { spawn } from '../view/spawn.js'
import { FONT, theme } from '../view/theme.js'
import { addThreads, createThreads, DIVIDED, threadParams } from '../view/threads.js'

const AGENTS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
const SPREADS = ['uniform', 'clusters', 'battle']
const NEIGHBORS = 10 // per agent, about
const SAMPLE = 1_000 // agents that determine the radius
const MOMENTS = 8 // of positions kept, so that a fast library builds different ones
const REST = 6 // multiple of a run's time for which a library rests
const MAX_DRAWN = 10_000 // agents

export default {
  name: 'race',
  title: 'Race of libraries',
  order: 15,
  group: 'Trees',
  summary: 'copse and other libraries at the same task, in your browser',
  description:
    'Each library builds its index of the same moving agents and finds all neighbors of every agent within a radius.',
  try: 'Wheel or pinch changes the number.',
  help: 'Every agent has about ten neighbors. All libraries must find the same pairs. + and - change the number of agents, too.',
  legend: [
    ['dot', 'agent', 'agent'],
    ['ring', 'query', 'radius'],
    ['dot', 'hit', 'its neighbors'],
  ],

  count: 'agents',
  params: {
    agents: 5_000,
    spread: 'uniform',
    ...threadParams,
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'spread', SPREADS)
    addThreads(gui, params)
  },

  setup(stage, params) {
    let closed = false
    let race = null // race/contenders.js, null until loaded
    let instance // of 'copse/threads', once there are more threads than one
    let runners = [] // contenders with their measurements
    let turns = null
    let lapOfFrame = null // the meter's lap() in this frame
    let crowd
    let field // area of the agents on the stage
    let bars // area of the bars
    let snapshot // agents of this round: { positions, n, dimensions, radius }
    let radius = 0
    let moments = [] // positions of the last rounds, newest first
    let reference = null // results of the first contender: { pairs, hash }
    const lit = new Uint32Array(AGENTS.at(-1))
    let hits = 0

    const threads = createThreads(params, {
      use(next) {
        instance = next
        restart()
      },
      agents: () => params.agents,
      least: DIVIDED.index,
      work: 'AgentTree',
      times() {
        if (!runners[1]?.isThreaded) return {}
        const [one, several] = runners.map(resultOf)
        return { one: one.total, several: several.total, equal: several.equal }
      },
    })

    import('./race/contenders.js').then((loaded) => {
      race = loaded
      if (!closed) restart()
    })

    // Returns the contenders. AgentTree with threads follows AgentTree.
    function contend() {
      if (!race) return []
      const [first, ...others] = race.contenders
      const threaded = threads.isDivided() ? [race.threadedTree(instance)] : []
      return [first, ...threaded, ...others]
    }

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
      runners = contend().map((contender) => ({
        ...contender,
        takesPart: params.agents <= (contender.limit ?? Infinity),
        peer: null,
        isWarm: false, // true after a turn that was left out
        builds: [],
        queries: [],
        due: 0,
        compared: false,
        mismatch: '',
      }))
      begin()
    }

    // Begins a round with new indexes, since their positions have changed at once.
    function begin() {
      disband()
      moments = []
      reference = null
      radius = 0
      turns = runners.length > 0 ? takeTurns() : null
    }

    function disband() {
      for (const runner of runners) {
        runner.peer?.dispose?.()
        runner.peer = null
      }
    }

    // A generator: each step is the work of one frame.
    function* takeTurns() {
      for (;;) {
        freeze()
        for (const runner of runners) {
          if (!runner.takesPart || performance.now() < runner.due) continue
          const { isWarm } = runner
          const start = performance.now()
          run(runner)
          const took = performance.now() - start
          yield
          compare(runner)
          yield
          // The first contender never rests: the others are compared with it.
          if (runner !== runners[0] && isWarm) runner.due = performance.now() + REST * took
        }
      }
    }

    // Takes a snapshot of the agents. Coordinates are multiples of a power of two: squared distances of near
    // agents are then exact in float32 and float64, and every library must find the same pairs.
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

    // Finds, by bisection, the radius within which a sample of agents has NEIGHBORS neighbors on average.
    function findRadius(high) {
      const peer = peerOf(runners[0])
      const { positions, n } = snapshot
      const sample = Math.min(SAMPLE, n)
      let low = 0
      peer.build(positions)
      for (let step = 0; step < 10; step++) {
        const middle = (low + high) / 2
        let total = -sample // each agent finds itself
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

    // copse:
    function run(runner) {
      const { isWarm, builds, queries } = runner
      peerOf(runner)
      const { build, query, pairs } = timeTurn(runner, moments, snapshot, lapOfFrame)
      runner.pairs = pairs
      runner.isWarm = true
      if (!isWarm) return
      builds.push(build)
      queries.push(query)
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
        runner.mismatch = 'differs: same number of pairs, but other ones'
      }
    }

    // Returns the place of the fastest, -1 if none is measured.
    function fastest(results) {
      const totals = results.map(({ total }) => total ?? Infinity)
      const least = Math.min(...totals)
      return least < Infinity ? totals.indexOf(least) : -1
    }

    // Returns the results of a runner so far; times in ms.
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
        lapOfFrame = lap
        turns?.next()
      },

      draw() {
        drawField()
        drawBars()
      },

      report() {
        const results = runners.map(resultOf)
        const rows = results.map(({ name, build, query, total }, i) => [
          name,
          ...[build, query, total].map(formatTime),
          i > 0 ? formatSpeed(total, results[0].total) : '–',
        ])
        return {
          numbers: [
            ['Agents', params.agents],
            ['Neighbors each', reference ? (reference.pairs / params.agents).toFixed(1) : '–'],
            ['AgentTree', formatTime(results[0]?.total)],
          ],
          table: {
            caption: 'Build, then the neighbors of every agent',
            head: ['', 'Build', 'Query', 'Total', 'Than AgentTree'],
            rows,
            current: fastest(results),
            note: `Medians of the last ${RUNS} runs after the first, each library used in its fastest documented way. One runs per frame; slow ones run less often. Equal: the same number of pairs, with the same checksum.`,
          },
          notes: { threads: threads.note() },
        }
      },

      change(field) {
        if (field === 'threads') return threads.change()
        gather()
        restart()
      },

      resize() {
        const { width, height } = field
        arrange()
        crowd.resize(field.width / width, field.height / height)
        begin() // the task stays the same, and so do the results
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
        threads.dispose()
      },
    }

    // Draws the agents, and the neighbors of the first agent.
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
      const step = Math.min(bars.height / (runners.length + 0.4), 200)
      const size = Math.min(Math.max(Math.round(0.12 * step), 12), 20) // of the text
      const room = bars.width - 13 * size // the rest is for the number
      const thick = 0.34 * step
      drawKey()
      runners.forEach(({ name, takesPart, limit, compared, mismatch }, i) => {
        const { build, query, total } = results[i]
        const y = bars.y + (i + 0.6) * step
        write(name, bars.x, y, theme.ink, `600 ${size + 1}px ${FONT}`)
        if (!takesPart) {
          write(
            `skipped above ${formatNumber(limit)} agents`,
            bars.x,
            y + size + thick / 2,
            theme.muted,
            `${size}px ${FONT}`,
          )
          return
        }
        if (i > 0 && compared) {
          const verdict = mismatch || 'equal ✓'
          write(
            verdict,
            bars.x + bars.width,
            y,
            mismatch ? theme.red : theme.muted,
            `${size}px ${FONT}`,
            'right',
          )
        }
        if (!total) return
        const scale = room / longest
        context.fillStyle = theme.parts.build
        context.fillRect(bars.x, y + size - 1, build * scale, thick)
        context.fillStyle = theme.parts.query
        context.fillRect(bars.x + build * scale, y + size - 1, query * scale, thick)
        const factor = i > 0 ? ` · ${formatSpeed(total, results[0].total)}` : ''
        const end = bars.x + total * scale + 8
        const middle = y + size - 1 + thick / 2
        write(formatTime(total) + factor, end, middle, theme.ink, `${size}px ${FONT}`)
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
