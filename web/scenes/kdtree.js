// Resting points and their k-d tree: a line through each point halves the rest. The search for the nearest
// point is shown step by step. The library does not report its steps, so the scene runs the search itself, in
// the library's order, and compares the results.

import { KdTree } from 'copse'
import { addButton, addSteps } from '../view/controls.js'
import { distance2 } from '../view/distance.js'
import { createDoublePress } from '../view/doublepress.js'
import { drawArea, drawDots, radiusFor, strokeCircle, wrapText } from '../view/draw.js'
import { formatFactor, formatNumber, formatTime } from '../view/format.js'
import { SPREADS, spawn, stretch } from '../view/spawn.js'
import { FONT, theme } from '../view/theme.js'
import { searchSteps } from './kdtree/search.js'

const POINTS = [10, 20, 30, 50, 100, 200, 500, 1_000, 2_000, 5_000]
const DROPS = 1_000 // capacity for points that the user adds
const LEVELS = 13 // levels of the largest tree without added points
const BUILDERS = ['quickselect', 'median-of-medians', 'presort']
const SORT = 'sort per level'
const MEASURED = { 'these points': 0, '10,000 points': 10_000, '100,000 points': 100_000 }
const [PLAY, STEPS, AT_ONCE] = ['play', 'step by step', 'at once']
const REST = 1.6 // seconds for which the end of a search is shown
const SETTLED = 30 // frames without a change until build times are measured
const MOVED = 2 // pixels: smaller movements of the pointer are ignored, since hands tremble
const HATCH = 7 // pixels between strokes
const LABEL_ROOM = 1_600 // pixels² of stage per point; with less, labels would cover points

export default {
  name: 'kdtree',
  title: 'k-d tree',
  order: 13,
  group: 'Trees',
  summary: 'A balanced tree and its lines, searched step by step',
  description:
    'A balanced tree divides the points at the median of x, then of y, and so on; the search prunes what is too far away.',
  try: 'Move the pointer; press twice to add a point.',
  help: 'The search first goes down to the cell of the pointer, without reading a point. On the way back it reads the points that wait on its stack, and skips a side that is farther away than the best point so far. A double click, a double tap or Enter adds a point; arrow keys move the query; wheel, pinch, + and - step through the search.',
  legend: [
    ['line', 'red', 'divides x'],
    ['line', 'blue', 'divides y'],
    ['dot', 'query', 'point read'],
    ['dot', 'hit', 'nearest so far'],
    ['hatch', 'muted', 'pruned'],
  ],

  count: 'points',
  params: {
    points: 50,
    spread: 'uniform',
    builder: 'quickselect',
    levels: LEVELS,
    search: PLAY,
    speed: 4,
    measure: 10_000,
  },

  controls(gui, params) {
    addSteps(gui, params, 'points', POINTS)
    gui.add(params, 'spread', SPREADS)
    gui.add(params, 'builder', BUILDERS)
    gui.add(params, 'levels', 0, LEVELS, 1).name('levels shown')
    gui.add(params, 'search', [PLAY, STEPS, AT_ONCE])
    gui.add(params, 'speed', 1, 30, 1).name('steps per second')
    addButton(gui, 'forward', 'Step forward')
    addButton(gui, 'back', 'Step back')
    addButton(gui, 'again', 'Search again')
    addButton(gui, 'add', 'Add a point at the query')
    addButton(gui, 'reset', 'Remove added points')
    addButton(gui, 'building', 'How the tree is built')
    gui.add(params, 'measure', MEASURED).name('build times')
    addButton(gui, 'run', 'Measure again')
  },

  setup(stage, params) {
    const { pointer } = stage
    const isDouble = createDoublePress(pointer)
    const query = { x: pointer.x, y: pointer.y }
    let tree
    let spawned = 0 // number of spawned points; points after them were added
    let order
    let cells
    let search
    let step = 0
    let due = 0 // seconds until the next step
    let equal = { nearest: true, brute: true } // true if they find what the search finds
    let worker = null
    let measured = {} // build times, by builder
    let untilMeasure = SETTLED // frames
    let hatch = { picture: null, look: '' }

    function plant() {
      const old = tree
      // copse:
      tree = new KdTree({ capacity: POINTS.at(-1) + DROPS, builder: params.builder })

      if (old) {
        tree.slots = old.slots
        tree.positions.set(old.positions.subarray(0, 2 * old.slots))
        old.dispose()
      }
    }

    function gather() {
      const { width, height, random } = stage
      const { positions } = spawn(params.spread, params.points, width, height, random)
      // copse:
      tree.slots = spawned = params.points
      tree.positions.set(positions)
    }

    function build() {
      if (!params.measure) forgetTimes()
      // copse:
      tree.build()
      order = tree.order()
      cells = tree.cells()

      seek()
    }

    // Runs the search from its start, and shows its first step, or its end if it is shown at once.
    function seek() {
      const { x, y } = query
      const { width, height } = stage
      search = searchSteps(order, tree.positions, width, height, x, y)
      const { best } = search.steps.at(-1)
      // copse:
      equal = { nearest: best === tree.nearest(x, y), brute: best === bruteForce() }

      step = params.search === AT_ONCE ? last() : 0
      due = 1 / params.speed
    }

    const last = () => search.steps.length - 1

    function bruteForce() {
      let best = 0
      let best2 = Infinity
      for (let id = 0; id < tree.slots; id++) {
        const d2 = distance2(tree.positions, id, query.x, query.y)
        if (d2 < best2) [best, best2] = [id, d2]
      }
      return best
    }

    function follow(threshold) {
      const moved = Math.hypot(pointer.x - query.x, pointer.y - query.y)
      if (moved <= threshold) return
      query.x = pointer.x
      query.y = pointer.y
      seek()
    }

    // Moves the query and plays the search. The query follows the user's pointer, unless the user goes step by
    // step. A wandering pointer moves it only between two searches.
    function look(dt) {
      if (params.search === AT_ONCE) return follow(0)
      if (!pointer.wandering && (params.search === PLAY || step === 0)) follow(MOVED)
      if (stage.paused && dt > 0) return advance() // the page's Step is a step of the search
      if (params.search !== PLAY || dt === 0) return
      due -= dt
      while (due <= 0) {
        if (step === last() && pointer.wandering) follow(0)
        else advance()
        due += step === last() ? REST : 1 / params.speed
      }
    }

    function advance() {
      step = step < last() ? step + 1 : 0
    }

    function add(x, y) {
      if (tree.count === tree.capacity) return
      tree.add(x, y)
      build()
    }

    function stepBy(steps) {
      params.search = STEPS
      step = Math.min(Math.max(step + steps, 0), last())
      stage.refresh()
    }

    function measure() {
      worker?.terminate()
      measured = {}
      untilMeasure = 0
      worker = new Worker(new URL('./kdtree/buildtimes.js', import.meta.url), { type: 'module' })
      worker.onmessage = ({ data: { builder = SORT, ...rest } }) => {
        measured[builder] = rest
        if (builder === SORT) endMeasure()
      }
      worker.onerror = (event) => {
        endMeasure()
        throw new Error(event.message || 'the worker for build times could not start')
      }
      const { width, height } = stage
      const { measure: count, spread } = params
      const positions = count ? undefined : tree.positions.slice(0, 2 * tree.slots)
      worker.postMessage({ builders: BUILDERS, positions, spread, count, width, height })
    }

    function endMeasure() {
      worker.terminate()
      worker = null
    }

    function forgetTimes() {
      if (worker) endMeasure()
      measured = {}
      untilMeasure = SETTLED
    }

    plant()
    gather()
    build()

    return {
      hits: () => search.steps[step].read,

      results() {
        return [
          { name: 'tree.nearest()', equal: equal.nearest },
          { name: 'brute force', equal: equal.brute },
          ...Object.entries(measured).map(([name, { ms, equal }]) => ({ name, total: ms, equal })),
        ]
      },

      frame(dt, lap) {
        lap()
        look(dt)
        lap('query')
        if (untilMeasure > 0 && --untilMeasure === 0) measure()
      },

      draw() {
        const now = search.steps[step]
        const radius = radiusFor(stage, tree.count, 0.07, [1, 4])
        drawPruned(now)
        drawLines()
        drawBox(now)
        drawDots(stage, tree.positions, null, tree.slots, radius, theme.agent)
        drawDots(stage, tree.positions, search.read, now.read, radius + 0.75, theme.query)
        drawWaiting(now, radius)
        drawQuery(now, radius)
        drawStack(now)
        write(`Step ${step + 1} / ${last() + 1}`, ...describe(now))
      },

      report() {
        const now = search.steps[step]
        const same = equal.nearest && equal.brute
        return {
          numbers: [
            ['Points read', now.read],
            ['Points', tree.count],
            ['KdTree.nearest()', same ? 'same ✓' : 'differs'],
            ['Step', `${step + 1} / ${last() + 1}`],
            ['Levels', tree.stats().depth + 1],
            ['Best so far', now.best < 0 ? '–' : `${Math.sqrt(now.best2).toFixed(1)} px`],
          ],
          table: {
            caption: 'Build times',
            head: ['', 'Build', 'Order', '× quickselect'],
            rows: [...BUILDERS, SORT].map((name) => {
              const { ms, equal } = measured[name] ?? {}
              const verdict = equal === undefined ? '–' : equal ? 'equal ✓' : 'differs'
              return [name, formatTime(ms), verdict, formatFactor(ms, measured.quickselect?.ms)]
            }),
            current: BUILDERS.indexOf(params.builder),
            note: `${measureNote()} The last row sorts every range, which the builders avoid.`,
          },
        }
      },

      change(field) {
        const actions = {
          points: () => (gather(), build()),
          spread: () => (gather(), build(), forgetTimes()),
          builder: () => (plant(), build()),
          search: seek,
          forward: () => stepBy(1),
          back: () => stepBy(-1),
          again: seek,
          add: () => add(query.x, query.y),
          reset: () => ((tree.slots = spawned), build()),
          building: () => (location.hash = 'scene=construction&tree=k-d+tree'),
          measure: forgetTimes,
          run: measure,
        }
        actions[field]?.()
      },

      resize(x, y) {
        stretch(tree.positions.subarray(0, 2 * tree.slots), x, y)
        query.x *= x
        query.y *= y
        const shown = step
        build()
        step = Math.min(shown, last())
      },

      scroll: stepBy,

      press() {
        if (isDouble()) add(pointer.x, pointer.y)
      },

      dispose() {
        worker?.terminate()
        tree.dispose()
      },
    }

    function measureNote() {
      const points = params.measure || tree.count
      if (worker) return `Measuring ${formatNumber(points)} points in a worker …`
      if (!measured[SORT]) return 'Not measured yet.'
      return `${formatNumber(points)} points: medians of five runs in a worker, after the orders were compared.`
    }

    /** Describes a step of the search: [title, sentence]. */
    function describe({ kind, node, better, best, best2 }) {
      const px = (distance) => `${distance.toFixed(distance < 10 ? 1 : 0)}\u00a0px`
      const sides = node && (node.axis === 0 ? ['left', 'right'] : ['above', 'below'])
      if (kind === 'push') {
        const side = sides[node.gap < 0 ? 0 : 1]
        const place = node.axis === 0 ? `${side} of` : side
        return [
          `Down: push ${name(node)}`,
          `The query is ${place} its line: that side comes first. The point is read on the way back.`,
        ]
      }
      if (kind === 'pop') {
        const away = px(Math.sqrt(distance2(tree.positions, node.id, query.x, query.y)))
        return [
          `Back: read ${name(node)}`,
          `It is ${away} away, ${better ? 'the nearest so far' : `not nearer than #${best}`}.`,
        ]
      }
      if (kind === 'done') {
        const verdict = equal.nearest ? 'the same result ✓' : 'another result'
        return [
          `Nearest: #${best}, ${px(Math.sqrt(best2))} away`,
          `KdTree.nearest() of the library has ${verdict}`,
        ]
      }
      const crosses = kind === 'cross'
      const line = `Its line is ${px(Math.abs(node.gap))} away`
      const nearest = `the nearest point so far is ${px(Math.sqrt(best2))} away`
      return [
        `${crosses ? 'Search' : 'Prune'} the other side of ${name(node)}`,
        `${line}, and ${nearest}: ${crosses ? 'a nearer one may be there' : 'nothing there is nearer'}.`,
      ]
    }

    function drawPruned({ pruned }) {
      if (pruned === 0) return
      const { context } = stage
      context.fillStyle = hatching()
      context.globalAlpha = 0.5
      for (const [minX, minY, maxX, maxY] of search.pruned.slice(0, pruned)) {
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      }
      context.globalAlpha = 1
    }

    // Returns the hatching pattern. Creates it again if colors or pixel ratio have changed.
    function hatching() {
      const { ratio } = stage
      const look = `${theme.agent} ${ratio}`
      if (hatch.look === look) return hatch.picture
      const tile = document.createElement('canvas')
      const size = (tile.width = tile.height = Math.round(HATCH * ratio))
      const context = tile.getContext('2d')
      context.strokeStyle = theme.agent
      context.lineWidth = ratio
      for (const shift of [-size, 0, size]) {
        context.moveTo(shift - 1, size + 1)
        context.lineTo(shift + size + 1, -1)
      }
      context.stroke()
      const picture = stage.context.createPattern(tile, 'repeat')
      picture.setTransform(new DOMMatrix().scale(HATCH / size))
      hatch = { picture, look }
      return picture
    }

    // Draws the dividing lines. Cells end at the outermost points; lines there extend to the border of the
    // stage.
    function drawLines() {
      const { context, width, height } = stage
      const ends = [Infinity, Infinity, -Infinity, -Infinity]
      for (let i = 0; i < 2 * tree.slots; i++) {
        const axis = i & 1
        ends[axis] = Math.min(ends[axis], tree.positions[i])
        ends[axis + 2] = Math.max(ends[axis + 2], tree.positions[i])
      }
      const sides = [0, 0, width, height]
      const outward = (offset, i) => (cells[offset + i] === ends[i] ? sides[i] : cells[offset + i])

      const paths = Array.from({ length: params.levels }, () => new Path2D())
      for (let offset = 0; offset < cells.length; offset += 6) {
        const depth = cells[offset + 4]
        const path = paths[depth]
        if (!path) continue
        if (depth % 2 === 0) {
          path.moveTo(cells[offset], outward(offset, 1))
          path.lineTo(cells[offset], outward(offset, 3))
        } else {
          path.moveTo(outward(offset, 0), cells[offset + 1])
          path.lineTo(outward(offset, 2), cells[offset + 1])
        }
      }
      paths.forEach((path, depth) => {
        context.strokeStyle = axisColor(depth & 1)
        context.lineWidth = Math.max(3 - 0.45 * depth, 0.75)
        context.globalAlpha = Math.max(0.8 - 0.07 * depth, 0.25)
        context.stroke(path)
      })
      context.globalAlpha = 1
    }

    // Draws the box that the node of this step halves, and its line.
    function drawBox({ node }) {
      if (!node) return
      const { context } = stage
      const [minX, minY, maxX, maxY] = node.box
      context.fillStyle = theme.tint
      context.fillRect(minX, minY, maxX - minX, maxY - minY)
      context.strokeStyle = axisColor(node.axis)
      context.lineWidth = 4
      context.beginPath()
      if (node.axis === 0) {
        context.moveTo(node.line, minY)
        context.lineTo(node.line, maxY)
      } else {
        context.moveTo(minX, node.line)
        context.lineTo(maxX, node.line)
      }
      context.stroke()
    }

    function drawWaiting({ stack, node, best }, radius) {
      const { context, width, height } = stage
      const { positions } = tree
      for (const { id, axis } of stack) ring(id, radius + 4, axisColor(axis))
      if (node) ring(node.id, radius + 6, theme.ink)
      if (tree.count * LABEL_ROOM > width * height) return
      const labeled = new Set(stack.map(({ id }) => id))
      if (node) labeled.add(node.id)
      if (best >= 0) labeled.add(best)
      context.font = `11px ${FONT}`
      context.textBaseline = 'middle'
      context.lineJoin = 'round'
      context.lineWidth = 3
      for (const id of labeled) {
        const x = positions[2 * id]
        const y = Math.min(Math.max(positions[2 * id + 1], 8), height - 8)
        const left = x > width - 50
        context.textAlign = left ? 'right' : 'left'
        context.strokeStyle = theme.paper
        context.strokeText(`#${id}`, x + (left ? -12 : 12), y)
        context.fillStyle = theme.ink
        context.fillText(`#${id}`, x + (left ? -12 : 12), y)
      }
    }

    function ring(id, radius, color) {
      strokeCircle(stage.context, tree.positions[2 * id], tree.positions[2 * id + 1], radius, color)
    }

    function drawQuery({ best, best2 }, radius) {
      const { context } = stage
      const { x, y } = query
      context.strokeStyle = theme.hit
      if (best >= 0) {
        drawArea(context, theme.hit, () => context.arc(x, y, Math.sqrt(best2), 0, 2 * Math.PI))
        context.beginPath()
        context.moveTo(x, y)
        context.lineTo(tree.positions[2 * best], tree.positions[2 * best + 1])
        context.stroke()
        drawDots(stage, tree.positions, [best], 1, radius + 1.5, theme.hit)
      }
      // A cross, to distinguish the query from points.
      context.lineWidth = 2.5
      context.beginPath()
      context.moveTo(x - 7, y)
      context.lineTo(x + 7, y)
      context.moveTo(x, y - 7)
      context.lineTo(x, y + 7)
      context.stroke()
    }

    // Draws the stack. The node that is popped next is at the top.
    function drawStack({ stack, node, kind }) {
      const { context, height } = stage
      const [row, width, left] = [19, 122, 12]
      const popped = kind === 'push' || !node ? 0 : 1 // number of nodes shown above the stack
      const top = height - 12 - row * (stack.length + popped + 1) - 6 * popped
      drawPanel(left, top - 4, width, height - 8 - top)
      context.font = `600 12px ${FONT}`
      context.textAlign = 'left'
      context.textBaseline = 'middle'
      context.fillStyle = theme.ink
      context.fillText(stack.length ? 'Stack' : 'Stack: empty', left + 10, top + row / 2)
      const rows = popped ? [node, ...stack.toReversed()] : stack.toReversed()
      rows.forEach(({ id, axis, line }, i) => {
        const y = top + row * (i + 1.5) + (popped && i > 0 ? 6 : 0)
        if (popped && i === 0) {
          context.strokeStyle = theme.ink
          context.lineWidth = 1
          context.strokeRect(left + 5.5, Math.round(y - row / 2) + 1.5, width - 11, row - 3)
        }
        context.font = `12px ${FONT}`
        context.fillStyle = axisColor(axis)
        context.fillRect(left + 10, y - 4, 8, 8)
        context.textAlign = 'right'
        context.fillText(`${axis === 0 ? 'x' : 'y'} ${line.toFixed(0)}`, left + width - 10, y)
        context.textAlign = 'left'
        context.fillStyle = theme.ink
        context.fillText(`#${id}`, left + 23, y)
      })
    }

    // Writes what happens in this step at the top of the stage.
    function write(count, title, sentence) {
      const { context, width } = stage
      const wide = Math.min(width - 24, 420)
      const [left, top, row] = [(width - wide) / 2, 12, 17]
      context.font = `13px ${FONT}`
      const lines = wrapText(context, sentence, wide - 24)
      drawPanel(left, top, wide, 36 + row * lines.length)
      context.textBaseline = 'middle'
      context.textAlign = 'left'
      context.fillStyle = theme.ink
      lines.forEach((line, i) => context.fillText(line, left + 12, top + 37 + row * i))
      context.font = `600 13px ${FONT}`
      context.fillText(title, left + 12, top + 18)
      context.textAlign = 'right'
      context.fillStyle = theme.muted
      context.font = `12px ${FONT}`
      context.fillText(count, left + wide - 12, top + 18)
    }

    function drawPanel(x, y, width, height) {
      const { context } = stage
      context.beginPath()
      context.roundRect(x, y, width, height, 8)
      context.globalAlpha = 0.88
      context.fillStyle = theme.paper
      context.fill()
      context.globalAlpha = 1
      context.strokeStyle = theme.line
      context.lineWidth = 1
      context.stroke()
    }
  },
}

const name = ({ id }) => `#${id}`
const axisColor = (axis) => (axis === 0 ? theme.red : theme.blue)
