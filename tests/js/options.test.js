// Every constructor and create() with random options, some of a wrong type or value. Only documented errors are
// thrown, and a call that is refused leaks nothing.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { SEED } from './support/fastcheck.js'
import { thrown } from './support/indexes.js'
import { SCARCE, fillMemory, wasm } from './support/failing-core.js'
import { HOLDERS, familyOf } from './support/class-oracles.js'
import { createRandom, integer, pick } from '../../web/random.js'

const CONSTRUCTIONS = Number(process.env.COPSE_CALLS ?? 2000)
const CREATIONS = 200

const POINTS = ['capacity', 'layout', 'onNonFinite', 'instance']
const NUMBERS = [
  ...['preferredSpeed', 'radius', 'maxSpeed', 'neighborDistance', 'maxNeighbors', 'timeHorizon'],
  ...[
    'arrivalRadius',
    'obstacleTimeHorizon',
    'maxAcceleration',
    'priority',
    'groups',
    'mask',
    'enabled',
    'locked',
  ],
]
const OPTIONS = {
  AgentTree: [...POINTS, 'leafSize', 'axis', 'split'],
  Grid: [...POINTS, 'cellSize', 'wrap'],
  KdTree: [...POINTS, 'builder'],
  Quadtree: ['bounds', 'capacity', 'leafSize', 'maxDepth', 'looseness', 'instance'],
  ObstacleTree: ['capacity', 'pieces', 'leafSize', 'instance'],
  Crowd: ['capacity', 'exact', 'instance', ...NUMBERS],
  FlowField: ['bounds', 'cell', 'radius', 'capacity', 'goals', 'instance'],
}
OPTIONS.Octree = OPTIONS.Quadtree

/** Values that are right for some option. */
const PLAUSIBLE = [
  ...[undefined, 0, 1, 2, 7, 40, 0.5, 1.5, Infinity, true, false, [0, 0, 8, 8], [0, 0, 0, 8, 8, 8]],
  ...['separate', 'interleaved', 'skip', 'error', 'cycle', 'median', 'presort'],
]

/** Values that are wrong for most options. */
const WRONG = [
  ...[null, NaN, -1, -0, 0.3, 1e19, 2 ** 28 + 1, 2 ** 32, -Infinity, 'x', '', 5n, Symbol('symbol')],
  ...[{}, [], [1], ['a', 'b'], [NaN, 0, 1, 1], () => 1, new Uint8Array(3), new Date(0), new Map()],
]
const REJECTED = new Error('a core that could not be loaded')

/**
 * Returns the number of small trees that memory has room for. Fills it twice: the allocator turns the order of its
 * free blocks around each time, and in one of the orders a tree less may fit.
 */
function roomIn(instance) {
  const rooms = [1, 2].map(() => {
    const trees = fillMemory(instance)
    for (const tree of trees) tree.dispose()
    return trees.length
  })
  return Math.max(...rooms)
}

const isArgument = (error) => error instanceof TypeError || error instanceof RangeError

const test = suite('random options')

test('constructors throw only documented errors, and leak nothing when they do', async () => {
  const instance = await copse.create({ wasm, ...SCARCE })
  const random = createRandom(SEED)
  const place = () => integer(random, 33) / 2 - 8
  const any = () => pick(random, WRONG)
  // Room for a snapshot of this size is kept.
  const { name, dimensions, required } = HOLDERS.find(({ name }) => name === 'FlowField')
  const field = new copse[name]({ instance, ...required })
  familyOf(name).fill(field, dimensions, place, 8)
  field.save()
  field.dispose()
  const room = roomIn(instance)
  const bystanders = HOLDERS.map(({ name, dimensions, required }) => {
    const object = new copse[name]({ capacity: 8, instance, ...required })
    familyOf(name).fill(object, dimensions, place, 8)
    return object
  })
  const saved = bystanders.map((object) => object.save())
  const roomLeft = roomIn(instance)
  let [created, refused] = [0, 0]

  function constructOnce() {
    const { name, dimensions, required } = pick(random, HOLDERS)
    const options = { capacity: 8, instance, ...required }
    const names = OPTIONS[name.replace('3D', '')]
    for (let i = pick(random, [1, 1, 1, 2, 5]); i > 0; i--)
      options[pick(random, names)] = random() < 0.6 ? any() : pick(random, PLAUSIBLE)
    let object
    try {
      object = new copse[name](random() < 0.02 ? any() : options)
      created++
      familyOf(name).fill(object, dimensions, place, 4)
      if ('_validate' in object) assert.ok(object._validate())
      object.save()
    } catch (error) {
      if (!object) refused++
      const context = `seed ${SEED}: new ${name}: ${error?.stack ?? error}`
      const isState = error instanceof copse.CopseError
      const codes = ['OUT_OF_MEMORY', 'NOT_READY', 'FULL']
      assert.ok(isArgument(error) || (isState && codes.includes(error.code)), context)
    } finally {
      object?.dispose()
    }
  }

  for (let i = 0; i < CONSTRUCTIONS; i++) {
    constructOnce()
    if (i % 1000 === 999)
      bystanders.forEach((object, index) => assert.equal(object.save(), saved[index]))
  }
  assert.ok(
    created > CONSTRUCTIONS / 20 && refused > CONSTRUCTIONS / 2,
    `${created} made, ${refused} refused`,
  )
  assert.is(roomIn(instance), roomLeft)
  for (const [i, { name, dimensions }] of HOLDERS.entries()) {
    familyOf(name).check(bystanders[i], dimensions, place)
    bystanders[i].dispose()
  }
  assert.ok(roomIn(instance) >= room)
})

test('a misspelled option is refused, and the message names the nearest one', async () => {
  const instance = await copse.create()
  const grid = new copse.Grid({ instance, cellSize: 1, capcity: undefined })
  grid.build()
  const refusals = [
    [
      () => new copse.AgentTree({ instance, capcity: 5 }),
      "AgentTree: no option 'capcity' (did you mean 'capacity'?)",
    ],
    [
      () => new copse.Quadtree({ instance, bounds: [0, 0, 9, 9], leafsize: 5 }),
      "Quadtree: no option 'leafsize' (did you mean 'leafSize'?)",
    ],
    [() => new copse.Sensors(grid), 'Sensors: options must be an object of options, got '],
    [
      () => new copse.Crowd({ instance, maxspeed: 5 }),
      "Crowd: no option 'maxspeed' (did you mean 'maxSpeed'?)",
    ],
    [
      () => new copse.Crowd({ instance, position: [0, 0] }),
      "Crowd: no option 'position' (options: ",
    ],
    [
      () => new copse.Crowd({ instance }).add({ position: [0, 0], radios: 5 }),
      "Crowd.add: no option 'radios' (did you mean 'radius'?)",
    ],
    [
      () => new copse.ObstacleTree({ instance }).nearest(0, 0, { maxDistanse: 5 }),
      "ObstacleTree.nearest: no option 'maxDistanse' (did you mean 'maxDistance'?)",
    ],
    [
      () => new copse.ObstacleTree({ instance }).addPolygon([0, 0, 1, 0], { Solid: 'inside' }),
      "ObstacleTree.addPolygon: no option 'Solid' (did you mean 'solid'?)",
    ],
    [
      () => new copse.ObstacleTree({ instance }).addPolygon([0, 0, 1, 0], { twoSided: true }),
      "ObstacleTree.addPolygon: no option 'twoSided' (options: solid)",
    ],
    [
      () => new copse.AgentTree({ instance, results: 5 }),
      "AgentTree: no option 'results' (options: capacity, ",
    ],
    [
      () => new copse.KdTree({ instance }).reserve(9, { result: 5 }),
      "KdTree.reserve: no option 'result' (did you mean 'results'?)",
    ],
    [
      () => new copse.Quadtree({ instance, bounds: [0, 0, 9, 9] }).pairs({ masks: 5 }),
      "Quadtree.pairs: no option 'masks' (did you mean 'mask'?)",
    ],
    [
      () => grid.within(0, 0, 1, { maxDistance: 5 }),
      "Grid.within: no option 'maxDistance' (options: mask, exclude, sort, distances2)",
    ],
    [
      () => grid.allNeighbors(1, { Mask: 5 }),
      "Grid.allNeighbors: no option 'Mask' (did you mean 'mask'?)",
    ],
  ]
  for (const [call, message] of refusals) {
    const error = thrown(call)
    assert.instance(error, TypeError)
    assert.ok(error.message.startsWith(message), error.message)
  }
  grid.within(0, 0, 1, { sorted: undefined })
})

/** Values of the option `wasm` that are not a core. Addresses are tested elsewhere. */
const NO_CORES = [
  () => new Uint8Array(),
  () => new Uint8Array(8),
  () => Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), // a module that exports nothing
  () => new ArrayBuffer(64),
  () => new DataView(new ArrayBuffer(3)),
  () => Promise.resolve(5),
  () => {
    const never = Promise.reject(REJECTED)
    never.catch(() => {}) // it is not always awaited
    return never
  },
  () => ({ arrayBuffer: () => Promise.resolve(null) }),
  () => ({ ok: false, url: 'there', arrayBuffer: () => new ArrayBuffer(8) }),
]

test('create() throws only documented errors, and what it creates works', async () => {
  const random = createRandom(SEED)
  const any = () => pick(random, WRONG)
  let [created, refused] = [0, 0]

  async function createOnce() {
    const options = { wasm, memory: pick(random, [undefined, 0, 1, 65_536, 2 ** 20 + 1, 2 ** 21]) }
    const choice = random()
    if (choice < 0.4) options.memory = any()
    const value = choice > 0.7 ? pick(random, [any, ...NO_CORES])() : wasm
    if (typeof value !== 'string') options.wasm = value
    const rejected = []
    const argument = random() < 0.05 ? any() : options
    const instance = await copse.create(argument).catch((error) => void rejected.push(error))
    if (instance) {
      created++
      const tree = new copse.KdTree({ instance, capacity: 3 })
      tree.slots = 3
      tree.build()
      assert.is(tree.countWithin(0, 0, 0), 3)
      if (argument === options)
        assert.ok(instance.memory.buffer.byteLength >= (options.memory ?? 0))
    } else {
      refused++
      const [error] = rejected
      const isOurs =
        isArgument(error) ||
        error === REJECTED ||
        error instanceof WebAssembly.CompileError ||
        error instanceof WebAssembly.LinkError ||
        error.code === 'OUT_OF_MEMORY' ||
        /^init: there returned /.test(error.message)
      assert.ok(isOurs, `seed ${SEED}: create: ${error?.stack ?? error}`)
    }
  }

  for (let i = 0; i < CREATIONS; i++) await createOnce()
  assert.ok(created > 50 && refused > CREATIONS / 2, `${created} made, ${refused} refused`)
})

test.run()
