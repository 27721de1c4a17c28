// Plays FRAMES (100,000) frames of a game whose work is divided among THREADS (2), in instances that live a few
// thousand frames each. During the first half of a life, its objects grow; from then on, its memory may not. At its
// end, the instance is disposed, the objects go on with one thread for a while, and their state moves to the next
// instance. Now and then, everything is compared with an instance without threads. No worker may be left, and the heap
// may not grow. Prints a hash of the final state: it must not depend on THREADS.

import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as threaded from 'copse/threads'
import { assertSame } from '../js/support/indexes.js'
import { createRandom } from '../../web/random.js'

const THREADS = Number(process.env.THREADS || 2)
const FRAMES = Number(process.env.FRAMES || 100_000)
const LIFE = 1000
const LAST_GROWTH = 450 // the frame
const ALONE = 20 // frames after dispose()
const CHECKED = 100 // frames between comparisons
const AGENTS = 4200 // enough to divide all work
const MOST_HEAP_GROWTH = 500_000 // bytes
const script = new URL(import.meta.resolve('copse/thread'))

let running = 0
function workerFactory() {
  const worker = new Worker(script)
  running++
  worker.on('exit', () => running--)
  return worker
}

/** Creates the objects of a game. */
function createObjects({ AgentTree, Grid3D, Crowd, ObstacleTree, FlowField }, instance) {
  const tree = new AgentTree({ instance, capacity: AGENTS })
  const grid = new Grid3D({ instance, capacity: AGENTS, cellSize: 60 })
  const walls = new ObstacleTree({ instance, capacity: 100 })
  const crowd = new Crowd({ instance, capacity: AGENTS, neighborDistance: 4 })
  const field = new FlowField({ instance, bounds: [-5, -5, 130, 130], cell: 1, radius: 0.6 })
  crowd.obstacles = field.obstacles = walls
  crowd.follow(field, { mask: 1 })
  return { tree, grid, walls, field, crowd }
}

function fill({ tree, grid, walls, field, crowd }) {
  const random = createRandom(1)
  tree.slots = grid.slots = AGENTS
  for (const { positions } of [tree, grid])
    for (let i = 0; i < positions.length; i++) positions[i] = 1000 * random()
  for (let i = 0; i < 20; i++) {
    const [x, y] = [110 * random(), 110 * random()]
    walls.addPolygon([x, y, x + 3, y, x + 3, y + 1, x, y + 1])
  }
  field.setGoalAreas([50, 50, 60, 60])
  field.build()
  for (let i = 0; i < 1200; i++)
    crowd.add({
      ...{ position: [120 * random(), 120 * random()], goal: [120 * random(), 120 * random()] },
      ...{ radius: 0.4, groups: 1 + (i % 2), maxSpeed: 3, preferredSpeed: 2 },
    })
}

function frame({ tree, grid, crowd }, number) {
  for (const { positions } of [tree, grid])
    for (let i = number % 7; i < positions.length; i += 7)
      positions[i] = (positions[i] + ((i * 7919 + number) & 63) / 8) % 1000
  if (number % 50 === 0) crowd.goals.copyWithin(0, 2 * (number % 1000), 2 * (number % 1000) + 100)
  tree.build()
  grid.build()
  tree.allWithin(9)
  grid.allNeighbors(3)
  crowd.step(1 / 60)
}

const pages = (instance) => instance.memory.buffer.byteLength / 65536
const saved = (objects) => Object.values(objects).map((object) => object.save())
function restore(objects, snapshots) {
  for (const [i, object] of Object.values(objects).entries()) object.restore(snapshots[i])
}

/** Plays a frame with both, from the same state, and compares all results. */
function compare(objects, twin, number) {
  restore(twin, saved(objects))
  const [actual, expected] = [objects, twin].map((all) => {
    frame(all, number)
    const { tree, grid, crowd } = all
    const rows = tree.allWithin(20)
    const nearest = grid.allNeighbors(4, { maxDistance: 90 })
    const pairs = grid.pairs({ distance: 30 })
    return [
      ...[tree.order(), rows.offsets.slice(), rows.counts.slice(), rows.ids.slice(0, rows.total)],
      ...[nearest.counts.slice(), pairs.ids.slice(0, 2 * pairs.count), crowd.arrived().slice()],
      ...saved(all),
    ]
  })
  for (const [i, array] of expected.entries()) assertSame(actual[i], array, `frame ${number}: ${i}`)
}

async function heapUsed() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await setTimeout(20)
  }
  return process.memoryUsage().heapUsed
}

const twin = createObjects(copse, await copse.create())
let state
let heap = 0
const start = performance.now()
for (let life = 0; life * LIFE < FRAMES; life++) {
  const options = { threads: THREADS, workerFactory, memory: 0 }
  const instance = await threaded.create(options)
  assert.is(instance.threads.count, THREADS)
  const objects = createObjects(threaded, instance)
  if (state) restore(objects, state)
  else fill(objects)
  let grown = 0
  for (let i = 0; i < LIFE; i++) {
    if (i === LAST_GROWTH + 50) grown = pages(instance)
    const number = life * LIFE + i
    if (i === LIFE - ALONE) instance.dispose()
    if (i % 300 === 150 && i <= LAST_GROWTH) {
      const { tree, grid, crowd } = objects
      for (const object of [tree, grid, crowd]) object.reserve(object.capacity + 3000)
    }
    if (i % CHECKED === CHECKED - 1) compare(objects, twin, number)
    else frame(objects, number)
  }
  state = saved(objects)
  for (let wait = 0; running && wait < 1000; wait++) await setTimeout(5)
  assert.is(running, 0, 'workers are left')
  assert.is(pages(instance), grown, 'memory grows, though nothing in the game does')
  if (life === 1) heap = await heapUsed()
}
const growth = (await heapUsed()) - heap
const hash = createHash('sha256')
for (const bytes of state) hash.update(bytes)
const milliseconds = (performance.now() - start) / FRAMES
console.log(`${THREADS} threads, ${FRAMES.toLocaleString('en')} frames:`)
console.log(`     ${milliseconds.toFixed(2)} ms per frame`)
console.log(`     final hash: ${hash.digest('hex').slice(0, 8)}`)
const isRight = growth <= MOST_HEAP_GROWTH
console.log(`${isRight ? 'ok  ' : 'FAIL'} heap: ${growth} bytes more than after the second life`)
process.exitCode = isRight ? 0 : 1
