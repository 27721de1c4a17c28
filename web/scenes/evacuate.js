// A crowd leaves six rooms, through doors and a corridor. Avoidance alone finds no way out: a flow field leads
// people, and is built again whenever walls change.

import { Crowd, FlowField, ObstacleTree } from 'copse'
import { createRandom } from '../random.js'
import { smoothTime, timeRuns } from '../view/clock.js'
import { addSpeed, addSteps } from '../view/controls.js'
import { ABSENT } from '../view/draw.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createPace } from '../view/pace.js'
import { addPencilControls, createPencil } from '../view/pencil.js'
import { colorsAround, createPlane } from '../view/plane.js'
import { theme } from '../view/theme.js'
import { touchingNumbers } from '../view/touching.js'

// Meters and seconds. The longer side of the building comes first.
const AGENTS = [60, 120, 240, 360, 600, 1_200]
const MAX_AGENTS = AGENTS.at(-1)
const TIME_STEP = 1 / 30
const BUILDING = [18, 12] // half of it
const OUTSIDE = 3 // visible margin around it
const EXIT = 1 // width of the exits, along all edges of the view
const CORRIDOR = 2 // half of the width of the corridor
const ROOMS = [-18, -6, 6] // where rooms begin along the building, on both sides of the corridor
const ROOM = [12, 10]
const DOORS = [1, 4]
const AGENT = {
  ...{ radius: 0.25, maxSpeed: 2, neighborDistance: 3 },
  ...{ timeHorizon: 1, obstacleTimeHorizon: 0.5 },
}
const WALK = 1.4 // mean preferred speed
const CELL = 0.4 // of the field: fits into the narrowest door beside the radius on both sides
const CLEARANCE = 1.02 * AGENT.radius // of routes, to walls
const VERTICES = 1_000 // capacity for walls
const MAX_DRAWN = 100 // walls that the user drew; then the oldest are removed
const COUNT_OVER = 3 // seconds over which the rate of leaving is averaged
const FREED = 4 * AGENT.radius // distance from where an agent got stuck at which it is free again
const REST = 4 // seconds until all start again
const SIDES = [-1, 1]

export default {
  name: 'evacuate',
  title: 'Evacuation',
  order: 10,
  group: 'Crowds',
  summary: 'Out of six rooms by the shortest routes, past walls that you draw',
  description:
    'Everyone heads for the exits by the shortest route, but the doors are too narrow for all of them at once.',
  try: 'Drag to draw a wall into the way.',
  help: 'The shortest routes lead past the walls of an obstacle tree, and a flow field finds them again while you draw. People without a way out stay where they are. Enter begins and ends a wall; arrow keys move the pointer.',
  legend: [
    ['dot', 'hues', 'color: room'],
    ['stuck', 'agent', 'no progress, or no way out'],
    ['line', 'wall', 'wall'],
    ['line', 'blue', 'your wall'],
  ],
  minimal: ['crowd-around-walls'],

  count: 'agents',
  params: { agents: 360, door: 1.6, speed: 2, showRoutes: false },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'door', ...DOORS, 0.1).name('door width')
    addSpeed(gui, params)
    gui.add(params, 'showRoutes').name('show routes')
    addPencilControls(gui)
  },

  setup(stage, params) {
    const plane = createPlane(stage)
    // copse:
    const walls = new ObstacleTree({ capacity: VERTICES })
    const crowd = new Crowd({ ...AGENT, capacity: MAX_AGENTS })

    const pace = createPace(step)
    const pencil = createPencil(stage, walls, {
      maxWalls: MAX_DRAWN,
      locate: plane.locate,
      unitsOf: plane.unitsOf,
      changed,
    })
    const rooms = SIDES.length * ROOMS.length
    const colors = colorsAround(rooms)
    const kinds = new Uint8Array(MAX_AGENTS) // room that an agent came from, for its color; ABSENT: it is out
    const isCaught = new Uint8Array(MAX_AGENTS) // 1: stuck, or without a way out
    const stuckAt = new Float32Array(2 * MAX_AGENTS) // where an agent got stuck; NaN: it is not stuck
    const seconds = [] // times of the curve
    const flow = [] // people leaving per second, at these times
    const recent = [] // times at which people left lately
    const own = [] // walls of the building, each x0, y0, x1, y1
    let field = null
    let along = 0 // axis of the longer side: 0 is x, 1 is y
    let half = [0, 0] // of the visible area
    let stale = true // walls have changed since routes were found
    let routesTime // ms
    let stepTime
    let steps = 0
    let out = 0
    let lost = 0 // without a way out
    let stuck = 0
    let rested = 0

    crowd.obstacles = walls

    const place = (ahead, across) => (along === 0 ? [ahead, across] : [across, ahead])

    function changed() {
      stale = true
    }

    function build() {
      along = stage.along
      half = place(BUILDING[0] + OUTSIDE, BUILDING[1] + OUTSIDE)
      plane.show(...half)
      release()
      const [x, y] = half
      // copse:
      field = new FlowField({ bounds: [-x, -y, x, y], cell: CELL, radius: CLEARANCE })
      field.obstacles = walls
      field.setGoalAreas([
        ...[-x, -y, EXIT - x, y, x - EXIT, -y, x, y],
        ...[-x, -y, x, EXIT - y, -x, y - EXIT, x, y],
      ])
      crowd.follow(field)

      raise()
    }

    function release() {
      if (!field) return
      crowd.follow(field, { mask: 0 })
      field.dispose()
    }

    function raise() {
      const [end, side] = BUILDING
      walls.clear()
      own.length = 0
      for (const sign of SIDES) {
        wall([-end, sign * side], [end, sign * side])
        wall([sign * end, -side], [sign * end, side], params.door)
        for (const start of ROOMS) {
          const corridor = sign * CORRIDOR
          wall([start, corridor], [start + ROOM[0], corridor], params.door)
          if (start > -end) wall([start, corridor], [start, sign * side])
        }
      }
      pencil.raise()
      changed()
    }

    // Adds a wall, with a door in its middle if `door` is its width.
    function wall([ahead0, across0], [ahead1, across1], door = 0) {
      const part = (1 - door / (ahead1 - ahead0 + across1 - across0)) / 2
      const between = (part) =>
        place(ahead0 + part * (ahead1 - ahead0), across0 + part * (across1 - across0))
      const ends = door > 0 ? [0, part, 1 - part, 1] : [0, 1]
      for (let n = 0; n < ends.length; n += 2) {
        own.push([...between(ends[n]), ...between(ends[n + 1])])
        walls.addSegment(...own.at(-1))
      }
    }

    // Puts all agents into the rooms, evenly spread.
    function reset() {
      const random = createRandom(1)
      const each = params.agents / rooms
      const columns = Math.ceil(Math.sqrt((each * ROOM[0]) / ROOM[1]))
      const rows = Math.ceil(each / columns)
      crowd.clear()
      for (let i = 0; i < params.agents; i++) {
        const room = i % rooms
        const n = Math.floor(i / rooms)
        const jitter = () => 0.5 + 0.3 * (random() - 0.5)
        const ahead = ((n % columns) + jitter()) / columns
        const across = (Math.floor(n / columns) + jitter()) / rows
        const slot = crowd.add({
          position: place(
            ROOMS[room >> 1] + ahead * ROOM[0],
            SIDES[room & 1] * (CORRIDOR + across * ROOM[1]),
          ),
          preferredSpeed: WALK * (0.85 + 0.3 * random()),
        })
        kinds[slot] = room
      }
      isCaught.fill(0)
      stuckAt.fill(NaN)
      seconds.length = flow.length = recent.length = 0
      steps = out = rested = 0
      stepTime = undefined
      findRoutes()
    }

    function findRoutes() {
      // copse:
      routesTime = timeRuns(() => field.build())
      stale = false
    }

    function step() {
      if (crowd.count === 0) {
        rested += TIME_STEP
        if (rested > REST) reset()
        return
      }
      steps++
      // copse:
      stepTime = smoothTime(stepTime, () => crowd.step(TIME_STEP))
      const { positions } = crowd
      for (const i of crowd.stuck()) stuckAt.set([positions[2 * i], positions[2 * i + 1]], 2 * i)
      for (const i of crowd.arrived()) leave(i)

      recordFlow()
    }

    function leave(i) {
      crowd.remove(i)
      kinds[i] = ABSENT
      isCaught[i] = 0
      recent.push(steps * TIME_STEP)
      out++
    }

    // Records twice a second how many people leave.
    function recordFlow() {
      const time = steps * TIME_STEP
      if (steps % Math.round(0.5 / TIME_STEP) !== 0) return
      while (recent[0] < time - COUNT_OVER) recent.shift()
      seconds.push(time)
      flow.push(recent.length / COUNT_OVER)
    }

    // Finds the people that are stuck or have no way out.
    function sort() {
      const { positions } = crowd
      stuck = lost = 0
      for (let i = 0; i < params.agents; i++) {
        if (kinds[i] === ABSENT) continue
        const [x, y] = [positions[2 * i], positions[2 * i + 1]]
        if (Math.hypot(x - stuckAt[2 * i], y - stuckAt[2 * i + 1]) > FREED) stuckAt[2 * i] = NaN
        const isLost = field.distance(x, y) === Infinity
        const isStuck = !isLost && !Number.isNaN(stuckAt[2 * i])
        if (isLost) lost++
        if (isStuck) stuck++
        isCaught[i] = isLost || isStuck ? 1 : 0
      }
    }

    build()
    reset()

    return {
      hits: () => crowd.count,

      frame(dt, lap) {
        pencil.follow()
        if (stale) findRoutes()
        lap('build')
        pace(dt, params.speed)
        lap('move')
      },

      draw() {
        sort()
        if (params.showRoutes) drawRoutes()
        plane.drawSegments(own, theme.wall)
        plane.drawSegments(pencil.points, theme.blue)
        const inUse = (array) => array.subarray(0, params.agents)
        plane.drawAgents(crowd, inUse(kinds), colors)
        if (stuck + lost > 0) plane.drawAgents(crowd, inUse(isCaught), ['', theme.ink], 0.6)
      },

      report() {
        const { infeasible } = crowd.stats()
        return {
          numbers: [
            ['Inside', crowd.count],
            ['Out', out],
            ['Stuck', stuck],
            ['No way out', lost],
            ['Out per second', (flow.at(-1) ?? 0).toFixed(1)],
            ['Time', `${formatNumber(Math.round(steps * TIME_STEP))} s`],
            ['Step time', formatTime(stepTime)],
            ['Route search', formatTime(routesTime)],
            ['Your walls', pencil.count],
            ...touchingNumbers(crowd),
            ['No free velocity', infeasible],
            ['Steps', steps],
          ],
          curve: { caption: 'Out per second', data: [seconds, flow] },
        }
      },

      change(field) {
        pencil.change(field)
        if (field === 'agents') reset()
        if (field === 'door') raise()
      },

      resize() {
        if (along === stage.along) return
        pencil.abandon()
        pencil.change('clear')
        build()
        reset()
      },

      press: pencil.press,

      dispose() {
        release()
        crowd.dispose()
        walls.dispose()
      },
    }

    // Draws lines from all agents to their next bends.
    function drawRoutes() {
      const { context } = stage
      const { positions } = crowd
      const scale = plane.enter()
      context.lineWidth = 1 / scale
      context.globalAlpha = 0.35
      colors.forEach((color, room) => {
        context.strokeStyle = color
        context.beginPath()
        for (let i = 0; i < params.agents; i++) {
          if (kinds[i] !== room) continue
          const [x, y] = [positions[2 * i], positions[2 * i + 1]]
          const { corners, reached } = field.path(x, y)
          if (!reached) continue
          context.moveTo(x, y)
          context.lineTo(corners[0], corners[1])
        }
        context.stroke()
      })
      plane.leave()
    }
  },
}
