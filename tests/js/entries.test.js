// The entries for one family, and their cores: what they export, that they work, and what they refuse.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as external from 'copse/external'
import { familyOf } from './support/class-oracles.js'
import { className, dimensionsOf, nounOf, requiredOf, thrown } from './support/indexes.js'
import { createRandom, integer } from '../../web/random.js'

const test = suite('entries for one family')

/** The kinds of object of each family. A kind is a class, or one in 2D and one in 3D. */
const FAMILIES = {
  points: ['AgentTree', 'Grid', 'KdTree', 'Sensors'],
  boxes: ['Octree'],
  walls: ['ObstacleTree'],
  crowd: ['Crowd', 'FlowField', 'ObstacleTree'],
}
const ALL = [...new Set(Object.values(FAMILIES).flat())]

const namesOf = (/** @type {string} */ kind) =>
  kind === 'Sensors' ? [kind] : dimensionsOf(kind).map((dimensions) => className(kind, dimensions))

const core = (name) =>
  readFileSync(fileURLToPath(import.meta.resolve(`copse/core${name && `-${name}`}.wasm`)))

/** Creates an object of a class. Sensors search a tree. */
function create(library, name, instance) {
  if (name === 'Sensors') {
    const index = new library.AgentTree({ instance })
    index.build()
    return new library.Sensors({ index })
  }
  const dimensions = /3D$|^Octree$/.test(name) ? 3 : 2
  const kind = name === 'Quadtree' ? 'Octree' : name.replace('3D', '')
  return new library[name]({ instance, ...requiredOf(kind, dimensions) })
}

/** Compares an object of each class of a family with brute force. */
function assertWorks(library, family, instance) {
  const random = createRandom(1)
  for (const name of FAMILIES[family].flatMap(namesOf)) {
    const object = create(library, name, instance)
    const dimensions = /3D$|^Octree$/.test(name) ? 3 : 2
    for (let round = 0; round < 5; round++)
      familyOf(name).check?.(object, dimensions, () => integer(random, 17) / 2 - 4)
    object.dispose()
  }
}

for (const [family, kinds] of Object.entries(FAMILIES)) {
  const entry = await import(`copse/${family}`)
  const names = kinds.flatMap(namesOf)

  test(`copse/${family} exports its classes, create, init and CopseError`, () => {
    assert.equal(Object.keys(entry).sort(), ['CopseError', ...names, 'create', 'init'].sort())
  })

  test(`copse/${family} has an instance and error class of its own, and works`, async () => {
    const error = thrown(() => create(entry, names[0]))
    assert.instance(error, entry.CopseError)
    assert.match(error.message, `${names[0]}: await init() from 'copse/${family}' first`)
    await entry.init()
    assertWorks(entry, family)
  })

  test(`copse/${family} accepts the core that has all classes`, async () => {
    assertWorks(entry, family, await entry.create({ wasm: core('') }))
  })

  test(`core-${family}.wasm refuses other classes, and its instance stays usable`, async () => {
    const instance = await external.create({ wasm: core(family) })
    const others = ALL.filter((kind) => !kinds.includes(kind) && kind !== 'Sensors')
    for (const name of others.flatMap(namesOf)) {
      const error = thrown(() => create(external, name, instance))
      assert.instance(error, external.CopseError)
      assert.is(error.code, 'NOT_READY')
      assert.is(error.message, `${name}: not in this core: use core.wasm`)
    }
    assertWorks(external, family, instance)
  })

  test(`core-${family}.wasm has the create functions of its family only`, () => {
    const creators = (name) =>
      WebAssembly.Module.exports(new WebAssembly.Module(core(name)))
        .map(({ name }) => name)
        .filter((name) => name.endsWith('_create'))
        .sort()
    const expected = (kinds) => kinds.map((kind) => `${nounOf(kind)}_create`).sort()
    assert.equal(creators(family), expected(kinds))
    assert.equal(creators(''), expected(ALL))
  })
}

test.run()
