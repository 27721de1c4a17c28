// Runs tasks at a steady rate, independent of the frame rate.

export const FRAME = 1 / 60 // seconds: length of a single frame while paused
const BUDGET = 12 // ms per frame: later steps are dropped

/** Returns a function (dt, speed) to call every frame: it calls step() `speed` times per 1/60 s of dt. */
export function createPace(step) {
  let due = 0
  return (dt, speed) => {
    due += (speed * dt) / FRAME
    const end = performance.now() + BUDGET
    for (; due >= 1 && performance.now() < end; due--) step()
    due %= 1
  }
}

/** Calls task() in the next frame, then every `seconds` seconds, also while paused. */
export function createTimer(seconds, task) {
  let left = 0
  return {
    /** Called every frame. */
    pass(dt) {
      left -= dt || FRAME
      if (left > 0) return
      left = seconds
      task()
    },

    /** Makes the task due in the next frame. */
    restart() {
      left = 0
    },
  }
}
