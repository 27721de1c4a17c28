// How often something is due, by the seconds of frames.

export const FRAME = 1 / 60 // seconds: a single one while paused
const BUDGET = 12 // ms a frame: steps that come later are left out

/** A function of the seconds since the last frame, and of steps a frame: calls step() as often as is due. */
export function createPace(step) {
  let due = 0
  return (dt, speed) => {
    due += (speed * dt) / FRAME
    const end = performance.now() + BUDGET
    for (; due >= 1 && performance.now() < end; due--) step()
    due %= 1
  }
}

/** Calls task() in the next frame, and from then on every so many seconds, while paused too. */
export function createTimer(seconds, task) {
  let left = 0
  return {
    /** In every frame. */
    pass(dt) {
      left -= dt || FRAME
      if (left > 0) return
      left = seconds
      task()
    },

    /** The next frame is the first again. */
    restart() {
      left = 0
    },
  }
}
