// In a worker, of a page or of Node: answers for trees from the bytes that it is sent.

import { create, KdTree, KdTree3D } from 'copse'
import { answers } from './transfer-answers.js'

const port = globalThis.postMessage
  ? globalThis
  : globalThis.process.getBuiltinModule('node:worker_threads').parentPort

port.onmessage = async ({ data: { buffer, dimensions } }) => {
  const instance = await create()
  const tree = (dimensions === 2 ? KdTree : KdTree3D).from(new Uint8Array(buffer), { instance })
  const answer = answers(tree, dimensions)
  port.postMessage({ buffer, answer }, [buffer])
}
