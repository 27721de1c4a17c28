// The slots of an index of any kind, in drawn sequences of changes and one by one; and queries before the first
// build.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './fastcheck.js'
import { assertSame, className, maker, pairIds, ROW, ROW_3D, thrown } from './indexes.js'
import { createRandom, integer } from '../../../web/random.js'

const RUNS = runsOf(20)
const CAPACITY = 12

/** Each makes the same change to an index and to the model: the generations, and the position of each agent. */
const changes = {
  add(index, model, slot, position) {
    const free = model.generations.findIndex((generation) => generation % 2 === 0)
    if (free < 0) {
      const { code, message } = thrown(() => index.add(...position))
      assert.is(code, 'FULL')
      assert.ok(message.endsWith('.add: 13 agents, capacity 12: reserve(13) first'), message)
      return
    }
    assert.is(index.add(...position), free, 'the lowest free slot')
    model.generations[free]++
    model.positions[free] = position
  },

  move(index, model, slot, position) {
    if (!changeable(model, slot, 'move', () => index.move(slot, ...position))) return
    model.positions[slot] = position
  },

  remove(index, model, slot) {
    if (!changeable(model, slot, 'remove', () => index.remove(slot))) return
    model.generations[slot]++
  },

  /** The slots from 0 on become agents, all others free. */
  slots(index, model, slot) {
    index.slots = slot
    model.generations = model.generations.map((generation, i) => {
      const isUsed = generation % 2 === 1
      return isUsed === i < slot ? generation : generation + 1
    })
  },
}

/** Makes a call that changes an agent. False if the slot is free: then the call must be refused. */
function changeable({ generations }, slot, method, call) {
  if (generations[slot] % 2 === 1) {
    assert.is(call(), undefined)
    return true
  }
  const { code, message } = thrown(call)
  assert.is(code, 'STALE_SLOT')
  assert.ok(message.endsWith(`.${method}: the slot is not in use: ${slot}`), message)
  return false
}

/** Checks the slots of an index, and that a build holds the agents at their positions. */
function checkSlots(index, { generations, positions }) {
  const used = [...generations.keys()].filter((slot) => generations[slot] % 2 === 1)
  assertSame(index.generations, generations, 'generations')
  assert.is(index.count, used.length)
  for (const [slot, generation] of generations.entries()) {
    assert.is(index.has(slot), generation % 2 === 1)
    assert.is(index.groups[slot], generation % 2)
  }
  index.build()
  assertSame(index.order().sort(), used, 'the agents of a build')
  for (const slot of used) assert.ok(index.within(...positions[slot], 0).includes(slot))
}

/** Creates a suite for a kind. */
export function testSlots(kind) {
  const { start, built, empty, unbuilt, assertCode } = maker(copse, kind)
  const test = suite(`slots of ${kind}`)
  test.before(start)

  const drawnChanges = fc.array(
    fc.record({
      name: fc.constantFrom(...Object.keys(changes), 'add', 'add'),
      slot: fc.integer({ min: 0, max: CAPACITY }),
      place: fc.integer({ min: -9, max: 9 }),
    }),
    { minLength: 1, maxLength: 40, size: 'max' },
  )

  for (const dimensions of [2, 3])
    for (const layout of ['interleaved', 'separate'])
      test(`behave like those of a list, ${dimensions}D, ${layout}`, () => {
        forAll(drawnChanges, RUNS, (drawn) => {
          const index = empty(dimensions, { capacity: CAPACITY, layout })
          const model = {
            generations: new Array(CAPACITY).fill(0),
            positions: new Array(CAPACITY).fill(new Array(dimensions).fill(0)),
          }
          for (const { name, slot, place } of drawn) {
            const position = [place, -place / 2, place ** 2].slice(0, dimensions)
            changes[name](index, model, slot, position)
            checkSlots(index, model)
          }
          index.dispose()
        })
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
    assert.equal([...pairIds(index).sort()], [0, 1, 3, 4, 4, 5])
    assert.is(index.allNeighbors(5).counts[2], 0)
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
    countWithin: (index, d) => index.countWithin(...point(d), 1),
    anyWithin: (index, d) => index.anyWithin(...point(d), 1),
    range: (index, d) => index.range(...point(d), ...point(d, 1)),
    countRange: (index, d) => index.countRange(...point(d), ...point(d, 1)),
    nearest: (index, d) => index.nearest(...point(d)),
    neighbors: (index, d) => index.neighbors(...point(d), 2),
    cone: (index, d) => index.cone(...point(d), ...point(d, 1), 1, 1),
    raycast: (index, d) => index.raycast(...point(d), ...point(d, 1)),
    raycastMany: (index, d) => index.raycastMany(many(d)),
    allWithin: (index) => index.allWithin(1),
    allNeighbors: (index) => index.allNeighbors(1),
    withinMany: (index, d) => index.withinMany(many(d), 1),
    neighborsMany: (index, d) => index.neighborsMany(many(d), 1),
    'pairs, by radii': (index) => index.pairs(),
    pairs: (index) => index.pairs({ distance: 1 }),
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
    assert.ok(index._validate())
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
