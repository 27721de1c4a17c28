// Draws a 2D crowd on a stage's canvas: a view that zooms, agents colored by kind, and the velocities that
// are open to one agent.

import { drawKinds, strokeSegments } from './draw.js'
import { theme } from './theme.js'

const FULL = 2 * Math.PI
const MARGIN = 0.96 // part of the stage that is filled at zoom 1
const MAX_ZOOM = 16
const MAX_VELOCITIES = 60 // per path: in a longer path each line takes longer
const SPACE = [40, 66] // pixels: limits of the radius of the velocity disc
const CORNERS = 60 // of the polygon that stands for the velocity disc
const REACH = 14 // pixels: maximum distance of a click from the agent that it picks

/** Returns `count` colors evenly around the hue circle; `first` shifts them, in steps of one color. */
export const colorsAround = (count, first = 0) =>
  Array.from({ length: count }, (_, n) => `oklch(0.68 0.16 ${(360 * (n + first)) / count + 30})`)

export function createPlane(stage) {
  let entered // the context between enter() and leave()
  let halfX = 1 // half of the visible width and height at zoom 1, at least
  let halfY = 1
  let zoom = 1
  let x = 0 // center of the view
  let y = 0

  const scale = () => (zoom * MARGIN * Math.min(stage.width / halfX, stage.height / halfY)) / 2
  const screenX = (worldX) => stage.width / 2 + scale() * (worldX - x)
  const screenY = (worldY) => stage.height / 2 + scale() * (worldY - y)

  return {
    /** Resets the view so that it shows this far from 0, 0. */
    show(reachX, reachY = reachX) {
      halfX = reachX
      halfY = reachY
      zoom = 1
      x = y = 0
    },

    /** Shows this far from the center at zoom 1, and keeps the zoom. */
    fit(reach) {
      halfX = halfY = reach
    },

    /** Zooms in or out at the pointer. */
    zoom(steps) {
      const { pointer, width, height } = stage
      const before = scale()
      zoom = Math.min(Math.max(zoom * 1.1 ** steps, 1), MAX_ZOOM)
      const change = 1 / before - 1 / scale()
      x += change * (pointer.x - width / 2)
      y += change * (pointer.y - height / 2)
      if (zoom === 1) x = y = 0
    },

    /** Switches the canvas to the crowd's units, until leave(). Returns the pixels per unit. */
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

    /** Draws walls, each x0, y0, x1, y1. */
    drawSegments(segments, color) {
      const { context } = stage
      strokeSegments(context, segments, color, 3 / this.enter())
      this.leave()
    },

    /** Returns x and y of the pointer, in the crowd's units. */
    locate() {
      const { pointer, width, height } = stage
      return [x + (pointer.x - width / 2) / scale(), y + (pointer.y - height / 2) / scale()]
    },

    /** Converts pixels to the crowd's units. */
    unitsOf: (pixels) => pixels / scale(),

    /** Returns the agent at the pointer; -1: none is near. */
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

    /** Draws agents in the colors of their kinds; `part`: radius of the discs, as a fraction of the agent's. */
    drawAgents({ positions, radii }, kinds, colors, part = 1) {
      const scale = this.enter()
      const radius = Math.round(8 * Math.max(part * scale * radii[0], 0.75)) / 8 / scale
      drawKinds(stage, positions, kinds, kinds.length, radius, colors)
      this.leave()
    },

    /** Draws the past places of agents, fainter the older they are. */
    drawTrail(trail, { radii }, kinds, colors) {
      trail.forEach((positions, n) => {
        stage.context.globalAlpha = (0.4 * (n + 1)) / trail.length
        this.drawAgents({ positions, radii }, kinds, colors, 0.35)
      })
      stage.context.globalAlpha = 1
    },

    /** Draws velocities as lines from the agents' centers. At full speed they reach out of the discs. */
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

    /** Marks the neighbors of an agent, and draws its forbidden velocities around it: see crowd.inspect(). */
    drawInspected(crowd, slot, inspected) {
      drawSpace(crowd, slot, inspected)
      drawNeighbors(crowd, slot, inspected)
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

  // Draws a disc of all velocities up to the agent's maximum speed, around the agent.
  function drawSpace(crowd, slot, { constraints, obstacleConstraints }) {
    const { context } = stage
    const { positions, radii, maxSpeeds, velocities, preferredVelocities } = crowd
    const space = Math.min(Math.max(0.09 * Math.min(stage.width, stage.height), SPACE[0]), SPACE[1])
    const unit = space / maxSpeeds[slot]
    context.save()
    context.translate(screenX(positions[2 * slot]), screenY(positions[2 * slot + 1]))
    // Permitted velocities stay clear. There may be none.
    context.fillStyle = theme.blue
    context.globalAlpha = 0.3
    context.beginPath()
    context.arc(0, 0, space, 0, FULL)
    tracePolygon(permitted(unit, space, constraints))
    context.fill('evenodd')
    context.lineWidth = 1
    for (let offset = 0; offset < constraints.length; offset += 4) {
      context.strokeStyle = offset < 4 * obstacleConstraints ? theme.red : theme.blue
      context.globalAlpha = 0.7
      drawChord(unit, space, constraints, offset)
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
    for (let offset = 0; offset < corners.length; offset += 2) {
      if (offset === 0) context.moveTo(corners[0], corners[1])
      else context.lineTo(corners[offset], corners[offset + 1])
    }
    context.closePath()
  }

  // Cuts the disc, as a polygon, by one constraint after another. The left side of each line remains.
  function permitted(unit, space, constraints) {
    let corners = []
    for (let n = 0; n < CORNERS; n++) {
      const angle = (FULL * n) / CORNERS
      corners.push(space * Math.cos(angle), space * Math.sin(angle))
    }
    for (let offset = 0; offset < constraints.length; offset += 4)
      corners = cut(corners, unit, constraints, offset)
    return corners
  }

  function cut(corners, unit, constraints, offset) {
    const [x, y, dirX, dirY] = constraints.subarray(offset, offset + 4)
    const depth = (n) => dirX * (corners[n + 1] - unit * y) - dirY * (corners[n] - unit * x)
    const kept = []
    for (let n = 0; n < corners.length; n += 2) {
      const next = (n + 2) % corners.length
      const depth0 = depth(n)
      const depth1 = depth(next)
      if (depth0 >= 0) kept.push(corners[n], corners[n + 1])
      if (depth0 >= 0 === depth1 >= 0) continue
      const part = depth0 / (depth0 - depth1)
      kept.push(
        corners[n] + part * (corners[next] - corners[n]),
        corners[n + 1] + part * (corners[next + 1] - corners[n + 1]),
      )
    }
    return kept
  }

  // Draws the line of a constraint inside the disc.
  function drawChord(unit, space, constraints, offset) {
    const { context } = stage
    const [x, y, dirX, dirY] = constraints.subarray(offset, offset + 4)
    const distance = unit * (x * dirY - y * dirX)
    if (Math.abs(distance) >= space) return
    const half = Math.sqrt(space ** 2 - distance ** 2)
    context.beginPath()
    context.moveTo(distance * dirY - half * dirX, -distance * dirX - half * dirY)
    context.lineTo(distance * dirY + half * dirX, -distance * dirX + half * dirY)
    context.stroke()
  }

  function drawArrow(vectors, slot, unit, color) {
    const { context } = stage
    const endX = unit * vectors[2 * slot]
    const endY = unit * vectors[2 * slot + 1]
    const length = Math.hypot(endX, endY)
    if (length < 1) return
    const [dirX, dirY] = [(5 * endX) / length, (5 * endY) / length]
    context.strokeStyle = color
    context.lineWidth = 2
    context.beginPath()
    context.moveTo(0, 0)
    context.lineTo(endX, endY)
    context.moveTo(endX - 1.4 * dirX - 0.7 * dirY, endY - 1.4 * dirY + 0.7 * dirX)
    context.lineTo(endX, endY)
    context.lineTo(endX - 1.4 * dirX + 0.7 * dirY, endY - 1.4 * dirY - 0.7 * dirX)
    context.stroke()
  }
}
