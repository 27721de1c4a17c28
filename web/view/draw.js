// Fast drawing of many small things: a disc is painted once into a small canvas and stamped, which
// costs a browser far less than a path of thousands of arcs; a dart of four lines costs less than a
// stamp.

const FULL = 2 * Math.PI
const stamps = new Map()

/** A painted picture of `radius` CSS pixels around its centre; `paint(context)` draws it around 0, 0. */
function stamp(key, radius, ratio, paint) {
  key = `${key} ${radius} ${ratio}`
  let picture = stamps.get(key)
  if (!picture) {
    if (stamps.size > 200) stamps.clear()
    picture = document.createElement('canvas')
    const half = Math.ceil((radius + 1) * ratio)
    picture.width = picture.height = 2 * half
    const context = picture.getContext('2d')
    context.setTransform(ratio, 0, 0, ratio, half, half)
    paint(context)
    stamps.set(key, picture)
  }
  return picture
}

/** Paints stamps at x, y for the agents in ids[0 … count), or agents 0 … count - 1 without ids. */
export function drawStamps(stage, positions, ids, count, key, radius, paint) {
  const context = stage.context
  const picture = stamp(key, radius, stage.ratio, paint)
  const size = picture.width / stage.ratio
  const half = size / 2
  for (let i = 0; i < count; i++) {
    const id = ids ? ids[i] : i
    context.drawImage(picture, positions[2 * id] - half, positions[2 * id + 1] - half, size, size)
  }
}

/** Whether things are too small, or too many, to tell a disc from a square, which is drawn faster. */
export function isSmall(stage, radius, count) {
  return radius * (count > 3000 ? 1 : stage.ratio) < 1.5
}

/** Discs of one colour; squares where they are small. */
export function drawDots(stage, positions, ids, count, radius, color) {
  if (isSmall(stage, radius, count)) {
    const context = stage.context
    const size = 1.8 * radius
    context.fillStyle = color
    for (let i = 0; i < count; i++) {
      const id = ids ? ids[i] : i
      context.fillRect(positions[2 * id] - radius, positions[2 * id + 1] - radius, size, size)
    }
    return
  }
  drawStamps(stage, positions, ids, count, color, radius, (context) => {
    context.fillStyle = color
    context.beginPath()
    context.arc(0, 0, radius, 0, FULL)
    context.fill()
  })
}

const DARTS = 60 // in one path: the longer a path, the longer each of its lines takes

/** Swept arrowheads of one direction, a unit vector, in the fill colour: `size` ahead of the middle. */
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
