// Walls in an obstacle tree, agents in an agent tree, and a guard: it sees a polygon, and the agents within
// reach that no wall hides. Doors slide, walls turn, and the user draws more: every change rebuilds the
// obstacle tree, in far less than a frame.

import { AgentTree, ObstacleTree } from 'copse'
import { createRandom } from '../random.js'
import { smoothTime, timeRun } from '../view/clock.js'
import { createComparison, isSame } from '../view/compare.js'
import { addSteps, scaleSetting } from '../view/controls.js'
import { drawDarts, drawDots, strokeSegments } from '../view/draw.js'
import { formatTime } from '../view/format.js'
import { addPencilControls, createPencil } from '../view/pencil.js'
import { stretch } from '../view/spawn.js'
import { theme } from '../view/theme.js'
import { spawnHouse } from './sight/house.js'

const AGENTS = [50, 100, 200, 300, 500, 1_000, 2_000]
const MAX_AGENTS = AGENTS.at(-1)
const SEED = 1 // of the house, which depends only on the size of the stage
const VERTICES = 4_000 // capacity for walls
const MAX_DRAWN = 200 // walls that the user drew; then the oldest are removed
const VIEWS = [60, 700]
const [PATROLS, FOLLOWS] = ['patrols', 'follows the pointer']
const KEEP_OFF = 30 // pixels: distance that the guard keeps from the pointer
const RADIUS = 3 // of an agent
const SPEED = 34 // of an agent, pixels per second
const GUARD_SPEED = 80
const LOOK_AHEAD = 22 // pixels: distance at which an agent sees a wall ahead
const TRIES = 60 // waypoints among which the guard chooses
const PAST = 6 // last waypoints, which it avoids
const { fround } = Math

export default {
  name: 'sight',
  title: 'Line of sight',
  order: 19,
  group: 'Boxes and walls',
  summary: 'What a guard sees past walls, doors and the walls you draw',
  description:
    'The guard sees the lit polygon, which walls cut out, and all agents in it; doors and the walls that you draw hide more.',
  try: 'Drag to draw a wall.',
  help: 'The walls are in a binary space partition. Rays go to the nearest agents, or end at a wall. Enter begins and ends a wall; arrow keys move the pointer; wheel, pinch, + and - change how far the guard sees.',
  legend: [
    ['dot', 'hit', 'seen'],
    ['dot', 'agent', 'hidden, or too far'],
    ['area', 'light', 'lit'],
    ['line', 'wall', 'wall'],
  ],

  count: 'agents',
  params: {
    agents: 300,
    guard: PATROLS,
    view: 300,
    clearance: 8,
    rays: 12,
    moving: true,
    showRays: true,
    partition: false,
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'guard', [PATROLS, FOLLOWS])
    gui.add(params, 'view', ...VIEWS, 10).name('view distance')
    gui.add(params, 'clearance', 0, 20, 1)
    gui.add(params, 'rays', 1, 50, 1)
    gui.add(params, 'moving').name('move doors')
    gui.add(params, 'showRays').name('show rays')
    gui.add(params, 'partition').name('show partition')
    addPencilControls(gui)
  },

  setup(stage, params) {
    const { pointer, random } = stage
    // copse:
    const walls = new ObstacleTree({ capacity: VERTICES })
    const agents = new AgentTree({ capacity: MAX_AGENTS })

    const headings = new Float32Array(2 * MAX_AGENTS) // of agents, unit vectors
    const expected = new Uint32Array(MAX_AGENTS)
    const guard = { x: 0, y: 0, dirX: 1, dirY: 0, goalX: 0, goalY: 0 }
    const past = [] // last waypoints of the guard: x, y, …
    // Options, created once: a frame creates little garbage.
    const reach = { maxDistance: 0 }
    const beside = { maxDistance: 0, side: 'visible' }
    const clear = { inflate: 0 }
    const pencil = createPencil(stage, walls, {
      maxWalls: MAX_DRAWN,
      locate: () => [pointer.x, pointer.y],
      changed,
    })
    let house // see sight/house.js
    let movers = [] // doors and turning walls: { slot, points, place }
    let polygon = new Float32Array(0)
    let stale = true // walls have changed since the last build
    let lines = null // of the partition; null after a wall has changed
    let near = new Uint32Array(0) // agents within reach
    let seen = near
    let time = 0
    let checked = 0 // agent that is checked next: it may be inside a wall
    let polygonTime // ms, smoothed
    const comparison = createComparison(compare)

    // ---- Walls ----

    function changed() {
      stale = true
      lines = null
    }

    function raise() {
      house = spawnHouse(stage.width, stage.height, createRandom(SEED))
      // copse:
      walls.clear()
      walls.addPolygon(house.border, { solid: 'outside' })
      for (const points of house.solids) walls.addPolygon(points)
      for (const [x0, y0, x1, y1] of house.thin) walls.addSegment(x0, y0, x1, y1)

      movers = house.movers.map((mover) => {
        const points = mover.place(time, new Float32Array(4))
        return { ...mover, points, slot: walls.addSegment(...points) }
      })
      pencil.raise()
      changed()
    }

    function moveWalls(dt) {
      if (!params.moving || dt === 0) return
      time += dt
      for (const mover of movers) {
        mover.place(time, mover.points)
        walls.move(mover.slot, mover.points)
      }
      changed()
    }

    // ---- Agents ----

    function settle(i) {
      const { positions } = agents
      const angle = 2 * Math.PI * random()
      headings[2 * i] = Math.cos(angle)
      headings[2 * i + 1] = Math.sin(angle)
      beside.maxDistance = 2 * RADIUS
      for (let tries = 0; tries < TRIES; tries++) {
        positions[2 * i] = stage.width * random()
        positions[2 * i + 1] = stage.height * random()
        const [x, y] = [positions[2 * i], positions[2 * i + 1]]
        if (!walls.contains(x, y) && walls.nearest(x, y, beside) < 0) return
      }
    }

    function gather() {
      const before = agents.slots
      agents.slots = params.agents
      for (let i = before; i < params.agents; i++) settle(i)
    }

    // Moves the agents: away from near walls, turning off walls ahead, and never through a wall.
    function wander(dt) {
      const { positions } = agents
      beside.maxDistance = 2 * RADIUS
      for (let i = 0; i < agents.slots; i++) {
        const x = positions[2 * i]
        const y = positions[2 * i + 1]
        let dirX = headings[2 * i] + 3 * dt * (random() - 0.5)
        let dirY = headings[2 * i + 1] + 3 * dt * (random() - 0.5)
        const hit = walls.raycast(x, y, x + LOOK_AHEAD * dirX, y + LOOK_AHEAD * dirY)
        if (hit) {
          const turn = Math.min(1, 6 * dt) * (1.2 - hit.fraction)
          const along = (i & 1 ? 1 : -1) * 0.7 // some turn left, some right
          dirX += turn * (hit.normalX - along * hit.normalY)
          dirY += turn * (hit.normalY + along * hit.normalX)
        }
        const wall = walls.nearestPoint(x, y, beside)
        if (wall && wall.distance > 0) {
          const push = (4 * dt * (2 * RADIUS - wall.distance)) / wall.distance
          dirX += push * (x - wall.x)
          dirY += push * (y - wall.y)
        }
        const length = Math.hypot(dirX, dirY) || 1
        headings[2 * i] = dirX /= length
        headings[2 * i + 1] = dirY /= length
        const toX = x + SPEED * dt * dirX
        const toY = y + SPEED * dt * dirY
        if (!walls.visible(x, y, toX, toY)) {
          headings[2 * i] = -dirX
          headings[2 * i + 1] = -dirY
          continue
        }
        positions[2 * i] = toX
        positions[2 * i + 1] = toY
      }
      // A moving wall may have left an agent inside something solid: checks one agent per frame.
      checked = (checked + 1) % agents.slots
      if (walls.contains(positions[2 * checked], positions[2 * checked + 1])) settle(checked)
    }

    // ---- The guard ----

    function post() {
      beside.maxDistance = 16
      let [x, y] = [stage.width / 2, stage.height / 2]
      const isFree = () => !walls.contains(x, y) && walls.nearest(x, y, beside) < 0
      for (let tries = 0; tries < 20 * TRIES && !isFree(); tries++) {
        x = stage.width * random()
        y = stage.height * random()
      }
      Object.assign(guard, { x: fround(x), y: fround(y) })
      past.length = 0
      chooseWaypoint()
    }

    // Chooses a visible waypoint among several: the one farthest from the last ones.
    function chooseWaypoint() {
      clear.inflate = params.clearance
      let best = -1
      for (let n = 0; n < TRIES; n++) {
        const x = stage.width * random()
        const y = stage.height * random()
        let worth = Math.hypot(x - guard.x, y - guard.y)
        for (let i = 0; i < past.length; i += 2)
          worth = Math.min(worth, Math.hypot(x - past[i], y - past[i + 1]))
        if (worth <= best || !walls.visible(guard.x, guard.y, x, y, clear)) continue
        best = worth
        guard.goalX = x
        guard.goalY = y
      }
      if (best < 0) Object.assign(guard, { goalX: guard.x, goalY: guard.y })
    }

    function patrol(dt) {
      if (dt === 0) return
      const follows = params.guard === FOLLOWS
      if (follows) Object.assign(guard, { goalX: pointer.x, goalY: pointer.y })
      const { x, y, goalX, goalY } = guard
      const dx = goalX - x
      const dy = goalY - y
      const distance = Math.hypot(dx, dy) || 1
      const step = (follows ? 3 : 1) * GUARD_SPEED * dt
      clear.inflate = params.clearance
      if (follows) {
        if (pencil.isDrawing || distance < KEEP_OFF) return
        // Goes along a wall that is in the way.
        if (!walkTo(x + (step * dx) / distance, y + (step * dy) / distance))
          if (!walkTo(x + Math.min(Math.max(dx, -step), step), y))
            if (!walkTo(x, y + Math.min(Math.max(dy, -step), step))) stepAside(step)
      } else if (distance > step && walls.visible(x, y, goalX, goalY, clear)) {
        walkTo(x + (step * dx) / distance, y + (step * dy) / distance)
      } else {
        past.push(x, y)
        if (past.length > 2 * PAST) past.splice(0, 2)
        stepAside(step)
        chooseWaypoint()
      }
      const turn = Math.min(1, 8 * dt)
      guard.dirX += (dx / distance - guard.dirX) * turn
      guard.dirY += (dy / distance - guard.dirY) * turn
    }

    function walkTo(x, y) {
      const free = walls.visible(guard.x, guard.y, x, y, clear)
      if (free) Object.assign(guard, { x: fround(x), y: fround(y) })
      return free
    }

    // Moves the guard away from a wall that came nearer than the clearance: from there no path is free.
    function stepAside(step) {
      beside.maxDistance = params.clearance + 1
      const wall = walls.nearestPoint(guard.x, guard.y, beside)
      if (!wall || wall.distance === 0) return
      const { x, y } = guard
      const scale = step / wall.distance
      clear.inflate = 0
      walkTo(x + scale * (x - wall.x), y + scale * (y - wall.y))
    }

    // Queries both trees: for the agents within reach, and for the visible ones among them.
    // copse:
    function look() {
      near = agents.within(guard.x, guard.y, params.view)
      seen = walls.keepVisible(guard.x, guard.y, near, agents.positions)
    }

    // copse:
    function light() {
      reach.maxDistance = params.view
      polygon = walls.visibilityPolygon(guard.x, guard.y, reach)
    }

    // Finds the agents that the guard sees by a loop over all edges.
    function bruteForce() {
      const { positions } = agents
      let count = 0
      for (let n = 0; n < near.length; n++) {
        const id = near[n]
        if (isInSight(guard.x, guard.y, positions[2 * id], positions[2 * id + 1]))
          expected[count++] = id
      }
      return count
    }

    function isInSight(x0, y0, x1, y1) {
      if (x0 > x1 || (x0 === x1 && y0 > y1)) [x0, y0, x1, y1] = [x1, y1, x0, y0]
      const { vertices, next, generations, slots } = walls
      for (let i = 0; i < slots; i++) {
        if ((generations[i] & 1) === 0) continue
        const [ax, ay] = [vertices[2 * i], vertices[2 * i + 1]]
        const [bx, by] = [vertices[2 * next[i]], vertices[2 * next[i] + 1]]
        if (Math.max(ax, bx) < x0 || Math.min(ax, bx) > x1) continue
        if (Math.max(ay, by) < Math.min(y0, y1) || Math.min(ay, by) > Math.max(y0, y1)) continue
        const a = side(x0, y0, x1, y1, ax, ay)
        const b = side(x0, y0, x1, y1, bx, by)
        if ((a > 0 && b > 0) || (a < 0 && b < 0)) continue
        const begin = side(ax, ay, bx, by, x0, y0)
        const end = side(ax, ay, bx, by, x1, y1)
        if ((begin > 0 && end > 0) || (begin < 0 && end < 0)) continue
        return false
      }
      return true
    }

    function compare() {
      const equal = isSame(expected.subarray(0, bruteForce()), seen)
      return { equal, queryTime: timeRun(look), bruteTime: timeRun(bruteForce, 1) }
    }

    raise()
    gather()
    post()

    return {
      hits: () => seen.length,
      results: comparison.results,

      frame(dt, lap) {
        pencil.follow()
        moveWalls(dt)
        if (stale) walls.build()
        stale = false
        lap('build')
        agents.build()
        if (dt > 0) wander(dt)
        patrol(dt)
        lap('move')
        agents.build()
        look()
        polygonTime = smoothTime(polygonTime, light)
        lap('query')
        comparison.pass(dt)
        lap()
      },

      draw() {
        drawFloor()
        if (params.partition) drawPartition()
        drawAgents()
        drawWalls()
        if (params.guard === PATROLS) drawPath()
        if (params.showRays) drawRays()
        drawGuard()
      },

      report(times) {
        const { edges, pieces, nodes, depth, polygons } = walls.stats()
        const rest = Math.max(times.move + times.query - polygonTime, 0)
        return {
          numbers: [
            ['Seen', seen.length],
            ...comparison.numbers(),
            ['Wall build', formatTime(times.build)],
            ['Polygon', formatTime(polygonTime)],
            ['Within reach', near.length],
            ['Agents', agents.count],
            ['Everything else', formatTime(rest)],
            ['Corners', polygon.length / 2],
            ['Edges', edges],
            ['Pieces', pieces],
            ['Nodes', nodes],
            ['Walls', polygons],
            ['Depth', depth],
            ['Your walls', pencil.count],
          ],
        }
      },

      change(field) {
        pencil.change(field)
        if (field === 'agents') gather()
        if (field === 'guard' && params.guard === PATROLS) post()
      },

      resize(x, y) {
        pencil.resize(x, y)
        stretch(agents.positions.subarray(0, 2 * agents.slots), x, y)
        pencil.abandon()
        raise()
        const { positions } = agents
        for (let i = 0; i < agents.slots; i++)
          if (walls.contains(positions[2 * i], positions[2 * i + 1])) settle(i)
        post()
      },

      scroll: (steps) => scaleSetting(stage, params, 'view', steps, VIEWS, 10),

      press: pencil.press,

      dispose() {
        walls.dispose()
        agents.dispose()
      },
    }

    // Draws the floor: dark, except for the polygon that the guard sees. Its light fades toward the view
    // distance.
    function drawFloor() {
      const { context, width, height } = stage
      const { x, y } = guard
      context.fillStyle = theme.floor
      context.fillRect(0, 0, width, height)
      const shine = context.createRadialGradient(x, y, 0, x, y, params.view)
      shine.addColorStop(0, theme.light)
      shine.addColorStop(0.6, theme.light)
      shine.addColorStop(1, theme.floor)
      context.fillStyle = shine
      context.beginPath()
      for (let i = 0; i < polygon.length; i += 2) context.lineTo(polygon[i], polygon[i + 1])
      context.fill()
    }

    function drawPartition() {
      const { context } = stage
      lines ??= walls.lines()
      context.strokeStyle = theme.query
      for (let depth = 0; depth < 8; depth++) {
        context.globalAlpha = Math.max(0.7 - 0.08 * depth, 0.2)
        context.lineWidth = depth < 2 ? 2 : 1
        context.beginPath()
        for (let i = 0; i < lines.length; i += 5) {
          if (Math.min(lines[i + 4], 7) !== depth) continue
          context.moveTo(lines[i], lines[i + 1])
          context.lineTo(lines[i + 2], lines[i + 3])
        }
        context.stroke()
      }
      context.globalAlpha = 1
    }

    function drawAgents() {
      const { context } = stage
      const { positions, slots } = agents
      context.globalAlpha = 0.55
      drawDots(stage, positions, null, slots, RADIUS, theme.agent)
      context.globalAlpha = 1
      drawDots(stage, positions, seen, seen.length, RADIUS + 0.5, theme.hit)
    }

    function drawWalls() {
      const { context } = stage
      context.fillStyle = context.strokeStyle = theme.wall
      context.lineWidth = 2
      for (const points of house.solids) {
        context.beginPath() // one path each, since they overlap
        for (let i = 0; i < points.length; i += 2) context.lineTo(points[i], points[i + 1])
        context.fill()
      }
      const [x0, y0, x1, y1] = [house.border[0], house.border[1], house.border[4], house.border[5]]
      context.strokeRect(x0, y0, x1 - x0, y1 - y0)
      const moving = movers.map(({ points }) => points)
      strokeSegments(context, house.thin, theme.wall, 2)
      strokeSegments(context, moving, theme.query, 3)
      strokeSegments(context, pencil.points, theme.blue, 3)
    }

    // Draws the guard's path to its waypoint, as wide as it must be free.
    function drawPath() {
      const { context } = stage
      const { x, y, goalX, goalY } = guard
      context.strokeStyle = theme.query
      context.globalAlpha = 0.2
      context.lineWidth = Math.max(2 * params.clearance, 1)
      context.beginPath()
      context.moveTo(x, y)
      context.lineTo(goalX, goalY)
      context.stroke()
      context.globalAlpha = 1
    }

    // Draws rays to the nearest agents, up to the first wall.
    function drawRays() {
      const { context } = stage
      const { positions } = agents
      const { x, y } = guard
      const targets = agents.neighbors(x, y, params.rays, reach)
      context.lineWidth = 1.25
      for (const free of [false, true]) {
        context.strokeStyle = free ? theme.hit : theme.muted
        context.globalAlpha = free ? 0.9 : 0.6
        context.beginPath()
        for (let n = 0; n < targets.length; n++) {
          const toX = positions[2 * targets[n]]
          const toY = positions[2 * targets[n] + 1]
          const hit = walls.raycast(x, y, toX, toY)
          if ((hit === null) !== free) continue
          context.moveTo(x, y)
          context.lineTo(hit ? hit.x : toX, hit ? hit.y : toY)
          if (hit) {
            context.moveTo(hit.x + 2, hit.y)
            context.arc(hit.x, hit.y, 2, 0, 2 * Math.PI)
          }
        }
        context.stroke()
      }
      context.globalAlpha = 1
    }

    function drawGuard() {
      const { context } = stage
      const { x, y, dirX, dirY } = guard
      const length = Math.hypot(dirX, dirY) || 1
      context.fillStyle = theme.ink
      drawDarts(context, [x, y], [0], 1, dirX / length, dirY / length, 9)
    }
  },
}

/** Returns the side of the line a … b on which a point is, like the library: positive is left. */
const side = (ax, ay, bx, by, x, y) => (bx - ax) * (y - ay) - (by - ay) * (x - ax)
