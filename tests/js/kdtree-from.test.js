// KdTree.from creates a tree from the snapshot of any k-d tree, and from no other bytes.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { forged, seal, STATE, WORDS } from './support/snapshots.js'
import {
  bytesOf,
  className,
  KINDS,
  maker,
  observableState,
  ROW,
  ROW_3D,
  thrown,
} from './support/indexes.js'
import * as oracle from './support/point-oracle.js'
import { createRandom, distributions } from '../../web/random.js'

const SEED = Number(process.env.COPSE_SEED ?? 1)

const test = suite('KdTree.from')
const make = maker(copse, 'KdTree')
const { start, empty, unbuilt, built, variants, assertCode, assertThrown } = make
let instance
test.before(async () => {
  await start()
  instance = await copse.create()
})

const classOf = (dimensions) => copse[className('KdTree', dimensions)]
const restored = (bytes, options) => copse.KdTree.from(bytes, { instance, ...options })

function assertBad(bytes, context, dimensions = 2) {
  const error = thrown(() => classOf(dimensions).from(bytes, { instance }))
  assert.instance(error, copse.CopseError, context)
  assert.is(error.code, 'BAD_SNAPSHOT', context)
}

test('returns the tree that was saved', () => {
  for (const options of variants)
    for (const [dimensions, coordinates] of [
      [2, ROW],
      [3, ROW_3D],
      [2, [1, 2]],
      [2, [3, 4, 3, 4, -0, 0, 3, 4]],
    ]) {
      const tree = unbuilt(dimensions, coordinates, options)
      for (let i = 0; i < tree.slots; i++) tree.groups[i] = [1, 6, 0, 0xffffffff, 1, 1][i]
      tree.build()
      const copy = classOf(dimensions).from(tree.save(), { instance })
      assert.instance(copy, classOf(dimensions))
      assert.is(copy.capacity, tree.capacity)
      const bytes = copy.stats().bytes // presort takes more
      assert.equal(observableState(copy), {
        ...observableState(tree),
        stats: { ...tree.stats(), visits: 0, bytes },
      })
      assert.equal(copy.save(), tree.save())
      assert.ok(copy.validate())
      copy.positions[0] = 9
      copy.slots = 1
      copy.build()
      assert.is(copy.stats().agents, 1)
      copy.dispose()
    }
})

test('returns a tree of thousands of points', () => {
  for (const dimensions of [2, 3]) {
    const n = 5000
    const tree = built(dimensions, distributions.uniform(createRandom(4), n, dimensions))
    const copy = classOf(dimensions).from(tree.save(), { instance })
    assert.is(copy.capacity, n)
    const { bytes } = copy.stats()
    assert.equal(observableState(copy), {
      ...observableState(tree),
      stats: { ...tree.stats(), visits: 0, bytes },
    })
    copy.dispose()
  }
})

test('returns a tree that was empty, not built, or changed since its build', () => {
  const none = restored(empty(2).save())
  assert.equal([none.count, none.slots, none.capacity], [0, 0, 1])
  assertCode(() => none.nearest(0, 0), 'NOT_BUILT')
  none.build()
  const builtEmpty = restored(none.save())
  assert.is(builtEmpty.nearest(0, 0), -1)
  const never = restored(unbuilt(2, ROW).save())
  assert.equal([never.count, never.slots, never.capacity], [6, 6, 6])
  assertCode(() => never.nearest(0, 0), 'NOT_BUILT')
  never.build()
  assert.equal(never.within(0, 0, 1, { sort: 'id' }), Uint32Array.of(0, 1))

  const tree = built(2, ROW)
  tree.slots = 2
  tree.positions.set([50, 50])
  tree.remove(1)
  const copy = restored(tree.save())
  assert.equal([copy.count, copy.slots, copy.capacity, copy.nearest(5, 0)], [1, 2, 6, 5])
  assert.equal([...copy.generations], [1, 2, 2, 2, 2, 2])
  copy.build()
  assert.is(copy.nearest(50, 50), 0)
  assert.is(copy.stats().agents, 1)
  tree.clear()
  const cleared = restored(tree.save())
  assert.equal([cleared.count, cleared.capacity, cleared.nearest(5, 0)], [0, 6, 5])
  assert.is(cleared.add(1, 1), 0)
  assert.is(cleared.generations[0], 3)
})

test('uses its options', () => {
  const saved = built(2, ROW).save()
  for (const { builder } of variants)
    for (const layout of ['interleaved', 'separate']) {
      const tree = restored(saved, { builder, layout, capacity: 20 })
      assert.is(tree.capacity, 20)
      if (layout === 'separate')
        assert.equal(tree.xs.subarray(0, 7), Float32Array.of(0, 1, 2, 3, 4, 5, 0))
      else assert.equal(tree.positions.subarray(0, 12), Float32Array.from(ROW))
      assert.is(tree.allNeighbors({ k: 2 }).counts[5], 2)
      tree.slots = 20
      tree.build()
      assert.is(tree.countWithin(0, 0, 0), 15)
      assert.equal(tree.save().length, (STATE + 20 * 7) * 4)
      tree.dispose()
    }
  const missing = { capacity: undefined, onNonFinite: undefined, builder: undefined }
  assert.is(restored(saved, missing).capacity, 6)
  for (const n of [1001, 3000]) {
    const many = built(2, new Float32Array(2 * n)).save()
    assert.is(restored(many, missing).count, n, 'undefined means the size of the snapshot')
  }
})

test('keeps onNonFinite and the number of skipped agents', () => {
  const tree = built(2, [1, 1, NaN, 1, 2, 2], { onNonFinite: 'skip' })
  for (const options of [{}, { onNonFinite: 'skip' }, { onNonFinite: undefined }]) {
    const copy = restored(tree.save(), options)
    assert.is(copy.stats().skipped, 1)
    copy.build()
    assert.is(copy.stats().skipped, 1)
  }
  const call = () => restored(tree.save(), { onNonFinite: 'error' })
  assertCode(call, 'BAD_SNAPSHOT')
})

test('takes memory in its instance only', async () => {
  const other = await copse.create()
  const saved = built(2, ROW).save()
  const tree = restored(saved, { instance: other })
  const bytes = bytesOf(tree)
  restored(saved).dispose()
  restored(saved, { capacity: 100_000 }).dispose()
  assert.is(bytesOf(tree), bytes)
  assert.is(tree.nearest(4, 0), 4)
  assertThrown(
    () => copse.KdTree.from(saved, { instance: {} }),
    /^TypeError: Index: instance must be /,
  )
})

test('refuses wrong options', () => {
  const saved = built(2, ROW).save()
  for (const wrong of [null, 5, 'x', true])
    assertThrown(() => copse.KdTree.from(saved, wrong), /^TypeError: Index\.from: options /)
  const refusals = [
    [{ capacity: 0 }, /^RangeError: Index: capacity must be .* got 0$/],
    [{ capacity: '6' }, /^TypeError: Index: capacity must be .* got '6'$/],
    [{ builder: 'fast' }, /^RangeError: Index: builder must be .* got 'fast'$/],
    [{ layout: 5 }, /^TypeError: Index: layout must be .* got 5$/],
    [{ onNonFinite: 'ignore' }, /^RangeError: Index: onNonFinite must be .* got 'ignore'$/],
    [{ results: 5 }, /^TypeError: Index\.from: no option 'results' /],
  ]
  for (const [options, pattern] of refusals) assertThrown(() => restored(saved, options), pattern)
  assertCode(() => restored(saved, { capacity: 5 }), 'FULL')
})

test('throws TypeError for anything but a Uint8Array', () => {
  const { buffer } = built(2, ROW).save()
  for (const wrong of [
    undefined,
    null,
    5,
    'x',
    [],
    {},
    buffer,
    new Uint32Array(buffer),
    new DataView(buffer),
    new Uint8ClampedArray(buffer),
  ])
    for (const dimensions of [2, 3])
      assertThrown(
        () => classOf(dimensions).from(wrong, { instance }),
        /^TypeError: Index(3D)?\.from: bytes must be a Uint8Array, got /,
      )
})

test('accepts bytes at any offset of their buffer', () => {
  const saved = built(3, ROW_3D).save()
  for (let offset = 0; offset < 9; offset++) {
    const room = new Uint8Array(saved.length + 20).fill(0xff)
    room.set(saved, offset)
    const bytes = room.subarray(offset, offset + saved.length)
    const tree = copse.KdTree3D.from(bytes, { instance })
    assert.is(tree.nearest(0, 0, 4), 4)
    assert.equal(tree.save(), saved)
    assert.equal(bytes, saved)
    tree.dispose()
  }
})

test('throws BAD_SNAPSHOT for snapshots of other classes, and other bytes', async () => {
  assertBad(built(2, ROW).save(), '2D', 3)
  assertBad(built(3, ROW_3D).save(), '3D', 2)
  for (const kind of Object.keys(KINDS).filter((name) => name !== 'KdTree')) {
    const other = maker(copse, kind)
    await other.start()
    assertBad(other.built(2, ROW).save(), kind, 2)
    assertBad(other.built(3, ROW_3D).save(), kind, 3)
  }
  const random = createRandom(8)
  assertBad(new Uint8Array(), 'nothing')
  assertBad(new Uint8Array(1000), 'zeros')
  assertBad(new Uint8Array(1000).fill(255), 'ones')
  assertBad(new TextEncoder().encode('{ "points": [] }'.repeat(9)), 'text')
  for (let length = 0; length < 300; length++)
    assertBad(
      Uint8Array.from({ length }, () => random() * 256),
      `noise, ${length} bytes`,
    )
})

test('throws BAD_SNAPSHOT for truncated or extended bytes, and for every flipped bit', () => {
  for (const [dimensions, coordinates] of [
    [2, ROW],
    [3, ROW_3D],
  ]) {
    const saved = built(dimensions, coordinates).save()
    for (let size = 0; size < saved.length; size++)
      assertBad(saved.subarray(0, size), `${size} bytes`, dimensions)
    for (let extra = 1; extra <= 16; extra++) {
      const longer = new Uint8Array(saved.length + extra)
      longer.set(saved)
      assertBad(longer, `${extra} more`, dimensions)
    }
    for (let bit = 0; bit < 8 * saved.length; bit++) {
      const damaged = saved.slice()
      damaged[bit >> 3] ^= 1 << (bit & 7)
      assertBad(damaged, `bit ${bit}`, dimensions)
    }
  }
})

/** Returns snapshots with a forged head and a correct checksum. */
function forgeries(saved, n) {
  const huge = [2 ** 28, 2 ** 28 + n, 2 ** 30, 2 ** 31, 2 ** 32 - n, 2 ** 32 - 1]
  const changes = [0, 1, n - 1, n + 1, 2 * n, ...huge].flatMap((value) => [
    { ever: value },
    { slots: value },
    { builtCount: value === 0 ? 1 : value },
    { slots: value, builtCount: 2 ** 32 - value },
    { ever: value, slots: 2 ** 32 - value },
  ])
  changes.push({ isBuilt: 0 }, { isBuilt: 2 }, { version: 1 })
  for (const value of huge)
    changes.push(
      { slots: value, builtCount: value },
      { ever: value, slots: value, builtCount: value },
      { isBuilt: value },
      { skipped: value },
      { onNonFinite: value },
      { dimensions: value },
      { bytes: value },
      { bytesHigh: value },
      { [WORDS.options]: value },
    )
  return changes.map((change) => [forged(saved, change), JSON.stringify(change)])
}

test('throws BAD_SNAPSHOT for forged heads, without taking the memory that they claim', async () => {
  for (const dimensions of [2, 3]) {
    const saved = built(dimensions, dimensions === 2 ? ROW : ROW_3D).save()
    const ownInstance = await copse.create()
    classOf(dimensions).from(saved, { instance: ownInstance }).dispose()
    const { byteLength } = ownInstance.memory.buffer
    for (const [bytes, context] of forgeries(saved, 6)) {
      const error = thrown(() => classOf(dimensions).from(bytes, { instance: ownInstance }))
      assert.is(error.code, 'BAD_SNAPSHOT', context)
      assert.is(ownInstance.memory.buffer.byteLength, byteLength, context)
    }
  }
})

test('leaks no memory when it throws', async () => {
  const ownInstance = await copse.create()
  const options = { instance: ownInstance }
  const n = 1000
  const saved = built(2, distributions.uniform(createRandom(6), n, 2)).save()
  const damaged = saved.slice()
  damaged[damaged.length - 1] ^= 1 // found by restore, after the tree was created
  const heads = [...forgeries(built(2, ROW).save(), 6)].map(([bytes]) => bytes)
  const bad = [damaged, saved.subarray(0, saved.length - 4), ...heads.slice(0, 8)]
  const round = () => {
    for (const bytes of bad) thrown(() => copse.KdTree.from(bytes, options))
    thrown(() => copse.KdTree.from(saved, { ...options, capacity: n - 1 }))
  }
  round()
  copse.KdTree.from(saved, options).dispose()
  const { byteLength } = ownInstance.memory.buffer
  const bytes = bytesOf(ownInstance)
  for (let i = 0; i < 1000; i++) round()
  for (let i = 0; i < 1000; i++) copse.KdTree.from(saved, options).dispose()
  assert.is(ownInstance.memory.buffer.byteLength, byteLength)
  assert.is(bytesOf(ownInstance), bytes)
  assert.is(copse.KdTree.from(saved, options).stats().agents, n)
})

test('refuses random words after the head, or returns a valid tree', () => {
  const saved = built(3, ROW_3D).save()
  const random = createRandom(9)
  let accepted = 0
  for (let round = 0; round < 1000; round++) {
    const changes = {}
    for (let i = 0; i < 2; i++)
      changes[STATE + Math.floor(random() * 54)] = Math.floor(random() * 2 ** 32)
    try {
      const tree = copse.KdTree3D.from(forged(saved, changes), { instance })
      assert.ok(tree.validate(), JSON.stringify(changes))
      tree.dispose()
      accepted++
    } catch (error) {
      assert.is(error.code, 'BAD_SNAPSHOT', String(error))
    }
  }
  assert.ok(accepted > 100 && accepted < 1000)
})

/** Returns random bytes, or a changed snapshot, often with a correct checksum. */
function anyBytes(random, saved) {
  const integer = (count) => Math.floor(random() * count)
  const pick = (list) => list[integer(list.length)]
  const word = () =>
    pick([
      () => integer(12),
      () => integer(2 ** 32),
      () => pick([0x7fc00000, 0x7f800000, 0x80000000, 0x5e5e0b6c, 2 ** 28, 2 ** 31, 2 ** 32 - 1]),
      () => new Uint32Array(Float32Array.of(integer(17) - 8).buffer)[0],
    ])()
  if (random() < 0.1) return Uint8Array.from({ length: integer(400) }, () => integer(256))
  const original = pick(saved)
  const size = random() < 0.7 ? original.length : 4 * integer(original.length / 4 + 20)
  const bytes = new Uint8Array(size)
  bytes.set(original.subarray(0, size))
  const words = new Uint32Array(bytes.buffer)
  if (random() < 0.2) for (let i = STATE; i < words.length; i++) words[i] = word()
  for (let i = pick([0, 1, 1, 2, 8]); i > 0 && words.length; i--)
    words[integer(random() < 0.3 ? Math.min(words.length, STATE) : words.length)] = word()
  if (words.length > STATE && random() < 0.5) words[WORDS.bytes] = size
  return words.length > WORDS.checksum && random() < 0.9 ? seal(bytes) : bytes
}

/** Returns the points of a tree's last build, which a snapshot has after the buffers. */
function lastBuild(tree, dimensions) {
  const saved = tree.save()
  const words = new Uint32Array(saved.buffer)
  if (!words[WORDS.isBuilt]) return null
  const begin = STATE + words[WORDS.ever] + words[WORDS.slots] * (dimensions + 1)
  const count = words[WORDS.builtCount]
  const positions = new Float32Array(saved.buffer, 4 * begin, count * dimensions)
  const groups = words.subarray(begin + count * dimensions)
  return { dimensions, count, positions, groups }
}

/** Asserts that a tree finds what a loop over these agents finds. */
function assertQueries(tree, agents, random, context) {
  const place = () => Math.floor(random() * 17) - 8
  if (agents === null) return assertCode(() => tree.nearest(1, 2, 3), 'NOT_BUILT')
  const center = Array.from({ length: agents.dimensions }, place)
  const options = { sort: 'distance' }
  const ids = [...tree.within(...center, 6, options)]
  assert.equal(ids, oracle.within(agents, center, 6, options).ids, context)
  assert.is(tree.nearest(...center), oracle.nearest(agents, center), context)
  assert.equal([...tree.neighbors(...center, 3)], oracle.neighbors(agents, center, 3).ids, context)
  const [lo, hi] = [center, center.map((x) => x + 5)]
  const inside = [...tree.range(...lo, ...hi, { sort: 'id' })]
  assert.equal(inside, oracle.range(agents, lo, hi).ids, context)
}

test('given any bytes, throws BAD_SNAPSHOT or returns a correct tree, its memory bounded by the bytes', async () => {
  const CASES = Number(process.env.COPSE_CASES ?? 3000)
  const ownInstance = await copse.create()
  const random = createRandom(SEED)
  const small = (n, dimensions) =>
    Array.from({ length: n * dimensions }, () => Math.floor(random() * 17) - 8)
  const saved = [2, 3].map((dimensions) =>
    ['error', 'skip'].flatMap((onNonFinite) =>
      [0, 1, 5, 40].map((n) => {
        const tree = built(dimensions, small(n, dimensions), { onNonFinite })
        for (let i = 0; i < n; i += 3) tree.groups[i] = i
        if (n > 1) tree.build()
        if (n > 5) tree.positions[0] = 1
        if (n > 5) tree.slots = 30
        if (n > 1) tree.remove(1)
        return tree.save()
      }),
    ),
  )
  const { byteLength } = ownInstance.memory.buffer
  let accepted = 0
  for (let i = 0; i < CASES; i++) {
    const dimensions = 2 + (i % 2)
    const bytes = anyBytes(random, saved[random() < 0.9 ? i % 2 : 1 - (i % 2)])
    const context = `seed ${SEED}, case ${i}`
    let tree
    try {
      tree = classOf(dimensions).from(bytes, { instance: ownInstance })
    } catch (error) {
      assert.is(error.code, 'BAD_SNAPSHOT', `${context}: ${error}`)
      continue
    }
    accepted++
    assert.ok(tree.validate(), context)
    assert.ok(tree.stats().bytes < 6000 + 16 * bytes.length, context)
    assertQueries(tree, lastBuild(tree, dimensions), random, context)
    const { slots: count, positions, groups } = tree
    tree.build()
    assertQueries(tree, { dimensions, count, positions, groups }, random, context)
    tree.dispose()
  }
  assert.ok(accepted > CASES / 10 && accepted < CASES / 2, `${accepted} accepted`)
  assert.is(ownInstance.memory.buffer.byteLength, byteLength)
})

test('throws a trap of the core, which makes the instance unusable', async () => {
  const ownInstance = await copse.create()
  const saved = built(2, ROW).save()
  const { functions } = ownInstance
  ownInstance.functions = (family) => ({
    ...functions.call(ownInstance, family),
    restore: () => {
      throw new WebAssembly.RuntimeError('unreachable')
    },
  })
  const call = () => copse.KdTree.from(saved, { instance: ownInstance })
  assert.instance(thrown(call), WebAssembly.RuntimeError)
  delete ownInstance.functions
  assertCode(call, 'DEAD')
})

test.run()
