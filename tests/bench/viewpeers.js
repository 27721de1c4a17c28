// The libraries that find what a camera sees, among points in 3D, behind one interface:
//
// build(positions)   builds from nothing
// frustum(planes)    finds the points inside six planes (x, y, z, w each), in `found`; returns their number

import { AgentTree3D, Grid3D, KdTree3D, Octree } from 'copse'
import { Frustum, Vector3 } from 'three'

const indexOf =
  (Index, optionsFor) =>
  ({ n, side }) => {
    const index = new Index({ capacity: n, ...optionsFor(side) })
    index.slots = n
    return {
      found: [],
      build(positions) {
        index.positions.set(positions)
        index.build()
      },
      frustum(planes) {
        this.found = index.frustum(planes)
        return this.found.length
      },
      dispose: () => index.dispose(),
    }
  }

function boxes({ n, side }) {
  const tree = new Octree({ bounds: [0, 0, 0, side, side, side], capacity: n })
  return {
    found: [],
    build(positions) {
      const sides = tree.boxes
      for (let i = 0; i < n; i++)
        for (let axis = 0; axis < 3; axis++)
          sides[6 * i + axis] = sides[6 * i + 3 + axis] = positions[3 * i + axis]
      tree.load(n)
    },
    frustum(planes) {
      this.found = tree.frustum(planes)
      return this.found.length
    },
    dispose: () => tree.dispose(),
  }
}

/** Tests every point, as three.js does before it draws an object. */
function three({ n }) {
  const frustum = new Frustum()
  const points = Array.from({ length: n }, () => new Vector3())
  const found = new Uint32Array(n)
  return {
    found,
    build(positions) {
      points.forEach((point, i) => point.fromArray(positions, 3 * i))
    },
    frustum(planes) {
      frustum.planes.forEach((plane, i) =>
        plane.setComponents(planes[4 * i], planes[4 * i + 1], planes[4 * i + 2], planes[4 * i + 3]),
      )
      let count = 0
      for (let i = 0; i < n; i++) if (frustum.containsPoint(points[i])) found[count++] = i
      return count
    },
  }
}

function bruteForce({ n }) {
  const points = new Float32Array(3 * n)
  const found = new Uint32Array(n)
  const isInside = (planes, x, y, z) => {
    for (let i = 0; i < planes.length; i += 4)
      if (planes[i] * x + planes[i + 1] * y + planes[i + 2] * z + planes[i + 3] < 0) return false
    return true
  }
  return {
    found,
    build: (positions) => points.set(positions),
    frustum(planes) {
      let count = 0
      for (let i = 0; i < n; i++)
        if (isInside(planes, points[3 * i], points[3 * i + 1], points[3 * i + 2]))
          found[count++] = i
      return count
    },
  }
}

const dimensions = [3]
export const viewPeers = [
  { name: 'copse', create: indexOf(AgentTree3D, () => ({})), dimensions },
  { name: 'copse Grid', create: indexOf(Grid3D, (side) => ({ cellSize: side / 16 })), dimensions },
  { name: 'copse KdTree', create: indexOf(KdTree3D, () => ({})), dimensions },
  { name: 'copse Octree', create: boxes, dimensions },
  { name: 'three.js', create: three, dimensions },
  { name: 'brute force', create: bruteForce, dimensions },
]

export const viewPackages = { 'three.js': 'three' }
