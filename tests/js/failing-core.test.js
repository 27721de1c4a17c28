// Traps and lack of memory, in every class.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { MAX_BYTES, SCARCE, TRAP, fillMemory, wasm } from './support/failing-core.js'
import { CLASSES, createOf, familyOf } from './support/class-oracles.js'
import { thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const create = () => copse.create({ wasm, ...SCARCE })

/** Enough items that staging their snapshot needs more memory. */
const COUNT = 2800

const place = (random) => () => Math.floor(random() * 33) / 2 - 8

/** Creates an object with items, the same ones each time. */
function filled(type, instance, capacity = 8) {
  const { name, dimensions } = type
  const object = createOf(copse, type, { capacity, instance })
  familyOf(name).fill(object, dimensions, place(createRandom(1)), capacity)
  return object
}

/** Returns a call of every public method and getter. */
function callsOf(object) {
  const calls = []
  for (let owner = Object.getPrototypeOf(object); owner !== Object.prototype;) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === 'constructor' || String(key).startsWith('_')) continue
      if (key === 'zs' && object._isPlane) continue // always undefined
      const { value, get } = Object.getOwnPropertyDescriptor(owner, key)
      calls.push({ key: String(key), call: () => (value ?? get).call(object) })
    }
    owner = Object.getPrototypeOf(owner)
  }
  return calls
}

const assertCode = (call, code) => assert.is(thrown(call).code, code)

const test = suite('failing')

for (const type of CLASSES) {
  const { name, dimensions, required } = type

  test(`a trap in a ${name} makes its instance unusable, and no other`, async () => {
    const [instance, elsewhere] = [await create(), await create()]
    const [object, others] = [
      filled(type, instance),
      CLASSES.map((other) => filled(other, instance)),
    ]
    const alive = filled(type, elsewhere)
    const before = alive.save()
    assert.instance(
      thrown(() => object.reserve(TRAP)),
      WebAssembly.RuntimeError,
    )

    for (const dead of [object, ...others]) {
      assertCode(() => dead.save(), 'DEAD')
      assertCode(() => dead.reserve(100), 'DEAD')
      assertCode(() => dead.dispose(), 'DEAD')
      assertCode(() => dead.restore(new Uint8Array(64)), 'DEAD')
      for (const { key, call } of callsOf(dead)) {
        const error = thrown(() => assert.is(call(), undefined))
        const isArgument = ['TypeError', 'RangeError', 'Assertion'].includes(error.name)
        assert.ok(error.code === 'DEAD' || isArgument, `${key}: ${error}`)
      }
    }
    for (const other of CLASSES) assertCode(() => filled(other, instance), 'DEAD')

    assert.equal(alive.save(), before)
    alive.reserve(100)
    assert.is(alive.capacity, 100)
    assert.is(filled(type, await create()).capacity, 8)
  })

  test(`a ${name} is unchanged if a call finds no memory`, async () => {
    const instance = await create()
    const object = filled(type, instance)
    const before = object.save()
    const others = []
    const createAnother = () => others.push(createOf(copse, type, { instance, capacity: 300 }))
    for (let i = 0; i < 1000 && others.length === i; i++)
      try {
        createAnother()
      } catch (error) {
        assert.is(error.code, 'OUT_OF_MEMORY')
      }
    assert.ok(others.length > 1 && others.length < 1000, `${others.length}`)
    assert.ok(instance.memory.buffer.byteLength <= MAX_BYTES)

    const most = name === 'FlowField' ? 65534 : 2 ** 28
    for (let capacity = 10_000; capacity <= most; capacity *= 4) {
      assertCode(() => object.reserve(capacity), 'OUT_OF_MEMORY')
      assertCode(
        () => object.restore(new Uint8Array(Math.max(capacity, MAX_BYTES))),
        'OUT_OF_MEMORY',
      )
    }
    assert.is(object.capacity, 8)
    assert.equal(object.save(), before)
    object.restore(before)
    assert.equal(object.save(), before)
    if ('_validate' in object) assert.ok(object._validate())

    for (const other of others) {
      if (other.build) other.build()
      if (other.step) other.step(1)
      if (other.allWithin) assert.is(other.allWithin(1).total, 0)
      other.dispose()
    }
    createAnother()
    object.reserve(300)
    assert.is(object.capacity, 300)
  })

  test(`a ${name} works without any free memory, and grows once there is some`, async () => {
    const saved = filled(type, await copse.create(), COUNT).save()
    for (const checksFirst of [false, true]) {
      const instance = await create()
      const object = filled(type, instance, COUNT)
      const others = fillMemory(instance)
      const { byteLength } = instance.memory.buffer
      for (const call of [
        () => createOf(copse, type, { instance, capacity: COUNT }),
        () => object.reserve(2 * COUNT),
        () => object.save(),
        () => object.saveInto(new Uint8Array(saved.length)),
        () => object.restore(saved),
      ])
        assertCode(call, 'OUT_OF_MEMORY')
      assert.is(object.capacity, COUNT)
      assert.is(instance.memory.buffer.byteLength, byteLength)
      const check = (hasMemory = true) =>
        familyOf(name).check(object, dimensions, place(createRandom(2)), hasMemory)
      if (checksFirst) check(false)
      for (const other of others) other.dispose()
      if (!checksFirst) assert.equal(object.save(), saved)
      object.restore(saved)
      assert.equal(object.save(), saved)
      check()
      object.reserve(COUNT + 100)
      assert.is(object.capacity, COUNT + 100)
      check()
      object.dispose()
      filled(type, instance, COUNT)
    }
  })
}

test('create throws OUT_OF_MEMORY if the engine has no memory', async () => {
  assert.is((await create()).memory.buffer.byteLength, MAX_BYTES)
  const { Memory } = WebAssembly
  WebAssembly.Memory = class {
    constructor() {
      throw new RangeError('as an engine says')
    }
  }
  const error = await copse.create({ wasm, memory: MAX_BYTES }).catch((error) => error)
  WebAssembly.Memory = Memory
  assert.instance(error, copse.CopseError)
  assert.is(error.code, 'OUT_OF_MEMORY')
  assert.is(error.message, `init: no memory for ${MAX_BYTES} bytes`)
})

test('cells, lines and order need no memory', async () => {
  for (const type of CLASSES) {
    const [instance, roomy] = [await create(), await copse.create()]
    const [object, twin] = [filled(type, instance, COUNT), filled(type, roomy, COUNT)]
    fillMemory(instance)
    for (const method of ['cells', 'lines', 'order'])
      if (method in object) assert.equal(object[method](), twin[method]())
  }
})

test.run()
