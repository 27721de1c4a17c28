// A tree that is built in one thread and queried in another: its bytes are transferred, not copied.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { create, KdTree, KdTree3D } from 'copse'
import { createRandom, distributions } from '../../web/random.js'
import { resultsOf } from './support/transfer-results.js'

const test = suite('transfer')
let worker

test.before(() => {
  // Bundlers of pages look for exactly this expression.
  if (globalThis.Worker)
    worker = new Worker(new URL('./support/transfer-worker.js', import.meta.url), {
      type: 'module',
    })
  else {
    const threads = globalThis.process.getBuiltinModule('node:worker_threads')
    worker = new threads.Worker(new URL('./support/transfer-worker.js', import.meta.url))
    worker.addEventListener = (name, listener) =>
      worker.once(name, (data) => listener(name === 'message' ? { data } : data))
  }
})
test.after(() => worker.terminate())

/** Sends a message and its transferables to the worker. Resolves to the worker's reply. */
const send = (message, transfer) =>
  new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => resolve(data), { once: true })
    worker.addEventListener('error', reject, { once: true })
    worker.postMessage(message, transfer)
  })

for (const [Tree, dimensions] of [
  [KdTree, 2],
  [KdTree3D, 3],
])
  test(`a tree in ${dimensions}D is transferred to a worker and back`, async () => {
    const n = 2000
    const instance = await create()
    const tree = new Tree({ instance, capacity: n })
    tree.slots = n
    tree.positions.set(distributions.uniform(createRandom(7), n, dimensions))
    for (let id = 0; id < n; id++) tree.groups[id] = id % 5
    tree.build()
    const expected = resultsOf(tree, dimensions)
    assert.ok(expected.within.length > 0 && expected.hit.id >= 0 && expected.total > 0)

    const { buffer } = tree.save()
    const reply = send({ buffer, dimensions }, [buffer])
    assert.is(buffer.byteLength, 0, 'transferred')
    const { results, buffer: returned } = await reply
    assert.equal(results, expected)
    const copy = new Tree({ instance, capacity: n })
    copy.restore(new Uint8Array(returned))
    assert.equal(resultsOf(copy, dimensions), expected)
    assert.is(tree.nearest(...tree.positions.subarray(dimensions, 2 * dimensions)), 1)
  })

test.run()
