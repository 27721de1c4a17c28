// The worker of the scene: runs the world, and sends its arrays to the page.

import { init } from 'copse'
import { runWorld } from '../../examples/worker/connection.js'
import { createWorld } from './world.js'

runWorld(async (options) => {
  await init()
  return createWorld(options)
})
