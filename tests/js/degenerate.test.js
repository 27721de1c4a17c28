// Positions and queries for which naive indexes return wrong results, are slow, or fail.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { KINDS, maker, observableState, pairIds, ROW, ROW_3D } from './support/indexes.js'

const ids = (...numbers) => Uint32Array.from(numbers)
const ascending = (n) => Uint32Array.from({ length: n }, (_, i) => i)

/** Tests a kind of index. */
function testKind(kind) {
  const { start, empty, unbuilt, built, variants, assertCode, assertThrown } = maker(copse, kind)

  // ---- Positions ----

  const positions = suite(`degenerate positions, ${kind}`)
  positions.before(start)

  const NOT_ACCEPTED = [NaN, Infinity, -Infinity, 1e39, -1e39, 2e18, -1.0000001e18]

  positions('build throws NOT_FINITE for bad positions, and keeps the last build', () => {
    for (const bad of NOT_ACCEPTED)
      for (const dimensions of [2, 3])
        for (let axis = 0; axis < dimensions; axis++) {
          const index = built(dimensions, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
          const before = observableState(index)
          const place = 2 * dimensions + axis
          const good = index.positions[place]
          index.positions[place] = bad
          const error = assertCode(() => index.build(), 'NOT_FINITE')
          assert.is(error.index, 2)
          assert.match(error.message, /^\w+\.build: .*slot 2/)
          assert.ok(Object.is(index.positions[place], Math.fround(bad)))
          index.positions[place] = good
          assert.equal(observableState(index), before)
          assert.ok(index._validate())
          index.dispose()
        }
  })

  positions('build names the first bad slot, in either layout', () => {
    const index = empty(3, { capacity: 8 })
    index.slots = 8
    index.positions.set([NaN, Infinity], 3 * 5)
    index.positions[3 * 3 + 2] = NaN
    assert.is(assertCode(() => index.build(), 'NOT_FINITE').index, 3)
    index.positions[3 * 3 + 2] = 0
    assert.is(assertCode(() => index.build(), 'NOT_FINITE').index, 5)
    assertCode(() => index.within(0, 0, 0, Infinity), 'NOT_BUILT')
    index.slots = 5
    index.build()
    assert.is(index.within(0, 0, 0, Infinity).length, 5)

    const separate = empty(3, { layout: 'separate', capacity: 8 })
    separate.slots = 8
    separate.xs[7] = separate.ys[6] = separate.zs[4] = -Infinity
    assert.is(assertCode(() => separate.build(), 'NOT_FINITE').index, 4)
  })

  positions('bad positions of agents without a group and of free slots do not matter', () => {
    const index = unbuilt(2, [1, 1, NaN, 2, 3, 3, NaN, 9, 5, 5, Infinity, 4])
    index.groups[1] = 0
    index.remove(3)
    index.groups[3] = 1
    index.slots = 5
    assertCode(() => index.build(), 'NOT_FINITE')
    index.remove(3)
    index.groups[3] = 1
    index.build()
    assert.equal(index.range(-Infinity, -Infinity, Infinity, Infinity), ids(0, 2, 4))
    assert.is(index.stats().skipped, 0)
  })

  positions("onNonFinite: 'skip' leaves bad positions out of every result and counts them", () => {
    const coordinates = [1, 1, ...NOT_ACCEPTED.flatMap((bad) => [1, bad]), 2, 2]
    const last = NOT_ACCEPTED.length + 1
    const index = built(2, coordinates, { onNonFinite: 'skip' })
    assert.is(index.stats().skipped, NOT_ACCEPTED.length)
    assert.is(index.stats().agents, 2)
    assert.equal(index.within(0, 0, Infinity), ids(0, last))
    assert.equal(index.range(-Infinity, -Infinity, Infinity, Infinity), ids(0, last))
    assert.equal(index.neighbors(0, 0, 100), ids(0, last))
    assert.equal(index.cone(0, 0, 1, 0, Math.PI, Infinity), ids(0, last))
    assert.is(index.nearest(1, 1, { exclude: 0 }), last)
    assert.is(index.countWithin(0, 0, Infinity), 2)
    assert.not.ok(index.anyWithin(1, -1e18, 1))
    const rows = index.allWithin(Infinity)
    const near = index.allNeighbors(3)
    for (let id = 0; id <= last; id++) {
      const others = id === 0 || id === last ? 1 : 0
      assert.equal([rows.counts[id], near.counts[id]], [others, others])
    }
    assert.equal(pairIds(index, { distance: Infinity }), ids(0, last))
    assert.equal(index.order(), ids(0, last))
    assert.is(index.raycast(1, -1e18, 1, 1e18, { radius: 1e17 }).id, 0)
    assert.is(index.raycast(1, -1e18, 1, -2e17, { radius: 1e17 }), null)
    assert.equal(index.raycastAll(1, -1e18, 1, 1e18, { inflate: 1e17 }).ids, ids(0, last))
    const everywhere = Float32Array.of(-Infinity, -Infinity, Infinity, Infinity)
    assert.equal(index.rangeMany(everywhere).ids.slice(0, 2), ids(0, last))
    const solid = built(3, [0, 0, 0, 1, NaN, 1, 2, 2, 2], { onNonFinite: 'skip' })
    assert.equal(solid.frustum(Float32Array.of(0, 0, 0, 0)), ids(0, 2))
    assert.ok(index._validate())

    index.positions.fill(7)
    index.build()
    assert.is(index.stats().skipped, 0)
    assert.is(index.countWithin(0, 0, Infinity), last + 1)
  })

  positions('an index whose agents are all skipped or absent is empty', () => {
    const skipping = built(3, [NaN, 0, 0], { onNonFinite: 'skip' })
    assert.is(skipping.nearest(0, 0, 0), -1)
    assert.is(skipping.stats().leaves, 0)
    const absent = unbuilt(2, [1, 1, 2, 2])
    absent.groups.fill(0)
    absent.build()
    assert.is(absent.neighbors(0, 0, 5).length, 0)
    assert.is(absent.stats().agents, 0)
    assert.ok(skipping._validate() && absent._validate())
  })

  positions('queries throw NOT_BUILT before the first build, then find the last one', () => {
    const index = unbuilt(2, [1, 1, 2, 2])
    assertCode(() => index.within(0, 0, 9), 'NOT_BUILT')
    index.build()
    index.positions.fill(NaN)
    index.groups.fill(0)
    index.slots = 0
    assert.equal(index.within(0, 0, 9), ids(0, 1))
    assert.is(index.nearest(2, 2, { mask: 1 }), 1)
    assert.ok(index._validate())
    index.build()
    assert.is(index.nearest(0, 0), -1)
  })

  positions('more agents than the capacity throw FULL and change nothing', () => {
    for (const dimensions of [2, 3]) {
      const index = built(dimensions, [1, 1, 1, 1, 1, 1], { capacity: 4 })
      const before = observableState(index)
      for (const slots of [5, 1000, 2 ** 32 - 1]) {
        const { message } = assertCode(() => void (index.slots = slots), 'FULL')
        assert.ok(message.endsWith(`: ${slots} agents, capacity 4: reserve(${slots}) first`))
      }
      assert.equal(observableState(index), before)
      index.slots = 4
      assert.is(index.count, 4)
      const point = new Array(dimensions).fill(1)
      const { message } = assertCode(() => index.add(...point), 'FULL')
      assert.ok(message.endsWith(': 5 agents, capacity 4: reserve(5) first'))
      index.reserve(5)
      assert.is(index.add(...point), 4)
    }
  })

  positions.run()

  // ---- Queries ----

  const queries = suite(`degenerate queries, ${kind}`)
  queries.before(start)

  queries('radius 0 finds the agents exactly there', () => {
    const index = built(2, ROW)
    assert.equal(index.within(2, 0, 0), ids(2))
    assert.is(index.within(2.5, 0, 0).length, 0)
    assert.is(index.countWithin(3, 0, 0), 1)
    assert.is(index.nearest(3, 0, { maxDistance: 0 }), 3)
    assert.equal(index.cone(3, 0, 1, 0, 0, 0), ids(3))
    for (const options of variants) assert.equal(built(2, ROW, options).within(2, 0, -0), ids(2))
    assert.equal(built(3, ROW_3D).within(0, 0, 5, 0), ids(5))
  })

  queries('radius Infinity finds all agents', () => {
    for (const options of variants) {
      const index = built(2, ROW, options)
      const index3D = built(3, ROW_3D)
      for (const radius of [Infinity, 1e39, 1e30]) {
        assert.is(index.within(1e18, -1e18, radius).length, 6)
        assert.is(index.countWithin(-1e18, 0, radius), 6)
        assert.is(index3D.neighbors(0, 0, 1e18, 9, { maxDistance: radius }).length, 6)
        assert.is(index3D.cone(0, 0, 0, 0, 0, 1, Math.PI, radius).length, 6)
      }
    }
  })

  queries('boxes may be infinite, of size 0, and have their corners in any order', () => {
    for (const options of variants) {
      const index = built(2, ROW, options)
      assert.is(index.range(-Infinity, -Infinity, Infinity, Infinity).length, 6)
      assert.equal(index.range(4, -Infinity, Infinity, 0, { sort: 'id' }), ids(4, 5))
      assert.equal(index.range(2, 0, 2, 0), ids(2))
      assert.is(index.range(Infinity, 0, Infinity, 0).length, 0)
      assert.equal(
        index.range(0, 0, 4, -Infinity, { sort: 'id' }),
        index.range(4, 0, 0, -Infinity, { sort: 'id' }),
      )
      assert.equal(index.range(4, 0, 0, -9, { sort: 'id' }), ids(0, 1, 2, 3, 4))
      assert.is(index.countRange(4, 0, 0, -9), 5)
      const index3D = built(3, ROW_3D)
      assert.equal(
        index3D.range(0, 0, 9, 9, 9, -Infinity).slice(),
        index3D.range(9, 9, -Infinity, 0, 0, 9),
      )
      assertThrown(
        () => index.range(0, 0, 1, 1, { sort: 'distance' }),
        /^RangeError: Index\.range: sort must be .*'distance'/,
      )
    }
  })

  queries('hits, rows of boxes and frustums hold agents at one place, sorted or not', () => {
    for (const options of variants)
      for (const dimensions of [2, 3])
        for (const x of [0, -0, 2 ** -149, 1024, -1e18, 1e18])
          for (const n of [0, 1, 70]) {
            const point = new Array(dimensions).fill(x)
            const index = built(dimensions, new Array(n).fill(point).flat(), {
              ...options,
              capacity: 70,
            })
            const away = point.with(0, x === 1e18 ? 0 : x + 1e17)
            for (const [from, fraction] of [
              [point, 0],
              [away, 1],
            ]) {
              const hits = index.raycastAll(...from, ...point)
              assert.equal(hits.ids, ascending(n))
              assert.ok(hits.fractions.every((each) => each === fraction))
              const without = index.raycastAll(...from, ...point, { exclude: 0 }).ids
              assert.equal(without, ascending(n).subarray(1))
            }
            assert.equal(index.raycastAll(...point, ...point, { mask: 2 }).ids, ids())
            const { ids: first } = index.raycastMany(
              Float32Array.of(...away, ...point, ...point, ...away),
              {
                exclude: Uint32Array.of(0, -1),
              },
            )
            assert.equal([...first], [n > 1 ? 1 : -1, n > 0 ? 0 : -1])

            const infinite = point.map(() => Infinity)
            const rows = index.rangeMany(
              Float32Array.of(
                ...point,
                ...point,
                ...infinite.map((side) => -side),
                ...infinite,
                ...infinite,
                ...infinite,
              ),
            )
            assert.equal([...rows.counts], [n, n, 0])
            assert.equal(rows.ids.slice(0, n).sort(), ascending(n))
            if (dimensions === 2) continue
            const frustum = (...planes) => index.frustum(Float32Array.from(planes), { sort: 'id' })
            assert.equal(frustum(1, 0, 0, -x, -1, 0, 0, x), ascending(n), 'on the planes')
            assert.equal(frustum(0, -0, 0, -0), ascending(n), 'a plane of no direction')
            assert.equal(frustum(0, 0, 0, -(2 ** -149)), ids())
          }
  })

  queries('k = 0 finds no agent, k > n finds all', () => {
    const index = built(2, ROW, { capacity: 100 })
    const index3D = built(3, ROW_3D)
    assert.is(index.neighbors(0, 0, 0).length, 0)
    assert.is(index3D.neighbors(0, 0, 0, 0).length, 0)
    for (const k of [6, 7, 100, 101, 2 ** 32, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
      assert.equal(index.neighbors(9, 0, k), ids(5, 4, 3, 2, 1, 0))
      assert.equal(index3D.neighbors(0, 0, 9, k), ids(5, 4, 3, 2, 1, 0))
    }
    assert.equal(index.neighbors(9, 0, 7, { exclude: 4 }), ids(5, 3, 2, 1, 0))
  })

  queries('batches handle radius 0 and Infinity, k = 0, and few agents', () => {
    for (const options of variants)
      for (const dimensions of [2, 3]) {
        const [zero, far] = [0, 9].map((x) => new Array(dimensions).fill(x))
        const places = Float32Array.of(...zero, ...far)
        for (const n of [0, 1, 4]) {
          const coordinates = new Array(n).fill(zero).flat() // on one point
          const index = built(dimensions, coordinates, { ...options, capacity: 4 })
          for (const radius of [0, -0, 1, Infinity, 1e39]) {
            const { counts, total } = index.allWithin(radius)
            assert.is(total, n * Math.max(n - 1, 0))
            assert.ok(counts.subarray(0, n).every((count) => count === n - 1))
            assert.is(index.pairs({ distance: radius }).count, (n * Math.max(n - 1, 0)) / 2)
            assert.is(index.withinMany(places, radius).total, radius > 99 ? 2 * n : n)
          }
          for (const k of [0, 1, 3, 9]) {
            const near = index.allNeighbors(k)
            for (let i = 0; i < n; i++) {
              const others = ascending(n).filter((id) => id !== i)
              assert.is(near.counts[i], Math.min(k, n - 1))
              assert.equal(near.ids.slice(i * k, i * k + near.counts[i]), others.slice(0, k))
            }
            const many = index.neighborsMany(places, k)
            for (const row of [0, 1]) {
              assert.is(many.counts[row], Math.min(k, n))
              assert.equal(
                many.ids.slice(row * k, row * k + many.counts[row]),
                ascending(n).slice(0, k),
              )
            }
          }
          index.dispose()
        }
      }
  })

  queries('batches find all results, whatever was reserved', () => {
    for (const options of variants) {
      const index = built(2, ROW, options)
      index.reserve(6, { results: 7 })
      const rows = index.allWithin(1) // two each, one at the ends
      assert.is(rows.total, 10)
      for (let i = 0; i < 6; i++) assert.is(rows.counts[i], i % 5 ? 2 : 1)
      assert.is(index.pairs({ distance: 1 }).count, 5)
    }
  })

  queries('cones may have the angles 0 and pi, but must have a direction', () => {
    for (const options of variants) {
      const index = built(2, [0, 0, 1, 0, 0, 1, -1, 0, 0, -1, 2, 0], options)
      const cone = (...rest) => index.cone(0, 0, ...rest, { sort: 'id' })
      assert.equal(cone(1, 0, Math.PI, 9), ids(0, 1, 2, 3, 4, 5))
      assert.equal(cone(1, 0, 0, 9), ids(0, 1, 5))
      assert.equal(cone(1e-45, 0, 0, 1), ids(0, 1))
      assert.equal(cone(3e38, 3e38, 0.8, 9), ids(0, 1, 2, 5))
      assert.equal(cone(0, -1e-30, 0.1, 9), ids(0, 4))
      assert.equal(index.cone(0, 0, 1, 0, 1, 9, { exclude: 0, sort: 'distance' }), ids(1, 5))
      for (const x of [0, -0, 1e-46])
        assertThrown(
          () => index.cone(0, 0, x, 0, 1, 9),
          /^RangeError: Index\.cone: direction must be longer than 0, got 0/,
        )
      for (const angle of [-0.001, 3.15, NaN, Infinity])
        assertThrown(
          () => built(3, ROW_3D).cone(0, 0, 0, 0, 0, 1, angle, 9),
          /^RangeError: Index3D\.cone: halfAngle /,
        )
    }
  })

  queries('masks may be empty, full or negative; agents without a group are never found', () => {
    const index = unbuilt(2, ROW)
    index.groups.set([1, 2, 3, 0x80000000, 0, 0xffffffff])
    index.build()
    const idsWith = (mask) => index.within(0, 0, 9, { mask, sort: 'id' })
    for (const mask of [undefined, -1, 2 ** 32 - 1]) assert.equal(idsWith(mask), ids(0, 1, 2, 3, 5))
    for (const high of [2 ** 31, -(2 ** 31)]) assert.equal(idsWith(high), ids(3, 5))
    assert.equal(idsWith(0), ids())
    assert.equal(idsWith(~1), ids(1, 2, 3, 5))
    assert.is(index.nearest(4, 0, { mask: ~0 }), 3)
    assert.is(index.nearest(0, 0, { mask: 0 }), -1)
    assert.is(index.countWithin(4, 0, 0), 0)
  })

  queries('exclude may name a slot that is not there', () => {
    const index = built(2, ROW)
    for (const exclude of [-1, 6, 2 ** 28, 2 ** 32 - 1])
      assert.is(index.countWithin(0, 0, 9, { exclude }), 6)
    assert.is(index.countWithin(0, 0, 9, { exclude: 3 }), 5)
    assert.not.ok(index.anyWithin(3, 0, 0, { exclude: 3 }))
  })

  queries.run()
}

for (const kind of Object.keys(KINDS)) testKind(kind)
