// What the tests of indexes share: the classes there are, making small ones, and seeing what they
// throw and hold.

import * as assert from 'uvu/assert'

/** The public methods of a class, and how many arguments they take at most. */
export function methodsOf(Class) {
  const methods = new Map()
  for (
    let owner = Class.prototype;
    owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (typeof value === 'function' && !/^(_.*|constructor)$/.test(name))
        methods.set(name, value.length)
  return methods
}

/** How large the linear memory of an instance is, or of an object's. */
export const bytesOf = (owner) => (owner.memory ?? owner._instance.memory).buffer.byteLength

/**
 * The kinds of index, each a class in 2D and one more in 3D: the options that its constructor can't
 * do without, and ways to build the same agents so that as much as possible differs inside.
 */
export const KINDS = {
  AgentTree: {
    required: {},
    variants: ['longest', 'cycle'].flatMap((axis) =>
      ['midpoint', 'median'].flatMap((split) =>
        [1, 12].map((leafSize) => ({ axis, split, leafSize })),
      ),
    ),
  },
  Grid: {
    required: { cellSize: 1 },
    variants: [1, 1e-20, 1e-35, 0.01, 0.3, 2, 1000, 1e20].map((cellSize) => ({ cellSize })),
  },
  KdTree: {
    required: {},
    variants: ['quickselect', 'median-of-medians', 'presort'].map((builder) => ({ builder })),
  },
}

/** These, and the trees of boxes and of walls, whose calls are others: each kind has a core and an entry. */
export const CORES = [...Object.keys(KINDS), 'Octree', 'ObstacleTree']

/** The name of a kind's core and entry. */
export const nounOf = (kind) => (kind === 'ObstacleTree' ? 'obstacle' : kind.toLowerCase())

/** In which dimensions a kind is. */
export const dimensionsOf = (kind) => (kind === 'ObstacleTree' ? [2] : [2, 3])

/** The name of a class. */
export function className(kind, dimensions) {
  if (kind === 'Octree') return dimensions === 2 ? 'Quadtree' : kind
  return dimensions === 2 ? kind : `${kind}3D`
}

/** The options that a constructor can't do without. */
export function requiredOf(kind, dimensions) {
  if (kind === 'Octree') return { bounds: dimensions === 2 ? [0, 0, 9, 9] : [0, 0, 0, 9, 9, 9] }
  return KINDS[kind]?.required ?? {}
}

/** What a call throws. */
export function thrown(call) {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.unreachable(`nothing was thrown by ${call}`)
}

/** Whether a call throws an error that reads so: `RangeError: AgentTree.within: …`. */
export function assertThrown(call, pattern) {
  assert.match(String(thrown(call)), pattern)
}

/** assert.equal for arrays without its price: it is called millions of times. */
export function assertSame(actual, expected, what) {
  let i = actual.length === expected.length ? 0 : -1
  while (i >= 0 && i < actual.length) i = actual[i] === expected[i] ? i + 1 : -1
  if (i < 0) assert.equal(Array.from(actual), Array.from(expected), what)
}

/** The bits of floats: tells -0 from 0, and a NaN equals itself. */
export const bits = (floats) => new Uint32Array(floats.slice().buffer)

/** The ids that a call gives; null before the first build. */
function idsOf(call) {
  try {
    return call().slice()
  } catch (error) {
    if (error.code !== 'NOT_BUILT') throw error
    return null
  }
}

/** All that can be seen of an index, but for the visits of its last query. */
export function portrait(index) {
  const { capacity, count, positions, slots } = index
  const origin = new Array(positions.length / capacity).fill(0)
  return {
    count,
    slots,
    capacity,
    positions: bits(positions),
    groups: index.groups.slice(0, slots),
    generations: index.generations.slice(),
    ids: idsOf(() => index.within(...origin, Infinity)),
    cells: bits(index.cells()),
    stats: { ...index.stats(), visits: 0 },
  }
}

/** Makes indexes of a kind with one build of the library, all in one instance, which `start` creates. */
export function maker(library, kind) {
  let instance

  async function start() {
    instance = await library.create()
  }

  function empty(dimensions, options) {
    const Index = library[className(kind, dimensions)]
    return new Index({ instance, ...KINDS[kind].required, ...options })
  }

  /** One that holds agents at these coordinates, as many as fit unless told otherwise. */
  function unbuilt(dimensions, coordinates, options) {
    const count = coordinates.length / dimensions
    const index = empty(dimensions, { capacity: Math.max(1, count), ...options })
    index.slots = count
    index.positions.set(coordinates)
    return index
  }

  function built(dimensions, coordinates, options) {
    const index = unbuilt(dimensions, coordinates, options)
    index.build()
    return index
  }

  /** The error of a call that must throw a CopseError of this code. */
  function assertCode(call, code) {
    const error = thrown(call)
    assert.instance(error, library.CopseError)
    assert.is(error.code, code)
    return error
  }

  /** As above, where the pattern says Index for the name of the kind. */
  const assertKindThrown = (call, pattern) =>
    assertThrown(call, new RegExp(pattern.source.replace('Index', kind)))

  const { variants } = KINDS[kind]
  return { start, empty, unbuilt, built, variants, assertCode, assertThrown: assertKindThrown }
}

/** Six agents in a row, one apart: along x in 2D, along z in 3D. */
export const ROW = [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]
export const ROW_3D = [0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5]
