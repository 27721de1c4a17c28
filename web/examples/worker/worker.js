// The worker: runs the world by the clock, and sends its positions to the page.

import { runWorld } from 'copse/worker'
import { createWorld } from './world.js'

runWorld(createWorld)
