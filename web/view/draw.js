// Draws on a canvas: shapes that scenes share, and many small items fast. A disc is painted once into a
// small canvas and stamped: far cheaper than a path of thousands of arcs. A dart of four lines is cheaper
// than a stamp.

import { theme } from './theme.js'

/** The kind of agents that are not drawn. */
export const ABSENT = 255

const FULL = 2 * Math.PI
const MAX_AREAS = 60 // drawn
const MANY = 500 // from this count, sprites draw
const stamps = new Map()

const DISC = {
  name: 'disc',
  paint: (context, radius, color) => fillDisc(context, radius, color),
}

/** Returns a cached picture of one item; the radius is in CSS pixels. */
function stamp({ name, paint }, radius, ratio, color, kind) {
  if (stamps.size > 200) stamps.clear()
  const key = [name, radius, ratio, color, kind, theme.paper].join()
  let picture = stamps.get(key)
  if (!picture) {
    picture = document.createElement('canvas')
    const half = Math.ceil((radius + 1) * ratio)
    picture.width = picture.height = 2 * half
    const context = picture.getContext('2d')
    context.setTransform(ratio, 0, 0, ratio, half, half)
    paint(context, radius, color, kind)
    stamps.set(key, picture)
  }
  return picture
}

/**
 * Draws agents 0 … count - 1 in the color of their kind; kinds without a color are not drawn. Many agents
 * are drawn as discs by sprites: then returns true. Few are drawn by the canvas, as
 * `look.paint(context, radius, color, kind)` paints them around 0, 0, or as squares if they are small;
 * `look.name` identifies the look in the cache.
 */
export function drawKinds(stage, positions, kinds, count, radius, colors, look = DISC) {
  return draw(stage, { positions, kinds, count, radius, colors }, look)
}

/** Draws discs of one color: agents ids[0 … count), or agents 0 … count - 1 without ids. */
export function drawDots(stage, positions, ids, count, radius, color) {
  draw(stage, { positions, ids, count, radius, colors: [color] }, DISC)
}

/** Draws discs of one color over agents 0 … count - 1, each with its own opacity. */
export function drawShades(stage, positions, opacities, count, radius, color) {
  draw(stage, { positions, opacities, count, radius, colors: [color] }, DISC)
}

function draw(stage, items, look) {
  const { positions, kinds, ids, opacities, count, radius, colors } = items
  const { context } = stage
  const scale = context.getTransform().a / stage.ratio
  const small = isSmall(stage, scale * radius, count)
  if (drawMany(stage, items, small)) return true
  const pixels = Math.round(8 * scale * radius) / 8
  const pictures = small
    ? colors
    : colors.map((color, kind) => color && stamp(look, pixels, stage.ratio, color, kind))
  const { globalAlpha } = context
  const drawn = kinds ? sortByKind(kinds, ids, count) : ids
  let last = null
  let size = 1.8 * radius
  let half = radius
  for (let i = 0; i < count; i++) {
    const id = drawn ? drawn[i] : i
    const picture = pictures[kinds ? kinds[id] : 0]
    if (!picture || opacities?.[id] === 0) continue
    if (opacities) context.globalAlpha = globalAlpha * opacities[id]
    if (picture !== last) {
      last = picture
      if (small) context.fillStyle = picture
      else half = (size = picture.width / stage.ratio / scale) / 2
    }
    const x = positions[2 * id] - half
    const y = positions[2 * id + 1] - half
    if (small) context.fillRect(x, y, size, size)
    else context.drawImage(picture, x, y, size, size)
  }
  context.globalAlpha = globalAlpha
  return false
}

const sorted = { ids: new Uint32Array(0), starts: new Uint32Array(ABSENT + 2) }

/** Returns the ids sorted by kind, since changing the color is expensive. Valid until the next call. */
function sortByKind(kinds, ids, count) {
  const { starts } = sorted
  if (sorted.ids.length < count) sorted.ids = new Uint32Array(count)
  starts.fill(0)
  for (let i = 0; i < count; i++) starts[kinds[ids ? ids[i] : i] + 1]++
  for (let kind = 0; kind <= ABSENT; kind++) starts[kind + 1] += starts[kind]
  for (let i = 0; i < count; i++) {
    const id = ids ? ids[i] : i
    sorted.ids[starts[kinds[id]]++] = id
  }
  return sorted.ids
}

/**
 * Draws items by sprites (see sprites.js). Returns false if a canvas is faster: for few items, or without
 * graphics hardware for `plain` ones such as squares and darts.
 */
export function drawMany(stage, items, plain) {
  if (items.count < MANY || !stage.sprites) return false
  return !(plain && stage.sprites.isSlow) && stage.sprites.draw(items)
}

export function fillDisc(context, radius, color, x = 0, y = 0) {
  context.fillStyle = color
  context.beginPath()
  context.arc(x, y, radius, 0, FULL)
  context.fill()
}

/** Returns a radius for `count` discs: a share of the room per disc, in quarters of a pixel. */
export function radiusFor({ width, height }, count, share, [min, max]) {
  const room = Math.sqrt((width * height) / count)
  return Math.round(4 * Math.min(Math.max(share * room, min), max)) / 4
}

export function strokeCircle(context, x, y, radius, color, lineWidth = 1.5) {
  context.strokeStyle = color
  context.lineWidth = lineWidth
  context.beginPath()
  context.arc(x, y, radius, 0, FULL)
  context.stroke()
}

/** Strokes segments [x0, y0, x1, y1]. */
export function strokeSegments(context, segments, color, lineWidth) {
  context.strokeStyle = color
  context.lineWidth = lineWidth
  context.lineCap = 'round'
  context.beginPath()
  for (const [x0, y0, x1, y1] of segments) {
    context.moveTo(x0, y0)
    context.lineTo(x1, y1)
  }
  context.stroke()
}

/** Draws the area of a query, outlined and tinted: `trace()` adds its shape to the path. */
export function drawArea(context, color, trace) {
  context.strokeStyle = context.fillStyle = color
  context.lineWidth = 1.5
  context.beginPath()
  trace()
  context.globalAlpha = 0.07
  context.fill()
  context.globalAlpha = 1
  context.stroke()
}

/** Strokes areas minX, minY, maxX, maxY, …, faintly, and not all if there are many. */
export function strokeAreas(context, areas, count) {
  context.strokeStyle = theme.hit
  context.lineWidth = 1
  context.globalAlpha = 0.35
  for (let row = 0; row < Math.min(count, MAX_AREAS); row++) {
    const [minX, minY, maxX, maxY] = areas.subarray(4 * row, 4 * row + 4)
    context.strokeRect(minX, minY, maxX - minX, maxY - minY)
  }
  context.globalAlpha = 1
}

/** True if items are so small, or so many, that a disc looks like a square, which is faster to draw. */
export function isSmall(stage, radius, count) {
  return radius * (count > 3000 ? 1 : stage.ratio) < 1.5
}

const DARTS = 60 // per path: in a longer path each line takes longer

/** Draws arrowheads in the fill color, all in one direction, a unit vector; `size`: from center to tip. */
export function drawDarts(context, positions, ids, count, dirX, dirY, size) {
  const tipX = size * dirX
  const tipY = size * dirY
  for (let first = 0; first < count; first += DARTS) {
    context.beginPath()
    for (let n = first, end = Math.min(first + DARTS, count); n < end; n++) {
      const x = positions[2 * ids[n]]
      const y = positions[2 * ids[n] + 1]
      context.moveTo(x + tipX, y + tipY)
      context.lineTo(x - 0.9 * tipX - 0.6 * tipY, y - 0.9 * tipY + 0.6 * tipX)
      context.lineTo(x - 0.5 * tipX, y - 0.5 * tipY)
      context.lineTo(x - 0.9 * tipX + 0.6 * tipY, y - 0.9 * tipY - 0.6 * tipX)
    }
    context.fill()
  }
}

/** Breaks a text between words into lines no wider than `width`, in the context's font. */
export function wrapText(context, text, width) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart()
    if (context.measureText(longer).width <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
