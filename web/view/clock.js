// Honest times from a coarse clock.

/**
 * Milliseconds that one run of the task takes, from as many runs as the clock needs. The best of
 * some tries: a pause for compiling or collecting is not the task's. Runs of `atLeast` ms are timed
 * together.
 */
export function timeRun(task, tries = 2, atLeast = 0.5) {
  let runs = 1
  let best = Infinity
  while (tries-- > 0) {
    let elapsed = timeRuns(task, runs)
    while (elapsed < atLeast) elapsed = timeRuns(task, (runs *= 2))
    best = Math.min(best, elapsed / runs)
  }
  return best
}

/** Milliseconds that these runs take together. */
export function timeRuns(task, runs = 1) {
  const start = performance.now()
  for (let i = 0; i < runs; i++) task()
  return performance.now() - start
}

/** A mean of what comes often, brought up to date: mostly of the last 40. undefined: none yet. */
export const smooth = (mean, value) => (mean === undefined ? value : mean + (value - mean) / 40)

/** Runs a task, and brings the mean of the milliseconds that it takes up to date. */
export const smoothTime = (mean, task) => smooth(mean, timeRuns(task))

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
