// Adds walls that the user draws to an obstacle tree: by dragging, or by Enter at each end of a wall.

import { addButton } from './controls.js'
import { stretch } from './spawn.js'

const MIN_LENGTH = 8 // pixels: a shorter wall is a click
const { fround } = Math

/** Adds the buttons that remove walls, which the pencil's change() handles. */
export function addPencilControls(gui) {
  addButton(gui, 'undo', 'Undo your last wall')
  addButton(gui, 'clear', 'Clear your walls')
}

/**
 * Creates a pencil that keeps up to `maxWalls` walls; each further wall replaces the oldest. `locate()`
 * returns x and y of the pointer and `unitsOf()` converts pixels, both to units of the walls. `changed()` is
 * called after every change, `clicked()` when a drag ends that was too short for a wall.
 */
export function createPencil(
  { canvas },
  walls,
  { maxWalls, locate, unitsOf = (pixels) => pixels, changed, clicked },
) {
  const drawn = [] // { slot, points }
  let drawing = null // the wall whose end follows the pointer

  function begin() {
    drawing = { slot: -1, points: new Float32Array([...locate(), 0, 0]) }
  }

  // Adds or moves the wall that is being drawn: it blocks already.
  function follow() {
    const { points } = drawing
    const [x, y] = locate()
    if (points[2] === fround(x) && points[3] === fround(y)) return
    points[2] = x
    points[3] = y
    if (drawing.slot >= 0) walls.move(drawing.slot, points)
    else if (lengthOf(points) >= unitsOf(MIN_LENGTH)) {
      if (drawn.length === maxWalls) walls.remove(drawn.shift().slot)
      drawing.slot = walls.addSegment(...points)
    } else return
    changed()
  }

  function finish() {
    follow()
    const { slot, points } = drawing
    drawing = null
    if (slot < 0) return clicked?.()
    if (lengthOf(points) >= unitsOf(MIN_LENGTH)) drawn.push({ slot, points })
    else walls.remove(slot)
    changed()
  }

  function abandon() {
    if (drawing?.slot >= 0) walls.remove(drawing.slot)
    drawing = null
    changed()
  }

  const listeners = {
    pointerdown({ isPrimary, pointerId }) {
      if (isPrimary) canvas.setPointerCapture(pointerId)
      else if (drawing) abandon() // a pinch
    },
    pointerup({ isPrimary }) {
      if (isPrimary && drawing) finish()
    },
    pointercancel: abandon,
  }
  for (const [type, listener] of Object.entries(listeners)) canvas.addEventListener(type, listener)

  return {
    abandon,

    get count() {
      return drawn.length
    },

    get isDrawing() {
      return drawing !== null
    },

    /** The points x0, y0, x1, y1 of each wall. */
    get points() {
      const points = drawn.map(({ points }) => points)
      return drawing?.slot >= 0 ? [...points, drawing.points] : points
    },

    /** Called every frame. */
    follow() {
      if (drawing) follow()
    },

    // A mouse button or finger begins a drag. Enter begins or ends a wall.
    press() {
      if (drawing) finish()
      else begin()
    },

    /** Handles a press of a button. */
    change(field) {
      if (field !== 'undo' && field !== 'clear') return
      for (const { slot } of drawn.splice(field === 'undo' ? -1 : 0)) walls.remove(slot)
      changed()
    },

    /** Adds the walls again to a tree that was cleared. */
    raise() {
      for (const wall of drawn) wall.slot = walls.addSegment(...wall.points)
    },

    /** Scales the walls with a stage that is x times as wide and y times as high. */
    resize(x, y) {
      for (const { points } of drawn) stretch(points, x, y)
    },
  }
}

const lengthOf = ([x0, y0, x1, y1]) => Math.hypot(x1 - x0, y1 - y0)
