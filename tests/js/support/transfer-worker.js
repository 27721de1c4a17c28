// A worker of a page or of Node: creates trees from the bytes that it receives, and posts their results.

import { create, KdTree, KdTree3D } from 'copse'
import { resultsOf } from './transfer-results.js'

const port = globalThis.postMessage
  ? globalThis
  : globalThis.process.getBuiltinModule('node:worker_threads').parentPort

port.onmessage = async ({ data: { buffer, dimensions } }) => {
  const instance = await create()
  const tree = new (dimensions === 2 ? KdTree : KdTree3D)({ instance, capacity: 1 })
  tree.restore(new Uint8Array(buffer))
  const results = resultsOf(tree, dimensions)
  port.postMessage({ buffer, results }, [buffer])
}
