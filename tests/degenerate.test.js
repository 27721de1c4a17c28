// Positions and queries that naive trees answer wrongly, slowly, or not at all.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { createRandom, distributions } from './random.js'
import { assertThrown, bits, maker, portrait, ROW, ROW_3D } from './trees.js'

const ids = (...numbers) => Uint32Array.from(numbers)
const ascending = (n) => Uint32Array.from({ length: n }, (_, i) => i)

/** All four ways to split. */
const SHAPES = [
  { axis: 'longest', split: 'midpoint' },
  { axis: 'longest', split: 'median' },
  { axis: 'cycle', split: 'midpoint' },
  { axis: 'cycle', split: 'median' },
]

for (const [build, library] of Object.entries({ simd, scalar })) {
  const { start, empty, unbuilt, treeOf, assertCode } = maker(library)

  // ---- Positions ----

  const positions = suite(`degenerate positions, ${build}`)
  positions.before(start)

  const NOT_ACCEPTED = [NaN, Infinity, -Infinity, 1e39, -1e39, 2e18, -1.0000001e18]

  positions('not finite or too large: NOT_FINITE, and the old tree stays', () => {
    for (const bad of NOT_ACCEPTED)
      for (const dimensions of [2, 3])
        for (let axis = 0; axis < dimensions; axis++) {
          const tree = treeOf(dimensions, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
          const before = portrait(tree)
          const place = 2 * dimensions + axis
          const good = tree.positions[place]
          tree.positions[place] = bad
          const error = assertCode(() => tree.build(), 'NOT_FINITE')
          assert.is(error.index, 2)
          assert.match(error.message, /^AgentTree(3D)?\.build: .*slot 2/)
          assert.ok(Object.is(tree.positions[place], Math.fround(bad)))
          tree.positions[place] = good
          assert.equal(portrait(tree), before)
          assert.ok(tree.validate())
          tree.dispose()
        }
  })

  positions('the first of several is named, in either layout', () => {
    const tree = empty(3, { capacity: 8 })
    tree.count = 8
    tree.positions.set([NaN, Infinity], 3 * 5)
    tree.positions[3 * 3 + 2] = NaN
    assert.is(assertCode(() => tree.build(), 'NOT_FINITE').index, 3)
    tree.positions[3 * 3 + 2] = 0
    assert.is(assertCode(() => tree.build(), 'NOT_FINITE').index, 5)
    assert.is(tree.within(0, 0, 0, Infinity).length, 0)
    tree.count = 5
    tree.build()
    assert.is(tree.within(0, 0, 0, Infinity).length, 5)

    const separate = empty(3, { layout: 'separate', capacity: 8 })
    separate.count = 8
    separate.xs[7] = separate.ys[6] = separate.zs[4] = -Infinity
    assert.is(assertCode(() => separate.build(), 'NOT_FINITE').index, 4)
  })

  positions('those of slots without a group, or beyond the count, do not matter', () => {
    const tree = unbuilt(2, [1, 1, NaN, 2, 3, 3, Infinity, 4])
    tree.groups[1] = 0
    tree.count = 3
    tree.build()
    assert.equal(tree.range(-Infinity, -Infinity, Infinity, Infinity), ids(0, 2))
    assert.is(tree.stats().skipped, 0)
  })

  positions("onNonFinite: 'skip' leaves them out of every result and counts them", () => {
    const coordinates = [1, 1, ...NOT_ACCEPTED.flatMap((bad) => [1, bad]), 2, 2]
    const last = NOT_ACCEPTED.length + 1
    const tree = treeOf(2, coordinates, { onNonFinite: 'skip', leafSize: 1 })
    assert.is(tree.stats().skipped, NOT_ACCEPTED.length)
    assert.is(tree.stats().agents, 2)
    assert.equal(tree.within(0, 0, Infinity), ids(0, last))
    assert.equal(tree.range(-Infinity, -Infinity, Infinity, Infinity), ids(0, last))
    assert.equal(tree.neighbors(0, 0, 100), ids(0, last))
    assert.equal(tree.cone(0, 0, 1, 0, Math.PI, Infinity), ids(0, last))
    assert.is(tree.nearest(1, 1, { exclude: 0 }), last)
    assert.is(tree.countWithin(0, 0, Infinity), 2)
    assert.not.ok(tree.anyWithin(1, -1e18, 1))
    assert.ok(tree.validate())

    tree.positions.fill(7)
    tree.build()
    assert.is(tree.stats().skipped, 0)
    assert.is(tree.countWithin(0, 0, Infinity), last + 1)
  })

  positions('all skipped or all absent: an empty tree', () => {
    const skipping = treeOf(3, [NaN, 0, 0], { onNonFinite: 'skip' })
    assert.is(skipping.nearest(0, 0, 0), -1)
    assert.is(skipping.stats().nodes, 0)
    const absent = unbuilt(2, [1, 1, 2, 2])
    absent.groups.fill(0)
    absent.build()
    assert.is(absent.neighbors(0, 0, 5).length, 0)
    assert.is(absent.stats().agents, 0)
    assert.ok(skipping.validate() && absent.validate())
  })

  positions('1e18 is accepted, and no squared distance overflows', () => {
    const far = [1e18, 1e18, 1e18, -1e18, -1e18, -1e18, 0, 0, 0, -1e18, 1e18, 0]
    for (const leafSize of [1, 12]) {
      const tree = treeOf(3, far, { leafSize })
      const distances2 = new Float32Array(4)
      const out = new Uint32Array(4)
      assert.is(tree.neighborsInto(1e18, 1e18, 1e18, 4, out, { distances2 }), 4)
      assert.equal(out, ids(0, 2, 3, 1))
      assert.is(distances2[0], 0)
      assert.ok(distances2[3] < Infinity && distances2[3] > 1.19e37)
      assert.is(tree.within(-1e18, -1e18, -1e18, Infinity).length, 4)
      assert.is(tree.within(-1e18, -1e18, -1e18, 3e18).length, 3)
      assert.is(tree.countWithin(0, 0, 0, 1e18), 1)
      assert.equal(tree.range(1e18, 1e18, 1e18, 1e18, 1e18, 1e18), ids(0))
      assert.ok(tree.validate())
    }
    const tree = treeOf(2, [1e18, -1e18, -1e18, 1e18])
    assert.is(tree.nearest(9e17, -1e18), 0)
    assert.is(tree.countWithin(1e18, -1e18, 1e18), 1)
  })

  positions('denormals are kept, and coincide where squares underflow', () => {
    const least = 2 ** -149
    const tree = treeOf(2, [0, 0, least, 0, -least, least, 1e-20, 0], { leafSize: 1 })
    assert.equal(tree.within(0, 0, 0, { sort: 'id' }), ids(0, 1, 2))
    assert.equal(tree.range(0, 0, 0, 0), ids(0))
    assert.equal(tree.range(least, 0, least, 0), ids(1))
    assert.equal(tree.range(-least, least, -least, least), ids(2))
    assert.equal(tree.neighbors(least, 0, 3), ids(0, 1, 2))
    // The square of 1e-20 is denormal: flushed to zero, it would be within 0 too.
    assert.is(tree.countWithin(0, 0, 0.9e-20), 3)
    assert.is(tree.countWithin(0, 0, Math.fround(1e-20)), 4)

    const tiny = treeOf(3, [3 * least, 0, 0, 0, 0, -least])
    const distances2 = new Float32Array(2).fill(-1)
    assert.is(tiny.withinInto(0, 0, 0, 0, new Uint32Array(2), { distances2 }), 2)
    assert.equal(distances2, Float32Array.of(0, 0))
  })

  positions('-0 equals 0', () => {
    const signed = [-0, -0, 0, -0, 0, 0, -0, 0, -0, 1]
    const plain = signed.map((x) => x + 0)
    for (const leafSize of [1, 2, 12]) {
      const [one, other] = [treeOf(2, signed, { leafSize }), treeOf(2, plain, { leafSize })]
      assert.equal(bits(one.cells()), bits(other.cells()))
      for (const zero of [0, -0]) {
        assert.equal(one.within(zero, zero, zero), ids(0, 1, 2, 3))
        assert.equal(one.range(zero, zero, -zero, -zero), ids(0, 1, 2, 3))
        assert.equal(one.neighbors(zero, zero, 5), ids(0, 1, 2, 3, 4))
        assert.equal(one.cone(zero, zero, zero, 1, 0, 1), other.cone(0, 0, 0, 1, 0, 1))
      }
    }
  })

  positions('0 items: valid, with empty results', () => {
    for (const dimensions of [2, 3]) {
      const tree = empty(dimensions)
      const origin = new Array(dimensions).fill(0)
      const ahead = new Array(dimensions).fill(1)
      for (const built of [false, true]) {
        if (built) tree.build()
        assert.is(tree.within(...origin, Infinity).length, 0)
        assert.is(tree.range(...origin, ...origin).length, 0)
        assert.is(tree.neighbors(...origin, 3).length, 0)
        assert.is(tree.cone(...origin, ...ahead, Math.PI, 9).length, 0)
        assert.is(tree.nearest(...origin), -1)
        assert.is(tree.countWithin(...origin, 1), 0)
        assert.is(tree.anyWithin(...origin, 1), false)
        assert.is(tree.cells().length, 0)
        assert.is(tree.stats().nodes, 0)
        assert.ok(tree.validate())
      }
    }
  })

  positions('1 item: one leaf', () => {
    for (const options of [{}, { leafSize: 1 }, { leafSize: 1, split: 'median' }]) {
      const tree = treeOf(2, [3, 4], options)
      assert.equal(tree.cells(), Float32Array.of(3, 4, 3, 4, 0, 1))
      assert.equal(tree.within(0, 0, 5), ids(0))
      assert.is(tree.within(0, 0, 4.999).length, 0)
      const tree3D = treeOf(3, [3, 4, 0], options)
      assert.equal(tree3D.cells(), Float32Array.of(3, 4, 0, 3, 4, 0, 0, 1))
      assert.is(tree3D.nearest(0, 0, 0), 0)
      for (const each of [tree, tree3D]) {
        const { agents, nodes, leaves, depth } = each.stats()
        assert.equal([agents, nodes, leaves, depth], [1, 1, 1, 0])
        assert.ok(each.validate())
      }
    }
  })

  positions('empty before the first build; queries answer for the last one', () => {
    const tree = unbuilt(2, [1, 1, 2, 2])
    assert.is(tree.within(0, 0, 9).length, 0)
    tree.build()
    tree.positions.fill(NaN)
    tree.groups.fill(0)
    tree.count = 0
    assert.equal(tree.within(0, 0, 9), ids(0, 1))
    assert.is(tree.nearest(2, 2, { mask: 1 }), 1)
    assert.ok(tree.validate())
    tree.build()
    assert.is(tree.nearest(0, 0), -1)
  })

  positions('ten thousand on one point: one leaf', () => {
    const n = 10_000
    for (const split of ['midpoint', 'median'])
      for (const point of [
        [12.5, -3],
        [12.5, -3, 7],
      ]) {
        const tree = treeOf(point.length, new Array(n).fill(point).flat(), { split })
        assert.is(tree.stats().nodes, 1)
        assert.equal(tree.within(...point, 0), ascending(n))
        assert.equal(tree.neighbors(...point, 3, { exclude: 1 }), ids(0, 2, 3))
        assert.is(tree.nearest(...point, { exclude: 0 }), 1)
        assert.is(tree.countWithin(...point, 0, { exclude: 77 }), n - 1)
        assert.ok(tree.validate())
        tree.dispose()
      }
  })

  /** The least time, of some rounds, that first builds of some trees take. */
  function milliseconds(create) {
    let least = Infinity
    for (let round = 0; round < 4; round++) {
      const trees = [create(), create(), create()]
      const begin = performance.now()
      for (const tree of trees) tree.build()
      least = Math.min(least, performance.now() - begin)
      for (const tree of trees) tree.dispose()
    }
    return least
  }

  positions('no distribution is deep, or much slower to build than the uniform one', () => {
    const n = 10_000
    for (const dimensions of [2, 3])
      for (const shape of SHAPES)
        for (const leafSize of [1, 12]) {
          const times = {}
          for (const [name, distribution] of Object.entries(distributions)) {
            const coordinates = distribution(createRandom(1), n, dimensions)
            const create = () => unbuilt(dimensions, coordinates, { ...shape, leafSize })
            const what = `${name}, ${dimensions}D, ${JSON.stringify({ ...shape, leafSize })}`
            times[name] = milliseconds(create)
            const limit = 5 * times.uniform
            assert.ok(times[name] <= limit, `${what}: ${times[name]} ms of ${limit} ms`)
            const tree = create()
            tree.build()
            assert.ok(tree.stats().depth < 95, `${what}: depth ${tree.stats().depth}`)
            assert.ok(tree.validate(), what)
            tree.dispose()
          }
        }
  })

  positions('midpoints that round to an end, or whose sum overflows', () => {
    const next = 1 + 2 ** -23
    const adjacent = [next, 1, 1, next, 1, next].flatMap((x) => [x, x])
    const far = [1e18, 9.9e17, 1e18, -1e18, 9.8e17].flatMap((x) => [x, x, x])
    for (const shape of SHAPES) {
      const tree = treeOf(2, adjacent, { ...shape, leafSize: 1 })
      assert.equal(tree.within(1, 1, 0, { sort: 'id' }), ids(1, 2, 4))
      assert.equal(tree.within(next, next, 0, { sort: 'id' }), ids(0, 3, 5))
      if (shape.split === 'midpoint') assert.is(tree.stats().nodes, 3)
      const tree3D = treeOf(3, far, { ...shape, leafSize: 1 })
      assert.equal(tree3D.neighbors(1e18, 1e18, 1e18, 9), ids(0, 2, 1, 4, 3))
      assert.ok(tree.validate() && tree3D.validate())
    }
  })

  positions('capacity and leafSize out of range: RangeError', () => {
    for (const dimensions of [2, 3])
      for (const options of [{ capacity: 0 }, { leafSize: 0 }, { capacity: 2 ** 28 + 1 }])
        assertThrown(() => empty(dimensions, options), /^RangeError: AgentTree(3D)?: /)
    assert.is(treeOf(2, [1, 2], { leafSize: 2 ** 28 }).nearest(0, 0), 0)
  })

  positions('more than the capacity: FULL, and nothing changed', () => {
    for (const dimensions of [2, 3]) {
      const tree = treeOf(dimensions, [1, 1, 1, 1, 1, 1], { capacity: 4 })
      const before = portrait(tree)
      for (const count of [5, 1000, 2 ** 32 - 1])
        assertCode(() => void (tree.count = count), 'FULL')
      assert.equal(portrait(tree), before)
      tree.count = 4
      assert.is(tree.count, 4)
    }
  })

  positions.run()

  // ---- Queries ----

  const queries = suite(`degenerate queries, ${build}`)
  queries.before(start)

  queries('radius 0: those exactly there', () => {
    const tree = treeOf(2, ROW)
    assert.equal(tree.within(2, 0, 0), ids(2))
    assert.is(tree.within(2.5, 0, 0).length, 0)
    assert.is(tree.countWithin(3, 0, 0), 1)
    assert.is(tree.nearest(3, 0, { maxDistance: 0 }), 3)
    assert.equal(tree.cone(3, 0, 1, 0, 0, 0), ids(3))
    assert.equal(treeOf(2, ROW, { leafSize: 1 }).within(2, 0, -0), ids(2))
    assert.equal(treeOf(3, ROW_3D).within(0, 0, 5, 0), ids(5))
  })

  queries('borders are inclusive', () => {
    const tree = treeOf(2, ROW, { leafSize: 2 })
    assert.is(tree.within(0, 0, 3).length, 4)
    assert.is(tree.countWithin(0, 0, 3), 4)
    assert.equal(tree.range(1, 0, 3, 0, { sort: 'id' }), ids(1, 2, 3))
    assert.is(tree.nearest(9, 0, { maxDistance: 4 }), 5)
    assert.is(tree.nearest(9, 0, { maxDistance: 3.999 }), -1)
    assert.ok(tree.anyWithin(-2, 0, 2))
    assert.not.ok(tree.anyWithin(-2, 0, 1.999))
  })

  queries('a radius below 0 or NaN is refused', () => {
    const tree = treeOf(2, ROW)
    const tree3D = treeOf(3, ROW_3D)
    for (const bad of [-1, -1e-30, -Infinity, NaN])
      for (const call of [
        () => tree.within(0, 0, bad),
        () => tree3D.within(0, 0, 0, bad),
        () => tree.withinInto(0, 0, bad, new Uint32Array(3)),
        () => tree.countWithin(0, 0, bad),
        () => tree3D.anyWithin(0, 0, 0, bad),
        () => tree.cone(0, 0, 1, 0, 1, bad),
        () => tree.nearest(0, 0, { maxDistance: bad }),
        () => tree3D.neighbors(0, 0, 0, 3, { maxDistance: bad }),
      ])
        assertThrown(call, /^RangeError: AgentTree(3D)?\.\w+: (radius|maxDistance) must be /)
  })

  queries('radius Infinity: everything', () => {
    const tree = treeOf(2, ROW, { leafSize: 1 })
    const tree3D = treeOf(3, ROW_3D)
    for (const radius of [Infinity, 1e39, 1e30]) {
      assert.is(tree.within(1e18, -1e18, radius).length, 6)
      assert.is(tree.countWithin(-1e18, 0, radius), 6)
      assert.is(tree3D.neighbors(0, 0, 1e18, 9, { maxDistance: radius }).length, 6)
      assert.is(tree3D.cone(0, 0, 0, 0, 0, 1, Math.PI, radius).length, 6)
    }
  })

  queries('boxes: infinite, of size 0, and inside out', () => {
    const tree = treeOf(2, ROW, { leafSize: 1 })
    assert.is(tree.range(-Infinity, -Infinity, Infinity, Infinity).length, 6)
    assert.equal(tree.range(4, -Infinity, Infinity, 0, { sort: 'id' }), ids(4, 5))
    assert.equal(tree.range(2, 0, 2, 0), ids(2))
    assert.is(tree.range(Infinity, 0, Infinity, 0).length, 0)
    assertThrown(() => tree.range(1, 0, 0, 0), /maxX must be a number ≥ minX \(1\), got 0/)
    const tree3D = treeOf(3, ROW_3D)
    assertThrown(() => tree3D.range(0, 0, 9, 0, 0, -Infinity), /maxZ .* got -Infinity/)
    assertThrown(
      () => tree.range(0, 0, 1, 1, { sort: 'distance' }),
      /^RangeError: AgentTree\.range: sort must be .*'distance'/,
    )
  })

  queries('k = 0: none; k > n: all', () => {
    const tree = treeOf(2, ROW, { capacity: 100 })
    const tree3D = treeOf(3, ROW_3D)
    assert.is(tree.neighbors(0, 0, 0).length, 0)
    assert.is(tree3D.neighborsInto(0, 0, 0, 0, new Uint32Array(4)), 0)
    for (const k of [6, 7, 100, 101, 2 ** 32, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
      assert.equal(tree.neighbors(9, 0, k), ids(5, 4, 3, 2, 1, 0))
      assert.equal(tree3D.neighbors(0, 0, 9, k), ids(5, 4, 3, 2, 1, 0))
    }
    assert.equal(tree.neighbors(9, 0, 7, { exclude: 4 }), ids(5, 3, 2, 1, 0))
  })

  queries('equal distances: the lower id first', () => {
    // On the corners of a square, in leaves of one corner each, ids against the tree's order.
    const corner = (i) => [i & 1 ? 1 : -1, i & 2 ? 1 : -1]
    const square = Array.from({ length: 200 }, (_, i) => corner(199 - i))
    const tree = treeOf(2, square.flat(), { leafSize: 1 })
    assert.is(tree.stats().leaves, 4)
    assert.equal(tree.within(0, 0, 2, { sort: 'distance' }), ascending(200))
    for (const k of [1, 3, 7, 50, 199, 200])
      assert.equal(tree.neighbors(0, 0, k), ascending(k), `k = ${k}`)
    assert.is(tree.nearest(0, 0), 0)
    assert.is(tree.nearest(0, 0, { exclude: 0 }), 1)

    const cube = Array.from({ length: 64 }, (_, i) => [...corner(i), i & 4 ? 1 : -1])
    const tree3D = treeOf(3, cube.reverse().flat(), { leafSize: 2 })
    assert.equal(tree3D.neighbors(0, 0, 0, 10), ascending(10))
    assert.is(tree3D.nearest(0, 0, 0), 0)
  })

  queries('an array too small is filled, and the total returned', () => {
    const tree = treeOf(2, ROW, { leafSize: 1 })
    const sort = 'id'
    const calls = [
      (out) => tree.withinInto(0, 0, Infinity, out, { sort }),
      (out) => tree.rangeInto(-9, -9, 9, 9, out, { sort }),
      (out) => tree.coneInto(0, 0, 1, 0, Math.PI, Infinity, out, { sort }),
      (out) => tree.neighborsInto(0, 0, 6, out),
    ]
    for (const call of calls)
      for (let room = 0; room <= 8; room++) {
        const memory = new Uint32Array(10).fill(99)
        const expected = memory.slice()
        expected.set(ascending(Math.min(room, 6)), 1)
        assert.is(call(memory.subarray(1, 1 + room)), 6)
        assert.equal(memory, expected)
      }
  })

  queries('cones: half a turn, no turn, no direction', () => {
    const tree = treeOf(2, [0, 0, 1, 0, 0, 1, -1, 0, 0, -1, 2, 0], { leafSize: 1 })
    const cone = (...rest) => tree.cone(0, 0, ...rest, { sort: 'id' })
    assert.equal(cone(1, 0, Math.PI, 9), ids(0, 1, 2, 3, 4, 5))
    assert.equal(cone(1, 0, 0, 9), ids(0, 1, 5))
    assert.equal(cone(1e-45, 0, 0, 1), ids(0, 1))
    assert.equal(cone(3e38, 3e38, 0.8, 9), ids(0, 1, 2, 5))
    assert.equal(cone(0, -1e-30, 0.1, 9), ids(0, 4))
    assert.equal(tree.cone(0, 0, 1, 0, 1, 9, { exclude: 0, sort: 'distance' }), ids(1, 5))
    for (const x of [0, -0, 1e-46])
      assertThrown(
        () => tree.cone(0, 0, x, 0, 1, 9),
        /^RangeError: AgentTree\.cone: direction must be not zero, got 0/,
      )
    for (const angle of [-0.001, 3.15, NaN, Infinity])
      assertThrown(
        () => treeOf(3, ROW_3D).cone(0, 0, 0, 0, 0, 1, angle, 9),
        /^RangeError: AgentTree3D\.cone: halfAngle /,
      )
  })

  queries('masks: none, all, negative; group 0 is absent from all', () => {
    const tree = unbuilt(2, ROW)
    tree.groups.set([1, 2, 3, 0x80000000, 0, 0xffffffff])
    tree.build()
    const found = (mask) => tree.within(0, 0, 9, { mask, sort: 'id' })
    for (const all of [undefined, -1, 2 ** 32 - 1]) assert.equal(found(all), ids(0, 1, 2, 3, 5))
    for (const high of [2 ** 31, -(2 ** 31)]) assert.equal(found(high), ids(3, 5))
    assert.equal(found(0), ids())
    assert.equal(found(~1), ids(1, 2, 3, 5))
    assert.is(tree.nearest(4, 0, { mask: ~0 }), 3)
    assert.is(tree.nearest(0, 0, { mask: 0 }), -1)
    assert.is(tree.countWithin(4, 0, 0), 0)
  })

  queries('exclude: nobody, or one who is not there', () => {
    const tree = treeOf(2, ROW)
    for (const exclude of [-1, 6, 2 ** 28, 2 ** 32 - 1])
      assert.is(tree.countWithin(0, 0, 9, { exclude }), 6)
    assert.is(tree.countWithin(0, 0, 9, { exclude: 3 }), 5)
    assert.not.ok(tree.anyWithin(3, 0, 0, { exclude: 3 }))
  })

  queries('visit few nodes', () => {
    const n = 10_000
    const random = createRandom(2)
    const tree = unbuilt(2, distributions.uniform(random, n, 2), { leafSize: 4 })
    for (let i = 0; i < n; i++) tree.groups[i] = tree.positions[2 * i] < 500 ? 1 : 2
    tree.build()
    const { depth, nodes } = tree.stats()
    assert.ok(nodes > 4000)
    /** The most nodes visited, of a hundred queries. */
    const most = (query) => {
      let visits = 0
      for (let i = 0; i < 100; i++) {
        query(random() * 1000, random() * 1000)
        visits = Math.max(visits, tree.stats().visits)
      }
      return visits
    }
    assert.ok(most((x, y) => tree.nearest(x, y)) < 4 * depth)
    assert.ok(most((x, y) => tree.neighbors(x, y, 5)) < 5 * depth)
    assert.ok(most((x, y) => tree.within(x, y, 10)) < 5 * depth)
    assert.ok(most((x, y) => tree.range(x, y, x + 20, y + 20)) < 5 * depth)
    assert.ok(most((x, y) => tree.cone(x, y, 1, 0, 0.3, 20)) < 5 * depth)
    assert.ok(most((x, y) => tree.anyWithin(x, y, 100)) < 3 * depth, 'stops at the first')
    assert.is(
      most((x, y) => tree.countWithin(x, y, 1500)),
      1,
      'all inside: counted untested',
    )
    assert.ok(most((x, y) => tree.within(x, y, 10, { mask: 4 })) <= 1, 'nobody matches')
    assert.ok(most((x, y) => tree.within(x, y, 1500, { mask: 1 })) < 0.6 * nodes, 'half match')
  })

  queries.run()
}
