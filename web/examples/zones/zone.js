// A zone: its agents, ghosts of the agents beyond its borders, hand-overs, and what its players see. It knows no network
// and no database: `send` reaches a neighbor, `store` keeps what must survive (see memorystore.js).
//
// What must hold, whatever stops when:
//
// 1. Every agent has an epoch, which each hand-over raises by one. The zone with the highest epoch owns the agent.
// 2. A hand-over is decided, then its record (id, new zone, epoch, state) is stored, and only then does the old zone let
//    go. From there until the new zone takes over, the record owns the agent. While the store is away, no hand-over
//    starts, and one that the store has not confirmed waits: the old zone still owns the agent.
// 3. The old zone sends the state until the new zone has taken it over and saved it. The new zone takes each epoch once.
// 4. Each second, a zone saves a snapshot. A restored zone compares it with the records of its borders: it drops what
//    has gone under a higher epoch, and sends it on. What has come since, its old zone sends again.
// 5. The new zone removes a record when no snapshot needs it: its own has the agent, and the old zone's has neither
//    the agent nor its hand-over. `settled` says up to which tick that is so.
// 6. The store refuses all writes of a zone whose fence is not the latest: a process that only seemed dead cannot harm
//    the zone that took its place.

import { AgentTree, Crowd, Sensors } from 'copse'
import { createGround } from './ground.js'
import { packBorder, packRecord, quantize, unpackBorder, Writer } from './messages.js'
import { packSnapshot, reconcile, unpackSnapshot } from './snapshot.js'
import * as world from './world.js'

const { EAST, GHOST, HYSTERESIS, MARGIN, PLAYER, RADIUS, SIDE, TICKS, WALKER, WEST } = world

const SAVE_EVERY = TICKS // ticks
const GRACE = 20 * TICKS // ticks that a player without a client stays
const GHOSTS_LAST = TICKS / 2 // ticks without a message of their zone
const MAX_WAITING = 100 // messages of a neighbor that is ahead
const MAX_CAPACITY = 65_536 // slots are sent as 16 bits
const IDS_PER_ZONE = 1_000_000 // of walkers

/** @typedef {import('./messages.js').State} State */
/** @typedef {{ id: number, slot: number, token: Uint8Array, goalX: number, goalY: number, sensor: number, seen: number }} Player */

export class Zone {
  /** The slots of the agents that it owns, by id. @type {Map<number, number>} */
  own = new Map()
  /** @type {Map<number, Player>} */
  players = new Map()
  /** Agents of neighbors, by id: the slot, the neighbor, and the tick of the last message. */
  ghosts = /** @type {Map<number, { slot: number, zone: number, tick: number }>} */ (new Map())
  /** Hand-overs that are being stored, by id. */
  #leaving = /** @type {Map<number, { to: number, state: State }>} */ (new Map())
  #stored = /** @type {number[]} */ ([]) // ids that are leaving and stored
  /**
   * What it let go of and the neighbor has not saved, by neighbor and id; and the fence of the neighbor that took it over.
   * @type {Map<number, Map<number, { state: State, taker: number }>>}
   */
  #outbox = new Map()
  /** What it took over and whose record is stored, by `border:id`. */
  #adopted =
    /** @type {Map<string, { border: number, id: number, epoch: number, tick: number, at: number }>} */ (
      new Map()
    )
  /** @type {Map<number, { fence: number, settled: number, heard: number, waiting: import('./messages.js').BorderMessage[] }>} */
  #neighbors = new Map()
  #settled = 0
  #isSaving = false
  #out = new Writer()
  tick = 0
  /** Tick of the last stored snapshot; 0: none yet. */
  saved = 0
  isClosed = false
  /** Called with the id of a player that another zone has taken over. @type {(id: number, zone: number) => void} */
  onMoved = () => {}
  /** Called with an error that ends the zone. @type {(error: Error) => void} */
  onFailed = () => {}
  /** Milliseconds from the decision of each hand-over until this zone took the agent over. @type {number[]} */
  handOverTimes = []
  figures = { handedOver: 0, adopted: 0, sentBytes: 0, sentAllBytes: 0, updates: 0, borderBytes: 0 }

  /**
   * @param {object} options
   * @param {number} options.zone its index, from the west
   * @param {number} options.zones the number of zones
   * @param {number} options.walkers of a new zone
   * @param {number} options.fence from `store.claim`
   * @param {import('./memorystore.js').Store} options.store
   * @param {(zone: number, bytes: Uint8Array) => void} options.send sends to a neighbor; may fail silently
   * @param {() => number} [options.random]
   */
  constructor({ zone, zones, walkers, fence, store, send, random = Math.random }) {
    this.zone = zone
    this.zones = zones
    this.walkers = walkers
    this.fence = fence
    this.store = store
    this.send = send
    this.random = random
    this.reach = world.reachOf(zone, zones)
    const ground = createGround(zone, zones)
    this.crowd = new Crowd({
      ...{ capacity: 2 * walkers + 256, radius: RADIUS },
      ...{ maxSpeed: world.MAX_SPEED, neighborDistance: world.NEIGHBOR_DISTANCE },
      ...{ timeHorizon: 1.5, obstacleTimeHorizon: 0.5 },
    })
    this.crowd.obstacles = ground.walls
    this.crowd.follow(ground.east, { mask: EAST })
    this.crowd.follow(ground.west, { mask: WEST })
    this.ground = ground
    this.index = new AgentTree({ capacity: this.crowd.capacity })
    this.sensors = new Sensors({ index: this.index, capacity: 128 })
    this.#resize()
    for (const neighbor of world.neighborsOf(zone, zones)) {
      this.#outbox.set(neighbor, new Map())
      this.#neighbors.set(neighbor, { fence: 0, settled: 0, heard: 0, waiting: [] })
    }
  }

  #resize() {
    const { capacity } = this.crowd
    const grow = (/** @type {any} */ Type, old = new Type(0)) => {
      const array = new Type(capacity)
      array.set(old)
      return array
    }
    this.ids = grow(Uint32Array, this.ids)
    this.epochs = grow(Uint32Array, this.epochs)
    this.sentX = grow(Uint16Array, this.sentX)
    this.sentY = grow(Uint16Array, this.sentY)
  }

  // ---- Agents ----

  #freeSlot() {
    const { crowd } = this
    if (crowd.count === crowd.capacity) {
      if (crowd.capacity >= MAX_CAPACITY) throw new RangeError('the zone is full')
      crowd.reserve(Math.min(2 * crowd.capacity, MAX_CAPACITY))
      this.#resize()
    }
    return crowd.add({ position: [0, 0] })
  }

  /** Returns the state of an agent. @param {number} slot @returns {State} */
  #stateOf(slot) {
    const { crowd, ids, epochs, players } = this
    const player = players.get(ids[slot])
    return {
      ...{ id: ids[slot], epoch: epochs[slot], tick: this.tick, groups: crowd.groups[slot] },
      ...{ x: crowd.positions[2 * slot], y: crowd.positions[2 * slot + 1] },
      ...{ vx: crowd.velocities[2 * slot], vy: crowd.velocities[2 * slot + 1] },
      ...{ goalX: player?.goalX ?? NaN, goalY: player?.goalY ?? NaN },
      ...{ speed: crowd.preferredSpeeds[slot], maxSpeed: crowd.maxSpeeds[slot] },
      ...{ radius: crowd.radii[slot], priority: crowd.priorities[slot] },
      ...{ token: player?.token ?? null, since: 0 },
    }
  }

  /** Makes an agent its own: one that is new, was a ghost, or comes again with a higher epoch. @param {State} state */
  #adopt(state) {
    const { crowd, ghosts, own, players } = this
    const slot = own.get(state.id) ?? ghosts.get(state.id)?.slot ?? this.#freeSlot()
    ghosts.delete(state.id)
    own.set(state.id, slot)
    this.ids[slot] = state.id
    this.epochs[slot] = state.epoch
    crowd.positions.set([state.x, state.y], 2 * slot)
    crowd.velocities.set([state.vx, state.vy], 2 * slot)
    crowd.preferredVelocities.fill(0, 2 * slot, 2 * slot + 2)
    crowd.goals.fill(NaN, 2 * slot, 2 * slot + 2)
    crowd.groups[slot] = state.groups
    crowd.preferredSpeeds[slot] = state.speed
    crowd.maxSpeeds[slot] = state.maxSpeed
    crowd.radii[slot] = state.radius
    crowd.priorities[slot] = state.priority
    if (!state.token) return
    const { id, token, goalX, goalY } = state
    players.set(id, { id, slot, token, goalX, goalY, sensor: -1, seen: this.tick })
    this.#aim(slot, goalX, goalY)
  }

  /** Sends a player to its goal, or to the nearest place that the zone knows. */
  #aim(slot, x, y) {
    const { minX, maxX } = this.reach
    this.crowd.goals.set([Math.min(Math.max(x, minX + 1), maxX - 1), y], 2 * slot)
  }

  /** Turns an agent of its own into a ghost: the neighbor owns it now. @param {number} id @param {number} zone */
  #letGo(id, zone) {
    const { crowd, own, ghosts } = this
    const slot = /** @type {number} */ (own.get(id))
    this.detach(id)
    this.players.delete(id)
    own.delete(id)
    crowd.goals.fill(NaN, 2 * slot, 2 * slot + 2)
    crowd.groups[slot] = (crowd.groups[slot] & ~(EAST | WEST)) | GHOST
    ghosts.set(id, { slot, zone, tick: this.tick })
    this.#coast(slot)
  }

  /** Makes a ghost keep its velocity until its zone says otherwise. @param {number} slot */
  #coast(slot) {
    const { preferredVelocities, velocities } = this.crowd
    preferredVelocities.set(velocities.subarray(2 * slot, 2 * slot + 2), 2 * slot)
  }

  /** Removes an agent of its own. @param {number} id */
  #remove(id) {
    this.detach(id)
    this.players.delete(id)
    this.crowd.remove(/** @type {number} */ (this.own.get(id)))
    this.own.delete(id)
  }

  // ---- Start and end ----

  /** Fills a new zone, or restores it. Call it once, before the first `advance`. @param {number} tick the present one */
  async open(tick) {
    const { snapshot, records } = await this.store.load(this.zone, this.zones)
    this.tick = tick
    if (!snapshot) return this.#populate()
    const saved = unpackSnapshot(snapshot)
    this.#settled = saved.settled
    this.#restore(saved)
    const plan = reconcile(saved, records, this.zone)
    for (const id of plan.dropped) this.#remove(id)
    for (const { zone, state } of [...saved.outbox, ...plan.sent])
      this.#outbox.get(zone)?.set(state.id, { state, taker: 0 })
    for (const one of saved.adopted) this.#adopted.set(`${one.border}:${one.id}`, one)
    for (const one of plan.passed)
      this.#adopted.set(`${one.border}:${one.id}`, { ...one, at: tick })
  }

  #populate() {
    const { zone } = this
    let seed = zone + 1
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    for (let n = 0; n < this.walkers;) {
      const [x, y] = [world.westOf(zone) + SIDE * random(), SIDE * random()]
      const isFree = this.ground.walls.nearest(x, y, { maxDistance: 2 }) < 0
      if (!isFree || this.ground.walls.contains(x, y)) continue
      const groups = WALKER | (n % 2 ? EAST : WEST)
      this.#adopt({
        ...{ id: zone * IDS_PER_ZONE + n, epoch: 0, tick: 0, since: 0, groups, x, y, vx: 0, vy: 0 },
        ...{ goalX: NaN, goalY: NaN, speed: 3 + 2 * random(), maxSpeed: world.MAX_SPEED },
        ...{ radius: RADIUS, priority: 0, token: null },
      })
      n++
    }
  }

  /** @param {import('./snapshot.js').Snapshot} saved */
  #restore(saved) {
    const { crowd } = this
    if (crowd.capacity < saved.capacity) crowd.reserve(saved.capacity)
    crowd.restore(saved.crowd)
    this.#resize()
    for (const [slot, id, epoch] of saved.agents) {
      this.own.set(id, slot)
      this.ids[slot] = id
      this.epochs[slot] = epoch
    }
    const owned = new Set(this.own.values())
    for (let slot = 0; slot < crowd.slots; slot++)
      if (crowd.has(slot) && !owned.has(slot)) crowd.remove(slot) // ghosts
    for (const { id, token, goalX, goalY } of saved.players) {
      const slot = /** @type {number} */ (this.own.get(id))
      this.players.set(id, { id, slot, token, goalX, goalY, sensor: -1, seen: this.tick })
    }
  }

  close() {
    if (this.isClosed) return
    this.isClosed = true
    this.sensors.dispose()
    this.index.dispose()
    this.crowd.dispose()
    this.ground.east.dispose()
    this.ground.west.dispose()
    this.ground.walls.dispose()
  }

  /** @param {Error} error */
  #fail(error) {
    if (!this.isClosed) this.onFailed(error)
  }

  // ---- A tick ----

  /** Runs one tick. @param {number} tick its number, by the clock that all zones share; larger than before */
  advance(tick) {
    this.tick = tick
    this.#receive()
    this.#release()
    this.#expire()
    this.crowd.step(1 / TICKS)
    this.#turnBack()
    this.#handOver()
    this.#report()
    if (tick % SAVE_EVERY === 0 || this.saved === 0) this.save()
  }

  /** Takes a message from a neighbor. @param {Uint8Array} bytes */
  receive(bytes) {
    const message = unpackBorder(bytes)
    const neighbor = this.#neighbors.get(message.from)
    if (!neighbor || message.to !== this.zone || message.fence < neighbor.fence) return
    if (message.fence > neighbor.fence) neighbor.waiting.length = 0
    neighbor.fence = message.fence
    neighbor.waiting.push(message)
    if (neighbor.waiting.length > MAX_WAITING) neighbor.waiting.shift()
  }

  // Each message repeats all that matters, so the latest that is not from the future is enough. If a zone let go of an
  // agent in a tick, no other has it in an earlier one.
  #receive() {
    for (const [from, neighbor] of this.#neighbors) {
      let message
      while (neighbor.waiting.length && neighbor.waiting[0].tick <= this.tick)
        message = neighbor.waiting.shift()
      if (!message) continue
      neighbor.settled = message.settled
      neighbor.heard = message.tick
      for (const state of message.moves) this.#take(from, state)
      const outbox = /** @type {Map<number, { state: State, taker: number }>} */ (
        this.#outbox.get(from)
      )
      for (const { id, epoch, isSaved } of message.acks) {
        const sent = outbox.get(id)
        if (sent?.state.epoch !== epoch) continue
        if (sent.taker !== message.fence && sent.state.token) this.onMoved(id, from)
        sent.taker = message.fence
        if (isSaved) outbox.delete(id)
      }
      for (const ghost of message.ghosts) this.#place(from, ghost)
      // What it let go of stays in view until the neighbor has it.
      const isOnWay = (/** @type {number} */ id) =>
        (outbox.get(id)?.taker ?? message.fence) !== message.fence
      this.#dropGhosts((ghost, id) => ghost.zone === from && ghost.tick < this.tick && !isOnWay(id))
    }
  }

  /** Takes over an agent, once per epoch. @param {number} from @param {State} state */
  #take(from, state) {
    const { id, epoch, tick } = state
    const border = world.borderOf(from, this.zone)
    const key = `${border}:${id}`
    if ((this.#adopted.get(key)?.epoch ?? -1) >= epoch) return
    // It may have been here and be on its way back: the answer is that hand-over.
    if (this.#leaving.get(id)?.to === from || this.#outbox.get(from)?.has(id)) {
      const back = this.#leaving.get(id)?.state ?? this.#outbox.get(from)?.get(id)?.state
      if (back && back.epoch > epoch) return
    }
    this.#adopted.set(key, { border, id, epoch, tick, at: this.tick })
    const slot = this.own.get(id)
    if (slot !== undefined && this.epochs[slot] >= epoch) return
    for (const outbox of this.#outbox.values())
      if ((outbox.get(id)?.state.epoch ?? epoch) > epoch) return // it went on to another zone
    for (const outbox of this.#outbox.values()) outbox.delete(id)
    this.#adopt(state)
    this.figures.adopted++
    this.handOverTimes.push((Date.now() - state.since) >>> 0)
  }

  /** @param {number} zone @param {import('./messages.js').Ghost} ghost */
  #place(zone, { id, groups, x, y, vx, vy, radius, priority }) {
    if (this.own.has(id)) return // on its way: the message is older than the hand-over
    const { crowd, ghosts, tick } = this
    const slot = ghosts.get(id)?.slot ?? this.#freeSlot()
    ghosts.set(id, { slot, zone, tick })
    this.ids[slot] = id
    crowd.positions.set([x, y], 2 * slot)
    crowd.velocities.set([vx, vy], 2 * slot)
    crowd.goals.fill(NaN, 2 * slot, 2 * slot + 2)
    crowd.groups[slot] = (groups & ~(EAST | WEST)) | GHOST
    crowd.radii[slot] = radius
    crowd.priorities[slot] = priority
    this.#coast(slot)
  }

  /** @param {(ghost: { slot: number, zone: number, tick: number }, id: number) => boolean} isGone */
  #dropGhosts(isGone) {
    for (const [id, ghost] of this.ghosts) {
      if (!isGone(ghost, id)) continue
      this.crowd.remove(ghost.slot)
      this.ghosts.delete(id)
    }
  }

  /** Removes ghosts whose zone is silent, and players without a client. */
  #expire() {
    this.#dropGhosts(({ tick }) => tick < this.tick - GHOSTS_LAST)
    for (const { id, sensor, seen } of this.players.values())
      if (sensor < 0 && seen < this.tick - GRACE && !this.#leaving.has(id)) this.#remove(id)
  }

  /** Lets go of the agents whose hand-over is stored. */
  #release() {
    for (const id of this.#stored.splice(0)) {
      const { to, state: recorded } = /** @type {{ to: number, state: State }} */ (
        this.#leaving.get(id)
      )
      // The agent has moved on since its record was stored, which serves after a crash.
      const { epoch, tick, since } = recorded
      const slot = /** @type {number} */ (this.own.get(id))
      const state = { ...this.#stateOf(slot), epoch, tick, since }
      this.#leaving.delete(id)
      this.#letGo(id, to)
      this.#outbox.get(to)?.set(id, { state, taker: 0 })
      this.figures.handedOver++
    }
  }

  /** Walkers that reached an end of the world walk back. */
  #turnBack() {
    const { crowd, ids, own, zones } = this
    for (const slot of crowd.arrived()) {
      if (own.get(ids[slot]) !== slot || !(crowd.groups[slot] & WALKER)) continue
      const x = crowd.positions[2 * slot]
      const isInEast = x > zones * SIDE - MARGIN / 2
      if (isInEast || x < MARGIN / 2) crowd.groups[slot] = WALKER | (isInEast ? WEST : EAST)
    }
  }

  /** Stores the hand-overs of all agents that are beyond a border: one batch at a time. */
  #handOver() {
    if (!this.store.isReady || this.#leaving.size || !this.saved) return
    const { positions } = this.crowd
    const west = world.westOf(this.zone) - HYSTERESIS
    const east = world.westOf(this.zone + 1) + HYSTERESIS
    const batch = []
    for (const [id, slot] of this.own) {
      const x = positions[2 * slot]
      const to = x < west ? this.zone - 1 : x > east ? this.zone + 1 : -1
      if (to < 0 || to >= this.zones) continue
      const state = this.#stateOf(slot)
      state.epoch++
      state.since = Date.now() >>> 0
      const border = world.borderOf(this.zone, to)
      this.#leaving.set(id, { to, state })
      this.#adopted.delete(`${border}:${id}`) // the record is about to be replaced
      batch.push({ border, id, record: packRecord(to, state) })
    }
    if (!batch.length) return
    this.store.handOver(this.zone, this.fence, batch).then(
      () => this.#stored.push(...batch.map(({ id }) => id)),
      (error) => this.#fail(error),
    )
  }

  /** Sends each neighbor what it must take over and what it sees. */
  #report() {
    const { crowd, fence, tick, zone } = this
    const { positions, velocities, groups, radii, priorities } = crowd
    for (const [to, neighbor] of this.#neighbors) {
      const ghosts = []
      const border = world.westOf(Math.max(zone, to))
      for (const [id, slot] of this.own) {
        const x = positions[2 * slot]
        const depth = to > zone ? border - x : x - border
        if (depth > MARGIN) continue
        ghosts.push({
          ...{ id, groups: groups[slot], x, y: positions[2 * slot + 1] },
          ...{ vx: velocities[2 * slot], vy: velocities[2 * slot + 1] },
          ...{ radius: radii[slot], priority: priorities[slot] },
        })
      }
      const outbox = /** @type {Map<number, { state: State, taker: number }>} */ (
        this.#outbox.get(to)
      )
      const moves = [...outbox.values()]
        .filter(({ taker }) => taker === 0 || taker !== neighbor.fence)
        .map(({ state }) => state)
      const acks = [...this.#adopted.values()]
        .filter((one) => one.border === world.borderOf(zone, to))
        .map(({ id, epoch, at }) => ({ id, epoch, isSaved: at <= this.saved }))
      const message = { from: zone, to, fence, tick, settled: this.#settled, acks, moves, ghosts }
      const bytes = packBorder(message)
      this.figures.borderBytes += bytes.length
      this.send(to, bytes)
    }
  }

  // ---- Saving ----

  /** Stores a snapshot, unless one is being stored. */
  save() {
    if (this.#isSaving || !this.store.isReady) return
    this.#isSaving = true
    const { tick } = this
    const outbox = [...this.#outbox].flatMap(([zone, sent]) =>
      [...sent.values()].map(({ state }) => ({ zone, state })),
    )
    const settled = [...outbox, ...this.#leaving.values()].reduce(
      (least, { state }) => Math.min(least, state.tick - 1),
      tick,
    )
    const bytes = packSnapshot({
      ...{ tick, settled, crowd: this.crowd },
      agents: [...this.own].map(([id, slot]) => [slot, id, this.epochs[slot]]),
      players: [...this.players.values()],
      outbox,
      adopted: [...this.#adopted.values()],
    })
    this.store
      .save(this.zone, this.fence, bytes)
      .then(() => {
        this.saved = tick
        this.#settled = settled
        return this.#prune()
      })
      .catch((error) => this.#fail(error))
      .finally(() => (this.#isSaving = false))
  }

  /** Removes the records that no snapshot needs any more. */
  async #prune() {
    const unneeded = []
    for (const [key, one] of this.#adopted) {
      const from = one.border === this.zone ? this.zone + 1 : this.zone - 1
      const { settled } = /** @type {{ settled: number }} */ (this.#neighbors.get(from))
      if (one.at > this.saved || one.tick > settled) continue
      unneeded.push(one)
      this.#adopted.delete(key)
    }
    if (unneeded.length) await this.store.forget(this.zone, this.fence, unneeded)
  }

  // ---- Players ----

  /** Adds a player at a free place. @param {number} id @param {Uint8Array} token @returns {Player} */
  addPlayer(id, token) {
    const { walls } = this.ground
    let x
    let y
    do {
      x = world.westOf(this.zone) + 2 + (SIDE - 4) * this.random()
      y = 2 + (SIDE - 4) * this.random()
    } while (walls.contains(x, y) || walls.nearest(x, y, { maxDistance: 1 }) >= 0)
    this.#adopt({
      ...{ id, epoch: 0, tick: this.tick, groups: PLAYER, x, y, vx: 0, vy: 0, goalX: x, goalY: y },
      ...{ speed: 5, maxSpeed: world.MAX_SPEED, radius: RADIUS, priority: 1, token, since: 0 },
    })
    return /** @type {Player} */ (this.players.get(id))
  }

  /** Starts updates for a player, from nothing. @param {number} id */
  attach(id) {
    const player = /** @type {Player} */ (this.players.get(id))
    this.detach(id)
    const { sensors } = this
    if (sensors.count === sensors.capacity) sensors.reserve(2 * sensors.capacity)
    const [radius, exitRadius] = [world.INTEREST, world.INTEREST_LEAVE]
    player.sensor = sensors.add({ agent: player.slot, radius, exitRadius, mask: WALKER | PLAYER })
  }

  /** Ends updates for a player: it stays for a while, so that its client can come back. @param {number} id */
  detach(id) {
    const player = this.players.get(id)
    if (!player || player.sensor < 0) return
    this.sensors.remove(player.sensor)
    player.sensor = -1
    player.seen = this.tick
  }

  /** Sends a player somewhere. Returns false if that is outside of the world. */
  goTo(/** @type {number} */ id, /** @type {number} */ x, /** @type {number} */ y) {
    const player = this.players.get(id)
    if (!(x >= 0 && x <= this.zones * SIDE && y >= 0 && y <= SIDE)) return false
    if (!player) return true
    player.goalX = x
    player.goalY = y
    this.#aim(player.slot, x, y)
    return true
  }

  /**
   * Sends each attached player what changed in its area of interest since the last call.
   * @param {(id: number, bytes: Uint8Array) => void} send
   */
  sense(send) {
    this.index.build(this.crowd)
    const { left, entered, inside } = this.sensors.update()
    const { positions, slots, groups } = this.crowd
    const { ids, sentX, sentY } = this
    const hasMoved = new Uint8Array(slots)
    for (let slot = 0; slot < slots; slot++) {
      const x = quantize(positions[2 * slot] - this.reach.minX)
      const y = quantize(positions[2 * slot + 1])
      if (x !== sentX[slot] || y !== sentY[slot]) hasMoved[slot] = 1
      sentX[slot] = x
      sentY[slot] = y
    }
    const out = this.#out
    for (const { id, slot: self, sensor } of this.players.values()) {
      if (sensor < 0) continue
      out.clear()
      out.u32(this.tick)
      out.u16(sentX[self])
      out.u16(sentY[self])
      out.u16(left.counts[sensor])
      out.u16(entered.counts[sensor])
      out.u16(0)
      for (let n = 0; n < left.counts[sensor]; n++) out.u16(left.ids[left.offsets[sensor] + n])
      const isNew = new Set()
      for (let n = 0; n < entered.counts[sensor]; n++) {
        const slot = entered.ids[entered.offsets[sensor] + n]
        isNew.add(slot)
        out.u16(slot)
        out.u32(ids[slot])
        out.u8(groups[slot])
        out.u16(sentX[slot])
        out.u16(sentY[slot])
      }
      let moved = 0
      for (let n = 0; n < inside.counts[sensor]; n++) {
        const slot = inside.ids[inside.offsets[sensor] + n]
        if (!hasMoved[slot] || isNew.has(slot)) continue
        moved++
        out.u16(slot)
        out.u16(sentX[slot])
        out.u16(sentY[slot])
      }
      out.patch16(12, moved)
      this.figures.sentBytes += out.size
      this.figures.sentAllBytes += 6 * this.own.size
      this.figures.updates++
      send(id, out.take())
    }
  }

  // ---- For tests and for the page ----

  /** Returns which agents the zone owns in this tick, and what is on its way. */
  census() {
    const { crowd, own, zone, fence, tick } = this
    const slots = [...own.values()]
    return {
      ...{ zone, fence, tick, saved: this.saved },
      ids: Uint32Array.from(own.keys()),
      epochs: Uint32Array.from(slots, (slot) => this.epochs[slot]),
      positions: Float32Array.from(
        slots.flatMap((s) => [...crowd.positions.subarray(2 * s, 2 * s + 2)]),
      ),
      groups: Uint8Array.from(slots, (slot) => crowd.groups[slot]),
      players: [...this.players.values()].filter(({ sensor }) => sensor >= 0).map(({ id }) => id),
      sent: [...this.#outbox].flatMap(([to, box]) =>
        [...box.values()].map(({ state: { id, epoch, tick } }) => ({ id, epoch, tick, zone: to })),
      ),
      /** How many ticks ago the neighbor whose last message is oldest sent it. */
      lag: tick - Math.min(tick, ...[...this.#neighbors.values()].map(({ heard }) => heard)),
    }
  }
}
