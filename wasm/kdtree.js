// The k-d tree: points that seldom move.

import { inPieces } from './coreobject.js'
import { checkOptions, checkWord, CopseError, refuse } from './errors.js'
import { instanceOr } from './init.js'
import { isInside, plainBytes } from './memory.js'
import { ON_NON_FINITE, SpatialIndex2D, SpatialIndex3D } from './spatialindex.js'

const BUILDERS = /** @type {const} */ (['quickselect', 'median-of-medians', 'presort'])

/**
 * @typedef {object} BuilderOptions
 * @property {'quickselect' | 'median-of-medians' | 'presort'} [builder] how medians are found; all give
 *   the same tree. By sampling (the default: the fastest), in linear time whatever the points are, or
 *   by sorting once per axis, which takes more memory
 */

/** @typedef {import('./spatialindex.js').IndexOptions & BuilderOptions} KdTreeOptions */

/**
 * Checks the options of a tree and answers with what creates it.
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {KdTreeOptions} options
 * @returns {import('./spatialindex.js').Definition}
 */
function definition(name, dimensions, options) {
  checkOptions(name, '', options)
  const { builder = 'quickselect' } = options
  const builderWord = checkWord(name, '', 'builder', builder, BUILDERS)
  return [name, dimensions, options, 'kdtree', [builderWord]]
}

/** Words of a snapshot, by place: see points_snapshot in c/points/points.c. */
const KIND = 2
const DIMENSIONS = 6
const NON_FINITE = 10
const COUNT = 11
const BUILT_COUNT = 12
const HEAD_WORDS = 14

const KDTREE = 3

/**
 * A tree that is as the snapshot was when it was saved.
 * @template {SpatialIndex2D | SpatialIndex3D} Tree
 * @param {string} name
 * @param {2 | 3} dimensions
 * @param {Uint8Array} bytes
 * @param {KdTreeOptions} options
 * @param {(options: KdTreeOptions) => Tree} create
 */
function from(name, dimensions, bytes, options, create) {
  checkOptions(name, 'from', options)
  if (!(bytes instanceof Uint8Array)) refuse(name, 'from', 'bytes', bytes, 'a Uint8Array', false)
  // Copies: what is checked is what counts, whoever changes the bytes meanwhile.
  let snapshot = plainBytes(bytes)
  const head = new DataView(snapshot.slice(0, 4 * HEAD_WORDS).buffer)
  const word = (/** @type {number} */ at) => head.getUint32(4 * at, true)
  const { length } = snapshot
  const most = length / 4 / (dimensions + 1)
  const wrong = () =>
    new CopseError('BAD_SNAPSHOT', `${name}.from: the bytes are no snapshot of a ${name}`)
  // What else may be wrong with the bytes, restore() finds.
  if (
    head.byteLength < 4 * HEAD_WORDS ||
    word(KIND) !== KDTREE ||
    word(DIMENSIONS) !== dimensions ||
    word(NON_FINITE) >= ON_NON_FINITE.length ||
    word(COUNT) + word(BUILT_COUNT) > most
  )
    throw wrong()
  const instance = instanceOr(name, 'kdtree', options.instance)
  if (isInside(bytes, instance)) snapshot = snapshot.slice() // the tree may grow that memory
  const intact = inPieces(instance, snapshot, (wasm, first, size) =>
    wasm.intact(length, first, size),
  )
  if (intact < 0) throw wrong()
  // An option that is undefined is none.
  const {
    capacity = Math.max(1, word(COUNT), word(BUILT_COUNT)),
    onNonFinite = ON_NON_FINITE[word(NON_FINITE)],
  } = options
  const tree = create({ ...options, instance, capacity, onNonFinite })
  try {
    tree.restore(snapshot)
  } catch (error) {
    if (error instanceof CopseError) tree.dispose() // after a trap nothing can be disposed of
    throw error
  }
  return tree
}

/**
 * A balanced tree of points that seldom move: spawn points, resources, way points. Write `positions`,
 * `build()` when they changed, query.
 *
 * The k-d tree of Bentley (1975), one point a node and no links: it takes the least memory, and no set
 * of points makes it deep. Ids are slots, the indices of `positions` and `groups`. Its `cells()` are
 * the dividing lines: boxes without width on their axis.
 */
export class KdTree extends SpatialIndex2D {
  /** @param {KdTreeOptions} [options] */
  constructor(options = {}) {
    super(...definition('KdTree', 2, options))
  }

  /**
   * A tree from the bytes of `save()`, from anywhere: with the capacity that they need, unless told
   * otherwise. `BAD_SNAPSHOT`: they are none of a `KdTree`.
   * @param {Uint8Array} bytes
   * @param {KdTreeOptions} [options]
   */
  static from(bytes, options = {}) {
    return from('KdTree', 2, bytes, options, (all) => new KdTree(all))
  }
}

/** As `KdTree`, in three dimensions. */
export class KdTree3D extends SpatialIndex3D {
  /** @param {KdTreeOptions} [options] */
  constructor(options = {}) {
    super(...definition('KdTree3D', 3, options))
  }

  /**
   * As `KdTree.from`, in three dimensions.
   * @param {Uint8Array} bytes
   * @param {KdTreeOptions} [options]
   */
  static from(bytes, options = {}) {
    return from('KdTree3D', 3, bytes, options, (all) => new KdTree3D(all))
  }
}
