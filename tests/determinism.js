// A scenario whose every answer goes into one hash: the same number from every build of the library,
// on every machine. tests/c/determinism.c plays the same in C; tests/determinism.txt holds the numbers,
// one for each kind of index. The trees of boxes and of walls, and crowds, have scenarios of their own, further
// down.
//
// It has two forms. The short one is for every commit. Where the long one differs it is said in brackets;
// tests/determinism-long.txt holds its numbers, which `make determinism` compares.
//
// All numbers are float32, each step rounded, and all integers unsigned 32-bit.
//
// Random numbers: mulberry32 (random.js), state 1 at first; next() gives a word:
//   state += 0x6d2b79f5
//   t = (state ^ (state >>> 15)) * (state | 1)
//   t ^= t + (t ^ (t >>> 7)) * (t | 61)
//   the word is t ^ (t >>> 14)
//
// Hash: FNV-1a over words instead of bytes, 2166136261 at first:
//   hash = (hash ^ word) * 16777619
//
// Two parts, one after the other: 2 dimensions, 2,000 agents, SIZE 1024; then 3 dimensions, 1,000
// agents, SIZE 128. Each with an index of its own of that capacity, everything else by default, but for
// OPTIONS.
//
// Spawn: for each agent in turn, for each axis position = (next() >>> 8) * SIZE / 2^24 and velocity =
// ((next() >>> 20) - 2048) / 2^12 (both exact), the position's word before the velocity's; then
// groups = 1 << (next() & 3). Radii: (slot & 7) / 4.
//
// 60 frames [1,000]. Move: for each agent and axis x = x + v, and then, where x < 0 or x > SIZE, v = -v. Build.
// In frames 99, 199, …: save, hash each word of the bytes, build without agents, and restore. Then for agents 0, 7, 14, … (the asker, at its position), six queries, in this order:
//   1. within 12: hash the total, then each id in the order given (the index's)
//   2. neighbors, k = 6, mask 5, the asker excluded: hash the total, then for each result its id and
//      the bits of its squared distance
//   3. range from position - 10 to position + 10, sorted by id: hash the total, then each id
//   4. unless its velocity is 0 on all axes: cone along its velocity, half angle 0.7 (as float32),
//      radius 40, sorted by distance: hash the total, then each id
//   5. countWithin 25, mask 2: hash the number
//   6. raycast to position + 64 * velocity, radius 0.5, the asker excluded: hash the id, and unless
//      nobody was hit (2^32 - 1) the bits of the fraction
// Then four batches:
//   7. allWithin 12: hash the total, then of each slot in turn the count and the row's ids
//   8. allNeighbors, k = 6, maxDistance 40: of each slot in turn hash the count, then for each neighbor
//      its id and the bits of its squared distance
//   9. pairs closer than 6: hash the number of pairs, then each id
//   10. raycastMany from each slot's position to that of the next, from the last to that of slot 0, each
//       agent with its own radius: of each slot in turn hash the id and the bits of the fraction
//
// Boxes. Numbers and hash as above, and two parts: a Quadtree, 1,000 slots, SIZE 1024, looseness 1; then
// an Octree, 500 slots, SIZE 128, looseness 1.25. Bounds 0 … SIZE on every axis, leafSize 4, the rest by
// default.
//
// A box: it is a point if (next() & 3) is 0. For each axis min = (next() >>> 8) * SIZE / 2^24 - 8, and
// max = min + (next() >>> 20) / 2^8, of a point max = min (but its word is drawn). Insert: a box into the
// lowest free slot, hash the slot; its groups = 1 << (next() & 3).
//
// First as many as three quarters of the slots are inserted. 24 frames [1,000], each:
//   1. 40 times: slot = next() % slots. Not in use: insert. Else, if (next() & 1), remove it; if not, move
//      it to a box.
//   2. moveAll, after boxes were written, slots in ascending order: in frames 3, 7, 11, … every one in use
//      gets a box; else in odd frames every one in use has 0.25 added to each side; in even frames only
//      those with slot % 16 = frame % 16 get a box.
//   3. For the slots 0, 7, 14, … that are in use (the asker, at the min of its box):
//      within 12: hash the total, then of each result, in the order given, id and bits of the squared
//      distance; range from min - 10 to min + 10: hash the total, then each id; neighbors, k = 6, mask
//      5, the asker excluded: as within; countWithin 25, mask 2; raycast to SIZE - min on each axis, the
//      asker excluded: hash the id, and unless nobody was hit the bits of the fraction, then of each
//      number of the normal (all three, 0 in 2D) that number + 1
//   4. pairs: hash their number, then each id
//   5. of the figures hash nodes, leaves, straddlers and outside; hash the number of floats of the cells
//   6. in frames 5, 11, 17, …: save, hash each word of the bytes, clear, and restore
//
// Walls. Numbers and hash as above; an ObstacleTree, 1,400 slots, leafSize 4, SIZE 256.
//
// A coordinate: (next() >>> 8) * SIZE / 2^24. A loop of n vertices: x and y are drawn, then for each vertex
// x + ((next() >>> 20) - 2048) / 2^7 and y plus another such number, both rounded. Add: n = 2 + next() % 5, a
// loop of n vertices, of two sides if (next() & 7) is 0; hash the slot.
//
// First loops are added while there are fewer than 1,100 vertices. 24 frames [1,000], each:
//   1. 20 times: slot = next() % slots. Not a polygon's: add, if there are at most 1,300 vertices. Else, if
//      (next() & 1), remove it; if not, move it to a loop.
//   2. In odd frames 0.25 is added to the x of all vertices, used or not, with id % 8 = frame % 8. Build.
//   3. 40 askers, each: from and to, both coordinates drawn; for asker 0, 8, 16, … from is where the vertex
//      asker * 31 % slots is, instead. `side` is 'visible' for odd askers, else 'both'.
//      within 12, side: hash the total, then of each id and bits of the squared distance; nearest, side
//      'visible', at most 20 away: hash the id and, if there is one, the bits of the distance (as
//      float32), of x and y; visible from … to, then the same with radius 1.5: hash 0 or 1; raycast from
//      … to, side: hash the id and, if there is one, the bits of the fraction, of x, y and the normal;
//      contains: hash 0 or 1; the visibility polygon as far as 40: hash the number of corners, and the
//      bits of each number
//   4. raycastMany, side 'visible', 64 segments, from vertex i to vertex 700 + i: of each hash the id and
//      the bits of the fraction; keepVisible of all slots, used or not, for the last asker: hash their
//      number, then each
//   5. hash the figures edges, dropped, pieces, nodes, leaves, unsplit, depth and polygons, then the bits of
//      all numbers of the cells, then of the lines
//   6. as for boxes
//
// Crowds. Numbers and hash as above, and two parts: a Crowd, 400 slots [1,200], SIZE 32 [64], with an
// ObstacleTree, 5 slots for each of 20 rectangles [80]; then a Crowd3D, 260 slots, SIZE 8, without. timeStep
// 1/8, the rest by default. The least number of agents is 300 [1,000], in 3D 200.
//
// A coordinate: (next() >>> 8) * SIZE / 2^24. A speed: ((next() >>> 20) - 2048) / 2^11. Add: for each axis
// position = a coordinate, velocity and preferredVelocity = a speed each, goal = a coordinate (drawn in
// this order); no goal if (next() & 3) is 0; radius = (next() >>> 24) / 2^9, maxSpeed =
// 1 + (next() >>> 24) / 2^7, preferredSpeed = half of it, neighborDistance = 2 + (next() & 7), maxNeighbors =
// next() % 11, timeHorizon = 1 + (next() & 3), timeHorizonObstacles = (1 + (next() & 3)) / 2. Then
// extras = next(): priority = its lowest two bits, mask = 2 if bits 2 and 3 are 0, groups = 1 + bit 4,
// locked if bits 6 to 10 are 0, disabled if bits 11 to 15 are, maxAcceleration = 1 + (extras >>> 24) / 8 if
// bits 16 and 17 are, and if bits 18 and 19 are the goal is SIZE / 2 for each axis. Hash the slot.
//
// A rectangle: left and bottom are coordinates, width and height (next() >>> 20) / 2^11 each; its corners
// from there counterclockwise (y up), each coordinate rounded.
//
// First the rectangles are added as polygons, of two sides if (next() & 3) is 0 (drawn after the rectangle);
// then, by default but for position and goal, two pairs who meet head-on, in one point: for x
// and for y an agent at 2 * SIZE on each axis, that one 4 less, its goal there 4 more; and one the other way
// round; hash each slot. Then agents, a tenth more than the least number. 200 steps [1,000], each:
//   1. 3 times: slot = next() % slots. Not in use: add. Else remove it, if there are more than the least
//      number.
//   2. Every odd slot in use with slot % 16 = step % 16 gets a goal: a coordinate for each axis.
//   3. In 2D: in steps 3, 7, 11, … polygon 4 * (next() % rectangles) is moved to a rectangle; in steps 1, 5,
//      9, … 0.25 is added to the x of all its four vertices. Build (after a move the step does).
//   4. step; hash how many arrived, then each; the same of those that got stuck
//   5. In steps 3, 7, 11, …: hash the crowd's hash, then the figures agents, infeasible, overlaps and steps,
//      then the bits of neighbors and of time (as float32). Then slot = next() % slots; if it is in use,
//      look: hash the number of neighbors, then each; the same of walls; wallConstraints; the number of
//      floats of the constraints, then the bits of each
//   6. In steps 49, 99, …: save, hash each word of the bytes, and go on with another crowd, new, that
//      restores them

import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { className, CORES, nounOf } from './indexes.js'
import { createRandom } from './random.js'

const { fround, imul } = Math

const STEP = 7

export const SHORT = {
  frames: 60,
  boxFrames: 24,
  wallFrames: 24,
  crowdSteps: 200,
  crowd: { slots: 400, least: 300, size: 32, rectangles: 20 },
}

export const LONG = {
  frames: 1000,
  boxFrames: 1000,
  wallFrames: 1000,
  crowdSteps: 1000,
  crowd: { slots: 1200, least: 1000, size: 64, rectangles: 80 },
}

function createHash() {
  let hash = 2166136261
  return {
    add: (word) => (hash = imul(hash ^ word, 16777619)),
    value: () => hash >>> 0,
  }
}

/** One part: plays it in an index of that many dimensions, and hashes what it answers. */
function play(index, dimensions, size, frames, next, hash) {
  const agents = index.capacity
  const { groups, positions } = index
  const velocities = new Float32Array(positions.length)
  index.count = agents
  for (let agent = 0; agent < agents; agent++) {
    for (let axis = 0; axis < dimensions; axis++) {
      positions[agent * dimensions + axis] = ((next() >>> 8) * size) / 2 ** 24
      velocities[agent * dimensions + axis] = ((next() >>> 20) - 2048) / 2 ** 12
    }
    groups[agent] = 1 << (next() & 3)
    index.radii[agent] = (agent & 7) / 4
  }

  const out = new Uint32Array(agents)
  const distances2 = new Float32Array(agents)
  const distanceBits = new Uint32Array(distances2.buffer)
  const byId = { sort: 'id' }
  const byDistance = { sort: 'distance' }
  const others = { mask: 5, exclude: 0, distances2 }
  const secondGroup = { mask: 2 }
  const shot = { radius: 0.5, exclude: 0 }
  const segments = new Float32Array(2 * positions.length)
  const fraction = new Float32Array(1)
  const fractionBits = new Uint32Array(fraction.buffer)

  function addIds(total) {
    hash.add(total)
    for (let i = 0; i < total; i++) hash.add(out[i])
  }

  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < positions.length; i++) {
      positions[i] = fround(positions[i] + velocities[i])
      if (positions[i] < 0 || positions[i] > size) velocities[i] = -velocities[i]
    }
    index.build()
    if (frame % 100 === 99) {
      const saved = index.save()
      for (const word of new Uint32Array(saved.buffer)) hash.add(word)
      index.count = 0
      index.build()
      index.restore(saved)
    }

    for (let asker = 0; asker < agents; asker += STEP) {
      const first = asker * dimensions
      const center = positions.subarray(first, first + dimensions)
      const velocity = velocities.subarray(first, first + dimensions)
      addIds(index.withinInto(...center, 12, out))

      others.exclude = asker
      const near = index.neighborsInto(...center, 6, out, others)
      hash.add(near)
      for (let i = 0; i < near; i++) {
        hash.add(out[i])
        hash.add(distanceBits[i])
      }

      const lo = center.map((x) => fround(x - 10))
      const hi = center.map((x) => fround(x + 10))
      addIds(index.rangeInto(...lo, ...hi, out, byId))

      if (velocity.some((v) => v !== 0))
        addIds(index.coneInto(...center, ...velocity, fround(0.7), 40, out, byDistance))

      hash.add(index.countWithin(...center, 25, secondGroup))

      shot.exclude = asker
      const target = center.map((x, axis) => fround(x + 64 * velocity[axis]))
      const hit = index.raycast(...center, ...target, shot)
      hash.add(hit?.id ?? -1)
      fraction[0] = hit?.fraction ?? 0
      if (hit) hash.add(fractionBits[0])
    }

    const rows = index.allWithin(12)
    hash.add(rows.total)
    for (let slot = 0; slot < agents; slot++) {
      hash.add(rows.counts[slot])
      for (let i = 0; i < rows.counts[slot]; i++) hash.add(rows.ids[rows.offsets[slot] + i])
    }

    const neighbors = index.allNeighbors({ k: 6, maxDistance: 40 })
    const neighborBits = new Uint32Array(
      neighbors.distances2.buffer,
      neighbors.distances2.byteOffset,
      6 * agents,
    )
    for (let slot = 0; slot < agents; slot++) {
      hash.add(neighbors.counts[slot])
      for (let i = 0; i < neighbors.counts[slot]; i++) {
        hash.add(neighbors.ids[6 * slot + i])
        hash.add(neighborBits[6 * slot + i])
      }
    }

    const pairs = index.pairs(6)
    hash.add(pairs.length / 2)
    for (const id of pairs) hash.add(id)

    for (let slot = 0; slot < agents; slot++) {
      const next = (slot + 1) % agents
      for (let axis = 0; axis < dimensions; axis++) {
        const at = 2 * dimensions * slot + axis
        segments[at] = positions[slot * dimensions + axis]
        segments[at + dimensions] = positions[next * dimensions + axis]
      }
    }
    const { ids, fractions } = index.raycastMany(segments)
    for (let slot = 0; slot < agents; slot++) {
      fraction[0] = fractions[slot]
      hash.add(ids[slot])
      hash.add(fractionBits[0])
    }
  }
}

/** One part of boxes. */
function playBoxes(tree, dimensions, size, frames, next, hash) {
  const slots = tree.capacity
  const width = 2 * dimensions
  const { boxes, groups } = tree
  const box = new Float32Array(width)
  const out = new Uint32Array(slots)
  const distances2 = new Float32Array(slots)
  const distanceBits = new Uint32Array(distances2.buffer)
  const given = { distances2 }
  const others = { mask: 5, exclude: 0, distances2 }
  const secondGroup = { mask: 2 }
  const shot = { exclude: 0 }
  const fraction = new Float32Array(1)
  const fractionBits = new Uint32Array(fraction.buffer)

  function drawBox() {
    const isPoint = (next() & 3) === 0
    for (let axis = 0; axis < dimensions; axis++) {
      box[axis] = ((next() >>> 8) * size) / 2 ** 24 - 8
      const side = (next() >>> 20) / 2 ** 8
      box[dimensions + axis] = isPoint ? box[axis] : box[axis] + side
    }
    return box
  }

  function insert() {
    const slot = tree.insert(...drawBox())
    hash.add(slot)
    groups[slot] = 1 << (next() & 3)
  }

  function addIds(total, withDistances) {
    hash.add(total)
    for (let i = 0; i < total; i++) {
      hash.add(out[i])
      if (withDistances) hash.add(distanceBits[i])
    }
  }

  function churn() {
    for (let i = 0; i < 40; i++) {
      const slot = next() % slots
      if (!tree.has(slot)) insert()
      else if (next() & 1) tree.remove(slot)
      else tree.move(slot, ...drawBox())
    }
  }

  function moveAll(frame) {
    for (let slot = 0; slot < slots; slot++) {
      if (!tree.has(slot)) continue
      const isDrawn = frame % 4 === 3 || (frame % 2 === 0 && slot % 16 === frame % 16)
      if (isDrawn) boxes.set(drawBox(), slot * width)
      else if (frame % 2 === 1) for (let i = 0; i < width; i++) boxes[slot * width + i] += 0.25
    }
    tree.moveAll()
  }

  function ask(asker) {
    const center = boxes.slice(asker * width, asker * width + dimensions)
    addIds(tree.withinInto(...center, 12, out, given), true)
    const lo = center.map((x) => x - 10)
    const hi = center.map((x) => x + 10)
    addIds(tree.rangeInto(...lo, ...hi, out))
    others.exclude = asker
    addIds(tree.neighborsInto(...center, 6, out, others), true)
    hash.add(tree.countWithin(...center, 25, secondGroup))
    shot.exclude = asker
    const target = center.map((x) => size - x)
    const hit = tree.raycast(...center, ...target, shot)
    hash.add(hit?.id ?? -1)
    if (!hit) return
    fraction[0] = hit.fraction
    hash.add(fractionBits[0])
    for (const normal of [hit.normalX, hit.normalY, hit.normalZ ?? 0]) hash.add(normal + 1)
  }

  for (let i = 0; i < (slots / 4) * 3; i++) insert()
  for (let frame = 0; frame < frames; frame++) {
    churn()
    moveAll(frame)
    for (let asker = 0; asker < slots; asker += STEP) if (tree.has(asker)) ask(asker)
    const pairs = tree.pairs()
    hash.add(pairs.length / 2)
    for (const id of pairs) hash.add(id)
    const { nodes, leaves, straddlers, outside } = tree.stats()
    for (const figure of [nodes, leaves, straddlers, outside]) hash.add(figure)
    hash.add(tree.cells().length)
    if (frame % 6 !== 5) continue
    const saved = tree.save()
    for (const word of new Uint32Array(saved.buffer)) hash.add(word)
    tree.clear()
    tree.restore(saved)
  }
}

// ---- Walls ----

const WALL_SLOTS = 1400
const WALL_SIZE = 256
const WALL_ASKERS = 40
const SIGHTS = 64

function playWalls(tree, frames, next, hash) {
  const { next: following, vertices } = tree
  const out = new Uint32Array(WALL_SLOTS)
  const distances2 = new Float32Array(WALL_SLOTS)
  const everyone = Uint32Array.from(vertices.subarray(WALL_SLOTS), (_, id) => id)
  const float = new Float32Array(1)
  const floatBits = new Uint32Array(float.buffer)

  const drawCoordinate = () => ((next() >>> 8) * WALL_SIZE) / 2 ** 24
  const vertexAt = (id) => vertices.slice(2 * id, 2 * id + 2)

  function addFloats(...numbers) {
    for (const x of numbers) {
      float[0] = x
      hash.add(floatBits[0])
    }
  }

  function drawLoop(count) {
    const center = [drawCoordinate(), drawCoordinate()]
    return Float32Array.from(
      { length: 2 * count },
      (_, i) => center[i & 1] + ((next() >>> 20) - 2048) / 2 ** 7,
    )
  }

  function addLoop() {
    const points = drawLoop(2 + (next() % 5))
    hash.add(tree.addPolygon(points, { twoSided: (next() & 7) === 0 }))
  }

  function churn(frame) {
    for (let i = 0; i < 20; i++) {
      const slot = next() % WALL_SLOTS
      if (!tree.has(slot)) {
        if (tree.count <= WALL_SLOTS - 100) addLoop()
      } else if (next() & 1) tree.remove(slot)
      else {
        let count = 1
        for (let id = following[slot]; id !== slot; id = following[id]) count++
        tree.move(slot, drawLoop(count))
      }
    }
    if (frame % 2 === 1) for (let id = frame % 8; id < WALL_SLOTS; id += 8) vertices[2 * id] += 0.25
    tree.build()
  }

  function ask(asker) {
    let from = [drawCoordinate(), drawCoordinate()]
    const to = [drawCoordinate(), drawCoordinate()]
    if (asker % 8 === 0) from = vertexAt((asker * 31) % WALL_SLOTS)
    const side = asker & 1 ? 'visible' : 'both'

    const total = tree.withinInto(...from, 12, out, { side, distances2 })
    hash.add(total)
    for (let i = 0; i < total; i++) {
      hash.add(out[i])
      addFloats(distances2[i])
    }
    const near = tree.nearest(...from, { side: 'visible', maxDistance: 20 })
    hash.add(near?.id ?? -1)
    if (near) addFloats(near.distance, near.x, near.y)
    for (const radius of [0, 1.5]) hash.add(Number(tree.visible(...from, ...to, { radius })))
    const hit = tree.raycast(...from, ...to, { side })
    hash.add(hit?.id ?? -1)
    if (hit) addFloats(hit.fraction, hit.x, hit.y, hit.normalX, hit.normalY)
    hash.add(Number(tree.contains(...from)))
    const corners = tree.visibilityPolygon(...from, { maxDistance: 40 })
    hash.add(corners.length / 2)
    addFloats(...corners)
    return from
  }

  function askForSights(from) {
    const segments = new Float32Array(4 * SIGHTS)
    for (let i = 0; i < SIGHTS; i++) {
      segments.set(vertexAt(i), 4 * i)
      segments.set(vertexAt(WALL_SLOTS / 2 + i), 4 * i + 2)
    }
    const { fractions, ids } = tree.raycastMany(segments, { side: 'visible' })
    for (let i = 0; i < SIGHTS; i++) {
      hash.add(ids[i])
      addFloats(fractions[i])
    }
    const kept = tree.keepVisible(...from, everyone, vertices)
    hash.add(kept.length)
    for (const id of kept) hash.add(id)
  }

  while (tree.count < 1100) addLoop()
  for (let frame = 0; frame < frames; frame++) {
    let from
    churn(frame)
    for (let asker = 0; asker < WALL_ASKERS; asker++) from = ask(asker)
    askForSights(from)
    const { edges, dropped, pieces, nodes, leaves, unsplit, depth, polygons } = tree.stats()
    const figures = [edges, dropped, pieces, nodes, leaves, unsplit, depth, polygons]
    for (const figure of figures) hash.add(figure)
    for (const x of tree.cells()) addFloats(x)
    for (const x of tree.lines()) addFloats(x)
    if (frame % 6 !== 5) continue
    const saved = tree.save()
    for (const word of new Uint32Array(saved.buffer)) hash.add(word)
    tree.clear()
    tree.restore(saved)
  }
}

// ---- Crowds ----

/** One part of crowds; without `walls` there are none. */
function playCrowd(create, { size, least, walls, rectangles }, steps, next, hash) {
  let crowd = create()
  const { capacity: slots, dimensions } = crowd
  const float = new Float32Array(1)
  const floatBits = new Uint32Array(float.buffer)

  const drawCoordinate = () => ((next() >>> 8) * size) / 2 ** 24
  const drawSpeed = () => ((next() >>> 20) - 2048) / 2 ** 11

  function addFloats(...numbers) {
    for (const x of numbers) {
      float[0] = x
      hash.add(floatBits[0])
    }
  }

  function addAgent() {
    const agent = { position: [], velocity: [], preferredVelocity: [], goal: [] }
    for (let axis = 0; axis < dimensions; axis++) {
      agent.position.push(drawCoordinate())
      agent.velocity.push(drawSpeed())
      agent.preferredVelocity.push(drawSpeed())
      agent.goal.push(drawCoordinate())
    }
    if ((next() & 3) === 0) agent.goal = null
    agent.radius = (next() >>> 24) / 2 ** 9
    agent.maxSpeed = 1 + (next() >>> 24) / 2 ** 7
    agent.preferredSpeed = agent.maxSpeed / 2
    agent.neighborDistance = 2 + (next() & 7)
    agent.maxNeighbors = next() % 11
    agent.timeHorizon = 1 + (next() & 3)
    agent.timeHorizonObstacles = (1 + (next() & 3)) / 2
    const extras = next()
    agent.priority = extras & 3
    if (((extras >>> 2) & 3) === 0) agent.mask = 2
    agent.groups = 1 + ((extras >>> 4) & 1)
    agent.locked = ((extras >>> 6) & 31) === 0
    agent.enabled = ((extras >>> 11) & 31) !== 0
    if (((extras >>> 16) & 3) === 0) agent.maxAcceleration = 1 + (extras >>> 24) / 8
    if (((extras >>> 18) & 3) === 0) agent.goal = new Array(dimensions).fill(size / 2)
    hash.add(crowd.add(agent))
  }

  function addPairs() {
    for (let axis = 0; axis < 2; axis++)
      for (const side of [-4, 4]) {
        const [position, goal] = [0, 0].map(() => new Array(dimensions).fill(2 * size))
        position[axis] += side
        goal[axis] -= side
        hash.add(crowd.add({ position, goal }))
      }
  }

  function drawRectangle() {
    const [left, bottom] = [drawCoordinate(), drawCoordinate()]
    const right = left + (next() >>> 20) / 2 ** 11
    const top = bottom + (next() >>> 20) / 2 ** 11
    return [left, bottom, right, bottom, right, top, left, top]
  }

  function churn(step) {
    for (let i = 0; i < 3; i++) {
      const slot = next() % slots
      if (!crowd.has(slot)) addAgent()
      else if (crowd.count > least) crowd.remove(slot)
    }
    for (let slot = step % 16; slot < slots; slot += 16)
      if (slot % 2 && crowd.has(slot))
        for (let axis = 0; axis < dimensions; axis++)
          crowd.goals[slot * dimensions + axis] = drawCoordinate()
    if (!walls || step % 2 === 0) return
    const first = 4 * (next() % rectangles)
    if (step % 4 === 3) walls.move(first, drawRectangle())
    else {
      for (let id = first; id < first + 4; id++) walls.vertices[2 * id] += 0.25
      walls.build()
    }
  }

  function addEvents() {
    for (const slots of [crowd.arrived(), crowd.stuck()]) {
      hash.add(slots.length)
      for (const slot of slots) hash.add(slot)
    }
  }

  function addState() {
    hash.add(crowd.hash())
    const { agents, infeasible, overlaps, steps, neighbors, time } = crowd.stats()
    for (const figure of [agents, infeasible, overlaps, steps]) hash.add(figure)
    addFloats(neighbors, time)
    const slot = next() % slots
    if (!crowd.has(slot)) return
    const seen = crowd.look(slot)
    for (const ids of [seen.neighbors, seen.walls]) {
      hash.add(ids.length)
      for (const id of ids) hash.add(id)
    }
    hash.add(seen.wallConstraints)
    hash.add(seen.constraints.length)
    addFloats(...seen.constraints)
  }

  function replace() {
    const saved = crowd.save()
    for (const word of new Uint32Array(saved.buffer)) hash.add(word)
    crowd.dispose()
    crowd = create()
    crowd.restore(saved)
    if (walls) crowd.obstacles = walls
  }

  if (walls) {
    for (let i = 0; i < rectangles; i++)
      walls.addPolygon(drawRectangle(), { twoSided: (next() & 3) === 0 })
    crowd.obstacles = walls
  }
  addPairs()
  for (let i = 0; i < least + least / 10; i++) addAgent()
  for (let step = 0; step < steps; step++) {
    churn(step)
    crowd.step()
    addEvents()
    if (step % 4 === 3) addState()
    if (step % 50 === 49) replace()
  }
  crowd.dispose()
}

/** By class. The cells in 3D are too many for a table of its own entry for each. */
const OPTIONS = {
  AgentTree: { leafSize: 16 },
  AgentTree3D: { leafSize: 16 },
  Grid: { cellSize: 12 },
  Grid3D: { cellSize: 5 },
}

/**
 * Plays the scenario with a kind of index of an entry of the library, given as its module.
 * @returns {Promise<number>} the hash
 */
export async function scenario(library, kind, form = SHORT) {
  const instance = await library.create({ memory: 2 ** 23 }) // enough that no view is detached
  const random = createRandom(1)
  const next = () => random() * 2 ** 32 // the word itself, exactly
  const hash = createHash()
  if (kind === 'ObstacleTree') {
    const tree = new library.ObstacleTree({ capacity: WALL_SLOTS, leafSize: 4, instance })
    playWalls(tree, form.wallFrames, next, hash)
    return hash.value()
  }
  if (kind === 'Crowd') {
    const { Crowd, Crowd3D, ObstacleTree } = library
    const { slots, rectangles } = form.crowd
    const walls = new ObstacleTree({ capacity: 5 * rectangles, instance })
    const options = { timeStep: 1 / 8, instance }
    const inPlane = () => new Crowd({ capacity: slots, ...options })
    const inSpace = () => new Crowd3D({ capacity: 260, ...options })
    playCrowd(inPlane, { ...form.crowd, walls }, form.crowdSteps, next, hash)
    playCrowd(inSpace, { size: 8, least: 200 }, form.crowdSteps, next, hash)
    return hash.value()
  }
  if (kind === 'Octree') {
    for (const [dimensions, capacity, size, looseness] of [
      [2, 1000, 1024, 1],
      [3, 500, 128, 1.25],
    ]) {
      const bounds = [0, size].flatMap((side) => new Array(dimensions).fill(side))
      const options = { bounds, capacity, leafSize: 4, looseness, instance }
      const tree = new library[className(kind, dimensions)](options)
      playBoxes(tree, dimensions, size, form.boxFrames, next, hash)
    }
    return hash.value()
  }
  for (const [dimensions, capacity, size] of [
    [2, 2000, 1024],
    [3, 1000, 128],
  ]) {
    const name = className(kind, dimensions)
    const index = new library[name]({ capacity, instance, ...OPTIONS[name] })
    play(index, dimensions, size, form.frames, next, hash)
  }
  return hash.value()
}

export const LIBRARIES = { simd, scalar }

/** @returns {Promise<string>} what a file of hashes holds */
export async function hashes(library, form) {
  let lines = ''
  for (const kind of [...CORES, 'Crowd']) {
    const hash = (await scenario(library, kind, form)).toString(16).padStart(8, '0')
    lines += `${nounOf(kind)} 0x${hash}\n`
  }
  return lines
}
