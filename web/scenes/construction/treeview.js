// Draws a tree: the root on top, leaves side by side.

import { FONT, theme } from '../../view/theme.js'

const ROW = 84 // pixels: maximum distance between levels
const EMPTY = 0.4 // width of a leaf without items; others are 1 wide

/** Returns the place of each node by index, { x, span }, and the size of the tree, in widths of a leaf. */
export function layOut(nodes) {
  const places = []
  let width = 0
  function place(node) {
    const start = width
    node.children.forEach(place)
    if (node.children.length === 0) width += (node.ids ?? node.pieces).length ? 1 : EMPTY
    // An only child is on the low side.
    if (node.children.length === 1) width += EMPTY
    places[node.index] = { x: (start + width) / 2, span: width - start }
  }
  if (nodes.length) place(nodes[0])
  return { places, width, depth: Math.max(0, ...nodes.map(({ depth }) => depth)) }
}

/**
 * Draws the nodes of a layout into a box. `lookOf(node)` returns null for a node that is not drawn, or
 * { color, filled, skipped, dashed, current }.
 */
export function drawTree(context, nodes, layout, box, labelOf, lookOf) {
  const unit = box.width / Math.max(layout.width, 1)
  const row = Math.min(ROW, (box.height - 28) / Math.max(layout.depth, 1))
  const xOf = ({ index }) => box.x + unit * layout.places[index].x
  const yOf = ({ depth }) => box.y + 14 + row * depth
  const shown = nodes.map((node) => ({ node, look: lookOf(node) })).filter(({ look }) => look)

  context.lineWidth = 1
  for (const { node, look } of shown) {
    if (!node.parent) continue
    context.strokeStyle = look.dashed ? theme.line : theme.muted
    context.beginPath()
    context.moveTo(xOf(node.parent), yOf(node.parent))
    context.lineTo(xOf(node), yOf(node))
    context.stroke()
  }

  context.font = `600 12px ${FONT}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (const { node, look } of shown) {
    const [x, y] = [xOf(node), yOf(node)]
    const room = unit * layout.places[node.index].span - 3
    const label = labelOf(node).find((text) => context.measureText(text).width + 12 <= room)
    const isLabeled = label !== undefined && row > 22
    const half = isLabeled ? (context.measureText(label).width + 12) / 2 : 0
    context.beginPath()
    if (isLabeled) context.roundRect(x - half, y - 11, 2 * half, 22, 6)
    else context.arc(x, y, Math.min(Math.max(0.4 * unit, 1.5), 5), 0, 2 * Math.PI)
    context.fillStyle = look.current ? theme.accent : theme.paper
    context.fill()
    if (!look.current && (look.filled || look.skipped)) {
      context.fillStyle = look.filled ? theme.tint : theme.line
      context.fill()
    }
    context.strokeStyle = look.current ? theme.accent : look.color
    context.lineWidth = look.current ? 2.5 : 1.5
    context.setLineDash(look.dashed && !look.current ? [3, 3] : [])
    context.stroke()
    context.setLineDash([])
    if (!isLabeled) continue
    context.fillStyle = look.current
      ? theme.panel
      : look.dashed || look.skipped
        ? theme.muted
        : theme.ink
    context.fillText(label, x, y + 0.5)
  }
}
