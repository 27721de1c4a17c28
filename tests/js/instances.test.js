// The default instance and independent ones. A file of its own, because these tests need the state before init().

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import {
  bytesOf,
  assertThrown,
  className,
  INDEXES,
  dimensionsOf,
  KINDS,
  requiredOf,
  thrown,
} from './support/indexes.js'

const { AgentTree, CopseError, Grid, KdTree, ObstacleTree, create, init } = copse

/** More bytes than all objects of this file need. */
const ENOUGH_MEMORY = 2 ** 26
/** The minimum and the default size of an instance's memory. */
const MIN_MEMORY = 2 ** 20
const DEFAULT_MEMORY = 2 ** 24

/** Every class, with the options that have no default. */
const CLASSES = [...INDEXES, 'Crowd', 'FlowField'].flatMap((kind) =>
  dimensionsOf(kind).map((dimensions) => [
    className(kind, dimensions),
    requiredOf(kind, dimensions),
  ]),
)

/** Resolves to the error that a promise is rejected with. */
const rejection = (promise) =>
  promise.then(
    () => assert.unreachable('nothing was thrown'),
    (error) => error,
  )

/** Returns a built index of agents at x = 0, 1, 2, …, y = 0. */
function rowOf(Index, n, options) {
  const index = new Index({ capacity: n, ...options })
  index.slots = n
  for (let i = 0; i < n; i++) index.positions[2 * i] = i
  index.build()
  return index
}

// ---- The default instance ----

const test = suite('instances')

test('before init, constructors throw NOT_READY', () => {
  for (const [name, required] of CLASSES) {
    const error = thrown(() => new copse[name](required))
    assert.instance(error, CopseError)
    assert.is(error.code, 'NOT_READY')
    assertThrown(
      () => new copse[name]({ capacity: 5, ...required }),
      new RegExp(`^CopseError: ${name}: await init\\(\\) from 'copse' first`),
    )
  }
})

test('before init, wrong arguments are still refused', () => {
  for (const [name, required] of CLASSES)
    assertThrown(
      () => new copse[name]({ ...required, capacity: -1 }),
      new RegExp(`^RangeError: ${name}: capacity `),
    )
})

test('create() makes no default instance', async () => {
  const instance = await create()
  assert.is(thrown(() => new AgentTree()).code, 'NOT_READY')
  assert.is(rowOf(AgentTree, 3, { instance }).nearest(2, 0), 2)
})

test('init can be called again after it failed', async () => {
  assert.match(String(await rejection(init(5))), /^TypeError: init: options must be /)
  assert.match(String(await rejection(init({ memory: -1 }))), /^RangeError: init: memory must be /)
  assert.match(String(await rejection(init({ wasm: 5 }))), /^TypeError: init: wasm must be /)
  const noCore = Uint8Array.of(1, 2, 3, 4)
  assert.instance(await rejection(init({ wasm: noCore })), WebAssembly.CompileError)
  assert.is(thrown(() => new AgentTree()).code, 'NOT_READY')
})

test('init is memoized', async () => {
  const both = [init(), init({ memory: ENOUGH_MEMORY })]
  const [one, other] = await Promise.all(both)
  assert.is(one, other)
  assert.is(await init(), one)
  assert.ok(one.memory.buffer.byteLength < ENOUGH_MEMORY, 'later options are ignored')
  assert.is(rowOf(AgentTree, 3).nearest(2, 0), 2)
})

test('init({ memory }) reserves memory, so that it does not grow later', async () => {
  const trees = await import('copse/points')
  const instance = await trees.init({ memory: ENOUGH_MEMORY })
  const bytes = bytesOf(instance)
  assert.ok(bytes >= ENOUGH_MEMORY)
  const tree = new trees.AgentTree({ capacity: 50_000 })
  const { positions } = tree
  const other = new trees.AgentTree3D({ capacity: 10_000 })
  other.reserve(20_000)
  tree.save()
  assert.is(bytesOf(tree), bytes)
  assert.is(tree.positions, positions)
  assert.is(positions.length, 100_000)
})

test('memory grows if it was not reserved', async () => {
  const instance = await create({ memory: MIN_MEMORY })
  assert.is(bytesOf(instance), MIN_MEMORY)
  new AgentTree({ capacity: 50_000, instance })
  assert.ok(bytesOf(instance) > MIN_MEMORY)
})

test('linear memory starts at 16 MiB, and onGrow is called after it grows', async () => {
  assert.is(bytesOf(await create()), DEFAULT_MEMORY)
  let grown = 0
  const instance = await create({ memory: MIN_MEMORY, onGrow: () => grown++ })
  const small = new AgentTree({ instance, capacity: 3 })
  await null
  assert.is(grown, 0)
  const { positions } = small
  new AgentTree({ instance, capacity: 50_000 })
  assert.is(positions.length, 0)
  assert.is(grown, 0, 'not within a call')
  await null
  assert.ok(grown > 0)
})

test("growth: 'error' throws OUT_OF_MEMORY instead of growing, and says how much is missing", async () => {
  const instance = await create({ memory: MIN_MEMORY, growth: 'error' })
  const small = rowOf(AgentTree, 3, { instance })
  const { positions } = small
  const error = thrown(() => new Grid({ instance, cellSize: 1, capacity: 50_000 }))
  assert.instance(error, CopseError)
  assert.is(error.code, 'OUT_OF_MEMORY')
  const [, bytes] = /^Grid: out of memory: needs (\d+) bytes more than 1048576: init/.exec(
    error.message,
  )
  assert.is(bytesOf(instance), MIN_MEMORY)
  assert.is(small.positions, positions)
  const roomy = await create({ memory: MIN_MEMORY + Number(bytes), growth: 'error' })
  assert.is(new Grid({ instance: roomy, cellSize: 1, capacity: 50_000 }).count, 0)
  for (const [option, wrong] of [
    ['growth', 'never'],
    ['growth', 5],
    ['onGrow', 5],
    ['onGrow', 'x'],
  ])
    assert.match(
      (await rejection(create({ [option]: wrong }))).message,
      `create: ${option} must be `,
    )
})

test('instances, walls and errors of another entry are accepted', async () => {
  const crowds = await import('copse/crowd')
  const instance = await create()
  const crowd = new crowds.Crowd({ instance, capacity: 4 })
  crowd.obstacles = new ObstacleTree({ instance })
  crowd.step(1)
  const error = thrown(() => crowd.remove(3))
  assert.instance(error, CopseError)
  assert.instance(error, crowds.CopseError)
  assert.not.instance(new Error('FULL'), CopseError)
  assert.not.instance(null, CopseError)
  const alone = await crowds.create()
  assertThrown(
    () => new AgentTree({ instance: alone }),
    /^CopseError: AgentTree: not in this core: use /,
  )
  assertThrown(
    () => (new crowds.Crowd({ instance: alone }).obstacles = new ObstacleTree({ instance })),
    /: obstacles must be from 'copse\/crowd', got 'copse'$/,
  )
})

test('create refuses a wrong memory option', async () => {
  for (const memory of [null, '5', 5n, {}, NaN, -1, 1.5, 2 ** 32 + 5, Infinity]) {
    const error = await rejection(create({ memory }))
    assert.instance(error, typeof memory === 'number' ? RangeError : TypeError)
    assert.match(error.message, /^create: memory must be /)
  }
})

// ---- Side by side ----

test('instances share nothing', async () => {
  const [one, other] = [await create({ memory: MIN_MEMORY }), await create({ memory: MIN_MEMORY })]
  assert.is.not(one, other)
  assert.is.not(one.memory, other.memory)
  const small = rowOf(AgentTree, 3, { instance: other })
  const { positions } = small
  const bytes = bytesOf(small)
  const large = rowOf(AgentTree, 100_000, { instance: one })
  assert.ok(bytesOf(large) > bytes)
  assert.is(bytesOf(small), bytes)
  assert.is(small.positions, positions)
  large.dispose()
  assert.is(small.nearest(9, 0), 2)
})

/** Calls `check` with two indexes of one instance, for all pairs of kinds. */
async function forEachPair(check) {
  for (const one of Object.keys(KINDS))
    for (const other of Object.keys(KINDS)) {
      const instance = await create()
      const make = (kind, n) => rowOf(copse[kind], n, { instance, ...KINDS[kind].variants[0] })
      check(make(one, 5), make(other, 9))
    }
}

test('indexes of one instance do not affect each other', () =>
  forEachPair((one, other) => {
    const ids = one.within(0, 0, 2)
    const expected = ids.slice()
    other.within(5, 0, 9)
    other.build()
    other.save()
    other.cells()
    assert.equal(ids, expected, 'valid until the next query on the same object')
    const { visits } = one.stats()
    other.nearest(3, 0)
    assert.is(one.stats().visits, visits)
    other.dispose()
    assert.equal(one.within(0, 0, 2), expected)
  }))

test('stats() always returns the same object, a different one per index', () =>
  forEachPair((one, other) => {
    const stats = one.stats()
    assert.is(other.stats().agents, 9)
    assert.is(stats.agents, 5)
    assert.is(one.stats(), stats)
  }))

test('an instance option that is not an instance throws TypeError', async () => {
  for (const instance of [{}, null, 5, Promise.resolve()])
    for (const [name, required] of CLASSES)
      assertThrown(
        () => new copse[name]({ ...required, instance }),
        new RegExp(`^TypeError: ${name}: instance must be `),
      )
  assert.is(new AgentTree({ instance: undefined }).capacity, 1000)
})

test.run()
