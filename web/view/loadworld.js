// Loads view/world.js, and three.js with it, for a scene in 3D. The scene is shown once they are loaded.

import { theme } from './theme.js'

const TURN = 0.12 // radians per second, while the pointer is idle
const EASE = 7 // rate at which a point approaches its goal, per second

/**
 * Loads a world whose camera starts at `eye`. `createView(three, world)` creates the view: all objects that
 * are drawn, by the functions of view/world.js. The view's paint() applies the colors of the theme.
 */
export function loadWorld(stage, eye, createView) {
  let world = null // null until loaded
  let view = null
  let failure = null
  let painted = '' // the theme's paper color at the last paint
  let closed = false

  async function load() {
    const three = await import('./world.js')
    if (closed) return
    world = three.createWorld(stage, eye)
    view = createView(three, world)
  }
  load().catch((error) => (failure = error))

  return {
    /** The view; null until loaded. */
    get view() {
      return view
    },

    /** Draws a frame. show(view, isNew) updates the view first; isNew is true if the colors changed. */
    draw(show) {
      if (failure) throw failure
      if (!view) return
      const isNew = painted !== theme.paper
      painted = theme.paper
      if (isNew) view.paint()
      show(view, isNew)
      world.draw()
    },

    /** Turns the camera while the pointer is idle. */
    turn(dt) {
      if (stage.pointer.wandering) world?.turn(TURN * dt)
    },

    /** Turns the camera by an angle, and moves a point along its axes; the camera follows it. */
    fly(point, right, up, forward, angle) {
      world?.turn(angle)
      world?.fly(point, right, up, forward)
    },

    follow: (point, part) => world?.follow(point, part),

    /** Returns the point under a pixel; undefined until loaded. */
    pick: (x, y) => world?.pick(x, y),

    zoom: (steps) => world?.zoom(steps),

    dispose() {
      closed = true
      world?.dispose()
    },
  }
}

/** Returns how much higher than wide a world may be on this stage, to fill it: 1 on a wide one. */
export const tallnessOf = ({ width, height }) => Math.min(Math.max(height / width, 1), 1.7)

/** Moves a point part of the way to a goal. */
export function ease(point, goal, dt) {
  const part = 1 - Math.exp(-EASE * dt)
  for (const axis of ['x', 'y', 'z']) point[axis] += (goal[axis] - point[axis]) * part
}
