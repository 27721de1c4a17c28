// The scene's one pointer: mouse, touch and arrow keys move it. When idle, it wanders by itself, so that the
// page is alive from the start.

import { createRandom } from '../random.js'

const IDLE = 4 // seconds from when the mouse or finger left until the pointer wanders
const KEY_SPEED = 320 // units of the stage per second
const WANDER_PULL = 1.1 // acceleration of the wandering pointer to its goal, per second²

export function createPointer(canvas, stage, on) {
  const pointer = {
    x: 0,
    y: 0,
    dirX: 1, // direction of its last movement, a unit vector
    dirY: 0,
    wandering: true,
    get isDown() {
      return held.size > 0
    },
    moveTo,
    update,
  }
  const random = createRandom(2)
  const held = new Map() // pressed mouse button or fingers, by pointer id: two fingers pinch
  let spread = 0 // distance between two fingers
  let scrolled = 0 // part of a step not yet reported
  let idle = Infinity // seconds left until it wanders
  let speedX = 0
  let speedY = 0
  let goalX = 0
  let goalY = 0
  let goalTime = 0

  function moveTo(x, y) {
    x = Math.min(Math.max(x, 0), stage.width)
    y = Math.min(Math.max(y, 0), stage.height)
    // Smooths the direction over about a dozen pixels, so that it does not jitter.
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

  // Called every frame: dt in seconds; steer -1, 0 or 1 per axis, from the arrow keys.
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

  // Returns the distance between the two fingers of a pinch, or else 0.
  function fingerSpread() {
    if (held.size !== 2) return 0
    const [a, b] = held.values()
    return Math.hypot(a.x - b.x, a.y - b.y)
  }

  // Reports whole steps only: touch pads and pinches scroll by tiny parts of a step.
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
      if (type === 'pointerleave') release() // also when a finger is lifted
    })
  }
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!on.scrolls()) return // the page scrolls
      event.preventDefault()
      scroll(-event.deltaY / (event.deltaMode === 0 ? 100 : 3))
    },
    { passive: false },
  )

  idle = -1
  return pointer
}
