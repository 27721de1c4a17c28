// Walls that the user draws, into an obstacle tree: by a drag, or by Enter where one begins and ends.

import { addButton } from './controls.js'
import { stretch } from './spawn.js'

const LEAST = 8 // pixels: a shorter wall is a click
const { fround } = Math

/** Adds buttons that take walls away, by the pencil's change(). */
export function addPencilControls(gui) {
  addButton(gui, 'undo', 'Undo your last wall')
  addButton(gui, 'clear', 'Clear your walls')
}

/**
 * `at()` gives x and y of the pointer, and `unitsOf()` a length in pixels, in units of the walls, of which
 * the first ones go when there are more than `most`. `changed()` is called after every change.
 */
export function createPencil(
  { canvas },
  walls,
  { most, at, unitsOf = (pixels) => pixels, changed },
) {
  const drawn = [] // { slot, points }
  let drawing = null // the wall whose end follows the pointer

  function begin() {
    drawing = { slot: -1, points: new Float32Array([...at(), 0, 0]) }
  }

  // The wall that is being drawn stands already.
  function follow() {
    const { points } = drawing
    const [x, y] = at()
    if (points[2] === fround(x) && points[3] === fround(y)) return
    points[2] = x
    points[3] = y
    if (drawing.slot >= 0) walls.move(drawing.slot, points)
    else if (lengthOf(points) >= unitsOf(LEAST)) {
      if (drawn.length === most) walls.remove(drawn.shift().slot)
      drawing.slot = walls.addSegment(...points)
    } else return
    changed()
  }

  function finish() {
    follow()
    const { slot, points } = drawing
    if (slot >= 0 && lengthOf(points) >= unitsOf(LEAST)) drawn.push(drawing)
    else if (slot >= 0) walls.remove(slot)
    drawing = null
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

    /** Of each wall x0, y0, x1, y1. */
    get points() {
      const all = drawn.map(({ points }) => points)
      return drawing?.slot >= 0 ? [...all, drawing.points] : all
    },

    /** In every frame. */
    follow() {
      if (drawing) follow()
    },

    // Of a finger or the mouse it is the begin of a drag; of Enter, begin or end.
    press() {
      if (drawing) finish()
      else begin()
    },

    /** A button was pressed. */
    change(field) {
      if (field !== 'undo' && field !== 'clear') return
      for (const { slot } of drawn.splice(field === 'undo' ? -1 : 0)) walls.remove(slot)
      changed()
    },

    /** Puts the walls again into a tree that was cleared. */
    raise() {
      for (const wall of drawn) wall.slot = walls.addSegment(...wall.points)
    },

    /** Lets the walls follow a stage that is x times as wide and y times as high. */
    resize(x, y) {
      for (const { points } of drawn) stretch(points, x, y)
    },
  }
}

const lengthOf = ([x0, y0, x1, y1]) => Math.hypot(x1 - x0, y1 - y0)
