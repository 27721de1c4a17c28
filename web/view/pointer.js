// Where the scene's attention is: mouse, touch and arrow keys move one pointer. Left alone, it
// wanders by itself, so that the page is alive at once.

import { createRandom } from '../random.js'

const IDLE = 4 // seconds after the mouse or finger has left until it wanders again
const KEY_SPEED = 320 // units of the stage per second
const WANDER_PULL = 1.1 // how eagerly the wandering pointer heads for its next goal, per second²

export function createPointer(canvas, stage, on) {
  const pointer = {
    x: 0,
    y: 0,
    dirX: 1, // where it last moved to, a unit vector
    dirY: 0,
    wandering: true,
    moveTo,
    update,
  }
  const random = createRandom(2)
  const held = new Map() // pointers that are down, by id: two of them pinch
  let spread = 0
  let scrolled = 0
  let idle = Infinity // seconds left until it wanders
  let speedX = 0
  let speedY = 0
  let goalX = 0
  let goalY = 0
  let goalTime = 0

  function moveTo(x, y) {
    x = Math.min(Math.max(x, 0), stage.width)
    y = Math.min(Math.max(y, 0), stage.height)
    // The direction follows the last dozen pixels, so that it doesn't jitter.
    const weight = 1 / 12
    const dirX = pointer.dirX + (x - pointer.x) * weight
    const dirY = pointer.dirY + (y - pointer.y) * weight
    const length = Math.hypot(dirX, dirY)
    if (length > 1e-6) {
      pointer.dirX = dirX / length
      pointer.dirY = dirY / length
    }
    pointer.x = x
    pointer.y = y
  }

  // Called once a frame: dt in seconds, steer -1, 0 or 1 per axis from the arrow keys.
  function update(dt, steerX, steerY, mayWander) {
    if (steerX || steerY) {
      use()
      moveTo(pointer.x + steerX * KEY_SPEED * dt, pointer.y + steerY * KEY_SPEED * dt)
    }
    idle -= dt
    if (idle < 0 && mayWander) wander(dt)
  }

  function use() {
    pointer.wandering = false
    idle = Infinity
  }

  function release() {
    if (!pointer.wandering) idle = IDLE
  }

  function wander(dt) {
    if (!pointer.wandering) {
      pointer.wandering = true
      speedX = speedY = goalTime = 0
    }
    goalTime -= dt
    if (goalTime <= 0) {
      goalTime = 3
      goalX = stage.width * (0.15 + 0.7 * random())
      goalY = stage.height * (0.15 + 0.7 * random())
    }
    speedX += ((goalX - pointer.x) * WANDER_PULL - speedX) * dt
    speedY += ((goalY - pointer.y) * WANDER_PULL - speedY) * dt
    moveTo(pointer.x + speedX * dt, pointer.y + speedY * dt)
  }

  // The distance between the two fingers of a pinch, else 0.
  function fingerSpread() {
    if (held.size !== 2) return 0
    const [a, b] = held.values()
    return Math.hypot(a.x - b.x, a.y - b.y)
  }

  // Whole steps only: a touch pad scrolls and a pinch grows by tiny parts of one.
  function scroll(steps) {
    scrolled += steps
    const whole = Math.trunc(scrolled)
    if (whole === 0) return
    scrolled -= whole
    on.scroll(whole)
  }

  function place(event) {
    const box = canvas.getBoundingClientRect()
    const x = (event.clientX - box.left) / stage.scale
    const y = (event.clientY - box.top) / stage.scale
    if (held.has(event.pointerId)) held.set(event.pointerId, { x, y })
    if (held.size === 2) {
      const before = spread
      spread = fingerSpread()
      if (before > 0 && spread > 0) scroll(Math.log(spread / before) / Math.log(1.1))
    } else {
      use()
      moveTo(x, y)
    }
  }

  canvas.addEventListener('pointerdown', (event) => {
    held.set(event.pointerId, { x: 0, y: 0 })
    spread = 0
    place(event)
    if (held.size === 1 && event.button === 0) on.press()
  })
  canvas.addEventListener('pointermove', place)
  for (const type of ['pointerup', 'pointercancel', 'pointerleave']) {
    canvas.addEventListener(type, (event) => {
      held.delete(event.pointerId)
      spread = 0
      if (type === 'pointerleave') release() // a finger that is lifted leaves too
    })
  }
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      scroll(-event.deltaY / (event.deltaMode === 0 ? 100 : 3))
    },
    { passive: false },
  )

  idle = -1
  return pointer
}
