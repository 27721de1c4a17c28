// Plays frames of a game. After a warm-up, prints the bytes that a frame allocates, on average.
// `node tests/js/support/garbage/frames.js AgentTree` calls everything of that kind that makes no garbage. With
// one more argument, `views`, it also creates one small view per frame. Run it with the flags of garbage.test.js.

import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import * as copse from 'copse'
import { boxFrames } from './boxes.js'
import { crowdFrames } from './crowd.js'
import { pathFrames } from './paths.js'
import { pointFrames } from './points.js'
import { sensorFrames } from './sensors.js'
import { wallFrames } from './walls.js'

const WARM_UP = 25_000
const FRAMES = 4224 // what frames do repeats after 4,224 frames at most

const [, , kind, views] = process.argv
const makesViews = views === 'views'
const instance = await copse.create()
const frames = {
  ...{ Octree: boxFrames, ObstacleTree: wallFrames, Crowd: crowdFrames, Sensors: sensorFrames },
  FlowField: pathFrames,
}[kind]
const { frame } = frames
  ? frames(copse, instance, makesViews)
  : pointFrames(copse, instance, kind, makesViews)

/** Keeps calls from being optimized away. */
let sum = 0
let collections = 0
const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))

/** Plays `count` frames. A function, because a loop at module level allocates its sums until it is optimized. */
function play(count) {
  let partial = 0
  for (let number = 0; number < count; number++) partial += frame(number)
  return partial
}

const usedBytes = () => getHeapStatistics().used_heap_size

// In parts, so that code that was optimized in the meantime is used.
for (let part = 0; part < 10; part++) {
  sum += play(WARM_UP / 10)
  usedBytes() // the first calls make garbage
  await setTimeout(20)
}
observer.observe({ entryTypes: ['gc'] })
const before = usedBytes()
sum += play(FRAMES)
const bytes = usedBytes() - before
await setTimeout(20)
observer.disconnect()

if (!(sum > 0)) throw new Error('the frames found nothing')
// A collection hides what was allocated: 1e999 is Infinity in JSON.
console.log(collections > 0 ? '1e999' : String(bytes / FRAMES))
