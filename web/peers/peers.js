// The libraries, each used in its fastest documented way, behind one interface. A query puts ids into
// `found` and returns their number. Arrays of results are reused wherever a library allows it.
//
// build(positions)                      updates the index in the fastest way
// renew()                               makes the next build start from scratch; not timed
// move(positions)                       updates item by item, if the library can do that
// within(x, y, z, radius), range(minX, minY, minZ, maxX, maxY, maxZ)
// raycast(x0, y0, z0, x1, y1, z1, radius), raycastMany(segments, radius, inflate)   return ids, -1: none
// raycastAll(x0, y0, z0, x1, y1, z1, radius)   returns the number of hits
// nearest(x, y, z)                      returns an id
// neighbors(x, y, z, k, maxDistance)    nearest first
// allWithin(radius), allNeighbors(k, maxDistance)   for all agents in one call
// neighborsMany(points, k), withinMany(points, radius)   for many points in one call
// placeOthers(positions), frameCopied(radius)   moves agents of another index; builds from them, and allWithin
// frameWrapped(positions, radius)       build and allWithin in a world that wraps around at the bounds of all agents
// sense(radius, exitRadius)             updates a sensor around every agent; returns what entered
//
// A library without a documented way to do something lacks that function. Node sizes are those measured to
// be best for a frame. z is ignored in 2D.

import { Quadtree, Rectangle } from '@timohausmann/quadtree-ts'
import * as copse from 'copse'
import { octree } from 'd3-octree'
import { quadtree } from 'd3-quadtree'
import Flatbush from 'flatbush'
import KDBush from 'kdbush'
import RBush from 'rbush'
import { handGrid } from './handgrid.js'
import { GRAIN } from './loops.js'

// ---- copse ----

/* @__NO_SIDE_EFFECTS__ */
export function copseOf({ AgentTree, AgentTree3D, Sensors }) {
  return ours(AgentTree, AgentTree3D, () => ({}), Sensors)
}

/** Uses cells as wide as the radius, as its documentation recommends. */
/* @__NO_SIDE_EFFECTS__ */
export function gridOf({ Grid, Grid3D, Sensors }) {
  const create = ours(Grid, Grid3D, ({ radius }) => ({ cellSize: radius }), Sensors)
  return (agents) => {
    const peer = create(agents)
    const { dispose } = peer
    let world = null
    return Object.assign(peer, {
      frameWrapped(positions, radius) {
        world ??= ours(Grid, Grid3D, () => ({ cellSize: radius, wrap: boundsOf(agents) }))(agents)
        world.build(positions)
        return world.allWithin(radius)
      },
      dispose() {
        world?.dispose()
        dispose()
      },
    })
  }
}

/** Returns the sides of a world that no agent leaves. */
function boundsOf({ base, dimensions }) {
  const axes = Array.from({ length: dimensions }, (_, axis) => axis)
  const along = (axis) => base.filter((_, i) => i % dimensions === axis)
  const least = (axis) => along(axis).reduce((least, x) => Math.min(least, x), Infinity)
  const most = (axis) => along(axis).reduce((most, x) => Math.max(most, x), -Infinity)
  return [...axes.map((axis) => least(axis) - 1), ...axes.map((axis) => most(axis) + 1)]
}

/** Returns a peer from a 2D and a 3D class; `optionsFor(agents)` returns further options. */
/* @__NO_SIDE_EFFECTS__ */
export function ours(Index2D, Index3D, optionsFor, Sensors) {
  return (agents) => {
    const { n, dimensions } = agents
    const Index = dimensions === 2 ? Index2D : Index3D
    const options = { capacity: n, ...optionsFor(agents) }
    // copse:
    const create = () => {
      const index = new Index(options)
      index.slots = n
      return index
    }

    let index = create()
    let sensors = null
    let others = null
    let copies = null
    const limit = { maxDistance: Infinity }
    const ray = { radius: 0, inflate: 0 }
    // copse:
    const build = (positions) => {
      index.positions.set(positions)
      index.build()
    }

    const peer = {
      found: new Uint32Array(0), // a view of the ids of the last query
      build,
      move: build,
      renew() {
        sensors?.dispose()
        sensors = null
        index.dispose()
        index = create()
      },
      placeOthers(positions) {
        others ??= create()
        copies ??= create()
        others.positions.set(positions)
      },
      frameCopied(radius) {
        copies.build(others)
        return copies.allWithin(radius)
      },
      withinMany: (points, radius) => index.withinMany(points, radius),
      // copse:
      allWithin: (radius) => index.allWithin(radius),

      allNeighbors(k, maxDistance) {
        limit.maxDistance = maxDistance
        return index.allNeighbors(k, limit)
      },
      raycastMany(segments, radius, inflate = 0) {
        ray.radius = radius
        ray.inflate = inflate
        return index.raycastMany(segments, ray).ids
      },
      neighborsMany: (points, k) => index.neighborsMany(points, k),
      /** The memory before any batch is asked. */
      bytes() {
        const unasked = create()
        unasked.positions.set(index.positions)
        unasked.build()
        const { bytes } = unasked.stats()
        unasked.dispose()
        return bytes
      },
      dispose() {
        sensors?.dispose()
        copies?.dispose()
        others?.dispose()
        index.dispose()
      },
    }
    if (Sensors)
      peer.sense = (radius, exitRadius) => {
        if (!sensors) {
          sensors = new Sensors({ index, capacity: n })
          for (let agent = 0; agent < n; agent++) sensors.add({ agent, radius, exitRadius })
        }
        return sensors.update().entered
      }
    const in2D = {
      within: (x, y, z, radius) => (peer.found = index.within(x, y, radius)).length,
      range: (minX, minY, minZ, maxX, maxY) =>
        (peer.found = index.range(minX, minY, maxX, maxY)).length,
      nearest: (x, y) => index.nearest(x, y),
      neighbors: (x, y, z, k) => (peer.found = index.neighbors(x, y, k)).length,
      raycast(x0, y0, z0, x1, y1, z1, radius) {
        ray.radius = radius
        return index.raycast(x0, y0, x1, y1, ray)?.id ?? -1
      },
      raycastAll(x0, y0, z0, x1, y1, z1, radius) {
        ray.radius = radius
        return index.raycastAll(x0, y0, x1, y1, ray).ids.length
      },
    }
    const in3D = {
      within: (x, y, z, radius) => (peer.found = index.within(x, y, z, radius)).length,
      range: (minX, minY, minZ, maxX, maxY, maxZ) =>
        (peer.found = index.range(minX, minY, minZ, maxX, maxY, maxZ)).length,
      nearest: (x, y, z) => index.nearest(x, y, z),
      neighbors: (x, y, z, k) => (peer.found = index.neighbors(x, y, z, k)).length,
      raycast(x0, y0, z0, x1, y1, z1, radius) {
        ray.radius = radius
        return index.raycast(x0, y0, z0, x1, y1, z1, ray)?.id ?? -1
      },
      raycastAll(x0, y0, z0, x1, y1, z1, radius) {
        ray.radius = radius
        return index.raycastAll(x0, y0, z0, x1, y1, z1, ray).ids.length
      },
    }
    return Object.assign(peer, dimensions === 2 ? in2D : in3D)
  }
}

// ---- A loop over all agents ----

export function bruteForce({ n, dimensions }) {
  const [xs, ys, zs] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)]
  const found = new Uint32Array(n)
  const distances2 = new Float64Array(n)
  return {
    found,
    isLoop: true, // rays test all agents: a box query would not save time
    build(positions) {
      for (let i = 0, offset = 0; i < n; i++, offset += dimensions) {
        xs[i] = positions[offset]
        ys[i] = positions[offset + 1]
        if (dimensions === 3) zs[i] = positions[offset + 2]
      }
    },
    within(x, y, z, radius) {
      const radius2 = radius * radius
      let count = 0
      for (let i = 0; i < n; i++) {
        const dx = xs[i] - x
        const dy = ys[i] - y
        const dz = zs[i] - z
        if (dx * dx + dy * dy + dz * dz <= radius2) found[count++] = i
      }
      return count
    },
    range(minX, minY, minZ, maxX, maxY, maxZ) {
      let count = 0
      for (let i = 0; i < n; i++)
        if (xs[i] >= minX && xs[i] <= maxX && ys[i] >= minY && ys[i] <= maxY)
          if (dimensions === 2 || (zs[i] >= minZ && zs[i] <= maxZ)) found[count++] = i
      return count
    },
    nearest(x, y, z) {
      let best = -1
      let best2 = Infinity
      for (let i = 0; i < n; i++) {
        const dx = xs[i] - x
        const dy = ys[i] - y
        const dz = zs[i] - z
        const distance2 = dx * dx + dy * dy + dz * dz
        if (distance2 < best2) {
          best2 = distance2
          best = i
        }
      }
      return best
    },
    neighbors(x, y, z, k, maxDistance) {
      const max2 = maxDistance * maxDistance
      let count = 0
      for (let i = 0; i < n; i++) {
        const dx = xs[i] - x
        const dy = ys[i] - y
        const dz = zs[i] - z
        const distance2 = dx * dx + dy * dy + dz * dz
        if (distance2 > max2 || (count === k && distance2 >= distances2[k - 1])) continue
        let place = count < k ? count++ : k - 1
        for (; place > 0 && distances2[place - 1] > distance2; place--) {
          distances2[place] = distances2[place - 1]
          found[place] = found[place - 1]
        }
        distances2[place] = distance2
        found[place] = i
      }
      return count
    },
  }
}

// ---- Packed arrays of numbers, rebuilt from scratch ----

export function kdbush({ n }) {
  let index
  return {
    found: new Uint32Array(n),
    build(positions) {
      index = new KDBush(n, 16, Float32Array)
      for (let i = 0; i < n; i++) index.add(positions[2 * i], positions[2 * i + 1])
      index.finish()
    },
    within(x, y, z, radius) {
      return index.withinInto(x, y, radius, this.found)
    },
    range(minX, minY, minZ, maxX, maxY) {
      this.found = index.range(minX, minY, maxX, maxY)
      return this.found.length
    },
  }
}

/** Radius queries are box searches with a distance filter. */
function flatbush({ n }) {
  let index
  let centerX = 0
  let centerY = 0
  let radius2 = 0
  const near = (id, x, y) => (x - centerX) ** 2 + (y - centerY) ** 2 <= radius2
  return {
    found: [],
    build(positions) {
      index = new Flatbush(n, 8, Float32Array)
      for (let i = 0; i < n; i++) index.add(positions[2 * i], positions[2 * i + 1])
      index.finish()
    },
    within(x, y, z, radius) {
      centerX = x
      centerY = y
      radius2 = radius * radius
      this.found = index.search(x - radius, y - radius, x + radius, y + radius, near)
      return this.found.length
    },
    range(minX, minY, minZ, maxX, maxY) {
      this.found = index.search(minX, minY, maxX, maxY)
      return this.found.length
    },
    nearest: (x, y) => index.neighbors(x, y, 1)[0],
    neighbors(x, y, z, k, maxDistance) {
      this.found = index.neighbors(x, y, k, maxDistance)
      return this.found.length
    },
  }
}

// ---- Trees of objects ----

/** Box searches, and the search of rbush-knn: a queue of nodes and items by distance. */
export function rbush({ n }) {
  const tree = new RBush()
  const items = Array.from({ length: n }, (_, id) => ({ minX: 0, minY: 0, maxX: 0, maxY: 0, id }))
  const found = new Uint32Array(n)
  const box = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const queue = createQueue()

  const put = (item, x, y) => {
    item.minX = item.maxX = x
    item.minY = item.maxY = y
  }
  const search = (minX, minY, maxX, maxY) => {
    box.minX = minX
    box.minY = minY
    box.maxX = maxX
    box.maxY = maxY
    return tree.search(box)
  }
  const enqueueChildren = (node, x, y, max2) => {
    for (const child of node.children) {
      const dx = Math.max(child.minX - x, 0, x - child.maxX)
      const dy = Math.max(child.minY - y, 0, y - child.maxY)
      const distance2 = dx * dx + dy * dy
      if (distance2 <= max2) queue.push(child, distance2)
    }
  }
  const neighbors = (x, y, z, k, maxDistance) => {
    const max2 = maxDistance * maxDistance
    let count = 0
    queue.clear()
    enqueueChildren(tree.data, x, y, max2)
    for (let next = queue.pop(); next; next = queue.pop()) {
      if (next.children) enqueueChildren(next, x, y, max2)
      else {
        found[count++] = next.id
        if (count === k) break
      }
    }
    return count
  }

  return {
    found,
    build(positions) {
      for (let i = 0; i < n; i++) put(items[i], positions[2 * i], positions[2 * i + 1])
      tree.clear()
      tree.load(items)
    },
    move(positions) {
      for (let i = 0; i < n; i++) {
        tree.remove(items[i])
        put(items[i], positions[2 * i], positions[2 * i + 1])
        tree.insert(items[i])
      }
    },
    within(x, y, z, radius) {
      const radius2 = radius * radius
      let count = 0
      for (const item of search(x - radius, y - radius, x + radius, y + radius)) {
        const dx = item.minX - x
        const dy = item.minY - y
        if (dx * dx + dy * dy <= radius2) found[count++] = item.id
      }
      return count
    },
    range(minX, minY, minZ, maxX, maxY) {
      let count = 0
      for (const item of search(minX, minY, maxX, maxY)) found[count++] = item.id
      return count
    },
    nearest(x, y, z) {
      neighbors(x, y, z, 1, Infinity)
      return found[0]
    },
    neighbors,
  }
}

/** Creates a priority queue: a binary heap. */
function createQueue() {
  const values = []
  const priorities = []
  let length = 0
  return {
    clear: () => void (length = 0),
    push(value, priority) {
      let place = length++
      while (place > 0) {
        const parent = (place - 1) >> 1
        if (priorities[parent] <= priority) break
        values[place] = values[parent]
        priorities[place] = priorities[parent]
        place = parent
      }
      values[place] = value
      priorities[place] = priority
    },
    pop() {
      if (length === 0) return undefined
      const top = values[0]
      const value = values[--length]
      const priority = priorities[length]
      let place = 0
      for (let child = 1; child < length; child = 2 * place + 1) {
        if (child + 1 < length && priorities[child + 1] < priorities[child]) child++
        if (priorities[child] >= priority) break
        values[place] = values[child]
        priorities[place] = priorities[child]
        place = child
      }
      values[place] = value
      priorities[place] = priority
      return top
    },
  }
}

/** Searches by `visit`, as its documentation shows. Items are ids. */
export function d3Quadtree({ n }) {
  const ids = Array.from({ length: n }, (_, id) => id)
  const points = new Float32Array(2 * n)
  const found = new Uint32Array(n)
  let tree
  let [centerX, centerY, radius2, minX, minY, maxX, maxY, count] = [0, 0, 0, 0, 0, 0, 0, 0]

  const visitCircle = (node, x0, y0, x1, y1) => {
    if (!node.length)
      do {
        const dx = points[2 * node.data] - centerX
        const dy = points[2 * node.data + 1] - centerY
        if (dx * dx + dy * dy <= radius2) found[count++] = node.data
      } while ((node = node.next))
    return x0 > maxX || y0 > maxY || x1 < minX || y1 < minY
  }
  const visitBox = (node, x0, y0, x1, y1) => {
    if (!node.length)
      do {
        const x = points[2 * node.data]
        const y = points[2 * node.data + 1]
        if (x >= minX && x <= maxX && y >= minY && y <= maxY) found[count++] = node.data
      } while ((node = node.next))
    return x0 > maxX || y0 > maxY || x1 < minX || y1 < minY
  }
  const box = (x0, y0, x1, y1) => {
    minX = x0
    minY = y0
    maxX = x1
    maxY = y1
    count = 0
  }

  return {
    found,
    build(positions) {
      points.set(positions)
      tree = quadtree()
        .x((id) => points[2 * id])
        .y((id) => points[2 * id + 1])
        .addAll(ids)
    },
    move(positions) {
      for (let id = 0; id < n; id++) {
        tree.remove(id)
        points[2 * id] = positions[2 * id]
        points[2 * id + 1] = positions[2 * id + 1]
        tree.add(id)
      }
    },
    within(x, y, z, radius) {
      centerX = x
      centerY = y
      radius2 = radius * radius
      box(x - radius, y - radius, x + radius, y + radius)
      tree.visit(visitCircle)
      return count
    },
    range(x0, y0, z0, x1, y1) {
      box(x0, y0, x1, y1)
      tree.visit(visitBox)
      return count
    },
    nearest: (x, y) => tree.find(x, y),
  }
}

/** Like d3Quadtree. */
function d3Octree({ n }) {
  const ids = Array.from({ length: n }, (_, id) => id)
  const points = new Float32Array(3 * n)
  const found = new Uint32Array(n)
  let tree
  let [centerX, centerY, centerZ, radius2, count] = [0, 0, 0, 0, 0]
  let [minX, minY, minZ, maxX, maxY, maxZ] = [0, 0, 0, 0, 0, 0]

  const visitSphere = (node, x0, y0, z0, x1, y1, z1) => {
    if (!node.length)
      do {
        const place = 3 * node.data
        const dx = points[place] - centerX
        const dy = points[place + 1] - centerY
        const dz = points[place + 2] - centerZ
        if (dx * dx + dy * dy + dz * dz <= radius2) found[count++] = node.data
      } while ((node = node.next))
    return x0 > maxX || y0 > maxY || z0 > maxZ || x1 < minX || y1 < minY || z1 < minZ
  }
  const visitBox = (node, x0, y0, z0, x1, y1, z1) => {
    if (!node.length)
      do {
        const place = 3 * node.data
        const x = points[place]
        const y = points[place + 1]
        const z = points[place + 2]
        if (x >= minX && x <= maxX && y >= minY && y <= maxY && z >= minZ && z <= maxZ)
          found[count++] = node.data
      } while ((node = node.next))
    return x0 > maxX || y0 > maxY || z0 > maxZ || x1 < minX || y1 < minY || z1 < minZ
  }
  const box = (x0, y0, z0, x1, y1, z1) => {
    minX = x0
    minY = y0
    minZ = z0
    maxX = x1
    maxY = y1
    maxZ = z1
    count = 0
  }

  return {
    found,
    build(positions) {
      points.set(positions)
      tree = octree()
        .x((id) => points[3 * id])
        .y((id) => points[3 * id + 1])
        .z((id) => points[3 * id + 2])
        .addAll(ids)
    },
    move(positions) {
      for (let id = 0; id < n; id++) {
        tree.remove(id)
        for (let place = 3 * id; place < 3 * id + 3; place++) points[place] = positions[place]
        tree.add(id)
      }
    },
    within(x, y, z, radius) {
      centerX = x
      centerY = y
      centerZ = z
      radius2 = radius * radius
      box(x - radius, y - radius, z - radius, x + radius, y + radius, z + radius)
      tree.visit(visitSphere)
      return count
    },
    range(x0, y0, z0, x1, y1, z1) {
      box(x0, y0, z0, x1, y1, z1)
      tree.visit(visitBox)
      return count
    },
    nearest: (x, y, z) => tree.find(x, y, z),
  }
}

/** Quadrants of quadtree-ts, so that qtIndex need not create arrays. */
const QUADRANTS = [[0], [1], [2], [3]]
class Point {
  constructor(id) {
    this.id = id
    this.x = this.y = 0
  }
  qtIndex(node) {
    const east = this.x >= node.x + node.width / 2
    const south = this.y >= node.y + node.height / 2
    return QUADRANTS[south ? (east ? 3 : 2) : east ? 0 : 1]
  }
}

/**
 * Filters the candidates that retrieve() returns for a box.
 * Its update(), which scans the whole tree, is not used.
 */
function quadtreeTs({ n, base }) {
  const points = Array.from({ length: n }, (_, id) => new Point(id))
  const found = new Uint32Array(n)
  const area = new Rectangle({ x: 0, y: 0, width: 0, height: 0 })

  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = 0; i < base.length; i += 2) {
    minX = Math.min(minX, base[i])
    maxX = Math.max(maxX, base[i])
    minY = Math.min(minY, base[i + 1])
    maxY = Math.max(maxY, base[i + 1])
  }
  const [width, height] = [maxX - minX + 1, maxY - minY + 1]
  // With its default of 4 levels it would be quadratic.
  const maxLevels = Math.ceil(Math.log2(Math.max(width, height, 2))) - 1
  const tree = new Quadtree({ x: minX, y: minY, width, height, maxLevels, maxObjects: 20 })

  const retrieve = (x0, y0, x1, y1) => {
    // Widens the area, since it treats points on an area's far border as outside.
    area.x = x0 - GRAIN / 2
    area.y = y0 - GRAIN / 2
    area.width = x1 - x0 + GRAIN
    area.height = y1 - y0 + GRAIN
    return tree.retrieve(area)
  }

  return {
    found,
    build(positions) {
      tree.clear()
      for (let i = 0; i < n; i++) {
        points[i].x = positions[2 * i]
        points[i].y = positions[2 * i + 1]
        tree.insert(points[i])
      }
    },
    within(x, y, z, radius) {
      const radius2 = radius * radius
      let count = 0
      for (const point of retrieve(x - radius, y - radius, x + radius, y + radius)) {
        const dx = point.x - x
        const dy = point.y - y
        if (dx * dx + dy * dy <= radius2) found[count++] = point.id
      }
      return count
    },
    range(x0, y0, z0, x1, y1) {
      let count = 0
      for (const { x, y, id } of retrieve(x0, y0, x1, y1))
        if (x >= x0 && x <= x1 && y >= y0 && y <= y1) found[count++] = id
      return count
    },
  }
}

// ---- List of peers ----

const [IN_2D, IN_3D, BOTH] = [[2], [3], [2, 3]]

/** `pace` is a class of speed: the benchmark skips slow peers for many agents. */
export const peers = [
  { name: 'copse', create: copseOf(copse), dimensions: BOTH },
  { name: 'copse Grid', create: gridOf(copse), dimensions: BOTH },
  { name: 'grid by hand', create: handGrid, dimensions: IN_2D, pace: 'arrays' },
  { name: 'kdbush', create: kdbush, dimensions: IN_2D, pace: 'arrays' },
  { name: 'flatbush', create: flatbush, dimensions: IN_2D, pace: 'arrays' },
  { name: 'rbush', create: rbush, dimensions: IN_2D, pace: 'objects' },
  { name: 'd3-quadtree', create: d3Quadtree, dimensions: IN_2D, pace: 'objects' },
  { name: 'quadtree-ts', create: quadtreeTs, dimensions: IN_2D, pace: 'objects' },
  { name: 'd3-octree', create: d3Octree, dimensions: IN_3D, pace: 'objects' },
  { name: 'brute force', create: bruteForce, dimensions: BOTH, pace: 'brute force' },
]

export const packages = {
  kdbush: 'kdbush',
  flatbush: 'flatbush',
  rbush: 'rbush',
  'd3-quadtree': 'd3-quadtree',
  'quadtree-ts': '@timohausmann/quadtree-ts',
  'd3-octree': 'd3-octree',
}

/** Starts copse. */
export const load = () => copse.init()
