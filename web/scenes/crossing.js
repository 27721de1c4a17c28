// Two streams of people walk through a corridor in opposite directions. People who leave at one end come in
// again at the other, at the same place across if there is room: so lanes persist once they have formed.

import { Crowd, ObstacleTree } from 'copse'
import { createRandom } from '../random.js'
import { smooth, smoothTime } from '../view/clock.js'
import { addSpeed, addSteps } from '../view/controls.js'
import { ABSENT } from '../view/draw.js'
import { formatNumber, formatPercent, formatTime } from '../view/format.js'
import { createPace } from '../view/pace.js'
import { createPlane } from '../view/plane.js'
import { theme } from '../view/theme.js'
import { touchingNumbers } from '../view/touching.js'

// Meters and seconds.
const AGENTS = [50, 100, 200, 300, 400, 600, 1_000]
const MAX_AGENTS = AGENTS.at(-1)
const TIME_STEP = 1 / 30
const LENGTH = 26 // of the visible part of the corridor
const BEYOND = 2 // distance beyond its ends at which people leave and come in
const WIDTHS = [3, 20]
const AGENT = { radius: 0.25, maxSpeed: 2.2, neighborDistance: 4, timeHorizon: 2 }
const WALK = { speed: 1.3, priority: 1 }
const HURRY = { speed: 2, priority: 4 } // others take on four fifths of the avoidance
const ROOM = 2.2 * AGENT.radius // least distance to others at which people come in
const SLOW = 0.1 // fraction of the preferred speed below which people count as held up
const BAND = [10, 1] // meters along and across: cells in which both directions are counted
const BAND_COLUMNS = Math.ceil(LENGTH / BAND[0])

export default {
  name: 'crossing',
  title: 'Crowd: two streams',
  order: 8,
  group: 'Crowds',
  summary: 'Two streams in a corridor form lanes',
  description:
    'Two streams of people walk through a corridor in opposite directions, and lanes form by themselves.',
  try: 'Click a person; turn “in a hurry” up.',
  help: 'People in a hurry walk faster, and others give way. “Paper’s rule only” turns off what the crowd adds to the published algorithm: lanes form less well, and more people are held up. Click, tap or press Enter to pick a person. Arrow keys move the pointer; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'blue', 'walks one way'],
    ['dot', 'red', 'walks the other way'],
    ['ring', 'ink', 'ring: in a hurry'],
    ['line', 'wall', 'wall'],
  ],
  minimal: ['crowd-around-walls'],

  count: 'agents',
  params: { agents: 300, width: 10, hurried: 0.1, exact: false, speed: 2, constraints: false },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'width', ...WIDTHS, 1).name('corridor width')
    gui.add(params, 'hurried', 0, 1, 0.05).name('in a hurry')
    gui.add(params, 'exact').name('paper’s rule only')
    addSpeed(gui, params)
    gui.add(params, 'constraints').name('show constraints')
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    const obstacles = new ObstacleTree({ capacity: 4 })
    const pace = createPace(step)
    const isHurried = new Uint8Array(MAX_AGENTS)
    const kinds = new Uint8Array(MAX_AGENTS) // by direction and hurry, for drawing
    const counts = [] // people in both directions, by band
    let crowd = null
    let random
    let walls = [] // x0, y0, x1, y1 of each wall
    let along = 0 // axis of the corridor: 0 is x, 1 is y
    let picked = 0
    let inspected = null
    let stepTime // ms, smoothed
    let progress = 1 // forward speed as a fraction of the preferred speed, smoothed
    let held = 0 // number of people held up
    let passed = 0 // number of people who went all the way

    const signOf = (i) => (i % 2 ? -1 : 1)
    const halfWidth = () => params.width / 2 - AGENT.radius

    function reset() {
      random = createRandom(1)
      along = stage.along
      raise()
      crowd?.dispose()
      // copse:
      crowd = new Crowd({
        ...AGENT,
        capacity: MAX_AGENTS,
        exact: params.exact,
      })
      crowd.obstacles = obstacles

      // Spreads people over the corridor, one in each square of a lattice, in random order.
      const columns = Math.ceil(Math.sqrt((params.agents * LENGTH) / params.width))
      const rows = Math.ceil(params.agents / columns)
      const squares = Array.from({ length: columns * rows }, (_, n) => n)
      for (let i = 0; i < params.agents; i++) {
        const other = i + Math.floor(random() * (squares.length - i))
        ;[squares[i], squares[other]] = [squares[other], squares[i]]
        const [column, row] = [squares[i] % columns, Math.floor(squares[i] / columns)]
        const ahead = ((column + 0.3 + 0.4 * random()) / columns - 0.5) * LENGTH
        const across = ((row + 0.3 + 0.4 * random()) / rows - 0.5) * 2 * halfWidth()
        const position = along === 0 ? [ahead, across] : [across, ahead]
        // copse:
        crowd.add({ position, goal: position })
      }
      hurry()
      picked = passed = held = 0
      progress = 1
      stepTime = undefined
      setGoals()
      inspected = crowd.inspect(picked, TIME_STEP)
    }

    function raise() {
      const [end, side] = [LENGTH / 2 + 2 * BEYOND, params.width / 2]
      walls = [-side, side].map((across) =>
        along === 0 ? [-end, across, end, across] : [across, -end, across, end],
      )
      // copse:
      obstacles.clear()
      for (const ends of walls) obstacles.addSegment(...ends)

      plane.show(...(along === 0 ? [LENGTH / 2, side + 0.5] : [side + 0.5, LENGTH / 2]))
    }

    // Chooses people in a hurry, always in the same order: if the share grows, more join them.
    function hurry() {
      const chance = createRandom(2)
      for (let i = 0; i < params.agents; i++) {
        isHurried[i] = chance() < params.hurried ? 1 : 0
        const { speed, priority } = isHurried[i] ? HURRY : WALK
        crowd.preferredSpeeds[i] = speed * (0.9 + 0.2 * chance())
        crowd.priorities[i] = priority
      }
    }

    // Sets goals straight ahead from where people are, so that they do not return to their old place across.
    function setGoals() {
      const { positions, goals } = crowd
      for (let i = 0; i < params.agents; i++) {
        goals[2 * i + along] = signOf(i) * (LENGTH / 2 + 2 * BEYOND)
        goals[2 * i + 1 - along] = positions[2 * i + 1 - along]
      }
    }

    function step() {
      setGoals()
      // copse:
      stepTime = smoothTime(stepTime, () => crowd.step(TIME_STEP))

      const { positions, velocities, preferredSpeeds, enabled } = crowd
      let sum = 0
      let inside = 0
      held = 0
      for (let i = 0; i < params.agents; i++) {
        if (enabled[i] && signOf(i) * positions[2 * i + along] > LENGTH / 2 + BEYOND) {
          enabled[i] = 0
          passed++
          reenter(i, positions[2 * i + 1 - along])
        } else if (!enabled[i]) reenter(i, 2 * halfWidth() * (random() - 0.5))
        if (!enabled[i]) continue
        const part = (signOf(i) * velocities[2 * i + along]) / preferredSpeeds[i]
        sum += part
        inside++
        if (part < SLOW) held++
      }
      progress = smooth(progress, sum / Math.max(inside, 1))
    }

    // Lets an agent come in at its own end again, once there is room.
    function reenter(i, across) {
      const { positions, velocities, enabled, preferredSpeeds } = crowd
      const ahead = -signOf(i) * (LENGTH / 2 + BEYOND)
      for (let j = 0; j < params.agents; j++) {
        const dx = positions[2 * j + along] - ahead
        const dy = positions[2 * j + 1 - along] - across
        if (enabled[j] && dx * dx + dy * dy < ROOM * ROOM) return
      }
      positions[2 * i + along] = ahead
      positions[2 * i + 1 - along] = across
      velocities[2 * i + along] = signOf(i) * preferredSpeeds[i]
      velocities[2 * i + 1 - along] = 0
      enabled[i] = 1
    }

    function sort() {
      const { enabled } = crowd
      for (let i = 0; i < params.agents; i++)
        kinds[i] = enabled[i] ? 2 * isHurried[i] + (i % 2) : ABSENT
    }

    // Returns how well people near each other agree on a direction: 0 as by chance, 1 completely. It is the
    // mean over bands, weighted by the people in them.
    function laneOrder() {
      const { positions, enabled } = crowd
      const rows = Math.ceil(params.width / BAND[1])
      counts.length = 0
      for (let n = 0; n < 2 * rows * BAND_COLUMNS; n++) counts.push(0)
      for (let i = 0; i < params.agents; i++) {
        const column = Math.floor((positions[2 * i + along] + LENGTH / 2) / BAND[0])
        const row = Math.floor((positions[2 * i + 1 - along] + params.width / 2) / BAND[1])
        if (!enabled[i] || column < 0 || column >= BAND_COLUMNS) continue
        counts[2 * (Math.min(Math.max(row, 0), rows - 1) * BAND_COLUMNS + column) + (i % 2)]++
      }
      let sum = 0
      let total = 0
      for (let n = 0; n < counts.length; n += 2) {
        const [there, back] = [counts[n], counts[n + 1]]
        const both = there + back
        if (both < 2) continue
        sum += ((there - back) ** 2 - both) / (both - 1)
        total += both
      }
      return Math.max(sum / total, 0)
    }

    reset()

    return {
      hits: () => inspected.neighbors.length,

      frame(dt, lap) {
        pace(dt, params.speed)
        lap('move')
        inspected = crowd.inspect(picked, TIME_STEP)
        lap('query')
      },

      draw() {
        sort()
        plane.drawSegments(walls, theme.wall)
        const agents = kinds.subarray(0, params.agents)
        plane.drawAgents(crowd, agents, [theme.blue, theme.red, theme.blue, theme.red])
        plane.drawAgents(crowd, agents, ['', '', theme.paper, theme.paper], 0.5)
        if (params.constraints && crowd.enabled[picked])
          plane.drawInspected(crowd, picked, inspected)
      },

      report() {
        const { infeasible, steps, time } = crowd.stats()
        return {
          numbers: [
            ['Speed', formatPercent(progress)],
            ['In lanes', formatPercent(laneOrder())],
            ['Held up', held],
            ['Agents', params.agents],
            ['Went through', passed],
            ['Step time', formatTime(stepTime)],
            ...touchingNumbers(crowd),
            ['No free velocity', infeasible],
            ['Neighbors', inspected.neighbors.length],
            ['Steps', steps],
            ['Time', `${formatNumber(Math.round(time))} s`],
            ['Picked agent', picked],
          ],
        }
      },

      change(field) {
        if (field === 'hurried') hurry()
        else if (['agents', 'width', 'exact'].includes(field)) reset()
      },

      // The corridor lies along the longer side.
      resize() {
        if (along !== stage.along) reset()
      },

      scroll: plane.zoom,

      press() {
        const slot = plane.pick(crowd)
        if (slot < 0 || !crowd.enabled[slot]) return
        picked = slot
        params.constraints = true
        stage.refresh()
      },

      dispose() {
        crowd.dispose()
        obstacles.dispose()
      },
    }
  },
}
