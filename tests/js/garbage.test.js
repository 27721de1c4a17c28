// No call in a game's frame makes garbage. The bytes that many frames allocate are counted: the smallest object, of 16
// bytes, in every tenth frame would be too many.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CORES } from './support/indexes.js'

const script = fileURLToPath(new URL('./support/garbage/frames.js', import.meta.url))

/** Returns the bytes that a frame allocates, on average. @param {string[]} words for frames.js */
function bytesPerFrame(...words) {
  // The count must not depend on the machine's load: code is compiled immediately, not in the background. Nothing is
  // collected meanwhile: the young generation has room for all that the warm-up allocates, and time alone causes no
  // collection.
  const flags = ['--min-semi-space-size=64', '--no-concurrent-recompilation', '--no-memory-reducer']
  const options = { encoding: 'utf8', timeout: 120_000 }
  return Number(execFileSync(process.execPath, [...flags, script, ...words], options))
}

const test = suite('garbage')

for (const kind of [...CORES, 'Crowd', 'Sensors', 'FlowField'])
  test(`frames of ${kind} make no garbage`, () => {
    const bytes = bytesPerFrame(kind)
    assert.ok(bytes < 1, `${bytes} bytes per frame`)
  })

test('one view per frame is counted', () => {
  assert.ok(bytesPerFrame('AgentTree', 'views') > 1)
})

test.run()
