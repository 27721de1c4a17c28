// The worker: runs the world by the clock, and sends its positions to the page.

import { runWorld } from './connection.js'
import { createWorld } from './world.js'

runWorld(createWorld)
