// Who takes part where walls stand in the way, each behind one interface.
//
// build(polygons)                  from nothing: x, y, … of each
// move(place, points)              puts the vertices of one of them elsewhere
// visible(x0, y0, x1, y1), nearestWall(x, y), raycastWalls(x0, y0, x1, y1), insideWalls(x, y)
// wallsWithin(x, y)                how many, in `found`
// visibilityPolygon(x, y), visibilityView(x, y)   corners, flat or two and two
// keepVisible(x, y, ids, positions)               how many, in `found`

import { ObstacleTree } from 'copse'
import { compute, computeViewport } from 'visibility-polygon'
import { ROOM } from './walls.js'

/** @param {(walls: any) => object} [optionsOf] */
const oursBy =
  (optionsOf = () => ({})) =>
  (walls) => {
    const { n, box, radius, view } = walls
    const tree = new ObstacleTree({ capacity: n, ...optionsOf(walls) })
    const found = new Uint32Array(n)
    const inBox = { bounds: box }
    const inView = { maxDistance: view }
    const slots = new Uint32Array(walls.positions.length)
    return {
      found,
      build(polygons) {
        tree.clear()
        for (let i = 0; i < polygons.length; i++) slots[i] = tree.addPolygon(polygons[i])
        tree.build()
      },
      move: (place, points) => tree.move(slots[place], points),
      visible: (x0, y0, x1, y1) => tree.visible(x0, y0, x1, y1),
      wallsWithin: (x, y) => tree.withinInto(x, y, radius, found),
      nearestWall: (x, y) => tree.nearest(x, y),
      raycastWalls: (x0, y0, x1, y1) => tree.raycast(x0, y0, x1, y1),
      insideWalls: (x, y) => tree.contains(x, y),
      visibilityPolygon: (x, y) => tree.visibilityPolygon(x, y, inBox),
      visibilityView: (x, y) => tree.visibilityPolygon(x, y, inView),
      keepVisible: (x, y, ids, positions) => tree.keepVisibleInto(x, y, ids, positions, found),
      pieces: () => tree.stats().pieces / tree.stats().edges,
      bytes: () => tree.stats().bytes,
      dispose: () => tree.dispose(),
    }
  }

/** It wants walls that touch at their ends alone, so those of a maze in parts as long as a cell. */
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

/** As `stillPeers`. Brute force is the same class, as one list. */
export const wallPeers = [
  { name: 'copse ObstacleTree', create: oursBy(), dimensions: IN_2D },
  { name: 'brute force', create: oursBy(({ n }) => ({ leafSize: n })), dimensions: IN_2D },
  {
    name: 'visibility-polygon',
    create: visibilityPolygon,
    dimensions: IN_2D,
    only: ['visibilityPolygon', 'visibilityView'],
  },
]

export const wallPackages = { 'visibility-polygon': 'visibility-polygon' }
