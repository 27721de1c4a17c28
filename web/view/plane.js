// A crowd in the plane on a stage's canvas: a view that zooms, agents in the colors of lists, and the
// velocities that one of them may choose.

import { drawKinds, strokeSegments } from './draw.js'
import { theme } from './theme.js'

const FULL = 2 * Math.PI
const MARGIN = 0.96 // of the stage is filled until one zooms
const MAX_ZOOM = 16
const MAX_VELOCITIES = 60 // in one path: the longer a path, the longer each of its lines takes
const SPACE = [40, 66] // pixels: half of the width of a picture of velocities, by the stage's
const CORNERS = 60 // of a disc
const REACH = 14 // pixels within which a click picks

/** So many colors, around the circle; the first one lies at that part of a color's share. */
export const colorsAround = (count, first = 0) =>
  Array.from({ length: count }, (_, n) => `oklch(0.68 0.16 ${(360 * (n + first)) / count + 30})`)

export function createPlane(stage) {
  let entered // the context that draws in the crowd's units
  let halfX = 1 // of what is shown at least, when nothing is zoomed
  let halfY = 1
  let zoom = 1
  let x = 0 // what is in the middle
  let y = 0

  const scale = () => (zoom * MARGIN * Math.min(stage.width / halfX, stage.height / halfY)) / 2
  const screenX = (worldX) => stage.width / 2 + scale() * (worldX - x)
  const screenY = (worldY) => stage.height / 2 + scale() * (worldY - y)

  return {
    /** Shows what reaches so far from 0, 0. */
    show(reachX, reachY = reachX) {
      halfX = reachX
      halfY = reachY
      zoom = 1
      x = y = 0
    },

    /** Zooms in or out where the pointer is. */
    zoom(steps) {
      const { pointer, width, height } = stage
      const before = scale()
      zoom = Math.min(Math.max(zoom * 1.1 ** steps, 1), MAX_ZOOM)
      const change = 1 / before - 1 / scale()
      x += change * (pointer.x - width / 2)
      y += change * (pointer.y - height / 2)
      if (zoom === 1) x = y = 0
    },

    /** Lets the next canvas calls draw in the crowd's units. */
    enter() {
      const { context } = stage
      context.save()
      context.translate(stage.width / 2, stage.height / 2)
      context.scale(scale(), scale())
      context.translate(-x, -y)
      entered = context
      return scale()
    },

    leave() {
      entered.restore()
    },

    /** Walls: x0, y0, x1, y1 of each. */
    drawSegments(segments, color) {
      const { context } = stage
      strokeSegments(context, segments, color, 3 / this.enter())
      this.leave()
    },

    /** x and y of the pointer, in the crowd's units. */
    at() {
      const { pointer, width, height } = stage
      return [x + (pointer.x - width / 2) / scale(), y + (pointer.y - height / 2) / scale()]
    },

    /** How many of the crowd's units so many pixels are. */
    unitsOf: (pixels) => pixels / scale(),

    /** The agent at the pointer, -1: none is near. */
    pick({ positions, slots, radii }) {
      const { pointer } = stage
      let best = -1
      let least = Math.max(REACH, scale() * radii[0])
      for (let i = 0; i < slots; i++) {
        const distance = Math.hypot(
          screenX(positions[2 * i]) - pointer.x,
          screenY(positions[2 * i + 1]) - pointer.y,
        )
        if (distance > least) continue
        least = distance
        best = i
      }
      return best
    },

    /** Agents by their kinds, each in its color. Of discs only the inner part that is given, if any. */
    drawAgents({ positions, radii }, kinds, colors, part = 1) {
      const scale = this.enter()
      const radius = Math.round(8 * Math.max(part * scale * radii[0], 0.75)) / 8 / scale
      drawKinds(stage, positions, kinds, kinds.length, radius, colors)
      this.leave()
    },

    /** As lines from the middle of each: at full speed, out of it. */
    drawVelocities({ positions, velocities, slots, radii }) {
      const { context } = stage
      const length = 2.4 * scale() * radii[0]
      context.strokeStyle = theme.ink
      context.lineWidth = 1
      for (let first = 0; first < slots; first += MAX_VELOCITIES) {
        context.beginPath()
        for (let i = first, end = Math.min(first + MAX_VELOCITIES, slots); i < end; i++) {
          const fromX = screenX(positions[2 * i])
          const fromY = screenY(positions[2 * i + 1])
          context.moveTo(fromX, fromY)
          context.lineTo(fromX + length * velocities[2 * i], fromY + length * velocities[2 * i + 1])
        }
        context.stroke()
      }
    },

    /** The neighbors of an agent, and around it the velocities that are not permitted. */
    drawLook(crowd, slot, look) {
      drawSpace(crowd, slot, look)
      drawNeighbors(crowd, slot, look)
    },
  }

  function drawNeighbors({ positions, radii }, slot, { neighbors }) {
    const { context } = stage
    const radius = scale() * radii[slot] + 1.5
    context.strokeStyle = theme.ink
    context.lineWidth = 1.5
    context.beginPath()
    for (const other of neighbors) {
      const otherX = screenX(positions[2 * other])
      const otherY = screenY(positions[2 * other + 1])
      context.moveTo(otherX + radius, otherY)
      context.arc(otherX, otherY, radius, 0, FULL)
    }
    context.stroke()
  }

  // A disc of all velocities up to the agent's greatest speed, the agent in its middle.
  function drawSpace(crowd, slot, { constraints, wallConstraints }) {
    const { context } = stage
    const { positions, radii, maxSpeeds, velocities, preferredVelocities } = crowd
    const space = Math.min(Math.max(0.09 * Math.min(stage.width, stage.height), SPACE[0]), SPACE[1])
    const unit = space / maxSpeeds[slot]
    context.save()
    context.translate(screenX(positions[2 * slot]), screenY(positions[2 * slot + 1]))
    // What is permitted stays clear; it may be nothing.
    context.fillStyle = theme.blue
    context.globalAlpha = 0.3
    context.beginPath()
    context.arc(0, 0, space, 0, FULL)
    tracePolygon(permitted(unit, space, constraints))
    context.fill('evenodd')
    context.lineWidth = 1
    for (let at = 0; at < constraints.length; at += 4) {
      context.strokeStyle = at < 4 * wallConstraints ? theme.red : theme.blue
      context.globalAlpha = 0.7
      drawChord(unit, space, constraints, at)
    }
    context.globalAlpha = 1
    context.strokeStyle = theme.ink
    context.beginPath()
    context.arc(0, 0, space, 0, FULL)
    context.moveTo(Math.max(scale() * radii[slot], 2), 0)
    context.arc(0, 0, Math.max(scale() * radii[slot], 2), 0, FULL)
    context.stroke()
    drawArrow(preferredVelocities, slot, unit, theme.muted)
    drawArrow(velocities, slot, unit, theme.ink)
    context.restore()
  }

  function tracePolygon(corners) {
    const { context } = stage
    for (let at = 0; at < corners.length; at += 2) {
      if (at === 0) context.moveTo(corners[0], corners[1])
      else context.lineTo(corners[at], corners[at + 1])
    }
    context.closePath()
  }

  // The disc, as a polygon, cut by one line after the other: what is left of it is left.
  function permitted(unit, space, constraints) {
    let corners = []
    for (let n = 0; n < CORNERS; n++) {
      const angle = (FULL * n) / CORNERS
      corners.push(space * Math.cos(angle), space * Math.sin(angle))
    }
    for (let at = 0; at < constraints.length; at += 4) corners = cut(corners, unit, constraints, at)
    return corners
  }

  function cut(corners, unit, constraints, at) {
    const [x, y, dirX, dirY] = constraints.subarray(at, at + 4)
    const depth = (n) => dirX * (corners[n + 1] - unit * y) - dirY * (corners[n] - unit * x)
    const kept = []
    for (let n = 0; n < corners.length; n += 2) {
      const next = (n + 2) % corners.length
      const from = depth(n)
      const to = depth(next)
      if (from >= 0) kept.push(corners[n], corners[n + 1])
      if (from >= 0 === to >= 0) continue
      const part = from / (from - to)
      kept.push(
        corners[n] + part * (corners[next] - corners[n]),
        corners[n + 1] + part * (corners[next + 1] - corners[n + 1]),
      )
    }
    return kept
  }

  // The line of a constraint, as far as it is in the disc.
  function drawChord(unit, space, constraints, at) {
    const { context } = stage
    const [x, y, dirX, dirY] = constraints.subarray(at, at + 4)
    const offset = unit * (x * dirY - y * dirX)
    if (Math.abs(offset) >= space) return
    const half = Math.sqrt(space ** 2 - offset ** 2)
    context.beginPath()
    context.moveTo(offset * dirY - half * dirX, -offset * dirX - half * dirY)
    context.lineTo(offset * dirY + half * dirX, -offset * dirX + half * dirY)
    context.stroke()
  }

  function drawArrow(vectors, slot, unit, color) {
    const { context } = stage
    const toX = unit * vectors[2 * slot]
    const toY = unit * vectors[2 * slot + 1]
    const length = Math.hypot(toX, toY)
    if (length < 1) return
    const [dirX, dirY] = [(5 * toX) / length, (5 * toY) / length]
    context.strokeStyle = color
    context.lineWidth = 2
    context.beginPath()
    context.moveTo(0, 0)
    context.lineTo(toX, toY)
    context.moveTo(toX - 1.4 * dirX - 0.7 * dirY, toY - 1.4 * dirY + 0.7 * dirX)
    context.lineTo(toX, toY)
    context.lineTo(toX - 1.4 * dirX + 0.7 * dirY, toY - 1.4 * dirY - 0.7 * dirX)
    context.stroke()
  }
}
