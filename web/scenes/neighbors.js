// A query at the pointer, among moving agents: its results light up, over the cells of the index. A table shows
// the times of the same query in all indices.

import { AgentTree, Grid } from 'copse'
import { timeRun } from '../view/clock.js'
import { scaleSetting } from '../view/controls.js'
import { drawArea, drawDots, fillDisc, radiusFor, strokeAreas } from '../view/draw.js'
import { addExperimentControls, createExperiment, experimentParams } from '../view/experiment.js'
import { formatNumber, formatTime } from '../view/format.js'
import { createTimer } from '../view/pace.js'
import { SPREADS, spawn } from '../view/spawn.js'
import { theme } from '../view/theme.js'

const MAX_AGENTS = 30_000
const MAX_CELLS = 4_000 // drawn: more would look solid gray
const MIN_SPACING = 8 // pixels between lines of the grid; closer ones are not drawn
const FEW = 8 // agents in a cell of the grid; cells with more change color
const COMPARE_EVERY = 0.12 // seconds; measures one row of the table at a time
const LIMITS = { size: [5, 400], side: [4, 800], k: [1, 500], cellSize: [5, 300] }
const DEGREE = Math.PI / 180

const [TREE, GRID, BRUTE] = ['agent tree', 'grid', 'brute force']
const AXES = ['longest', 'cycle']
const SPLITS = ['midpoint', 'median']

const ruleOf = ({ axis, split }) => `${axis}, ${split}`
const capacity = MAX_AGENTS

/** The rows of the table. */
// copse:
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
  name: 'neighbors',
  title: 'Neighbors',
  order: 12,
  group: 'Trees',
  summary: 'A query at the pointer, in an index that is rebuilt every frame',
  description:
    'Every frame, the index is built again from all moving agents, and the query at the pointer lights up what it finds.',
  try: 'Move the pointer; wheel or pinch resizes it.',
  help: 'The tinted cells are all that the query reads. Choose another index or query under Controls: the table shows the same query in every index. Arrow keys move the query, + and - resize it.',
  legend: [
    ['dot', 'hit', 'found'],
    ['dot', 'agent', 'agent'],
    ['box', 'query', 'query'],
    ['area', 'query', 'cells read'],
    ['box', 'hsl(170 45% 50%)', 'cell'],
    ['box', 'hsl(300 45% 50%)', 'too deep, or crowded'],
  ],

  count: 'agents',
  params: {
    agents: 4_000,
    spread: 'uniform',
    query: 'radius',
    ...{ width: 80, height: 50, ...experimentParams }, // of many queries
    size: 40,
    k: 30,
    halfAngle: 35,
    index: TREE,
    cellSize: 60,
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
    addExperimentControls(gui, params)
    gui.add(params, 'width', ...LIMITS.side, 1).name('area width')
    gui.add(params, 'height', ...LIMITS.side, 1).name('area height')
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
    const results = new Uint32Array(MAX_AGENTS)
    let hits = 0
    let crowd
    let indices = [] // one per row of the table
    let index // the index that is shown
    let stats
    let cells
    let area = { boxes: [], agents: 0 } // area that the query read; for a grid also columns and shared
    let measured = [] // per row: build and query in ms, depth, visits, nodes
    let row = 0
    const timer = createTimer(COMPARE_EVERY, compare)
    const experiment = createExperiment(stage, params, {
      ...{ dimensions: 2, points: true, capacity: MAX_AGENTS },
      label: () => params.index,
      bounds: () => [0, 0, stage.width, stage.height],
      sides: () => [params.width, params.height],
      index: () => index,
      items: () => index.positions.subarray(0, 2 * params.agents),
    })

    function gather() {
      crowd = spawn(params.spread, params.agents, stage.width, stage.height, stage.random)
    }

    function plant() {
      for (const old of indices) old.dispose()
      indices = INDICES.map(({ create }) => create(params))
      selectIndex()
    }

    function selectIndex() {
      row = shownRow()
      index = indices[row]
      measured = indices.map(() => ({}))
      timer.restart()
      fill(index)
      index.build()
      experiment.forget()
    }

    function shownRow() {
      const label = params.index === TREE ? ruleOf(params) : params.index
      return INDICES.findIndex((entry) => entry.label === label)
    }

    function balancedDepth() {
      return Math.max(0, Math.ceil(Math.log2(params.agents / params.leafSize)))
    }

    function fill(index) {
      // copse:
      index.slots = params.agents
      index.positions.set(crowd.positions)
    }

    // Runs the query at the pointer, and returns the ids that it found.
    // copse:
    function runQuery(index) {
      const { x, y, dirX, dirY } = pointer
      const { size, k, halfAngle } = params
      switch (params.query) {
        case 'box':
          return index.range(x - size, y - size, x + size, y + size)
        case 'cone':
          return index.cone(x, y, dirX, dirY, halfAngle * DEGREE, size)
        case 'nearest':
          return index.neighbors(x, y, k)
        default:
          return index.within(x, y, size)
      }
    }

    // Measures one row of the table: the same agents and query.
    function compare() {
      const rival = indices[row]
      fill(rival)
      const now = { build: timeRun(() => rival.build()), query: timeRun(() => runQuery(rival)) }
      const old = measured[row]
      // Smooths the times, except after a big drop: then the code was compiled meanwhile.
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
      results: experiment.results,

      frame(dt, lap) {
        timer.pass(dt)
        lap()
        crowd.move(dt)
        fill(index)
        lap('move')

        // copse:
        index.build()
        lap('build')
        const ids = runQuery(index)
        results.set(ids) // a copy to draw: the queries of the experiment overwrite the ids

        hits = ids.length
        stats = index.stats()
        experiment.run()
        lap('query')
        experiment.pass(dt)
        lap()
      },

      draw() {
        const { positions } = crowd
        const radius = dotRadius(stage, params)
        cells = index.cells()
        area = params.index === GRID ? areaOfGrid() : areaOfTree(radius + 1.5)
        if (params.cells !== 'off') {
          drawTint()
          if (params.index === GRID) drawLines()
          drawCells(params.index === GRID ? 0 : radius + 1.5)
        }
        drawDots(stage, positions, null, params.agents, radius, theme.agent)
        strokeAreas(stage.context, experiment.areas, params.queries)
        drawQuery(positions)
        drawDots(stage, positions, results, hits, 1.35 * radius, theme.hit)
      },

      report() {
        const shown = shownRow()
        const { agents } = area
        experiment.show()
        const about = area.shared && agents < params.agents ? '≈ ' : ''
        return {
          numbers: [
            ['Hits', hits],
            ['Query', formatTime(measured[shown].query)],
            ['SIMD scan', formatTime(measured.at(-1).query)],
            ['Agents read', about + formatNumber(agents)],
            ['Read / hits', hits ? (agents / hits).toFixed(1) : '–'],
            [params.index === GRID ? 'Rows visited' : 'Nodes visited', stats.visits],
          ],
          table: {
            caption: 'The same query in every index',
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
        else if (field !== 'cells') selectIndex()
      },

      resize(x, y) {
        crowd.resize(x, y)
        experiment.forget()
      },

      scroll(steps) {
        if (params.query !== 'nearest')
          return scaleSetting(stage, params, 'size', steps, LIMITS.size)
        const [min, max] = LIMITS.k
        params.k = Math.min(Math.max(params.k + steps, min), max)
        stage.refresh()
      },

      dispose() {
        experiment.dispose()
        for (const index of indices) index.dispose()
      },
    }

    function note() {
      if (params.index === TREE)
        return `A balanced tree would be ${balancedDepth()} deep. Deeper cells turn violet, most of all with cycle and midpoint on the “line” spread.`
      if (params.index === BRUTE) return 'All agents in one leaf, scanned with SIMD.'
      if (area.shared)
        return 'There are more cells than table entries, so distant cells share entries, and the query reads the agents of all of them. If its own cells would share entries, it reads all agents.'
      const columns =
        area.columns > 1
          ? ` Cells have ${area.columns} columns; the query reads those that it meets.`
          : ''
      return `Cells as wide as the radius are best. With larger cells, queries read many agents for nothing; with smaller ones, many empty rows. Crowded cells turn violet.${columns}`
    }

    function isLeaf(offset) {
      return !(cells[offset + 10] > cells[offset + 4]) // the next cell is not its child
    }

    function areaOfTree(margin) {
      const meets = queryMeets()
      const boxes = []
      let agents = 0
      for (let offset = 0; offset < cells.length; offset += 6) {
        const minX = cells[offset]
        const minY = cells[offset + 1]
        const maxX = cells[offset + 2]
        const maxY = cells[offset + 3]
        if (!isLeaf(offset) || !meets(minX, minY, maxX, maxY)) continue
        boxes.push([minX - margin, minY - margin, maxX + margin, maxY + margin])
        agents += cells[offset + 5]
      }
      return { boxes, agents }
    }

    // Returns the area that a query reads in the grid. The grid cuts its cells into columns and reads, in every
    // row that meets the box around the query, the columns that meet it (at least these, for the nearest). If
    // cells share table entries, the number of other agents that it reads is estimated.
    function areaOfGrid() {
      const { positions } = crowd
      const { cellSize } = params
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
      for (let offset = 0; offset < cells.length; offset += 6) {
        left = Math.min(left, cells[offset])
        top = Math.min(top, cells[offset + 1])
        right = Math.max(right, cells[offset + 2])
        bottom = Math.max(bottom, cells[offset + 3])
      }
      let first = Infinity
      for (let i = 0; i < positions.length; i += 2) first = Math.min(first, positions[i])
      // The leftmost agent is in the middle of the first column.
      const columns = Math.round(cellSize / (2 * (first - left)))
      const column = cellSize / columns

      const reach = queryReach()
      const minX = edge(pointer.x - reach, left, right, column)
      const maxX = edge(pointer.x + reach, left, right, column) + column
      const minY = edge(pointer.y - reach, top, bottom, cellSize)
      const maxY = edge(pointer.y + reach, top, bottom, cellSize) + cellSize
      // If rows of the query would share entries with each other, the grid reads all agents at once.
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
      for (const [minX, minY, maxX, maxY] of area.boxes) {
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      }
    }

    // Draws the lines of all cells, empty ones too.
    function drawLines() {
      const { context, width, height } = stage
      const { cellSize } = params
      if (cellSize < MIN_SPACING) return
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

    // Draws outlines of cells, from green to violet: for a tree by depth beyond a balanced tree's, for a
    // grid by the number of agents.
    function drawCells(margin) {
      const { context } = stage
      const step = params.cells === 'leaves' ? 2 : 1
      const skip = Math.max(1, Math.ceil(cells.length / 6 / step / MAX_CELLS))
      const balanced = balancedDepth()
      let color = NaN
      let drawn = 0
      context.lineWidth = 1
      for (let offset = 0; offset < cells.length; offset += 6) {
        if (params.cells === 'leaves' && !isLeaf(offset)) continue
        if (drawn++ % skip !== 0) continue
        const excess =
          params.index === GRID
            ? Math.ceil(Math.log2(cells[offset + 5] / FEW))
            : cells[offset + 4] - balanced
        if (excess !== color) {
          color = excess
          context.strokeStyle = cellColor(excess)
        }
        const x = cells[offset] - margin
        const y = cells[offset + 1] - margin
        context.strokeRect(x, y, cells[offset + 2] + margin - x, cells[offset + 3] + margin - y)
      }
    }

    // Returns the tree's test for boxes: true if the query has to visit them.
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
      const last = results[hits - 1] // nearest first
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
          context.lineTo(positions[2 * results[i]], positions[2 * results[i] + 1])
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

/** Returns the lower border of the cell that holds a value, clamped to the cells between min and max. */
function edge(value, min, max, size) {
  const last = Math.round((max - min) / size) - 1
  return min + size * Math.min(Math.max(Math.floor((value - min) / size), 0), last)
}

// Returns the radius of dots: smaller if the agents crowd.
function dotRadius(stage, { agents, spread }) {
  return radiusFor(stage, agents, spread === 'uniform' ? 0.1 : 0.07, [0.75, 3])
}

// Created once: parsing thousands of colors would take longer than drawing the cells.
const cellColors = Array.from({ length: 9 }, (_, i) => `hsl(${170 + 18 * i} 45% 50% / 0.5)`)

function cellColor(excess) {
  return cellColors[Math.min(Math.max(excess, 0), cellColors.length - 1)]
}
