// Drawing on a canvas: shapes that scenes have in common, and many small things, fast. A disc is painted
// once into a small canvas and stamped, which costs a browser far less than a path of thousands of arcs; a
// dart of four lines costs less than a stamp.

import { theme } from './theme.js'

/** The kind of those that are not drawn. */
export const ABSENT = 255

const FULL = 2 * Math.PI
const MANY = 500 // to be drawn by sprites
const stamps = new Map()

const DISC = {
  name: 'disc',
  paint: (context, radius, color) => fillDisc(context, radius, color),
}

/** The picture of one, in CSS pixels. */
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
 * Discs of agents 0 … count - 1, each in the color of its kind; kinds without a color are not drawn.
 * Where they are few and not small, by a look of a name, what `paint(context, radius, color, kind)`
 * paints around 0, 0; true: they are many, and discs.
 */
export function drawKinds(stage, positions, kinds, count, radius, colors, look = DISC) {
  return draw(stage, { positions, kinds, count, radius, colors }, look)
}

/** Discs of one color, of the agents in ids[0 … count), or agents 0 … count - 1 without ids. */
export function drawDots(stage, positions, ids, count, radius, color) {
  draw(stage, { positions, ids, count, radius, colors: [color] }, DISC)
}

/** Discs of one color over agents 0 … count - 1, each of its own opacity. */
export function drawShades(stage, positions, opacities, count, radius, color) {
  draw(stage, { positions, opacities, count, radius, colors: [color] }, DISC)
}

function draw(stage, things, look) {
  const { positions, kinds, ids, opacities, count, radius, colors } = things
  const { context } = stage
  const scale = context.getTransform().a / stage.ratio
  const small = isSmall(stage, scale * radius, count)
  if (drawMany(stage, things, small)) return true
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

const sorted = { ids: new Uint32Array(0), from: new Uint32Array(ABSENT + 2) }

/** The same ids kind after kind: another color costs more than another place. Valid until the next call. */
function sortByKind(kinds, ids, count) {
  const { from } = sorted
  if (sorted.ids.length < count) sorted.ids = new Uint32Array(count)
  from.fill(0)
  for (let i = 0; i < count; i++) from[kinds[ids ? ids[i] : i] + 1]++
  for (let kind = 0; kind <= ABSENT; kind++) from[kind + 1] += from[kind]
  for (let i = 0; i < count; i++) {
    const id = ids ? ids[i] : i
    sorted.ids[from[kinds[id]]++] = id
  }
  return sorted.ids
}

/**
 * Has sprites draw things, see there. false: they are better drawn by a canvas, because they are few, or
 * `plain`, such as squares and darts, and there is no graphics hardware.
 */
export function drawMany(stage, things, plain) {
  if (things.count < MANY || !stage.sprites) return false
  return !(plain && stage.sprites.isSlow) && stage.sprites.draw(things)
}

export function fillDisc(context, radius, color, x = 0, y = 0) {
  context.fillStyle = color
  context.beginPath()
  context.arc(x, y, radius, 0, FULL)
  context.fill()
}

/** A radius at which so many discs leave room: a share of what is there for each, in quarters of a pixel. */
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

/** x0, y0, x1, y1 of each. */
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

/** What a query looks into: `trace()` adds its shape to the path. It is tinted within. */
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

/** Whether things are too small, or too many, to tell a disc from a square, which is drawn faster. */
export function isSmall(stage, radius, count) {
  return radius * (count > 3000 ? 1 : stage.ratio) < 1.5
}

const DARTS = 60 // in one path: the longer a path, the longer each of its lines takes

/** Swept arrowheads of one direction, a unit vector, in the fill color: `size` ahead of the middle. */
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
