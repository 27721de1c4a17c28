// Snapshots: what is restored goes on as if it had never been left, and bytes from anywhere are safe.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { forAll } from './support/fastcheck.js'
import { forged, seal, STATE, WORDS } from './support/snapshots.js'
import { createRandom, distributions } from '../../web/random.js'
import { bits, className, KINDS, maker, portrait, ROW, ROW_3D, thrown } from './support/indexes.js'

/** Other than by default, or than what tests take. */
const OTHER_OPTIONS = {
  AgentTree: [{ leafSize: 3 }, { axis: 'cycle' }, { split: 'median' }],
  Grid: [{ cellSize: 1 + 2 ** -23 }, { cellSize: 1e-20 }, { cellSize: 3 }],
  KdTree: [], // the builders give the same tree: see kdtree.test.js
}

/** Tests a kind of index in one build of the library. */
function testKind(kind, build, library) {
  const { start, empty, unbuilt, built, variants, assertCode, assertThrown } = maker(library, kind)
  const test = suite(`snapshots, ${kind}, ${build}`)
  test.before(start)

  function assertBad(index, bytes, before, what) {
    const { code } = thrown(() => index.restore(bytes))
    assert.is(code, 'BAD_SNAPSHOT', what)
    assert.equal(portrait(index), before, what)
  }

  // ---- Restoring ----

  test('restore gives back what was saved', () => {
    const options = { onNonFinite: 'skip', capacity: 6 }
    for (const [dimensions, coordinates] of [
      [2, ROW],
      [3, ROW_3D],
      [2, []],
    ]) {
      const index = unbuilt(dimensions, coordinates, options)
      for (let i = 0; i < index.count; i++) index.groups[i] = [1, 6, 0, 0xffffffff, 1, 1][i]
      index.build()
      const saved = index.save()
      const copy = empty(dimensions, options)
      copy.restore(saved)
      assert.equal(portrait(copy), portrait(index))
      assert.equal(copy.save(), saved)
      assert.ok(copy.validate())
    }
  })

  test('before the first build', () => {
    const index = unbuilt(2, ROW)
    const copy = empty(2, { capacity: 6 })
    copy.restore(index.save())
    assert.is(copy.count, 6)
    assert.is(copy.nearest(0, 0), -1)
    copy.build()
    index.build()
    assert.equal(portrait(copy), portrait(index))
  })

  test('after moves that were not built', () => {
    const index = built(2, ROW)
    for (let i = 0; i < 6; i++) index.positions.set([100 - i, -0], 2 * i)
    index.groups[2] = 0
    index.count = 4
    const copy = empty(2, { capacity: 10 })
    copy.restore(index.save())
    assert.is(copy.count, 4)
    assert.is(copy.nearest(2, 0), 2)
    assert.equal(copy.within(0, 0, 9), index.within(0, 0, 9))
    assert.equal(bits(copy.positions.subarray(0, 8)), bits(index.positions.subarray(0, 8)))
    index.build()
    copy.build()
    assert.equal(copy.within(100, 0, 9), index.within(100, 0, 9))
    assert.is(copy.nearest(98, 0), index.nearest(98, 0))
    assert.equal(copy.cells(), index.cells())
  })

  test('skipped agents stay skipped', () => {
    const index = built(2, [1, 1, NaN, 1, 2, Infinity, 3, 3], { onNonFinite: 'skip' })
    const copy = empty(2, { onNonFinite: 'skip', capacity: 4 })
    copy.restore(index.save())
    assert.equal(portrait(copy), portrait(index))
    assert.is(copy.stats().skipped, 2)
  })

  test('over what is there, larger or smaller, and back', () => {
    const small = built(3, [1, 2, 3]).save()
    const index = built(3, ROW_3D, { capacity: 9 })
    const large = index.save()
    const before = portrait(index)
    index.restore(small)
    assert.is(index.count, 1)
    assert.equal(index.within(0, 0, 0, Infinity), Uint32Array.of(0))
    index.restore(large)
    assert.equal(portrait(index), before)
  })

  test('the copy goes on as the original does', () => {
    const drawn = fc.record({
      seed: fc.noBias(fc.nat()),
      n: fc.integer({ min: 0, max: 200 }),
      distribution: fc.constantFrom(...Object.keys(distributions)),
      dimensions: fc.constantFrom(2, 3),
      options: fc.constantFrom(...variants),
    })
    forAll(drawn, 300, ({ seed, n, distribution, dimensions, options }) => {
      const random = createRandom(seed)
      const coordinates = distributions[distribution](random, n, dimensions)
      const index = unbuilt(dimensions, coordinates, { ...options, capacity: n + 20 })
      const copy = empty(dimensions, { ...options, capacity: n + 30 })
      const move = (i) => (index.positions[i] = random() * 100)
      for (let i = 0; i < n; i++) index.groups[i] = Math.floor(random() * 4)
      index.build()
      for (let i = 0; i < n; i++) move(i)
      copy.restore(index.save())
      for (let frame = 1; frame < 4; frame++) {
        const center = Array.from({ length: dimensions }, () => random() * 100)
        for (const radius of [20, Infinity])
          assert.equal(copy.within(...center, radius), index.within(...center, radius))
        assert.equal(copy.neighbors(...center, 9), index.neighbors(...center, 9))
        assert.equal(copy.cells(), index.cells())
        assert.ok(copy.validate())
        for (let i = 0; i < n * dimensions; i += 3) move(i)
        index.count = n + frame
        copy.count = index.count
        copy.positions.set(index.positions)
        index.build()
        copy.build()
      }
      index.dispose()
      copy.dispose()
    })
  })

  test('are a function of the state, not of its history', () => {
    const index = empty(3, { capacity: 50 })
    index.count = 50
    for (let i = 0; i < 50; i++) index.positions[3 * i] = i * 7
    index.build()
    index.count = 6
    index.positions.set(ROW_3D)
    index.groups[1] = 0
    index.build()
    const fresh = unbuilt(3, ROW_3D)
    fresh.groups[1] = 0
    fresh.build()
    assert.equal(index.save(), fresh.save())
  })

  test('pass from one core to the other and between layouts, byte for byte', async () => {
    const other = library === simd ? scalar : simd
    const options = { capacity: 9, layout: 'separate', instance: await other.create() }
    const copy = new other[className(kind, 3)]({ ...KINDS[kind].required, ...options })
    const index = built(3, ROW_3D)
    copy.restore(index.save())
    assert.equal(copy.save(), index.save())
    assert.equal(copy.within(0, 0, 0, 3), index.within(0, 0, 0, 3))
    assert.equal(copy.zs.slice(0, 6), Float32Array.of(0, 1, 2, 3, 4, 5))
  })

  // ---- Refusing ----

  test('every flipped bit: BAD_SNAPSHOT', () => {
    for (const [dimensions, coordinates] of [
      [2, [1, 2, 3, 4, 5, 6]],
      [3, [1, 2, 3, 4, 5, 6]],
    ]) {
      const index = built(dimensions, coordinates)
      const bytes = index.save()
      index.positions.reverse()
      index.build()
      const before = portrait(index)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3] ^= 1 << (bit & 7)
        assertBad(index, bytes, before, `bit ${bit}`)
        bytes[bit >> 3] ^= 1 << (bit & 7)
      }
      index.restore(bytes)
      assert.is(index.nearest(...coordinates.slice(0, dimensions)), 0)
    }
  })

  test('truncated, extended or empty: BAD_SNAPSHOT', () => {
    const index = built(2, ROW)
    const saved = index.save()
    index.positions.reverse()
    index.build()
    const before = portrait(index)
    for (let size = 0; size < saved.length; size++)
      assertBad(index, saved.subarray(0, size), before, `${size} bytes`)
    for (let more = 1; more <= 16; more++) {
      const longer = new Uint8Array(saved.length + more)
      longer.set(saved)
      assertBad(index, longer, before, `${more} bytes more`)
    }
    for (let words = WORDS.bytesHigh; words <= saved.length / 4 + 4; words++) {
      if (words === saved.length / 4) continue
      const bytes = new Uint8Array(words * 4)
      bytes.set(saved.subarray(0, words * 4))
      assertBad(index, seal(bytes), before, `${words} words, sealed`)
      assertBad(index, forged(bytes, { bytes: words * 4 }), before, `${words} words, declared`)
    }
  })

  test('of anything else: BAD_SNAPSHOT', () => {
    const index = built(2, ROW)
    const before = portrait(index)
    const random = createRandom(5)
    const noise = Uint8Array.from({ length: 400 }, () => random() * 256)
    assertBad(index, noise, before, 'noise')
    assertBad(index, new Uint8Array(1000), before, 'zeros')
    assertBad(index, new TextEncoder().encode('{ "count": 6 }'), before, 'text')
    assertBad(index, built(3, ROW_3D).save(), before, '3D')
    for (const options of [...OTHER_OPTIONS[kind], { onNonFinite: 'skip' }])
      assertBad(index, built(2, ROW, options).save(), before, JSON.stringify(options))
  })

  test('of another kind of index: BAD_SNAPSHOT', async () => {
    const index = built(2, ROW)
    const before = portrait(index)
    for (const other of Object.keys(KINDS).filter((name) => name !== kind)) {
      const make = maker(library, other)
      await make.start()
      assertBad(index, make.built(2, ROW).save(), before, other)
    }
  })

  test('forged with a right checksum: BAD_SNAPSHOT', () => {
    const index = built(2, ROW)
    const saved = index.save()
    index.restore(forged(saved, {}))
    index.positions.reverse()
    index.build()
    const before = portrait(index)

    const n = 6
    const counts = [0, n - 1, n + 1, 2 ** 28, 2 ** 29 + n, 2 ** 31, 2 ** 32 - 1]
    const builtState = STATE + 3 * n
    const notAccepted = bits(Float32Array.of(NaN, Infinity, -Infinity, 2e18))
    const ownKind = new Uint32Array(saved.buffer)[WORDS.kind]
    const forgeries = [
      ...[0, 1, 2, 3, 4, 0xffffffff].flatMap((value) => (value === ownKind ? [] : { kind: value })),
      ...[0, 2, 0xffffffff].flatMap((value) => [
        { magic: value },
        { version: value },
        { bytes: value },
      ]),
      ...[1, 3, 0xffffffff].flatMap((value) => [
        { dimensions: value },
        { [WORDS.options]: value },
        { [WORDS.options + 1]: value },
        { [WORDS.options + 2]: value },
        { onNonFinite: value },
        { bytesHigh: value },
      ]),
      ...counts.flatMap((value) => [{ count: value }, { builtCount: value }]),
      ...counts.slice(1).map((value) => ({ count: value, builtCount: value })),
      { count: n - 1, builtCount: n, skipped: 0 },
      { count: 2 ** 32 - n, builtCount: 3 * n },
      ...[1, n, n + 1, 2 ** 32 - 1].map((value) => ({ skipped: value })),
      ...[...notAccepted].flatMap((value) => [
        { [STATE]: value },
        { [STATE + 2 * n - 1]: value },
        { [builtState]: value },
        { [builtState + 2 * n - 1]: value },
      ]),
    ]
    for (const changes of forgeries)
      assertBad(index, forged(saved, changes), before, JSON.stringify(changes))
    assert.ok(index.validate())
  })

  test('any words after the head, sealed: refused, or a sound index', () => {
    const index = built(3, ROW_3D)
    const saved = index.save()
    const random = createRandom(9)
    const words = (saved.length >> 2) - STATE
    for (let round = 0; round < 2000; round++) {
      const changes = {}
      for (let i = 0; i < 3; i++)
        changes[STATE + Math.floor(random() * words)] = Math.floor(random() * 2 ** 32)
      try {
        index.restore(forged(saved, changes))
      } catch (error) {
        assert.is(error.code, 'BAD_SNAPSHOT')
      }
      assert.ok(index.validate(), JSON.stringify(changes))
    }
  })

  test('of more than the capacity: FULL, and nothing changed', () => {
    const index = built(2, ROW.slice(0, 10))
    const before = portrait(index)
    assertCode(() => index.restore(built(2, ROW).save()), 'FULL')
    const shrunk = built(2, ROW)
    shrunk.count = 1 // but six are built
    assertCode(() => index.restore(shrunk.save()), 'FULL')
    const grown = built(2, ROW.slice(0, 2), { capacity: 6 })
    grown.count = 6 // but one is built
    assertCode(() => index.restore(grown.save()), 'FULL')
    assert.equal(portrait(index), before)
    index.reserve(6)
    index.restore(built(2, ROW).save())
    assert.is(index.count, 6)
  })

  test('saveInto writes all or nothing, and bytes may lie anywhere', () => {
    const index = built(2, ROW)
    const saved = index.save()
    const bytes = new Uint8Array(saved.length + 3).fill(7)
    assert.is(index.saveInto(bytes), saved.length)
    assert.equal(bytes, Uint8Array.of(...saved, 7, 7, 7))
    const short = new Uint8Array(saved.length - 1).fill(7)
    assertThrown(
      () => index.saveInto(short),
      /^RangeError: Index\.saveInto: bytes\.length must be at least /,
    )
    assert.equal(short, new Uint8Array(saved.length - 1).fill(7))
    const odd = new Uint8Array(saved.length + 1).subarray(1)
    index.saveInto(odd)
    index.restore(odd)
    assert.is(index.nearest(3, 0), 3)
  })

  test('a position that no build accepts is not saved', () => {
    const index = built(2, ROW)
    const bytes = new Uint8Array(1000).fill(7)
    index.positions[2 * 4 + 1] = NaN
    const { message } = assertCode(() => index.save(), 'NOT_FINITE')
    assert.ok(message.startsWith(`${kind}.save: `))
    assertCode(() => index.saveInto(bytes), 'NOT_FINITE')
    assert.equal(bytes, new Uint8Array(1000).fill(7))
    index.groups[4] = 0
    assert.ok(index.save().length > 0)
  })

  test('its NOT_FINITE names the first such slot', () => {
    const index = built(2, ROW)
    index.positions[2 * 4 + 1] = NaN
    assert.is(assertCode(() => index.save(), 'NOT_FINITE').index, 4)
  })

  test.run()
}

for (const kind of Object.keys(KINDS))
  for (const [build, library] of Object.entries({ simd, scalar })) testKind(kind, build, library)
