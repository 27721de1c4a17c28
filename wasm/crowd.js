// Crowd: agents that move to their goals, and avoid each other and walls.

import {
  callOf,
  checkBoolean,
  checkCoordinate,
  checkInteger,
  checkNumbers,
  checkOptions,
  checkSlot,
  MAX_COORDINATE,
  refuse,
} from './errors.js'
import { withFollow } from './follow.js'
import { instanceOr } from './init.js'
import { View } from './memory.js'
import { MAX_CAPACITY, moveAgent, Slots } from './object.js'
import { handleOfWalls, leaveWalls, setWalls } from './references.js'

/** The options of the crowd itself. All others are defaults for its agents. */
const OWN_OPTIONS = ['capacity', 'exact', 'instance']

const MAX_NEIGHBORS = 64
const MAY_BE_INFINITE = ['neighborDistance', 'maxAcceleration']
const MUST_BE_POSITIVE = ['timeHorizon', 'obstacleTimeHorizon']

/**
 * Returns the fields of the C struct `copse_crowd_agent`, and their default values. Each field has
 * a name, the index of its first 32-bit word in the struct, and a type: 'v' is a vector of three
 * floats, 'f' a float, 'u' an unsigned integer, 'b' a boolean.
 */
function fieldsOf(instance) {
  const wasm = instance.enter()
  let words = 0
  const fields = instance.names(wasm.crowd_agent_names()).map((text) => {
    const [name, type] = text.split(':')
    const field = { name, type, word: words }
    words += type === 'v' ? 3 : 1
    return field
  })
  const defaults = new View(instance, Uint32Array, wasm.crowd_agent_defaults() >>> 0).at(words)
  instance.leave()
  return { fields, defaults: new AddedAgent(defaults.slice()) }
}

/** The words of the C struct `copse_crowd_agent`; `floats` are the same words, read as floats. */
class AddedAgent {
  constructor(words) {
    this.words = words
    this.floats = new Float32Array(words.buffer)
  }
}

function checkPositive(call, name, value, expected = 'a finite number > 0') {
  if (typeof value !== 'number' || !(Math.fround(value) > 0 && value <= MAX_COORDINATE))
    refuse(call, name, value, expected)
}

/**
 * Checks an option of an agent, a number or boolean, and writes it to `agent`. Does nothing if the
 * option is undefined.
 */
function putNumber(call, agent, field, options, maxNeighbors) {
  const { name, type, word } = field
  const value = options[name]
  if (value === undefined) return
  if (type === 'u') {
    if (name === 'maxNeighbors') checkInteger(call, name, value, 0, maxNeighbors)
    else checkInteger(call, name, value, -(2 ** 31), 2 ** 32 - 1)
  } else if (type === 'b') checkBoolean(call, name, value)
  else if (MUST_BE_POSITIVE.includes(name)) checkPositive(call, name, value)
  else {
    const mayBeInfinite = MAY_BE_INFINITE.includes(name)
    const isInfinite = mayBeInfinite && value === Infinity
    if (typeof value !== 'number' || !(value >= 0 && (value <= MAX_COORDINATE || isInfinite)))
      refuse(call, name, value, mayBeInfinite ? 'a number ≥ 0' : 'a finite number ≥ 0')
  }
  if (type === 'f') agent.floats[word] = value
  else agent.words[word] = Number(value)
}

/** @abstract */
class AnyCrowd extends Slots {
  #fields
  #fieldNames
  /** The values that `add` uses for attributes that its argument leaves out. */
  #defaults
  /** The crowd's option `maxNeighbors`: the upper limit for each agent's own `maxNeighbors`. */
  #maxNeighbors
  /** The buffer that `add` writes an agent to. */
  #added
  // The objects that calls return: reused, not created for each call. In #stats, `neighbors` and
  // `time` start as fractions, so that V8 makes them float properties: storing a fraction later
  // then allocates nothing.
  /** @type {any} */ #inspected = {}
  #stats = {
    ...{ agents: 0, infeasible: 0, overlaps: 0, neighbors: 0.5, steps: 0, time: 0.5, bytes: 0 },
  }
  /** @type {import('./obstacle.js').ObstacleTree | null} */ _obstacles = null

  constructor(name, dimensions, options) {
    const call = callOf(name)
    if (typeof options !== 'object' || options === null) checkOptions(call, options, [])
    const { capacity, exact = false, instance } = options
    if (capacity !== undefined) checkInteger(call, 'capacity', capacity, 1, MAX_CAPACITY)
    checkBoolean(call, 'exact', exact)
    const owner = instanceOr(name, 'crowd', instance)
    const { fields, defaults } = fieldsOf(owner)
    const numbers = fields.filter(({ type }) => type !== 'v')
    checkOptions(call, options, [...OWN_OPTIONS, ...numbers.map((field) => field.name)])
    let maxNeighbors = 0
    for (const field of numbers) {
      putNumber(call, defaults, field, options, MAX_NEIGHBORS)
      if (field.name === 'maxNeighbors') maxNeighbors = defaults.words[field.word]
    }
    const words = [dimensions, capacity ?? 0, maxNeighbors, exact ? 1 : 0]
    super(name, 'crowd', 'crowd', dimensions, owner, words)
    this._head = ['dimensions', 'maxNeighbors', 'exact']
    this.#fields = fields
    this.#fieldNames = fields.map((field) => field.name)
    this.#defaults = defaults
    this.#added = new AddedAgent(defaults.words.slice())
    this.#maxNeighbors = maxNeighbors
  }

  // ---- The arrays of agents ----

  get positions() {
    return this._array('positions', this._dimensions)
  }

  get velocities() {
    return this._array('velocities', this._dimensions)
  }

  get preferredVelocities() {
    return this._array('preferredVelocities', this._dimensions)
  }

  get goals() {
    return this._array('goals', this._dimensions)
  }

  get preferredSpeeds() {
    return this._array('preferredSpeeds', 1)
  }

  get arrivalRadii() {
    return this._array('arrivalRadii', 1)
  }

  get radii() {
    return this._array('radii', 1)
  }

  get maxSpeeds() {
    return this._array('maxSpeeds', 1)
  }

  get neighborDistances() {
    return this._array('neighborDistances', 1)
  }

  get maxNeighborCounts() {
    return this._array('maxNeighborCounts', 1)
  }

  get timeHorizons() {
    return this._array('timeHorizons', 1)
  }

  get obstacleTimeHorizons() {
    return this._array('obstacleTimeHorizons', 1)
  }

  get maxAccelerations() {
    return this._array('maxAccelerations', 1)
  }

  get priorities() {
    return this._array('priorities', 1)
  }

  get groups() {
    return this._array('groups', 1)
  }

  get masks() {
    return this._array('masks', 1)
  }

  get enabled() {
    return this._array('enabled', 1)
  }

  get locked() {
    return this._array('locked', 1)
  }

  // ---- Add and move agents ----

  add(agent) {
    this._begin('add')
    checkOptions(this, agent, this.#fieldNames)
    const added = this.#added
    added.words.set(this.#defaults.words)
    for (let i = 0; i < this.#fields.length; i++) {
      const field = this.#fields[i]
      if (field.type === 'v') this.#putVector(added, field, agent[field.name])
      else putNumber(this, added, field, agent, this.#maxNeighbors)
    }
    this._views.added.at(added.words.length).set(added.words)
    this._wanted = this._capacity + 1
    return this._leave(this._enter().add(this._handle))
  }

  #putVector(added, { name, word }, vector) {
    const isMissing = vector === undefined || (vector === null && name === 'goal')
    if (isMissing && name !== 'position') return
    checkNumbers(this, name, vector)
    if (vector.length !== this._dimensions)
      refuse(this, `${name}.length`, vector.length, `${this._dimensions}`)
    for (let axis = 0; axis < this._dimensions; axis++) {
      const value = vector[axis]
      checkCoordinate(this, name, value)
      added.floats[word + axis] = value
    }
  }

  // ---- Steps ----

  step(dt) {
    this._begin('step')
    if (dt === 0) return
    checkPositive(this, 'dt', dt, 'a finite number ≥ 0')
    leaveWalls(this, this._step(handleOfWalls(this), dt))
  }

  _step(walls, dt) {
    return this._enter().step(this._handle, walls, dt)
  }

  arrived() {
    return this.#agents('arrived')
  }

  stuck() {
    return this.#agents('stuck')
  }

  /** Returns a view of the ids that the core's `method` wrote. */
  #agents(method) {
    this._begin(method)
    return this._views[method].at(this._leave(this._enter()[method](this._handle)))
  }

  inspect(slot, dt) {
    this._begin('inspect')
    checkSlot(this, slot)
    checkPositive(this, 'dt', dt)
    const walls = handleOfWalls(this)
    const wasm = this._enter()
    const result = wasm.inspect(this._handle, walls, dt, slot)
    leaveWalls(this, result)
    const counts = this._views.inspectedCounts.at(4)
    const inspected = this.#inspected
    inspected.neighbors = this._views.inspectedNeighbors.at(counts[0])
    inspected.obstacles = this._views.inspectedObstacles.at(counts[1])
    inspected.constraints = this._views.inspectedConstraints.at(counts[2] * 2 * this._dimensions)
    inspected.obstacleConstraints = counts[3]
    return inspected
  }

  // ---- Statistics and hash ----

  stats() {
    const stats = this.#stats
    const numbers = this._readFigures('stats', stats)
    stats.neighbors = numbers[this._figurePlace('neighbors')]
    stats.time = numbers[this._figurePlace('time')]
    return stats
  }

  hash() {
    this._begin('hash')
    const hash = this._enter().hash(this._handle) >>> 0
    this._leave(0)
    return hash
  }
}

const CrowdOfFields = /* @__PURE__ */ withFollow(AnyCrowd)

export class Crowd extends CrowdOfFields {
  constructor(options = {}) {
    super('Crowd', 2, options)
  }

  get obstacles() {
    this._begin('obstacles')
    return this._obstacles
  }

  set obstacles(obstacles) {
    setWalls(this, obstacles)
  }

  move(slot, x, y) {
    moveAgent(this, arguments.length, slot, x, y, 0)
  }
}

export class Crowd3D extends AnyCrowd {
  constructor(options = {}) {
    super('Crowd3D', 3, options)
  }

  move(slot, x, y, z) {
    moveAgent(this, arguments.length, slot, x, y, z)
  }
}
