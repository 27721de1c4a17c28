// Moving boxes in a quadtree, which is updated and never rebuilt. Boxes held by inner cells (straddlers) are
// colored: the library only counts them, so the scene finds them itself and compares the counts.

import { Quadtree } from 'copse'
import { smooth, timeRun } from '../view/clock.js'
import { createComparison, isSame, verdict } from '../view/compare.js'
import { addSteps, scaleSetting } from '../view/controls.js'
import { drawArea, fillDisc, strokeAreas } from '../view/draw.js'
import { addExperimentControls, createExperiment, experimentParams } from '../view/experiment.js'
import { formatTime } from '../view/format.js'
import {
  addPopulationControls,
  createPopulation,
  MAX_ADDED,
  populationParams,
} from '../view/population.js'
import { spawn } from '../view/spawn.js'
import { theme } from '../view/theme.js'
import { createStraddlers } from './colliders/straddlers.js'

const ITEMS = [100, 200, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000]
const CAPACITY = ITEMS.at(-1) + MAX_ADDED
const NEST = 60 // radius in which items are born together
const SPREADS = { uniform: 1, battle: 0.7, clusters: 0.4 } // scale of the items: smaller where they crowd
const MAX_BRUTE_PAIRS = 2_000 // items: with more, brute force would slow down the page
const MAX_CROSSES = 3_000 // drawn: more would look solid gray
const MAX_OVERLAPS = 20_000 // drawn: with more, items cover each other anyway
const SIDES = [4, 800] // of the queried area
const [ALL_AT_ONCE, ONE_BY_ONE] = ['moveAll', 'move one by one']
const LARGE = 60 // one in this many items is large
const PAIRS_EVERY = 4 // pairs are compared in every fourth comparison, since that takes long

export default {
  name: 'colliders',
  title: 'Moving boxes (quadtree)',
  order: 17,
  group: 'Boxes and walls',
  summary: 'Box queries and overlaps, in cells that follow the boxes',
  description:
    'A quadtree keeps up with moving boxes: it finds the boxes in the area at the pointer, and all pairs that overlap.',
  try: 'Click to add items, or to strike some.',
  help: 'The leaves that the query visits are tinted. A box that straddles a line belongs to an inner cell. Arrow keys move the area, + and - resize it. Enter clicks.',
  legend: [
    ['dot', 'hit', 'in the area'],
    ['dot', 'agent', 'box'],
    ['dot', 'blue', 'straddles a line'],
    ['dot', 'ink', 'overlap'],
    ['area', 'query', 'leaves visited'],
    ['box', 'hit', 'area of another query'],
  ],

  count: 'items',
  params: {
    items: 2_000,
    spread: 'uniform',
    ...{ width: 80, height: 50 }, // of the queries: about ten hits among 1,500 items
    ...experimentParams,
    ...populationParams,
    update: ALL_AT_ONCE,
    leafSize: 12,
    maxDepth: 8,
    looseness: 1,
    cells: true,
    pairs: true,
  },

  controls(gui, params) {
    addSteps(gui, params, 'items', ITEMS)
    gui.add(params, 'spread', Object.keys(SPREADS))
    gui.add(params, 'width', ...SIDES, 1).name('area width')
    gui.add(params, 'height', ...SIDES, 1).name('area height')
    addExperimentControls(gui, params)
    addPopulationControls(gui, params)
    gui.add(params, 'update', [ALL_AT_ONCE, ONE_BY_ONE])
    gui.add(params, 'leafSize', 0, 64, 1)
    gui.add(params, 'maxDepth', 0, 8, 1)
    gui.add(params, 'looseness', 1, 4, 0.1)
    gui.add(params, 'cells').name('draw cells')
    gui.add(params, 'pairs').name('find overlaps')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    const halves = new Float32Array(2 * CAPACITY)
    const results = new Uint32Array(CAPACITY)
    const expected = new Uint32Array(CAPACITY)
    const straddlers = createStraddlers()
    const straddling = new Uint32Array(CAPACITY)
    let crowd // moves the centers of the boxes
    let tree
    let cells
    let stats
    let hits = 0
    let pairs = null // of the last frame; null: not wanted
    let straddled = 0
    let changes // per frame, smoothed
    let compared = 0 // number of comparisons
    let overlaps = {} // result of comparePairs()
    const comparison = createComparison(compare)
    const area = new Float32Array(4) // queried at the pointer
    const experiment = createExperiment(stage, params, {
      dimensions: 2,
      label: () => 'quadtree',
      bounds: () => [0, 0, stage.width, stage.height],
      sides: () => [params.width, params.height],
      index: () => tree,
      items: () => tree.boxes.subarray(0, 4 * tree.slots),
      capacity: CAPACITY,
    })

    const population = createPopulation(stage, params, {
      dimensions: 2,
      capacity: CAPACITY,
      tree: () => tree,
      place,
      struck: () => tree.range(...area).slice(),
    })
    let nest = { number: -1, x: 0, y: 0 } // where items were born last

    function place(i, number) {
      if (number !== undefined && number !== nest.number) {
        const [x, y] = [0.1 + 0.8 * random(), 0.1 + 0.8 * random()]
        nest = { number, x: x * stage.width, y: y * stage.height }
      }
      const { x, y } = number === undefined ? pointer : nest
      const [angle, reach] = [2 * Math.PI * random(), NEST * random()]
      crowd.place(i, x + reach * Math.cos(angle), y + reach * Math.sin(angle))
      writeBox(tree.boxes, i)
    }

    function gather() {
      const { width, height } = stage
      const room = SPREADS[params.spread] * Math.sqrt((width * height) / params.items)
      crowd = spawn(params.spread, CAPACITY, width, height, random)
      for (let i = 0; i < CAPACITY; i++) {
        // Large items come first, so that small ones are drawn over them.
        const scale = i < params.items / LARGE ? 3 * room : room
        halves[2 * i] = scale * (0.07 + 0.15 * random())
        halves[2 * i + 1] = scale * (0.07 + 0.15 * random())
      }
    }

    function plant() {
      tree?.dispose()
      const { items, leafSize, maxDepth, looseness } = params
      const bounds = [0, 0, stage.width, stage.height]
      // copse:
      tree = new Quadtree({ bounds, capacity: CAPACITY, leafSize, maxDepth, looseness })
      for (let i = 0; i < items; i++) writeBox(tree.boxes, i)
      tree.load(items)

      population.begin(items)
      stats = tree.stats() // resets the count of changes, which includes the load
      changes = undefined
      forget()
    }

    function forget() {
      overlaps = {}
      compared = 0
      comparison.forget()
      experiment.forget()
    }

    // Writes all boxes. One call of moveAll() then updates the tree.
    // copse:
    function writeBoxes() {
      const { boxes } = tree
      for (let n = 0; n < population.count; n++) writeBox(boxes, population.slots[n])
    }

    function writeBox(boxes, i) {
      for (let axis = 0; axis < 2; axis++) {
        const center = crowd.positions[2 * i + axis]
        const half = halves[2 * i + axis]
        boxes[4 * i + axis] = center - half
        boxes[4 * i + axis + 2] = center + half
      }
    }

    function moveOneByOne() {
      const { positions: centers } = crowd
      for (let n = 0; n < population.count; n++) {
        const i = population.slots[n]
        const x = centers[2 * i]
        const y = centers[2 * i + 1]
        const halfX = halves[2 * i]
        const halfY = halves[2 * i + 1]
        tree.move(i, x - halfX, y - halfY, x + halfX, y + halfY)
      }
    }

    function runQuery() {
      const { x, y } = pointer
      const [halfX, halfY] = [params.width / 2, params.height / 2]
      area.set([x - halfX, y - halfY, x + halfX, y + halfY])
      // copse:
      return tree.range(area[0], area[1], area[2], area[3])
    }

    // copse:
    const findPairs = () => tree.pairs()

    function bruteForce() {
      const { boxes } = tree
      const [minX, minY, maxX, maxY] = area
      let count = 0
      for (let i = 0, offset = 0; i < tree.slots; i++, offset += 4) {
        if (boxes[offset] > maxX || boxes[offset + 2] < minX) continue
        if (boxes[offset + 1] > maxY || boxes[offset + 3] < minY) continue
        expected[count++] = i
      }
      return count
    }

    // Calls report(a, b) for every pair, a < b.
    function brutePairs(report) {
      const { boxes } = tree
      const end = 4 * tree.slots
      for (let a = 0; a < end; a += 4) {
        const minX = boxes[a]
        const minY = boxes[a + 1]
        const maxX = boxes[a + 2]
        const maxY = boxes[a + 3]
        for (let b = a + 4; b < end; b += 4) {
          if (boxes[b] > maxX || boxes[b + 2] < minX) continue
          if (boxes[b + 1] > maxY || boxes[b + 3] < minY) continue
          report(a / 4, b / 4)
        }
      }
    }

    function compare() {
      const equal = isSame(runQuery().slice().sort(), expected.subarray(0, bruteForce()))
      if (params.pairs && compared++ % PAIRS_EVERY === 0) comparePairs()
      return { equal, queryTime: timeRun(runQuery), bruteTime: timeRun(bruteForce) }
    }

    function comparePairs() {
      const numberOf = (a, b) => CAPACITY * a + b
      overlaps = { queryTime: timeRun(findPairs, 1) }
      if (tree.count > MAX_BRUTE_PAIRS) return
      const { ids, count } = findPairs()
      const ours = []
      for (let i = 0; i < count; i++) ours.push(numberOf(ids[2 * i], ids[2 * i + 1]))
      const expected = []
      // Runs once: that is long enough for a coarse clock.
      overlaps.bruteTime = timeRun(() => brutePairs((a, b) => expected.push(numberOf(a, b))), 1, 0)
      ours.sort((a, b) => a - b)
      overlaps.equal = isSame(ours, expected)
    }

    gather()
    plant()

    return {
      hits: () => hits,

      results() {
        if (comparison.equal === undefined) return []
        const { bruteTime, equal } = overlaps
        return [
          ...comparison.results(),
          ...experiment.results(),
          { name: 'straddlers', equal: straddled === stats.straddlers },
          ...(equal === undefined ? [] : [{ name: 'brute force pairs', total: bruteTime, equal }]),
        ]
      },

      frame(dt, lap) {
        comparison.pass(dt)
        experiment.pass(dt)
        lap()
        population.pass(dt)
        lap()
        crowd.move(dt)
        if (params.update === ALL_AT_ONCE) writeBoxes()
        lap('move')
        // copse:
        if (params.update === ALL_AT_ONCE) tree.moveAll()
        else moveOneByOne()
        lap('build')
        pairs = params.pairs ? findPairs() : null
        const found = runQuery()
        results.set(found) // a copy to draw: the queries of the experiment overwrite the ids
        hits = found.length

        stats = tree.stats()
        experiment.run()
        lap('query')
        changes = smooth(changes, stats.changes)
      },

      draw() {
        const { boxes } = tree
        cells = tree.cells()
        straddled = straddlers.find(cells, boxes, tree.slots, params.looseness, straddling)
        if (params.cells) {
          drawTint()
          drawCells()
        }
        drawBoxes(population.slots, population.count, theme.agent)
        drawBoxes(straddling, straddled, theme.blue)
        drawBoxes(results, hits, theme.hit)
        if (pairs) drawOverlaps()
        drawQuery()
      },

      report(times) {
        const { nodes, leaves, visits, depth, bytes, perDepth } = stats
        experiment.show()
        return {
          numbers: [
            ['Items', tree.count],
            ...comparison.numbers(),
            ['Hits', hits],
            ['Pairs', pairs ? pairs.count : '–'],
            ['Pair query', formatTime(overlaps.queryTime)],
            ['Brute force pairs', formatTime(overlaps.bruteTime) + verdict(overlaps.equal)],
            ['Update', formatTime(times.build)],
            ...population.numbers(),
            ['Changes per frame', changes.toFixed(changes < 10 ? 1 : 0)],
            ['Nodes', nodes],
            ['Straddlers', stats.straddlers],
            ['Nodes visited', visits],
            ['Leaves', leaves],
            ['Depth', depth],
            ['Bytes per item', Math.round(bytes / CAPACITY)],
          ],
          table: {
            caption: 'Items by depth',
            head: ['Depth', 'Cells', 'Items', 'Straddlers'],
            rows: Array.from({ length: depth + 1 }, (_, level) => {
              const counts = straddlers.perDepth[level]
              return [level, counts.cells, perDepth[level], counts.straddlers]
            }),
            note: 'Every query nearby has to test straddlers. Looser cells extend past their lines: they have fewer straddlers, but queries visit more of them.',
          },
        }
      },

      change(field) {
        if (field === 'items' || field === 'spread') gather()
        if (['items', 'spread', 'leafSize', 'maxDepth', 'looseness'].includes(field)) plant()
        else forget()
      },

      resize(x, y) {
        crowd.resize(x, y)
        plant()
      },

      press: population.press,

      scroll(steps) {
        for (const side of ['width', 'height']) scaleSetting(stage, params, side, steps, SIDES)
        forget()
      },

      dispose() {
        experiment.dispose()
        population.dispose()
        tree.dispose()
      },
    }

    // Tints the leaves that the area meets, looseness included.
    function drawTint() {
      const { context, width, height } = stage
      const { looseness } = params
      context.fillStyle = theme.tint
      for (let offset = 0; offset < cells.length; offset += 6) {
        if (isDivided(offset)) continue
        const minX = cells[offset]
        const minY = cells[offset + 1]
        const maxX = cells[offset + 2]
        const maxY = cells[offset + 3]
        const part = (looseness - 1) / 2 ** (cells[offset + 4] + 1)
        const [marginX, marginY] = [part * width, part * height]
        if (minX - marginX > area[2] || maxX + marginX < area[0]) continue
        if (minY - marginY > area[3] || maxY + marginY < area[1]) continue
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      }
    }

    function isDivided(offset) {
      return cells[offset + 10] > cells[offset + 4] // the next cell is its child
    }

    // Draws the two lines that divide each inner cell, large cells first and stronger.
    function drawCells() {
      const { context } = stage
      context.fillStyle = theme.query
      let left = MAX_CROSSES
      for (let depth = 0; depth < stats.depth && left > 0; depth++) {
        const thick = depth < 2 ? 2 : 1
        context.globalAlpha = Math.max(0.75 - 0.1 * depth, 0.25)
        for (let offset = 0; offset < cells.length && left > 0; offset += 6) {
          if (cells[offset + 4] !== depth || !isDivided(offset)) continue
          const [x, y] = [cells[offset + 8], cells[offset + 9]] // where its first child ends
          const line = (side) => Math.round(side - thick / 2)
          context.fillRect(line(x), cells[offset + 1], thick, cells[offset + 3] - cells[offset + 1])
          context.fillRect(cells[offset], line(y), cells[offset + 2] - cells[offset], thick)
          left--
        }
      }
      context.globalAlpha = 1
    }

    function drawBoxes(ids, count, color) {
      const { context } = stage
      const { boxes } = tree
      context.fillStyle = color
      for (let n = 0; n < count; n++) {
        const offset = 4 * ids[n]
        const x = boxes[offset]
        const y = boxes[offset + 1]
        context.fillRect(x, y, boxes[offset + 2] - x, boxes[offset + 3] - y)
      }
    }

    // Draws the intersection of each pair, at least a speck.
    function drawOverlaps() {
      const { context } = stage
      const { boxes } = tree
      const { ids, count } = pairs
      context.fillStyle = theme.ink
      for (let i = 0, end = 2 * Math.min(count, MAX_OVERLAPS); i < end; i += 2) {
        const a = 4 * ids[i]
        const b = 4 * ids[i + 1]
        const x = Math.max(boxes[a], boxes[b])
        const y = Math.max(boxes[a + 1], boxes[b + 1])
        const width = Math.min(boxes[a + 2], boxes[b + 2]) - x
        const height = Math.min(boxes[a + 3], boxes[b + 3]) - y
        context.fillRect(x, y, Math.max(width, 1), Math.max(height, 1))
      }
    }

    function drawQuery() {
      const { context } = stage
      const { x, y } = pointer
      const { width, height } = params
      strokeAreas(context, experiment.areas, params.queries)
      drawArea(context, theme.query, () => context.rect(area[0], area[1], width, height))
      fillDisc(context, 2.5, theme.query, x, y)
    }
  },
}
