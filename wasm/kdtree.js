// The k-d tree: points that seldom move. What it has is in points.js and queries.js; a tree can also be
// made from a snapshot.

import { callOf, checkArray, checkOptions, checkWord, CopseError } from './errors.js'
import { instanceOr } from './init.js'
import { isInside, plainBytes } from './memory.js'
import { inPieces } from './object.js'
import { INDEX_OPTIONS, ON_NON_FINITE, Points } from './points.js'
import { badSnapshot, classOf, isSnapshot, wordOf } from './snapshot.js'

const BUILDERS = ['quickselect', 'median-of-medians', 'presort']

const OPTIONS = [...INDEX_OPTIONS, 'builder']

/** Returns what creates a tree: what the constructor of points takes. */
function definition(name, dimensions, options) {
  const call = callOf(name)
  checkOptions(call, options, OPTIONS)
  const { builder = 'quickselect' } = options
  const words = [checkWord(call, 'builder', builder, BUILDERS)]
  return /** @type {const} */ ([name, dimensions, 'kdtree', options, words])
}

/** Words of a snapshot, by place: see points_snapshot in c/points/points.c. */
const NON_FINITE = 10
const EVER = 11
const BUILT_COUNT = 14
const HEAD_WORDS = 17

/** Returns a tree that is as the snapshot was when it was saved; `create` makes it, from options. */
function from(name, dimensions, bytes, options, create) {
  const call = { _name: name, _method: 'from' }
  checkOptions(call, options, OPTIONS)
  checkArray(call, 'bytes', bytes, Uint8Array)
  // Copies: what is checked is what counts, whoever changes the bytes meanwhile.
  let snapshot = plainBytes(bytes)
  const { length } = snapshot
  /** @type {any} */ let instance
  const wrong = () => badSnapshot(instance, call, snapshot)
  if (!isSnapshot(snapshot)) throw wrong()
  instance = instanceOr(name, 'kdtree', options.instance)
  // What else may be wrong with the bytes, restore() finds.
  const slots = [EVER, BUILT_COUNT].map((word) => wordOf(snapshot, word))
  const nonFinite = ON_NON_FINITE[wordOf(snapshot, NON_FINITE)]
  const isComplete = HEAD_WORDS + slots[0] + slots[1] <= length / 4
  if (classOf(instance, snapshot) !== name || !isComplete || nonFinite === undefined) throw wrong()
  if (isInside(bytes, instance)) snapshot = snapshot.slice() // the tree may grow that memory
  const intact = inPieces(instance, snapshot, (wasm, first, size) =>
    wasm.intact(length, first, size),
  )
  if (intact < 0) throw wrong()
  // An option that is undefined is none.
  const { capacity = Math.max(1, ...slots), onNonFinite = nonFinite } = options
  const tree = create({ ...options, instance, capacity, onNonFinite })
  try {
    tree.restore(snapshot)
  } catch (error) {
    if (error instanceof CopseError) tree.dispose() // after a trap nothing can be disposed of
    throw error
  }
  return tree
}

export class KdTree extends Points {
  constructor(options = {}) {
    super(...definition('KdTree', 2, options))
  }

  static from(bytes, options = {}) {
    return from('KdTree', 2, bytes, options, (complete) => new KdTree(complete))
  }
}

export class KdTree3D extends Points {
  constructor(options = {}) {
    super(...definition('KdTree3D', 3, options))
  }

  static from(bytes, options = {}) {
    return from('KdTree3D', 3, bytes, options, (complete) => new KdTree3D(complete))
  }
}
