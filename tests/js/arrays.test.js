// Typed arrays as arguments: those of other realms and of subclasses are taken, look-alikes are refused.

import { createContext, runInContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { ROW, thrown } from './support/indexes.js'

const test = suite('typed arrays')
const context = createContext({})
/** Returns a typed array of another realm, like those of an iframe. */
const foreign = (array) => {
  const copy = runInContext(`new ${array.constructor.name}(${array.length})`, context)
  copy.set(array)
  assert.not.ok(copy instanceof array.constructor)
  return copy
}
/** An array of a subclass. */
class Points extends Float32Array {}

test('of another realm and of subclasses are used like others', async () => {
  const instance = await copse.create()
  const grid = new copse.Grid({ instance, cellSize: 2, capacity: 6 })
  grid.slots = 6
  grid.positions.set(foreign(Float32Array.from(ROW)))
  grid.build()
  const points = Float32Array.of(0, 0, 3, 0)
  for (const given of [points, foreign(points), Points.from(points)]) {
    assert.equal([...grid.withinMany(given, 1).counts], [2, 3])
    assert.equal([...grid.neighborsMany(given, 1).ids.subarray(0, 2)], [0, 3])
    const lists = { mask: foreign(Uint32Array.of(1)), inflate: foreign(Float32Array.of(0.5)) }
    assert.equal([...grid.raycastMany(given, lists).ids], [0])
  }
  const saved = grid.save()
  const buffer = Buffer.alloc(saved.length)
  assert.is(grid.saveInto(buffer), saved.length)
  for (const bytes of [saved, foreign(saved), buffer]) {
    grid.slots = 0
    grid.restore(bytes)
    assert.is(grid.count, 6)
  }
  const walls = new copse.ObstacleTree({ instance })
  walls.addPolygon(foreign(Float32Array.of(0, 0, 4, 0, 4, 4)))
  assert.ok(walls.contains(3, 1))
})

test('of another type are refused, and so is what looks like them', async () => {
  const instance = await copse.create()
  const grid = new copse.Grid({ instance, cellSize: 2, capacity: 6 })
  grid.build()
  const lookalike = Object.create(Float32Array.prototype, { length: { value: 2 } })
  class Renamed extends Int32Array {}
  Object.defineProperty(Renamed, 'name', { value: 'Float32Array' })
  for (const wrong of [
    ...[[0, 0], new Float64Array(2), foreign(new Float64Array(2)), new Renamed(2), lookalike],
    ...[null, undefined, 'Float32Array', { length: 2 }, new DataView(new ArrayBuffer(8))],
  ])
    assert.match(
      String(thrown(() => grid.withinMany(wrong, 1))),
      /^TypeError: Grid\.withinMany: points must be a Float32Array, got /,
    )
  for (const wrong of [[1], new Uint8ClampedArray(200), foreign(new Int8Array(200))])
    assert.match(
      String(thrown(() => grid.restore(wrong))),
      /^TypeError: Grid\.restore: bytes must be a Uint8Array, got /,
    )
})

test.run()
