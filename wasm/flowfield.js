// FlowField: paths around walls, for many agents that head for the same goals.

import {
  callOf,
  checkBox,
  checkCoordinate,
  checkInteger,
  checkNumbers,
  checkOptions,
  checkPoint,
  CopseError,
  MAX_COORDINATE,
  place,
  refuse,
} from './errors.js'
import { instanceOr } from './init.js'
import { View } from './memory.js'
import { CoreObject, IDS } from './object.js'
import { handleOfWalls, leaveWalls, setWalls } from './references.js'

const OPTIONS = ['bounds', 'cell', 'radius', 'capacity', 'goals', 'instance']
const ROOM = ['goals']

const MAX_ANCHORS = 65534
const MAX_SIDE = 16384
/** Each bound is at most this many cells away from 0. */
const MAX_PLACE = 65536

/** Checks the radius. `least` is half a cell. */
function checkRadius(call, radius, least) {
  if (typeof radius !== 'number' || !(Math.fround(radius) >= least && radius <= MAX_COORDINATE))
    refuse(call, 'radius', radius, `at least half a cell, ${least}`)
}

/** Checks the options. Returns the instance to use, and the arguments of `flowfield_create`. */
function definition(options) {
  const call = callOf('FlowField')
  checkOptions(call, options, OPTIONS)
  const { bounds, cell, radius, capacity, goals, instance } = options
  const [minX, minY, , maxX, maxY] = checkBox(call, 'bounds', bounds, 2)
  const far = Math.max(Math.abs(minX), Math.abs(minY), Math.abs(maxX), Math.abs(maxY))
  const side = Math.max(maxX - minX, maxY - minY)
  const least = Math.max(far / MAX_PLACE, side / MAX_SIDE)
  if (typeof cell !== 'number' || !(cell >= least && cell <= MAX_COORDINATE))
    refuse(call, 'cell', cell, `at least ${least}`)
  if (radius !== undefined) checkRadius(call, radius, Math.fround(cell) / 2)
  if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_ANCHORS)
  if (goals !== undefined) checkInteger(call, 'goals', goals, 1, MAX_ANCHORS)
  const owner = instanceOr('FlowField', 'flowfield', instance)
  const words = [minX, minY, maxX, maxY, cell, radius ?? cell / 2, capacity ?? 0, goals ?? 0]
  return { owner, words }
}

export class FlowField extends CoreObject {
  /** Half a cell: the least radius. */
  #least
  #radius
  /**
   * Views of the arrays with one number per cell. The keys are the arrays' addresses.
   * @type {Record<number, View>}
   */
  #cellViews = {}
  // What calls return, always the same objects. `length` starts as a fraction, so that V8 makes it a
  // float property: storing a fraction later then allocates nothing.
  #path = { corners: new Float32Array(0), length: 0.5, reached: false }
  /** @type {any} */ #directions = {}
  /** @type {any} */ #stats = {}
  /** @type {import('./obstacle.js').ObstacleTree | null} */ _obstacles = null

  constructor(options) {
    const { owner, words } = definition(options)
    super('FlowField', 'paths', 'flowfield', 2, owner, words)
    this._head = ['minX:f', 'minY:f', 'maxX:f', 'maxY:f', 'cell:f']
    this._items = 'anchors'
    this.#least = Math.fround(words[4]) / 2
    this.#radius = words[5]
  }

  get columns() {
    this._begin('columns')
    return this._views.sizes.at(4)[0]
  }

  get rows() {
    this._begin('rows')
    return this._views.sizes.at(4)[1]
  }

  reserve(capacity, options = {}) {
    this._begin('reserve')
    checkOptions(this, options, ROOM)
    const { goals = 0 } = options
    checkInteger(this, 'capacity', capacity, 1, MAX_ANCHORS)
    checkInteger(this, 'goals', goals, 0, MAX_ANCHORS)
    this._leave(this._enter().reserve_goals(this._handle, goals))
    this._room(IDS, 'lengths') // makes new views if arrays were moved
    this.#cellViews = {}
    super.reserve(capacity)
  }

  // ---- Settings ----

  get obstacles() {
    this._begin('obstacles')
    return this._obstacles
  }

  set obstacles(obstacles) {
    setWalls(this, obstacles)
    this._leave(this._enter().set_obstacles(this._handle, handleOfWalls(this)))
  }

  get radius() {
    this._begin('radius')
    return this.#radius
  }

  set radius(radius) {
    this._begin('radius')
    checkRadius(this, radius, this.#least)
    this._leave(this._enter().set_radius(this._handle, radius))
    this.#radius = radius
  }

  get closed() {
    this._begin('closed')
    return this.#byCell(Uint8Array, this._views.closed.at(0).byteOffset)
  }

  /** Returns the array at `address`, which has one number per cell. */
  #byCell(Type, address) {
    const sizes = this._views.sizes.at(4)
    this.#cellViews[address] ??= new View(this._instance, Type, address)
    return this.#cellViews[address].at(sizes[0] * sizes[1])
  }

  setGoals(points, costs) {
    this.#setGoals('setGoals', 'points', points, 2, costs)
  }

  setGoalAreas(boxes, costs) {
    this.#setGoals('setGoalAreas', 'boxes', boxes, 4, costs)
  }

  #setGoals(method, name, numbers, width, costs) {
    this._begin(method)
    checkNumbers(this, name, numbers)
    const { length } = numbers
    if (!(length >= 0 && length % width === 0))
      refuse(this, `${name}.length`, length, `a multiple of ${width}`)
    const count = length / width
    if (costs !== undefined) {
      checkNumbers(this, 'costs', costs)
      if (costs.length !== count) refuse(this, 'costs.length', costs.length, `${count}`)
    }
    this.#checkGoals(count)
    const goals = new Float32Array(5 * count)
    for (let i = 0; i < count; i++) {
      const box = [0, 0, 0, 0]
      for (let side = 0; side < 4; side++) {
        const number = side < width ? numbers[width * i + side] : box[side - 2]
        checkCoordinate(this, `${name}[${width * i + side}]`, number)
        box[side] = number
      }
      const cost = costs === undefined ? 0 : costs[i]
      if (typeof cost !== 'number' || !(cost >= 0 && cost <= MAX_COORDINATE))
        refuse(this, `costs[${i}]`, cost, 'a finite number ≥ 0')
      const [x0, y0, x1, y1] = box
      const { min, max } = Math
      goals.set([min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), cost], 5 * i)
    }
    this._stage(goals.byteLength).set(new Uint8Array(goals.buffer))
    this._leave(this._enter().set_goals(this._handle, count))
  }

  /** Throws if there is no room for `count` goals. */
  #checkGoals(count) {
    const goals = this._views.sizes.at(4)[2]
    if (count <= goals) return
    const call = `reserve(${this._capacity}, { goals: ${count} })`
    const text = `${place(this)}: ${count} goals, capacity ${goals}: ${call} first`
    throw new CopseError('FULL', text)
  }

  // ---- Builds ----

  build() {
    this.#build('build', 0)
  }

  buildPart(work) {
    this._begin('buildPart')
    checkInteger(this, 'work', work, 1, 2 ** 32 - 1)
    return this.#build('buildPart', work)
  }

  /**
   * Does about `work` units of a build; if `work` is 0, does a whole build. True if the build is
   * complete.
   */
  #build(method, work) {
    this._begin(method)
    this._prepareWalls()
    const result = this._enter().build(this._handle, work)
    this._wanted = this._views.sizes.at(4)[3]
    return this._leave(result) === 1
  }

  get isBuilt() {
    this._begin('isBuilt')
    return this._leave(this._enter().is_built(this._handle)) === 1
  }

  get isCurrent() {
    this._begin('isCurrent')
    handleOfWalls(this)
    return leaveWalls(this, this._enter().is_current(this._handle)) === 1
  }

  // ---- Queries ----

  distance(x, y) {
    this.#direction('distance', x, y)
    return this._views.numbers.at(2)[1]
  }

  direction(x, y) {
    this.#direction('direction', x, y)
    return this._views.direction.at(2)
  }

  #direction(method, x, y) {
    this._begin(method)
    checkPoint(this, x, y, 0)
    handleOfWalls(this)
    leaveWalls(this, this._enter().direction(this._handle, x, y))
  }

  /**
   * Builds the obstacle tree if polygons changed since its last build. Throws if that fails, or if
   * the tree is disposed.
   */
  _prepareWalls() {
    handleOfWalls(this)
    this._obstacles?._buildChanged()
  }

  directionMany(points) {
    this._begin('directionMany')
    this._prepareWalls()
    const n = this._takePoints('points', points, 2)
    this._leavePoints('points', 2 * n, this._enter().direction_many(this._handle, n))
    this._room(IDS, 'lengths') // makes new views if arrays were moved
    const directions = this.#directions
    directions.directions = this._views.directions.at(2 * n)
    directions.distances = this._views.lengths.at(n)
    return directions
  }

  path(x, y) {
    this._begin('path')
    checkPoint(this, x, y, 0)
    handleOfWalls(this)
    const total = leaveWalls(this, this._enter().path(this._handle, x, y))
    const path = this.#path
    path.corners = this._views.corners.at(2 * total)
    path.length = this._views.numbers.at(2)[1]
    path.reached = total > 0
    return path
  }

  get distances() {
    this._begin('distances')
    return this.#byCell(Float32Array, this._leave(this._enter().distances(this._handle)))
  }

  // ---- Shapes to draw, statistics and snapshots ----

  cells() {
    return this._drawn('cells')
  }

  lines() {
    return this._drawn('lines')
  }

  _validate() {
    this._begin('validate')
    return this._leave(this._enter().validate(this._handle)) === 1
  }

  stats() {
    const stats = this.#stats
    const numbers = this._readFigures('stats', stats)
    stats.isUnderWay = numbers[this._figurePlace('isUnderWay')] === 1
    return stats
  }

  restore(bytes) {
    super.restore(bytes)
    this._room(IDS, 'lengths') // makes new views if arrays were moved
    this.#cellViews = {}
    const radius = this._views.numbers.at(1)[0]
    if (Math.fround(this.#radius) !== radius) this.#radius = radius
  }
}
