// A measurement for the first screen: copse and rbush at the same task, on this device, now. The scene Race has
// more libraries and settings.

import * as simd from 'copse'
import * as copseLoops from '../peers/loops.js?copse'
import * as rbushLoops from '../peers/loops.js?rbush'
import { copseOf, rbush } from '../peers/peers.js'
import { createRandom, WORLD } from '../random.js'
import { median, timeRuns } from './clock.js'

const UNITS = 5_000
const RADIUS = 25.25 // ten neighbors each, about
const RUNS = 7
const REST = 40 // ms between runs, for the scene

const rest = () => new Promise((resolve) => setTimeout(resolve, REST))

/**
 * Measures how long each library takes to build its index over moving units and to find all neighbors.
 * Returns the median times in ms, and whether the results are equal.
 */
export async function measure() {
  const random = createRandom(1)
  const { GRAIN } = copseLoops
  const moments = Array.from({ length: 2 }, () => {
    const place = () => GRAIN * Math.floor((random() * WORLD) / GRAIN)
    return Float32Array.from({ length: 2 * UNITS }, place)
  })
  const unitsAt = (positions) => ({ positions, n: UNITS, dimensions: 2, radius: RADIUS })
  const libraries = [
    { peer: copseOf(simd)(unitsAt(moments[0])), loops: copseLoops },
    { peer: rbush(unitsAt(moments[0])), loops: rbushLoops },
  ]
  const measured = []
  for (const { peer, loops } of libraries) {
    const times = []
    for (let run = 0; run < RUNS; run++) {
      await rest()
      const positions = moments[(run + 1) % moments.length]
      times.push(
        timeRuns(() => {
          peer.build(positions)
          loops.allWithin(peer, unitsAt(positions))
        }),
      )
    }
    peer.build(moments[0])
    measured.push({ time: median(times), hash: loops.hashAllWithin(peer, unitsAt(moments[0])) })
    peer.dispose?.()
  }
  const [copse, other] = measured
  return { units: UNITS, copse: copse.time, rbush: other.time, equal: copse.hash === other.hash }
}
