// How many steps of a simulation are due in a frame.

const FRAME = 1 / 60 // seconds in which `speed` steps are due
const BUDGET = 12 // ms a frame: steps that come later are left out

/** A function of the seconds since the last frame, and of the speed: calls step() as often as is due. */
export function createPace(step) {
  let due = 0
  return (dt, speed) => {
    due += (speed * dt) / FRAME
    const end = performance.now() + BUDGET
    for (; due >= 1 && performance.now() < end; due--) step()
    due %= 1
  }
}
