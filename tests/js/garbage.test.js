// No call in a game's frame makes garbage. The bytes that many frames allocate are counted: the smallest object, of 16
// bytes, in every tenth frame would be too many.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { INDEXES } from './support/indexes.js'

const script = (name) => fileURLToPath(new URL(`./support/garbage/${name}`, import.meta.url))

/** Returns what a script prints, a number or an object. @param {string[]} words flags, then the script */
function run(...words) {
  // Counts must not depend on the machine's load: code is compiled immediately, not in the background, and time alone
  // causes no collection.
  const flags = ['--no-concurrent-recompilation', '--no-memory-reducer']
  return JSON.parse(execFileSync(process.execPath, [...flags, ...words], { timeout: 120_000 }))
}

/**
 * Returns the bytes that a frame allocates, on average. Nothing is collected meanwhile: the young generation has room
 * for all that the warm-up allocates. @param {string[]} words for frames.js
 */
const bytesPerFrame = (...words) => run('--min-semi-space-size=64', script('frames.js'), ...words)

/** Returns the number of collections, and the bytes that each frame allocates. */
const inThreads = (...words) => run('--max-semi-space-size=16', script('threads.js'), ...words)

const test = suite('garbage')

for (const kind of [...INDEXES, 'Crowd', 'Sensors', 'FlowField'])
  test(`frames of ${kind} make no garbage`, () => {
    const bytes = bytesPerFrame(kind)
    assert.ok(bytes < 1, `${bytes} bytes per frame`)
  })

test('one view per frame is counted', () => {
  assert.ok(bytesPerFrame('AgentTree', 'views') > 1)
})

test('frames with threads make no garbage', () => {
  const { collections, bytes } = inThreads()
  assert.is(collections, 0)
  assert.ok(bytes < 12, `${bytes}`) // a number per frame is 16 bytes; measuring takes some 3
  assert.ok(inThreads('views').bytes > 32)
})

test.run()
