// Plays frames of a game. After a warm-up, prints the number of garbage collections.
// `node tests/js/support/garbage/frames.js AgentTree` calls everything of that kind that makes no garbage. With
// one more argument, `views`, it also creates one small view per frame. Run it with --max-semi-space-size=1.

import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import * as copse from 'copse'
import { boxFrames } from './boxes.js'
import { crowdFrames } from './crowd.js'
import { pathFrames } from './paths.js'
import { pointFrames } from './points.js'
import { sensorFrames } from './sensors.js'
import { wallFrames } from './walls.js'

const WARM_UP = 50_000
const FRAMES = 200_000

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

// In parts, so that code that was optimized in the meantime is used.
for (let part = 0; part < 10; part++) {
  sum += play(WARM_UP / 10)
  await setTimeout(20)
}
observer.observe({ entryTypes: ['gc'] })
sum += play(FRAMES)
await setTimeout(20)
observer.disconnect()

if (!(sum > 0)) throw new Error('the frames found nothing')
console.log(String(collections))
