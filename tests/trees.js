// What the tests of agent trees share: making small ones, and seeing what they throw and hold.

import * as assert from 'uvu/assert'

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

/** The bits of floats: tells -0 from 0, and a NaN equals itself. */
export const bits = (floats) => new Uint32Array(floats.slice().buffer)

/** All that can be seen of a tree, but for the visits of its last query. */
export function portrait(tree) {
  const { capacity, count, positions } = tree
  const origin = new Array(positions.length / capacity).fill(0)
  return {
    count,
    capacity,
    positions: bits(positions),
    groups: tree.groups.slice(),
    ids: tree.within(...origin, Infinity).slice(),
    cells: bits(tree.cells()),
    stats: { ...tree.stats(), visits: 0 },
  }
}

/** Makes trees of one build, all in one instance, which `start` creates. */
export function maker(library) {
  let instance

  async function start() {
    instance = await library.create()
  }

  function empty(dimensions, options) {
    const Tree = dimensions === 2 ? library.AgentTree : library.AgentTree3D
    return new Tree({ instance, ...options })
  }

  /** A tree that holds agents at these coordinates, as many as fit unless told otherwise. */
  function unbuilt(dimensions, coordinates, options) {
    const count = coordinates.length / dimensions
    const tree = empty(dimensions, { capacity: Math.max(1, count), ...options })
    tree.count = count
    tree.positions.set(coordinates)
    return tree
  }

  function treeOf(dimensions, coordinates, options) {
    const tree = unbuilt(dimensions, coordinates, options)
    tree.build()
    return tree
  }

  /** The error of a call that must throw a CopseError of this code. */
  function assertCode(call, code) {
    const error = thrown(call)
    assert.instance(error, library.CopseError)
    assert.is(error.code, code)
    return error
  }

  return { start, empty, unbuilt, treeOf, assertCode }
}

/** Six agents in a row, one apart: along x in 2D, along z in 3D. */
export const ROW = [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]
export const ROW_3D = [0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5]
