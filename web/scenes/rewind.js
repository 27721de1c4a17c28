// A crowd that is saved every few steps, into memory allocated at the start. It can go back to any saved state
// and replay from there bit for bit: the hashes of both runs are equal.

import { Crowd } from 'copse'
import { smoothTime } from '../view/clock.js'
import { addButton, addSpeed, addSteps } from '../view/controls.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createPace } from '../view/pace.js'
import { colorsAround, createPlane } from '../view/plane.js'
import { theme } from '../view/theme.js'

const AGENTS = [50, 100, 200, 400]
const MAX_AGENTS = AGENTS.at(-1)
const TIME_STEP = 1 / 30
const AGENT = { radius: 0.4, preferredSpeed: 1.4, neighborDistance: 4, timeHorizon: 2 }
const RADIUS = [12, 16] // of the rings, meters; agents alternate between them
const SAVE_EVERY = 5 // steps
const STATES = 240 // kept; then the oldest are overwritten
const HISTORY = STATES * SAVE_EVERY * TIME_STEP // seconds
const TURN_EVERY = 1_200 // steps after which all agents turn back
const BACK = 10 // seconds that a click rewinds
const STATES_PER_FRAME = 2 // while rewinding
const ROWS = 8 // of the table
const DISTURBANCE = 1e-3 // meters
const COLORS = 36
const FULL = 2 * Math.PI
const BAR = { height: 6, margin: 14 } // of the timeline, pixels

export default {
  name: 'rewind',
  title: 'Rewind and replay',
  order: 11,
  group: 'Crowds',
  summary: 'Go back to any moment, and replay it bit for bit',
  description:
    'The crowd is saved six times per second; go back to any moment, and everything happens again bit for bit.',
  try: 'Click to rewind, and compare the hashes.',
  help: 'The hashes of both runs are equal. If one agent is moved by a millimeter first, they differ. Tap or Enter rewinds, too. Wheel, pinch, + and - go back or forward by one second, the slider to any moment.',
  legend: [
    ['dot', 'hues', 'color: where it started'],
    ['line', 'agent', 'saved'],
    ['line', 'accent', 'replayed, equal ✓'],
    ['line', 'red', 'differs'],
  ],
  minimal: ['fixed-time-step-with-interpolation'],

  count: 'agents',
  passing: ['time'],
  params: { agents: 200, time: 0, speed: 2 },

  controls(gui, params) {
    gui.add(params, 'time', -HISTORY, 0, 0.1).name('time (seconds)')
    addButton(gui, 'rewind', `Rewind ${BACK} seconds`)
    addButton(gui, 'disturb', '… and move one agent by 1 mm')
    addSteps(gui, params, 'agents', AGENTS)
    addSpeed(gui, params)
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const pace = createPace(step)
    const colors = colorsAround(COLORS)
    let kinds = new Uint8Array(0) // color of each agent: index in `colors`
    // copse:
    const crowd = new Crowd({ ...AGENT, capacity: MAX_AGENTS })

    // A ring buffer: the state after n * SAVE_EVERY steps is at n % STATES.
    const states = []
    const hashes = new Float64Array(STATES) // of the first run
    const replays = new Float64Array(STATES) // hashes of the last replay; -1: none
    let steps = 0
    let newest = 0 // number of the last saved state
    let backTo = -1 // number of the state to rewind to; -1: not rewinding
    let disturbs = false // true: move an agent once rewound
    let saveTime
    let restoreTime
    let size = 0 // bytes per state

    const oldest = () => Math.max(newest - STATES + 1, 0)

    function reset() {
      crowd.clear()
      kinds = new Uint8Array(params.agents)
      for (let i = 0; i < params.agents; i++) {
        const turn = i / params.agents
        const radius = RADIUS[i % RADIUS.length]
        const position = [radius * Math.cos(FULL * turn), radius * Math.sin(FULL * turn)]
        crowd.add({ position, goal: position.map((side) => -side) })
        kinds[i] = COLORS * turn
      }
      // No agent is added or removed, so all states have the same size.
      size = crowd.save().length
      for (let n = 0; n < STATES; n++) states[n] = new Uint8Array(size)
      replays.fill(-1)
      steps = newest = 0
      backTo = -1
      disturbs = false
      saveTime = restoreTime = undefined
      save(0)
      plane.show(RADIUS.at(-1) + 6 * AGENT.radius)
    }

    function save(number) {
      const slot = number % STATES
      // copse:
      saveTime = smoothTime(saveTime, () => crowd.saveInto(states[slot]))
      hashes[slot] = crowd.hash()

      replays[slot] = -1
      newest = number
    }

    // Runs a step. Saves a state when it is first reached; later only stores its hash, for the comparison.
    // copse:
    function step() {
      if (steps > 0 && steps % TURN_EVERY === 0)
        for (let i = 0; i < 2 * params.agents; i++) crowd.goals[i] *= -1
      crowd.step(TIME_STEP)
      steps++
      if (steps % SAVE_EVERY !== 0) return
      const number = steps / SAVE_EVERY
      if (number > newest) save(number)
      else replays[number % STATES] = crowd.hash()
    }

    function restore(number) {
      // copse:
      restoreTime = smoothTime(restoreTime, () => crowd.restore(states[number % STATES]))
      steps = number * SAVE_EVERY
    }

    function rewind(seconds) {
      const number = Math.round((steps - seconds / TIME_STEP) / SAVE_EVERY)
      backTo = Math.min(Math.max(number, oldest()), newest)
    }

    // Sets the time slider to the current step.
    function updateTime() {
      const time = (steps - newest * SAVE_EVERY) * TIME_STEP
      params.time = Math.min(Math.max(Math.round(10 * time) / 10, -HISTORY), 0)
      stage.refresh()
    }

    function advance(dt) {
      if (backTo < 0) return pace(dt, params.speed)
      const number = Math.floor(steps / SAVE_EVERY)
      restore(Math.max(backTo, number - STATES_PER_FRAME))
      if (steps !== backTo * SAVE_EVERY) return
      backTo = -1
      if (disturbs) crowd.positions[0] += DISTURBANCE
      disturbs = false
    }

    // Counts the states that were replayed, and those that were equal.
    function verdict() {
      let total = 0
      let equal = 0
      for (let number = oldest(); number <= newest; number++) {
        if (replays[number % STATES] < 0) continue
        total++
        if (isSame(number)) equal++
      }
      return { total, equal }
    }

    const isSame = (number) => replays[number % STATES] === hashes[number % STATES]

    reset()
    updateTime()

    return {
      hits: () => newest - oldest() + 1,

      results() {
        const { total, equal } = verdict()
        return total === 0 ? [] : [{ name: 'first run', equal: total === equal }]
      },

      frame(dt, lap) {
        const before = steps
        advance(dt)
        if (steps !== before) updateTime()
        lap('move')
      },

      draw() {
        plane.drawAgents(crowd, kinds, colors)
        drawTime()
      },

      report() {
        const { total, equal } = verdict()
        return {
          numbers: [
            [
              'Identical',
              total === 0 ? '–' : `${formatNumber(equal)} ${equal === total ? '✓' : '✗'}`,
            ],
            ['Replayed', total],
            ['Hash', inHex(crowd.hash())],
            ['Step', steps],
            ['States kept', newest - oldest() + 1],
            ['Bytes per state', size],
            ['Save', formatTime(saveTime)],
            ['Restore', formatTime(restoreTime)],
            ['Agents', params.agents],
          ],
          table: {
            caption: 'State hashes',
            head: ['Step', 'First run', 'Replay', ''],
            rows: rows(),
            current: ROWS - 1,
            note: 'The crowd is saved every fifth step. Whenever it reaches that step again, all bits must be the same.',
          },
        }
      },

      change(field) {
        if (field === 'time') {
          const number = Math.round(newest + params.time / TIME_STEP / SAVE_EVERY)
          restore(Math.min(Math.max(number, oldest()), newest))
          backTo = -1
        }
        if (field === 'rewind' || field === 'disturb') rewind(BACK)
        if (field === 'disturb') disturbs = true
        if (field === 'agents') reset()
        updateTime()
      },

      scroll: (seconds) => rewind(-seconds),
      press: () => rewind(BACK),

      dispose: () => crowd.dispose(),
    }

    // Returns the rows of the table: the states up to the current one.
    function rows() {
      const present = Math.floor(steps / SAVE_EVERY)
      return Array.from({ length: ROWS }, (_, n) => {
        const number = present - ROWS + 1 + n
        if (number < oldest()) return ['–', '', '', '']
        const slot = number % STATES
        const first = [number * SAVE_EVERY, inHex(hashes[slot])]
        return replays[slot] < 0
          ? [...first, '', '']
          : [...first, inHex(replays[slot]), isSame(number) ? '✓' : '✗']
      })
    }

    // Draws the timeline: saved states, which of them were replayed, and with equal hashes; and the current
    // step.
    function drawTime() {
      const { context, width, height } = stage
      const top = height - BAR.margin - BAR.height
      const length = width - 2 * BAR.margin
      const each = length / STATES
      const left = (number) => BAR.margin + (number - newest + STATES - 1) * each
      context.fillStyle = theme.line
      context.fillRect(BAR.margin, top, length, BAR.height)
      for (let number = oldest(); number <= newest; number++) {
        const isNew = replays[number % STATES] < 0
        context.fillStyle = isNew ? theme.agent : isSame(number) ? theme.accent : theme.red
        context.fillRect(left(number), top, each + 0.5, BAR.height)
      }
      context.fillStyle = theme.ink
      context.fillRect(left(steps / SAVE_EVERY) - 1, top - 5, 3, BAR.height + 10)
    }
  },
}

const inHex = (hash) => hash.toString(16).padStart(8, '0')
