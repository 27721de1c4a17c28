// A tree that is built in one thread and asked in another: its bytes are handed over, not copied.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { create, KdTree, KdTree3D } from 'copse'
import { createRandom, distributions } from '../../web/random.js'
import { answers } from './support/transfer-answers.js'

const test = suite('transfer')
let worker

test.before(() => {
  // In a page bundlers look for these very words.
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

/** What the worker answers to a message of which something is handed over. */
const reply = (message, handedOver) =>
  new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => resolve(data), { once: true })
    worker.addEventListener('error', reject, { once: true })
    worker.postMessage(message, handedOver)
  })

for (const [Tree, dimensions] of [
  [KdTree, 2],
  [KdTree3D, 3],
])
  test(`a tree in ${dimensions}D passes to a worker and back`, async () => {
    const n = 2000
    const instance = await create()
    const tree = new Tree({ instance, capacity: n })
    tree.slots = n
    tree.positions.set(distributions.uniform(createRandom(7), n, dimensions))
    for (let id = 0; id < n; id++) tree.groups[id] = id % 5
    tree.build()
    const expected = answers(tree, dimensions)
    assert.ok(expected.within.length > 0 && expected.hit.id >= 0 && expected.total > 0)

    const { buffer } = tree.save()
    const sent = reply({ buffer, dimensions }, [buffer])
    assert.is(buffer.byteLength, 0, 'handed over')
    const { answer, buffer: returned } = await sent
    assert.equal(answer, expected)
    assert.equal(answers(Tree.from(new Uint8Array(returned), { instance }), dimensions), expected)
    assert.is(tree.nearest(...tree.positions.subarray(dimensions, 2 * dimensions)), 1)
  })

test.run()
