// A core that fails on demand, see the Makefile: what traps, and what finds no memory.

import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { className, CORES, dimensionsOf, requiredOf, thrown } from './indexes.js'

const TRAP = 54321 // COPSE_TEST_TRAP of the Makefile
const MAXIMUM = 2 ** 21

const CLASSES = [...CORES, 'Crowd'].flatMap((kind) =>
  dimensionsOf(kind).map((dimensions) => ({
    Class: copse[className(kind, dimensions)],
    dimensions,
    required: requiredOf(kind, dimensions),
  })),
)

const wasm = await WebAssembly.compile(
  readFileSync(new URL('../build/test/core-failing.wasm', import.meta.url)),
)
const create = () => copse.create({ wasm })

/** An object that holds some items. */
function filled({ Class, dimensions, required }, instance) {
  const object = new Class({ capacity: 8, instance, ...required })
  const place = (i) => Array.from({ length: dimensions }, (_, axis) => i + axis)
  if (object.addPolygon) object.addPolygon([0, 0, 2, 0, 2, 2])
  else if (object.insert) object.insert(...place(1))
  else if (object.add) object.add({ position: place(1) })
  else {
    object.count = 3
    object.positions.set([...place(1), ...place(4), ...place(9)])
    object.build()
  }
  return object
}

/** Every public method, and every property that can be read. */
function callsOf(object) {
  const calls = []
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype;) {
    for (const key of Reflect.ownKeys(at)) {
      if (key === 'constructor' || String(key).startsWith('_')) continue
      const { value, get } = Object.getOwnPropertyDescriptor(at, key)
      calls.push({ key: String(key), call: () => (value ?? get).call(object) })
    }
    at = Object.getPrototypeOf(at)
  }
  return calls
}

const assertCode = (call, code) => assert.is(thrown(call).code, code)

const test = suite('failing')

for (const type of CLASSES) {
  const { Class } = type

  test(`a trap kills the instance of a ${Class.name}, and no other`, async () => {
    const [instance, elsewhere] = [await create(), await create()]
    const [object, others] = [filled(type, instance), CLASSES.map((each) => filled(each, instance))]
    const alive = filled(type, elsewhere)
    const before = alive.save()
    assert.instance(
      thrown(() => object.reserve(TRAP)),
      WebAssembly.RuntimeError,
    )

    for (const each of [object, ...others]) {
      assertCode(() => each.save(), 'DEAD')
      assertCode(() => each.reserve(100), 'DEAD')
      assertCode(() => each.dispose(), 'DEAD')
      assertCode(() => each.restore(new Uint8Array(64)), 'DEAD')
      for (const { key, call } of callsOf(each)) {
        const { code, name } = thrown(() => assert.is(call(), undefined))
        const isArgument = ['TypeError', 'RangeError'].includes(name)
        assert.ok(code === 'DEAD' || isArgument || name === 'Assertion', `${key}: ${name} ${code}`)
      }
    }
    for (const each of CLASSES) assertCode(() => filled(each, instance), 'DEAD')

    assert.equal(alive.save(), before)
    alive.reserve(100)
    assert.is(alive.capacity, 100)
    assert.is(filled(type, await create()).capacity, 8)
  })

  test(`a ${Class.name} that finds no memory stays as it was`, async () => {
    const instance = await create()
    const object = filled(type, instance)
    const before = object.save()
    const others = []
    const more = () => others.push(new Class({ ...type.required, instance, capacity: 300 }))
    for (let i = 0; i < 1000 && others.length === i; i++)
      try {
        more()
      } catch (error) {
        assert.is(error.code, 'OUT_OF_MEMORY')
      }
    assert.ok(others.length > 1 && others.length < 1000, `${others.length}`)
    assert.ok(instance.memory.buffer.byteLength <= MAXIMUM)

    for (let capacity = 10_000; capacity <= 2 ** 28; capacity *= 4) {
      assertCode(() => object.reserve(capacity), 'OUT_OF_MEMORY')
      assertCode(() => object.restore(new Uint8Array(Math.max(capacity, MAXIMUM))), 'OUT_OF_MEMORY')
    }
    assert.is(object.capacity, 8)
    assert.equal(object.save(), before)
    object.restore(before)
    assert.equal(object.save(), before)
    if ('validate' in object) assert.ok(object.validate())

    for (const other of others) {
      if (other.build) other.build()
      if (other.step) other.step()
      other.dispose()
    }
    more()
    object.reserve(300)
    assert.is(object.capacity, 300)
  })
}

test('memory that cannot be reserved is OUT_OF_MEMORY', async () => {
  const roomy = await copse.create({ wasm, memory: MAXIMUM })
  assert.is(roomy.memory.buffer.byteLength, MAXIMUM)
  const error = await copse.create({ wasm, memory: MAXIMUM + 1 }).catch((error) => error)
  assert.instance(error, copse.CopseError)
  assert.is(error.code, 'OUT_OF_MEMORY')
  assert.is(error.message, `init: no memory of ${MAXIMUM + 1} bytes`)
})

test('a snapshot that finds no memory is OUT_OF_MEMORY, and nothing has changed', async () => {
  const instance = await create()
  const tree = new copse.KdTree({ instance, capacity: 10_000, results: 0, k: 0 })
  tree.count = 10_000
  for (let i = 0; i < 20_000; i++) tree.positions[i] = (i * 7919) % 1000
  tree.build()
  const found = [...tree.within(500, 500, 20)]
  const others = []
  let code
  while (!code)
    try {
      others.push(new copse.AgentTree({ instance, capacity: 100, results: 0, k: 0 }))
    } catch (error) {
      code = error.code
    }
  assert.is(code, 'OUT_OF_MEMORY')
  for (const call of [
    () => tree.save(),
    () => tree.saveInto(new Uint8Array(10)),
    () => tree.cells(),
  ])
    assertCode(call, 'OUT_OF_MEMORY')
  assert.equal([...tree.within(500, 500, 20)], found)
  for (const other of others) other.dispose()
  const copy = copse.KdTree.from(tree.save(), { instance: await copse.create() })
  assert.equal([...copy.within(500, 500, 20)], found)
})

test.run()
