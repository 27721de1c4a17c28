// How the demo times a library at the standard task: build an index, then find the neighbors of every agent.

import { timeRun } from '../view/clock.js'

export const RUNS = 9 // the median is shown
const TIMED = 2 // least ms that are timed together, since the clock is coarse

/**
 * Builds the index of moving agents, with other positions in each build, and finds all neighbors in the last ones.
 * Returns { build, query, pairs }, times in ms. The first turn of a library compiles its code: leave it out.
 * `lap(part)` credits the time to parts of the frame.
 */
export function timeTurn({ peer, loops }, moments, snapshot, lap = () => {}) {
  let builds = 0
  let pairs = 0
  lap()
  const build = timeRun(() => peer.build(moments[builds++ % moments.length]), 1, TIMED)
  lap('build')
  if (builds > 1) peer.build(snapshot.positions)
  const query = timeRun(() => (pairs = loops.allWithin(peer, snapshot)), 1, TIMED)
  lap('query')
  return { build, query, pairs }
}
