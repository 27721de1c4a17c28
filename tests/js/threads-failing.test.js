// Threads that can't be made, end or fail: the program goes on with fewer, or throws, and never hangs.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as copse from 'copse'
import { create, CopseError, AgentTree, Grid } from 'copse/threads'
import { assertSame, thrown } from './support/indexes.js'
import { bytes, calledByPointer, trappingIn } from './support/patch.js'

const threads = process.getBuiltinModule('node:worker_threads')
const script = new URL(import.meta.resolve('copse/thread'))
const AGENTS = 6000

const test = suite('failing threads')
/** @type {Uint32Array} */
let expected

/** Creates an index whose builds and batches are divided. */
function createTree(instance, { AgentTree: Tree } = { AgentTree }) {
  const tree = new Tree({ instance, capacity: AGENTS })
  tree.slots = AGENTS
  for (let i = 0; i < 2 * AGENTS; i++) tree.positions[i] = (i * 7919) % 1009
  return tree
}

/** Builds a tree. Returns the ids of all neighbors. */
function find(tree) {
  tree.build()
  const { ids, total } = tree.allWithin(20)
  return ids.slice(0, total)
}

const assertWorks = (instance) => assertSame(find(createTree(instance)), expected)

test.before(async () => {
  expected = find(createTree(await copse.create(), copse))
  assert.ok(expected.length > 2 * AGENTS)
})

/**
 * Runs a function while a property of an object has another value.
 * @template T @param {any} object @param {string} key @param {unknown} value @param {() => Promise<T>} run
 */
async function withProperty(object, key, value, run) {
  const original = Object.getOwnPropertyDescriptor(object, key)
  Object.defineProperty(object, key, { value, configurable: true, writable: true })
  try {
    return await run()
  } finally {
    delete object[key]
    if (original) Object.defineProperty(object, key, original)
  }
}

/** Resolves once a condition holds. */
async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Makes workers and counts those that run. */
function counting() {
  const made = []
  const state = { made, running: 0 }
  const workerFactory = () => {
    const worker = new threads.Worker(script)
    made.push(worker)
    state.running++
    worker.on('exit', () => state.running--)
    return worker
  }
  return { state, workerFactory }
}

async function assertAlone(options, reason) {
  const instance = await create({ threads: 3, ...options })
  assert.is(instance.threads.count, 1)
  assert.match(instance.threads.reason, reason)
  assertWorks(instance)
  instance.dispose()
}

// ---- Where there can't be threads ----

test('a page that is not isolated has one thread', () =>
  withProperty(globalThis, 'crossOriginIsolated', false, () =>
    assertAlone({}, /^the page is not cross-origin isolated$/),
  ))

test('without SharedArrayBuffer there is one thread', () =>
  withProperty(globalThis, 'SharedArrayBuffer', undefined, () =>
    assertAlone({}, /^the engine has no shared memory$/),
  ))

test('without workers there is one thread', () =>
  withProperty(globalThis, 'Worker', undefined, () =>
    withProperty(process, 'getBuiltinModule', undefined, () =>
      assertAlone({}, /^the engine has no workers$/),
    ),
  ))

const FACTORIES = {
  'that throws': [
    () => {
      throw new Error('not allowed')
    },
    /^a worker can't be started: not allowed$/,
  ],
  'that throws a text': [
    () => {
      throw 'no'
    },
    /^a worker can't be started: no$/,
  ],
  'that is rejected': [
    () => Promise.reject(new Error('not today')),
    /^a worker can't be started: not today$/,
  ],
  'of nothing': [() => undefined, /^a worker can't be started: /],
  'of an object that is not a worker': [() => ({}), /^a worker can't be started: /],
  'of a worker that fails at once': [
    () => new threads.Worker('throw new Error("broken")', { eval: true }),
    /^a worker can't be started: broken$/,
  ],
  'of a worker that ends at once': [
    () => new threads.Worker('', { eval: true }),
    /^a worker can't be started: it ended$/,
  ],
  'of a worker that does not exist': [
    () => new threads.Worker('/nowhere/thread.js'),
    /^a worker can't be started: .*nowhere/,
  ],
  'of workers to which no memory can be sent': [
    () => {
      const worker = new threads.Worker(script)
      worker.postMessage = () => {
        throw new DOMException('The object can not be cloned.', 'DataCloneError')
      }
      return worker
    },
    /^a worker can't be started: The object can not be cloned\.$/,
  ],
}
for (const [name, [workerFactory, reason]] of Object.entries(FACTORIES))
  test(`a workerFactory ${name} leaves one thread`, () => assertAlone({ workerFactory }, reason))

test('in a page, a Worker class that throws leaves one thread', () => {
  class Refusing {
    constructor() {
      throw new Error('blocked by a policy')
    }
  }
  return withProperty(globalThis, 'document', {}, () =>
    withProperty(globalThis, 'Worker', Refusing, () =>
      assertAlone({}, /^a worker can't be started: blocked by a policy$/),
    ),
  )
})

test('a worker that is never ready is given up', async () => {
  const { setTimeout } = globalThis
  const delays = []
  const early = (call, delay) => {
    delays.push(delay)
    return setTimeout(call, 1)
  }
  let ended = 0
  const workerFactory = () => {
    const code = `require('node:worker_threads').parentPort.on('message', function () {
      this.postMessage('not ready')
    })`
    const worker = new threads.Worker(code, { eval: true })
    worker.on('exit', () => ended++)
    return worker
  }
  await withProperty(globalThis, 'setTimeout', early, () =>
    assertAlone({ workerFactory }, /^a worker can't be started: it was not ready in time$/),
  )
  assert.equal(delays, [10_000, 10_000])
  await until(() => ended === 2)
})

test('if some workers fail to start, the others work', async () => {
  let made = 0
  const workerFactory = () => {
    if (made++ === 1) throw new Error('one too many')
    return new threads.Worker(script)
  }
  const instance = await create({ threads: 4, workerFactory })
  assert.equal(instance.threads, { count: 3, reason: "a worker can't be started: one too many" })
  assertWorks(instance)
  instance.dispose()
})

test('workers may come from the script copse/thread, and from promises', async () => {
  const { state, workerFactory } = counting()
  const instance = await create({ threads: 3, workerFactory: async () => workerFactory() })
  assert.equal(instance.threads, { count: 3, reason: '' })
  assert.is(state.running, 2)
  assertWorks(instance)
  instance.dispose()
  await until(() => state.running === 0)
})

test('where memory for the maximum cannot be reserved, the maximum is lower', async () => {
  const { Memory } = WebAssembly
  const maxima = []
  class Scarce extends Memory {
    constructor(type) {
      maxima.push(type.maximum)
      if (type.maximum > 5000) throw new RangeError('could not allocate memory')
      super(type)
    }
  }
  const instance = await withProperty(WebAssembly, 'Memory', Scarce, () => create({ threads: 2 }))
  assert.equal(maxima, [32768, 16384, 8192, 4096])
  assert.is(instance.threads.count, 2)
  assertWorks(instance)
  const tooMany = () => new AgentTree({ instance, capacity: 10_000_000 })
  assert.is(thrown(tooMany).code, 'OUT_OF_MEMORY')
  assertWorks(instance)
  instance.dispose()

  class Nothing extends Memory {
    constructor() {
      super({ initial: 1, maximum: 0 })
    }
  }
  const error = await withProperty(WebAssembly, 'Memory', Nothing, () =>
    create({ memory: 2 ** 24, threads: 2 }).catch((error) => error),
  )
  assert.instance(error, CopseError)
  assert.is(error.message, `init: no memory for ${2 ** 24} bytes`)
})

// ---- Workers that end ----

test('dispose() ends all workers', async () => {
  for (let i = 0; i < 5; i++) {
    const { state, workerFactory } = counting()
    const instance = await create({ threads: 3, workerFactory })
    assert.is(state.running, 2)
    if (i === 0) assertWorks(instance)
    instance.dispose()
    await until(() => state.running === 0)
    if (i === 0) assertWorks(instance)
    assert.equal(instance.threads, { count: 1, reason: 'the instance was disposed' })
  }
})

test('if a worker is terminated between calls, the others go on', async () => {
  const { state, workerFactory } = counting()
  const instance = await create({ threads: 4, workerFactory })
  const tree = createTree(instance)
  assertSame(find(tree), expected)
  for (const [i, worker] of state.made.entries()) {
    await worker.terminate()
    assert.equal(instance.threads, { count: 3 - i, reason: 'a worker failed: it ended' })
    for (let repeat = 0; repeat < 5; repeat++) assertSame(find(tree), expected)
    assertWorks(instance)
  }
  instance.dispose()
})

test('an instance that is garbage-collected ends its workers', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const { state, workerFactory } = counting()
  const use = async () => assertWorks(await create({ threads: 3, workerFactory }))
  await use()
  assert.is(state.running, 2)
  await until(() => {
    collect()
    return state.running === 0
  })
})

test('a program with idle workers ends', async () => {
  const code = `import { create } from 'copse/threads'
    const { threads } = await create({ threads: 3 })
    console.log(threads.count)`
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  const options = /** @type {const} */ ({ encoding: 'utf8', timeout: 60_000 })
  const args = ['--input-type=module', '--eval', code]
  assert.is(
    execFileSync(process.execPath, args, { ...options, cwd: new URL('.', import.meta.url) }),
    '3\n',
  )
})

// ---- Traps ----

/** Makes workers with so small a stack that they trap in their first large task. */
function trapping(stack) {
  const workers = []
  const workerFactory = () => {
    const worker = new threads.Worker(script)
    const { postMessage } = worker
    worker.postMessage = (message) => postMessage.call(worker, { ...message, stack })
    worker.on('error', () => {})
    workers.push(worker)
    return worker
  }
  return { workers, workerFactory }
}

test('after a trap in a worker, calls throw instead of waiting forever', async () => {
  const { workerFactory } = trapping(64)
  const instance = await create({ threads: 2, workerFactory })
  const other = await create({ threads: 2 })
  assert.is(instance.threads.count, 2)
  const tree = createTree(instance)
  const error = thrown(() => {
    for (;;) find(tree) // until the worker takes part
  })
  assert.instance(error, WebAssembly.RuntimeError)
  assert.is(thrown(() => tree.build()).code, 'DEAD')
  assert.is(thrown(() => new Grid({ instance, cellSize: 1 })).code, 'DEAD')
  await until(() => instance.threads.count === 1)
  assert.match(instance.threads.reason, /^a worker failed: /)
  assertWorks(other)
  assert.is(other.threads.count, 2)
  assertWorks(await create({ threads: 3 }))
  instance.dispose()
  assert.is(thrown(() => tree.build()).code, 'DEAD')
  other.dispose()
})

/** Plays frames while a worker traps in any of these functions. True if calls threw. */
async function traps(functions, frames) {
  const module = trappingIn(functions)
  const workerFactory = () => {
    const worker = new threads.Worker(script)
    const { postMessage } = worker
    worker.postMessage = (message) => postMessage.call(worker, { ...message, module })
    return worker
  }
  const instance = await create({ threads: 2, workerFactory, wasm: bytes })
  assert.is(instance.threads.count, 2)
  const tree = createTree(instance)
  const grid = new Grid({ instance, capacity: AGENTS, cellSize: 20 })
  grid.slots = AGENTS
  grid.positions.set(tree.positions)
  try {
    for (let frame = 0; frame < frames; frame++) {
      assertSame(find(tree), expected)
      grid.build()
      assert.is(grid.allWithin(20).total, expected.length)
    }
    return false
  } catch (error) {
    assert.instance(error, WebAssembly.RuntimeError)
    assert.is(thrown(() => tree.build()).code, 'DEAD')
    return true
  } finally {
    instance.dispose()
  }
}

test('wherever a worker traps, calls find the same or throw', async () => {
  const functions = calledByPointer()
  const size = Math.ceil(functions.length / 8)
  for (let i = 0; i < functions.length; i += size) await traps(functions.slice(i, i + size), 3)
  assert.ok(await traps(functions, Infinity), 'once the worker takes part')
})

test.run()
