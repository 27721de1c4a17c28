// Snapshots: a restored index continues like the saved one, and untrusted bytes are safe.

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { CLASSES, createOf, familyOf } from './support/class-oracles.js'
import { forAll, runsOf } from './support/fastcheck.js'
import { forged, seal, STATE, WORDS } from './support/snapshots.js'
import { createRandom, distributions } from '../../web/random.js'
import { bits, KINDS, maker, observableState, ROW, ROW_3D, thrown } from './support/indexes.js'

/** Options that differ from those of the tests. */
const OTHER_OPTIONS = {
  AgentTree: [{ leafSize: 3 }, { axis: 'cycle' }, { split: 'median' }],
  Grid: [{ cellSize: 1 + 2 ** -23 }, { cellSize: 1e-20 }, { cellSize: 3 }],
  // A world that wraps around is in wrap.test.js: its sides depend on the dimensions.
  KdTree: [], // the builders give the same tree: see kdtree.test.js
}

/** Tests a kind of index. */
function testKind(kind) {
  const { start, empty, unbuilt, built, variants, assertCode, assertThrown } = maker(copse, kind)
  const test = suite(`snapshots, ${kind}`)
  test.before(start)

  function assertBad(index, bytes, before, context) {
    const { code } = thrown(() => index.restore(bytes))
    assert.is(code, 'BAD_SNAPSHOT', context)
    assert.equal(observableState(index), before, context)
  }

  // ---- Restoring ----

  test('restore brings back what was saved', () => {
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
      assert.equal(observableState(copy), observableState(index))
      assert.equal(copy.save(), saved)
      assert.ok(copy._validate())
    }
  })

  test('an index that was saved before its first build is restored', () => {
    const index = unbuilt(2, ROW)
    const copy = empty(2, { capacity: 6 })
    copy.restore(index.save())
    assert.equal([copy.count, copy.slots], [6, 6])
    assertCode(() => copy.nearest(0, 0), 'NOT_BUILT')
    assert.equal(observableState(copy), observableState(index))
    copy.build()
    index.build()
    assert.equal(observableState(copy), observableState(index))
  })

  test('changes since the last build are restored', () => {
    const index = built(2, ROW)
    for (let i = 0; i < 6; i++) index.positions.set([100 - i, -0], 2 * i)
    index.groups[2] = 0
    index.slots = 4
    index.remove(1)
    const copy = empty(2, { capacity: 10 })
    copy.restore(index.save())
    assert.equal([copy.count, copy.slots], [3, 4])
    assert.equal([...copy.generations], [1, 2, 1, 1, 2, 2, 0, 0, 0, 0])
    assert.equal([...copy.groups], [1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
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
    assert.equal(observableState(copy), observableState(index))
    assert.is(copy.stats().skipped, 2)
  })

  test('restore replaces larger and smaller contents', () => {
    const small = built(3, [1, 2, 3]).save()
    const index = built(3, ROW_3D, { capacity: 9 })
    const large = index.save()
    const before = observableState(index)
    index.restore(small)
    assert.is(index.count, 1)
    assert.equal(index.within(0, 0, 0, Infinity), Uint32Array.of(0))
    index.restore(large)
    assert.equal(observableState(index), before)
  })

  test('the copy continues like the original', () => {
    const drawn = fc.record({
      seed: fc.noBias(fc.nat()),
      n: fc.integer({ min: 0, max: 200 }),
      distribution: fc.constantFrom(...Object.keys(distributions)),
      dimensions: fc.constantFrom(2, 3),
      options: fc.constantFrom(...variants),
    })
    forAll(drawn, runsOf(30), ({ seed, n, distribution, dimensions, options }) => {
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
        assert.ok(copy._validate())
        for (let i = 0; i < n * dimensions; i += 3) move(i)
        index.slots = n + frame
        copy.slots = index.slots
        for (const object of n > 0 ? [index, copy] : []) {
          object.remove(0)
          object.move(n, ...center)
          if (frame === 3) assert.is(object.add(...center), 0)
        }
        copy.positions.set(index.positions)
        index.build()
        copy.build()
      }
      index.dispose()
      copy.dispose()
    })
  })

  test('equal states have equal snapshots, whatever their history', () => {
    const index = empty(3, { capacity: 50 })
    for (let i = 0; i < 6; i++) index.add(i * 7, 0, 0)
    index.build()
    index.groups.fill(3)
    index.reserve(90)
    index.allWithin(9)
    index.build()
    index.restore(index.save())
    index.groups.fill(1, 0, 6)
    index.positions.set(ROW_3D)
    index.groups[1] = 0
    index.build()
    const fresh = unbuilt(3, ROW_3D)
    fresh.groups[1] = 0
    fresh.build()
    assert.equal(index.save(), fresh.save())

    // Generations belong to the state: a freed slot differs from one that was never in use.
    index.slots = 9
    index.slots = 6
    assert.not.equal(index.save(), fresh.save())
    index.groups[6] = 5 // of a free slot: does not matter
    fresh.slots = 6
    fresh.reserve(9)
    fresh.slots = 9
    for (const slot of [8, 6, 7]) fresh.remove(slot)
    fresh.slots = 6
    assert.equal(index.save(), fresh.save())
  })

  test('a snapshot is the same in both layouts', () => {
    const index = built(3, ROW_3D)
    const copy = empty(3, { capacity: 9, layout: 'separate' })
    copy.restore(index.save())
    assert.equal(copy.save(), index.save())
    assert.equal(copy.within(0, 0, 0, 3), index.within(0, 0, 0, 3))
    assert.equal(copy.zs.slice(0, 6), Float32Array.of(0, 1, 2, 3, 4, 5))
  })

  // ---- Refusing ----

  test('restore throws BAD_SNAPSHOT for every flipped bit', () => {
    for (const [dimensions, coordinates] of [
      [2, [1, 2, 3, 4, 5, 6]],
      [3, [1, 2, 3, 4, 5, 6]],
    ]) {
      const index = built(dimensions, coordinates)
      const bytes = index.save()
      index.positions.reverse()
      index.build()
      const before = observableState(index)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3] ^= 1 << (bit & 7)
        assertBad(index, bytes, before, `bit ${bit}`)
        bytes[bit >> 3] ^= 1 << (bit & 7)
      }
      index.restore(bytes)
      assert.is(index.nearest(...coordinates.slice(0, dimensions)), 0)
    }
  })

  test('restore throws BAD_SNAPSHOT for truncated, extended and empty bytes', () => {
    const index = built(2, ROW)
    const saved = index.save()
    index.positions.reverse()
    index.build()
    const before = observableState(index)
    for (let size = 0; size < saved.length; size++)
      assertBad(index, saved.subarray(0, size), before, `${size} bytes`)
    for (let extra = 1; extra <= 16; extra++) {
      const longer = new Uint8Array(saved.length + extra)
      longer.set(saved)
      assertBad(index, longer, before, `${extra} bytes more`)
    }
    for (let words = WORDS.bytesHigh; words <= saved.length / 4 + 4; words++) {
      if (words === saved.length / 4) continue
      const bytes = new Uint8Array(words * 4)
      bytes.set(saved.subarray(0, words * 4))
      assertBad(index, seal(bytes), before, `${words} words, sealed`)
      assertBad(index, forged(bytes, { bytes: words * 4 }), before, `${words} words, declared`)
    }
  })

  test('restore throws BAD_SNAPSHOT for other bytes, dimensions and options', () => {
    const index = built(2, ROW)
    const before = observableState(index)
    const random = createRandom(5)
    const noise = Uint8Array.from({ length: 400 }, () => random() * 256)
    assertBad(index, noise, before, 'noise')
    assertBad(index, new Uint8Array(1000), before, 'zeros')
    assertBad(index, new TextEncoder().encode('{ "count": 6 }'), before, 'text')
    assertBad(index, built(3, ROW_3D).save(), before, '3D')
    for (const options of [...OTHER_OPTIONS[kind], { onNonFinite: 'skip' }])
      assertBad(index, built(2, ROW, options).save(), before, JSON.stringify(options))
  })

  test('restore throws BAD_SNAPSHOT for snapshots of another kind', async () => {
    const index = built(2, ROW)
    const before = observableState(index)
    for (const other of Object.keys(KINDS).filter((name) => name !== kind)) {
      const make = maker(copse, other)
      await make.start()
      assertBad(index, make.built(2, ROW).save(), before, other)
    }
  })

  test('restore throws BAD_SNAPSHOT for forgeries with a correct checksum', () => {
    const index = built(2, ROW)
    const saved = index.save()
    index.restore(forged(saved, {}))
    index.positions.reverse()
    index.build()
    const before = observableState(index)

    const n = 6
    const counts = [0, n - 1, n + 1, 2 ** 28, 2 ** 29 + n, 2 ** 31, 2 ** 32 - 1]
    const buffers = STATE + n // after the generations
    const lastBuild = buffers + 3 * n
    const notAccepted = bits(Float32Array.of(NaN, Infinity, -Infinity, 2e18))
    const ownKind = new Uint32Array(saved.buffer)[WORDS.kind]
    const forgeries = [
      ...[0, 1, 2, 3, 4, 0xffffffff].flatMap((value) => (value === ownKind ? [] : { kind: value })),
      ...[0, 2, 0xffffffff].flatMap((value) => [{ magic: value }, { bytes: value }]),
      ...[0, 1, 3, 0xffffffff].map((value) => ({ version: value })),
      ...[1, 3, 0xffffffff].flatMap((value) => [
        { dimensions: value },
        { [WORDS.options]: value },
        { [WORDS.options + 1]: value },
        { [WORDS.options + 2]: value },
        { onNonFinite: value },
        { bytesHigh: value },
      ]),
      ...counts.flatMap((value) => [{ slots: value }, { builtCount: value }, { ever: value }]),
      ...counts.slice(1).map((value) => ({ slots: value, builtCount: value })),
      ...counts.slice(1).map((value) => ({ ever: value, slots: value, builtCount: value })),
      { slots: n - 1, builtCount: n, skipped: 0 },
      { slots: 2 ** 32 - n, builtCount: 3 * n },
      { isBuilt: 0 },
      ...[2, 0xffffffff].map((value) => ({ isBuilt: value })),
      // A last slot that was never in use, and free slots with a group.
      { [STATE + n - 1]: 0 },
      ...[0, 2, 4].map((value) => ({ [STATE + 1]: value })),
      ...[1, n, n + 1, 2 ** 32 - 1].map((value) => ({ skipped: value })),
      ...[...notAccepted].flatMap((value) => [
        { [buffers]: value },
        { [buffers + 2 * n - 1]: value },
        { [lastBuild]: value },
        { [lastBuild + 2 * n - 1]: value },
      ]),
    ]
    for (const changes of forgeries)
      assertBad(index, forged(saved, changes), before, JSON.stringify(changes))
    assert.ok(index._validate())
  })

  test('restore refuses random words after the head, or leaves a valid index', () => {
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
      assert.ok(index._validate(), JSON.stringify(changes))
    }
  })

  test('saveInto writes all or nothing, and bytes may be unaligned', () => {
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

  test('save throws NOT_FINITE for a position that no build accepts', () => {
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

  test('NOT_FINITE of save names the first bad slot', () => {
    const index = built(2, ROW)
    index.positions[2 * 4 + 1] = NaN
    assert.is(assertCode(() => index.save(), 'NOT_FINITE').index, 4)
  })

  test.run()
}

for (const kind of Object.keys(KINDS)) testKind(kind)

// ---- Every class ----

const versions = suite('snapshots of every class')

for (const type of CLASSES) {
  const { name, dimensions } = type
  versions(`restore of a ${name} refuses other versions`, async () => {
    const instance = await copse.create()
    const object = createOf(copse, type, { capacity: 30, instance })
    const random = createRandom(6)
    familyOf(name).fill(object, dimensions, () => random() * 9)
    const saved = object.save()
    const { version } = WORDS
    assert.is(new Uint32Array(saved.buffer)[version], 2)
    if (name === 'FlowField') object.setGoals([])
    else object.clear()
    const before = object.save()
    for (const other of [1, 0, 3, 2 ** 32 - 1]) {
      assert.is(
        thrown(() => object.restore(forged(saved, { version: other }))).code,
        'BAD_SNAPSHOT',
      )
      assert.equal(object.save(), before)
    }
    object.restore(forged(saved, { version: 2 }))
    assert.equal(object.save(), saved)
  })
}

for (const type of CLASSES) {
  const { name, dimensions } = type
  versions(`restore of a ${name} reserves what the snapshot needs`, async () => {
    const instance = await copse.create()
    const random = createRandom(7)
    const make = (capacity) => createOf(copse, type, { capacity, instance })
    const object = make(40)
    familyOf(name).fill(object, dimensions, () => random() * 9, 30)
    if (name !== 'FlowField') object.remove(0)
    const saved = object.save()
    const needed = object.slots ?? object.stats().anchors
    const small = make(2)
    const damaged = saved.slice()
    damaged[damaged.length - 3] ^= 1
    assert.is(thrown(() => small.restore(damaged)).code, 'BAD_SNAPSHOT')
    assert.is(small.capacity, 2)
    small.restore(saved)
    assert.is(small.capacity, needed)
    assert.equal(small.save(), saved)
    small.restore(saved)
    assert.is(small.capacity, needed)
    const large = make(100)
    large.restore(saved)
    assert.is(large.capacity, 100)
    assert.equal(large.save(), saved)
  })
}

for (const type of CLASSES) {
  const { name, dimensions } = type
  versions(`a ${name} takes no more memory for a forged head than its bytes justify`, async () => {
    const instance = await copse.create({ memory: 2 ** 20 })
    const random = createRandom(8)
    const object = createOf(copse, type, { capacity: 30, instance })
    familyOf(name).fill(object, dimensions, () => random() * 9, 20)
    const saved = object.save()
    const before = instance.memory.buffer.byteLength
    // Every word of the head claims 2 ** 28 agents, in turn and in pairs, with a correct checksum.
    const head = Math.min(32, saved.length / 4)
    for (let first = 6; first < head; first++)
      for (let second = first; second < head; second++) {
        const changes = { [first]: 2 ** 28, [second]: 2 ** 28 }
        let code = ''
        try {
          object.restore(forged(saved, changes))
        } catch (error) {
          code = error.code
        }
        assert.ok(code === '' || code === 'BAD_SNAPSHOT', `${first} ${second}: ${code}`)
        assert.is(object.capacity, 30)
      }
    assert.is(instance.memory.buffer.byteLength, before)
    object.restore(saved)
    assert.equal(object.save(), saved)
  })
}

versions.run()
