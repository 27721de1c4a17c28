// A worker that times the builders of the k-d tree, and sorting every range, on the same points. The request is
// { builders, positions }, or { builders, spread, count, width, height } for new points. It posts
// { builder, ms, equal } for each builder, and last the time of sorting, without a builder. `equal` is true if
// the order is that of sorting.

import { init, KdTree } from 'copse'
import { sortPerLevel } from '../../peers/sortperlevel.js'
import { createRandom } from '../../random.js'
import { median, timeRun } from '../../view/clock.js'
import { isSame } from '../../view/compare.js'
import { spawn } from '../../view/spawn.js'

const RUNS = 5 // the median is posted
const TIMED = 2 // least ms that are timed together, since the clock is coarse

onmessage = async ({ data }) => {
  await init()
  const positions = data.positions ?? spawned(data)
  const count = positions.length / 2
  const sorted = sortPerLevel(positions, count, 2)

  for (const builder of data.builders) {
    const tree = new KdTree({ capacity: count, builder })
    tree.slots = count
    tree.positions.set(positions)
    tree.build()
    const equal = isSame(tree.order(), sorted)
    postMessage({ builder, equal, ms: medianTime(() => tree.build()) })
    tree.dispose()
  }
  postMessage({ equal: true, ms: medianTime(() => sortPerLevel(positions, count, 2)) })
}

function spawned({ spread, count, width, height }) {
  return spawn(spread, count, width, height, createRandom(1)).positions
}

function medianTime(task) {
  return median(Array.from({ length: RUNS }, () => timeRun(task, 1, TIMED)))
}
