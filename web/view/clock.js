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

function timeRuns(task, runs) {
  const start = performance.now()
  for (let i = 0; i < runs; i++) task()
  return performance.now() - start
}

/** '0.06 µs', '3.2 µs', '14 µs', '1.4 ms': as many digits as are worth reading. */
export function formatTime(ms) {
  if (ms === undefined) return '–'
  const micro = ms < 1
  const value = micro ? ms * 1000 : ms
  return `${value.toFixed(value < 0.1 ? 2 : value < 10 ? 1 : 0)} ${micro ? 'µs' : 'ms'}`
}

/** A mean of what comes often, brought up to date: mostly of the last 40. undefined: none yet. */
export const smooth = (mean, value) => (mean === undefined ? value : mean + (value - mean) / 40)
