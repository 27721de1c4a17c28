// Runs a game without a window for FRAMES (1,000,000) frames: agents in the given kind of index, boxes, walls,
// crowds, and a crowd that follows a flow field while a wall moves, all in one instance, with the frames in
// tests/js/support/garbage. After every thousand frames all objects are saved and restored, the field and its
// crowd are disposed and made again, and some queries are compared with brute force. Neither linear memory nor
// the heap may grow, and the last tenth must not be slower than the first. Finally the second half is played
// again from a snapshot, and must end in the same state.
//
// Speed is measured in processor time, as medians. No other test judges a time.

import { createHash } from 'node:crypto'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { json } from 'node:stream/consumers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { getHeapSnapshot } from 'node:v8'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as boxes from '../js/support/box-oracle.js'
import { boxFrames } from '../js/support/garbage/boxes.js'
import { crowdFrames } from '../js/support/garbage/crowd.js'
import { pathFrames } from '../js/support/garbage/paths.js'
import { pointFrames } from '../js/support/garbage/points.js'
import { wallFrames } from '../js/support/garbage/walls.js'
import { assertSame } from '../js/support/indexes.js'
import * as oracle from '../js/support/point-oracle.js'
import { createRandom } from '../../web/random.js'
import * as walls from '../js/support/wall-oracle.js'

const [, , kind] = process.argv
const FRAMES = Number(process.env.FRAMES || 1_000_000)
const PART = 1000
const PARTS = 2 * Math.round(FRAMES / PART / 2)
const TENTH = Math.floor(PARTS / 10)
const WARM_UP = 50_000

const MOST_HEAP_GROWTH = 50_000 // bytes: a leak of one byte every twenty frames

if (PARTS < 20) throw new RangeError(`FRAMES must be at least 20,000, got ${FRAMES}`)

// ---- The game ----

/** Returns a game, in an instance of its own. */
async function createGame() {
  const instance = await copse.create()
  const points = pointFrames(copse, instance, kind, false)
  const [items, scenery] = [boxFrames(copse, instance, false), wallFrames(copse, instance, false)]
  const [crowds, paths] = [crowdFrames(copse, instance), pathFrames(copse, instance)]
  const parts = [points, items, scenery, crowds, paths]
  return { instance, points, items, scenery, crowds, paths, parts }
}

/** Keeps results from being optimized away. */
let sum = 0

function play({ parts }, from, to) {
  for (let number = from; number < to; number++)
    for (let i = 0; i < parts.length; i++) sum += parts[i].frame(number)
}

const objectsOf = ({ parts }) => parts.flatMap((part) => Object.values(part.objects))
const saved = (game) => objectsOf(game).map((object) => object.save())

/** Restores every object, and checks that it saves the same bytes again. */
function restore(game, snapshots) {
  game.paths.renew()
  for (const [i, object] of objectsOf(game).entries()) {
    object.restore(snapshots[i])
    assertSame(object.save(), snapshots[i], 'a restored object saves the same')
  }
}

function hashOf(game) {
  const hash = createHash('sha256')
  for (const bytes of saved(game)) hash.update(bytes)
  return hash.digest('hex').slice(0, 8)
}

// ---- Brute force ----

const agentsOf = (index, dimensions) => {
  const { slots: count, groups } = index
  const axes = dimensions === 3 && [index.xs, index.ys, index.zs]
  const positions = axes
    ? Float32Array.from({ length: 3 * count }, (_, i) => axes[i % 3][Math.floor(i / 3)])
    : index.positions
  return { dimensions, count, positions, groups }
}

function checkPoints(index, dimensions, random) {
  const agents = agentsOf(index, dimensions)
  const [center, other] = [0, 1].map(() => Array.from({ length: dimensions }, () => random() * 128))
  const [radius, options] = [random() * 60, { sort: 'id' }]
  const ids = oracle.within(agents, center, radius, options).ids
  assertSame(index.within(...center, radius, options), ids, 'within')
  assertSame(index.neighbors(...center, 5), oracle.neighbors(agents, center, 5).ids, 'neighbors')
  const hit = index.raycast(...center, ...other)
  assert.is(hit?.id ?? -1, oracle.raycast(agents, center, other, index.radii).id, 'raycast')
}

function checkBoxes(tree, dimensions, random) {
  const { groups, generations } = tree
  const list = { dimensions, boxes: tree.boxes, groups, generations }
  const center = Array.from({ length: dimensions }, () => random() * 128)
  const [radius, options] = [random() * 60, { sort: 'id' }]
  const ids = boxes.within(list, center, radius, options).ids
  assertSame(tree.within(...center, radius, options), ids, 'within')
  assertSame(tree.neighbors(...center, 5), boxes.neighbors(list, center, 5).ids, 'neighbors')
  assert.is(2 * tree.pairs().count, boxes.pairs(list).length, 'pairs')
  assert.ok(tree._validate(), 'validate')
}

function checkWalls(tree, random) {
  const { vertices, next, polygons, generations, capacity } = tree
  const twoSided = new Uint8Array(capacity)
  const solid = Int8Array.from({ length: capacity }, (_, id) =>
    tree.has(id) ? tree.winding(id) : 0,
  )
  const list = { capacity, vertices, next, polygons, generations, twoSided, solid }
  walls.build(list)
  const [x, y, toX, toY] = Array.from({ length: 4 }, () => Math.fround(random() * 128))
  assert.is(tree.visible(x, y, toX, toY), walls.visible(list, x, y, toX, toY), 'visible')
  assert.is(tree.contains(x, y), walls.contains(list, x, y), 'contains')
  assert.is(tree.nearest(x, y), walls.within(list, x, y, Infinity, 'both')[0].id, 'nearest')
  assert.ok(tree._validate(), 'validate')
}

/** Checks that positions are finite and no agent is too fast. */
function checkCrowd(crowd, dimensions) {
  const { generations, maxSpeeds, positions, velocities } = crowd
  for (let slot = 0; slot < generations.length; slot++) {
    if (!(generations[slot] & 1)) continue
    const [begin, end] = [slot * dimensions, (slot + 1) * dimensions]
    assert.ok(positions.subarray(begin, end).every(Number.isFinite), 'positions')
    assert.ok(Math.hypot(...velocities.subarray(begin, end)) <= maxSpeeds[slot] * (1 + 1e-5))
  }
}

function check({ points, items, scenery, crowds, paths }, random) {
  checkPoints(points.objects.flat, 2, random)
  checkPoints(points.objects.solid, 3, random)
  checkBoxes(items.objects.flat, 2, random)
  checkBoxes(items.objects.solid, 3, random)
  checkWalls(scenery.objects.walls, random)
  checkCrowd(crowds.objects.flat, 2)
  checkCrowd(crowds.objects.solid, 3)
  checkCrowd(paths.objects.crowd, 2)
  assert.ok(paths.objects.field._validate(), 'validate')
}

// ---- The soak ----

/** By part: when its frames began and ended, and the processor time that they took. */
const [begun, ended, spent] = [0, 1, 2].map(() => new Float64Array(PARTS))
let [ran, inFrames] = [0, 0] // parts played, and garbage collections during frames
const observer = new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries())
    for (const part of [ran - 2, ran - 1])
      if (startTime >= begun[part] && startTime <= ended[part]) inFrames++
})

/**
 * Returns the bytes that the program holds, and those of the engine: code, and type feedback. The engine's
 * grow as long as some branch runs for the first time, and a game can't prevent that.
 */
async function heapUsed() {
  const { snapshot, nodes } = await json(getHeapSnapshot())
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size] = ['type', 'self_size'].map((field) => fields.indexOf(field))
  const heap = { held: 0, engine: 0 }
  for (let offset = 0; offset < nodes.length; offset += fields.length) {
    const isEngine = ['code', 'hidden', 'object shape'].includes(types[type][nodes[offset + type]])
    heap[isEngine ? 'engine' : 'held'] += nodes[offset + size]
  }
  return heap
}
const median = (times) => times.slice().sort()[times.length >> 1]

const game = await createGame()
const random = createRandom(1)
for (let part = 0; part < WARM_UP / PART; part++) {
  play(game, part * PART, (part + 1) * PART)
  restore(game, saved(game))
  check(game, random)
  await setTimeout(5) // lets code that was compiled in the background come into use
}
const memory = game.instance.memory.buffer.byteLength
let middle
let heap = { held: 0, engine: 0 }
observer.observe({ entryTypes: ['gc'] })
for (let part = 0; part < PARTS; part++) {
  const first = WARM_UP + part * PART
  const before = process.cpuUsage()
  begun[part] = performance.now()
  play(game, first, first + PART)
  ended[part] = performance.now()
  ran++
  const { user, system } = process.cpuUsage(before)
  spent[part] = user + system

  assert.is(game.instance.memory.buffer.byteLength, memory, 'memory grew')
  check(game, random)
  const snapshots = saved(game)
  restore(game, snapshots)
  if (part === PARTS / 2 - 1) middle = snapshots
  if (part === TENTH - 1) heap = await heapUsed()
  await setImmediate()
}
const { held, engine } = await heapUsed()
const growth = held - heap.held
await setTimeout(20)
observer.disconnect()
const hash = hashOf(game)

const again = await createGame()
play(again, 0, PART) // a different history
restore(again, middle)
for (let part = PARTS / 2; part < PARTS; part++) {
  const first = WARM_UP + part * PART
  play(again, first, first + PART)
}
const hashAgain = hashOf(again)
if (!(sum > 0)) throw new Error('the frames found nothing')

const [early, late] = [median(spent.subarray(0, TENTH)), median(spent.subarray(-TENTH))]
const results = [
  [`linear memory: ${memory / 65536} pages throughout`, true],
  [
    `heap: ${growth} bytes more than after the first tenth (the engine's own: ${engine - heap.engine})`,
    growth <= MOST_HEAP_GROWTH,
  ],
  [`final hash: ${hash}; after playing the second half again: ${hashAgain}`, hash === hashAgain],
]
console.log(
  `${kind}, boxes, walls, crowds and paths, ${(PARTS * PART).toLocaleString('en')} frames:`,
)
// Not judged: times depend on what else the machine does, and the checks in between make garbage, see garbage.test.js.
console.log(
  `     time per frame: ${(early / PART).toFixed(1)} µs in the first tenth, ${(late / PART).toFixed(1)} in the last`,
)
console.log(`     garbage collections in frames: ${inFrames}`)
for (const [figure, isRight] of results) console.log(`${isRight ? 'ok  ' : 'FAIL'} ${figure}`)
process.exitCode = results.every(([, isRight]) => isRight) ? 0 : 1
