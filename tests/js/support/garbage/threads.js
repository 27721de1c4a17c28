// Plays frames of a game whose work is divided among threads, in parts. Prints the number of garbage collections,
// and how many bytes per frame the main thread allocated in the part with the fewest: in others, the engine itself
// allocates, to optimize code. Frames take longer than those of frames.js: there are too few for a few bytes to
// cause a collection. With the argument `views`, it also creates one small view per frame. Run it with a large
// --max-semi-space-size.

import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import * as copse from 'copse/threads'
import { FRACTIONS, options } from './points.js'

const PARTS = 12
const FRAMES = 100 // of each part
const AGENTS = 4200 // enough to divide builds, batches and steps

const makesViews = process.argv[2] === 'views'
const instance = await copse.create({ threads: 2 })
if (instance.threads.count !== 2) throw new Error(instance.threads.reason)

const indexes = [
  new copse.AgentTree({ instance, capacity: AGENTS }),
  new copse.Grid3D({ instance, capacity: AGENTS, cellSize: 20 }),
]
for (const index of indexes) {
  index.slots = AGENTS
  for (let i = 0; i < index.positions.length; i++) index.positions[i] = (i * 7919) % 1009
}
const crowd = new copse.Crowd({ instance, capacity: AGENTS })
for (let i = 0; i < AGENTS; i++) crowd.add({ position: [(i % 64) * 3, i / 20], goal: [0, 0] })
for (let i = 100; i < AGENTS - 1; i++) crowd.remove(i)
const nearest = options({ k: 2, maxDistance: 1.5 })
let sum = 0

function play(count) {
  let partial = 0
  for (let number = 0; number < count; number++) {
    for (let i = 0; i < 2; i++) {
      const index = indexes[i]
      index.positions[2] = number & 511
      index.build()
      partial += index.allWithin(FRACTIONS[0]).total
      partial += index.allNeighbors(nearest).counts[0]
    }
    crowd.step()
    partial += crowd.arrived().length
    if (makesViews) partial += indexes[0].positions.subarray(2).length & 1
  }
  return partial
}

let collections = 0
const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))
observer.observe({ entryTypes: ['gc'] })
let bytes = Infinity
for (let part = 0; part < PARTS; part++) {
  process.memoryUsage() // allocates an object
  const before = process.memoryUsage().heapUsed
  sum += play(FRAMES)
  bytes = Math.min(bytes, process.memoryUsage().heapUsed - before)
  await setTimeout(20)
}
observer.disconnect()
instance.dispose()

if (!(sum > 0)) throw new Error('the frames found nothing')
console.log(JSON.stringify({ collections, bytes: bytes / FRAMES }))
