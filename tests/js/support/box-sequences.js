// Compares the quadtree and the octree with a plain list, under drawn sequences of changes, in both cores
// at once. After each change, both trees must be valid, return what the list returns, in the same order,
// and have the cells of a new tree.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import * as list from './box-oracle.js'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, thrown } from './indexes.js'
import { createRandom, distributions, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(520)

const { fround } = Math
const NAMES = { 2: 'Quadtree', 3: 'Octree' }
const libraries = [simd, scalar]
const instances = []

async function createInstances() {
  for (const [i, library] of libraries.entries()) instances[i] = await library.create()
}

// ---- Drawing sequences ----

/** Bounds along every axis: lo, hi. */
const WORLDS = {
  plain: [-8, 8],
  corner: [0, 1000],
  tiny: [1, 1 + 2 ** -20], // a few floats wide: cells end between neighbors
  denormal: [0, 2 ** -140],
  huge: [-1e18, 1e18],
  shifted: [1e6, 1e6 + 64],
}

/** By distribution: draws one side of a box. */
const ROWS = {
  mixture: (random, { lo, side }) => lo + (integer(random, 65) / 64) * side,
  anywhere: (random, { lo, side }) => lo + (random() * 1.5 - 0.25) * side,
  equal: (random, { lo, side }) => lo + 0.375 * side,
  line: (random, { lo, side }, axis) => lo + (axis === 0 ? random() : 0.5) * side,
  cellLine: (random, { lo, side }) => lo + (integer(random, 17) / 16) * side,
  adjacent: (random, { lo, side }) => fround(lo + side) * (1 + (integer(random, 9) - 4) * 2 ** -23),
  denormals: (random) => (integer(random, 17) - 8) * 2 ** -149,
  zeros: (random) => (random() < 0.5 ? -0 : 0),
  far: (random, { lo }) => pick(random, [-1e18, 1e18, 1e17, -1, 0, lo]),
  outside: (random, { lo, side }) => lo + pick(random, [-3, -1, 0.5, 1, 2, 5]) * side,
}

function drawBox(random, { dimensions, items, row, world }) {
  const box = new Float32Array(2 * dimensions)
  const isPoint = items === 'points' || (items === 'mixture' && random() < 0.4)
  const straddles = row === 'straddling'
  for (let axis = 0; axis < dimensions; axis++) {
    const { lo, side } = world
    const largest = pick(random, [0, 1 / 64, 1 / 64, 1 / 8, 1])
    const size = random() * largest * side
    let [a, b] = [0, 0]
    if (straddles) {
      a = lo + (0.5 - random() * largest) * side
      b = lo + (0.5 + random() * largest) * side
    } else {
      a = ROWS[row](random, world, axis)
      const withOther = isPoint || row === 'equal' || row === 'zeros' || row === 'far'
      b = withOther ? a : random() < 0.5 ? a + size : ROWS[row](random, world, axis)
      if (!isPoint && row === 'far' && random() < 0.3) b = 1e18
    }
    box[axis] = Math.min(a, b, 1e18)
    box[dimensions + axis] = Math.min(Math.max(a, b), 1e18)
    for (const i of [axis, dimensions + axis]) if (box[i] < -1e18) box[i] = fround(-1e18)
  }
  return box
}

const SPREADS = Object.keys(distributions)

/** Returns boxes whose corners are the points of a spread. */
function drawSpread(random, { dimensions, items, options: { capacity } }, spread) {
  const points = distributions[spread](random, 2 * capacity, dimensions)
  return Array.from({ length: capacity }, (_, id) => {
    const isPoint = items === 'points' || (items === 'mixture' && random() < 0.4)
    const corner = points.subarray(id * dimensions, (id + 1) * dimensions)
    const far = (isPoint ? id : id + capacity) * dimensions
    const sides = [Math.min, Math.max].map((side) =>
      corner.map((x, axis) => side(x, points[far + axis])),
    )
    return Float32Array.of(...sides[0], ...sides[1])
  })
}

const OPERATIONS = [
  ...['add', 'add', 'fill', 'fill', 'fill', 'addAt', 'move', 'move', 'moveFew', 'moveMany'],
  ...['moveFew', 'remove', 'remove', 'thin', 'groups', 'restore', 'clear', 'reserve', 'wrong'],
  ...['load', 'spread'],
]

const drawnSequence = fc.record({
  world: fc.constantFrom(...Object.keys(WORLDS)),
  row: fc.constantFrom(...Object.keys(ROWS), 'straddling', 'mixture', 'anywhere'),
  items: fc.constantFrom('points', 'boxes', 'mixture'),
  capacity: fc.constantFrom(1, 5, 24, 60, 200),
  looseness: fc.constantFrom(1, 1.25, 2, 16),
  leafSize: fc.constantFrom(0, 1, 2, 4, 12, 100),
  maxDepth: fc.oneof(fc.constant(8), fc.integer({ min: 0, max: 24 })),
  // Each has its own seed: dropping one does not change what the others draw.
  operations: fc.array(
    fc.record({ name: fc.constantFrom(...OPERATIONS), seed: fc.noBias(fc.nat()) }),
    { minLength: 1, maxLength: 20, size: 'max' },
  ),
})

// ---- Playing sequences ----

/** Creates the trees of both cores, and the list that they must agree with. */
function start(drawn, dimensions) {
  const [lo, hi] = WORLDS[drawn.world].map(fround)
  const bounds = [...new Array(dimensions).fill(lo), ...new Array(dimensions).fill(hi)]
  const { capacity, looseness, leafSize, maxDepth } = drawn
  const options = { bounds, capacity, looseness, leafSize, maxDepth }
  const state = {
    ...{ dimensions, options, items: drawn.items, row: drawn.row },
    world: { lo, side: hi - lo },
    model: list.createList(dimensions, capacity),
    trees: [],
  }
  state.trees = libraries.map((library, i) => make(state, i))
  return state
}

/** Creates an empty tree of core `i`. */
function make({ dimensions, options }, i, capacity = options.capacity) {
  return new libraries[i][NAMES[dimensions]]({ ...options, capacity, instance: instances[i] })
}

/** Calls both trees and asserts that they return the same. Returns that. */
function callBoth({ trees }, call) {
  const [one, other] = trees.map(call)
  assert.is(one, other)
  return one
}

/** Asserts that a call throws an error of this code or class in both trees. */
function bothThrow({ trees }, call, expected) {
  for (const tree of trees) {
    const error = thrown(() => call(tree))
    assert.is(error.code ?? error.name, expected, String(error))
  }
}

function writeToModel({ model }, slot, box) {
  list.boxOf(model, slot).set(box.map((x) => x + 0)) // turns -0 into 0
}

/** Each makes the same change to both trees and the list. */
const operations = {
  add(random, state) {
    const { dimensions, model } = state
    const box = drawBox(random, state)
    const slot = list.lowestFree(model)
    if (slot < 0) return bothThrow(state, (tree) => tree.add(...box), 'FULL')
    const lo = box.subarray(0, dimensions)
    const asPoint = lo.every((x, axis) => x === box[dimensions + axis])
    const args = asPoint && random() < 0.5 ? lo : box
    assert.is(
      callBoth(state, (tree) => tree.add(...args)),
      slot,
      'the lowest free slot',
    )
    model.generations[slot]++
    writeToModel(state, slot, box)
  },

  fill(random, state) {
    const count = integer(random, state.options.capacity) / 2 + 1
    for (let i = 0; i < count && list.lowestFree(state.model) >= 0; i++)
      operations.add(random, state)
  },

  addAt(random, state) {
    const { model, options } = state
    const slot = integer(random, options.capacity + 2)
    const box = drawBox(random, state)
    const add = (tree) => tree.addAt(slot, ...box)
    if (slot >= options.capacity) return bothThrow(state, add, 'FULL')
    if (list.isUsed(model, slot)) return bothThrow(state, add, 'RangeError')
    callBoth(state, add)
    model.generations[slot]++
    writeToModel(state, slot, box)
  },

  move(random, state) {
    const { model, options } = state
    const slot = integer(random, options.capacity + 1)
    const box = drawBox(random, state)
    const move = (tree) => tree.move(slot, ...box)
    if (!list.isUsed(model, slot)) return bothThrow(state, move, 'STALE_SLOT')
    callBoth(state, move)
    writeToModel(state, slot, box)
  },

  moveFew: (random, state) => moveAll(random, state, 0.1),
  moveMany: (random, state) => moveAll(random, state, 1),

  load(random, state) {
    const count = integer(random, state.options.capacity + 1)
    load(
      state,
      Array.from({ length: count }, () => drawBox(random, state)),
    )
  },

  spread: (random, state) => load(state, drawSpread(random, state, pick(random, SPREADS))),

  remove(random, state) {
    const { model, options } = state
    const slot = integer(random, options.capacity + 1)
    if (random() < 0.3)
      // the contents of `boxes` do not matter
      for (const tree of state.trees) tree.boxes.fill(NaN, slot * 2 * state.dimensions)
    const remove = (tree) => tree.remove(slot)
    if (list.isUsed(model, slot)) {
      callBoth(state, remove)
      model.generations[slot]++
    } else bothThrow(state, remove, 'STALE_SLOT')
    for (const tree of state.trees) tree.boxes.set(model.boxes)
  },

  thin(random, state) {
    for (const slot of list.usedIds(state.model)) {
      if (random() < 0.3) continue
      callBoth(state, (tree) => tree.remove(slot))
      state.model.generations[slot]++
    }
  },

  groups(random, state) {
    // Snapshots do not hold the groups of slots that were never in use.
    for (const [slot, generation] of state.model.generations.entries())
      if (generation > 0 && random() < 0.5) {
        const group = pick(random, [0, 1, 2, 6, 0x80000000, integer(random, 2 ** 32)])
        for (const { groups } of [state.model, ...state.trees]) groups[slot] = group
      }
  },

  clear(random, state) {
    callBoth(state, (tree) => tree.clear())
    for (const slot of list.usedIds(state.model)) state.model.generations[slot]++
  },

  reserve(random, state) {
    const capacity = integer(random, state.options.capacity + 30) + 1
    for (const tree of state.trees) tree.reserve(capacity)
    if (capacity <= state.options.capacity) return
    state.options.capacity = capacity
    state.model = list.grown(state.model, capacity)
  },

  /** One tree continues as it is, the other from a snapshot. */
  restore(random, state) {
    const { options, trees } = state
    const saved = trees[0].save()
    assertSame(trees[1].save(), saved, 'both cores save the same snapshot')
    const bad = saved.slice()
    bad[integer(random, bad.length)] ^= 1 << integer(random, 8)
    bothThrow(state, (tree) => tree.restore(bad), 'BAD_SNAPSHOT')
    if (random() < 0.3) trees[1].clear()
    if (random() < 0.5) {
      trees[1].dispose()
      trees[1] = make(state, 1)
    }
    trees[1].restore(saved)
    if (trees[0].stats().unsplit > 0) trees[0].restore(saved)
    else assertSame(trees[1].save(), saved, 'a restored tree saves the same')
    if (random() < 0.3) {
      const larger = make(state, 0, options.capacity + 7)
      larger.restore(saved)
      assert.ok(larger.validate())
      assert.is(larger.count, trees[0].count)
      larger.dispose()
    }
  },

  wrong(random, state) {
    const { dimensions } = state
    const box = drawBox(random, state)
    const slot = list.usedIds(state.model)[0] ?? 0
    box[integer(random, 2 * dimensions)] = pick(random, [NaN, Infinity, -Infinity, 1.1e18])
    for (const call of ['add', 'addAt', 'move'])
      bothThrow(
        state,
        (tree) => tree[call](...(call === 'add' ? [] : [slot]), ...box),
        'RangeError',
      )
    // Neither a point nor a box.
    const args = new Array(pick(random, [0, 1, 2 * dimensions - 1, 2 * dimensions + 2])).fill(1)
    for (const call of ['add', 'addAt', 'move'])
      if (args.length !== dimensions)
        bothThrow(
          state,
          (tree) => tree[call](...(call === 'add' ? [] : [slot]), ...args),
          'TypeError',
        )
  },
}

/** Replaces all items. */
function load(state, boxes) {
  const { dimensions, model, options, trees } = state
  for (const tree of trees)
    for (const [id, box] of boxes.entries()) tree.boxes.set(box, id * 2 * dimensions)
  callBoth(state, (tree) => tree.load(boxes.length))
  for (let id = 0; id < options.capacity; id++) {
    if (list.isUsed(model, id)) model.generations[id]++
    if (id < boxes.length) model.generations[id]++
  }
  for (const [id, box] of boxes.entries()) writeToModel(state, id, box)
}

/** Moves a share of the boxes by writing them. Sometimes writes a bad box: then nothing moves. */
function moveAll(random, state, share) {
  const { dimensions, model, trees } = state
  const used = list.usedIds(model)
  const changed = new Map()
  for (const id of used) if (random() < share) changed.set(id, drawBox(random, state))
  const badSlot = random() < 0.2 ? (pick(random, used) ?? -1) : -1
  if (badSlot >= 0) {
    const box = drawBox(random, state)
    const axis = integer(random, dimensions)
    const kind = pick(random, [NaN, Infinity, -2e18, 'turned'])
    if (kind === 'turned') [box[axis], box[dimensions + axis]] = [2, 1]
    else box[axis + pick(random, [0, dimensions])] = kind
    changed.set(badSlot, box)
    for (const tree of trees) {
      for (const [id, box] of changed) tree.boxes.set(box, id * 2 * dimensions)
      const error = thrown(() => tree.moveAll())
      const place = `${NAMES[dimensions]}.moveAll: `
      assert.ok(error.message.startsWith(place) && error.message.includes(`slot ${badSlot}`), error)
      if (kind === 'turned') assert.instance(error, RangeError)
      else assert.equal([error.code, error.index], ['NOT_FINITE', badSlot])
      tree.boxes.set(model.boxes)
    }
    return
  }
  for (const tree of trees)
    for (const [id, box] of changed) tree.boxes.set(box, id * 2 * dimensions)
  callBoth(state, (tree) => tree.moveAll())
  for (const [id, box] of changed) writeToModel(state, id, box)
}

// ---- Checks after each operation ----

function checkState(state) {
  const { dimensions, model, options, trees } = state
  const ids = list.usedIds(model)
  const stats = trees.map((tree) => ({ ...tree.stats(), changes: 0, bytes: 0, visits: 0 }))
  for (const [i, tree] of trees.entries()) {
    assert.ok(tree.validate(), 'validate')
    assertSame(tree.generations, model.generations, 'generations')
    assertSame(tree.groups, model.groups, 'groups')
    assert.is(tree.count, ids.length)
    assert.is(tree.slots, model.generations.findLastIndex((generation) => generation > 0) + 1)
    assert.is(tree.capacity, options.capacity)
    const { items, nodes, leaves, perDepth, outside } = stats[i]
    assert.is(items, ids.length)
    assert.is(leaves, nodes - (nodes - 1) / 2 ** dimensions)
    assert.is(
      perDepth.reduce((sum, items) => sum + items, 0),
      items,
    )
    assert.is(outside, list.outside(model, options.bounds), 'outside')
    const { boxes } = tree
    const width = 2 * dimensions
    for (const id of ids)
      for (let side = id * width; side < (id + 1) * width; side++)
        if (!Object.is(boxes[side], model.boxes[side]))
          assert.unreachable(`box ${id}: ${boxes[side]} for ${model.boxes[side]}`)
  }
  const { nodes, depth, leaves, straddlers, unsplit } = stats[0]
  const { nodes: n, depth: d, leaves: l, straddlers: s, unsplit: u } = stats[1]
  assertSame([n, d, l, s, u], [nodes, depth, leaves, straddlers, unsplit], 'stats')
  checkCells(state, ids, unsplit)
}

/** Checks that the cells are those of a new tree to which the same items are added in another order. */
function checkCells(state, ids, unsplit) {
  const cells = state.trees[0].cells()
  assertSame(state.trees[1].cells(), cells, 'cells')
  const fresh = make(state, 0)
  for (const id of ids.toReversed()) fresh.addAt(id, ...list.boxOf(state.model, id))
  if (unsplit === 0 && fresh.stats().unsplit === 0)
    assertSame(fresh.cells(), cells, 'the cells of a new tree')
  fresh.dispose()
}

/** Draws a point: at a corner of an item, in it, near it, or anywhere. */
function drawPlace(random, { dimensions, model, world }) {
  const id = pick(random, list.usedIds(model))
  const place = id === undefined ? 'anywhere' : pick(random, ['corner', 'in', 'near', 'anywhere'])
  return Array.from({ length: dimensions }, (_, axis) => {
    let x = world.lo + (random() * 2 - 0.5) * world.side
    if (place !== 'anywhere') {
      const box = list.boxOf(model, id)
      const [lo, hi] = [box[axis], box[dimensions + axis]]
      x = place === 'in' ? lo / 2 + hi / 2 : random() < 0.5 ? lo : hi
      if (place === 'near') x += (random() - 0.5) * 0.1 * world.side
    }
    return Math.min(Math.max(x, -1e18), 1e18)
  })
}

/** Draws a radius, often one that puts an item exactly or nearly on the border. */
function drawRadius(random, { model, world }, center) {
  const kind = pick(random, ['0', 'Infinity', 'part', 'border', 'border', 'border'])
  const id = pick(random, list.usedIds(model))
  if (kind === '0') return random() < 0.5 ? 0 : 1e-30
  if (kind === 'Infinity') return random() < 0.5 ? Infinity : 1e20
  if (kind === 'part' || id === undefined) return random() * world.side
  const borderDistance2 = list.distance2(model, list.boxOf(model, id), Float32Array.from(center))
  return fround(Math.sqrt(borderDistance2)) * pick(random, [1, 1, 1 - 2 ** -23, 1 + 2 ** -23])
}

const MASKS = [0, 1, 5, 2, 0x80000000, ~1, -1, 2 ** 32 - 1]

function drawOptions(random, state, sorts = []) {
  const options = {}
  if (sorts.length && random() < 0.3) options.sort = pick(random, sorts)
  if (random() < 0.3) options.mask = pick(random, MASKS)
  if (random() < 0.3) options.exclude = pick(random, [...list.usedIds(state.model), -1, 2 ** 28])
  return options
}

/** Returns options of `raycastMany` with a value for each of n segments. */
function drawFilters(random, n, radius) {
  const drawn = {
    mask: Uint32Array.from({ length: n }, () => pick(random, MASKS)),
    exclude: Uint32Array.from({ length: n }, () => integer(random, 9)),
    inflate: Float32Array.from({ length: n }, () => pick(random, [0, radius, radius / 4, 1e-30])),
  }
  return Object.fromEntries(Object.entries(drawn).filter(() => random() < 0.5))
}

/** Returns options without `sort`, for queries whose results have no order. */
const withoutSort = ({ sort, ...options }) => options

const out = new Uint32Array(512)
const distances2 = new Float32Array(512)

/** Checks a query for ids: both trees return the same ids in the same order, equal to `expected`. */
function checkIds(random, state, method, geometry, options, expected, isOrdered) {
  const ids = state.trees[0][method](...geometry, options).slice()
  const { visits } = state.trees[0].stats()
  const sorts = isOrdered || options.sort === 'distance' || options.sort === 'id'
  assertSame(sorts ? ids : ids.slice().sort(), expected.ids, method)
  const distance2ById = new Map(expected.ids.map((id, i) => [id, expected.distances2?.[i]]))
  for (const tree of state.trees) {
    assertSame(tree[method](...geometry, options), ids, method)
    assert.is(tree.stats().visits, visits)
    const room = random() < 0.5 ? ids.length + 2 : integer(random, ids.length + 1)
    const outIds = out.subarray(0, room).fill(0xdeadbeef)
    const outDistances2 = distances2.subarray(0, room).fill(-1)
    const intoOptions = expected.distances2 ? { ...options, distances2: outDistances2 } : options
    assert.is(tree[`${method}Into`](...geometry, outIds, intoOptions), ids.length)
    for (let i = 0; i < room; i++) {
      assert.is(outIds[i], i < ids.length ? ids[i] : 0xdeadbeef)
      if (intoOptions !== options)
        assert.is(outDistances2[i], i < ids.length ? distance2ById.get(ids[i]) : -1)
    }
  }
}

/** Returns the rows of a batch, as arrays. */
const rowsOf = ({ ids, offsets, counts }, n) =>
  Array.from({ length: n }, (_, i) => ids.slice(offsets[i], offsets[i] + counts[i]))

const queries = {
  range(random, state) {
    const [one, other] = [drawPlace(random, state), drawPlace(random, state)]
    const reach = pick(random, [0, 0, random() * state.world.side, Infinity])
    const lo = one.map((x, axis) => Math.min(x, other[axis]) - reach)
    const hi = one.map((x, axis) => Math.max(x, other[axis]) + (random() < 0.9 ? reach : 1e30))
    const options = drawOptions(random, state, ['none', 'id'])
    const expected = list.range(state.model, lo, hi, options)
    checkIds(random, state, 'range', [...lo, ...hi], options, expected)
    assert.is(
      callBoth(state, (tree) => tree.countRange(...lo, ...hi, withoutSort(options))),
      expected.ids.length,
    )
  },

  frustum(random, state) {
    if (state.dimensions !== 3) return
    const planes = Array.from({ length: 1 + integer(random, 6) }, () => {
      const [x, y, z] = drawPlace(random, state)
      const normal = Array.from({ length: 3 }, () => pick(random, [0, -0, 1, -1, random() - 0.5]))
      const w = -(normal[0] * x + normal[1] * y + normal[2] * z)
      return [...normal, Math.min(Math.max(w, -1e18), 1e18)]
    })
    const options = drawOptions(random, state, ['none', 'id'])
    const expected = list.frustum(state.model, planes.flat(), options)
    checkIds(random, state, 'frustum', [Float32Array.from(planes.flat())], options, expected)
  },

  at(random, state) {
    const point = drawPlace(random, state)
    const options = drawOptions(random, state, ['none', 'id'])
    const expected = list.range(state.model, point, point, options)
    checkIds(random, state, 'at', point, options, expected)
  },

  within(random, state) {
    const center = drawPlace(random, state)
    const radius = drawRadius(random, state, center)
    const options = drawOptions(random, state, ['none', 'id', 'distance'])
    const expected = list.within(state.model, center, radius, options)
    checkIds(random, state, 'within', [...center, radius], options, expected)
    const count = expected.ids.length
    assert.is(
      callBoth(state, (tree) => tree.countWithin(...center, radius, withoutSort(options))),
      count,
    )
    assert.is(
      callBoth(state, (tree) => tree.anyWithin(...center, radius, withoutSort(options))),
      count > 0,
    )
  },

  neighbors(random, state) {
    const { model } = state
    const center = drawPlace(random, state)
    const count = list.usedIds(model).length
    const k = pick(random, [0, 1, 2, integer(random, 12), count, count + 3, 2 ** 32 + 5])
    const options = drawOptions(random, state)
    if (random() < 0.5) options.maxDistance = drawRadius(random, state, center)
    const expected = list.neighbors(model, center, k, options)
    checkIds(random, state, 'neighbors', [...center, k], options, expected, true)
    const nearest = list.neighbors(model, center, 1, options).ids[0] ?? -1
    assert.is(
      callBoth(state, (tree) => tree.nearest(...center, options)),
      nearest,
    )
  },

  raycast(random, state) {
    const [from, to] = [drawPlace(random, state), drawPlace(random, state)]
    if (random() < 0.3) to[0] = from[0] // along an axis, or of no length
    if (random() < 0.2) to.splice(0, to.length, ...from)
    const options = drawOptions(random, state)
    if (random() < 0.5) options.inflate = drawRadius(random, state, from)
    const expected = list.raycast(state.model, from, to, options)
    for (const tree of state.trees) {
      const hit = tree.raycast(...from, ...to, options)
      if (!expected) {
        assert.is(hit, null)
        continue
      }
      const { id, fraction, normal } = expected
      assertSame([hit.id, hit.fraction], [id, fraction], 'raycast')
      for (const [axis, name] of ['x', 'y', 'z'].slice(0, state.dimensions).entries()) {
        assert.is(hit[`normal${name.toUpperCase()}`], normal[axis])
        assert.is(hit[name], from[axis] + fraction * (to[axis] - from[axis]))
      }
    }
  },

  many(random, state) {
    const { dimensions, model, trees } = state
    const n = pick(random, [0, 1, 7, 40])
    const items = Array.from({ length: 2 * n }, () => drawPlace(random, state))
    const points = Float32Array.from(items.slice(0, n).flat())
    const segments = Float32Array.from(items.flat())
    const radius = drawRadius(random, state, items[0] ?? new Array(dimensions).fill(0))
    const options = drawOptions(random, state)
    const k = integer(random, 5)
    const filters = drawFilters(random, n, radius)
    const placeOf = (i) => points.subarray(i * dimensions, (i + 1) * dimensions)
    const endsOf = (i) => segments.subarray(2 * i * dimensions, 2 * (i + 1) * dimensions)
    for (const tree of trees) {
      const circles = tree.withinMany(points, radius, options)
      const rows = rowsOf(circles, n)
      assert.is(
        circles.total,
        rows.reduce((sum, row) => sum + row.length, 0),
      )
      rows.forEach((row, i) => {
        assertSame(row, tree.within(...placeOf(i), radius, options), 'withinMany')
        assertSame(row.slice().sort(), list.within(model, placeOf(i), radius, options).ids)
      })
      rowsOf(tree.rangeMany(segments, options), n).forEach((row, i) => {
        assertSame(row, tree.range(...endsOf(i), options), 'rangeMany')
        const [one, other] = [endsOf(i).subarray(0, dimensions), endsOf(i).subarray(dimensions)]
        const lo = one.map((x, axis) => Math.min(x, other[axis]))
        const hi = one.map((x, axis) => Math.max(x, other[axis]))
        assertSame(row.slice().sort(), list.range(model, lo, hi, options).ids)
      })
      const near = tree.nearestMany(points, { k, ...options })
      for (let i = 0; i < n; i++) {
        const expected = list.neighbors(model, placeOf(i), k, options)
        const [begin, end] = [i * k, i * k + near.counts[i]]
        assertSame(near.ids.subarray(begin, end), expected.ids, 'nearestMany')
        assertSame(near.distances2.subarray(begin, end), expected.distances2, 'nearestMany')
      }
      const { ids, fractions } = tree.raycastMany(segments, { ...options, ...filters })
      assertSame([ids.length, fractions.length], [n, n])
      for (let i = 0; i < n; i++) {
        const [from, to] = [endsOf(i).subarray(0, dimensions), endsOf(i).subarray(dimensions)]
        const own = { ...options }
        for (const name in filters) own[name] = filters[name][i]
        const { id, fraction } = list.raycast(model, from, to, own) ?? { id: -1, fraction: 1 }
        assertSame([ids[i], fractions[i]], [id, fraction], 'raycastMany')
      }
    }
  },

  pairs(random, state) {
    const options = random() < 0.3 ? { mask: pick(random, MASKS) } : {}
    const expected = list.pairs(state.model, options)
    const pairs = state.trees[0].pairs(options).slice()
    assertSame(state.trees[1].pairs(options), pairs, 'pairs')
    const outPairs = new Uint32Array(expected.length + 3)
    const total = callBoth(state, (tree) => tree.pairsInto(outPairs, options))
    assert.is(total, expected.length / 2)
    assertSame(outPairs.subarray(0, pairs.length), pairs, 'pairsInto')
    assert.is(pairs.length, expected.length)
    const rows = []
    for (let i = 0; i < pairs.length; i += 2) rows.push([pairs[i], pairs[i + 1]])
    for (let i = 1; i < rows.length; i++) assert.ok(rows[i - 1][0] <= rows[i][0], 'ascending a')
    rows.sort((one, other) => one[0] - other[0] || one[1] - other[1])
    assertSame(rows.flat(), expected, 'pairs')
  },
}

function playSequence(drawn, dimensions) {
  const state = start(drawn, dimensions)
  try {
    for (const { name, seed } of drawn.operations) {
      const random = createRandom(seed)
      operations[name](random, state)
      checkState(state)
      queries[pick(random, Object.keys(queries))](random, state)
      queries[pick(random, Object.keys(queries))](random, state)
    }
    const random = createRandom(drawn.operations.length)
    for (const query of Object.values(queries)) query(random, state)
    for (const tree of state.trees) {
      for (const slot of list.usedIds(state.model)) tree.remove(slot)
      assert.ok(tree.validate())
      assert.is(tree.stats().nodes, 1)
    }
  } finally {
    for (const tree of state.trees) tree.dispose()
  }
}

export function testSequences() {
  const test = suite('Quadtree and Octree, sequences of changes')
  test.before(createInstances)

  for (const dimensions of [2, 3])
    test(`${NAMES[dimensions]} returns what a list returns, in ${RUNS} sequences`, () => {
      forAll(drawnSequence, RUNS, (drawn) => playSequence(drawn, dimensions))
    })

  for (const dimensions of [2, 3])
    test(`${NAMES[dimensions]} returns what a list returns, on every spread`, () => {
      for (const spread of SPREADS)
        for (const world of Object.keys(WORLDS)) {
          const random = createRandom(spread.length)
          const shape = { capacity: 60, looseness: 1.25, leafSize: 4, maxDepth: 12 }
          const drawn = { world, row: 'mixture', items: 'mixture', ...shape }
          const state = start(drawn, dimensions)
          load(state, drawSpread(random, state, spread))
          operations.groups(random, state)
          operations.thin(random, state)
          checkState(state)
          for (let i = 0; i < 3; i++)
            for (const query of Object.values(queries)) query(random, state)
          for (const tree of state.trees) tree.dispose()
        }
    })

  test.run()
}
