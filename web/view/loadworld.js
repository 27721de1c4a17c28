// A scene in 3D: it is shown as soon as view/world.js is loaded, and three.js with it.

import { theme } from './theme.js'

const TURN = 0.12 // radians per second, while the pointer is left alone
const EASE = 7 // how eagerly a point goes where it should be, per second

/**
 * `createView(three, world)` makes what is drawn, by the functions of view/world.js, in a world that is
 * seen from there. Its paint() sets the colors of the theme.
 */
export function loadWorld(stage, from, createView) {
  let world = null // until it is loaded
  let view = null
  let failure = null
  let painted = '' // the theme's paper then
  let closed = false

  async function load() {
    const three = await import('./world.js')
    if (closed) return
    world = three.createWorld(stage, from)
    view = createView(three, world)
  }
  load().catch((error) => (failure = error))

  return {
    /** What was made; null until it is loaded. */
    get view() {
      return view
    },

    /** By show(view, isNew), which brings the view up to date; isNew: its colors are other ones. */
    draw(show) {
      if (failure) throw failure
      if (!view) return
      const isNew = painted !== theme.paper
      painted = theme.paper
      if (isNew) view.paint()
      show(view, isNew)
      world.draw()
    },

    /** Turns by itself while the pointer is left alone. */
    turn(dt) {
      if (stage.pointer.wandering) world?.turn(TURN * dt)
    },

    /** The point under that pixel; undefined until it is loaded. */
    pick: (x, y) => world?.pick(x, y),

    zoom: (steps) => world?.zoom(steps),

    dispose() {
      closed = true
      world?.dispose()
    },
  }
}

/** Moves a point on its way to another one. */
export function ease(point, goal, dt) {
  const part = 1 - Math.exp(-EASE * dt)
  for (const axis of ['x', 'y', 'z']) point[axis] += (goal[axis] - point[axis]) * part
}
