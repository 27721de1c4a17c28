// The libraries for walls, behind one interface.
//
// build(polygons)                  builds from nothing: x, y, … of each polygon
// move(place, points)              moves the vertices of one polygon
// visible(x0, y0, x1, y1), nearestWall(x, y), raycastWalls(x0, y0, x1, y1), insideWalls(x, y)
// wallsWithin(x, y)                finds walls, in `found`; returns their number
// visibilityPolygon(x, y), visibilityView(x, y)   return corners, flat or in pairs
// keepVisible(x, y, ids, positions)               finds ids, in `found`; returns their number

import { ObstacleTree } from 'copse'
import { compute, computeViewport } from 'visibility-polygon'
import { AS_DRAWN, ROOM } from './walls.js'

/** @param {(walls: any) => object} [optionsOf] */
const oursBy =
  (optionsOf = () => ({})) =>
  (walls) => {
    const { n, box, radius, view } = walls
    const tree = new ObstacleTree({ capacity: n, ...optionsOf(walls) })
    const inBox = { bounds: box }
    const inView = { maxDistance: view }
    const slots = new Uint32Array(walls.positions.length)
    return {
      found: [],
      build(polygons) {
        tree.clear()
        for (let i = 0; i < polygons.length; i++) slots[i] = tree.addPolygon(polygons[i], AS_DRAWN)
        tree.build()
      },
      move: (place, points) => tree.move(slots[place], points),
      visible: (x0, y0, x1, y1) => tree.visible(x0, y0, x1, y1),
      wallsWithin(x, y) {
        this.found = tree.within(x, y, radius)
        return this.found.length
      },
      nearestWall: (x, y) => tree.nearestPoint(x, y),
      raycastWalls: (x0, y0, x1, y1) => tree.raycast(x0, y0, x1, y1),
      insideWalls: (x, y) => tree.contains(x, y),
      visibilityPolygon: (x, y) => tree.visibilityPolygon(x, y, inBox),
      visibilityView: (x, y) => tree.visibilityPolygon(x, y, inView),
      keepVisible(x, y, ids, positions) {
        this.found = tree.keepVisible(x, y, ids, positions)
        return this.found.length
      },
      pieces: () => tree.stats().pieces / tree.stats().edges,
      bytes: () => tree.stats().bytes,
      dispose: () => tree.dispose(),
    }
  }

/** True if no edge is in the way. Orders the ends, so that rounding is the same in both directions. */
function isFree(edges, x0, y0, x1, y1) {
  if (x0 > x1 || (x0 === x1 && y0 > y1)) return isFree(edges, x1, y1, x0, y0)
  const lowY = Math.min(y0, y1)
  const highY = Math.max(y0, y1)
  const dx = x1 - x0
  const dy = y1 - y0
  for (let offset = 0; offset < edges.length; offset += 4) {
    const ax = edges[offset]
    const ay = edges[offset + 1]
    const bx = edges[offset + 2]
    const by = edges[offset + 3]
    if ((ax < x0 && bx < x0) || (ax > x1 && bx > x1)) continue
    if ((ay < lowY && by < lowY) || (ay > highY && by > highY)) continue
    const ofA = dx * (ay - y0) - dy * (ax - x0)
    const ofB = dx * (by - y0) - dy * (bx - x0)
    if ((ofA > 0 && ofB > 0) || (ofA < 0 && ofB < 0)) continue
    const ofFirst = (bx - ax) * (y0 - ay) - (by - ay) * (x0 - ax)
    const ofSecond = (bx - ax) * (y1 - ay) - (by - ay) * (x1 - ax)
    if (!(ofFirst > 0 && ofSecond > 0) && !(ofFirst < 0 && ofSecond < 0)) return false
  }
  return true
}

/** A loop over all edges, up to the first one in the way: what a game without a library does. */
function bruteForce({ n }) {
  const edges = new Float32Array(4 * n)
  const found = new Uint32Array(n)
  return {
    found,
    build(polygons) {
      let offset = 0
      for (const points of polygons)
        for (let i = 0, last = points.length - 2; i <= last; i += 2) {
          const next = i < last ? i + 2 : 0
          edges[offset++] = points[i]
          edges[offset++] = points[i + 1]
          edges[offset++] = points[next]
          edges[offset++] = points[next + 1]
        }
    },
    visible: (x0, y0, x1, y1) => isFree(edges, x0, y0, x1, y1),
    keepVisible(x, y, ids, positions) {
      let count = 0
      for (const id of ids)
        if (isFree(edges, x, y, positions[2 * id], positions[2 * id + 1])) found[count++] = id
      return count
    },
  }
}

/** Needs walls that touch only at their ends: those of a maze are cut into parts as long as a cell. */
function visibilityPolygon({ spread, view }) {
  let segments
  return {
    build(polygons) {
      segments = polygons.flatMap(spread === 'maze' ? partsOf : edgesOf)
    },
    visibilityPolygon: (x, y) => compute([x, y], segments),
    visibilityView: (x, y) =>
      computeViewport([x, y], segments, [x - view, y - view], [x + view, y + view]),
  }
}

function edgesOf(points) {
  const corners = Array.from({ length: points.length / 2 }, (_, i) => [
    points[2 * i],
    points[2 * i + 1],
  ])
  return corners.map((corner, i) => [corner, corners[(i + 1) % corners.length]])
}

function partsOf([x0, y0, x1, y1]) {
  const count = Math.round((x1 - x0 + y1 - y0) / ROOM)
  const [stepX, stepY] = [(x1 - x0) / count, (y1 - y0) / count]
  return Array.from({ length: count }, (_, i) => [
    [x0 + i * stepX, y0 + i * stepY],
    [x0 + (i + 1) * stepX, y0 + (i + 1) * stepY],
  ])
}

const IN_2D = [2]

/** The fields are those of `stillPeers`. 'of one leaf': the same class, which then tests all edges, with SIMD. */
export const wallPeers = [
  { name: 'copse ObstacleTree', create: oursBy(), dimensions: IN_2D },
  { name: 'of one leaf', create: oursBy(({ n }) => ({ leafSize: n })), dimensions: IN_2D },
  { name: 'brute force', create: bruteForce, dimensions: IN_2D },
  {
    name: 'visibility-polygon',
    create: visibilityPolygon,
    dimensions: IN_2D,
    only: ['visibilityPolygon', 'visibilityView'],
  },
]

export const wallPackages = { 'visibility-polygon': 'visibility-polygon' }
