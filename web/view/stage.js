// The stage that a scene draws on. Every scene gets a new canvas, which is removed with its listeners.
//
//   canvas            the element. A scene may request another context than 2D from it
//   context           the 2D context. A unit is one CSS pixel, or more on a very large screen. After sprites
//                     were drawn in a frame, it is the context of a canvas above them: read it again after
//                     drawing agents
//   sprites           draws many items, see sprites.js; null without WebGL 2
//   width, height     in units
//   along             axis of the longer side when the window had its size: 0 is x, 1 is y. A panel that opens
//                     beside the stage does not turn the scene
//   scale             CSS pixels per unit
//   ratio             device pixels per unit
//   pointer           { x, y, dirX, dirY, wandering, isDown }, see pointer.js
//   paused            true while paused, also in a frame of a single step
//   random            random numbers, seeded at every start: a scene always starts the same way
//   refresh()         updates the panel after the scene itself changed params

import { createRandom } from '../random.js'
import { createPointer } from './pointer.js'
import { createSprites } from './sprites.js'

const LARGE = [1900, 1050] // CSS pixels: on a larger stage, everything is scaled up

export function createStage(container, { label, scroll, scrolls, press, refresh }) {
  const canvas = document.createElement('canvas')
  canvas.tabIndex = 0
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-label', label)
  container.append(canvas)

  let context = null
  let sprites
  let sized = false
  let windowSize = '' // when the longer side was chosen
  const observer = new ResizeObserver(() => (sized = false))
  observer.observe(container)

  const stage = {
    canvas,
    get context() {
      return sprites?.above ?? (context ??= canvas.getContext('2d'))
    },
    get sprites() {
      return sprites === undefined ? (sprites = createSprites(stage)) : sprites
    },
    width: 0,
    height: 0,
    along: 0,
    scale: 1,
    ratio: 0,
    paused: false,
    random: createRandom(1),
    refresh,

    // Adapts to the size and pixel ratio of the container. Returns true if its size in units changed.
    fit() {
      const pixels = Math.min(window.devicePixelRatio || 1, 3) // per CSS pixel
      if (sized && pixels * stage.scale === stage.ratio) return false
      sized = true
      const inside = [Math.max(container.clientWidth, 1), Math.max(container.clientHeight, 1)]
      const scale = Math.max(Math.min(inside[0] / LARGE[0], inside[1] / LARGE[1]), 1)
      const [width, height] = inside.map((side) => side / scale)
      const ratio = pixels * scale
      const changed = width !== stage.width || height !== stage.height
      const outside = `${window.innerWidth} × ${window.innerHeight}`
      if (outside !== windowSize) stage.along = width >= height ? 0 : 1
      windowSize = outside
      if (!changed && ratio === stage.ratio) return false
      Object.assign(stage, { width, height, scale, ratio })
      canvas.width = Math.round(width * ratio)
      canvas.height = Math.round(height * ratio)
      return changed
    },

    clear() {
      sprites?.clear()
      if (!context) return
      context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0)
      context.clearRect(0, 0, stage.width, stage.height)
    },

    dispose() {
      observer.disconnect()
      sprites?.dispose()
      canvas.remove()
    },
  }
  stage.fit()
  stage.pointer = createPointer(canvas, stage, { scroll, scrolls, press })
  stage.pointer.x = stage.width / 2
  stage.pointer.y = stage.height / 2
  return stage
}
