// The classic experiment with spatial trees: many box queries per frame, by an index and by a plain loop over
// all items. Bars over the stage show both times, once the results were compared.

import { mix } from '../peers/loops.js'
import { createRandom } from '../random.js'
import { timeRun } from './clock.js'
import { verdict } from './compare.js'
import { addSteps } from './controls.js'
import { formatFactor, formatNumber, formatTime } from './format.js'
import { createTimer } from './pace.js'

const QUERIES = [0, 10, 50, 100, 200, 500, 1_000, 2_000, 5_000]
const MAX_QUERIES = QUERIES.at(-1)
const MAX_IDS = 1_000_000 // results of a batch, which are kept in memory
const EVERY = 0.25 // seconds between two comparisons
const SLICE = 6 // ms per frame for the loop, which continues in the next frame
const BLOCK = 16 // queries between two looks at the clock
const SHORT = 2 // ms: a loop that takes less is timed again, since the clock is coarse
const [ANYWHERE, DENSE, SPARSE] = ['anywhere', 'densest place', 'sparsest place']
const BINS = { 2: 8, 3: 4 } // per axis; the densest and the sparsest place are bins

export const experimentParams = { queries: 500, place: ANYWHERE }

export function addExperimentControls(gui, params) {
  addSteps(gui, params, 'queries', QUERIES).name('queries per frame')
  gui.add(params, 'place', [ANYWHERE, DENSE, SPARSE]).name('queried place')
}

/**
 * Creates the experiment of params.queries queries at params.place. Options:
 *
 *   dimensions  2 or 3
 *   label       of the index
 *   bounds()    returns the box that the queries are spread over
 *   sides()     returns the side lengths of a query, by axis
 *   index()     returns the index to query
 *   items()     returns what is in it: boxes (min, max by axis) or, if `points`, points
 *   capacity    maximum number of items
 */
export function createExperiment(stage, params, options) {
  const { dimensions: dim, points = false, label, bounds, sides, index, items, capacity } = options
  const find = dim === 3 ? find3D : find2D
  const step = points ? dim : 2 * dim // numbers per item
  const areas = new Float32Array(2 * dim * MAX_QUERIES)
  const spots = new Float32Array(dim * MAX_QUERIES) // centers, as parts of the queried place
  const bins = new Float32Array(2 * dim * BINS[dim] ** dim)
  const copy = new Float32Array(step * capacity)
  const found = new Uint32Array(capacity) // by the loop
  const counts = new Uint32Array(MAX_QUERIES)
  const hashes = new Uint32Array(MAX_QUERIES)
  const random = createRandom(3)
  for (let i = 0; i < spots.length; i++) spots[i] = random()
  const bars = createBars(stage.canvas)
  let last = {} // the last comparison: { hits, one, many, loop } in ms, equal
  let round = null // a comparison that has begun
  const timer = createTimer(EVERY, () => (round ??= compare()))

  // Writes the areas of all queries: spread over the bounds, or over one of their bins.
  function place() {
    const whole = bounds()
    const lengths = sides()
    const size = BINS[dim]
    let bin = 0
    if (params.place !== ANYWHERE) {
      for (let n = 0; n < bins.length / (2 * dim); n++) {
        for (let axis = 0; axis < dim; axis++) {
          const length = (whole[axis + dim] - whole[axis]) / size
          const low = whole[axis] + length * (Math.floor(n / size ** axis) % size)
          bins[2 * dim * n + axis] = low
          bins[2 * dim * n + axis + dim] = low + length
        }
      }
      const { counts } = index().rangeMany(bins)
      const best = params.place === DENSE ? Math.max(...counts) : Math.min(...counts)
      bin = 2 * dim * counts.indexOf(best)
    }
    const box = params.place === ANYWHERE ? whole : bins.subarray(bin, bin + 2 * dim)
    for (let row = 0; row < params.queries; row++) {
      for (let axis = 0; axis < dim; axis++) {
        const center = box[axis] + spots[dim * row + axis] * (box[axis + dim] - box[axis])
        areas[2 * dim * row + axis] = center - lengths[axis] / 2
        areas[2 * dim * row + axis + dim] = center + lengths[axis] / 2
      }
    }
  }

  function ask(queried, row) {
    const a = 2 * dim * row
    if (dim === 2) return queried.range(areas[a], areas[a + 1], areas[a + 2], areas[a + 3])
    const [x, y, z] = [areas[a + 3], areas[a + 4], areas[a + 5]]
    return queried.range(areas[a], areas[a + 1], areas[a + 2], x, y, z)
  }

  function askAll() {
    const queried = index()
    for (let row = 0; row < params.queries; row++) ask(queried, row)
  }

  function hashOf(row, ids, count) {
    let hash = 0
    for (let i = 0; i < count; i++) hash = (hash + mix(row, ids[i])) >>> 0
    return hash
  }

  // A generator: each step is the work of one frame. The loop works on a copy of the items, which move on.
  function* compare() {
    const { queries } = params
    const queried = index()
    let hits = 0
    place()
    for (let row = 0; row < queries; row++) {
      const ids = ask(queried, row)
      counts[row] = ids.length
      hashes[row] = hashOf(row, ids, counts[row])
      hits += counts[row]
    }
    const one = timeRun(askAll)
    const rows = areas.subarray(0, 2 * dim * queries)
    const many = hits <= MAX_IDS ? timeRun(() => queried.rangeMany(rows)) : undefined
    const current = items()
    const count = current.length / step
    copy.set(current)
    yield
    let equal = true
    yield* runLoop((row) => {
      const same = find(copy, count, step, areas, row, found) === counts[row]
      if (!same || hashOf(row, found, counts[row]) !== hashes[row]) equal = false
    })
    const search = (row) => find(copy, count, step, areas, row, found)
    let loop = yield* runLoop(search)
    if (loop < SHORT)
      loop = timeRun(() => {
        for (let row = 0; row < queries; row++) search(row)
      })
    last = { hits, one, many, loop, equal }
  }

  // Runs a task for every query, over several frames if it takes long. Returns its ms.
  function* runLoop(task) {
    let time = 0
    for (let row = 0; row < params.queries;) {
      const start = performance.now()
      let now = start
      while (row < params.queries && now - start < SLICE) {
        for (const end = Math.min(row + BLOCK, params.queries); row < end; row++) task(row)
        now = performance.now()
      }
      time += now - start
      if (row < params.queries) yield
    }
    return time
  }

  return {
    /** The areas of the queries: min and max by axis. */
    areas,

    /** Called every frame: runs the queries, by the index. */
    run: askAll,

    /** Called every frame, outside of the times that are shown: compares now and then; once while paused. */
    pass(dt) {
      if (params.queries === 0 || (dt === 0 && !round && last.equal !== undefined)) return
      if (!round) timer.pass(dt)
      if (round?.next().done) round = null
    },

    /** Drops the last results, because the items or the queries changed. */
    forget() {
      last = {}
      round = null
      timer.restart()
      if (params.queries > 0) place()
    },

    /** Returns results() of the scene. */
    results: () =>
      last.equal === undefined
        ? []
        : [{ name: 'plain loop, many queries', total: last.loop, equal: last.equal }],

    /** Updates the bars. */
    show() {
      const { hits, one, many, loop, equal } = last
      const each = hits === undefined ? '…' : (hits / params.queries).toFixed(1)
      const caption = `${formatNumber(params.queries)} queries per frame, ${each} hits each`
      bars.show(params.queries > 0 ? caption : '', [
        [label(), one],
        ['in one call', many],
        [
          'plain loop',
          loop,
          ` · ${formatFactor(loop, one)}${equal ? ' · equal' : ''}${verdict(equal)}`,
        ],
      ])
    },

    dispose: () => bars.dispose(),
  }
}

// Each writes the ids of the items that meet an area, and returns their number. `step`: numbers per item;
// a point is its own minimum and maximum.

function find2D(items, count, step, areas, row, found) {
  const far = step - 2
  const minX = areas[4 * row]
  const minY = areas[4 * row + 1]
  const maxX = areas[4 * row + 2]
  const maxY = areas[4 * row + 3]
  let hits = 0
  for (let id = 0, i = 0; id < count; id++, i += step) {
    if (items[i] > maxX || items[i + far] < minX) continue
    if (items[i + 1] > maxY || items[i + 1 + far] < minY) continue
    found[hits++] = id
  }
  return hits
}

function find3D(items, count, step, areas, row, found) {
  const far = step - 3
  const [minX, minY, minZ, maxX, maxY, maxZ] = areas.subarray(6 * row, 6 * row + 6)
  let hits = 0
  for (let id = 0, i = 0; id < count; id++, i += step) {
    if (items[i] > maxX || items[i + far] < minX) continue
    if (items[i + 1] > maxY || items[i + 1 + far] < minY) continue
    if (items[i + 2] > maxZ || items[i + 2 + far] < minZ) continue
    found[hits++] = id
  }
  return hits
}

/** Creates bars over the stage, for times that are compared with each other. */
function createBars(canvas) {
  const figure = document.createElement('figure')
  figure.className = 'bars'
  const caption = figure.appendChild(document.createElement('figcaption'))
  const list = figure.appendChild(document.createElement('dl'))
  canvas.after(figure)

  return {
    /** Shows a caption and rows [label, ms, text after the time]; hides them without a caption. */
    show(text, rows) {
      figure.hidden = !text
      caption.textContent = text
      const longest = Math.max(...rows.map(([, ms]) => ms ?? 0))
      rows.forEach(([label, ms, after = ''], i) => {
        const term = list.children[2 * i] ?? list.appendChild(document.createElement('dt'))
        const value = list.children[2 * i + 1] ?? list.appendChild(document.createElement('dd'))
        term.textContent = label
        value.textContent = ms === undefined ? '–' : formatTime(ms) + after
        value.style.setProperty('--part', String(ms && longest ? ms / longest : 0))
      })
    },
    dispose: () => figure.remove(),
  }
}
