// What a scene gets to show itself on. Every scene has a canvas of its own, whose listeners go with it.
//
//   canvas            the element; a scene may ask it for another context than 2D instead
//   context           its 2D context: one unit is one CSS pixel, on a very large screen more. Once many
//                     have been drawn by sprites in a frame, that of a canvas above them: so don't keep
//                     it while drawing agents
//   sprites           draws many, see sprites.js; null without WebGL 2
//   width, height     in units
//   scale             CSS pixels per unit
//   ratio             device pixels per unit
//   pointer           { x, y, dirX, dirY, wandering }, see pointer.js
//   random            seeded anew for every start, so that a scene always opens the same way
//   refresh()         shows params that the scene has changed itself in the panel

import { createRandom } from '../random.js'
import { createPointer } from './pointer.js'
import { createSprites } from './sprites.js'

const LARGE = [1900, 1050] // CSS pixels: what is larger is seen from farther away, so all is larger

export function createStage(container, { label, scroll, press, refresh }) {
  const canvas = document.createElement('canvas')
  canvas.tabIndex = 0
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-label', label)
  container.append(canvas)

  let context = null
  let sprites
  let sized = false
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
    scale: 1,
    ratio: 0,
    random: createRandom(1),
    refresh,

    // Follows size and pixel ratio of the container; true if its size in units is another one.
    fit() {
      const pixels = Math.min(window.devicePixelRatio || 1, 3) // per CSS pixel
      if (sized && pixels * stage.scale === stage.ratio) return false
      sized = true
      const inside = [Math.max(container.clientWidth, 1), Math.max(container.clientHeight, 1)]
      const scale = Math.max(Math.min(inside[0] / LARGE[0], inside[1] / LARGE[1]), 1)
      const [width, height] = inside.map((side) => side / scale)
      const ratio = pixels * scale
      const changed = width !== stage.width || height !== stage.height
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
  stage.pointer = createPointer(canvas, stage, { scroll, press })
  stage.pointer.x = stage.width / 2
  stage.pointer.y = stage.height / 2
  return stage
}
