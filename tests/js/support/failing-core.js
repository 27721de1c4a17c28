// A core that fails on demand (built by the Makefile): it traps when the capacity TRAP is reserved.
// And options of an instance with so little memory that it runs out.

import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import * as copse from 'copse'

export const TRAP = 54321 // COPSE_TEST_TRAP of the Makefile
export const MAX_BYTES = 2 ** 22
/** Options of an instance with little memory that cannot grow. */
export const SCARCE = { memory: MAX_BYTES, growth: 'error' }

export const wasm = await WebAssembly.compile(
  readFileSync(new URL('../../../build/test/core-failing.wasm', import.meta.url)),
)

/** Creates small trees until there is no memory left. Returns them. */
export function fillMemory(instance) {
  const trees = []
  for (;;)
    try {
      trees.push(new copse.AgentTree({ instance, capacity: 20 }))
    } catch (error) {
      assert.is(error.code, 'OUT_OF_MEMORY')
      return trees
    }
}
