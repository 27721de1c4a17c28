// Boxes that move all the time, in a quadtree that is never built: it follows them. Those that a divided
// cell holds are colored; the library only counts them, so the scene finds them itself and compares.

import { Quadtree } from 'copse'
import { smooth, timeRun } from '../view/clock.js'
import { createComparison, isSame, verdict } from '../view/compare.js'
import { addSteps, scaleSetting } from '../view/controls.js'
import { drawArea, fillDisc } from '../view/draw.js'
import { formatTime } from '../view/format.js'
import { spawn } from '../view/spawn.js'
import { theme } from '../view/theme.js'
import { createStraddlers } from './colliders/straddlers.js'

const ITEMS = [100, 200, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000]
const MOST = ITEMS.at(-1)
const SPREADS = { uniform: 1, battle: 0.7, clusters: 0.4 } // how large items are where they crowd
const MAX_BRUTE_PAIRS = 2_000 // items: with more, brute force would be felt
const MAX_CROSSES = 3_000 // drawn: more would be a solid gray
const MAX_OVERLAPS = 20_000 // drawn: beyond, items cover each other anyway
const SIZES = [5, 400]
const [ALL_AT_ONCE, ONE_BY_ONE] = ['moveAll', 'move one by one']
const LARGE = 60 // one item in so many is a large one
const PAIRS_EVERY = 4 // comparisons: they take long
const { fround } = Math

export default {
  name: 'colliders',
  title: 'Colliders',
  order: 5,
  group: 'Boxes and walls',
  summary: 'Moving boxes in a quadtree: hits and overlaps',
  description:
    'A quadtree that follows what moves. Boxes that meet the area at the pointer light up; the leaves it looks into are tinted. Blue ones straddle a line, so a divided cell holds them. Where two overlap is marked.',
  help: 'Pointer or arrow keys move the area, wheel, pinch, + and - change its size.',

  count: 'items',
  params: {
    items: 1_500,
    spread: 'uniform',
    size: 90,
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
    gui.add(params, 'size', ...SIZES, 1)
    gui.add(params, 'update', [ALL_AT_ONCE, ONE_BY_ONE])
    gui.add(params, 'leafSize', 0, 64, 1)
    gui.add(params, 'maxDepth', 0, 8, 1)
    gui.add(params, 'looseness', 1, 4, 0.1)
    gui.add(params, 'cells').name('draw cells')
    gui.add(params, 'pairs').name('find overlaps')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    const halves = new Float32Array(2 * MOST)
    const found = new Uint32Array(MOST)
    const expected = new Uint32Array(MOST)
    const pairs = new Uint32Array(2 * MAX_OVERLAPS) // those that are drawn
    const straddlers = createStraddlers()
    const straddling = new Uint32Array(MOST)
    let crowd // the middles of the boxes
    let tree
    let cells
    let stats
    let hits = 0
    let pairCount = 0
    let straddled = 0
    let changes // a frame, smoothed
    let compared = 0 // times
    let overlaps = {} // as a comparison has them
    const comparison = createComparison(compare)

    function gather() {
      const { width, height } = stage
      const room = SPREADS[params.spread] * Math.sqrt((width * height) / params.items)
      crowd = spawn(params.spread, params.items, width, height, random)
      for (let i = 0; i < params.items; i++) {
        // The large ones come first, so that small ones are drawn over them.
        const scale = i < params.items / LARGE ? 3 * room : room
        halves[2 * i] = scale * (0.07 + 0.15 * random())
        halves[2 * i + 1] = scale * (0.07 + 0.15 * random())
      }
    }

    function plant() {
      tree?.dispose()
      const { items: capacity, leafSize, maxDepth, looseness } = params
      const bounds = [0, 0, stage.width, stage.height]
      tree = new Quadtree({ bounds, capacity, leafSize, maxDepth, looseness })
      writeBoxes()
      tree.load(capacity)
      stats = tree.stats() // what came is no change of a frame
      changes = undefined
      forget()
    }

    function forget() {
      overlaps = {}
      compared = 0
      comparison.forget()
    }

    // The game writes where everything is, then tells so once.
    function writeBoxes() {
      const { boxes } = tree
      const { positions: middles } = crowd
      for (let i = 0; i < params.items; i++) {
        for (let axis = 0; axis < 2; axis++) {
          const at = 2 * i + axis
          boxes[4 * i + axis] = middles[at] - halves[at]
          boxes[4 * i + axis + 2] = middles[at] + halves[at]
        }
      }
    }

    function moveOneByOne() {
      const { positions: middles } = crowd
      for (let i = 0; i < params.items; i++) {
        const x = middles[2 * i]
        const y = middles[2 * i + 1]
        const halfX = halves[2 * i]
        const halfY = halves[2 * i + 1]
        tree.move(i, x - halfX, y - halfY, x + halfX, y + halfY)
      }
    }

    function ask() {
      const { x, y } = pointer
      const { size } = params
      return tree.rangeInto(x - size, y - size, x + size, y + size, found)
    }

    const askPairs = () => tree.pairsInto(pairs)

    function bruteForce() {
      const { boxes } = tree
      const minX = fround(pointer.x - params.size)
      const minY = fround(pointer.y - params.size)
      const maxX = fround(pointer.x + params.size)
      const maxY = fround(pointer.y + params.size)
      let count = 0
      for (let i = 0, at = 0; i < params.items; i++, at += 4) {
        if (boxes[at] > maxX || boxes[at + 2] < minX) continue
        if (boxes[at + 1] > maxY || boxes[at + 3] < minY) continue
        expected[count++] = i
      }
      return count
    }

    // Calls met(a, b) for every pair, a < b.
    function brutePairs(met) {
      const { boxes } = tree
      const end = 4 * params.items
      for (let a = 0; a < end; a += 4) {
        const minX = boxes[a]
        const minY = boxes[a + 1]
        const maxX = boxes[a + 2]
        const maxY = boxes[a + 3]
        for (let b = a + 4; b < end; b += 4) {
          if (boxes[b] > maxX || boxes[b + 2] < minX) continue
          if (boxes[b + 1] > maxY || boxes[b + 3] < minY) continue
          met(a / 4, b / 4)
        }
      }
    }

    function compare() {
      hits = ask()
      const equal = isSame(found.subarray(0, hits).sort(), expected.subarray(0, bruteForce()))
      if (params.pairs && compared++ % PAIRS_EVERY === 0) comparePairs()
      return { equal, queryTime: timeRun(ask), bruteTime: timeRun(bruteForce) }
    }

    function comparePairs() {
      const numberOf = (a, b) => MOST * a + b
      overlaps = { queryTime: timeRun(askPairs, 1) }
      if (params.items > MAX_BRUTE_PAIRS) return
      const ids = tree.pairs()
      const ours = []
      for (let i = 0; i < ids.length; i += 2) ours.push(numberOf(ids[i], ids[i + 1]))
      const all = []
      // Once: it takes long enough even for a coarse clock.
      overlaps.bruteTime = timeRun(() => brutePairs((a, b) => all.push(numberOf(a, b))), 1, 0)
      ours.sort((a, b) => a - b)
      overlaps.equal = isSame(ours, all)
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
          { name: 'straddlers', equal: straddled === stats.straddlers },
          ...(equal === undefined ? [] : [{ name: 'brute force pairs', total: bruteTime, equal }]),
        ]
      },

      frame(dt, lap) {
        comparison.pass(dt)
        lap()
        crowd.move(dt)
        if (params.update === ALL_AT_ONCE) writeBoxes()
        lap('move')
        if (params.update === ALL_AT_ONCE) tree.moveAll()
        else moveOneByOne()
        lap('build')
        pairCount = params.pairs ? askPairs() : 0
        hits = ask()
        lap('query')
        stats = tree.stats()
        changes = smooth(changes, stats.changes)
      },

      draw() {
        const { boxes } = tree
        cells = tree.cells()
        straddled = straddlers.find(cells, boxes, params.items, params.looseness, straddling)
        if (params.cells) {
          drawTint()
          drawCells()
        }
        drawBoxes(null, params.items, theme.agent)
        drawBoxes(straddling, straddled, theme.blue)
        drawBoxes(found, hits, theme.hit)
        if (params.pairs) drawOverlaps()
        drawQuery()
      },

      report(times) {
        const { nodes, leaves, visits, depth, bytes, perDepth } = stats
        return {
          numbers: [
            ['Hits', hits],
            ...comparison.numbers(),
            ['Pairs', params.pairs ? pairCount : '–'],
            ['All pairs', formatTime(overlaps.queryTime)],
            ['Brute force pairs', formatTime(overlaps.bruteTime) + verdict(overlaps.equal)],
            ['Items', params.items],
            ['Update', formatTime(times.build)],
            ['Changes a frame', changes.toFixed(changes < 10 ? 1 : 0)],
            ['Nodes', nodes],
            ['Straddlers', stats.straddlers],
            ['Nodes visited', visits],
            ['Leaves', leaves],
            ['Depth', depth],
            ['Bytes an item', Math.round(bytes / params.items)],
          ],
          table: {
            caption: 'What holds the items',
            head: ['Depth', 'Cells', 'Items', 'Straddlers'],
            rows: Array.from({ length: depth + 1 }, (_, level) => {
              const met = straddlers.perDepth[level]
              return [level, met.cells, perDepth[level], met.straddlers]
            }),
            note: 'Every query that comes near looks at straddlers. Looser cells reach over their lines and hold them farther down, but more cells meet a query.',
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

      scroll: (steps) => scaleSetting(stage, params, 'size', steps, SIZES),

      dispose: () => tree.dispose(),
    }

    // The leaves that the area meets, as loose as they are.
    function drawTint() {
      const { context, width, height } = stage
      const { size, looseness } = params
      const { x, y } = pointer
      context.fillStyle = theme.tint
      for (let at = 0; at < cells.length; at += 6) {
        if (isDivided(at)) continue
        const minX = cells[at]
        const minY = cells[at + 1]
        const maxX = cells[at + 2]
        const maxY = cells[at + 3]
        const part = (looseness - 1) / 2 ** (cells[at + 4] + 1)
        const reachX = size + part * width
        const reachY = size + part * height
        if (minX > x + reachX || maxX < x - reachX) continue
        if (minY > y + reachY || maxY < y - reachY) continue
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      }
    }

    function isDivided(at) {
      return cells[at + 10] > cells[at + 4] // the next one is in it
    }

    // The two lines that divide a cell; those of large cells first, and stronger.
    function drawCells() {
      const { context } = stage
      context.fillStyle = theme.query
      let left = MAX_CROSSES
      for (let depth = 0; depth < stats.depth && left > 0; depth++) {
        const thick = depth < 2 ? 2 : 1
        context.globalAlpha = Math.max(0.75 - 0.1 * depth, 0.25)
        for (let at = 0; at < cells.length && left > 0; at += 6) {
          if (cells[at + 4] !== depth || !isDivided(at)) continue
          const [x, y] = [cells[at + 8], cells[at + 9]] // where its first child ends
          const line = (side) => Math.round(side - thick / 2)
          context.fillRect(line(x), cells[at + 1], thick, cells[at + 3] - cells[at + 1])
          context.fillRect(cells[at], line(y), cells[at + 2] - cells[at], thick)
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
        const at = 4 * (ids ? ids[n] : n)
        const x = boxes[at]
        const y = boxes[at + 1]
        context.fillRect(x, y, boxes[at + 2] - x, boxes[at + 3] - y)
      }
    }

    // What both of a pair cover, at least a speck.
    function drawOverlaps() {
      const { context } = stage
      const { boxes } = tree
      context.fillStyle = theme.ink
      for (let i = 0, end = 2 * Math.min(pairCount, MAX_OVERLAPS); i < end; i += 2) {
        const a = 4 * pairs[i]
        const b = 4 * pairs[i + 1]
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
      const { size } = params
      drawArea(context, theme.query, () => context.rect(x - size, y - size, 2 * size, 2 * size))
      fillDisc(context, 2.5, theme.query, x, y)
    }
  },
}
