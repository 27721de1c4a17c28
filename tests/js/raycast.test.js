// Compares rays with brute force, on a few drawn cases: to the bit, as tests/c does on many more. And radii: when they
// count, and what is refused.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forAll, runsOf } from './support/fastcheck.js'
import * as oracle from './support/point-oracle.js'
import { createRandom, distributions, integer, pick } from '../../web/random.js'
import { assertSame, bits, KINDS, maker, ROW, ROW_3D } from './support/indexes.js'
import { seal } from './support/snapshots.js'

const RUNS = runsOf(30)

const { fround } = Math
const RAYS = 12
const drawnCase = fc.record({
  n: fc.integer({ min: 0, max: 64 }),
  distribution: fc.constantFrom(...Object.keys(distributions)),
  seed: fc.noBias(fc.nat()),
  filters: fc.boolean(),
})

const test = suite('raycast')
const kinds = Object.keys(KINDS).map((kind) => ({ kind, ...maker(copse, kind) }))
test.before(() => Promise.all(kinds.map(({ start }) => start())))

/** Returns the ids of the pairs of agents that touch, sorted. */
function touching(index) {
  const { ids, count } = index.pairs()
  return [...ids.slice(0, 2 * count).sort()]
}

/** Draws a point: on an agent, beside one, or anywhere, so that rays run along axes and through many agents. */
function drawPoint(random, { count, dimensions, positions }) {
  const place = pick(random, ['on', 'on', 'near', 'axis', 'anywhere'])
  const [one, other] = [integer(random, count) * dimensions, integer(random, count) * dimensions]
  const point = Array.from({ length: dimensions }, (_, axis) => {
    if (place === 'anywhere' || count === 0) return (random() - 0.2) * 1500
    if (place === 'near') return positions[one + axis] + (random() - 0.5) * 10
    return positions[(place === 'axis' && axis === 0 ? other : one) + axis]
  })
  return point.map((x) => (Math.abs(x) <= 1e18 ? fround(x) : 0))
}

function drawAgents(random, { n, distribution, filters }, dimensions) {
  const capacity = Math.max(1, n)
  const positions = distributions[distribution](random, capacity, dimensions)
  const groups = Uint32Array.from({ length: capacity }, () => (filters ? integer(random, 5) : 1))
  return { dimensions, count: n, positions, groups }
}

/** Checks a ray in each index. */
function checkRay(indexes, agents, from, to, radii, options) {
  const expected = oracle.raycast(agents, from, to, radii, options)
  const all = oracle.raycastAll(agents, from, to, radii, options)
  for (const index of indexes) {
    const { ids, fractions } = index.raycastAll(...from, ...to, options)
    assertSame(
      ids,
      all.map(({ id }) => id),
    )
    assertSame(bits(fractions), bits(Float32Array.from(all, ({ fraction }) => fraction)))
    const hit = index.raycast(...from, ...to, options)
    assert.is(hit === null, expected.id < 0)
    if (hit === null) continue
    assert.is(hit.id, expected.id)
    assert.is(hit.fraction, expected.fraction)
    const end = [hit.x, hit.y, hit.z].slice(0, from.length)
    assert.equal(
      end,
      from.map((x, axis) => x + hit.fraction * (to[axis] - x)),
    )
  }
}

/** Checks many rays, each with a mask, an exclude and an inflate of its own. */
function checkLists(indexes, agents, rays, radii, options, random) {
  const n = rays.length
  const lists = {
    mask: Uint32Array.from({ length: n }, () => integer(random, 8)),
    exclude: Uint32Array.from({ length: n }, () => integer(random, agents.count + 1) - 1),
    inflate: Float32Array.from({ length: n }, () => 9 * random()),
  }
  for (const name of Object.keys(lists)) if (random() < 0.3) delete lists[name]
  const expected = rays.map(([from, to], i) => {
    const own = { ...options }
    for (const [name, list] of Object.entries(lists)) own[name] = list[i]
    return oracle.raycast(agents, from, to, radii, own)
  })
  for (const index of indexes) {
    const segments = Float32Array.from(rays.flat(2))
    const { ids, fractions } = index.raycastMany(segments, { ...options, ...lists })
    assertSame(
      ids,
      expected.map(({ id }) => id),
    )
    assertSame(bits(fractions), bits(Float32Array.from(expected, ({ fraction }) => fraction)))
  }
}

for (const dimensions of [2, 3])
  test(`returns what brute force returns, in ${dimensions}D`, () => {
    forAll(drawnCase, RUNS, (drawn) => {
      const random = createRandom(drawn.seed)
      const agents = drawAgents(random, drawn, dimensions)
      const rays = Array.from({ length: RAYS }, () => {
        const from = drawPoint(random, agents)
        return [from, random() < 0.1 ? from : drawPoint(random, agents)]
      })
      const radius = pick(random, [0, random() * 30, Infinity])
      const radii = Float32Array.from({ length: agents.groups.length }, () => random() * 20)
      const sameRadius = new Float32Array(radii.length).fill(radius)
      const indexes = kinds.map(({ unbuilt }) => {
        const index = unbuilt(dimensions, agents.positions, { onNonFinite: 'skip' })
        index.slots = agents.count
        index.groups.set(agents.groups)
        index.radii.set(radii)
        index.build()
        return index
      })
      const options = {}
      if (drawn.filters && random() < 0.7) options.mask = integer(random, 8)
      if (drawn.filters && random() < 0.7) options.exclude = integer(random, agents.count + 1) - 1
      if (drawn.filters && random() < 0.7) options.inflate = random() * 20
      try {
        for (const currentRadii of [radii, sameRadius]) {
          if (currentRadii === sameRadius) options.radius = radius
          for (const [from, to] of rays) checkRay(indexes, agents, from, to, currentRadii, options)
          checkLists(indexes, agents, rays, currentRadii, options, random)
        }
      } finally {
        for (const index of indexes) index.dispose()
      }
    })
  })

for (const { kind, built, unbuilt, empty, assertCode, assertThrown } of kinds) {
  test(`finds the first agent, the fraction and the point, ${kind}`, () => {
    const row = built(2, ROW)
    const { id, fraction, x, y } = row.raycast(-1, 1, 7, 1, { radius: 1 })
    assert.equal([id, fraction, x, y], [0, 0.125, 0, 1])
    assert.is(row.raycast(-1, 1.001, 7, 1.001, { radius: 1 }), null)
    assert.is(row.raycast(7, 0, -1, 0, { radius: 0.5 }).x, 5.5)
    assert.is(row.raycast(3, 0.5, 3, 0.5, { radius: 0.5 }).id, 3)
    assert.is(row.raycast(-1, 0, 7, 0, { radius: 1, exclude: 0 }).id, 1)
    assert.is(row.raycast(-1, 0, 7, 0, { radius: 1, mask: 2 }), null)
    const { z, ...rest } = built(3, ROW_3D).raycast(0, 0, 9, 0, 0, 1, { radius: 2 })
    assert.equal([z, rest.id, rest.fraction], [7, 5, 0.25])
  })

  test(`always returns the same objects, with the same views, ${kind}`, () => {
    const row = built(2, ROW)
    const hit = row.raycast(0, 0, 1, 0)
    assert.is(row.raycast(5, 0, 6, 0), hit)
    const hits = row.raycastMany(Float32Array.of(0, 0, 1, 0))
    const { ids, fractions } = hits
    assert.is(row.raycastMany(new Float32Array(8)), hits)
    assert.is(hits.ids.length, 2)
    assert.is(row.raycastMany(Float32Array.of(5, 0, 6, 0)), hits)
    assert.is(hits.ids.length, 1) // as many as segments
    assert.is(hits.ids, row.raycastMany(Float32Array.of(5, 0, 6, 0)).ids)
    assert.is(ids.length, fractions.length)
  })

  test(`radii default to 0, and count from the next build on, ${kind}`, () => {
    const row = built(2, ROW)
    assert.is(row.raycast(-1, 0.5, 9, 0.5), null)
    row.radii[4] = 1
    assert.is(row.raycast(-1, 0.5, 9, 0.5), null)
    row.build()
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 4)
    row.radii[2] = 1
    row.radii[4] = 0
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 4)
    row.pairs({ distance: 2 })
    assert.equal([...row.radii], [0, 0, 1, 0, 0, 0])
    assert.equal(touching(row), [3, 4, 4, 5])
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 4)
    row.reserve(20)
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 4)
    assert.equal([...row.radii.subarray(0, 8)], [0, 0, 1, 0, 0, 0, 0, 0])
    row.build()
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 2)
    assert.equal(touching(row), [1, 2, 2, 3])
  })

  test(`restore brings the radii, ${kind}`, () => {
    const row = built(2, ROW)
    const other = empty(2, { capacity: 8 })
    const plain = row.save()
    row.radii[3] = 1
    row.build()
    row.radii[3] = 5 // counts from the next build on, also after a restore
    row.masks[2] = 6
    row.slots = 2 // fewer than in the last build
    other.restore(row.save())
    assert.equal([...other.radii.subarray(0, 4)], [0, 0, 0, 5])
    assert.equal([...other.masks.subarray(1, 4)], [2 ** 32 - 1, 6, 2 ** 32 - 1])
    assert.is(other.raycast(-1, 0.5, 9, 0.5).id, 3)
    assert.is(other.raycast(-1, 1.5, 9, 1.5), null)
    assert.equal(other.save(), row.save())
    other.slots = 6
    other.build()
    assert.is(other.raycast(-1, 1.5, 9, 1.5).id, 3)
    other.radii[7] = 3 // never in use: restore leaves it alone
    other.restore(plain) // has no radii
    assert.is(other.raycast(-1, 0.5, 9, 0.5), null)
    assert.equal(other.save(), plain)
    assert.equal([...other.masks], new Array(8).fill(2 ** 32 - 1))
    assert.equal([...other.radii], [0, 0, 0, 0, 0, 0, 0, 3])
  })

  test(`a wrong radius in a free slot does not matter, ${kind}`, () => {
    const row = built(2, ROW)
    row.radii.fill(0.6)
    row.remove(2)
    row.radii[2] = NaN
    row.build()
    assert.equal(touching(row), [0, 1, 3, 4, 4, 5])
    const other = empty(2, { capacity: 8 })
    other.restore(row.save())
    assert.equal(touching(other), [0, 1, 3, 4, 4, 5])
    assert.equal(other.save(), row.save())
  })

  test(`radii of a forged snapshot are refused by a build, or count as 0, ${kind}`, () => {
    const row = built(2, ROW)
    row.radii.fill(0.6)
    row.build()
    const saved = row.save()
    const words = new Float32Array(saved.buffer)
    for (const wrong of [NaN, -1]) {
      words[words.length - 6] = wrong // the radius of slot 0 in the last build
      const other = empty(2, { capacity: 8 })
      other.restore(seal(saved))
      assert.is(other.pairs().count, 4)
      assert.is(other.raycast(-9, 0.5, 0.2, 0.5), null)
      other.build()
      assert.ok(other.raycast(-9, 0.5, 0.2, 0.5))
    }
  })

  test(`a build with a wrong radius throws RangeError and changes nothing, ${kind}`, () => {
    const row = built(2, ROW)
    row.radii[1] = 1
    row.build()
    row.positions[2] = 40
    for (const wrong of [NaN, -1, -Infinity]) {
      row.radii[5] = wrong
      assertThrown(() => row.build(), /^RangeError: Index\.build: radii\[5\] must be .*, got -?/)
      assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 1)
    }
    row.radii[5] = Infinity
    row.build()
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 5)
    row.radii[5] = 0
    row.positions[0] = NaN
    assertCode(() => row.build(), 'NOT_FINITE')
    assert.is(row.raycast(-1, 0.5, 9, 0.5).id, 5)
  })

  test(`throws NOT_BUILT before the first build, ${kind}`, () => {
    const row = unbuilt(3, ROW_3D)
    const one = () => row.raycast(0, 0, -9, 0, 0, 9, { radius: Infinity })
    const many = () => row.raycastMany(Float32Array.of(0, 0, -9, 0, 0, 9), { radius: Infinity })
    assertCode(one, 'NOT_BUILT')
    assertCode(many, 'NOT_BUILT')
    row.build()
    assert.is(one().id, 0)
    assert.is(many().ids[0], 0)
    const none = empty(3)
    none.build()
    assert.is(none.raycast(0, 0, -9, 0, 0, 9, { radius: Infinity }), null)
    const { ids, fractions } = none.raycastMany(new Float32Array(6))
    assert.equal([ids[0], fractions[0]], [-1, 1])
  })

  test(`raycastMany casts many more rays than the capacity, ${kind}`, () => {
    const row = built(2, ROW)
    const n = 10_000
    const segments = Float32Array.from({ length: 4 * n }, (_, i) =>
      i % 4 === 3 ? 3 : i % 4 === 1 ? -3 : (i >> 2) % 8,
    )
    const { ids, fractions } = row.raycastMany(segments, { radius: 0.25 })
    assert.ok(ids.length >= n && fractions.length >= n)
    for (let i = 0; i < n; i++) {
      const isHit = i % 8 < 6
      assert.is(ids[i], isHit ? i % 8 : -1)
      assert.is(fractions[i], isHit ? Math.fround(2.75 / 6) : 1)
    }
  })

  test(`lists of filters may lie in linear memory, which grows, ${kind}`, async () => {
    const instance = await copse.create({ memory: 2 ** 20 })
    const n = 100_000
    const row = built(2, ROW, { instance, capacity: n })
    const [exclude, segments] = [row.groups, new Float32Array(4 * n)]
    for (let i = 0; i < n; i++) segments[4 * i + 2] = 9
    row.groups[1] = 1
    const { byteLength } = instance.memory.buffer
    const { ids } = row.raycastMany(segments, {
      exclude: exclude.fill(0),
      inflate: new Float32Array(n),
    })
    assert.ok(instance.memory.buffer.byteLength > byteLength)
    assert.ok(ids.every((id) => id === 1))
  })

  test(`a bullet never hits its shooter, ${kind}`, () => {
    const row = built(2, ROW)
    row.radii.fill(0.25)
    row.build()
    const rays = Float32Array.from([0, 1, 2, 3, 4].flatMap((x) => [x, 0, x + 100, 0]))
    assert.equal([...row.raycastMany(rays).ids], [0, 1, 2, 3, 4])
    const exclude = Uint32Array.of(0, 1, 2, 3, 4)
    assert.equal([...row.raycastMany(rays, { exclude }).ids], [1, 2, 3, 4, 5])
    exclude[2] = -1 // none
    assert.equal([...row.raycastMany(rays, { exclude }).ids], [1, 2, 2, 4, 5])
  })

  test(`wrong arguments are refused and named, ${kind}`, () => {
    const row = built(2, ROW)
    const many = (segments, options) => () => row.raycastMany(segments, options)
    const one = new Float32Array(4)
    const refusals = [
      [() => row.raycast(0, 0, 1, 0, { radius: -1 }), /^RangeError: .*raycast: radius .* got -1$/],
      [() => row.raycast(0, 0, 1, 0, { radius: '1' }), /^TypeError: .*raycast: radius .* got '1'$/],
      [
        () => row.raycast(0, 0, 1, 0, { radius: null }),
        /^TypeError: .*raycast: radius .* got null$/,
      ],
      [many([0, 0, 1, 0]), /^TypeError: .*raycastMany: segments .* got Array$/],
      [many(new Float32Array(6)), /^RangeError: .*raycastMany: segments\.length .* of 4, got 6$/],
      [many(one, { radius: NaN }), /^RangeError: .*raycastMany: radius .* got NaN$/],
      [many(one, { sort: 'id' }), /^TypeError: .*raycastMany: no option 'sort' /],
      [many(one, 5), /^TypeError: .*raycastMany: options /],
      [
        () => row.raycast(0, 0, 1, 0, { inflate: -1 }),
        /^RangeError: .*raycast: inflate .* got -1$/,
      ],
      [
        () => row.raycastAll(0, 0, 1, 0, { inflate: 'x' }),
        /^TypeError: .*raycastAll: inflate .* got 'x'$/,
      ],
      [
        () => row.raycastAll(0, 0, 1, 0, { mask: new Uint32Array(1) }),
        /^TypeError: .*raycastAll: mask .* got Uint32Array$/,
      ],
      [
        many(one, { exclude: new Uint32Array(2) }),
        /^RangeError: .*raycastMany: exclude\.length must be 1, one per segment, got 2$/,
      ],
      [
        many(one, { mask: new Int32Array(1) }),
        /^TypeError: .*raycastMany: mask .* got Int32Array$/,
      ],
      [many(one, { inflate: [1] }), /^TypeError: .*raycastMany: inflate .* got Array$/],
      [
        many(one, { inflate: Float32Array.of(-1) }),
        /^RangeError: .*raycastMany: inflate\[0\] .* got -1$/,
      ],
      [
        many([0, 0, 1, 0], { mask: new Uint32Array(1) }),
        /^TypeError: .*raycastMany: segments .* got Array$/,
      ],
    ]
    for (const [call, pattern] of refusals) assertThrown(call, pattern)
    row.dispose()
    assertCode(many(one), 'DISPOSED')
    assertCode(() => row.build(), 'DISPOSED')
  })
}

test.run()
