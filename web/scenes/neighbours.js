// The pointer carries a query through a crowd of moving agents: what it finds lights up, over the
// cells of the index that answers it. A table gives the same query to the other indices.

import { AgentTree, Grid } from 'copse'
import { timeRun } from '../view/clock.js'
import { scaleSetting } from '../view/controls.js'
import { drawArea, drawDots, fillDisc, radiusFor } from '../view/draw.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createTimer } from '../view/pace.js'
import { SPREADS, spawn } from '../view/spawn.js'
import { theme } from '../view/theme.js'

const MAX_AGENTS = 30_000
const MAX_CELLS = 4_000 // drawn: more would be a solid gray
const LEAST_LINES = 8 // pixels between them
const FEW = 8 // agents in a cell of the grid
const COMPARE_EVERY = 0.12 // seconds, one row of the table at a time
const LIMITS = { size: [5, 400], k: [1, 500], cellSize: [5, 300] }
const DEGREE = Math.PI / 180

const [TREE, GRID, BRUTE] = ['agent tree', 'grid', 'brute force']
const AXES = ['longest', 'cycle']
const SPLITS = ['midpoint', 'median']

const ruleOf = ({ axis, split }) => `${axis}, ${split}`
const capacity = MAX_AGENTS

/** The rows of the table. */
const INDICES = [
  ...AXES.flatMap((axis) =>
    SPLITS.map((split) => ({
      label: ruleOf({ axis, split }),
      create: ({ leafSize }) => new AgentTree({ capacity, axis, split, leafSize }),
    })),
  ),
  { label: GRID, create: ({ cellSize }) => new Grid({ capacity, cellSize }) },
  { label: BRUTE, create: () => new AgentTree({ capacity, leafSize: MAX_AGENTS }) },
]

export default {
  name: 'neighbours',
  title: 'Neighbors',
  order: 1,
  group: 'Trees',
  summary: 'A query at the pointer, in an index built anew in every frame',
  description:
    'The index is built anew in every frame. What the query at the pointer finds lights up; what it had to read for that is tinted.',
  help: 'Pointer or arrow keys move the query, wheel, pinch, + and - change its size.',

  count: 'agents',
  params: {
    agents: 600,
    spread: 'uniform',
    query: 'radius',
    size: 90,
    k: 30,
    halfAngle: 35,
    index: TREE,
    cellSize: 90,
    axis: 'longest',
    split: 'midpoint',
    leafSize: 8,
    cells: 'leaves',
  },

  controls(gui, params) {
    gui.add(params, 'agents', 100, MAX_AGENTS, 100)
    gui.add(params, 'spread', SPREADS)
    const query = gui.add(params, 'query', ['radius', 'box', 'cone', 'nearest'])
    const size = gui.add(params, 'size', ...LIMITS.size, 1)
    const k = gui.add(params, 'k', ...LIMITS.k, 1)
    const halfAngle = gui.add(params, 'halfAngle', 1, 180, 1).name('half angle °')
    const index = gui.add(params, 'index', [TREE, GRID, BRUTE])
    const ofTree = [
      gui.add(params, 'axis', AXES),
      gui.add(params, 'split', SPLITS),
      gui.add(params, 'leafSize', [1, 2, 4, 8, 10, 16, 32, 64]),
    ]
    const cellSize = gui.add(params, 'cellSize', ...LIMITS.cellSize, 1)
    gui.add(params, 'cells', ['leaves', 'all', 'off'])

    const fit = () => {
      size.show(params.query !== 'nearest')
      k.show(params.query === 'nearest')
      halfAngle.show(params.query === 'cone')
      for (const controller of ofTree) controller.show(params.index === TREE)
      cellSize.show(params.index === GRID)
    }
    query.onChange(fit)
    index.onChange(fit)
    fit()
  },

  setup(stage, params) {
    const { pointer } = stage
    const found = new Uint32Array(MAX_AGENTS)
    let hits = 0
    let crowd
    let indices = [] // one for each row of the table
    let index // the one that is shown
    let stats
    let cells
    let look = { boxes: [], agents: 0 } // what the query read; by a grid: columns, shared
    let measured = [] // per row: build and query in ms, depth, visits, nodes
    let row = 0
    const timer = createTimer(COMPARE_EVERY, compare)

    function gather() {
      crowd = spawn(params.spread, params.agents, stage.width, stage.height, stage.random)
    }

    function plant() {
      for (const old of indices) old.dispose()
      indices = INDICES.map(({ create }) => create(params))
      choose()
    }

    function choose() {
      row = shownRow()
      index = indices[row]
      measured = indices.map(() => ({}))
      timer.restart()
    }

    function shownRow() {
      const label = params.index === TREE ? ruleOf(params) : params.index
      return INDICES.findIndex((one) => one.label === label)
    }

    function balancedDepth() {
      return Math.max(0, Math.ceil(Math.log2(params.agents / params.leafSize)))
    }

    function fill(index) {
      index.slots = params.agents
      index.positions.set(crowd.positions)
    }

    // The query at the pointer; its matches go to `found`, their number is returned.
    function ask(index) {
      const { x, y, dirX, dirY } = pointer
      const { size, k, halfAngle } = params
      switch (params.query) {
        case 'box':
          return index.rangeInto(x - size, y - size, x + size, y + size, found)
        case 'cone':
          return index.coneInto(x, y, dirX, dirY, halfAngle * DEGREE, size, found)
        case 'nearest':
          return index.neighborsInto(x, y, k, found)
        default:
          return index.withinInto(x, y, size, found)
      }
    }

    // Times one row of the table: the same agents, the same query.
    function compare() {
      const rival = indices[row]
      fill(rival)
      const now = { build: timeRun(() => rival.build()), query: timeRun(() => ask(rival)) }
      const old = measured[row]
      // Smoothed, but code that was slow until it was compiled is forgotten at once.
      for (const name in now) {
        if (old[name] < 2 * now[name]) now[name] = (old[name] + now[name]) / 2
      }
      const { depth, visits, nodes } = rival.stats()
      measured[row] = { ...now, depth, visits, nodes }
      row = (row + 1) % indices.length
    }

    gather()
    plant()

    return {
      hits: () => hits,

      frame(dt, lap) {
        timer.pass(dt)
        lap()
        crowd.move(dt)
        fill(index)
        lap('move')
        index.build()
        lap('build')
        hits = ask(index)
        lap('query')
        stats = index.stats()
      },

      draw() {
        const { positions } = crowd
        const radius = dotRadius(stage, params)
        cells = index.cells()
        look = params.index === GRID ? lookAtGrid() : lookAtLeaves(radius + 1.5)
        if (params.cells !== 'off') {
          drawTint()
          if (params.index === GRID) drawLines()
          drawCells(params.index === GRID ? 0 : radius + 1.5)
        }
        drawDots(stage, positions, null, params.agents, radius, theme.agent)
        drawQuery(positions)
        drawDots(stage, positions, found, hits, 1.35 * radius, theme.hit)
      },

      report() {
        const shown = shownRow()
        const { agents } = look
        const about = look.shared && agents < params.agents ? '≈ ' : ''
        return {
          numbers: [
            ['Hits', hits],
            ['Query', formatTime(measured[shown].query)],
            ['Brute force', formatTime(measured.at(-1).query)],
            ['Agents read', about + formatNumber(agents)],
            ['Read / hits', hits ? (agents / hits).toFixed(1) : '–'],
            [params.index === GRID ? 'Rows visited' : 'Nodes visited', stats.visits],
          ],
          table: {
            caption: 'Same agents and query, other indices',
            head: ['', 'Build', 'Query', 'Depth', 'Visits/nodes'],
            rows: measured.map(({ build, query, depth, visits, nodes }, i) => [
              INDICES[i].label,
              formatTime(build),
              formatTime(query),
              depth || '–',
              nodes ? `${visits}/${nodes}` : '–',
            ]),
            current: shown,
            note: note(),
          },
        }
      },

      change(field) {
        if (field === 'agents' || field === 'spread') gather()
        if (field === 'leafSize' || field === 'cellSize') plant()
        else if (field !== 'cells') choose()
      },

      resize: (x, y) => crowd.resize(x, y),

      scroll(steps) {
        if (params.query !== 'nearest')
          return scaleSetting(stage, params, 'size', steps, LIMITS.size)
        const [min, max] = LIMITS.k
        params.k = Math.min(Math.max(params.k + steps, min), max)
        stage.refresh()
      },

      dispose() {
        for (const index of indices) index.dispose()
      },
    }

    function note() {
      if (params.index === TREE)
        return `Balanced, the tree would be ${balancedDepth()} deep; cells below that turn violet: most with cycle and midpoint on the line.`
      if (params.index === BRUTE) return 'All agents in one leaf, scanned with SIMD.'
      if (look.shared)
        return 'More cells than the table has entries: cells far apart share them, and the query reads the agents of both; of all, where even its own cells would share.'
      const columns =
        look.columns > 1
          ? ` Of ${look.columns} columns in each, those that the query meets are read.`
          : ''
      return `Best are cells as wide as the radius. Larger: many agents read in vain. Smaller: many rows, mostly empty. Crowded ones turn violet.${columns}`
    }

    function isLeaf(at) {
      return !(cells[at + 10] > cells[at + 4]) // the next one is not in it
    }

    function lookAtLeaves(margin) {
      const meets = queryMeets()
      const boxes = []
      let agents = 0
      for (let at = 0; at < cells.length; at += 6) {
        const minX = cells[at]
        const minY = cells[at + 1]
        const maxX = cells[at + 2]
        const maxY = cells[at + 3]
        if (!isLeaf(at) || !meets(minX, minY, maxX, maxY)) continue
        boxes.push([minX - margin, minY - margin, maxX + margin, maxY + margin])
        agents += cells[at + 5]
      }
      return { boxes, agents }
    }

    // The grid cuts its cells into columns and reads, in every row that meets the box around the
    // query, the columns that meet it; of the nearest, at least. Where cells share entries of its
    // table, how many others it reads is estimated.
    function lookAtGrid() {
      const { positions } = crowd
      const { cellSize } = params
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
      for (let at = 0; at < cells.length; at += 6) {
        left = Math.min(left, cells[at])
        top = Math.min(top, cells[at + 1])
        right = Math.max(right, cells[at + 2])
        bottom = Math.max(bottom, cells[at + 3])
      }
      let first = Infinity
      for (let i = 0; i < positions.length; i += 2) first = Math.min(first, positions[i])
      // The first agent is in the middle of the first column.
      const columns = Math.round(cellSize / (2 * (first - left)))
      const column = cellSize / columns

      const reach = queryReach()
      const minX = edge(pointer.x - reach, left, right, column)
      const maxX = edge(pointer.x + reach, left, right, column) + column
      const minY = edge(pointer.y - reach, top, bottom, cellSize)
      const maxY = edge(pointer.y + reach, top, bottom, cellSize) + cellSize
      // Where its rows would share entries with each other, the grid reads all agents at once.
      if (Math.round((maxY - minY) / cellSize) > stats.visits) {
        return { boxes: [[left, top, right, bottom]], agents: params.agents, shared: true }
      }

      let agents = 0
      for (let i = 0; i < positions.length; i += 2) {
        const x = positions[i]
        const y = positions[i + 1]
        if (x >= minX && x < maxX && y >= minY && y < maxY) agents++
      }
      const boxes = [[minX, minY, maxX, maxY]]
      const cellsIn = (width, height) => Math.round((width * height) / (cellSize * cellSize))
      const shared = cellsIn(right - left, bottom - top) > stats.nodes
      if (shared) {
        const share = cellsIn(maxX - minX, maxY - minY) / stats.nodes
        agents += Math.round((params.agents - agents) * share)
      }
      return { boxes, agents, columns, shared }
    }

    function drawTint() {
      const { context } = stage
      context.fillStyle = theme.tint
      for (const [minX, minY, maxX, maxY] of look.boxes) {
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      }
    }

    // Of all cells, also the empty ones.
    function drawLines() {
      const { context, width, height } = stage
      const { cellSize } = params
      if (cellSize < LEAST_LINES) return
      context.strokeStyle = theme.line
      context.lineWidth = 1
      context.beginPath()
      for (let x = cells[0] % cellSize; x < width; x += cellSize) {
        context.moveTo(x, 0)
        context.lineTo(x, height)
      }
      for (let y = cells[1] % cellSize; y < height; y += cellSize) {
        context.moveTo(0, y)
        context.lineTo(width, y)
      }
      context.stroke()
    }

    // Outlines turn from green to violet where the tree is deeper than it need be, and where many
    // agents are in a cell of the grid.
    function drawCells(margin) {
      const { context } = stage
      const step = params.cells === 'leaves' ? 2 : 1
      const skip = Math.max(1, Math.ceil(cells.length / 6 / step / MAX_CELLS))
      const balanced = balancedDepth()
      let color = NaN
      let drawn = 0
      context.lineWidth = 1
      for (let at = 0; at < cells.length; at += 6) {
        if (params.cells === 'leaves' && !isLeaf(at)) continue
        if (drawn++ % skip !== 0) continue
        const excess =
          params.index === GRID
            ? Math.ceil(Math.log2(cells[at + 5] / FEW))
            : cells[at + 4] - balanced
        if (excess !== color) {
          color = excess
          context.strokeStyle = cellColor(excess)
        }
        const x = cells[at] - margin
        const y = cells[at + 1] - margin
        context.strokeRect(x, y, cells[at + 2] + margin - x, cells[at + 3] + margin - y)
      }
    }

    // The test by which the tree decides whether the query has to look into a box.
    function queryMeets() {
      const { x, y, dirX, dirY } = pointer
      const size = queryReach()
      if (params.query === 'box') {
        return (minX, minY, maxX, maxY) =>
          minX <= x + size && maxX >= x - size && minY <= y + size && maxY >= y - size
      }
      const cosine = params.query === 'cone' ? Math.cos(params.halfAngle * DEGREE) : 0
      return (minX, minY, maxX, maxY) => {
        const gapX = Math.max(minX - x, 0, x - maxX)
        const gapY = Math.max(minY - y, 0, y - maxY)
        const gap2 = gapX * gapX + gapY * gapY
        if (gap2 > size * size) return false
        if (cosine <= 0) return true
        const ahead = ((dirX > 0 ? maxX : minX) - x) * dirX + ((dirY > 0 ? maxY : minY) - y) * dirY
        return cosine * Math.sqrt(gap2) <= ahead
      }
    }

    function queryReach() {
      if (params.query !== 'nearest') return params.size
      if (hits === 0) return 0
      const last = found[hits - 1] // nearest first
      return Math.hypot(
        crowd.positions[2 * last] - pointer.x,
        crowd.positions[2 * last + 1] - pointer.y,
      )
    }

    function drawQuery(positions) {
      const { context } = stage
      const { x, y, dirX, dirY } = pointer
      const { size } = params
      drawArea(context, theme.query, () => {
        if (params.query === 'box') {
          context.rect(x - size, y - size, 2 * size, 2 * size)
        } else if (params.query === 'cone') {
          const angle = Math.atan2(dirY, dirX)
          const half = params.halfAngle * DEGREE
          if (params.halfAngle < 180) context.moveTo(x, y)
          context.arc(x, y, size, angle - half, angle + half)
          context.closePath()
        } else {
          context.arc(x, y, queryReach(), 0, 2 * Math.PI)
        }
      })
      if (params.query === 'nearest') {
        context.beginPath()
        for (let i = 0; i < hits; i++) {
          context.moveTo(x, y)
          context.lineTo(positions[2 * found[i]], positions[2 * found[i] + 1])
        }
        context.globalAlpha = 0.35
        context.lineWidth = 1
        context.stroke()
        context.globalAlpha = 1
      }
      fillDisc(context, 2.5, theme.query, x, y)
    }
  },
}

/** Where the step begins that holds a value, of steps between two ends; outside, the one at that end. */
function edge(value, from, to, step) {
  const last = Math.round((to - from) / step) - 1
  return from + step * Math.min(Math.max(Math.floor((value - from) / step), 0), last)
}

// Smaller where they crowd.
function dotRadius(stage, { agents, spread }) {
  return radiusFor(stage, agents, spread === 'uniform' ? 0.1 : 0.07, [0.75, 3])
}

// Made once: parsing thousands of colors would take longer than drawing the cells.
const cellColors = Array.from({ length: 9 }, (_, i) => `hsl(${170 + 18 * i} 45% 50% / 0.5)`)

function cellColor(excess) {
  return cellColors[Math.min(Math.max(excess, 0), cellColors.length - 1)]
}
