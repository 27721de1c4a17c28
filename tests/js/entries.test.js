// The entry points for one kind, and the cores that hold one: what they export, and what they refuse.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as external from 'copse/external'
import { familyOf } from './support/class-oracles.js'
import {
  className,
  CORES as kinds,
  dimensionsOf,
  nounOf,
  requiredOf,
  thrown,
} from './support/indexes.js'
import { createRandom, integer } from '../../web/random.js'

const test = suite('entries for one kind')

const POINTS = ['AgentTree', 'Grid', 'KdTree']

const core = (name) =>
  readFileSync(fileURLToPath(import.meta.resolve(`copse/core${name && `-${name}`}.wasm`)))

/** Creates a small index in an instance. Returns the ids that it finds near the origin. */
function idsNearOrigin(library, kind, instance) {
  const points = [0, 0, 1, 0, 5, 5]
  const options = { capacity: 3, instance, ...requiredOf(kind, 2) }
  const index = new library[className(kind, 2)](options)
  if (kind === 'ObstacleTree') {
    index.reserve(6)
    for (let i = 0; i < 6; i += 2) index.addSegment(points[i], points[i + 1], points[i], 9)
    index.remove(4)
    return [...index.within(0, 0, 0.5)]
  }
  if (kind === 'Octree') for (let i = 0; i < 6; i += 2) index.add(points[i], points[i + 1])
  else {
    index.slots = 3
    index.positions.set(points)
    index.build()
  }
  return [...index.within(0, 0, 2, { sort: 'id' })]
}

for (const kind of kinds) {
  const noun = nounOf(kind)
  const entry = await import(`copse/${noun}`)

  test(`copse/${noun} exports its classes, create, init and CopseError`, () => {
    const expected = [
      'CopseError',
      'create',
      'init',
      ...dimensionsOf(kind).map((d) => className(kind, d)),
    ]
    assert.equal(Object.keys(entry).sort(), expected.sort())
  })

  test(`copse/${noun} returns what brute force returns`, async () => {
    const random = createRandom(1)
    const instance = await entry.create()
    for (const dimensions of dimensionsOf(kind)) {
      const name = className(kind, dimensions)
      const index = new entry[name]({ instance, capacity: 24, ...requiredOf(kind, dimensions) })
      for (let round = 0; round < 20; round++)
        familyOf(name).check(index, dimensions, () => integer(random, 17) / 2 - 4)
      index.dispose()
    }
  })

  test(`copse/${noun} has a default instance and error class of its own`, async () => {
    const error = thrown(() => new entry[className(kind, 2)](requiredOf(kind, 2)))
    assert.instance(error, entry.CopseError)
    assert.match(error.message, `${className(kind, 2)}: await init() from 'copse/${noun}' first`)
    await entry.init()
    assert.equal(idsNearOrigin(entry, kind), [0, 1])
  })

  test(`copse/${noun} accepts the core that has all classes`, async () => {
    assert.equal(idsNearOrigin(entry, kind, await entry.create({ wasm: core('') })), [0, 1])
  })

  test(`core-${noun}.wasm refuses other classes, and its instance stays usable`, async () => {
    const instance = await external.create({ wasm: core(noun) })
    for (const other of kinds.filter((other) => other !== kind))
      for (const dimensions of dimensionsOf(other)) {
        const name = className(other, dimensions)
        const error = thrown(
          () => new external[name]({ instance, ...requiredOf(other, dimensions) }),
        )
        assert.instance(error, external.CopseError)
        assert.is(error.code, 'NOT_READY')
        const text = `${name}: not in this core: use core.wasm or core-${nounOf(other)}.wasm`
        assert.is(error.message, text)
        assert.equal(idsNearOrigin(external, kind, instance), [0, 1])
      }
  })

  test(`copse/${noun} and its core have no frustum queries`, async () => {
    for (const dimensions of dimensionsOf(kind))
      assert.not.ok('frustum' in entry[className(kind, dimensions)].prototype)
    const instance = await external.create({ wasm: core(noun) })
    if (kind === 'ObstacleTree') return
    const name = className(kind, 3)
    const index = new external[name]({ instance, ...requiredOf(kind, 3) })
    index.build?.()
    const error = thrown(() => index.frustum(new Float32Array(4)))
    assert.is(error.code, 'NOT_READY')
    assert.is(error.message, `${name}.frustum: not in this core: use core.wasm`)
    assert.equal(idsNearOrigin(external, kind, instance), [0, 1])
  })

  test(`copse/${noun} and its core have neither sources nor worlds that wrap around`, async () => {
    if (!POINTS.includes(kind)) return
    const name = className(kind, 2)
    const wrap = [0, 0, 9, 9]
    const instance = await external.create({ wasm: core(noun) })
    const holder = new external[name]({ instance, ...requiredOf(kind, 2) })
    const bytes = instance.memory.buffer.byteLength
    for (const options of [{ source: holder }, ...(kind === 'Grid' ? [{ wrap }] : [])]) {
      const all = { instance, ...options, ...requiredOf(kind, 2) }
      const [option] = Object.keys(options)
      const refusal = thrown(() => new entry[name](all))
      assert.instance(refusal, TypeError)
      assert.match(refusal.message, new RegExp(`^${name}: no option '${option}' `))
      for (let round = 0; round < 1000; round++) {
        const error = thrown(() => new external[name](all))
        assert.is(error.code, 'NOT_READY')
        assert.is(error.message, `${name}: not in this core: use core.wasm`)
      }
    }
    assert.is(instance.memory.buffer.byteLength, bytes, 'an object that is refused is freed')
    assert.equal(idsNearOrigin(external, kind, instance), [0, 1])
    const names = WebAssembly.Module.exports(new WebAssembly.Module(core(noun)))
    assert.not(names.some(({ name }) => /source|wrap|frustum/.test(name)))
  })

  test(`core-${noun}.wasm has the create function of its kind only`, () => {
    const creators = (name) =>
      WebAssembly.Module.exports(new WebAssembly.Module(core(name)))
        .map(({ name }) => name)
        .filter((name) => name.endsWith('_create'))
    assert.equal(creators(noun), [`${noun}_create`])
    const allCreators = [...kinds, 'Crowd', 'FlowField', 'Sensors']
      .map((kind) => `${nounOf(kind)}_create`)
      .sort()
    assert.equal(creators('').sort(), allCreators)
    assert.equal(creators('scalar').sort(), allCreators)
  })
}

test('copse/crowd exports crowds and walls, and its core refuses other classes', async () => {
  const entry = await import('copse/crowd')
  const expected = ['CopseError', 'Crowd', 'Crowd3D', 'ObstacleTree', 'create', 'init']
  assert.equal(Object.keys(entry).sort(), expected)
  const hashes = []
  for (const [library, wasm] of [
    [entry, undefined],
    [entry, core('')],
    [external, core('crowd')],
    [copse, undefined],
  ]) {
    const instance = await library.create(wasm && { wasm })
    const crowd = new library.Crowd({ instance })
    crowd.obstacles = new library.ObstacleTree({ instance })
    crowd.obstacles.addSegment(3, -1, 3, 1)
    crowd.add({ position: [0, 0], goal: [9, 0.5] })
    crowd.add({ position: [9, 0], goal: [0, 0.5] })
    for (let i = 0; i < 60; i++) crowd.step()
    hashes.push(crowd.hash())
  }
  assert.is(new Set(hashes).size, 1)
  assert.not('follow' in entry.Crowd.prototype, 'it has no fields to follow')
  const instance = await external.create({ wasm: core('crowd') })
  assert.is(thrown(() => new external.AgentTree({ instance })).code, 'NOT_READY')
  assert.is(
    thrown(() => new external.Quadtree({ instance, bounds: [0, 0, 1, 1] })).code,
    'NOT_READY',
  )
})

test('copse/paths exports flow fields, crowds and walls, and its core refuses other classes', async () => {
  const entry = await import('copse/paths')
  const expected = [
    ...['CopseError', 'Crowd', 'Crowd3D', 'FlowField', 'ObstacleTree', 'create', 'init'],
  ]
  assert.equal(Object.keys(entry).sort(), expected)
  const snapshots = []
  for (const [library, wasm] of [
    [entry, undefined],
    [entry, core('')],
    [external, core('paths')],
    [external, core('scalar')],
    [copse, undefined],
  ]) {
    const instance = await library.create(wasm && { wasm })
    const field = new library.FlowField({ instance, bounds: [0, 0, 9, 9], cell: 0.25 })
    field.obstacles = new library.ObstacleTree({ instance })
    field.obstacles.addSegment(3, 1, 3, 8)
    field.setGoals([8, 4])
    field.build()
    assert.ok(field.distance(1, 4) > 9)
    const crowd = new library.Crowd({ instance })
    crowd.add({ position: [1, 4], radius: 0.1 })
    crowd.follow(field)
    crowd.step()
    assert.equal([...crowd.goals.subarray(0, 2)], [8, 4])
    snapshots.push(field.save())
  }
  for (const snapshot of snapshots) assert.equal(snapshot, snapshots[0])
  const instance = await external.create({ wasm: core('paths') })
  new external.Crowd({ instance }).dispose()
  assert.is(thrown(() => new external.Grid({ instance, cellSize: 1 })).code, 'NOT_READY')
  for (const noun of ['crowd', 'grid']) {
    const instance = await external.create({ wasm: core(noun) })
    const error = thrown(() => new external.FlowField({ instance, bounds: [0, 0, 9, 9], cell: 1 }))
    assert.is(error.code, 'NOT_READY')
    assert.is(error.message, 'FlowField: not in this core: use core.wasm or core-paths.wasm')
  }
})

test.run()
