// Sensors: zones, each at a place or around an agent. An update reports which agents of an index
// (AgentTree, Grid or KdTree) entered or left each zone since the last update.

import {
  callOf,
  checkArguments,
  checkCoordinate,
  checkDistance,
  checkInteger,
  checkNumbers,
  checkOptions,
  checkPoint,
  checkSlot,
  CopseError,
  place,
  refuse,
} from './errors.js'
import { IDS, MAX_CAPACITY, NONE, Slots } from './object.js'
import { checkSide, MAX_UINT32, NOT_FLAT } from './queries.js'

const OPTIONS = ['index', 'capacity']
const SENSOR_OPTIONS = ['position', 'box', 'agent', 'radius', 'exitRadius', 'mask']
const ROOM = ['results']
/**
 * The options of `add` that say where a sensor is: a sensor has exactly one of them. Its index here
 * is the sensor's `copse_sensor_kind` (see c/copse.h).
 */
const KINDS = ['position', 'box', 'agent']
const CIRCLE = 0
const BOX = 1
const AGENT = 2

/** Checks the options of the constructor. Returns the option `index`. */
function indexOf(options) {
  const call = callOf('Sensors')
  checkOptions(call, options, OPTIONS)
  const { index } = options
  // Not `instanceof`: each entry point of the package has its own copies of the classes.
  if (!/^(AgentTree|Grid|KdTree)/.test(index?._name))
    refuse(call, 'index', index, 'an AgentTree, Grid or KdTree', false)
  checkAlive(call, index)
  return index
}

function checkAlive(call, index) {
  if (index._handle < 0) throw new CopseError('DISPOSED', `${place(call)}: the index was disposed`)
}

function checkExit(call, name, exitRadius, radius) {
  if (typeof exitRadius !== 'number' || !(exitRadius >= radius))
    refuse(call, name, exitRadius, `a number ≥ the radius, ${radius}`)
}

/**
 * Checks the option `position` or `box`. Returns a copy of its numbers. Sorts the sides of a box:
 * first the lower ones, then the upper ones.
 */
function numbersOf(call, name, numbers, dimensions) {
  const length = name === 'box' ? 2 * dimensions : dimensions
  checkNumbers(call, name, numbers)
  if (numbers.length !== length) refuse(call, `${name}.length`, numbers.length, `${length}`)
  const copy = Array.from({ length }, (_, i) => numbers[i])
  const check = name === 'box' ? checkSide : checkCoordinate
  for (const number of copy) check(call, name, number)
  if (name !== 'box') return copy
  const opposite = (i) => copy[(i + dimensions) % length]
  return copy.map((side, i) => (i < dimensions ? Math.min : Math.max)(side, opposite(i)))
}

const emptyRows = () => /** @type {any} */ ({ offsets: null, counts: null, ids: null, total: 0 })

export class Sensors extends Slots {
  #index
  // The objects that calls return, always the same ones.
  #changes = { left: emptyRows(), entered: emptyRows(), inside: emptyRows() }
  /** @type {any} */ #stats = {}

  constructor(options) {
    const index = indexOf(options)
    const { capacity } = options
    if (capacity !== undefined)
      checkInteger(callOf('Sensors'), 'capacity', capacity, 1, MAX_CAPACITY)
    const { _dimensions: dimensions, _instance: instance, _handle: handle } = index
    if (!instance.has('sensors'))
      throw new CopseError('NOT_READY', 'Sensors: not in this core: use core.wasm')
    super('Sensors', 'sensors', 'sensors', dimensions, instance, [handle, capacity ?? 0])
    this._head = ['dimensions']
    this._items = 'sensors'
    this.#index = index
  }

  get index() {
    this._begin('index')
    return this.#index
  }

  reserve(capacity, options = {}) {
    this._begin('reserve')
    checkOptions(this, options, ROOM)
    const { results = 0 } = options
    checkInteger(this, 'capacity', capacity, 1, MAX_CAPACITY)
    checkInteger(this, 'results', results, 0, MAX_UINT32)
    this.#leaveMoved(this._enter().take_results(this._handle, results))
    super.reserve(capacity)
  }

  /** Ends a call that may have moved the arrays: makes new views of them. */
  #leaveMoved(result) {
    this._instance.leave()
    this._room(IDS, 'sizes')
    return this._leave(result)
  }

  // ---- The arrays of sensors ----

  get radii() {
    return this._array('radii', 1)
  }

  get exitRadii() {
    return this._array('exitRadii', 1)
  }

  get masks() {
    return this._array('masks', 1)
  }

  get agents() {
    return this._array('agents', 1)
  }

  // ---- Add, move and reset sensors ----

  add(sensor) {
    this._begin('add')
    checkOptions(this, sensor, SENSOR_OPTIONS)
    const { position, box, agent, radius, exitRadius, mask = NONE } = sensor
    const places = [position, box, agent]
    if (places.filter((given) => given !== undefined).length !== 1)
      throw new TypeError(`${place(this)}: takes one of the options ${KINDS.join(', ')}`)
    const kind = places.findIndex((given) => given !== undefined)
    if (kind === AGENT) checkInteger(this, 'agent', agent, 0, MAX_CAPACITY - 1)
    if (kind === BOX && this.#index._wraps) throw new TypeError(`${place(this)}: box: ${NOT_FLAT}`)
    const hasPlace = kind !== AGENT
    const numbers = hasPlace ? numbersOf(this, KINDS[kind], places[kind], this._dimensions) : []
    const enter = radius === undefined && kind === BOX ? 0 : radius
    checkDistance(this, 'radius', enter)
    const exit = exitRadius === undefined ? enter : exitRadius
    checkExit(this, 'exitRadius', exit, enter)
    checkInteger(this, 'mask', mask, -(2 ** 31), MAX_UINT32)
    this._wanted = this._capacity + 1
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers
    const wasm = this._enter()
    return this._leave(
      wasm.add(this._handle, kind, a, b, c, d, e, f, agent ?? NONE, enter, exit, mask),
    )
  }

  move(slot, a, b, c, d, e, f) {
    this._begin('move')
    checkSlot(this, slot)
    if (this._isUsed(slot)) {
      const kind = this._views.kinds.at(this._capacity)[slot]
      if (kind === AGENT) refuse(this, 'slot', slot, 'a sensor with a place of its own')
      checkArguments(this, arguments.length, 1 + (kind === BOX ? 2 : 1) * this._dimensions)
      if (kind === CIRCLE) checkPoint(this, a, b, this._isPlane ? 0 : c)
      else return this.#moveBox(slot, a, b, c, d, e, f)
    } else a = b = c = 0 // the slot is free: the core refuses it, whatever the coordinates are
    this._leave(this._enter().move(this._handle, slot, a, b, c, 0, 0, 0))
  }

  #moveBox(slot, a, b, c, d, e, f) {
    const { min, max } = Math
    const { _handle: handle, _isPlane: isPlane } = this
    checkSide(this, 'minX', a)
    checkSide(this, 'minY', b)
    if (!isPlane) checkSide(this, 'minZ', c)
    checkSide(this, 'maxX', isPlane ? c : d)
    checkSide(this, 'maxY', isPlane ? d : e)
    if (!isPlane) checkSide(this, 'maxZ', f)
    const wasm = this._enter()
    this._leave(
      isPlane
        ? wasm.move(handle, slot, min(a, c), min(b, d), max(a, c), max(b, d), 0, 0)
        : wasm.move(handle, slot, min(a, d), min(b, e), min(c, f), max(a, d), max(b, e), max(c, f)),
    )
  }

  reset(slot) {
    this._begin('reset')
    checkSlot(this, slot)
    this._leave(this._enter().reset(this._handle, slot))
  }

  // ---- Updates ----

  update() {
    this._begin('update')
    checkAlive(this, this.#index)
    const count = this.#leaveUpdate(this._enter().update(this._handle))
    const { _views: views } = this
    const sizes = views.sizes.at(4)
    const { left, entered, inside } = this.#changes
    left.offsets = views.leftOffsets.at(count)
    left.counts = views.leftCounts.at(count)
    left.ids = views.leftIds.at(sizes[0])
    left.total = sizes[1]
    entered.offsets = views.enteredOffsets.at(count)
    entered.counts = views.enteredCounts.at(count)
    entered.ids = views.enteredIds.at(sizes[0])
    entered.total = sizes[2]
    inside.offsets = views.insideOffsets.at(count)
    inside.counts = views.insideCounts.at(count)
    inside.ids = views.insideIds.at(2 * sizes[0])
    inside.total = sizes[3]
    return this.#changes
  }

  /**
   * Ends an update. If it failed because the game wrote an invalid distance to the array `radii` or
   * `exitRadii`, the error names the array and the slot.
   */
  #leaveUpdate(result) {
    try {
      return this.#leaveMoved(result)
    } catch (error) {
      const radii = this._views.radii.at(this._capacity)
      const exitRadii = this._views.exitRadii.at(this._capacity)
      for (let i = 0; i < this._capacity; i++) {
        if (!this._isUsed(i)) continue
        checkDistance(this, `radii[${i}]`, radii[i])
        checkExit(this, `exitRadii[${i}]`, exitRadii[i], radii[i])
      }
      // A snapshot may hold boxes, which a world that wraps around refuses.
      if (this.#index._wraps && error instanceof RangeError)
        throw new TypeError(`${place(this)}: box: ${NOT_FLAT}`)
      throw error
    }
  }

  // ---- Statistics and snapshots ----

  stats() {
    this._readFigures('stats', this.#stats)
    return this.#stats
  }

  restore(bytes) {
    this._begin('restore')
    checkAlive(this, this.#index)
    try {
      super.restore(bytes)
    } finally {
      this._room(IDS, 'sizes') // renews stale views
    }
  }
}
