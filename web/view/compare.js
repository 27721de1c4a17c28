// Compares results and times of a query with a loop over all items, while the scene runs.

import { formatTime } from './format.js'
import { createTimer } from './pace.js'

const EVERY = 0.5 // seconds

/** True if two lists hold the same ids in the same order. */
export const isSame = (a, b) => a.length === b.length && a.every((id, i) => id === b[i])

/** Returns the mark shown after a number that was compared. */
export const verdict = (equal) => (equal === undefined ? '' : equal ? ' ✓' : ' differs')

/** Calls `compare()` twice a second. It returns { equal, queryTime, bruteTime }; times in ms, optional. */
export function createComparison(compare) {
  let last = {}
  const timer = createTimer(EVERY, () => (last = compare()))

  return {
    /** Called every frame. */
    pass: timer.pass,

    /** Drops the last results, because the data or the query changed. */
    forget() {
      last = {}
      timer.restart()
    },

    /** True if the last results were equal; undefined: not compared yet. */
    get equal() {
      return last.equal
    },

    /** Returns the results() of a scene. */
    results() {
      const { equal, bruteTime } = last
      return equal === undefined ? [] : [{ name: 'brute force', total: bruteTime, equal }]
    },

    /** Returns both times, for the panel. */
    numbers() {
      const { equal, queryTime, bruteTime } = last
      return [
        ['Query', formatTime(queryTime)],
        ['Brute force', formatTime(bruteTime) + verdict(equal)],
      ]
    },
  }
}
