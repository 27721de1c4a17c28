// No call in a game's frame makes garbage: counted as collections over many frames, with so small a
// heap for the young that a few bytes a frame would show.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CORES } from './support/indexes.js'

const script = fileURLToPath(new URL('./support/garbage/frames.js', import.meta.url))

function collections(...words) {
  // The count must not depend on other load: so code is compiled at once, not in the background, and
  // no collection is made only because some seconds have passed.
  const flags = ['--max-semi-space-size=1', '--no-concurrent-recompilation', '--no-memory-reducer']
  const options = { encoding: 'utf8', timeout: 120_000 }
  return Number(execFileSync(process.execPath, [...flags, script, ...words], options))
}

const test = suite('garbage')

for (const kind of [...CORES, 'Crowd'])
  test(`there is none in 200,000 frames of queries of ${kind}`, () => {
    assert.is(collections(kind), 0)
  })

test('the counter sees one view a frame', () => {
  assert.ok(collections('AgentTree', 'views') > 0)
})

test.run()
