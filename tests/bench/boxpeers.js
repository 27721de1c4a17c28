// Who takes part where boxes move, overlap and are asked for by area, each in its fastest documented
// way, behind one interface. Intervals are closed: what touches, overlaps.
//
// build(boxes)     from nothing: minX, minY, maxX, maxY of each
// move(boxes)      brings the index up to date, where that is another way than build
// range(minX, minY, maxX, maxY)   how many it found, in `found`
// bytes()          of memory, where it tells
// pairs()          how many overlap, in `paired`, two and two; without it, an area is asked for each box
//
// Some give candidates, which are filtered here: their users have to do that too. Sizes of nodes are
// those measured to be the best for inserting 1,500 boxes and asking for as many areas.

import QuadtreeJs from '@timohausmann/quadtree-js'
import { Quadtree as QuadtreeTs } from '@timohausmann/quadtree-ts'
import { Quadtree } from 'copse'
import { quadtree } from 'd3-quadtree'
import Flatbush from 'flatbush'
import RBush from 'rbush'
import { GRAIN } from '../../web/peers/loops.js'

/** Numbers to a box, two to a pair: more than these boxes need. */
const PAIRED = 8

const roomFor = (n) => ({ found: new Uint32Array(n), paired: new Uint32Array(PAIRED * n) })

// ---- Ours ----

/** @param {boolean} oneByOne by `add` and `move`; else all in one call, by `load` and `moveAll` */
const oursBy =
  (oneByOne) =>
  ({ n, side }) => {
    const room = roomFor(n)
    const { found, paired } = room
    const tree = new Quadtree({ bounds: [0, 0, side, side], capacity: n })
    const inOneCall = {
      build(boxes) {
        tree.boxes.set(boxes)
        tree.load(n)
      },
      move(boxes) {
        tree.boxes.set(boxes)
        tree.moveAll()
      },
    }
    // Of a tree without items the free slots are 0, 1, 2, …: a slot is the box's number.
    const single = {
      build(boxes) {
        tree.clear()
        for (let at = 0; at < 4 * n; at += 4)
          tree.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3])
      },
      move(boxes) {
        for (let i = 0, at = 0; i < n; i++, at += 4)
          tree.move(i, boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3])
      },
    }
    return {
      ...room,
      ...(oneByOne ? single : inOneCall),
      range: (minX, minY, maxX, maxY) => tree.rangeInto(minX, minY, maxX, maxY, found),
      pairs: () => tree.pairsInto(paired),
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
  return {
    ...room,
    build(boxes) {
      for (let i = 0, at = 0; i < n; i++, at += 4) {
        lowXs[i] = boxes[at]
        lowYs[i] = boxes[at + 1]
        highXs[i] = boxes[at + 2]
        highYs[i] = boxes[at + 3]
      }
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
  let a = 0 // whose pairs are searched for
  const isLater = (b) => b > a
  return {
    ...room,
    build(positions) {
      boxes = positions
      index = new Flatbush(n, 8, Float32Array)
      for (let at = 0; at < 4 * n; at += 4)
        index.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3])
      index.finish()
    },
    range(minX, minY, maxX, maxY) {
      this.found = index.search(minX, minY, maxX, maxY)
      return this.found.length
    },
    pairs() {
      let count = 0
      for (a = 0; a < n; a++) {
        const at = 4 * a
        const near = index.search(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3], isLater)
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

/** @param {boolean} oneByOne without it, loaded in one call, and anew when boxes have moved */
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

/** Leaves as large as is measured to be best; with the default of 4 levels all take longer. */
const LEAF = 10
const LEAF_SIDE = 16
const levelsFor = (side) => Math.ceil(Math.log2(side / LEAF_SIDE))

/** Candidates, filtered: those with which an area shares leaves. */
const filtered = (found, retrieve) => (minX, minY, maxX, maxY) => {
  let count = 0
  for (const { x, y, width, height, id } of retrieve(minX, minY, maxX, maxY))
    if (x <= maxX && x + width >= minX && y <= maxY && y + height >= minY) found[count++] = id
  return count
}

/** Cleared and filled anew when boxes have moved, as it advises: it cannot remove. */
function quadtreeJs({ n, side }) {
  const room = roomFor(n)
  const tree = new QuadtreeJs({ x: 0, y: 0, width: side, height: side }, LEAF, levelsFor(side))
  const items = Array.from({ length: n }, (_, id) => ({ x: 0, y: 0, width: 0, height: 0, id }))
  const area = { x: 0, y: 0, width: 0, height: 0 }
  return {
    ...room,
    build(boxes) {
      tree.clear()
      for (let i = 0, at = 0; i < n; i++, at += 4) {
        const item = items[i]
        item.x = boxes[at]
        item.y = boxes[at + 1]
        item.width = boxes[at + 2] - boxes[at]
        item.height = boxes[at + 3] - boxes[at + 1]
        tree.insert(item)
      }
    },
    range: filtered(room.found, (minX, minY, maxX, maxY) => {
      // It counts what begins where a leaf ends as outside: boxes that touch there would be lost.
      area.x = minX - GRAIN / 2
      area.y = minY - GRAIN / 2
      area.width = maxX - minX + GRAIN
      area.height = maxY - minY + GRAIN
      return tree.retrieve(area)
    }),
  }
}

/** The quadrants that a box is in, closed, without a new array for each answer; 0 is north east. */
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

/** Cleared and filled anew when boxes have moved: its `update` looks through the whole tree. */
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
      for (let i = 0, at = 0; i < n; i++, at += 4) {
        items[i].put(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3])
        tree.insert(items[i])
      }
    },
    range: filtered(room.found, (minX, minY, maxX, maxY) => {
      area.put(minX, minY, maxX, maxY)
      return tree.retrieve(area)
    }),
  }
}

/** It has points only: the centers, and areas wider by half of the greatest box, then filtered. */
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
        const at = 4 * node.data
        if (
          boxes[at] <= maxX &&
          boxes[at + 1] <= maxY &&
          boxes[at + 2] >= minX &&
          boxes[at + 3] >= minY
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
      for (let i = 0, at = 0; i < n; i++, at += 4) {
        centers[2 * i] = (boxes[at] + boxes[at + 2]) / 2
        centers[2 * i + 1] = (boxes[at + 1] + boxes[at + 3]) / 2
        halfWidth = Math.max(halfWidth, (boxes[at + 2] - boxes[at]) / 2)
        halfHeight = Math.max(halfHeight, (boxes[at + 3] - boxes[at + 1]) / 2)
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

// ---- All ----

const IN_2D = [2]

/** As `stillPeers`; `checks`: all are compared with it, even where it is too slow to be measured. */
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
    only: ['boxFrame', 'areas', 'pairs'],
    checks: true,
  },
]

export const boxPackages = { 'quadtree-js': '@timohausmann/quadtree-js' }
