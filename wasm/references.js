// References to other objects: the property `obstacles` of crowds and flow fields, which is their
// obstacle tree, and the flow fields that a crowd follows.

import { CopseError, place, refuse } from './errors.js'
import { NONE } from './object.js'

/**
 * Returns the core's handle of `other`, an object that `object` refers to. Errors call it `name`.
 * Throws if `other` is disposed or of another instance.
 */
export function handleOf(object, name, other) {
  const { _handle, _instance: theirs } = other
  const { _instance: ours } = object
  if (theirs !== ours) {
    const isSameEntry = theirs._entry === ours._entry
    const expected = isSameEntry ? 'the same instance' : `'${ours._entry}'`
    const got = isSameEntry ? 'another' : `'${theirs._entry}'`
    throw new RangeError(`${place(object)}: ${name} must be from ${expected}, got ${got}`)
  }
  if (_handle < 0)
    throw new CopseError('DISPOSED', `${place(object)}: ${name} must not be disposed`)
  return _handle
}

/** Returns the core's handle of the obstacle tree that an object uses; -1 if there is none. */
export function handleOfWalls(object, obstacles = object._obstacles) {
  return obstacles === null ? NONE : handleOf(object, 'obstacles', obstacles)
}

/** Sets an object's obstacle tree, or null. Throws for other values, and as `handleOf` does. */
export function setWalls(object, obstacles) {
  object._begin('obstacles')
  // Not `instanceof`: each entry point of the package has its own copy of the class. For a tree of
  // another entry point, `handleOfWalls` throws a clearer error.
  if (obstacles !== null && obstacles?._name !== 'ObstacleTree')
    refuse(object, 'obstacles', obstacles, 'an ObstacleTree or null', false)
  handleOfWalls(object, obstacles)
  object._obstacles = obstacles
}

/**
 * Does the same as the method `_leave`, for calls of the core that may build the obstacle tree. But
 * if the tree's build failed, throws the same error as the tree's `build()`.
 */
export function leaveWalls(object, result) {
  if (result < NONE && object._obstacles !== null) {
    object._leave(0)
    object._obstacles._buildChanged()
  }
  return object._leave(result)
}
