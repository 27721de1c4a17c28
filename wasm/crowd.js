// The crowd: agents that move where they want, and avoid each other and walls.

import { CoreObject, MAX_CAPACITY, NOBODY } from './coreobject.js'
import { checkCoordinate, checkInteger, checkOptions, CopseError, refuse } from './errors.js'
import { instanceOr } from './init.js'
import { View } from './memory.js'
import { ObstacleTree } from './obstacle.js'

/**
 * What an agent is; of a crowd, what its agents are unless `add` says something else.
 * @typedef {object} AgentNumbers
 * @property {number} [preferredSpeed] how fast it heads for its goal; 1 at first
 * @property {number} [radius] 0.5 at first
 * @property {number} [maxSpeed] 2 at first
 * @property {number} [neighborDistance] neighbors farther away, from center to center, are not heeded; 10
 *   at first, may be Infinity
 * @property {number} [maxNeighbors] nor more than the nearest so many, 0 to 64; 10 at first. That of the
 *   crowd is the most that any of its agents heeds
 * @property {number} [timeHorizon] for so long its velocity has to be clear of neighbors; 2 at first
 * @property {number} [timeHorizonObstacles] and of walls; 2 at first
 * @property {number} [maxAcceleration] by how much its velocity changes in a second at most; Infinity at
 *   first
 * @property {number} [priority] of avoiding another, an agent does the other's / (own + other's): one half
 *   where both are 0, as at first
 * @property {number} [groups] bits; 1 at first. In none: nobody avoids it, and it avoids nobody
 * @property {number} [mask] of the groups that it avoids; all at first. Who is not avoided by another has to
 *   avoid it alone
 * @property {boolean} [enabled] false: takes part in nothing; true at first
 * @property {boolean} [locked] true: is avoided, and moved by nobody but the game, which writes its
 *   position and, so that others look ahead, its velocity; false at first
 */

/**
 * @typedef {object} CrowdOwnOptions
 * @property {number} [capacity] the most agents; 1,000 at first
 * @property {number} [timeStep] 1/60 at first
 * @property {boolean} [exact] nothing but the published algorithm: nobody turns aside for symmetry, rests
 *   at its goal, or comes out of walls by itself
 * @property {import('./init.js').Instance} [instance] made by `create()`; else the default one
 */

/** @typedef {AgentNumbers & CrowdOwnOptions} CrowdOptions */

/**
 * Vectors are [x, y] or, in space, [x, y, z].
 * @typedef {object} AgentVectors
 * @property {ArrayLike<number>} position
 * @property {ArrayLike<number>} [velocity] 0 at first
 * @property {ArrayLike<number>} [preferredVelocity] where it would move if it were alone; 0 at first
 * @property {ArrayLike<number> | null} [goal] where it heads instead, at `preferredSpeed`, and stops;
 *   null, or not given: nowhere
 */

/** @typedef {AgentVectors & AgentNumbers} AgentOptions */

/**
 * What an agent heeds. Always the same object.
 * @typedef {object} CrowdView
 * @property {Uint32Array} neighbors slots, nearest first
 * @property {Uint32Array} walls ids of edges of the obstacles, nearest first
 * @property {Float32Array} constraints on its velocity, those of walls first. In the plane x, y,
 *   directionX, directionY of each: permitted is what lies left (y up) of the line through that point
 *   in that direction. In space a point and a unit normal: permitted is what lies beyond
 * @property {number} wallConstraints how many of them are of walls
 */

/**
 * @typedef {object} CrowdStats
 * @property {number} agents
 * @property {number} infeasible agents for which no velocity was permitted in the last step
 * @property {number} overlaps agents that touched or overlapped a neighbor when it began
 * @property {number} neighbors that an agent heeded in it, in the mean
 * @property {number} steps
 * @property {number} time the sum of all time steps
 * @property {number} bytes memory of the whole object
 */

const MOST_NEIGHBORS = 64

/**
 * A field of an agent that is added: its name, what it is, and its first word. A vector is 'v', three
 * floats; a float 'f', a number of 32 bits 'u', true or false 'b'.
 * @typedef {{ name: string, type: string, word: number }} Field
 */

/**
 * The fields that the core takes, and their defaults.
 * @param {import('./init.js').Instance} instance
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
  const defaults = new View(instance, Uint32Array, wasm.crowd_agent_defaults() >>> 0).fresh(words)
  instance.leave()
  return { fields, defaults: new AddedAgent(defaults.slice()) }
}

/** What `add` takes, read from what the game gave. */
class AddedAgent {
  /** @param {Uint32Array} words */
  constructor(words) {
    this.words = words
    this.floats = new Float32Array(words.buffer)
  }
}

const MOST = 1e18
const ENDLESS = ['neighborDistance', 'maxAcceleration']

/**
 * @param {string} owner
 * @param {string} method
 * @param {string} what
 * @param {number} value
 */
function checkPositive(owner, method, what, value) {
  if (typeof value !== 'number' || !(Math.fround(value) > 0 && value <= MOST))
    refuse(owner, method, what, value, 'a finite number > 0')
}

/**
 * Reads a field that is no vector from what the game gave, checks it, and puts it into an agent; what is
 * not given stays as it is.
 * @param {AddedAgent} agent
 * @param {Field} field
 * @param {string} owner
 * @param {string} method
 * @param {Record<string, any>} given
 * @param {number} maxNeighbors the most
 */
function putNumber(agent, field, owner, method, given, maxNeighbors) {
  const { name, type, word } = field
  const value = given[name]
  if (value === undefined) return
  if (type === 'u') {
    if (name === 'maxNeighbors') checkInteger(owner, method, name, value, 0, maxNeighbors)
    else checkInteger(owner, method, name, value, -(2 ** 31), 2 ** 32 - 1)
  } else if (type === 'b') {
    if (typeof value !== 'boolean') refuse(owner, method, name, value, 'true or false', false)
  } else if (name === 'timeHorizon' || name === 'timeHorizonObstacles')
    checkPositive(owner, method, name, value)
  else {
    const isEndless = value === Infinity && ENDLESS.includes(name)
    if (typeof value !== 'number' || !(value >= 0 && (value <= MOST || isEndless)))
      refuse(owner, method, name, value, 'a finite number ≥ 0')
  }
  if (type === 'f') agent.floats[word] = value
  else agent.words[word] = Number(value)
}

/** @abstract */
class AnyCrowd extends CoreObject {
  #dimensions
  /** @type {number} */ #timeStep
  /** @type {Field[]} */ #fields
  /** Of agents that are added. @type {AddedAgent} */ #defaults
  /** The maximum of neighbors that an agent avoids. */ #maxNeighbors
  /** @type {CrowdView} */ #look = /** @type {any} */ ({})
  /** Where `add` puts what it reads; null while one does. @type {AddedAgent | null} */
  #added = null
  /** @type {CrowdStats} */ #stats = {
    ...{ agents: 0, infeasible: 0, overlaps: 0, neighbors: 0.5, steps: 0, time: 0.5, bytes: 0 },
  }
  /** @protected @type {ObstacleTree | null} */ _obstacles = null

  /**
   * @protected
   * @param {string} name
   * @param {2 | 3} dimensions
   * @param {CrowdOptions} options
   */
  constructor(name, dimensions, options) {
    checkOptions(name, '', options)
    const { capacity, timeStep = 1 / 60, exact = false, instance } = options
    if (capacity !== undefined) checkInteger(name, '', 'capacity', capacity, 1, MAX_CAPACITY)
    checkPositive(name, '', 'timeStep', timeStep)
    if (typeof exact !== 'boolean') refuse(name, '', 'exact', exact, 'true or false', false)
    const owner = instanceOr(name, 'crowd', instance)
    const { fields, defaults } = fieldsOf(owner)
    let maxNeighbors = 0
    for (const field of fields) {
      if (field.type !== 'v') putNumber(defaults, field, name, '', options, MOST_NEIGHBORS)
      if (field.name === 'maxNeighbors') maxNeighbors = defaults.words[field.word]
    }
    super(name, 'crowd', 'crowd', owner, [dimensions, capacity ?? 0, maxNeighbors, exact ? 1 : 0])
    this.#dimensions = dimensions
    this.#timeStep = timeStep
    this.#fields = fields
    this.#defaults = defaults
    this.#maxNeighbors = maxNeighbors
  }

  // ---- What there is ----

  get dimensions() {
    this._alive('dimensions')
    return this.#dimensions
  }

  /** How many agents there are. */
  get count() {
    return this._leave('count', this._enter('count').count(this._handle))
  }

  /** The sum of all time steps. */
  get time() {
    return this._readFigures('time', this.#stats)[this._figurePlace('time')]
  }

  /** What a step takes unless it is told. */
  get timeStep() {
    this._alive('timeStep')
    return this.#timeStep
  }

  set timeStep(timeStep) {
    this._alive('timeStep')
    checkPositive(this._name, 'timeStep', 'timeStep', timeStep)
    this.#timeStep = timeStep
  }

  /** @param {string} name */
  #vectors(name) {
    this._alive(name)
    return /** @type {Float32Array} */ (this._views[name].at(this._capacity * this.#dimensions))
  }

  /** @param {string} name */
  #numbers(name) {
    this._alive(name)
    return /** @type {Float32Array} */ (this._views[name].at(this._capacity))
  }

  /** @param {string} name */
  #words(name) {
    this._alive(name)
    return /** @type {Uint32Array} */ (this._views[name].at(this._capacity))
  }

  /**
   * Where the agents are: x, y(, z) for each slot of the capacity. The game may write here, and in all
   * arrays that follow but `generations`: it counts from the next step on. Of numbers out of range the
   * nearest in range counts, of NaN 0.
   */
  get positions() {
    return this.#vectors('positions')
  }

  get velocities() {
    return this.#vectors('velocities')
  }

  /** Where agents without a goal would move if they were alone. */
  get preferredVelocities() {
    return this.#vectors('preferredVelocities')
  }

  /** Where agents head, and stop; NaN: nowhere. */
  get goals() {
    return this.#vectors('goals')
  }

  get preferredSpeeds() {
    return this.#numbers('preferredSpeeds')
  }

  get radii() {
    return this.#numbers('radii')
  }

  get maxSpeeds() {
    return this.#numbers('maxSpeeds')
  }

  get neighborDistances() {
    return this.#numbers('neighborDistances')
  }

  /** The `maxNeighbors` of agents. */
  get maxNeighborCounts() {
    return this.#words('maxNeighborCounts')
  }

  get timeHorizons() {
    return this.#numbers('timeHorizons')
  }

  get timeHorizonsObstacles() {
    return this.#numbers('timeHorizonsObstacles')
  }

  get maxAccelerations() {
    return this.#numbers('maxAccelerations')
  }

  get priorities() {
    return this.#numbers('priorities')
  }

  get groups() {
    return this.#words('groups')
  }

  get masks() {
    return this.#words('masks')
  }

  /** 0 or 1, as `locked`. */
  get enabled() {
    return this.#words('enabled')
  }

  get locked() {
    return this.#words('locked')
  }

  /** By slot: odd while it is in use, and one more at every add and remove: only to be read. */
  get generations() {
    return this.#words('generations')
  }

  /**
   * Whether a slot is in use.
   * @param {number} slot
   */
  has(slot) {
    this._alive('has')
    const generations = this._views.generations.at(this._capacity)
    return typeof slot === 'number' && ((generations[slot] ?? 0) & 1) === 1
  }

  // ---- Changes ----

  /**
   * Adds an agent. `FULL`: there is no room.
   * @param {AgentOptions} agent
   * @returns {number} its slot, the lowest that is free
   */
  add(agent) {
    this._alive('add')
    checkOptions(this._name, 'add', agent)
    // Reading the agent may call any code, also this function.
    const added = this.#added ?? new AddedAgent(this.#defaults.words.slice())
    this.#added = null
    added.words.set(this.#defaults.words)
    for (let i = 0; i < this.#fields.length; i++) {
      const field = this.#fields[i]
      if (field.type === 'v') this.#putVector(added, field, /** @type {any} */ (agent)[field.name])
      else putNumber(added, field, this._name, 'add', agent, this.#maxNeighbors)
    }
    this.#added = added
    const wasm = this._enter('add')
    this._views.added.at(added.words.length).set(added.words)
    return this._leave('add', wasm.add(this._handle))
  }

  /**
   * @param {AddedAgent} added
   * @param {Field} field
   * @param {ArrayLike<number> | null | undefined} vector
   */
  #putVector(added, { name, word }, vector) {
    const isMissing = vector === undefined || (vector === null && name === 'goal')
    if (isMissing && name !== 'position') return
    if (typeof vector !== 'object' || vector === null || typeof vector.length !== 'number')
      refuse(this._name, 'add', name, vector, 'an array of numbers', false)
    if (vector.length !== this.#dimensions)
      refuse(this._name, 'add', `${name}.length`, vector.length, `${this.#dimensions}`)
    for (let axis = 0; axis < this.#dimensions; axis++) {
      const value = vector[axis]
      checkCoordinate(this._name, 'add', name, value)
      added.floats[word + axis] = value
    }
  }

  /**
   * Takes an agent out. `STALE_HANDLE`: the slot is not in use.
   * @param {number} slot
   */
  remove(slot) {
    checkInteger(this._name, 'remove', 'slot', slot, 0, 2 ** 32 - 1)
    this._leave('remove', this._enter('remove').remove(this._handle, slot))
  }

  /** Takes all agents out. */
  clear() {
    this._leave('clear', this._enter('clear').clear(this._handle))
  }

  // ---- Steps ----

  /**
   * Moves all agents: each takes the velocity, of those that keep it clear of neighbors and walls, that is
   * nearest to the one it prefers. Without garbage. On an error no agent has moved. `NOT_FINITE`: a
   * position or velocity that the game wrote.
   * @param {number} [timeStep]
   */
  step(timeStep) {
    if (timeStep !== undefined) checkPositive(this._name, 'step', 'timeStep', timeStep)
    const walls = this.#wallsFor('step')
    const wasm = this._enter('step')
    const result = wasm.step(this._handle, walls, timeStep ?? this.#timeStep)
    this.#finish('step', result)
  }

  /**
   * Who arrived in the last step: came to its goal, or as near as others of the same goal leave room, who
   * arrived before. Once for each, until it was pushed away, its goal moved, or a nearer place came free.
   * Without garbage.
   * @returns {Uint32Array} slots, ascending, valid until the next step
   */
  arrived() {
    const total = this._leave('arrived', this._enter('arrived').arrived(this._handle))
    return /** @type {Uint32Array} */ (this._views.arrived.at(total))
  }

  /**
   * Who got stuck in the last step: has come no nearer to its goal for 2 seconds. Once for each, until it
   * does. Without garbage.
   * @returns {Uint32Array} slots, ascending, valid until the next step
   */
  stuck() {
    const total = this._leave('stuck', this._enter('stuck').stuck(this._handle))
    return /** @type {Uint32Array} */ (this._views.stuck.at(total))
  }

  /**
   * What an agent heeds as things are now: what the next step will take into account. O(N).
   * `STALE_HANDLE`: the slot is not in use.
   * @param {number} slot
   * @returns {CrowdView} the same object every time; its arrays are valid until the next call on this
   *   crowd
   */
  look(slot) {
    checkInteger(this._name, 'look', 'slot', slot, 0, 2 ** 32 - 1)
    const walls = this.#wallsFor('look')
    const wasm = this._enter('look')
    this.#finish('look', wasm.look(this._handle, walls, this.#timeStep, slot))
    const counts = this._views.lookCounts.at(4)
    const look = this.#look
    look.neighbors = this._views.lookNeighbors.at(counts[0])
    look.walls = this._views.lookWalls.at(counts[1])
    look.constraints = this._views.lookConstraints.at(counts[2] * 2 * this.#dimensions)
    look.wallConstraints = counts[3]
    return look
  }

  /**
   * The handle of the obstacles, -1: there are none.
   * @param {string} method
   */
  #wallsFor(method) {
    this._alive(method)
    const obstacles = this._obstacles
    return obstacles === null ? NOBODY : this._handleOf(method, obstacles)
  }

  /**
   * The handle of walls, which must be alive, and in the same memory.
   * @protected
   * @param {string} method
   * @param {ObstacleTree} obstacles
   */
  _handleOf(method, obstacles) {
    const { _handle, _instance } = /** @type {{ _handle: number, _instance: object }} */ (
      /** @type {unknown} */ (obstacles)
    )
    if (_instance !== this._instance)
      refuse(this._name, method, 'obstacles', obstacles, 'of the same instance', true)
    if (_handle < 0)
      throw new CopseError('DISPOSED', `${this._name}.${method}: the obstacles were disposed`)
    return _handle
  }

  /**
   * Ends a call that may build the obstacles; when that is what failed, they say so.
   * @param {string} method
   * @param {number} result
   */
  #finish(method, result) {
    if (result < NOBODY && this._obstacles !== null) {
      this._leave(method, 0)
      this._obstacles._buildChanged()
    }
    this._leave(method, result)
  }

  // ---- Debug and snapshots ----

  /** Figures of the crowd, and of its last step: always the same object. */
  stats() {
    const stats = this.#stats
    const numbers = this._readFigures('stats', stats)
    stats.neighbors = numbers[this._figurePlace('neighbors')]
    stats.time = numbers[this._figurePlace('time')]
    return stats
  }

  /**
   * Returns a hash of everything that decides the future, steps and options included, but not the
   * obstacles and `timeStep`: equal states have equal hashes, everywhere. For finding out at once that two
   * machines disagree.
   * @returns {number} 32 bits, not negative
   */
  hash() {
    const hash = this._enter('hash').hash(this._handle) >>> 0
    this._leave('hash', 0)
    return hash
  }

  /**
   * Takes the state of a snapshot: afterwards everything goes on as it would have, bit for bit. The
   * obstacles and `timeStep` are not part of it; `maxNeighbors` and `exact` must be those of the saved
   * crowd. Bytes from anywhere are safe: on `BAD_SNAPSHOT` and `FULL` nothing has changed.
   * @param {Uint8Array} bytes
   */
  restore(bytes) {
    this._restore(bytes)
  }
}

/**
 * Agents in the plane that each want to move somewhere and must not collide, with each other and with
 * walls. Each has a slot and is a disc; what it is and wants lies in arrays by slot, which the game may
 * read and write between steps.
 *
 * Optimal reciprocal collision avoidance after van den Berg, Guy, Lin and Manocha (2011): an agent counts
 * on its neighbors to do half of what is needed. The same calls give the same bits everywhere.
 */
export class Crowd extends AnyCrowd {
  /** @param {CrowdOptions} [options] */
  constructor(options = {}) {
    super('Crowd', 2, options)
  }

  /**
   * The walls that agents avoid, or null. Crowds may share them, and they may change between steps, which
   * build what changed.
   * @returns {ObstacleTree | null}
   */
  get obstacles() {
    this._alive('obstacles')
    return this._obstacles
  }

  set obstacles(obstacles) {
    this._alive('obstacles')
    if (obstacles !== null) {
      if (!(obstacles instanceof ObstacleTree))
        refuse(this._name, 'obstacles', 'obstacles', obstacles, 'an ObstacleTree or null', false)
      this._handleOf('obstacles', obstacles)
    }
    this._obstacles = obstacles
  }
}

/** As `Crowd`, in space: agents are spheres, and there are no walls. */
export class Crowd3D extends AnyCrowd {
  /** @param {CrowdOptions} [options] */
  constructor(options = {}) {
    super('Crowd3D', 3, options)
  }
}
