// A player's client, for browsers and Node: it joins the game, follows its player from zone to zone, and comes back by
// itself after a crash. Between updates, positions are interpolated.

import { packGoal, readUpdate } from './messages.js'
import { TICKS } from './world.js'

const RETRY = 250 // milliseconds
const MAX_REFUSED = 20 // times that zones do not know the player; then it starts as another
const JOIN_WITHIN = 2500 // milliseconds; a process that crashed does not answer
const ELSEWHERE = 4404

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Rejects if a promise takes too long. @template T @param {Promise<T>} promise @returns {Promise<T>} */
const within = (promise, ms) =>
  Promise.race([promise, sleep(ms).then(() => Promise.reject(new Error('timed out')))])

export class Session {
  id = 0
  token = ''
  zone = 0
  zones = 1
  west = 0
  tick = 0
  /** Its own position. */
  x = 0
  y = 0
  from = { x: 0, y: 0 } // before the last update
  /** What it sees, by slot of the zone. @type {Map<number, { id: number, groups: number, x: number, y: number }>} */
  view = new Map()
  /** What it saw before the last update, by id. @type {Map<number, { x: number, y: number }>} */
  before = new Map()
  /** When the last update arrived. */
  updated = 0
  received = { bytes: 0, updates: 0 }
  /** Milliseconds without updates, of each change of the zone and of each crash. @type {number[]} */
  gaps = []
  rejoined = 0
  started = 0 // times that it started as another player
  isOver = false
  /** Called after each update. */
  onUpdate = () => {}
  #room = /** @type {any} */ (null)
  #turn = 0
  #isJoining = false

  /**
   * @param {any} Client of Colyseus
   * @param {string[]} endpoints of all processes: host:port
   * @param {number} zone to start in
   */
  constructor(Client, endpoints, zone) {
    this.Client = Client
    this.endpoints = endpoints
    this.zone = zone
    this.#join(zone)
  }

  /** Joins a zone, and leaves the one before. Tries until it succeeds. @param {number} zone */
  async #join(zone) {
    if (this.#isJoining) return
    this.#isJoining = true
    let refused = 0
    while (!this.isOver) {
      if (refused >= MAX_REFUSED + this.zones) {
        this.id = 0
        this.started++
        refused = 0
      }
      try {
        this.#enter(await this.#find(zone))
        break
      } catch (error) {
        // After a crash of a zone, the player may be in another.
        if (/** @type {any} */ (error).code === ELSEWHERE) {
          zone = (zone + 1) % this.zones
          refused++
        }
        await sleep(RETRY)
      }
    }
    this.#isJoining = false
  }

  /** Joins the room of a zone through any process. @param {number} zone */
  async #find(zone) {
    const endpoint = this.endpoints[this.#turn++ % this.endpoints.length]
    const signal = AbortSignal.timeout(JOIN_WITHIN)
    const response = await fetch(`http://${endpoint}/zones`, { signal })
    const places = await response.json()
    if (places.length) this.zones = places.length
    const place = places[zone]
    if (!place?.isLive || !place.room) throw new Error('the zone is down')
    const options = this.id ? { id: this.id, token: this.token } : {}
    const client = new this.Client(`ws://${endpoint}`)
    const joining = client.joinById(place.room, options)
    return within(joining, JOIN_WITHIN).catch((error) => {
      joining.then((/** @type {any} */ room) => room.leave()).catch(() => {}) // too late
      throw error
    })
  }

  #enter(room) {
    const old = this.#room
    this.#room = room
    room.reconnection.enabled = false // the room may be elsewhere
    room.onMessage('welcome', (place) => {
      if (this.#room !== room) return
      Object.assign(this, place)
      this.before = new Map([...this.view.values()].map((agent) => [agent.id, agent]))
      this.view.clear()
    })
    room.onMessage('u', (bytes) => {
      if (this.#room === room) this.#update(bytes)
    })
    room.onMessage('moved', ({ zone }) => this.#join(zone))
    room.onError(() => {})
    room.onLeave(() => {
      if (this.#room !== room || this.isOver) return
      this.rejoined++
      this.#join(this.zone)
    })
    if (old) old.leave().catch(() => {})
    if (this.isOver) room.leave().catch(() => {})
  }

  #update(bytes) {
    const now = performance.now()
    if (this.updated && now - this.updated > 3000 / TICKS) this.gaps.push(now - this.updated)
    this.updated = now
    for (const { id, x, y } of this.view.values()) this.before.set(id, { x, y })
    const from = { x: this.x, y: this.y }
    Object.assign(this, readUpdate(bytes, this.view, this.west))
    this.from = this.received.updates ? from : { x: this.x, y: this.y }
    this.received.bytes += bytes.length
    this.received.updates++
    this.onUpdate()
    if (this.before.size > 4 * this.view.size + 64) this.before.clear()
  }

  /** Sends the player somewhere. @param {number} x @param {number} y */
  goTo(x, y) {
    if (this.#room?.connection.isOpen) this.#room.sendBytes(0, packGoal(x, y))
  }

  /**
   * Calls back with everything in view as it is now, a tick behind the server.
   * @param {(agent: { id: number, groups: number }, x: number, y: number) => void} draw
   */
  interpolate(draw) {
    const part = Math.min(((performance.now() - this.updated) * TICKS) / 1000, 1)
    for (const agent of this.view.values()) {
      const from = this.before.get(agent.id) ?? agent
      draw(agent, from.x + part * (agent.x - from.x), from.y + part * (agent.y - from.y))
    }
  }

  /** Where the player is now, between the last two updates. */
  get place() {
    const part = Math.min(((performance.now() - this.updated) * TICKS) / 1000, 1)
    const { x, y } = this.from
    return { x: x + part * (this.x - x), y: y + part * (this.y - y) }
  }

  leave() {
    this.isOver = true
    this.#room?.leave().catch(() => {})
  }
}
