// The first figure: one query in four structures over the same points. Points and query can be dragged.

import { AgentTree, Grid } from 'copse'
import { kept, morton } from '../peers/runs.js'
import { createRandom } from '../random.js'
import { formatNumber } from '../view/format.js'
import { theme } from '../view/theme.js'

const N = 240
const SIDE = 400
const LEAF = 8
const GRAB = 14 // units within which a press takes a point
const KEY = 8 // units that an arrow key moves the query, or a point
const STEPS = 90 // of a walk
const NAMES = ['Grid', 'Tree', 'Morton order', 'Kept tree', 'Loop'] // the loop has no panel

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
const clamp = (x) => Math.min(Math.max(Math.round(x), 0), SIDE)

const gap2 = ([minX, minY, maxX, maxY], x, y) =>
  Math.max(minX - x, x - maxX, 0) ** 2 + Math.max(minY - y, y - maxY, 0) ** 2

/** Returns cells that have no children, from the cells of a tree. */
function leavesOf(floats) {
  const cells = []
  for (let i = 0; i < floats.length; i += 6)
    if (!(floats[i + 10] > floats[i + 4]))
      cells.push({ box: floats.subarray(i, i + 4), count: floats[i + 5] })
  return cells
}

/** Returns an index of the library as a contender. `readBy(x, y, radius)` returns the number of points read. */
function ours(index, readBy) {
  index.slots = N
  return {
    found: new Uint32Array(0),
    visits: 0,
    tests: 0,
    update(positions) {
      index.positions.set(positions)
      index.build()
      this.drawn = leavesOf(index.cells())
    },
    within(x, y, z, radius) {
      this.found = index.within(x, y, radius)
      this.visits = index.stats().visits
      this.tests = readBy(this.drawn, index.positions, x, y, radius)
      return this.found.length
    },
    cells() {
      return this.drawn
    },
  }
}

const readOfTree = (cells, positions, x, y, radius) =>
  cells.reduce((sum, { box, count }) => sum + (gap2(box, x, y) <= radius * radius ? count : 0), 0)

/** The grid reads, in each row that meets the box around the circle, the columns of its cells that meet the box. */
const readOfGrid = (cellSize) => (cells, positions, x, y, radius) => {
  const left = Math.min(...cells.map(({ box }) => box[0]))
  const low = Math.min(...cells.map(({ box }) => box[1]))
  let first = Infinity
  for (let i = 0; i < positions.length; i += 2) first = Math.min(first, positions[i])
  const column = cellSize / Math.round(cellSize / (2 * (first - left))) // `first` is in its middle
  const place = (at, start, size) => Math.floor((at - start) / size)
  let count = 0
  for (let i = 0; i < 2 * N; i += 2) {
    const [px, py] = [place(positions[i], left, column), place(positions[i + 1], low, cellSize)]
    if (px >= place(x - radius, left, column) && px <= place(x + radius, left, column))
      if (py >= place(y - radius, low, cellSize) && py <= place(y + radius, low, cellSize)) count++
  }
  return count
}

const updating = (peer, method) =>
  Object.assign(peer, { update: (positions) => peer[method](positions) })

/** Adds a panel to the figure. Returns its canvas. */
function addPanel(panels, name) {
  const panel = panels.appendChild(document.createElement('div'))
  panel.appendChild(document.createElement('p')).textContent = name
  const canvas = panel.appendChild(document.createElement('canvas'))
  canvas.tabIndex = 0
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-label', `${name}: arrow keys move the circle, Enter takes a point`)
  return canvas
}

/** Adds a row to the table. Returns it: its name, and four cells for results. */
function addRow(body, name) {
  const row = body.insertRow()
  row.innerHTML = `<th scope="row">${name}</th>${'<td></td>'.repeat(4)}`
  return row
}

export function startFigure(root, state) {
  const canvases = NAMES.slice(0, -1).map((name) => addPanel(root.querySelector('.panels'), name))
  const rows = NAMES.map((name) => addRow(root.querySelector('tbody'), name))
  const [radius, spread] = ['radius', 'spread'].map((name) => root.querySelector(`[name=${name}]`))
  const positions = new Float32Array(2 * N)
  const query = { x: 170, y: 190 }
  let random = createRandom(7)
  let dragged = -1 // a point, by pointer or keys; -1: the query
  let contenders = []
  let grid = null
  let left = 0 // steps of the walk

  const agents = { n: N, side: SIDE }
  const tree = ours(new AgentTree({ capacity: N, leafSize: LEAF }), readOfTree)
  const sorted = updating(morton(agents), 'build')
  const old = updating(kept(agents), 'refit')

  function makeGrid() {
    grid?.dispose()
    const cellSize = Number(radius.value)
    grid = new Grid({ capacity: N, cellSize })
    contenders = [ours(grid, readOfGrid(cellSize)), tree, sorted, old]
  }

  function scatter() {
    random = createRandom(7)
    left = 0
    const center = [0, 1, 2].map(() => [60 + 280 * random(), 60 + 280 * random()])
    for (let i = 0; i < 2 * N; i++) {
      const near = center[(i >> 1) % 3][i % 2] + 70 * (random() + random() - 1)
      positions[i] = clamp(spread.value === 'clusters' ? near : SIDE * random())
    }
    old.build(positions)
    show()
  }

  const placeOf = (id) => positions.slice(2 * id, 2 * id + 2)
  const pointsNear = (x, y, reach) =>
    Array.from({ length: N }, (_, id) => id).filter(
      (id) => (positions[2 * id] - x) ** 2 + (positions[2 * id + 1] - y) ** 2 <= reach * reach,
    )

  /** Runs one query everywhere, counts its work and that of all points, and draws. */
  function show() {
    const reach = Number(radius.value)
    const expected = pointsNear(query.x, query.y, reach).join()
    const loop = { visits: 0, tests: N, total: N * N }
    const results = contenders.map((contender) => {
      contender.update(positions)
      let total = 0
      for (let i = 0; i < 2 * N; i += 2) {
        contender.within(positions[i], positions[i + 1], 0, reach)
        total += contender.tests
      }
      const count = contender.within(query.x, query.y, 0, reach)
      const ids = [...contender.found.subarray(0, count)].sort((a, b) => a - b)
      const { visits, tests } = contender
      return { visits, tests, total, count, equal: ids.join() === expected }
    })
    rows.forEach((row, i) => {
      const { visits, tests, total, equal } = results[i] ?? loop
      const mark = equal === undefined ? '' : equal ? 'equal ✓' : 'differs'
      ;[visits || '–', tests, formatNumber(total), mark].forEach(
        (text, j) => (row.cells[j + 1].textContent = text),
      )
    })
    canvases.forEach((canvas, i) => draw(canvas, contenders[i], expected.split(',')))
    Object.assign(state, { results, hits: pointsNear(query.x, query.y, reach).length })
    state.frame++
  }

  function draw(canvas, contender, hits) {
    const width = canvas.clientWidth
    canvas.width = canvas.height = Math.round(width * devicePixelRatio)
    const context = canvas.getContext('2d')
    const scale = canvas.width / (SIDE + 16)
    context.setTransform(scale, 0, 0, scale, 8 * scale, 8 * scale)
    const reach = Number(radius.value)
    for (const { box } of contender.cells()) {
      const [minX, minY, maxX, maxY] = box
      context.fillStyle = theme.tint
      if (gap2(box, query.x, query.y) <= reach * reach)
        context.fillRect(minX, minY, maxX - minX, maxY - minY)
      context.strokeStyle = theme.agent
      context.globalAlpha = 0.6
      context.lineWidth = 1
      context.strokeRect(minX, minY, maxX - minX, maxY - minY)
      context.globalAlpha = 1
    }
    const lit = new Set(hits.map(Number))
    for (let id = 0; id < N; id++) {
      context.fillStyle = lit.has(id) && hits[0] !== '' ? theme.hit : theme.agent
      context.beginPath()
      context.arc(positions[2 * id], positions[2 * id + 1], 4, 0, 2 * Math.PI)
      context.fill()
    }
    context.strokeStyle = theme.query
    context.lineWidth = 2
    context.beginPath()
    context.arc(query.x, query.y, reach, 0, 2 * Math.PI)
    context.stroke()
    if (dragged < 0) return
    context.beginPath()
    context.arc(...placeOf(dragged), 8, 0, 2 * Math.PI)
    context.stroke()
  }

  function place(canvas, { clientX, clientY }) {
    const box = canvas.getBoundingClientRect()
    const scale = (SIDE + 16) / box.width
    return [clamp((clientX - box.left) * scale - 8), clamp((clientY - box.top) * scale - 8)]
  }

  function drag([x, y]) {
    if (dragged < 0) Object.assign(query, { x, y })
    else positions.set([x, y], 2 * dragged)
    show()
  }

  /** Takes the nearest point in reach; without one, the query. */
  function take(x, y, reach) {
    const distance = (id) => Math.hypot(positions[2 * id] - x, positions[2 * id + 1] - y)
    const near = pointsNear(x, y, reach).sort((a, b) => distance(a) - distance(b))
    dragged = near[0] ?? -1
  }

  function drop() {
    dragged = -1
    show()
  }

  for (const canvas of canvases) {
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId)
      const [x, y] = place(canvas, event)
      take(x, y, GRAB)
      drag([x, y])
    })
    canvas.addEventListener('lostpointercapture', drop)
    canvas.addEventListener('pointermove', (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) drag(place(canvas, event))
    })
    canvas.addEventListener('keydown', (event) => {
      const direction = ARROWS[event.key]
      if (!direction && event.key !== 'Enter') return
      event.preventDefault()
      if (direction) {
        const [x, y] = dragged < 0 ? [query.x, query.y] : placeOf(dragged)
        drag([clamp(x + KEY * direction[0]), clamp(y + KEY * direction[1])])
      } else if (dragged < 0) {
        take(query.x, query.y, 2 * SIDE)
        show()
      } else drop()
    })
    canvas.addEventListener('blur', drop)
  }

  function step() {
    for (let i = 0; i < 2 * N; i++) positions[i] = clamp(positions[i] + 8 * (random() - 0.5))
    left--
  }
  function walk() {
    if (left <= 0) return
    step()
    show()
    requestAnimationFrame(walk)
  }
  root.querySelector('[name=walk]').addEventListener('click', () => {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    const wasWalking = left > 0
    left = STEPS
    if (isStill) while (left > 0) step()
    if (isStill) show()
    else if (!wasWalking) requestAnimationFrame(walk)
  })
  root.querySelector('[name=again]').addEventListener('click', () => {
    old.build(positions)
    show()
  })
  spread.addEventListener('change', scatter)
  radius.addEventListener('input', () => {
    makeGrid()
    show()
  })
  new ResizeObserver(show).observe(canvases[0])
  makeGrid()
  scatter()
  return show
}
