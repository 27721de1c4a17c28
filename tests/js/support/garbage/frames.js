// Plays frames of a game and prints how many garbage collections there were, after a warm-up, as one
// number. `node tests/js/support/garbage/frames.js AgentTree` uses the forms that make no garbage, of that kind of
// index; with one more argument, `views`, it also makes one small view a frame. Run it with
// --max-semi-space-size=1.

import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import * as copse from 'copse'
import { boxFrames } from './boxes.js'
import { crowdFrames } from './crowd.js'
import { pointFrames } from './points.js'
import { wallFrames } from './walls.js'

const WARM_UP = 50_000
const FRAMES = 200_000

const [, , kind, views] = process.argv
const makesViews = views === 'views'
const instance = await copse.create()
const frames = { Octree: boxFrames, ObstacleTree: wallFrames, Crowd: crowdFrames }[kind]
const { frame } = frames
  ? frames(copse, instance, makesViews)
  : pointFrames(copse, instance, kind, makesViews)

/** So that nothing is optimized away. */
let sum = 0
let collections = 0
const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))

/** A function of its own: a loop of the module would allocate its sums until it is optimized. */
function play(count) {
  let partial = 0
  for (let number = 0; number < count; number++) partial += frame(number)
  return partial
}

// In parts, so that optimized code, compiled in the meantime, gets into use.
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
