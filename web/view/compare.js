// What a query finds and how long it takes, beside a loop over all: compared while the scene runs.

import { formatTime } from './format.js'
import { createTimer } from './pace.js'

const EVERY = 0.5 // seconds

/** Whether two lists hold the same ids in the same order. */
export const isSame = (a, b) => a.length === b.length && a.every((id, i) => id === b[i])

/** What stands behind a number that was compared. */
export const verdict = (equal) => (equal === undefined ? '' : equal ? ' ✓' : ' differs')

/** `compare()` returns { equal, queryTime, bruteTime }, the times in ms and optional. */
export function createComparison(compare) {
  let last = {}
  const timer = createTimer(EVERY, () => (last = compare()))

  return {
    /** In every frame. */
    pass: timer.pass,

    /** What was found before is no more. */
    forget() {
      last = {}
      timer.restart()
    },

    /** Whether the last results were equal; undefined: none yet. */
    get equal() {
      return last.equal
    },

    /** As a scene has them. */
    results() {
      const { equal, bruteTime } = last
      return equal === undefined ? [] : [{ name: 'brute force', total: bruteTime, equal }]
    },

    /** Both times, for the panel. */
    numbers() {
      const { equal, queryTime, bruteTime } = last
      return [
        ['Query', formatTime(queryTime)],
        ['Brute force', formatTime(bruteTime) + verdict(equal)],
      ]
    },
  }
}
