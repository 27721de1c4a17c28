// KdTree: points that seldom move. Its methods are in points.js and queries.js. A tree
// can also be made from a snapshot.

import { callOf, checkArray, checkOptions, checkWord, CopseError } from './errors.js'
import { withFrustum } from './frustum.js'
import { instanceOr } from './init.js'
import { isInside, plainBytes } from './memory.js'
import { inPieces } from './object.js'
import { INDEX_OPTIONS, ON_NON_FINITE, Points } from './points.js'
import { badSnapshot, classOf, isSnapshot, wordOf } from './snapshot.js'

const BUILDERS = ['quickselect', 'median-of-medians', 'presort']

const OPTIONS = [...INDEX_OPTIONS, 'builder']
const Points3D = /* @__PURE__ */ withFrustum(Points)

/** Checks the options. Returns the arguments for the constructor of `Points`. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { builder = 'quickselect' } = options
  const words = [checkWord(call, 'builder', builder, BUILDERS)]
  return /** @type {const} */ ([name, dimensions, 'kdtree', options, words])
}

/** Indices of 32-bit words in a snapshot: see points_snapshot in c/points/points.c. */
const NON_FINITE = 10
const EVER = 11
const BUILT_COUNT = 14
const HEAD_WORDS = 17

/** Returns a tree restored from a snapshot. `create` makes an empty tree from options. */
function restored(name, dimensions, bytes, options, create) {
  const call = { _name: name, _method: 'from' }
  checkOptions(call, options, OPTIONS)
  checkArray(call, 'bytes', bytes, Uint8Array)
  let snapshot = plainBytes(bytes)
  const { length } = snapshot
  /** @type {any} */ let instance
  const refusal = () => badSnapshot(instance, call, snapshot)
  if (!isSnapshot(snapshot)) throw refusal()
  instance = instanceOr(name, 'kdtree', options.instance)
  // Creating the tree may grow memory. These checks come first, so that bad bytes do not make it
  // grow; restore() checks the rest.
  const slots = [EVER, BUILT_COUNT].map((word) => wordOf(snapshot, word))
  const nonFinite = ON_NON_FINITE[wordOf(snapshot, NON_FINITE)]
  const isComplete = HEAD_WORDS + slots[0] + slots[1] <= length / 4
  if (classOf(instance, snapshot) !== name || !isComplete || nonFinite === undefined)
    throw refusal()
  if (isInside(bytes, instance)) snapshot = snapshot.slice() // views are detached if memory grows
  const intact = inPieces(instance, snapshot, (wasm, first, size) =>
    wasm.intact(length, first, size),
  )
  if (intact < 0) throw refusal()
  const { capacity = Math.max(1, ...slots), onNonFinite = nonFinite } = options
  const tree = create({ ...options, instance, capacity, onNonFinite })
  try {
    tree.restore(snapshot)
  } catch (error) {
    if (error instanceof CopseError) tree.dispose() // not after a trap: dispose() would throw
    throw error
  }
  return tree
}

export class KdTree extends Points {
  constructor(options = {}) {
    super(...definition('KdTree', 2, options))
  }

  static from(bytes, options = {}) {
    return restored('KdTree', 2, bytes, options, (complete) => new KdTree(complete))
  }
}

export class KdTree3D extends Points3D {
  constructor(options = {}) {
    super(...definition('KdTree3D', 3, options))
  }

  static from(bytes, options = {}) {
    return restored('KdTree3D', 3, bytes, options, (complete) => new KdTree3D(complete))
  }
}
