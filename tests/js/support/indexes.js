// Shared by the tests of indexes: the list of classes, functions that create small indexes, and
// assertions about errors and state.

import * as assert from 'uvu/assert'

/** Returns the public methods of a class: name to maximum number of arguments. */
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

/** Returns the size of an instance's linear memory, or of the instance that an object is in. */
export const bytesOf = (owner) => (owner.memory ?? owner._instance.memory).buffer.byteLength

/**
 * The kinds of index, each with a class in 2D and one in 3D. `required`: options without a default.
 * `variants`: options that build the same agents into structures as different as possible.
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

/** All kinds of index. Trees of boxes and walls have other methods. */
export const INDEXES = [...Object.keys(KINDS), 'Octree', 'ObstacleTree']

/** Returns the name of a kind in the core. */
export const nounOf = (kind) => (kind === 'ObstacleTree' ? 'obstacle' : kind.toLowerCase())

/** Returns the dimensions in which a kind has a class. */
export const dimensionsOf = (kind) => (/^(ObstacleTree|FlowField)$/.test(kind) ? [2] : [2, 3])

/** Returns the name of the class of a kind in 2D or 3D. */
export function className(kind, dimensions) {
  if (kind === 'Octree') return dimensions === 2 ? 'Quadtree' : kind
  return dimensions === 2 ? kind : `${kind}3D`
}

/** Returns the options that have no default. */
export function requiredOf(kind, dimensions) {
  if (kind === 'Octree') return { bounds: dimensions === 2 ? [0, 0, 9, 9] : [0, 0, 0, 9, 9, 9] }
  if (kind === 'FlowField') return { bounds: [0, 0, 9, 9], cell: 1 / 8 }
  return KINDS[kind]?.required ?? {}
}

/** Returns the error that a call throws. Fails if it throws nothing. */
export function thrown(call) {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.unreachable(`nothing was thrown by ${call}`)
}

/** Asserts that a call throws an error whose text matches: `RangeError: AgentTree.within: …`. */
export function assertThrown(call, pattern) {
  assert.match(String(thrown(call)), pattern)
}

/** A fast assert.equal for arrays: it is called millions of times. */
export function assertSame(actual, expected, message) {
  let i = actual.length === expected.length ? 0 : -1
  while (i >= 0 && i < actual.length) i = actual[i] === expected[i] ? i + 1 : -1
  if (i < 0) assert.equal(Array.from(actual), Array.from(expected), message)
}

/** Returns the bits of floats. Distinguishes -0 from 0; a NaN equals itself. */
export const bits = (floats) => new Uint32Array(floats.slice().buffer)

/** Returns the ids that a call finds; null before the first build. */
function idsOf(call) {
  try {
    return call().slice()
  } catch (error) {
    if (error.code !== 'NOT_BUILT') throw error
    return null
  }
}

/** Returns everything that a caller can read from an index, except its memory, and the visits of its last query. */
export function observableState(index) {
  const { capacity, count, slots } = index
  const arrays = index._layout === 'separate' ? [index.xs, index.ys, index.zs] : [index.positions]
  const origin = new Array(index._dimensions).fill(0)
  return {
    count,
    slots,
    capacity,
    positions: arrays.map((array) => array && bits(array)),
    groups: index.groups.slice(0, slots),
    generations: index.generations.slice(),
    ids: idsOf(() => index.within(...origin, Infinity)),
    cells: bits(index.cells()),
    stats: { ...index.stats(), visits: 0, bytes: 0 }, // buffers for results may have grown
  }
}

/** Returns functions that create indexes of a kind in one instance, which `start` creates. */
export function maker(library, kind) {
  let instance

  async function start() {
    instance = await library.create()
  }

  function empty(dimensions, options) {
    const Index = library[className(kind, dimensions)]
    return new Index({ instance, ...KINDS[kind].required, ...options })
  }

  /** Creates an index with agents at these coordinates. Default capacity: the number of agents. */
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

  /** Asserts that a call throws a CopseError of this code. Returns the error. */
  function assertCode(call, code) {
    const error = thrown(call)
    assert.instance(error, library.CopseError)
    assert.is(error.code, code)
    return error
  }

  /** assertThrown with `Index` in the pattern for the name of the kind. */
  const assertKindThrown = (call, pattern) =>
    assertThrown(call, new RegExp(pattern.source.replace('Index', kind)))

  const { variants } = KINDS[kind]
  return { start, empty, unbuilt, built, variants, assertCode, assertThrown: assertKindThrown }
}

/** Six agents in a row, at distance 1: along x in 2D, along z in 3D. */
export const ROW = [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]
export const ROW_3D = [0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5]

/** Returns a copy of the pairs that an index finds: two ids each. */
export function pairIds(index, options) {
  const { ids, count } = index.pairs(options)
  return ids.slice(0, 2 * count)
}
