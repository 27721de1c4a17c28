// Snapshots: what is restored goes on as if it had never been left, and bytes from anywhere are safe.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { createRandom, distributions } from './random.js'
import { assertThrown, bits, maker, portrait, ROW, ROW_3D, thrown } from './trees.js'

const environment = globalThis.process?.env
const SEED = Number(environment?.COPSE_SEED ?? 1)

/** Where the words of a snapshot lie; its buffers follow, then what was built. */
const WORDS = {
  magic: 0,
  version: 1,
  kind: 2,
  checksum: 3,
  bytes: 4,
  bytesHigh: 5,
  dimensions: 6,
  leafSize: 7,
  axis: 8,
  split: 9,
  onNonFinite: 10,
  count: 11,
  builtCount: 12,
  skipped: 13,
}
const STATE = 14

/** Gives bytes that were changed a right checksum, as a forger would. */
function seal(bytes) {
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2)
  let hash = 0
  words.forEach((word, i) => {
    if (i === WORDS.checksum) return
    hash = Math.imul(hash ^ Math.imul(word, 0xcc9e2d51), 0x85ebca6b)
    hash ^= hash >>> 15
  })
  words[WORDS.checksum] = hash
  return bytes
}

/** A copy with some words changed, by name or place, and sealed again. */
function forged(saved, changes) {
  const bytes = saved.slice()
  const words = new Uint32Array(bytes.buffer)
  for (const [word, value] of Object.entries(changes)) words[WORDS[word] ?? word] = value
  return seal(bytes)
}

for (const [build, library] of Object.entries({ simd, scalar })) {
  const { start, empty, unbuilt, treeOf, assertCode } = maker(library)
  const test = suite(`snapshots, ${build}`)
  test.before(start)

  function assertBad(tree, bytes, before, what) {
    const { code } = thrown(() => tree.restore(bytes))
    assert.is(code, 'BAD_SNAPSHOT', what)
    assert.equal(portrait(tree), before, what)
  }

  // ---- Restoring ----

  test('restore gives back what was saved', () => {
    const options = { onNonFinite: 'skip', capacity: 6, leafSize: 2 }
    for (const [dimensions, coordinates] of [
      [2, ROW],
      [3, ROW_3D],
      [2, []],
    ]) {
      const tree = unbuilt(dimensions, coordinates, options)
      for (let i = 0; i < tree.count; i++) tree.groups[i] = [1, 6, 0, 0xffffffff, 1, 1][i]
      tree.build()
      const saved = tree.save()
      const copy = empty(dimensions, options)
      copy.restore(saved)
      assert.equal(portrait(copy), portrait(tree))
      assert.equal(copy.save(), saved)
      assert.ok(copy.validate())
    }
  })

  test('before the first build', () => {
    const tree = unbuilt(2, ROW)
    const copy = empty(2, { capacity: 6 })
    copy.restore(tree.save())
    assert.is(copy.count, 6)
    assert.is(copy.nearest(0, 0), -1)
    copy.build()
    tree.build()
    assert.equal(portrait(copy), portrait(tree))
  })

  test('after moves that were not built', () => {
    const tree = treeOf(2, ROW)
    for (let i = 0; i < 6; i++) tree.positions.set([100 - i, -0], 2 * i)
    tree.groups[2] = 0
    tree.count = 4
    const copy = empty(2, { capacity: 10 })
    copy.restore(tree.save())
    assert.is(copy.count, 4)
    assert.is(copy.nearest(2, 0), 2)
    assert.equal(copy.within(0, 0, 9), tree.within(0, 0, 9))
    assert.equal(bits(copy.positions.subarray(0, 8)), bits(tree.positions.subarray(0, 8)))
    tree.build()
    copy.build()
    assert.equal(copy.within(100, 0, 9), tree.within(100, 0, 9))
    assert.is(copy.nearest(98, 0), tree.nearest(98, 0))
    assert.equal(copy.cells(), tree.cells())
  })

  test('skipped agents stay skipped', () => {
    const tree = treeOf(2, [1, 1, NaN, 1, 2, Infinity, 3, 3], { onNonFinite: 'skip' })
    const copy = empty(2, { onNonFinite: 'skip', capacity: 4 })
    copy.restore(tree.save())
    assert.equal(portrait(copy), portrait(tree))
    assert.is(copy.stats().skipped, 2)
  })

  test('over what is there, larger or smaller, and back', () => {
    const small = treeOf(3, [1, 2, 3]).save()
    const tree = treeOf(3, ROW_3D, { capacity: 9 })
    const large = tree.save()
    const before = portrait(tree)
    tree.restore(small)
    assert.is(tree.count, 1)
    assert.equal(tree.within(0, 0, 0, Infinity), Uint32Array.of(0))
    tree.restore(large)
    assert.equal(portrait(tree), before)
  })

  test('the copy goes on as the original does', () => {
    const drawn = fc.record({
      seed: fc.noBias(fc.nat()),
      n: fc.integer({ min: 0, max: 200 }),
      distribution: fc.constantFrom(...Object.keys(distributions)),
      dimensions: fc.constantFrom(2, 3),
      leafSize: fc.constantFrom(1, 2, 12),
      split: fc.constantFrom('midpoint', 'median'),
    })
    const property = fc.property(
      drawn,
      ({ seed, n, distribution, dimensions, leafSize, split }) => {
        const random = createRandom(seed)
        const coordinates = distributions[distribution](random, n, dimensions)
        const tree = unbuilt(dimensions, coordinates, { leafSize, split, capacity: n + 20 })
        const copy = empty(dimensions, { leafSize, split, capacity: n + 30 })
        const move = (i) => (tree.positions[i] = random() * 100)
        for (let i = 0; i < n; i++) tree.groups[i] = Math.floor(random() * 4)
        tree.build()
        for (let i = 0; i < n; i++) move(i)
        copy.restore(tree.save())
        for (let frame = 1; frame < 4; frame++) {
          const center = Array.from({ length: dimensions }, () => random() * 100)
          for (const radius of [20, Infinity])
            assert.equal(copy.within(...center, radius), tree.within(...center, radius))
          assert.equal(copy.neighbors(...center, 9), tree.neighbors(...center, 9))
          assert.equal(copy.cells(), tree.cells())
          assert.ok(copy.validate())
          for (let i = 0; i < n * dimensions; i += 3) move(i)
          tree.count = n + frame
          copy.count = tree.count
          copy.positions.set(tree.positions)
          tree.build()
          copy.build()
        }
        tree.dispose()
        copy.dispose()
      },
    )
    fc.assert(property, { seed: SEED, numRuns: 300, includeErrorInReport: true })
  })

  test('are a function of the state, not of its history', () => {
    const tree = empty(3, { capacity: 50, leafSize: 1 })
    tree.count = 50
    for (let i = 0; i < 50; i++) tree.positions[3 * i] = i * 7
    tree.build()
    tree.count = 6
    tree.positions.set(ROW_3D)
    tree.groups[1] = 0
    tree.build()
    const fresh = unbuilt(3, ROW_3D, { leafSize: 1 })
    fresh.groups[1] = 0
    fresh.build()
    assert.equal(tree.save(), fresh.save())
  })

  test('pass from one core to the other and between layouts, byte for byte', async () => {
    const other = library === simd ? scalar : simd
    const options = { capacity: 9, layout: 'separate', instance: await other.create() }
    const copy = new other.AgentTree3D(options)
    const tree = treeOf(3, ROW_3D)
    copy.restore(tree.save())
    assert.equal(copy.save(), tree.save())
    assert.equal(copy.within(0, 0, 0, 3), tree.within(0, 0, 0, 3))
    assert.equal(copy.zs.slice(0, 6), Float32Array.of(0, 1, 2, 3, 4, 5))
  })

  // ---- Refusing ----

  test('every flipped bit: BAD_SNAPSHOT', () => {
    for (const [dimensions, coordinates] of [
      [2, [1, 2, 3, 4, 5, 6]],
      [3, [1, 2, 3, 4, 5, 6]],
    ]) {
      const tree = treeOf(dimensions, coordinates)
      const bytes = tree.save()
      tree.positions.reverse()
      tree.build()
      const before = portrait(tree)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3] ^= 1 << (bit & 7)
        assertBad(tree, bytes, before, `bit ${bit}`)
        bytes[bit >> 3] ^= 1 << (bit & 7)
      }
      tree.restore(bytes)
      assert.is(tree.nearest(...coordinates.slice(0, dimensions)), 0)
    }
  })

  test('truncated, extended or empty: BAD_SNAPSHOT', () => {
    const tree = treeOf(2, ROW)
    const saved = tree.save()
    tree.positions.reverse()
    tree.build()
    const before = portrait(tree)
    for (let size = 0; size < saved.length; size++)
      assertBad(tree, saved.subarray(0, size), before, `${size} bytes`)
    for (let more = 1; more <= 16; more++) {
      const longer = new Uint8Array(saved.length + more)
      longer.set(saved)
      assertBad(tree, longer, before, `${more} bytes more`)
    }
    for (let words = WORDS.bytesHigh; words <= saved.length / 4 + 4; words++) {
      if (words === saved.length / 4) continue
      const bytes = new Uint8Array(words * 4)
      bytes.set(saved.subarray(0, words * 4))
      assertBad(tree, seal(bytes), before, `${words} words, sealed`)
      assertBad(tree, forged(bytes, { bytes: words * 4 }), before, `${words} words, declared`)
    }
  })

  test('of anything else: BAD_SNAPSHOT', () => {
    const tree = treeOf(2, ROW)
    const before = portrait(tree)
    const random = createRandom(5)
    const noise = Uint8Array.from({ length: 400 }, () => random() * 256)
    assertBad(tree, noise, before, 'noise')
    assertBad(tree, new Uint8Array(1000), before, 'zeros')
    assertBad(tree, new TextEncoder().encode('{ "count": 6 }'), before, 'text')
    assertBad(tree, treeOf(3, ROW_3D).save(), before, '3D')
    for (const options of [
      { leafSize: 3 },
      { axis: 'cycle' },
      { split: 'median' },
      { onNonFinite: 'skip' },
    ])
      assertBad(tree, treeOf(2, ROW, options).save(), before, JSON.stringify(options))
  })

  test('forged with a right checksum: BAD_SNAPSHOT', () => {
    const tree = treeOf(2, ROW)
    const saved = tree.save()
    tree.restore(forged(saved, {}))
    tree.positions.reverse()
    tree.build()
    const before = portrait(tree)

    const n = 6
    const counts = [0, n - 1, n + 1, 2 ** 28, 2 ** 29 + n, 2 ** 31, 2 ** 32 - 1]
    const built = STATE + 3 * n
    const notAccepted = bits(Float32Array.of(NaN, Infinity, -Infinity, 2e18))
    const forgeries = [
      ...[0, 2, 0xffffffff].flatMap((value) => [
        { magic: value },
        { version: value },
        { kind: value },
        { bytes: value },
      ]),
      ...[1, 3, 0xffffffff].flatMap((value) => [
        { dimensions: value },
        { leafSize: value },
        { axis: value },
        { split: value },
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
        { [built]: value },
        { [built + 2 * n - 1]: value },
      ]),
    ]
    for (const changes of forgeries)
      assertBad(tree, forged(saved, changes), before, JSON.stringify(changes))
    assert.ok(tree.validate())
  })

  test('any words after the head, sealed: refused, or a sound tree', () => {
    const tree = treeOf(3, ROW_3D, { leafSize: 1 })
    const saved = tree.save()
    const random = createRandom(9)
    const words = (saved.length >> 2) - STATE
    for (let round = 0; round < 2000; round++) {
      const changes = {}
      for (let i = 0; i < 3; i++)
        changes[STATE + Math.floor(random() * words)] = Math.floor(random() * 2 ** 32)
      try {
        tree.restore(forged(saved, changes))
      } catch (error) {
        assert.is(error.code, 'BAD_SNAPSHOT')
      }
      assert.ok(tree.validate(), JSON.stringify(changes))
    }
  })

  test('of more than the capacity: FULL, and nothing changed', () => {
    const tree = treeOf(2, ROW.slice(0, 10))
    const before = portrait(tree)
    assertCode(() => tree.restore(treeOf(2, ROW).save()), 'FULL')
    const shrunk = treeOf(2, ROW)
    shrunk.count = 1 // but six are built
    assertCode(() => tree.restore(shrunk.save()), 'FULL')
    const grown = treeOf(2, ROW.slice(0, 2), { capacity: 6 })
    grown.count = 6 // but one is built
    assertCode(() => tree.restore(grown.save()), 'FULL')
    assert.equal(portrait(tree), before)
    tree.reserve(6)
    tree.restore(treeOf(2, ROW).save())
    assert.is(tree.count, 6)
  })

  test('saveInto writes all or nothing, and bytes may lie anywhere', () => {
    const tree = treeOf(2, ROW)
    const saved = tree.save()
    const bytes = new Uint8Array(saved.length + 3).fill(7)
    assert.is(tree.saveInto(bytes), saved.length)
    assert.equal(bytes, Uint8Array.of(...saved, 7, 7, 7))
    const short = new Uint8Array(saved.length - 1).fill(7)
    assertThrown(
      () => tree.saveInto(short),
      /^RangeError: AgentTree\.saveInto: bytes\.length must be at least /,
    )
    assert.equal(short, new Uint8Array(saved.length - 1).fill(7))
    const odd = new Uint8Array(saved.length + 1).subarray(1)
    tree.saveInto(odd)
    tree.restore(odd)
    assert.is(tree.nearest(3, 0), 3)
  })

  test('a position that no build accepts is not saved', () => {
    const tree = treeOf(2, ROW)
    const bytes = new Uint8Array(1000).fill(7)
    tree.positions[2 * 4 + 1] = NaN
    const { message } = assertCode(() => tree.save(), 'NOT_FINITE')
    assert.match(message, /^AgentTree\.save: /)
    assertCode(() => tree.saveInto(bytes), 'NOT_FINITE')
    assert.equal(bytes, new Uint8Array(1000).fill(7))
    tree.groups[4] = 0
    assert.ok(tree.save().length > 0)
  })

  test('its NOT_FINITE names the first such slot', () => {
    const tree = treeOf(2, ROW)
    tree.positions[2 * 4 + 1] = NaN
    assert.is(assertCode(() => tree.save(), 'NOT_FINITE').index, 4)
  })

  test.run()
}
