// The libraries for boxes that move and overlap, each used in its fastest documented way, behind one
// interface. Intervals are closed: boxes that touch overlap.
//
// build(boxes)     builds from nothing: minX, minY, maxX, maxY of each box
// move(boxes)      updates the index, if that works differently from build
// range(minX, minY, maxX, maxY)   finds boxes, in `found`; returns their number
// rangeMany(areas)                finds the boxes in each area: rows of ids, if the library has that
// raycast(x0, y0, x1, y1, inflate), raycastMany(segments, inflate)   return the ids of the first boxes that thick
//                                 rays hit, -1: none, if the library has that
// within(x, y, radius), withinMany(points, radius)   like range and rangeMany, in circles, if the library has that
// nearest(x, y), neighborsMany(points)   return the ids of the nearest boxes, if the library has that
// bytes()          returns the bytes of memory, if the library knows them
// pairs()          finds overlapping pairs, in `paired`, two ids each; returns their number. Without it, the
//                  benchmark searches the area of each box
//
// Some libraries return candidates, which are filtered here, as their users have to do. Node sizes were
// measured to be the best for inserting 1,500 boxes and searching 1,500 areas.

import QuadtreeJs from '@timohausmann/quadtree-js'
import { Quadtree as QuadtreeTs } from '@timohausmann/quadtree-ts'
import { Quadtree } from 'copse'
import { quadtree } from 'd3-quadtree'
import Flatbush from 'flatbush'
import RBush from 'rbush'
import { GRAIN } from '../../web/peers/loops.js'

/** Ids per box in `paired`, two for each pair: more than these boxes need. */
const PAIRED = 8

const roomFor = (n) => ({ found: new Uint32Array(n), paired: new Uint32Array(PAIRED * n) })

// ---- copse ----

/**
 * @param {boolean} oneByOne by `add`, `move` and `range`; else all in one call, by `load`, `moveAll` and `rangeMany`
 */
const oursBy =
  (oneByOne) =>
  ({ n, side }) => {
    const tree = new Quadtree({ bounds: [0, 0, side, side], capacity: n })
    const ray = { inflate: 0 }
    const inOneCall = {
      raycastMany(segments, inflate) {
        ray.inflate = inflate
        return tree.raycastMany(segments, ray).ids
      },
      rangeMany: (areas) => tree.rangeMany(areas),
      withinMany: (points, radius) => tree.withinMany(points, radius),
      neighborsMany: (points) => tree.neighborsMany(points, 1).ids,
      build(boxes) {
        tree.boxes.set(boxes)
        tree.load(n)
      },
      move(boxes) {
        tree.boxes.set(boxes)
        tree.moveAll()
      },
    }
    // In a tree without items the free slots are 0, 1, 2, …: slots are the boxes' numbers.
    const single = {
      within(x, y, radius) {
        this.found = tree.within(x, y, radius)
        return this.found.length
      },
      nearest: (x, y) => tree.nearest(x, y),
      raycast(x0, y0, x1, y1, inflate) {
        ray.inflate = inflate
        return tree.raycast(x0, y0, x1, y1, ray)?.id ?? -1
      },
      build(boxes) {
        tree.clear()
        for (let offset = 0; offset < 4 * n; offset += 4)
          tree.add(boxes[offset], boxes[offset + 1], boxes[offset + 2], boxes[offset + 3])
      },
      move(boxes) {
        for (let i = 0, offset = 0; i < n; i++, offset += 4)
          tree.move(i, boxes[offset], boxes[offset + 1], boxes[offset + 2], boxes[offset + 3])
      },
    }
    return {
      found: [],
      paired: [],
      ...(oneByOne ? single : inOneCall),
      range(minX, minY, maxX, maxY) {
        this.found = tree.range(minX, minY, maxX, maxY)
        return this.found.length
      },
      pairs() {
        const { ids, count } = tree.pairs()
        this.paired = ids
        return count
      },
      bytes: () => tree.stats().bytes,
      dispose: () => tree.dispose(),
    }
  }

// ---- A loop over all boxes ----

function bruteForce({ n }) {
  const room = roomFor(n)
  const { found, paired } = room
  const [lowXs, lowYs] = [new Float64Array(n), new Float64Array(n)]
  const [highXs, highYs] = [new Float64Array(n), new Float64Array(n)]
  const distance2 = (i, x, y) =>
    Math.max(lowXs[i] - x, 0, x - highXs[i]) ** 2 + Math.max(lowYs[i] - y, 0, y - highYs[i]) ** 2
  return {
    ...room,
    build(boxes) {
      for (let i = 0, offset = 0; i < n; i++, offset += 4) {
        lowXs[i] = boxes[offset]
        lowYs[i] = boxes[offset + 1]
        highXs[i] = boxes[offset + 2]
        highYs[i] = boxes[offset + 3]
      }
    },
    within(x, y, radius) {
      let count = 0
      for (let i = 0; i < n; i++) if (distance2(i, x, y) <= radius * radius) found[count++] = i
      return count
    },
    nearest(x, y) {
      let best = 0
      for (let i = 1; i < n; i++) if (distance2(i, x, y) < distance2(best, x, y)) best = i
      return best
    },
    range(minX, minY, maxX, maxY) {
      let count = 0
      for (let i = 0; i < n; i++)
        if (lowXs[i] <= maxX && highXs[i] >= minX && lowYs[i] <= maxY && highYs[i] >= minY)
          found[count++] = i
      return count
    },
    pairs() {
      let count = 0
      for (let a = 0; a < n; a++) {
        const [minX, minY, maxX, maxY] = [lowXs[a], lowYs[a], highXs[a], highYs[a]]
        for (let b = a + 1; b < n; b++)
          if (lowXs[b] <= maxX && highXs[b] >= minX && lowYs[b] <= maxY && highYs[b] >= minY) {
            paired[2 * count] = a
            paired[2 * count + 1] = b
            count++
          }
      }
      return count
    },
  }
}

// ---- Trees of rectangles ----

function flatbush({ n }) {
  const room = roomFor(n)
  const { paired } = room
  let boxes
  let index
  let a = 0 // the box whose pairs are searched for
  const isLater = (b) => b > a
  return {
    ...room,
    build(positions) {
      boxes = positions
      index = new Flatbush(n, 8, Float32Array)
      for (let offset = 0; offset < 4 * n; offset += 4)
        index.add(boxes[offset], boxes[offset + 1], boxes[offset + 2], boxes[offset + 3])
      index.finish()
    },
    range(minX, minY, maxX, maxY) {
      this.found = index.search(minX, minY, maxX, maxY)
      return this.found.length
    },
    pairs() {
      let count = 0
      for (a = 0; a < n; a++) {
        const offset = 4 * a
        const near = index.search(
          boxes[offset],
          boxes[offset + 1],
          boxes[offset + 2],
          boxes[offset + 3],
          isLater,
        )
        for (const b of near) {
          paired[2 * count] = a
          paired[2 * count + 1] = b
          count++
        }
      }
      return count
    },
    bytes: () => index.data.byteLength,
  }
}

/** @param {boolean} oneByOne else all in one call, again when boxes have moved */
const rbushBy =
  (oneByOne) =>
  ({ n }) => {
    const room = roomFor(n)
    const { found, paired } = room
    const tree = new RBush()
    const items = Array.from({ length: n }, (_, id) => ({ minX: 0, minY: 0, maxX: 0, maxY: 0, id }))
    const area = { minX: 0, minY: 0, maxX: 0, maxY: 0 }

    const put = (box, minX, minY, maxX, maxY) => {
      box.minX = minX
      box.minY = minY
      box.maxX = maxX
      box.maxY = maxY
    }
    const putItem = (i, boxes) =>
      put(items[i], boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3])

    const load = (boxes) => {
      for (let i = 0; i < n; i++) putItem(i, boxes)
      tree.clear()
      tree.load(items)
    }
    const insert = (boxes) => {
      tree.clear()
      for (let i = 0; i < n; i++) {
        putItem(i, boxes)
        tree.insert(items[i])
      }
    }
    const removeAndInsert = (boxes) => {
      for (let i = 0; i < n; i++) {
        tree.remove(items[i])
        putItem(i, boxes)
        tree.insert(items[i])
      }
    }

    return {
      ...room,
      build: oneByOne ? insert : load,
      move: oneByOne ? removeAndInsert : load,
      range(minX, minY, maxX, maxY) {
        put(area, minX, minY, maxX, maxY)
        let count = 0
        for (const { id } of tree.search(area)) found[count++] = id
        return count
      },
      pairs() {
        let count = 0
        for (const item of items)
          for (const other of tree.search(item))
            if (other.id > item.id) {
              paired[2 * count] = item.id
              paired[2 * count + 1] = other.id
              count++
            }
        return count
      },
    }
  }

// ---- Quadtrees ----

/** The leaf size that was measured to be the best; the default of 4 levels is slower. */
const LEAF = 10
const LEAF_SIDE = 16
const levelsFor = (side) => Math.ceil(Math.log2(side / LEAF_SIDE))

/** Filters the candidates: all boxes that share leaves with an area. */
const filtered = (found, retrieve) => (minX, minY, maxX, maxY) => {
  let count = 0
  for (const { x, y, width, height, id } of retrieve(minX, minY, maxX, maxY))
    if (x <= maxX && x + width >= minX && y <= maxY && y + height >= minY) found[count++] = id
  return count
}

/** Cleared and filled again when boxes have moved, as its documentation advises: it cannot remove. */
function quadtreeJs({ n, side }) {
  const room = roomFor(n)
  const tree = new QuadtreeJs({ x: 0, y: 0, width: side, height: side }, LEAF, levelsFor(side))
  const items = Array.from({ length: n }, (_, id) => ({ x: 0, y: 0, width: 0, height: 0, id }))
  const area = { x: 0, y: 0, width: 0, height: 0 }
  return {
    ...room,
    build(boxes) {
      tree.clear()
      for (let i = 0, offset = 0; i < n; i++, offset += 4) {
        const item = items[i]
        item.x = boxes[offset]
        item.y = boxes[offset + 1]
        item.width = boxes[offset + 2] - boxes[offset]
        item.height = boxes[offset + 3] - boxes[offset + 1]
        tree.insert(item)
      }
    },
    range: filtered(room.found, (minX, minY, maxX, maxY) => {
      // Grows the area a little: it would miss boxes that touch it exactly on the border of a leaf.
      area.x = minX - GRAIN / 2
      area.y = minY - GRAIN / 2
      area.width = maxX - minX + GRAIN
      area.height = maxY - minY + GRAIN
      return tree.retrieve(area)
    }),
  }
}

/** The quadrants that a box meets, by sides, so that no call makes a new array; 0 is north-east. */
const QUADRANTS = Array.from({ length: 16 }, (_, sides) => {
  const [west, east, north, south] = [1, 2, 4, 8].map((side) => (sides & side) !== 0)
  const within = [north && east, north && west, south && west, south && east]
  return [0, 1, 2, 3].filter((quadrant) => within[quadrant])
})
class Box {
  constructor(id) {
    this.id = id
    this.x = this.y = this.width = this.height = 0
  }
  qtIndex(node) {
    const middleX = node.x + node.width / 2
    const middleY = node.y + node.height / 2
    return QUADRANTS[
      (this.x <= middleX ? 1 : 0) |
        (this.x + this.width >= middleX ? 2 : 0) |
        (this.y <= middleY ? 4 : 0) |
        (this.y + this.height >= middleY ? 8 : 0)
    ]
  }
  put(minX, minY, maxX, maxY) {
    this.x = minX
    this.y = minY
    this.width = maxX - minX
    this.height = maxY - minY
  }
}

/** Cleared and filled again when boxes have moved: its `update` searches the whole tree. */
function quadtreeTs({ n, side }) {
  const room = roomFor(n)
  const tree = new QuadtreeTs({
    x: 0,
    y: 0,
    width: side,
    height: side,
    maxObjects: LEAF,
    maxLevels: levelsFor(side),
  })
  const items = Array.from({ length: n }, (_, id) => new Box(id))
  const area = new Box(-1)
  return {
    ...room,
    build(boxes) {
      tree.clear()
      for (let i = 0, offset = 0; i < n; i++, offset += 4) {
        items[i].put(boxes[offset], boxes[offset + 1], boxes[offset + 2], boxes[offset + 3])
        tree.insert(items[i])
      }
    },
    range: filtered(room.found, (minX, minY, maxX, maxY) => {
      area.put(minX, minY, maxX, maxY)
      return tree.retrieve(area)
    }),
  }
}

/** Holds points only: the centers of boxes. Areas grow by half of the largest box; results are filtered. */
function d3Quadtree({ n }) {
  const room = roomFor(n)
  const { found } = room
  const ids = Array.from({ length: n }, (_, id) => id)
  const centers = new Float64Array(2 * n)
  let boxes
  let tree
  let [halfWidth, halfHeight, minX, minY, maxX, maxY, count] = [0, 0, 0, 0, 0, 0, 0]

  const visit = (node, x0, y0, x1, y1) => {
    if (!node.length)
      do {
        const offset = 4 * node.data
        if (
          boxes[offset] <= maxX &&
          boxes[offset + 1] <= maxY &&
          boxes[offset + 2] >= minX &&
          boxes[offset + 3] >= minY
        )
          found[count++] = node.data
      } while ((node = node.next))
    return (
      x0 > maxX + halfWidth ||
      y0 > maxY + halfHeight ||
      x1 < minX - halfWidth ||
      y1 < minY - halfHeight
    )
  }

  return {
    ...room,
    build(positions) {
      boxes = positions
      halfWidth = halfHeight = 0
      for (let i = 0, offset = 0; i < n; i++, offset += 4) {
        centers[2 * i] = (boxes[offset] + boxes[offset + 2]) / 2
        centers[2 * i + 1] = (boxes[offset + 1] + boxes[offset + 3]) / 2
        halfWidth = Math.max(halfWidth, (boxes[offset + 2] - boxes[offset]) / 2)
        halfHeight = Math.max(halfHeight, (boxes[offset + 3] - boxes[offset + 1]) / 2)
      }
      tree = quadtree()
        .x((id) => centers[2 * id])
        .y((id) => centers[2 * id + 1])
        .addAll(ids)
    },
    range(x0, y0, x1, y1) {
      minX = x0
      minY = y0
      maxX = x1
      maxY = y1
      count = 0
      tree.visit(visit)
      return count
    },
  }
}

// ---- The list ----

const IN_2D = [2]

/** The fields are those of `stillPeers`. `checks`: results are compared with it even if it is too slow to measure. */
export const boxPeers = [
  { name: 'copse Quadtree', create: oursBy(false), dimensions: IN_2D },
  { name: 'copse Quadtree, one by one', create: oursBy(true), dimensions: IN_2D },
  { name: 'flatbush', create: flatbush, dimensions: IN_2D },
  { name: 'rbush', create: rbushBy(false), dimensions: IN_2D },
  { name: 'rbush, one by one', create: rbushBy(true), dimensions: IN_2D },
  { name: 'd3-quadtree, centers', create: d3Quadtree, dimensions: IN_2D },
  { name: 'quadtree-ts', create: quadtreeTs, dimensions: IN_2D },
  { name: 'quadtree-js', create: quadtreeJs, dimensions: IN_2D },
  {
    name: 'brute force',
    create: bruteForce,
    dimensions: IN_2D,
    pace: 'brute force',
    only: ['boxFrame', 'areas', 'circles', 'nearestBoxes', 'boxRays', 'pairs'],
    checks: true,
  },
]

export const boxPackages = { 'quadtree-js': '@timohausmann/quadtree-js' }
