// A crowd that is saved every few steps, into memory that is there from the start. It can go back to any
// of these states, and goes on from there bit for bit: hashes of the first time and of the next agree.

import { Crowd } from 'copse'
import { smoothTime } from '../view/clock.js'
import { addButton, addSpeed, addSteps } from '../view/controls.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createPace } from '../view/pace.js'
import { colorsAround, createPlane } from '../view/plane.js'
import { theme } from '../view/theme.js'

const AGENTS = [50, 100, 200, 400]
const MOST = AGENTS.at(-1)
const TIME_STEP = 1 / 30
const AGENT = { radius: 0.4, preferredSpeed: 1.4, neighborDistance: 4, timeHorizon: 2 }
const RADIUS = [12, 16] // meters: of the rings, agents in turn
const SAVE_EVERY = 5 // steps
const STATES = 240 // kept; then the oldest go
const HISTORY = STATES * SAVE_EVERY * TIME_STEP // seconds
const TURN_EVERY = 1_200 // steps: then all go back to where they came from
const BACK = 10 // seconds that a click goes back
const STATES_A_FRAME = 2 // while it does
const ROWS = 8 // of the table
const DISTURBANCE = 1e-3 // meters
const COLORS = 36
const FULL = 2 * Math.PI
const BAR = { height: 6, margin: 14 } // pixels: of the time line

export default {
  name: 'rewind',
  title: 'Rewind',
  order: 13,
  group: 'Crowds',
  summary: 'Back to any moment, and on from there bit for bit',
  description:
    'The crowd is saved six times a second. Go back to any of these moments: from there it goes on bit for bit as it did the first time, which the hashes of both show. Only if somebody is moved by a millimeter, they soon differ.',
  help: 'Click, tap or Enter rewinds ten seconds; so do wheel, pinch, + and - by one second at a time, and the slider to any moment.',

  count: 'agents',
  passing: ['time'],
  params: { agents: 200, time: 0, speed: 2 },

  controls(gui, params) {
    gui.add(params, 'time', -HISTORY, 0, 0.1).name('time, seconds')
    addButton(gui, 'rewind', `Rewind ${BACK} seconds`)
    addButton(gui, 'disturb', '… and move somebody by 1 mm')
    addSteps(gui, params, 'agents', AGENTS)
    addSpeed(gui, params)
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const pace = createPace(step)
    const colors = colorsAround(COLORS)
    let kinds = new Uint8Array(0) // of agents: place of the color
    const crowd = new Crowd({ ...AGENT, capacity: MOST, timeStep: TIME_STEP })
    // A ring: the state after n * SAVE_EVERY steps is at n % STATES.
    const states = []
    const hashes = new Float64Array(STATES) // of the first time
    const again = new Float64Array(STATES) // when it last came there again; -1: not yet
    let steps = 0
    let newest = 0 // number of the last state that was saved
    let backTo = -1 // number of the state that it goes back to; -1: it goes on
    let disturbs = false // when it is there
    let saveTime
    let restoreTime
    let size = 0 // bytes of a state

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
      // No agent comes or goes, so every state is as large as this one.
      size = crowd.save().length
      for (let n = 0; n < STATES; n++) states[n] = new Uint8Array(size)
      again.fill(-1)
      steps = newest = 0
      backTo = -1
      disturbs = false
      saveTime = restoreTime = undefined
      save(0)
      plane.show(RADIUS.at(-1) + 6 * AGENT.radius)
    }

    function save(number) {
      const at = number % STATES
      saveTime = smoothTime(saveTime, () => crowd.saveInto(states[at]))
      hashes[at] = crowd.hash()
      again[at] = -1
      newest = number
    }

    // The first time a state is saved; later it is compared with what it was then.
    function step() {
      if (steps > 0 && steps % TURN_EVERY === 0)
        for (let at = 0; at < 2 * params.agents; at++) crowd.goals[at] *= -1
      crowd.step()
      steps++
      if (steps % SAVE_EVERY !== 0) return
      const number = steps / SAVE_EVERY
      if (number > newest) save(number)
      else again[number % STATES] = crowd.hash()
    }

    function restore(number) {
      restoreTime = smoothTime(restoreTime, () => crowd.restore(states[number % STATES]))
      steps = number * SAVE_EVERY
    }

    function rewind(seconds) {
      const number = Math.round((steps - seconds / TIME_STEP) / SAVE_EVERY)
      backTo = Math.min(Math.max(number, oldest()), newest)
    }

    // Where it is, as the slider has it.
    function tell() {
      const time = (steps - newest * SAVE_EVERY) * TIME_STEP
      params.time = Math.min(Math.max(Math.round(10 * time) / 10, -HISTORY), 0)
      stage.refresh()
    }

    function advance(dt) {
      if (backTo < 0) return pace(dt, params.speed)
      const number = Math.floor(steps / SAVE_EVERY)
      restore(Math.max(backTo, number - STATES_A_FRAME))
      if (steps !== backTo * SAVE_EVERY) return
      backTo = -1
      if (disturbs) crowd.positions[0] += DISTURBANCE
      disturbs = false
    }

    // How many states it came to again, and how many of them were the same.
    function verdict() {
      let total = 0
      let equal = 0
      for (let number = oldest(); number <= newest; number++) {
        if (again[number % STATES] < 0) continue
        total++
        if (isSame(number)) equal++
      }
      return { total, equal }
    }

    const isSame = (number) => again[number % STATES] === hashes[number % STATES]

    reset()
    tell()

    return {
      hits: () => newest - oldest() + 1,

      results() {
        const { total, equal } = verdict()
        return total === 0 ? [] : [{ name: 'the first time', equal: total === equal }]
      },

      frame(dt, lap) {
        const before = steps
        advance(dt)
        if (steps !== before) tell()
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
            ['Hash', inHex(crowd.hash())],
            ['Came again', total],
            [
              'The same',
              total === 0 ? '–' : `${formatNumber(equal)} ${equal === total ? '✓' : '✗'}`,
            ],
            ['Step', steps],
            ['States kept', newest - oldest() + 1],
            ['Bytes of each', size],
            ['Save', formatTime(saveTime)],
            ['Restore', formatTime(restoreTime)],
            ['Agents', params.agents],
          ],
          table: {
            caption: 'Hashes of states',
            head: ['Step', 'the first time', 'again', ''],
            rows: rows(),
            current: ROWS - 1,
            note: 'A state is saved every fifth step. Whenever the crowd comes there again, the bits must be the same.',
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
        tell()
      },

      scroll: (seconds) => rewind(-seconds),
      press: () => rewind(BACK),

      dispose: () => crowd.dispose(),
    }

    // The states up to the present one.
    function rows() {
      const present = Math.floor(steps / SAVE_EVERY)
      return Array.from({ length: ROWS }, (_, n) => {
        const number = present - ROWS + 1 + n
        if (number < oldest()) return ['–', '', '', '']
        const at = number % STATES
        const first = [number * SAVE_EVERY, inHex(hashes[at])]
        return again[at] < 0
          ? [...first, '', '']
          : [...first, inHex(again[at]), isSame(number) ? '✓' : '✗']
      })
    }

    // What is kept of the past: to which of it one came again, and found the same; where one is.
    function drawTime() {
      const { context, width, height } = stage
      const top = height - BAR.margin - BAR.height
      const length = width - 2 * BAR.margin
      const each = length / STATES
      const left = (number) => BAR.margin + (number - newest + STATES - 1) * each
      context.fillStyle = theme.line
      context.fillRect(BAR.margin, top, length, BAR.height)
      for (let number = oldest(); number <= newest; number++) {
        const isNew = again[number % STATES] < 0
        context.fillStyle = isNew ? theme.agent : isSame(number) ? theme.accent : theme.red
        context.fillRect(left(number), top, each + 0.5, BAR.height)
      }
      context.fillStyle = theme.ink
      context.fillRect(left(steps / SAVE_EVERY) - 1, top - 5, 3, BAR.height + 10)
    }
  },
}

const inHex = (hash) => hash.toString(16).padStart(8, '0')
