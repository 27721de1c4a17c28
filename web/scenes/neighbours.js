// The pointer carries a query through a crowd of moving agents: what it finds lights up, over the
// cells of the tree that answers it. A table gives the same query to trees with other rules.

import { AgentTree } from 'copse'
import { formatTime, timeRun } from '../view/clock.js'
import { drawDots } from '../view/draw.js'
import { SPREADS, spawn } from '../view/spawn.js'
import { theme } from '../view/theme.js'

const MAX_AGENTS = 30_000
const MAX_CELLS = 4_000 // drawn: more would be a solid grey
const COMPARE_EVERY = 0.12 // seconds, one row of the table at a time
const LIMITS = { size: [5, 400], k: [1, 500] }
const DEGREE = Math.PI / 180

const RULES = [
  { label: 'longest, midpoint', axis: 'longest', split: 'midpoint' },
  { label: 'longest, median', axis: 'longest', split: 'median' },
  { label: 'cycle, midpoint', axis: 'cycle', split: 'midpoint' },
  { label: 'cycle, median', axis: 'cycle', split: 'median' },
  { label: 'brute force', leafSize: MAX_AGENTS },
]
const BRUTE = RULES.length - 1

export default {
  name: 'neighbours',
  title: 'Neighbours',
  order: 1,
  description:
    'The tree is built anew in every frame. What the query at the pointer finds lights up; the leaves it had to open are tinted.',
  help: 'Pointer or arrow keys move the query, wheel, pinch, + and - change its size. Space pauses, digits choose the scene.',

  params: {
    agents: 600,
    spread: 'uniform',
    query: 'radius',
    size: 90,
    k: 30,
    halfAngle: 35,
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
    gui.add(params, 'axis', ['longest', 'cycle'])
    gui.add(params, 'split', ['midpoint', 'median'])
    gui.add(params, 'leafSize', [1, 2, 4, 8, 10, 16, 32, 64])
    gui.add(params, 'cells', ['leaves', 'all', 'off'])

    const fit = () => {
      size.show(params.query !== 'nearest')
      k.show(params.query === 'nearest')
      halfAngle.show(params.query === 'cone')
    }
    query.onChange(fit)
    fit()
  },

  setup(stage, params) {
    const { pointer } = stage
    const found = new Uint32Array(MAX_AGENTS)
    let hits = 0
    let crowd
    let trees = []
    let tree // the one of the table's rows that is shown
    let stats
    let measured = [] // per row: build and query in ms, depth, visits, nodes
    let nextCompare = 0
    let row = 0

    function gather() {
      crowd = spawn(params.spread, params.agents, stage.width, stage.height, stage.random)
    }

    function plant() {
      for (const old of trees) old.dispose()
      trees = RULES.map(({ axis, split, leafSize = params.leafSize }) => {
        return new AgentTree({ capacity: MAX_AGENTS, axis, split, leafSize })
      })
      choose()
    }

    function choose() {
      tree = trees[shownRow()]
      measured = trees.map(() => ({}))
      nextCompare = 0
      row = shownRow()
    }

    function shownRow() {
      return RULES.findIndex(({ axis, split }) => axis === params.axis && split === params.split)
    }

    function balancedDepth() {
      return Math.max(0, Math.ceil(Math.log2(params.agents / params.leafSize)))
    }

    function fill(tree) {
      tree.count = params.agents
      tree.positions.set(crowd.positions)
    }

    // The query at the pointer; its matches go to `found`, their number is returned.
    function ask(tree) {
      const { x, y, dirX, dirY } = pointer
      const { size, k, halfAngle } = params
      switch (params.query) {
        case 'box':
          return tree.rangeInto(x - size, y - size, x + size, y + size, found)
        case 'cone':
          return tree.coneInto(x, y, dirX, dirY, halfAngle * DEGREE, size, found)
        case 'nearest':
          return tree.neighborsInto(x, y, k, found)
        default:
          return tree.withinInto(x, y, size, found)
      }
    }

    // Times one row of the table: the same agents, the same query.
    function compare() {
      const rival = trees[row]
      fill(rival)
      const now = { build: timeRun(() => rival.build()), query: timeRun(() => ask(rival)) }
      const old = measured[row]
      // Smoothed, but code that was slow until it was compiled is forgotten at once.
      for (const name in now) {
        if (old[name] < 2 * now[name]) now[name] = (old[name] + now[name]) / 2
      }
      const { depth, visits, nodes } = rival.stats()
      measured[row] = { ...now, depth, visits, nodes }
      row = (row + 1) % trees.length
    }

    gather()
    plant()

    return {
      get hits() {
        return hits
      },

      frame(dt, lap) {
        nextCompare -= dt || 1 / 60
        if (nextCompare <= 0) {
          nextCompare = COMPARE_EVERY
          compare()
        }
        lap()
        crowd.move(dt)
        fill(tree)
        lap('move')
        tree.build()
        lap('build')
        hits = ask(tree)
        lap('query')
        stats = tree.stats()
      },

      draw() {
        const { positions } = crowd
        const radius = dotRadius(stage, params)
        if (params.cells !== 'off') drawCells(radius + 1.5)
        drawDots(stage, positions, null, params.agents, radius, theme.agent)
        drawQuery(positions)
        drawDots(stage, positions, found, hits, 1.35 * radius, theme.hit)
      },

      report() {
        const shown = shownRow()
        return {
          numbers: [
            ['Hits', hits],
            ['Query', formatTime(measured[shown].query)],
            ['Brute force', formatTime(measured[BRUTE].query)],
          ],
          table: {
            caption: 'Same agents and query, other rules',
            head: ['axis, split', 'Build', 'Query', 'Depth', 'Visits/nodes'],
            rows: measured.map(({ build, query, depth, visits, nodes }, i) => [
              RULES[i].label,
              formatTime(build),
              formatTime(query),
              depth ?? '–',
              nodes ? `${visits}/${nodes}` : '–',
            ]),
            current: shown,
            note: `Balanced, the tree would be ${balancedDepth()} deep; cells below that turn violet: most with cycle and midpoint on the line. Brute force is one leaf, scanned with SIMD.`,
          },
        }
      },

      change(field) {
        if (field === 'agents' || field === 'spread') gather()
        if (field === 'leafSize') plant()
        else if (field !== 'cells') choose()
      },

      resize(x, y) {
        crowd.resize(x, y)
      },

      scroll(steps) {
        const field = params.query === 'nearest' ? 'k' : 'size'
        const value = field === 'k' ? params.k + steps : params.size * 1.1 ** steps
        const [min, max] = LIMITS[field]
        params[field] = Math.min(Math.max(Math.round(value), min), max)
        stage.refresh()
      },

      dispose() {
        for (const tree of trees) tree.dispose()
      },
    }

    // Outlines turn from green to violet where the tree is deeper than it need be; the leaves
    // that the query had to open are tinted.
    function drawCells(margin) {
      const { context } = stage
      const cells = tree.cells()
      const depthAt = (i) => cells[6 * i + 4]
      const number = cells.length / 6
      const step = params.cells === 'leaves' ? 2 : 1
      const skip = Math.max(1, Math.ceil(number / step / MAX_CELLS))
      const meets = queryMeets()
      const balanced = balancedDepth()
      let depth = -1
      let drawn = 0
      context.lineWidth = 1
      for (let i = 0; i < number; i++) {
        const isLeaf = i + 1 === number || depthAt(i + 1) <= depthAt(i)
        if (params.cells === 'leaves' && !isLeaf) continue
        const at = 6 * i
        const x = cells[at] - margin
        const y = cells[at + 1] - margin
        const width = cells[at + 2] + margin - x
        const height = cells[at + 3] + margin - y
        if (isLeaf && meets(cells[at], cells[at + 1], cells[at + 2], cells[at + 3])) {
          context.fillStyle = theme.tint
          context.fillRect(x, y, width, height)
        }
        if (drawn++ % skip !== 0) continue
        if (depthAt(i) !== depth) {
          depth = depthAt(i)
          context.strokeStyle = cellColor(depth - balanced)
        }
        context.strokeRect(x, y, width, height)
      }
    }

    // The test by which the tree decides whether the query has to look into a box.
    function queryMeets() {
      const { x, y, dirX, dirY } = pointer
      const size = params.query === 'nearest' ? farthestHit() : params.size
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

    function farthestHit() {
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
      context.strokeStyle = context.fillStyle = theme.query
      context.lineWidth = 1.5
      context.beginPath()
      if (params.query === 'box') {
        context.rect(x - size, y - size, 2 * size, 2 * size)
      } else if (params.query === 'cone') {
        const angle = Math.atan2(dirY, dirX)
        const half = params.halfAngle * DEGREE
        if (params.halfAngle < 180) context.moveTo(x, y)
        context.arc(x, y, size, angle - half, angle + half)
        context.closePath()
      } else {
        context.arc(x, y, params.query === 'nearest' ? farthestHit() : size, 0, 2 * Math.PI)
      }
      context.globalAlpha = 0.07
      context.fill()
      context.globalAlpha = 1
      context.stroke()

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
      context.beginPath()
      context.arc(x, y, 2.5, 0, 2 * Math.PI)
      context.fill()
    }
  },
}

// As large as the room of one agent allows, smaller where they crowd.
function dotRadius({ width, height }, { agents, spread }) {
  const share = spread === 'uniform' ? 0.1 : 0.07
  const radius = share * Math.sqrt((width * height) / agents)
  return Math.round(4 * Math.min(Math.max(radius, 0.75), 3)) / 4
}

// Made once: parsing thousands of colours would take longer than drawing the cells.
const cellColors = Array.from({ length: 9 }, (_, i) => `hsl(${170 + 18 * i} 45% 50% / 0.5)`)

function cellColor(tooDeep) {
  return cellColors[Math.min(Math.max(tooDeep, 0), cellColors.length - 1)]
}
