// Compares the slots of an index of any kind with a plain model: agents are added, removed and moved, all at
// once or one by one, with builds, snapshots and reserves in between. Queries must return the last build.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, bits, className, maker, ROW, ROW_3D, thrown } from './indexes.js'
import * as oracle from './point-oracle.js'
import { createRandom, integer, pick } from '../../../web/random.js'

const RUNS = runsOf(150)
const STEPS = 40

// ---- The model ----

function createModel(dimensions, capacity) {
  return {
    dimensions,
    capacity,
    slots: 0,
    generations: new Uint32Array(capacity),
    groups: new Uint32Array(capacity),
    positions: new Float32Array(capacity * dimensions),
    /** The agents of the last build, for the oracle. */
    built: null,
  }
}

const isUsed = (model, slot) => (model.generations[slot] & 1) === 1
const usedOf = (model) =>
  Array.from({ length: model.slots }, (_, slot) => slot).filter((slot) => isUsed(model, slot))

function lowestFree({ capacity, generations }) {
  for (let slot = 0; slot < capacity; slot++) if (generations[slot] % 2 === 0) return slot
  return -1
}

function take(model, slot) {
  model.generations[slot]++
  model.groups[slot] = 1
}

function free(model, slot) {
  model.generations[slot]++
  model.groups[slot] = 0
}

function setSlots(model, slots) {
  for (let slot = 0; slot < Math.max(slots, model.slots); slot++)
    if (slot < slots && !isUsed(model, slot)) take(model, slot)
    else if (slot >= slots && isUsed(model, slot)) free(model, slot)
  model.slots = slots
}

/** Clears the groups of free slots, as a build does. */
function hideFree(model) {
  for (let slot = 0; slot < model.slots; slot++) if (!isUsed(model, slot)) model.groups[slot] = 0
}

/** Returns a copy of the agents, as a build keeps it. */
function agentsOf({ dimensions, groups, positions, slots: count }) {
  return { dimensions, count, groups: groups.slice(), positions: positions.slice() }
}

function copyOf(model) {
  const { generations, groups, positions } = model
  const arrays = [generations, groups, positions].map((array) => array.slice())
  return { ...model, generations: arrays[0], groups: arrays[1], positions: arrays[2] }
}

function grow(model, capacity) {
  for (const [name, width] of [
    ['generations', 1],
    ['groups', 1],
    ['positions', model.dimensions],
  ]) {
    const larger = new model[name].constructor(capacity * width)
    larger.set(model[name])
    model[name] = larger
  }
  model.capacity = capacity
}

// ---- Steps ----

const NOT_FINITE = [NaN, Infinity, -1.1e18]

const place = (random, dimensions) =>
  Array.from({ length: dimensions }, () => integer(random, 33) / 2 - 8)

/** Writes a position into the index's buffers and the model. */
function write({ index, layout, model }, slot, position) {
  const { dimensions } = model
  model.positions.set(position, slot * dimensions)
  if (layout === 'interleaved') index.positions.set(position, slot * dimensions)
  else
    [index.xs, index.ys, index.zs].slice(0, dimensions).forEach((xs, i) => (xs[slot] = position[i]))
}

/** Draws a slot: an agent's, a free one, or one beyond the capacity. */
function drawSlot(random, model) {
  const used = usedOf(model)
  return used.length && random() < 0.8
    ? pick(random, used)
    : pick(random, [
        integer(random, model.capacity),
        model.capacity,
        model.capacity + 7,
        2 ** 32 - 1,
      ])
}

/** By name: each changes the index and the model in the same way. */
const steps = {
  add(state, random) {
    const { index, model, name } = state
    const position = place(random, model.dimensions)
    const slot = lowestFree(model)
    if (slot < 0) {
      const { capacity } = model
      const error = thrown(() => index.add(...position))
      const text = `${name}.add: ${capacity + 1} agents, capacity ${capacity}: `
      assert.equal([error.code, error.message], ['FULL', `${text}reserve(${capacity + 1}) first`])
      return
    }
    assert.is(index.add(...position), slot)
    take(model, slot)
    model.positions.set(position, slot * model.dimensions)
    model.slots = Math.max(model.slots, slot + 1)
  },

  move({ index, model, name }, random) {
    const position = place(random, model.dimensions)
    const slot = drawSlot(random, model)
    if (isUsed(model, slot)) {
      assert.is(index.move(slot, ...position), undefined)
      model.positions.set(position, slot * model.dimensions)
      return
    }
    const error = thrown(() => index.move(slot, ...position))
    const text = `${name}.move: the slot is not in use: ${slot}`
    assert.equal([error.code, error.message], ['STALE_SLOT', text])
  },

  remove({ index, model, name }, random) {
    const slot = drawSlot(random, model)
    if (isUsed(model, slot)) {
      index.remove(slot)
      free(model, slot)
      return
    }
    const error = thrown(() => index.remove(slot))
    const text = `${name}.remove: the slot is not in use: ${slot}`
    assert.equal([error.code, error.message], ['STALE_SLOT', text])
  },

  slots(state, random) {
    const { index, model, name } = state
    const { capacity, dimensions } = model
    const slots = random() < 0.1 ? capacity + 1 + integer(random, 9) : integer(random, capacity + 1)
    if (slots > capacity) {
      const error = thrown(() => void (index.slots = slots))
      const text = `${name}.slots: ${slots} agents, capacity ${capacity}: `
      assert.equal([error.code, error.message], ['FULL', `${text}reserve(${slots}) first`])
      return
    }
    index.slots = slots
    setSlots(model, slots)
    const isFinite = (x) => Math.abs(x) <= 1e18
    for (let slot = 0; slot < slots; slot++)
      if (!model.positions.subarray(slot * dimensions, (slot + 1) * dimensions).every(isFinite))
        write(state, slot, place(random, dimensions))
  },

  clear({ index, model }, random) {
    if (random() < 0.7) return
    index.clear()
    setSlots(model, 0)
  },

  /** Writes positions of agents, and groups of any slot. */
  write(state, random) {
    const { index, model } = state
    for (const slot of usedOf(model))
      if (random() < 0.5) write(state, slot, place(random, model.dimensions))
    for (let i = 0; i < 3; i++) {
      const slot = integer(random, model.capacity)
      index.groups[slot] = model.groups[slot] = integer(random, 4)
    }
  },

  /** Writes bad positions into free slots: they must not matter. */
  writeFree(state, random) {
    const { model } = state
    for (let slot = 0; slot < model.capacity; slot++)
      if (!isUsed(model, slot) && random() < 0.3)
        write(state, slot, new Array(model.dimensions).fill(pick(random, NOT_FINITE)))
  },

  build({ index, model }) {
    hideFree(model)
    index.build()
    model.built = agentsOf(model)
  },

  /** Writes a position that no build accepts: the last build stays. */
  buildOfBad(state, random) {
    const { index, model } = state
    const used = usedOf(model).filter((slot) => model.groups[slot] !== 0)
    if (used.length === 0) return
    const slot = pick(random, used)
    const before = model.positions.slice(slot * model.dimensions, (slot + 1) * model.dimensions)
    write(state, slot, before.with(0, pick(random, NOT_FINITE)))
    const error = thrown(() => index.build())
    assert.equal([error.code, error.index], ['NOT_FINITE', slot])
    assert.is(thrown(() => index.save()).code, 'NOT_FINITE')
    hideFree(model)
    write(state, slot, before)
  },

  save(state) {
    const { index, model } = state
    hideFree(model)
    state.saved.push({ bytes: index.save(), model: copyOf(model) })
  },

  restore(state, random) {
    const { index, model, name, saved } = state
    if (saved.length === 0) return
    const { bytes, model: savedModel } = pick(random, saved)
    const ever = savedModel.generations.findLastIndex((generation) => generation > 0) + 1
    const needed = Math.max(ever, savedModel.built?.count ?? 0)
    if (needed > model.capacity) {
      const error = thrown(() => index.restore(bytes))
      assert.is(error.code, 'FULL')
      const text = `${name}.restore: ${needed} agents, `
      const { capacity } = model
      assert.is(error.message, `${text}capacity ${capacity}: reserve(${needed}) first`)
      return
    }
    index.restore(bytes)
    const { dimensions, slots } = savedModel
    model.generations.fill(0)
    model.generations.set(savedModel.generations.subarray(0, ever))
    model.groups.fill(0)
    model.groups.set(savedModel.groups.subarray(0, slots))
    model.positions.set(savedModel.positions.subarray(0, slots * dimensions))
    model.slots = slots
    model.built = savedModel.built
  },

  /** Continues with another index: the other core, the other layout, a larger capacity. */
  moveOver(state, random) {
    if (random() < 0.6) return
    const { model, other, saved } = state
    steps.save(state)
    const { bytes } = saved.at(-1)
    state.index.dispose()
    const capacity = model.capacity + integer(random, 9)
    state.layout = state.layout === 'separate' ? 'interleaved' : 'separate'
    state.index = other(capacity, state.layout)
    state.index.restore(bytes)
    const { slots } = model
    model.groups.fill(0, slots)
    model.positions.fill(0, slots * model.dimensions)
    grow(model, capacity)
  },

  reserve({ index, model }, random) {
    if (random() < 0.6) return
    const capacity = 1 + integer(random, model.capacity + 20)
    const options = pick(random, [
      [],
      [{}],
      [{ results: integer(random, 50), k: integer(random, 4) }],
    ])
    index.reserve(capacity, ...options)
    if (capacity > model.capacity) grow(model, capacity)
  },
}

/** Checks the index's properties, arrays and `has`. */
function checkSlots({ index, layout, model }, random) {
  const { capacity, dimensions, generations, groups, positions, slots } = model
  const used = usedOf(model)
  assert.is(index.capacity, capacity)
  assert.is(index.slots, slots)
  assert.is(index.count, used.length)
  assertSame(index.generations, generations, 'generations')
  assertSame(index.groups, groups, 'groups')
  for (let i = 0; i < 4; i++) {
    const slot = integer(random, capacity + 2)
    assert.is(index.has(slot), isUsed(model, slot))
  }
  const indexPositions =
    layout === 'interleaved'
      ? index.positions
      : Float32Array.from(
          { length: capacity * dimensions },
          (_, i) => [index.xs, index.ys, index.zs][i % dimensions][Math.floor(i / dimensions)],
        )
  assertSame(bits(indexPositions), bits(positions), 'positions')
}

/** Checks that queries and batches return the last build. */
function checkQueries({ index, model }, random) {
  const { built, dimensions } = model
  const center = place(random, dimensions)
  const radius = 1 + integer(random, 6)
  if (!built) {
    for (const call of [
      () => index.within(...center, radius),
      () => index.nearest(...center),
      () => index.allWithin(radius),
      () => index.pairs(),
    ])
      assert.is(thrown(call).code, 'NOT_BUILT')
    assert.is(index.stats().agents, 0)
    return
  }
  const options = { sort: 'distance' }
  if (random() < 0.3) options.mask = integer(random, 4)
  const ids = index.within(...center, radius, options)
  assertSame(ids, oracle.within(built, center, radius, options).ids, 'within')
  assert.is(index.nearest(...center), oracle.nearest(built, center))
  const { agents } = index.stats()
  const present = Array.from({ length: built.count }, (_, id) => id).filter((id) =>
    oracle.isPresent(built, id),
  )
  assert.is(agents, present.length)
  const rows = index.allWithin(radius)
  const positionOf = (id) => built.positions.subarray(id * dimensions, (id + 1) * dimensions)
  for (let id = 0; id < Math.max(model.slots, built.count); id++) {
    const row = rows.ids.slice(rows.offsets[id], rows.offsets[id] + rows.counts[id]).sort()
    const expected =
      id < built.count && oracle.isPresent(built, id)
        ? oracle.within(built, positionOf(id), radius, { exclude: id }).ids
        : []
    assertSame(row, expected, `row of ${id}`)
  }
}

function play(drawn, dimensions, makers, optionsOf) {
  const random = createRandom(drawn.seed)
  const capacity = drawn.capacity
  const kindOptions = optionsOf(drawn.options, {
    dimensions,
    count: 0,
    groups: new Uint32Array(capacity),
    positions: new Float32Array(capacity * dimensions),
  })
  let turn = integer(random, 2)
  const other = (capacity, layout) =>
    makers[turn++ % 2].empty(dimensions, { ...kindOptions, capacity, layout })
  const state = {
    index: other(capacity, drawn.layout),
    layout: drawn.layout,
    model: createModel(dimensions, capacity),
    name: makers[0].nameIn(dimensions),
    saved: [],
    other,
  }
  const names = Object.keys(steps)
  const often = ['add', 'add', 'add', 'remove', 'move', 'build', 'build', 'write']
  const played = []
  try {
    for (let i = 0; i < drawn.steps; i++) {
      const name = pick(random, [...names, ...often])
      played.push(name)
      steps[name](state, random)
      checkSlots(state, random)
      if (name === 'build' || random() < 0.3) checkQueries(state, random)
    }
    assert.ok(state.index.validate())
  } catch (error) {
    error.message = `${played.join(' ')}: ${error.message}`
    throw error
  } finally {
    state.index.dispose()
  }
}

/** Creates a suite for a kind. `drawnOptions` draws options, `optionsOf` adapts them to the agents. */
export function testSlots(kind, { drawnOptions, optionsOf }) {
  const makers = [simd, scalar].map((library) => ({
    ...maker(library, kind),
    nameIn: (dimensions) => className(kind, dimensions),
  }))
  const { built, empty, unbuilt, assertCode, assertThrown } = makers[0]
  const test = suite(`slots of ${kind}`)
  test.before(() => Promise.all(makers.map(({ start }) => start())))

  const drawnCase = fc.record({
    capacity: fc.integer({ min: 1, max: 30 }),
    steps: fc.integer({ min: 1, max: STEPS }),
    seed: fc.noBias(fc.nat()),
    layout: fc.constantFrom('interleaved', 'separate'),
    options: drawnOptions,
  })

  for (const dimensions of [2, 3])
    test(`behave like those of a plain list, in ${dimensions}D`, () => {
      forAll(drawnCase, RUNS, (drawn) => play(drawn, dimensions, makers, optionsOf))
    })

  test('are reused lowest first, also among thousands', () => {
    const index = empty(2, { capacity: 5000 })
    for (let i = 0; i < 5000; i++) assert.is(index.add(i % 100, i / 100), i)
    assertCode(() => index.add(0, 0), 'FULL')
    const random = createRandom(4)
    const free = new Set()
    for (let i = 0; i < 3000; i++) {
      const slot = integer(random, 5000)
      if (free.has(slot)) assertCode(() => index.remove(slot), 'STALE_SLOT')
      else index.remove(slot)
      free.add(slot)
    }
    assert.is(index.count, 5000 - free.size)
    assert.is(index.slots, 5000)
    index.build()
    assert.is(index.stats().agents, index.count)
    assert.is(index.countWithin(50, 50, 500), index.count)
    for (const slot of [...free].sort((a, b) => a - b)) assert.is(index.add(1, 1), slot)
    assert.is(index.countWithin(50, 50, 500), 5000 - free.size, 'as in the last build')
    index.build()
    assert.is(index.countWithin(50, 50, 500), 5000)
    assert.is(index.generations.filter((generation) => generation === 3).length, free.size)
    index.dispose()
  })

  test('that become agents get group 1; agents keep their groups', () => {
    const index = empty(2, { capacity: 6 })
    assert.equal([...index.groups], [0, 0, 0, 0, 0, 0])
    index.groups.fill(9)
    index.masks.fill(5)
    index.radii.fill(2)
    index.positions.fill(3)
    index.slots = 4
    assert.equal([...index.groups.subarray(0, 4)], [1, 1, 1, 1])
    index.groups.set([2, 4, 8, 16])
    index.slots = 6
    assert.equal([...index.groups], [2, 4, 8, 16, 1, 1])
    assert.equal([...index.generations], [1, 1, 1, 1, 1, 1])
    index.slots = 2
    assert.equal([...index.groups.subarray(0, 2)], [2, 4])
    index.slots = 3
    assert.equal([...index.groups.subarray(0, 3)], [2, 4, 1])
    assert.equal([...index.generations], [1, 1, 3, 2, 2, 2])
    assert.equal([...index.masks], [5, 5, 5, 5, 5, 5])
    assert.equal([...index.radii], [2, 2, 2, 2, 2, 2])
    assert.equal([...index.positions], new Array(12).fill(3))
  })

  test('that are free are in no result, whatever is written there', () => {
    const index = built(2, ROW)
    index.remove(2)
    index.groups[2] = 7
    index.positions.fill(NaN, 4, 6)
    index.radii.fill(0.5)
    index.build()
    assert.is(index.groups[2], 0)
    assert.equal([...index.within(0, 0, 99, { sort: 'id' })], [0, 1, 3, 4, 5])
    assert.equal([...index.pairs().slice().sort()], [0, 1, 3, 4, 4, 5])
    assert.is(index.allNeighbors({ k: 5 }).counts[2], 0)
    assert.is(index.stats().skipped, 0)
    assert.equal([...index.order()].sort(), [0, 1, 3, 4, 5])
  })

  test('add and move refuse a wrong number of arguments', () => {
    for (const dimensions of [2, 3]) {
      const name = className(kind, dimensions)
      const index = built(dimensions, dimensions === 2 ? ROW : ROW_3D, { capacity: 9 })
      const before = index.save()
      for (let argumentCount = 0; argumentCount < 7; argumentCount++) {
        const args = new Array(argumentCount).fill(1)
        if (argumentCount !== dimensions) {
          const { message } = thrown(() => index.add(...args))
          assert.is(message, `${name}.add: takes ${dimensions} arguments, got ${argumentCount}`)
        }
        if (argumentCount !== dimensions + 1) {
          const error = thrown(() => index.move(...args))
          assert.instance(error, TypeError)
          const text = `${name}.move: takes ${dimensions + 1} arguments, got ${argumentCount}`
          assert.is(error.message, text)
        }
      }
      assert.instance(
        thrown(() => index.add()),
        TypeError,
      )
      assert.equal(index.save(), before)
    }
  })

  // ---- Before the first build ----

  const many = (dimensions) => new Float32Array(2 * dimensions)
  const point = (dimensions, x = 0) => new Array(dimensions).fill(x)
  /** Every query of a build. */
  const QUERIES = {
    within: (index, d) => index.within(...point(d), 1),
    withinInto: (index, d) => index.withinInto(...point(d), 1, new Uint32Array(3)),
    countWithin: (index, d) => index.countWithin(...point(d), 1),
    anyWithin: (index, d) => index.anyWithin(...point(d), 1),
    range: (index, d) => index.range(...point(d), ...point(d, 1)),
    rangeInto: (index, d) => index.rangeInto(...point(d), ...point(d, 1), new Uint32Array(3)),
    countRange: (index, d) => index.countRange(...point(d), ...point(d, 1)),
    nearest: (index, d) => index.nearest(...point(d)),
    neighbors: (index, d) => index.neighbors(...point(d), 2),
    neighborsInto: (index, d) => index.neighborsInto(...point(d), 2, new Uint32Array(3)),
    cone: (index, d) => index.cone(...point(d), ...point(d, 1), 1, 1),
    coneInto: (index, d) => index.coneInto(...point(d), ...point(d, 1), 1, 1, new Uint32Array(3)),
    raycast: (index, d) => index.raycast(...point(d), ...point(d, 1)),
    raycastMany: (index, d) => index.raycastMany(many(d)),
    allWithin: (index) => index.allWithin(1),
    allNeighbors: (index) => index.allNeighbors({ k: 1 }),
    withinMany: (index, d) => index.withinMany(many(d), 1),
    nearestMany: (index, d) => index.nearestMany(many(d), { k: 1 }),
    'pairs, by radii': (index) => index.pairs(),
    pairs: (index) => index.pairs(1),
    'pairsInto, by radii': (index) => index.pairsInto(new Uint32Array(2)),
    pairsInto: (index) => index.pairsInto(1, new Uint32Array(2)),
  }
  function assertUnbuilt(index, dimensions) {
    for (const [query, call] of Object.entries(QUERIES)) {
      const error = assertCode(() => call(index, dimensions), 'NOT_BUILT')
      const method = query.split(',')[0]
      const text = `${className(kind, dimensions)}.${method}: not built yet: build first`
      assert.is(error.message, text)
    }
    assert.is(index.cells().length, 0)
    assert.is(index.order().length, 0)
    const { agents, skipped, nodes } = index.stats()
    assert.equal([agents, skipped, nodes], [0, 0, 0])
    assert.ok(index.validate())
  }
  function assertBuilt(index, dimensions) {
    for (const call of Object.values(QUERIES)) call(index, dimensions)
  }

  test('queries before the first build throw NOT_BUILT', () => {
    for (const dimensions of [2, 3]) {
      const coordinates = dimensions === 2 ? ROW : ROW_3D
      const index = unbuilt(dimensions, coordinates)
      assertUnbuilt(index, dimensions)
      index.remove(2) // changes of slots do not build
      index.add(...point(dimensions))
      index.slots = 3
      index.reserve(20, { results: 9, k: 2 })
      assertUnbuilt(index, dimensions)
      index.positions[0] = NaN
      assertCode(() => index.build(), 'NOT_FINITE')
      assertUnbuilt(index, dimensions)
      index.positions[0] = 0
      index.build()
      assertBuilt(index, dimensions)

      const none = empty(dimensions)
      none.build()
      assertBuilt(none, dimensions)
      assert.is(none.nearest(...point(dimensions)), -1)
    }
  })

  test('restore and reserve preserve whether an index was built', () => {
    for (const dimensions of [2, 3])
      for (const coordinates of [[], dimensions === 2 ? ROW : ROW_3D]) {
        const index = unbuilt(dimensions, coordinates, { capacity: 6 })
        const never = index.save()
        index.build()
        const once = index.save()
        assert.not.equal(once, never)
        assertBuilt(index, dimensions)
        index.reserve(30)
        assertBuilt(index, dimensions)
        index.restore(never)
        assertUnbuilt(index, dimensions)
        assert.is(index.count, coordinates.length / dimensions)
        index.reserve(60)
        assertUnbuilt(index, dimensions)
        index.restore(once)
        assertBuilt(index, dimensions)
        index.clear()
        assertBuilt(index, dimensions)
        const fresh = empty(dimensions, { capacity: 6 })
        fresh.restore(once)
        assertBuilt(fresh, dimensions)
        fresh.restore(never)
        assertUnbuilt(fresh, dimensions)
        assert.equal(fresh.save(), never)
        index.dispose()
        fresh.dispose()
      }
  })

  test.run()
}
