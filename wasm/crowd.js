// The crowd: agents that move where they want, and avoid each other and walls.

import { CoreObject, MAX_CAPACITY, NOBODY } from './coreobject.js'
import { checkCoordinate, checkInteger, checkOptions, CopseError, refuse } from './errors.js'
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

/** `view_of` of exports.c for a crowd, by place. */
const POSITIONS = 0
const VELOCITIES = 1
const PREFERRED_VELOCITIES = 2
const GOALS = 3
const PREFERRED_SPEEDS = 4
const RADII = 5
const MAX_SPEEDS = 6
const NEIGHBOR_DISTANCES = 7
const MAX_NEIGHBORS = 8
const TIME_HORIZONS = 9
const TIME_HORIZONS_OBSTACLES = 10
const MAX_ACCELERATIONS = 11
const PRIORITIES = 12
const GROUPS = 13
const MASKS = 14
const ENABLED = 15
const LOCKED = 16
const GENERATIONS = 17
const ARRIVED = 18
const STUCK = 19
const LOOK_COUNTS = 20
const LOOK_NEIGHBORS = 21
const LOOK_WALLS = 22
const LOOK_CONSTRAINTS = 23
const ADDED = 24
const TYPES = Array.from({ length: 25 }, (_, which) =>
  which === MAX_NEIGHBORS || (which >= GROUPS && which !== LOOK_CONSTRAINTS)
    ? Uint32Array
    : Float32Array,
)

const MOST_NEIGHBORS = 64

/** The words of a `copse_crowd_agent`: vectors of three, then numbers. */
const VECTORS = /** @type {const} */ (['position', 'velocity', 'preferredVelocity', 'goal'])
const NUMBERS = /** @type {const} */ ([
  ...['preferredSpeed', 'radius', 'maxSpeed', 'neighborDistance'],
  ...['maxNeighbors', 'timeHorizon', 'timeHorizonObstacles'],
  ...['maxAcceleration', 'priority', 'groups', 'mask', 'enabled', 'locked'],
])
const DEFAULTS = [1, 0.5, 2, 10, 10, 2, 2, Infinity, 0, 1, 2 ** 32 - 1, 1, 0]
const FIRST_NUMBER = 3 * VECTORS.length
const AGENT_WORDS = FIRST_NUMBER + NUMBERS.length
/** What `add` takes, read from what the game gave. */
class AddedAgent {
  words = new Uint32Array(AGENT_WORDS)
  floats = new Float32Array(this.words.buffer)
}

/** Among `NUMBERS`: what is no float, the number of neighbors and all from the groups on. */
const COUNT = 4
const FIRST_WORD = 9
const isWord = (/** @type {number} */ place) => place === COUNT || place >= FIRST_WORD
/** Not every engine writes the same bits for NaN. */
const NAN_WORD = 0x7fc00000

/** How many figures `stats_of` of exports.c tells. */
const FIGURES = 7

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
 * Checks one of `NUMBERS`; undefined is the default.
 * @param {string} owner
 * @param {string} method
 * @param {string} what
 * @param {any} value
 * @param {number} otherwise
 * @param {number} maxNeighbors the most
 * @returns {number}
 */
function numberOf(owner, method, what, value, otherwise, maxNeighbors) {
  if (value === undefined) return otherwise
  if (what === 'maxNeighbors') checkInteger(owner, method, what, value, 0, maxNeighbors)
  else if (what === 'groups' || what === 'mask')
    checkInteger(owner, method, what, value, -(2 ** 31), 2 ** 32 - 1)
  else if (what === 'enabled' || what === 'locked') {
    if (typeof value !== 'boolean') refuse(owner, method, what, value, 'true or false', false)
  } else if (what === 'timeHorizon' || what === 'timeHorizonObstacles')
    checkPositive(owner, method, what, value)
  else {
    const isEndless = value === Infinity && ENDLESS.includes(what)
    if (typeof value !== 'number' || !(value >= 0 && (value <= MOST || isEndless)))
      refuse(owner, method, what, value, 'a finite number ≥ 0')
  }
  return Number(value)
}

/** @abstract */
class AnyCrowd extends CoreObject {
  #dimensions
  /** @type {number} */ #timeStep
  /** By `NUMBERS`. @type {number[]} */ #defaults
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
    const { capacity = 1000, timeStep = 1 / 60, exact = false, instance } = options
    checkInteger(name, '', 'capacity', capacity, 1, MAX_CAPACITY)
    checkPositive(name, '', 'timeStep', timeStep)
    if (typeof exact !== 'boolean') refuse(name, '', 'exact', exact, 'true or false', false)
    const defaults = NUMBERS.map((what, i) =>
      numberOf(name, '', what, options[what], DEFAULTS[i], MOST_NEIGHBORS),
    )
    const words = [dimensions, capacity, defaults[COUNT], exact ? 1 : 0]
    super(name, 'crowd', instance, TYPES, capacity, 0, words)
    this.#dimensions = dimensions
    this.#timeStep = timeStep
    this.#defaults = defaults
  }

  // ---- What there is ----

  get dimensions() {
    this._alive('dimensions')
    return this.#dimensions
  }

  /** How many agents there are. */
  get count() {
    return this._leave('count', this._enter('count').count_of(this._handle))
  }

  /** The sum of all time steps. */
  get time() {
    return this.#figures('time')[6]
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

  /**
   * @param {string} name
   * @param {number} which
   */
  #vectors(name, which) {
    this._alive(name)
    return /** @type {Float32Array} */ (this._view(which, this._capacity * this.#dimensions))
  }

  /**
   * @param {string} name
   * @param {number} which
   */
  #numbers(name, which) {
    this._alive(name)
    return /** @type {Float32Array} */ (this._view(which, this._capacity))
  }

  /**
   * @param {string} name
   * @param {number} which
   */
  #words(name, which) {
    this._alive(name)
    return /** @type {Uint32Array} */ (this._view(which, this._capacity))
  }

  /**
   * Where the agents are: x, y(, z) for each slot of the capacity. The game may write here, and in all
   * arrays that follow but `generations`: it counts from the next step on. Of numbers out of range the
   * nearest in range counts, of NaN 0.
   */
  get positions() {
    return this.#vectors('positions', POSITIONS)
  }

  get velocities() {
    return this.#vectors('velocities', VELOCITIES)
  }

  /** Where agents without a goal would move if they were alone. */
  get preferredVelocities() {
    return this.#vectors('preferredVelocities', PREFERRED_VELOCITIES)
  }

  /** Where agents head, and stop; NaN: nowhere. */
  get goals() {
    return this.#vectors('goals', GOALS)
  }

  get preferredSpeeds() {
    return this.#numbers('preferredSpeeds', PREFERRED_SPEEDS)
  }

  get radii() {
    return this.#numbers('radii', RADII)
  }

  get maxSpeeds() {
    return this.#numbers('maxSpeeds', MAX_SPEEDS)
  }

  get neighborDistances() {
    return this.#numbers('neighborDistances', NEIGHBOR_DISTANCES)
  }

  /** The `maxNeighbors` of agents. */
  get maxNeighborCounts() {
    return this.#words('maxNeighborCounts', MAX_NEIGHBORS)
  }

  get timeHorizons() {
    return this.#numbers('timeHorizons', TIME_HORIZONS)
  }

  get timeHorizonsObstacles() {
    return this.#numbers('timeHorizonsObstacles', TIME_HORIZONS_OBSTACLES)
  }

  get maxAccelerations() {
    return this.#numbers('maxAccelerations', MAX_ACCELERATIONS)
  }

  get priorities() {
    return this.#numbers('priorities', PRIORITIES)
  }

  get groups() {
    return this.#words('groups', GROUPS)
  }

  get masks() {
    return this.#words('masks', MASKS)
  }

  /** 0 or 1, as `locked`. */
  get enabled() {
    return this.#words('enabled', ENABLED)
  }

  get locked() {
    return this.#words('locked', LOCKED)
  }

  /** By slot: odd while it is in use, and one more at every add and remove: only to be read. */
  get generations() {
    return this.#words('generations', GENERATIONS)
  }

  /**
   * Whether a slot is in use.
   * @param {number} slot
   */
  has(slot) {
    this._alive('has')
    const generations = this._view(GENERATIONS, this._capacity)
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
    const added = this.#added ?? new AddedAgent()
    this.#added = null
    for (let i = 0; i < VECTORS.length; i++) this.#putVector(added, i, agent[VECTORS[i]])
    const defaults = this.#defaults
    for (let i = 0; i < NUMBERS.length; i++) {
      const most = defaults[COUNT]
      const value = numberOf(this._name, 'add', NUMBERS[i], agent[NUMBERS[i]], defaults[i], most)
      const array = isWord(i) ? added.words : added.floats
      array[FIRST_NUMBER + i] = value
    }
    this.#added = added
    const wasm = this._enter('add')
    this._view(ADDED, AGENT_WORDS).set(added.words)
    return this._leave('add', wasm.crowd_add(this._handle))
  }

  /**
   * @param {AddedAgent} added
   * @param {number} place among `VECTORS`
   * @param {ArrayLike<number> | null | undefined} vector
   */
  #putVector(added, place, vector) {
    const what = VECTORS[place]
    const isGiven = vector !== undefined && (vector !== null || what !== 'goal')
    if (isGiven || what === 'position') {
      if (typeof vector !== 'object' || vector === null || typeof vector.length !== 'number')
        refuse(this._name, 'add', what, vector, 'an array of numbers', false)
      if (vector.length !== this.#dimensions)
        refuse(this._name, 'add', `${what}.length`, vector.length, `${this.#dimensions}`)
    }
    for (let axis = 0; axis < this.#dimensions; axis++) {
      const at = 3 * place + axis
      if (isGiven) {
        const value = /** @type {ArrayLike<number>} */ (vector)[axis]
        checkCoordinate(this._name, 'add', what, value)
        added.floats[at] = value
      } else added.words[at] = what === 'goal' ? NAN_WORD : 0
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
    const result = wasm.crowd_step(this._handle, walls, timeStep ?? this.#timeStep)
    this.#finish('step', result)
  }

  /**
   * Who arrived in the last step: came to its goal, or as near as others of the same goal leave room, who
   * arrived before. Once for each, until it was pushed away, its goal moved, or a nearer place came free.
   * Without garbage.
   * @returns {Uint32Array} slots, ascending, valid until the next step
   */
  arrived() {
    const total = this._leave('arrived', this._enter('arrived').crowd_arrived(this._handle))
    return /** @type {Uint32Array} */ (this._view(ARRIVED, total))
  }

  /**
   * Who got stuck in the last step: has come no nearer to its goal for 2 seconds. Once for each, until it
   * does. Without garbage.
   * @returns {Uint32Array} slots, ascending, valid until the next step
   */
  stuck() {
    const total = this._leave('stuck', this._enter('stuck').crowd_stuck(this._handle))
    return /** @type {Uint32Array} */ (this._view(STUCK, total))
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
    this.#finish('look', wasm.crowd_look(this._handle, walls, this.#timeStep, slot))
    const counts = this._view(LOOK_COUNTS, 4)
    const look = this.#look
    look.neighbors = this._view(LOOK_NEIGHBORS, counts[0])
    look.walls = this._view(LOOK_WALLS, counts[1])
    look.constraints = this._view(LOOK_CONSTRAINTS, counts[2] * 2 * this.#dimensions)
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

  /** @param {string} method */
  #figures(method) {
    this._alive(method)
    return this._statistics(FIGURES)
  }

  /** Figures of the crowd, and of its last step: always the same object. */
  stats() {
    const numbers = this.#figures('stats')
    const stats = this.#stats
    stats.agents = numbers[0]
    stats.infeasible = numbers[1]
    stats.overlaps = numbers[2]
    stats.neighbors = numbers[3]
    stats.steps = numbers[4]
    stats.bytes = numbers[5]
    stats.time = numbers[6]
    return stats
  }

  /**
   * Returns a hash of everything that decides the future, steps and options included, but not the
   * obstacles and `timeStep`: equal states have equal hashes, everywhere. For finding out at once that two
   * machines disagree.
   * @returns {number} 32 bits, not negative
   */
  hash() {
    const hash = this._enter('hash').crowd_hash(this._handle) >>> 0
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
