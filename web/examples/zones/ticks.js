// The clock that all zones share: ticks are numbered by the time of day, so zones on machines with synchronized clocks
// agree on them.

import { TICKS } from './world.js'

const START = Date.UTC(2026, 0, 1)
const MAX_LATE = 2 * TICKS // ticks; a zone that was stopped for longer skips the rest

/** Returns the number of the present tick. */
export const tickNow = () => Math.floor(((Date.now() - START) * TICKS) / 1000)

/**
 * Runs all ticks that are due, then sends once: a zone that falls behind sends less often, and keeps its step.
 * @param {{ tick: number, advance: (tick: number) => void }} zone
 * @param {number} due the present tick
 * @param {() => void} send
 * @returns the number of ticks
 */
export function catchUp(zone, due, send) {
  const first = Math.max(zone.tick + 1, due - MAX_LATE + 1)
  for (let tick = first; tick <= due; tick++) zone.advance(tick)
  if (first <= due) send()
  return Math.max(due - first + 1, 0)
}
