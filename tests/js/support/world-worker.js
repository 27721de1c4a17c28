// Runs the world of world.js in a worker, and counts the buffers that it creates.

import { runWorld } from '../../../web/examples/worker/connection.js'
import { createWorld } from './world.js'

let buffers = 0
globalThis.ArrayBuffer = new Proxy(ArrayBuffer, {
  construct(Target, parameters) {
    buffers++
    return Reflect.construct(Target, parameters)
  },
})

runWorld(async (options) => {
  const world = await createWorld(options)
  const { arrays } = world
  world.arrays = () => ({ ...arrays(), buffers: Uint32Array.of(buffers) })
  return world
})
