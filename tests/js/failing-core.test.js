// What traps, and what finds no memory.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { MAXIMUM, SCARCE, TRAP, takeAll, wasm } from './support/failing-core.js'
import { CLASSES, familyOf } from './support/class-oracles.js'
import { thrown } from './support/indexes.js'
import { createRandom } from '../../web/random.js'

const create = () => copse.create({ wasm, ...SCARCE })

/** So many that their snapshot does not fit into what is staged without more memory. */
const COUNT = 2800

const place = (random) => () => Math.floor(random() * 33) / 2 - 8

/** An object that holds some items, the same each time. */
function filled({ name, dimensions, required }, instance, capacity = 8) {
  const object = new copse[name]({ capacity, instance, ...required })
  familyOf(name).fill(object, dimensions, place(createRandom(1)), capacity)
  return object
}

/** Every public method, and every property that can be read. */
function callsOf(object) {
  const calls = []
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype;) {
    for (const key of Reflect.ownKeys(at)) {
      if (key === 'constructor' || String(key).startsWith('_')) continue
      if (key === 'zs' && object._isPlane) continue // undefined, in any state
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
  const { name, dimensions, required } = type

  test(`a trap kills the instance of a ${name}, and no other`, async () => {
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
        const error = thrown(() => assert.is(call(), undefined))
        const isArgument = ['TypeError', 'RangeError', 'Assertion'].includes(error.name)
        assert.ok(error.code === 'DEAD' || isArgument, `${key}: ${error}`)
      }
    }
    for (const each of CLASSES) assertCode(() => filled(each, instance), 'DEAD')

    assert.equal(alive.save(), before)
    alive.reserve(100)
    assert.is(alive.capacity, 100)
    assert.is(filled(type, await create()).capacity, 8)
  })

  test(`a ${name} that finds no memory stays as it was`, async () => {
    const instance = await create()
    const object = filled(type, instance)
    const before = object.save()
    const others = []
    const more = () => others.push(new copse[name]({ ...required, instance, capacity: 300 }))
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
      assertCode(() => object.restore(new Uint8Array(Math.max(capacity, MAXIMUM))), 'BAD_SNAPSHOT')
    }
    assert.is(object.capacity, 8)
    assert.equal(object.save(), before)
    object.restore(before)
    assert.equal(object.save(), before)
    if ('validate' in object) assert.ok(object.validate())

    for (const other of others) {
      if (other.build) other.build()
      if (other.step) other.step()
      if (other.allWithin) assert.is(other.allWithin(1).total, 0)
      other.dispose()
    }
    more()
    object.reserve(300)
    assert.is(object.capacity, 300)
  })

  test(`nothing of a ${name} finds memory: it answers rightly, and goes on when there is some`, async () => {
    const saved = filled(type, await copse.create(), COUNT).save()
    for (const isAsked of [false, true]) {
      const instance = await create()
      const object = filled(type, instance, COUNT)
      const others = takeAll(instance)
      const { byteLength } = instance.memory.buffer
      for (const call of [
        () => new copse[name]({ ...required, instance, capacity: COUNT }),
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
      if (isAsked) check(false)
      for (const other of others) other.dispose()
      if (!isAsked) assert.equal(object.save(), saved)
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

test('memory that cannot be reserved is OUT_OF_MEMORY', async () => {
  assert.is((await create()).memory.buffer.byteLength, MAXIMUM)
  const { Memory } = WebAssembly
  WebAssembly.Memory = class {
    constructor() {
      throw new RangeError('as an engine says')
    }
  }
  const error = await copse.create({ wasm, memory: MAXIMUM }).catch((error) => error)
  WebAssembly.Memory = Memory
  assert.instance(error, copse.CopseError)
  assert.is(error.code, 'OUT_OF_MEMORY')
  assert.is(error.message, `init: no memory of ${MAXIMUM} bytes`)
})

test('cells, lines and the order need no memory', async () => {
  for (const type of CLASSES) {
    const [instance, roomy] = [await create(), await copse.create()]
    const [object, same] = [filled(type, instance, COUNT), filled(type, roomy, COUNT)]
    takeAll(instance)
    for (const method of ['cells', 'lines', 'order'])
      if (method in object) assert.equal(object[method](), same[method]())
  }
})

test.run()
