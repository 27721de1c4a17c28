// Measures short times with a coarse clock.

/**
 * Returns the milliseconds that one run of the task takes. Times as many runs together as take
 * `atLeast` ms, and returns the best of several tries: that leaves out pauses for compilation and
 * garbage collection.
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

/** Returns the milliseconds that `runs` runs take together. */
export function timeRuns(task, runs = 1) {
  const start = performance.now()
  for (let i = 0; i < runs; i++) task()
  return performance.now() - start
}

/** Returns the mean updated by a value: a moving average over about 40 values. undefined: no mean yet. */
export const smooth = (mean, value) => (mean === undefined ? value : mean + (value - mean) / 40)

/** Runs a task and returns the mean updated by its milliseconds. */
export const smoothTime = (mean, task) => smooth(mean, timeRuns(task))

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
