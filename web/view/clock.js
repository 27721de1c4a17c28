// Honest times from a coarse clock.

const AT_LEAST = 0.5 // ms that are timed together

/** Milliseconds that one run of the task takes, from as many runs as the clock needs. */
export function timeRun(task) {
  let runs = 1
  let best = Infinity
  // The better of two: a pause for compiling or collecting is not the task's.
  for (let tries = 0; tries < 2; tries++) {
    let elapsed = timeRuns(task, runs)
    while (elapsed < AT_LEAST) elapsed = timeRuns(task, (runs *= 2))
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
