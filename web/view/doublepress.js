// Double clicks and double taps, for scenes in which a single one only moves the pointer.

const [TIME, DISTANCE] = [500, 24] // milliseconds and pixels between the two presses, at most

/** Returns a function that is called at every press: true at the second one of a double one, and at Enter. */
export function createDoublePress(pointer) {
  let last = { time: -Infinity, x: 0, y: 0 }
  return () => {
    if (!pointer.isDown) return true // Enter
    const { x, y } = pointer
    const time = performance.now()
    const isNear = Math.hypot(x - last.x, y - last.y) <= DISTANCE
    const isSecond = isNear && time - last.time <= TIME
    last = { time: isSecond ? -Infinity : time, x, y }
    return isSecond
  }
}
