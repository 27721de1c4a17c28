// The libraries for points that stay: copse's k-d tree with each of its builders, the libraries of peers.js that
// can search for the nearest, and other k-d trees. The interface is that of peers.js.

import * as copse from 'copse'
import kdTreeJavascript from 'kd-tree-javascript'
import KDBush from 'kdbush'
import ndarray from 'ndarray'
import createStaticTree from 'static-kdtree'
import { nearest, neighbors } from '../../web/peers/kdbushsearch.js'
import { ours, packages, peers } from '../../web/peers/peers.js'
import { sortPerLevel } from '../../web/peers/sortperlevel.js'

const { KdTree, KdTree3D } = copse

/** @param {string} [builder] without one, the default */
const kdTreeBy = (builder) => ours(KdTree, KdTree3D, () => (builder ? { builder } : {}))

/** Searched by kdbushsearch.js, over its arrays. */
function kdbush({ n }) {
  const found = new Uint32Array(n)
  let index
  return {
    found,
    build(positions) {
      index = new KDBush(n, 16, Float32Array)
      for (let i = 0; i < n; i++) index.add(positions[2 * i], positions[2 * i + 1])
      index.finish()
    },
    nearest: (x, y) => nearest(index, x, y),
    neighbors: (x, y, z, k) => neighbors(index, x, y, k, found),
  }
}

/** Built from an ndarray, which is faster than an array of arrays. */
function staticTree({ n, dimensions }) {
  const point = new Array(dimensions).fill(0)
  const move = (x, y, z) => {
    point[0] = x
    point[1] = y
    if (dimensions === 3) point[2] = z
  }
  let tree
  return {
    found: [],
    build(positions) {
      tree?.dispose()
      tree = createStaticTree(ndarray(positions, [n, dimensions]))
    },
    nearest(x, y, z) {
      move(x, y, z)
      return tree.nn(point)
    },
    neighbors(x, y, z, k) {
      move(x, y, z)
      this.found = tree.knn(point, k)
      return this.found.length
    },
  }
}

function kdTreeOfObjects({ n, dimensions }) {
  const points = Array.from({ length: n }, (_, id) => ({ x: 0, y: 0, z: 0, id }))
  const axes = ['x', 'y', 'z'].slice(0, dimensions)
  const distance2 = (a, b) =>
    dimensions === 2
      ? (a.x - b.x) ** 2 + (a.y - b.y) ** 2
      : (a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2
  const query = { x: 0, y: 0, z: 0, id: -1 }
  const search = (x, y, z, k) => {
    query.x = x
    query.y = y
    query.z = z
    return tree.nearest(query, k)
  }
  const found = new Uint32Array(n)
  let tree
  return {
    found,
    build(positions) {
      for (let i = 0, offset = 0; i < n; i++, offset += dimensions) {
        points[i].x = positions[offset]
        points[i].y = positions[offset + 1]
        if (dimensions === 3) points[i].z = positions[offset + 2]
      }
      // A copy: it sorts the array, which would then be sorted the next time.
      tree = new kdTreeJavascript.kdTree(points.slice(), distance2, axes)
    },
    nearest: (x, y, z) => search(x, y, z, 1)[0][0].id,
    neighbors(x, y, z, k) {
      const near = search(x, y, z, k).sort((a, b) => a[1] - b[1])
      for (let i = 0; i < near.length; i++) found[i] = near[i][0].id
      return near.length
    },
  }
}

/** Only its build is measured; the search is for comparing results. */
function naive({ n, dimensions }) {
  const coordinates = new Float32Array(n * dimensions)
  const query = new Float64Array(3)
  let ids
  let best = -1
  let best2 = Infinity
  const search = (begin, end, axis) => {
    if (begin >= end) return
    const middle = (begin + end) >> 1
    const id = ids[middle]
    let distance2 = 0
    for (let i = 0; i < dimensions; i++)
      distance2 += (query[i] - coordinates[id * dimensions + i]) ** 2
    if (distance2 < best2) {
      best2 = distance2
      best = id
    }
    const away = query[axis] - coordinates[id * dimensions + axis]
    const next = (axis + 1) % dimensions
    if (away < 0) search(begin, middle, next)
    else search(middle + 1, end, next)
    if (away * away >= best2) return
    if (away < 0) search(middle + 1, end, next)
    else search(begin, middle, next)
  }
  return {
    build(positions) {
      coordinates.set(positions)
      ids = sortPerLevel(coordinates, n, dimensions)
    },
    nearest(x, y, z) {
      query.set([x, y, z])
      best = -1
      best2 = Infinity
      search(0, n, 0)
      return best
    },
  }
}

const [IN_2D, BOTH] = [[2], [2, 3]]
const BUILD = ['buildStill']
const ASK = ['nearest', 'nearest8']
const like = (...names) => peers.filter(({ name }) => names.includes(name))

/** The fields are those of `peers`. `only`: the works that a library takes part in. */
export const stillPeers = [
  { name: 'copse KdTree', create: kdTreeBy(), dimensions: BOTH },
  {
    name: 'copse KdTree, median of medians',
    create: kdTreeBy('median-of-medians'),
    dimensions: BOTH,
    only: BUILD,
  },
  { name: 'copse KdTree, presort', create: kdTreeBy('presort'), dimensions: BOTH, only: BUILD },
  ...like('copse', 'copse Grid'),
  { name: 'kdbush', create: kdbush, dimensions: IN_2D, only: BUILD },
  { name: 'kdbush + search', create: kdbush, dimensions: IN_2D, only: ASK },
  ...like('flatbush', 'rbush', 'd3-quadtree', 'd3-octree'),
  { name: 'static-kdtree', create: staticTree, dimensions: BOTH, pace: 'objects' },
  {
    name: 'kd-tree-javascript',
    create: kdTreeOfObjects,
    dimensions: BOTH,
    pace: 'objects, slowly',
  },
  {
    name: 'sort per level',
    create: naive,
    dimensions: BOTH,
    only: BUILD,
    pace: 'objects, slowly',
  },
]

export const stillPackages = {
  ...packages,
  'static-kdtree': 'static-kdtree',
  'kd-tree-javascript': 'kd-tree-javascript',
}
