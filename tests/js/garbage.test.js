// No call in a game's frame makes garbage. Garbage collections are counted over many frames, with a young
// generation so small that a few bytes per frame would cause one.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CORES } from './support/indexes.js'

const script = fileURLToPath(new URL('./support/garbage/frames.js', import.meta.url))

function collections(...words) {
  // The count must not depend on the machine's load: code is compiled immediately, not in the background,
  // and time alone causes no collection.
  const flags = ['--max-semi-space-size=1', '--no-concurrent-recompilation', '--no-memory-reducer']
  const options = { encoding: 'utf8', timeout: 120_000 }
  return Number(execFileSync(process.execPath, [...flags, script, ...words], options))
}

const test = suite('garbage')

for (const kind of [...CORES, 'Crowd', 'Sensors', 'FlowField'])
  test(`200,000 frames of ${kind} make no garbage`, () => {
    assert.is(collections(kind), 0)
  })

test('one view per frame is counted', () => {
  assert.ok(collections('AgentTree', 'views') > 0)
})

test.run()
