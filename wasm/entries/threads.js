// The entry 'copse/threads': all classes, with a core whose objects divide large work among threads.

import core from '../core-threads.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'
import { ThreadedInstance } from '../pool.js'

export * from '../index.js'

const OPTIONS = ['threads', 'workerFactory']
export const { init, create } = /* @__PURE__ */ entry(
  'copse/threads',
  () => inflate(core),
  ThreadedInstance,
  OPTIONS,
)
