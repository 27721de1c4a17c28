// Instances with threads find the same, bit for bit, as an instance without, for any number of threads. Where
// there can't be threads, such as in a page that is not isolated, the same program runs on one thread.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as threaded from 'copse/threads'
import { assertSame, bits, bytesOf, thrown } from './support/indexes.js'
import { batchesOf, createCrowd, createIndex, INDEXES, stepsOf } from './support/threaded.js'

const isIsolated = globalThis.crossOriginIsolated !== false
const canShare = isIsolated && typeof SharedArrayBuffer !== 'undefined'
/** The number of threads of an instance that was asked for this many. */
const possible = (threads) => (canShare ? threads : 1)
const COUNTS = canShare ? [1, 2, 3, 8] : [8]
const MIN_MEMORY = 2 ** 21

const test = suite('threads')
/** @type {copse.Instance} */
let single
/** Instances by number of threads. @type {Record<number, any>} */
const instances = {}

test.before(async () => {
  single = await copse.create()
  for (const threads of COUNTS) instances[threads] = await threaded.create({ threads })
})
test.after(() => {
  for (const instance of Object.values(instances)) instance.dispose()
})

/** Resolves to the error that a promise is rejected with. @param {Promise<unknown>} promise */
const rejection = (promise) =>
  promise.then(
    () => assert.unreachable('nothing was thrown'),
    (error) => error,
  )

function assertEqual(actual, expected, what) {
  assert.is(actual.length, expected.length)
  for (const [i, array] of expected.entries()) assertSame(actual[i], array, `${what}, array ${i}`)
}

function disposeAll(objects) {
  for (const object of Object.values(objects)) object.dispose()
}

test('as many threads work as were asked for; else there is a reason', () => {
  for (const count of COUNTS) {
    const { threads } = instances[count]
    assert.is(threads.count, possible(count))
    const why = !isIsolated
      ? 'the page is not cross-origin isolated'
      : 'the engine has no shared memory'
    const reason = count === 1 ? 'one thread was asked for' : canShare ? '' : why
    assert.is(threads.reason, reason)
  }
})

// ---- The same results ----

for (const how of INDEXES) {
  const { kind, dimensions, layout, n, wraps } = how
  const name = `${n} ${layout} agents in a ${wraps ? 'wrapped ' : ''}${kind} in ${dimensions}D`
  test(`${name} have the same neighbors with any number of threads`, () => {
    const own = createIndex(copse, single, how)
    const expected = batchesOf(own)
    assert.ok(expected[3].length > n)
    own.index.dispose()
    for (const count of layout === 'uniform' && n === 6000 ? COUNTS : [8]) {
      const object = createIndex(threaded, instances[count], how)
      assertEqual(batchesOf(object), expected, `${count} threads`)
      object.index.dispose()
    }
  })
}

for (const [dimensions, n, isExact] of [
  [2, 900, false],
  [2, 1500, false],
  [2, 1500, true],
  [3, 1500, false],
])
  test(`a crowd of ${n} in ${dimensions}D${isExact ? ', exact,' : ''} moves the same`, () => {
    const own = createCrowd(copse, single, dimensions, n, isExact)
    const expected = stepsOf(own, 8)
    assert.ok(
      expected.some((array, i) => i % 3 === 1 && array.length > 0),
      'some arrive',
    )
    disposeAll(own)
    for (const count of COUNTS) {
      const objects = createCrowd(threaded, instances[count], dimensions, n, isExact)
      assertEqual(stepsOf(objects, 8), expected, `${count} threads`)
      disposeAll(objects)
    }
  })

test('an index over the agents of a crowd finds the same', () => {
  const find = (library, instance) => {
    const objects = createCrowd(library, instance, 2, 3000)
    const found = ['AgentTree', 'KdTree', 'Grid'].flatMap((kind) => {
      const index = new library[kind]({ instance, ...(kind === 'Grid' && { cellSize: 3 }) })
      index.build(objects.crowd)
      const { offsets, counts, ids, total } = index.allWithin(3)
      const arrays = [offsets.slice(), counts.slice(), ids.slice(0, total)]
      const pairs = index.pairs({ distance: 1 })
      arrays.push(pairs.ids.slice(0, 2 * pairs.count))
      index.dispose()
      return arrays
    })
    disposeAll(objects)
    return found
  }
  const expected = find(copse, single)
  for (const count of COUNTS) assertEqual(find(threaded, instances[count]), expected, count)
})

test('builds again after changes find the same', () => {
  const how = { kind: 'AgentTree', dimensions: 2, layout: 'uniform', n: 6000, wraps: false }
  const play = (library, instance) => {
    const object = createIndex(library, instance, how)
    const found = []
    for (let frame = 0; frame < 3; frame++) {
      const { positions } = object.index
      for (let i = 0; i < positions.length; i++) positions[i] += 30 * object.random() - 15
      found.push(...batchesOf(object))
    }
    object.index.dispose()
    return found
  }
  const expected = play(copse, single)
  for (const count of COUNTS.slice(-2))
    assertEqual(play(threaded, instances[count]), expected, count)
})

test('ids that do not fit the room for results are found all the same', () => {
  const how = { kind: 'Grid', dimensions: 2, layout: 'clusters', n: 4000, wraps: false }
  const find = (library, instance, room) => {
    const { index, radius } = createIndex(library, instance, how)
    index.reserve(4000, { results: room })
    index.build()
    const { offsets, counts, ids, total } = index.allWithin(radius)
    const arrays = [offsets.slice(), counts.slice(), ids.slice(0, total)]
    index.dispose()
    return arrays
  }
  const expected = find(copse, single, 10)
  for (const count of COUNTS.slice(-2))
    for (const room of [10, expected[2].length - 1, expected[2].length])
      assertEqual(find(threaded, instances[count], room), expected, count)
})

test('a batch without memory for its results throws, and the next one works', async () => {
  const how = { kind: 'Grid', dimensions: 2, layout: 'clusters', n: 4000, wraps: false }
  const options = { memory: 2 ** 23, growth: 'error', threads: 3 }
  const instance = await threaded.create(options)
  const { index, radius } = createIndex(threaded, instance, how)
  index.build()
  assert.is(thrown(() => index.allWithin(1e5)).code, 'OUT_OF_MEMORY')
  const own = createIndex(copse, single, how).index
  own.build()
  const [actual, expected] = [index, own].map((index) => {
    const { ids, total } = index.allWithin(radius / 4)
    return ids.slice(0, total)
  })
  assertSame(actual, expected)
  instance.dispose()
})

// ---- Instances ----

const FEW = { kind: 'AgentTree', dimensions: 2, layout: 'uniform', n: 6000, wraps: false }

/** The results of a small index. */
function find(library, instance) {
  const object = createIndex(library, instance, FEW)
  const found = batchesOf(object)
  object.index.dispose()
  return found
}

test('two instances work side by side', async () => {
  const pair = [await threaded.create({ threads: 2 }), await threaded.create({ threads: 3 })]
  const objects = pair.map((instance) => createIndex(threaded, instance, FEW))
  const crowds = pair.map((instance) => createCrowd(threaded, instance, 2, 1500))
  const own = createIndex(copse, single, FEW)
  const crowd = createCrowd(copse, single, 2, 1500)
  for (let frame = 0; frame < 3; frame++) {
    const [found, steps] = [batchesOf(own), stepsOf(crowd, 2)]
    for (const object of objects) assertEqual(batchesOf(object), found)
    for (const other of crowds) assertEqual(stepsOf(other, 2), steps)
  }
  pair[0].dispose()
  assert.is(pair[1].threads.count, possible(3))
  assertEqual(batchesOf(objects[1]), batchesOf(own))
  pair[1].dispose()
})

test('memory grows while there are workers', async () => {
  let grown = 0
  const options = { threads: 3, memory: 0, onGrow: () => grown++ }
  const instance = await threaded.create(options)
  const before = bytesOf(instance)
  assert.ok(before >= MIN_MEMORY)
  const first = createIndex(threaded, instance, FEW)
  const found = batchesOf(first)
  const { positions } = first.index
  const others = []
  for (let capacity = 5000; capacity <= 320_000; capacity *= 4) {
    others.push(new threaded.Grid({ instance, cellSize: 5, capacity }))
    assertSame(bits(first.index.positions), bits(positions))
    first.index.build()
    const { total } = first.index.allWithin(first.radius)
    assert.is(total, found[3].length)
  }
  assert.ok(bytesOf(instance) > before + 2 ** 23)
  await null
  assert.ok(grown > 0)
  first.index.reserve(50_000)
  first.index.slots = 50_000
  first.index.build()
  const own = createIndex(copse, single, FEW).index
  own.reserve(50_000)
  own.slots = 50_000
  own.build()
  assertSame(first.index.order(), own.order())
  instance.dispose()
})

test('after dispose(), objects go on with one thread', async () => {
  const instance = await threaded.create({ threads: 4 })
  const object = createIndex(threaded, instance, FEW)
  const crowd = createCrowd(threaded, instance, 2, 1500)
  const own = createIndex(copse, single, FEW)
  const ownCrowd = createCrowd(copse, single, 2, 1500)
  assertEqual(batchesOf(object), batchesOf(own))
  assertEqual(stepsOf(crowd, 2), stepsOf(ownCrowd, 2))
  instance.dispose()
  for (let round = 0; round < 2; round++) {
    assert.equal(instance.threads, { count: 1, reason: 'the instance was disposed' })
    assertEqual(batchesOf(object), batchesOf(own))
    assertEqual(stepsOf(crowd, 2), stepsOf(ownCrowd, 2))
    assertEqual(find(threaded, instance), find(copse, single))
    await new Promise((resolve) => setTimeout(resolve))
  }
  instance.dispose()
  assert.is(instance.threads.count, 1)
})

test('an instance can be disposed and another made again and again', async () => {
  const expected = find(copse, single)
  for (let i = 0; i < 8; i++) {
    const instance = await threaded.create({ threads: 1 + (i % 4) })
    assert.is(instance.threads.count, possible(1 + (i % 4)))
    if (i % 5 === 0) assertEqual(find(threaded, instance), expected)
    instance.dispose()
  }
})

test('init() makes the default instance, with threads', async () => {
  const instance = await threaded.init({ threads: 2 })
  assert.is(instance.threads.count, possible(2))
  assert.is(await threaded.init(), instance)
  const tree = new threaded.AgentTree({ capacity: 10 })
  tree.add(1, 2)
  tree.build()
  assert.is(tree.nearest(1, 1), 0)
  instance.dispose()
})

// ---- Options ----

test('the options are checked', async () => {
  const cases = [
    [{ threads: 0 }, 'RangeError: init: threads must be an integer from 1 to 64, got 0'],
    [{ threads: 65 }, 'RangeError: init: threads must be an integer from 1 to 64, got 65'],
    [{ threads: 1.5 }, 'RangeError: init: threads must be an integer from 1 to 64, got 1.5'],
    [{ threads: NaN }, 'RangeError: init: threads must be an integer from 1 to 64, got NaN'],
    [{ threads: '2' }, "TypeError: init: threads must be an integer from 1 to 64, got '2'"],
    [{ threads: null }, 'TypeError: init: threads must be an integer from 1 to 64, got null'],
    [{ workerFactory: 5 }, 'TypeError: init: workerFactory must be a function, got 5'],
    [{ workerFactory: null }, 'TypeError: init: workerFactory must be a function, got null'],
    [{ thread: 2 }, "TypeError: create: no option 'thread' (did you mean 'threads'?)"],
    [
      { workers: 2 },
      "TypeError: create: no option 'workers' (options: wasm, memory, growth, onGrow, threads, workerFactory)",
    ],
  ]
  for (const [options, message] of cases)
    assert.is(String(await rejection(threaded.create(options))), message)
  assert.match(String(await rejection(copse.create({ threads: 2 }))), /no option 'threads'/)
})

test('by default there is a thread per processor, 8 at most', async () => {
  const { process, navigator } = globalThis
  const processors =
    navigator?.hardwareConcurrency ?? process.getBuiltinModule('node:os').availableParallelism()
  const instance = await threaded.create()
  assert.is(instance.threads.count, possible(Math.min(processors, 8)))
  if (processors === 1) assert.is(instance.threads.reason, 'there is one processor')
  instance.dispose()
})

test('threads need memory for stacks: without it, there are fewer', async () => {
  const instance = await threaded.create({ memory: MIN_MEMORY, growth: 'error', threads: 3 })
  assert.is(bytesOf(instance), MIN_MEMORY)
  assert.is(instance.threads.count, 1)
  if (canShare) assert.is(instance.threads.reason, 'no memory for more stacks')
  assert.is(new threaded.AgentTree({ instance, capacity: 100 }).add(1, 1), 0)
  const roomy = await threaded.create({ memory: 2 ** 23, growth: 'error', threads: 3 })
  assert.is(roomy.threads.count, possible(3))
  roomy.dispose()
})

test.run()
