// A maze, two groups of agents and two flow fields over the same walls: each field leads one group, from
// everywhere to its goal. Whenever a wall is drawn or a goal moves, the fields are built again in slices, a
// few in each frame, while the agents go on by the previous ones.

import { AgentTree, Crowd, FlowField, ObstacleTree } from 'copse'
import { createRandom } from '../random.js'
import { smoothTime, timeRuns } from '../view/clock.js'
import { addSpeed, addSteps } from '../view/controls.js'
import { fillDisc, strokeCircle } from '../view/draw.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createPace } from '../view/pace.js'
import { addPencilControls, createPencil } from '../view/pencil.js'
import { createPlane } from '../view/plane.js'
import { theme } from '../view/theme.js'
import { touchingNumbers } from '../view/touching.js'
import { spawnMaze } from './paths/level.js'

// Meters and seconds. The longer side of the maze comes first.
const AGENTS = [250, 500, 1_000, 2_000, 5_000]
const MAX_AGENTS = AGENTS.at(-1)
const TIME_STEP = 1 / 30
const SQUARE = 10
const SQUARES = [9, 6]
const HALF = SQUARES.map((count) => (count * SQUARE) / 2)
const SEED = 3 // of the maze
const FILL = 0.03 // part of the maze that agents cover
const MAX_RADIUS = 0.35
const WALK = 1.6 // mean preferred speed
const AGENT = {
  ...{ maxSpeed: 2.4, maxNeighbors: 8, timeHorizon: 1, obstacleTimeHorizon: 0.5 },
}
const REACH = 8 // distance at which agents see each other, in radii
const CELL = 0.5 // of the fields
const SPARE = 1.1 // clearance of paths, in radii
const SLICE = 40_000 // work of an update: less than a millisecond
const VERTICES = 1_000 // capacity for walls
const MAX_DRAWN = 100 // walls that the user drew; then the oldest are removed
// Where each group starts and its goal, in parts of half of the maze.
const GROUPS = [
  { name: 'blue', start: [-1, -1, -0.4, -0.05], goal: [0.78, 0.5] },
  { name: 'red', start: [-1, 0.05, -0.4, 1], goal: [0.78, -0.5] },
]
const GOAL = 3 // half of the side of a goal
const GRAB = 22 // pixels: distance at which the pointer takes a goal
const FAR = 2 * SQUARE // least length of the path of an agent that starts
const TRIES = 12 // places tried for one
const BAND = 4 // width of a band of equal distances
const NEAR_BAND = 40 // length of a path at which bands are half as strong
const NO_PATH = GROUPS.length // kind of agents without a path

export default {
  name: 'paths',
  title: 'Paths through a maze',
  order: 9,
  group: 'Crowds',
  summary: 'Two groups find their paths through a maze that you change',
  description:
    'Blue and red agents head for the square of their color, each led by a flow field that is built again when the walls change.',
  try: 'Drag to draw a wall, or drag a square.',
  help: 'Bands mark equal distances to a square, and the line from the ring is the path of one agent. Agents in cells of the same color head for the same corner. Click or tap an agent to see its path. Enter begins and ends a wall, takes and drops a goal, and picks an agent if pressed twice. Arrow keys move the pointer; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'teams', 'agent, and its goal'],
    ['dot', 'agent', 'has no path'],
    ['line', 'wall', 'wall'],
    ['line', 'query', 'your wall'],
    ['area', 'blue', 'band: equal distance'],
  ],
  minimal: ['crowd-around-walls'],

  count: 'agents',
  params: {
    ...{
      agents: 1_000,
      speed: 1,
      field: 'blue',
      bands: true,
      cells: false,
      paths: false,
      path: true,
    },
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    addSpeed(gui, params)
    const names = GROUPS.map(({ name }) => name)
    gui.add(params, 'field', names)
    gui.add(params, 'bands').name('show bands')
    gui.add(params, 'cells').name('show cells')
    gui.add(params, 'paths').name('show all paths')
    gui.add(params, 'path').name('show one path')
    addPencilControls(gui)
  },

  setup(stage, params) {
    const { pointer } = stage
    const plane = createPlane(stage)
    // copse:
    const walls = new ObstacleTree({ capacity: VERTICES })
    const crowd = new Crowd({ ...AGENT, capacity: MAX_AGENTS })
    const index = new AgentTree({ capacity: crowd.capacity }) // finds room for agents that start

    const pace = createPace(step)
    const pencil = createPencil(stage, walls, {
      maxWalls: MAX_DRAWN,
      locate: plane.locate,
      unitsOf: plane.unitsOf,
      changed,
      clicked: pick,
    })
    const kinds = new Uint8Array(MAX_AGENTS) // group of each agent, or NO_PATH
    const pictures = {} // of the field, a pixel per cell: { canvas; shown: what it shows }, by setting
    for (const layer of ['bands', 'cells'])
      pictures[layer] = { canvas: document.createElement('canvas'), shown: '' }
    const start = [0, 0]
    // Each { field; goal: its center; isStale: a build is due; time: ms of the build under way; builds: how many }
    let groups = []
    let own = [] // walls of the maze, each x0, y0, x1, y1
    let lines = null // of the field that is shown; null: not yet read
    let along = 0 // axis of the longer side: 0 is x, 1 is y
    let random
    let radius
    let taken = null // group whose goal follows the pointer
    let picked = 0
    let stepTime // ms, smoothed
    let buildTime // ms of the last build, in all its slices
    let slices = 0 // updates of the build under way
    let lastSlices = 0
    let arrived = 0
    let lost = 0
    let path // of the picked agent

    crowd.obstacles = walls

    const place = (ahead, across) => (along === 0 ? [ahead, across] : [across, ahead])

    function changed() {
      for (const group of groups) group.isStale = true
    }

    // ---- Maze and fields ----

    function raise() {
      along = stage.along
      const half = place(...HALF)
      const [x, y] = half
      plane.show(x + 0.5, y + 0.5)
      own = spawnMaze(...SQUARES, SQUARE, createRandom(SEED)).map(([x0, y0, x1, y1]) => [
        ...place(x0, y0),
        ...place(x1, y1),
      ])
      walls.clear()
      walls.addPolygon([-x, -y, x, -y, x, y, -x, y], { solid: 'outside' })
      for (const wall of own) walls.addSegment(...wall)
      own.push([-x, -y, x, -y], [x, -y, x, y], [x, y, -x, y], [-x, y, -x, -y])
      pencil.raise()
      release()
      groups = GROUPS.map(({ goal }, n) => {
        // copse:
        const field = new FlowField({ bounds: [-x, -y, x, y], cell: CELL })
        field.obstacles = walls
        crowd.follow(field, { mask: 1 << n })

        return {
          ...{ field, isStale: false, time: 0, builds: 0 },
          goal: place(goal[0] * HALF[0], goal[1] * HALF[1]),
        }
      })
    }

    function release() {
      for (const { field } of groups) {
        crowd.follow(field, { mask: 0 })
        field.dispose()
      }
    }

    // Gives a field its settings, which its next build takes.
    function set({ field, goal: [x, y] }) {
      // copse:
      field.radius = Math.max(CELL / 2, SPARE * radius)
      field.setGoalAreas([x - GOAL, y - GOAL, x + GOAL, y + GOAL])
    }

    // Builds at once, before agents start.
    function build() {
      for (const group of groups) {
        set(group)
        group.isStale = false
        const time = timeRuns(() => group.field.build())
        finish(group, time)
        lastSlices = 1
      }
    }

    function finish(group, time) {
      group.time = 0
      group.builds++
      buildTime = time
    }

    // Goes on with one build.
    function update() {
      const isUnderWay = ({ field }) => field.stats().isUnderWay
      const group = groups.find(isUnderWay) ?? groups.find(({ isStale }) => isStale)
      if (!group) return
      if (!isUnderWay(group)) {
        set(group)
        group.isStale = false
        slices = 0
      }
      let isDone
      group.time += timeRuns(() => (isDone = group.field.buildPart(SLICE)))
      slices++
      if (!isDone) return
      lastSlices = slices
      finish(group, group.time)
    }

    // ---- Agents ----

    function reset() {
      random = createRandom(1)
      radius = Math.min(
        Math.sqrt((FILL * 4 * HALF[0] * HALF[1]) / Math.PI / params.agents),
        MAX_RADIUS,
      )
      build()
      crowd.clear()
      for (let i = 0; i < params.agents; i++) {
        const group = i % GROUPS.length
        choosePlace(group, true)
        crowd.add({
          ...{ position: start, radius, groups: 1 << group, neighborDistance: REACH * radius },
          preferredSpeed: WALK * (0.85 + 0.3 * random()),
        })
      }
      arrived = 0
      picked = 0
      stepTime = undefined
    }

    // Chooses a place where an agent starts: far from the goal and, if possible, without others.
    function choosePlace(group, isFirst = false) {
      const [minX, minY, maxX, maxY] = GROUPS[group].start
      for (let n = 0; n < TRIES; n++) {
        const ahead = minX + random() * (maxX - minX)
        const across = minY + random() * (maxY - minY)
        const [x, y] = place(ahead * (HALF[0] - 1), across * (HALF[1] - 1))
        const distance = groups[group].field.distance(x, y)
        start[0] = x
        start[1] = y
        if (distance < FAR || distance === Infinity) continue
        if (isFirst || !index.anyWithin(x, y, 2.2 * radius)) return
      }
    }

    // copse:
    function step() {
      stepTime = smoothTime(stepTime, () => crowd.step(TIME_STEP))
      const slots = crowd.arrived()
      if (slots.length === 0) return
      index.build(crowd)
      for (const i of slots) {
        choosePlace(i % GROUPS.length)
        crowd.move(i, ...start)
      }
      arrived += slots.length
    }

    function sort() {
      const { goals } = crowd
      const { steps } = crowd.stats()
      lost = 0
      for (let i = 0; i < params.agents; i++) {
        const isLost = steps > 0 && Number.isNaN(goals[2 * i])
        kinds[i] = isLost ? NO_PATH : i % GROUPS.length
        if (isLost) lost++
      }
    }

    // ---- Pointer ----

    function grabbed() {
      const [x, y] = plane.locate()
      const reach = Math.max(GOAL, plane.unitsOf(GRAB))
      const distance = ({ goal }) => Math.max(Math.abs(goal[0] - x), Math.abs(goal[1] - y))
      const [nearest] = groups.toSorted((a, b) => distance(a) - distance(b))
      return distance(nearest) <= reach ? nearest : null
    }

    function follow() {
      if (!taken) return
      const limits = place(...HALF)
      const goal = plane
        .locate()
        .map((at, axis) => Math.min(Math.max(at, GOAL - limits[axis]), limits[axis] - GOAL))
      if (goal[0] === taken.goal[0] && goal[1] === taken.goal[1]) return
      taken.goal = goal
      taken.isStale = true
    }

    function drop() {
      follow()
      taken = null
    }

    function press() {
      if (taken) drop()
      else if (pencil.isDrawing || !(taken = grabbed())) pencil.press()
    }

    function pick() {
      const slot = plane.pick(crowd)
      if (slot < 0) return
      picked = slot
      params.path = true
      stage.refresh()
    }

    const listeners = {
      pointerup: ({ isPrimary }) => isPrimary && drop(),
      pointercancel: drop,
    }
    for (const [type, listener] of Object.entries(listeners))
      stage.canvas.addEventListener(type, listener)

    raise()
    reset()

    return {
      hits: () => crowd.count - lost,

      frame(dt, lap) {
        pencil.follow()
        follow()
        if (!pencil.isDrawing) update()
        lap('build')
        pace(dt, params.speed)
        lap('move')
        const { positions } = crowd
        if (picked >= params.agents) picked = 0
        const { field } = groups[picked % GROUPS.length]
        path = field.path(positions[2 * picked], positions[2 * picked + 1])
        lap('query')
        sort()
      },

      draw() {
        drawField()
        if (params.paths) drawPaths()
        drawGoals()
        plane.drawAgents(crowd, kinds.subarray(0, params.agents), [
          ...GROUPS.map(({ name }) => theme[name]),
          theme.agent,
        ])
        plane.drawSegments(own, theme.wall)
        plane.drawSegments(pencil.points, theme.query)
        if (params.path) drawPath()
      },

      report() {
        const { infeasible, steps, time } = crowd.stats()
        const { field } = shownGroup()
        const { anchors, work } = field.stats()
        return {
          numbers: [
            ['Agents', params.agents],
            ['Step time', formatTime(stepTime)],
            ['Field build', formatTime(buildTime)],
            ['Frames per build', lastSlices],
            ['Arrived', arrived],
            ['No path', lost],
            ['Its path', path.reached ? `${path.length.toFixed(1)} m` : 'none'],
            ['Your walls', pencil.count],
            ['Cells', field.columns * field.rows],
            ['Anchors', anchors],
            ['Work per build', work],
            ...touchingNumbers(crowd),
            ['No free velocity', infeasible],
            ['Steps', steps],
            ['Time', `${formatNumber(Math.round(time))} s`],
          ],
        }
      },

      change(field) {
        pencil.change(field)
        if (field === 'agents') reset()
      },

      resize() {
        if (along === stage.along) return
        pencil.abandon()
        pencil.change('clear')
        taken = null
        raise()
        reset()
      },

      scroll: plane.zoom,
      press,

      dispose() {
        index.dispose()
        crowd.dispose()
        for (const { field } of groups) field.dispose()
        walls.dispose()
      },
    }

    function shownGroup() {
      return groups[GROUPS.findIndex(({ name }) => name === params.field)]
    }

    // ---- Drawing ----

    // Draws the field as pictures, which are painted again only if something has changed.
    function drawField() {
      const { field, builds } = shownGroup()
      const [x, y] = place(...HALF)
      const layers = { cells: paintCells, bands: paintBands }
      for (const [layer, paint] of Object.entries(layers)) {
        if (!params[layer]) continue
        const picture = pictures[layer]
        const wanted = [params.field, builds, theme[params.field], along].join()
        if (picture.shown !== wanted) paint(field, picture.canvas)
        picture.shown = wanted
        plane.enter()
        stage.context.imageSmoothingEnabled = false
        stage.context.drawImage(picture.canvas, -x, -y, 2 * x, 2 * y)
        plane.leave()
      }
    }

    // Paints a pixel per cell, of the color that `write(pixels, n)` writes to bytes 4n … 4n + 3.
    function paint({ columns, rows }, canvas, write) {
      Object.assign(canvas, { width: columns, height: rows })
      const context = canvas.getContext('2d')
      const image = context.createImageData(columns, rows)
      for (let n = 0; n < columns * rows; n++) write(image.data, n)
      context.putImageData(image, 0, 0)
      return context
    }

    // Paints bands of equal distances, which fade with the distance.
    function paintBands(field, canvas) {
      const { distances } = field
      const context = paint(field, canvas, (pixels, n) => {
        const isInBand = Math.floor(distances[n] / BAND) % 2 === 0 // false for Infinity
        if (isInBand) pixels[4 * n + 3] = 80 / (1 + distances[n] / NEAR_BAND)
      })
      context.globalCompositeOperation = 'source-in'
      context.fillStyle = theme[params.field]
      context.fillRect(0, 0, canvas.width, canvas.height)
    }

    // Paints cells in the colors of the corners that agents there head for. Blocked cells stay clear.
    function paintCells(field, canvas) {
      const cells = field.cells()
      paint(field, canvas, (pixels, n) => {
        const [anchor, isBlocked] = cells.subarray(7 * n + 5, 7 * n + 7)
        if (anchor < 0 || isBlocked) return
        for (let c = 0; c < 3; c++) pixels[4 * n + c] = 140 + 110 * Math.cos(2.4 * anchor + 2.1 * c)
        pixels[4 * n + 3] = 56
      })
    }

    // Draws the tree of paths: from each turning point to the next.
    function drawPaths() {
      const { context } = stage
      const group = shownGroup()
      if (lines?.group !== group || lines.builds !== group.builds)
        lines = { group, builds: group.builds, paths: group.field.lines() }
      const { paths } = lines
      context.strokeStyle = context.fillStyle = theme[params.field]
      context.lineWidth = 1.5 / plane.enter()
      context.globalAlpha = 0.7
      context.beginPath()
      for (let i = 0; i < paths.length; i += 5) {
        context.moveTo(paths[i], paths[i + 1])
        context.lineTo(paths[i + 2], paths[i + 3])
      }
      context.stroke()
      plane.leave()
    }

    function drawGoals() {
      const { context } = stage
      const near = taken ?? (pointer.wandering || pencil.isDrawing ? null : grabbed())
      const scale = plane.enter()
      groups.forEach((group, n) => {
        const [x, y] = group.goal
        const color = theme[GROUPS[n].name]
        context.strokeStyle = context.fillStyle = color
        context.globalAlpha = group === near ? 0.45 : 0.25
        context.fillRect(x - GOAL, y - GOAL, 2 * GOAL, 2 * GOAL)
        context.globalAlpha = 1
        context.lineWidth = (group === near ? 4 : 2.5) / scale
        context.strokeRect(x - GOAL, y - GOAL, 2 * GOAL, 2 * GOAL)
      })
      plane.leave()
    }

    // Draws the path of the picked agent, with its corners.
    function drawPath() {
      const { context } = stage
      const { positions } = crowd
      const { corners } = path
      const [x, y] = [positions[2 * picked], positions[2 * picked + 1]]
      const scale = plane.enter()
      context.strokeStyle = theme.ink
      context.lineWidth = 2.5 / scale
      context.lineJoin = 'round'
      context.beginPath()
      context.moveTo(x, y)
      for (let i = 0; i < corners.length; i += 2) context.lineTo(corners[i], corners[i + 1])
      context.stroke()
      for (let i = 0; i < corners.length; i += 2)
        fillDisc(context, 3.5 / scale, theme.ink, corners[i], corners[i + 1])
      strokeCircle(context, x, y, Math.max(1.6 * radius, 6 / scale), theme.ink, 2.5 / scale)
      plane.leave()
    }
  },
}
