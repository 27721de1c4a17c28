// The quadtree and the octree against a plain list, under drawn sequences of changes that are played to
// both cores at once: after each change the trees must be sound, answer as the list does, both in the same
// order, and have the cells of a new tree.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import * as list from './box-oracle.js'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, thrown } from './indexes.js'
import { createRandom, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(520)

const { fround } = Math
const NAMES = { 2: 'Quadtree', 3: 'Octree' }
const libraries = [simd, scalar]
const instances = []

async function createInstances() {
  for (const [i, library] of libraries.entries()) instances[i] = await library.create()
}

// ---- Sequences: what is drawn ----

/** From, to, along every axis. */
const WORLDS = {
  plain: [-8, 8],
  corner: [0, 1000],
  tiny: [1, 1 + 2 ** -20], // a few floats wide: cells end between neighbors
  denormal: [0, 2 ** -140],
  huge: [-1e18, 1e18],
  shifted: [1e6, 1e6 + 64],
}

/** By row: one side of a box, of any size where `size` is drawn. */
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

const OPERATIONS = [
  ...['add', 'add', 'fill', 'fill', 'fill', 'addAt', 'move', 'move', 'moveFew', 'moveMany'],
  ...['moveFew', 'remove', 'remove', 'thin', 'groups', 'restore', 'clear', 'reserve', 'wrong'],
  'load',
]

const drawnSequence = fc.record({
  world: fc.constantFrom(...Object.keys(WORLDS)),
  row: fc.constantFrom(...Object.keys(ROWS), 'straddling', 'mixture', 'anywhere'),
  items: fc.constantFrom('points', 'boxes', 'mixture'),
  capacity: fc.constantFrom(1, 5, 24, 60, 200),
  looseness: fc.constantFrom(1, 1.25, 2, 16),
  leafSize: fc.constantFrom(0, 1, 2, 4, 12, 100),
  maxDepth: fc.oneof(fc.constant(8), fc.integer({ min: 0, max: 24 })),
  // Each with a seed of its own: to drop one does not change what the others draw.
  operations: fc.array(
    fc.record({ what: fc.constantFrom(...OPERATIONS), seed: fc.noBias(fc.nat()) }),
    { minLength: 1, maxLength: 20, size: 'max' },
  ),
})

// ---- Sequences: how they are played ----

/** The trees of both cores, and the list that they must agree with. */
function start(drawn, dimensions) {
  const [lo, hi] = WORLDS[drawn.world].map(fround)
  const bounds = [...new Array(dimensions).fill(lo), ...new Array(dimensions).fill(hi)]
  const { capacity, looseness, leafSize, maxDepth } = drawn
  const options = { bounds, capacity, looseness, leafSize, maxDepth }
  const play = {
    ...{ dimensions, options, items: drawn.items, row: drawn.row },
    world: { lo, side: hi - lo },
    model: list.createList(dimensions, capacity),
    trees: [],
  }
  play.trees = libraries.map((library, i) => make(play, i))
  return play
}

/** An empty tree of core `i`. */
function make({ dimensions, options }, i, capacity = options.capacity) {
  return new libraries[i][NAMES[dimensions]]({ ...options, capacity, instance: instances[i] })
}

/** A call of both trees; both give the same. */
function both({ trees }, call) {
  const [one, other] = trees.map(call)
  assert.is(one, other)
  return one
}

/** What both trees throw. */
function bothThrow({ trees }, call, what) {
  for (const tree of trees) {
    const error = thrown(() => call(tree))
    assert.is(error.code ?? error.name, what, String(error))
  }
}

function putInModel({ model }, slot, box) {
  list.boxOf(model, slot).set(box.map((x) => x + 0)) // -0 becomes 0
}

/** Each changes trees and list alike. */
const operations = {
  add(random, play) {
    const { dimensions, model } = play
    const box = drawBox(random, play)
    const slot = list.lowestFree(model)
    if (slot < 0) return bothThrow(play, (tree) => tree.add(...box), 'FULL')
    const lo = box.subarray(0, dimensions)
    const asPoint = lo.every((x, axis) => x === box[dimensions + axis])
    const given = asPoint && random() < 0.5 ? lo : box
    assert.is(
      both(play, (tree) => tree.add(...given)),
      slot,
      'the lowest free slot',
    )
    model.generations[slot]++
    putInModel(play, slot, box)
  },

  fill(random, play) {
    const more = integer(random, play.options.capacity) / 2 + 1
    for (let i = 0; i < more && list.lowestFree(play.model) >= 0; i++) operations.add(random, play)
  },

  addAt(random, play) {
    const { model, options } = play
    const slot = integer(random, options.capacity + 2)
    const box = drawBox(random, play)
    const add = (tree) => tree.addAt(slot, ...box)
    if (slot >= options.capacity) return bothThrow(play, add, 'FULL')
    if (list.isUsed(model, slot)) return bothThrow(play, add, 'RangeError')
    both(play, add)
    model.generations[slot]++
    putInModel(play, slot, box)
  },

  move(random, play) {
    const { model, options } = play
    const slot = integer(random, options.capacity + 1)
    const box = drawBox(random, play)
    const move = (tree) => tree.move(slot, ...box)
    if (!list.isUsed(model, slot)) return bothThrow(play, move, 'STALE_SLOT')
    both(play, move)
    putInModel(play, slot, box)
  },

  moveFew: (random, play) => moveAll(random, play, 0.1),
  moveMany: (random, play) => moveAll(random, play, 1),

  load(random, play) {
    const { dimensions, model, options, trees } = play
    const count = integer(random, options.capacity + 1)
    const boxes = Array.from({ length: count }, () => drawBox(random, play))
    for (const tree of trees)
      for (const [id, box] of boxes.entries()) tree.boxes.set(box, id * 2 * dimensions)
    both(play, (tree) => tree.load(count))
    for (let id = 0; id < options.capacity; id++) {
      if (list.isUsed(model, id)) model.generations[id]++
      if (id < count) model.generations[id]++
    }
    for (const [id, box] of boxes.entries()) putInModel(play, id, box)
  },

  remove(random, play) {
    const { model, options } = play
    const slot = integer(random, options.capacity + 1)
    if (random() < 0.3)
      // what lies in `boxes` does not count
      for (const tree of play.trees) tree.boxes.fill(NaN, slot * 2 * play.dimensions)
    const remove = (tree) => tree.remove(slot)
    if (list.isUsed(model, slot)) {
      both(play, remove)
      model.generations[slot]++
    } else bothThrow(play, remove, 'STALE_SLOT')
    for (const tree of play.trees) tree.boxes.set(model.boxes)
  },

  thin(random, play) {
    for (const slot of list.usedIds(play.model)) {
      if (random() < 0.3) continue
      both(play, (tree) => tree.remove(slot))
      play.model.generations[slot]++
    }
  },

  groups(random, play) {
    // Those of slots that were never used are not in a snapshot.
    for (const [slot, generation] of play.model.generations.entries())
      if (generation > 0 && random() < 0.5) {
        const group = pick(random, [0, 1, 2, 6, 0x80000000, integer(random, 2 ** 32)])
        for (const { groups } of [play.model, ...play.trees]) groups[slot] = group
      }
  },

  clear(random, play) {
    both(play, (tree) => tree.clear())
    for (const slot of list.usedIds(play.model)) play.model.generations[slot]++
  },

  reserve(random, play) {
    const capacity = integer(random, play.options.capacity + 30) + 1
    for (const tree of play.trees) tree.reserve(capacity)
    if (capacity <= play.options.capacity) return
    play.options.capacity = capacity
    play.model = list.grown(play.model, capacity)
  },

  /** One goes on as it was, the other where a snapshot, of either core, leaves it. */
  restore(random, play) {
    const { options, trees } = play
    const saved = trees[0].save()
    assertSame(trees[1].save(), saved, 'a snapshot is the same of both cores')
    const bad = saved.slice()
    bad[integer(random, bad.length)] ^= 1 << integer(random, 8)
    bothThrow(play, (tree) => tree.restore(bad), 'BAD_SNAPSHOT')
    if (random() < 0.3) trees[1].clear()
    if (random() < 0.5) {
      trees[1].dispose()
      trees[1] = make(play, 1)
    }
    trees[1].restore(saved)
    if (trees[0].stats().unsplit > 0) trees[0].restore(saved)
    else assertSame(trees[1].save(), saved, 'a restored tree saves the same')
    if (random() < 0.3) {
      const larger = make(play, 0, options.capacity + 7)
      larger.restore(saved)
      assert.ok(larger.validate())
      assert.is(larger.count, trees[0].count)
      larger.dispose()
    }
  },

  wrong(random, play) {
    const { dimensions } = play
    const box = drawBox(random, play)
    const slot = list.usedIds(play.model)[0] ?? 0
    box[integer(random, 2 * dimensions)] = pick(random, [NaN, Infinity, -Infinity, 1.1e18])
    for (const call of ['add', 'addAt', 'move'])
      bothThrow(play, (tree) => tree[call](...(call === 'add' ? [] : [slot]), ...box), 'RangeError')
    // Neither a point nor a box.
    const some = new Array(pick(random, [0, 1, 2 * dimensions - 1, 2 * dimensions + 2])).fill(1)
    for (const call of ['add', 'addAt', 'move'])
      if (some.length !== dimensions)
        bothThrow(
          play,
          (tree) => tree[call](...(call === 'add' ? [] : [slot]), ...some),
          'TypeError',
        )
  },
}

/** A part of the boxes is written anew; sometimes one of them is none. */
function moveAll(random, play, part) {
  const { dimensions, model, trees } = play
  const used = list.usedIds(model)
  const changed = new Map()
  for (const id of used) if (random() < part) changed.set(id, drawBox(random, play))
  const badSlot = random() < 0.2 ? (pick(random, used) ?? -1) : -1
  if (badSlot >= 0) {
    const box = drawBox(random, play)
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
  both(play, (tree) => tree.moveAll())
  for (const [id, box] of changed) putInModel(play, id, box)
}

// ---- Sequences: what must hold after each operation ----

function checkState(play) {
  const { dimensions, model, options, trees } = play
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
  checkCells(play, ids, unsplit)
}

/** The cells are those of a new tree that is given the same items in another order. */
function checkCells(play, ids, unsplit) {
  const cells = play.trees[0].cells()
  assertSame(play.trees[1].cells(), cells, 'cells')
  const fresh = make(play, 0)
  for (const id of ids.toReversed()) fresh.addAt(id, ...list.boxOf(play.model, id))
  if (unsplit === 0 && fresh.stats().unsplit === 0)
    assertSame(fresh.cells(), cells, 'the cells of a new tree')
  fresh.dispose()
}

/** A place: at a corner of an item, in it, near it, or anywhere. */
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

/** A radius, with an item exactly or nearly on the border where it can be. */
function drawRadius(random, { model, world }, center) {
  const kind = pick(random, ['0', 'Infinity', 'part', 'border', 'border', 'border'])
  const id = pick(random, list.usedIds(model))
  if (kind === '0') return random() < 0.5 ? 0 : 1e-30
  if (kind === 'Infinity') return random() < 0.5 ? Infinity : 1e20
  if (kind === 'part' || id === undefined) return random() * world.side
  const far2 = list.distance2(model, list.boxOf(model, id), Float32Array.from(center))
  return fround(Math.sqrt(far2)) * pick(random, [1, 1, 1 - 2 ** -23, 1 + 2 ** -23])
}

const MASKS = [0, 1, 5, 2, 0x80000000, ~1, -1, 2 ** 32 - 1]

function drawOptions(random, play, sorts = []) {
  const options = {}
  if (sorts.length && random() < 0.3) options.sort = pick(random, sorts)
  if (random() < 0.3) options.mask = pick(random, MASKS)
  if (random() < 0.3) options.exclude = pick(random, [...list.usedIds(play.model), -1, 2 ** 28])
  return options
}

/** For what has no order. */
const withoutSort = ({ sort, ...options }) => options

const out = new Uint32Array(512)
const distances2 = new Float32Array(512)

/** A query for ids: the same in the same order from both, and the right ones. */
function checkIds(random, play, method, geometry, options, expected, isOrdered) {
  const ids = play.trees[0][method](...geometry, options).slice()
  const { visits } = play.trees[0].stats()
  const sorts = isOrdered || options.sort === 'distance' || options.sort === 'id'
  assertSame(sorts ? ids : ids.slice().sort(), expected.ids, method)
  const at = new Map(expected.ids.map((id, i) => [id, expected.distances2?.[i]]))
  for (const tree of play.trees) {
    assertSame(tree[method](...geometry, options), ids, method)
    assert.is(tree.stats().visits, visits)
    const room = random() < 0.5 ? ids.length + 2 : integer(random, ids.length + 1)
    const into = out.subarray(0, room).fill(0xdeadbeef)
    const far2 = distances2.subarray(0, room).fill(-1)
    const given = expected.distances2 ? { ...options, distances2: far2 } : options
    assert.is(tree[`${method}Into`](...geometry, into, given), ids.length)
    for (let i = 0; i < room; i++) {
      assert.is(into[i], i < ids.length ? ids[i] : 0xdeadbeef)
      if (given !== options) assert.is(far2[i], i < ids.length ? at.get(ids[i]) : -1)
    }
  }
}

const queries = {
  range(random, play) {
    const [one, other] = [drawPlace(random, play), drawPlace(random, play)]
    const reach = pick(random, [0, 0, random() * play.world.side, Infinity])
    const lo = one.map((x, axis) => Math.min(x, other[axis]) - reach)
    const hi = one.map((x, axis) => Math.max(x, other[axis]) + (random() < 0.9 ? reach : 1e30))
    const options = drawOptions(random, play, ['none', 'id'])
    const expected = list.range(play.model, lo, hi, options)
    checkIds(random, play, 'range', [...lo, ...hi], options, expected)
    assert.is(
      both(play, (tree) => tree.countRange(...lo, ...hi, withoutSort(options))),
      expected.ids.length,
    )
  },

  at(random, play) {
    const point = drawPlace(random, play)
    const options = drawOptions(random, play, ['none', 'id'])
    const expected = list.range(play.model, point, point, options)
    checkIds(random, play, 'at', point, options, expected)
  },

  within(random, play) {
    const center = drawPlace(random, play)
    const radius = drawRadius(random, play, center)
    const options = drawOptions(random, play, ['none', 'id', 'distance'])
    const expected = list.within(play.model, center, radius, options)
    checkIds(random, play, 'within', [...center, radius], options, expected)
    const count = expected.ids.length
    assert.is(
      both(play, (tree) => tree.countWithin(...center, radius, withoutSort(options))),
      count,
    )
    assert.is(
      both(play, (tree) => tree.anyWithin(...center, radius, withoutSort(options))),
      count > 0,
    )
  },

  neighbors(random, play) {
    const { model } = play
    const center = drawPlace(random, play)
    const count = list.usedIds(model).length
    const k = pick(random, [0, 1, 2, integer(random, 12), count, count + 3, 2 ** 32 + 5])
    const options = drawOptions(random, play)
    if (random() < 0.5) options.maxDistance = drawRadius(random, play, center)
    const expected = list.neighbors(model, center, k, options)
    checkIds(random, play, 'neighbors', [...center, k], options, expected, true)
    const nearest = list.neighbors(model, center, 1, options).ids[0] ?? -1
    assert.is(
      both(play, (tree) => tree.nearest(...center, options)),
      nearest,
    )
  },

  raycast(random, play) {
    const [from, to] = [drawPlace(random, play), drawPlace(random, play)]
    if (random() < 0.3) to[0] = from[0] // along an axis, or no way at all
    if (random() < 0.2) to.splice(0, to.length, ...from)
    const options = drawOptions(random, play)
    const expected = list.raycast(play.model, from, to, options)
    for (const tree of play.trees) {
      const hit = tree.raycast(...from, ...to, options)
      if (!expected) {
        assert.is(hit, null)
        continue
      }
      const { id, fraction, normal } = expected
      assertSame([hit.id, hit.fraction], [id, fraction], 'raycast')
      for (const [axis, name] of ['x', 'y', 'z'].slice(0, play.dimensions).entries()) {
        assert.is(hit[`normal${name.toUpperCase()}`], normal[axis])
        assert.is(hit[name], from[axis] + fraction * (to[axis] - from[axis]))
      }
    }
  },

  pairs(random, play) {
    const options = random() < 0.3 ? { mask: pick(random, MASKS) } : {}
    const expected = list.pairs(play.model, options)
    const found = play.trees[0].pairs(options).slice()
    assertSame(play.trees[1].pairs(options), found, 'pairs')
    const into = new Uint32Array(expected.length + 3)
    const total = both(play, (tree) => tree.pairsInto(into, options))
    assert.is(total, expected.length / 2)
    assertSame(into.subarray(0, found.length), found, 'pairsInto')
    assert.is(found.length, expected.length)
    const rows = []
    for (let i = 0; i < found.length; i += 2) rows.push([found[i], found[i + 1]])
    for (let i = 1; i < rows.length; i++) assert.ok(rows[i - 1][0] <= rows[i][0], 'by ascending a')
    rows.sort((one, other) => one[0] - other[0] || one[1] - other[1])
    assertSame(rows.flat(), expected, 'pairs')
  },
}

function playSequence(drawn, dimensions) {
  const play = start(drawn, dimensions)
  try {
    for (const { what, seed } of drawn.operations) {
      const random = createRandom(seed)
      operations[what](random, play)
      checkState(play)
      queries[pick(random, Object.keys(queries))](random, play)
      queries[pick(random, Object.keys(queries))](random, play)
    }
    const random = createRandom(drawn.operations.length)
    for (const query of Object.values(queries)) query(random, play)
    for (const tree of play.trees) {
      for (const slot of list.usedIds(play.model)) tree.remove(slot)
      assert.ok(tree.validate())
      assert.is(tree.stats().nodes, 1)
    }
  } finally {
    for (const tree of play.trees) tree.dispose()
  }
}

export function testSequences() {
  const test = suite('Quadtree and Octree, sequences of changes')
  test.before(createInstances)

  for (const dimensions of [2, 3])
    test(`${NAMES[dimensions]} agrees with a list, ${RUNS} times`, () => {
      forAll(drawnSequence, RUNS, (drawn) => playSequence(drawn, dimensions))
    })

  test.run()
}
