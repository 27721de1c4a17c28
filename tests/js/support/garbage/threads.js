// Plays frames of a game whose work is divided among threads, in parts. Prints the number of garbage collections,
// and how many bytes per frame the main thread allocated in the part with the fewest: in others, the engine itself
// allocates, the more often the busier the machine is. So there are as many parts as needed to find one without, up to
// PARTS. Frames take longer than those of frames.js: there are too few for a few bytes to cause a collection.
// With the argument `views`, it also creates one small view per frame. Run it with a large --max-semi-space-size.

import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import * as copse from 'copse/threads'
import { FRACTIONS, options } from './points.js'

const FEW = 20
const MANY = 4200 // enough to divide builds, batches and steps
const WARM_UP = 15_000
const PARTS = 30
const FRAMES = 100 // of each part
const OWN = 8 // bytes per frame that measuring takes, or fewer
const STEP = 1 / 64

const makesViews = process.argv[2] === 'views'
const instance = await copse.create({ threads: 2 })
if (instance.threads.count !== 2) throw new Error(instance.threads.reason)
const nearest = options({ maxDistance: 2 }) // no fraction: to read it is garbage, see points.js

/** Creates indexes, and a crowd with as many slots, but few agents. */
function createObjects(agents) {
  const indexes = [
    new copse.AgentTree({ instance, capacity: agents }),
    new copse.Grid3D({ instance, capacity: agents, cellSize: 20 }),
  ]
  for (const index of indexes) {
    index.slots = agents
    for (let i = 0; i < index.positions.length; i++) index.positions[i] = (i * 7919) % 1009
  }
  const crowd = new copse.Crowd({ instance, capacity: agents })
  for (let i = 0; i < agents; i++) crowd.add({ position: [(i % 64) * 3, i / 20], goal: [0, 0] })
  for (let i = FEW; i < agents - 1; i++) crowd.remove(i)
  return { indexes, crowd }
}

function play({ indexes, crowd }, count) {
  let sum = 0
  for (let number = 0; number < count; number++) {
    for (let i = 0; i < 2; i++) {
      const index = indexes[i]
      index.positions[2] = number & 511
      index.build()
      sum += index.allWithin(FRACTIONS[0]).total
      sum += index.allNeighbors(2, nearest).counts[0]
    }
    crowd.step(STEP)
    sum += crowd.arrived().length
    if (makesViews) sum += indexes[0].positions.subarray(2).length & 1
  }
  return sum
}

const [small, large] = [createObjects(FEW), createObjects(MANY)]
let sum = 0
// In parts, so that code that was optimized in the meantime is used.
for (let part = 0; part < 10; part++) {
  sum += play(small, WARM_UP / 10)
  await setTimeout(20)
}
let collections = 0
const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))
observer.observe({ entryTypes: ['gc'] })
let bytes = Infinity
for (let part = 0; part < PARTS && bytes > OWN * FRAMES; part++) {
  process.memoryUsage() // allocates an object
  const before = process.memoryUsage().heapUsed
  sum += play(large, FRAMES)
  bytes = Math.min(bytes, process.memoryUsage().heapUsed - before)
  await setTimeout(20)
}
observer.disconnect()
instance.dispose()

if (!(sum > 0)) throw new Error('the frames found nothing')
console.log(JSON.stringify({ collections, bytes: bytes / FRAMES }))
