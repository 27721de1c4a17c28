// The stack of a core has an explicit size and is below all data, so that an overflow traps instead of
// corrupting data.

import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const STACK_BYTES = 262144 // of the Makefile
const [GLOBALS, DATA] = [6, 11]

const NAMES = ['core', ...['points', 'boxes', 'walls', 'crowd'].map((family) => `core-${family}`)]
const read = (name) => readFileSync(new URL(`../../dist/${name}.wasm`, import.meta.url))

/** Returns a reader of a WebAssembly module's numbers. */
function reader(bytes, offset) {
  return {
    offset: () => offset,
    byte: () => bytes[offset++],
    skip: (count) => (offset += count),
    /** Reads a LEB128 of at most 32 bits. */
    number() {
      let [value, shift, byte] = [0, 0, 128]
      for (; byte & 128; shift += 7) value |= ((byte = bytes[offset++]) & 127) << shift
      return value >>> 0
    },
  }
}

/** Returns the layout of a module's memory: the start of the stack, the offset of that number, and the data. */
function layoutOf(bytes) {
  const layout = { stack: NaN, stackOffset: NaN, data: [] }
  for (let offset = 8; offset < bytes.length;) {
    const section = reader(bytes, offset)
    const kind = section.byte()
    const size = section.number()
    offset = section.offset() + size
    if (kind === GLOBALS) {
      assert.equal(
        [section.number(), section.byte(), section.byte()],
        [1, 0x7f, 1],
        'one mutable global',
      )
      assert.is(section.byte(), 0x41, 'a constant')
      layout.stackOffset = section.offset()
      layout.stack = section.number()
    }
    if (kind !== DATA) continue
    for (let count = section.number(); count > 0; count--) {
      assert.equal([section.byte(), section.byte()], [0, 0x41], 'at a constant address')
      const begin = section.number()
      assert.is(section.byte(), 0x0b)
      const length = section.number()
      layout.data.push({ begin, length })
      section.skip(length)
    }
  }
  return layout
}

/** Returns the same core with a smaller stack. */
function withStack(bytes, size) {
  const { stackOffset } = layoutOf(bytes)
  const changed = Uint8Array.from(bytes)
  changed.set([(size & 127) | 128, ((size >> 7) & 127) | 128, size >> 14], stackOffset)
  assert.is(layoutOf(changed).stack, size)
  return changed
}

const test = suite('stack')

for (const name of NAMES)
  test(`${name}.wasm: data begins above the stack, which grows down`, () => {
    const { data, stack } = layoutOf(read(name))
    assert.is(stack, STACK_BYTES)
    assert.ok(data.length > 0)
    for (const { begin, length } of data) assert.ok(begin >= STACK_BYTES && length > 0)
  })

test('an overflow of the stack traps and never gives a wrong result', async () => {
  const bytes = read('core')
  const random = createRandom(1)
  const points = Float32Array.from({ length: 2000 }, () => random() * 100)

  /** Returns the rows that a core with such a stack finds; null if it traps. */
  async function play(size) {
    const instance = await copse.create({ wasm: withStack(bytes, size) })
    const treeOf = (capacity) => new copse.AgentTree({ instance, capacity })
    try {
      const tree = treeOf(1000)
      for (let i = 0; i < 1000; i++) tree.add(points[2 * i], points[2 * i + 1])
      tree.remove(7)
      assert.is(tree.add(points[14], points[15]), 7)
      tree.build()
      const rows = tree.allNeighbors(8).ids.slice()
      assert.ok(tree._validate())
      return rows
    } catch (error) {
      assert.instance(error, WebAssembly.RuntimeError, `${size}: ${error}`)
      assert.is(thrown(() => treeOf(1)).code, 'DEAD')
      return null
    }
  }

  const expected = await play(STACK_BYTES)
  assert.ok(expected)
  let trapped = 0
  for (let size = 64; size < STACK_BYTES; size *= 2) {
    const rows = await play(size)
    if (rows) assert.equal(rows, expected)
    else trapped++
  }
  assert.ok(trapped > 3, `${trapped}`)
})

test.run()
