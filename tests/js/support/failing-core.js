// A core that fails on demand, see the Makefile: it traps where this capacity is reserved; and so little memory
// that it runs out.

import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import * as copse from 'copse'

export const TRAP = 54321 // COPSE_TEST_TRAP of the Makefile
export const MAXIMUM = 2 ** 22
/** Options of an instance. */
export const SCARCE = { memory: MAXIMUM, growth: 'error' }

export const wasm = await WebAssembly.compile(
  readFileSync(new URL('../../../build/test/core-failing.wasm', import.meta.url)),
)

/** Small trees, as many as there is memory for. */
export function takeAll(instance) {
  const trees = []
  for (;;)
    try {
      trees.push(new copse.AgentTree({ instance, capacity: 20 }))
    } catch (error) {
      assert.is(error.code, 'OUT_OF_MEMORY')
      return trees
    }
}
