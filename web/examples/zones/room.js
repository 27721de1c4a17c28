// A zone as a room of Colyseus: players join and leave, get binary updates, and say where they go. What a client sends
// is not trusted: anything else than what is expected ends its connection.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Protocol, Room, ServerError } from '@colyseus/core'
import { readGoal } from './messages.js'
import { catchUp, tickNow } from './ticks.js'
import { FIRST_PLAYER, TICKS } from './world.js'

const MAX_PLAYERS = 100 // that join; those that come over a border are always let in
const MAX_MESSAGES = 20 // per second and client
const MAX_UNSENT_BYTES = 2 ** 18 // for a client that does not read
/** Codes of errors and of closed connections. */
export const CODES = {
  ...{ garbage: 4400, denied: 4403, elsewhere: 4404, replaced: 4409, gone: 4410, full: 4429 },
}

/** Returns whether a frame is one of the few that clients may send. @param {Uint8Array} bytes */
function isExpected(bytes) {
  const [code, type] = bytes
  if (code === Protocol.ROOM_DATA_BYTES) return type === 0 && bytes.length === 10 // type 0: a goal
  return code === Protocol.JOIN_ROOM || code === Protocol.LEAVE_ROOM || code === Protocol.PING
}

/** Returns the bytes of a token, or null. @param {unknown} text */
const tokenOf = (text) =>
  typeof text === 'string' && /^[0-9a-f]{32}$/.test(text) ? Buffer.from(text, 'hex') : null

/**
 * Returns a class of rooms.
 * @param {object} host what the rooms of this process need
 * @param {Map<number, import('./zone.js').Zone>} host.claimed zones that this process owns and that have no room yet
 * @param {import('./redisstore.js').RedisStore} host.store
 * @param {(room: any) => Promise<void>} host.onOpen
 * @param {(room: any) => void} host.onClose
 * @param {(room: any) => void} host.onTick
 */
export const createRoomClass = ({ claimed, store, onOpen, onClose, onTick }) =>
  class ZoneRoom extends Room {
    autoDispose = false
    maxClients = 1000
    maxMessagesPerSecond = MAX_MESSAGES
    patchRate = /** @type {any} */ (null)
    /** The connection of each player. @type {Map<number, any>} */
    connections = new Map()
    /** Milliseconds of each tick since the last report. @type {number[]} */
    times = []
    #timer

    async onCreate({ zone: index }) {
      const zone = claimed.get(index)
      if (!zone) throw new ServerError(CODES.denied, 'clients create no zones')
      claimed.delete(index)
      this.zone = zone
      zone.onMoved = (id, to) => this.connections.get(id)?.send('moved', { zone: to })
      zone.onFailed = (error) => this.#fail(error)
      await zone.open(tickNow())
      await onOpen(this)
      this.#run()
    }

    #run() {
      const { zone } = this
      if (zone.isClosed) return
      const start = performance.now()
      const ran = catchUp(this, tickNow(), () => this.#update())
      if (ran) this.times.push((performance.now() - start) / ran)
      const next = 1000 / TICKS - (Date.now() % (1000 / TICKS))
      this.#timer = setTimeout(() => this.#run(), Math.max(next, 1))
    }

    get tick() {
      return this.zone.tick
    }

    /** Runs one tick. @param {number} tick */
    advance(tick) {
      this.zone.advance(tick)
      onTick(this)
    }

    #update() {
      this.zone.sense((id, bytes) => {
        const client = this.connections.get(id)
        if (client?.ref.bufferedAmount > MAX_UNSENT_BYTES) client.ref.terminate()
        else client?.sendBytes('u', bytes)
      })
    }

    /** @param {Error} error */
    #fail(error) {
      console.error(`zone ${this.zone.zone}: ${error.message}`)
      this.disconnect()
    }

    async onJoin(client, options) {
      const { zone } = this
      let player
      if (options?.id === undefined) {
        if (zone.players.size >= MAX_PLAYERS) throw new ServerError(CODES.full, 'the zone is full')
        const id = FIRST_PLAYER + (await store.nextPlayer())
        if (client.ref.readyState !== client.ref.OPEN) throw new ServerError(CODES.gone, 'it left')
        player = zone.addPlayer(id, randomBytes(16))
      } else {
        player = zone.players.get(options.id)
        const token = tokenOf(options.token)
        if (!token) throw new ServerError(CODES.denied, 'no token')
        if (!player) throw new ServerError(CODES.elsewhere, 'the player is not here')
        if (!timingSafeEqual(token, player.token))
          throw new ServerError(CODES.denied, 'wrong token')
        this.connections.get(player.id)?.leave(CODES.replaced)
      }
      const { id, token } = player
      this.connections.set(id, client)
      client.userData = { id }
      zone.attach(id)
      const { minX, maxX } = zone.reach
      const place = {
        zone: zone.zone,
        zones: zone.zones,
        fence: zone.fence,
        west: minX,
        east: maxX,
      }
      client.send('welcome', { id, token: Buffer.from(token).toString('hex'), ...place })
    }

    onLeave(client) {
      const id = client.userData?.id
      if (this.connections.get(id) !== client) return
      this.connections.delete(id)
      if (!this.zone.isClosed) this.zone.detach(id)
    }

    // Colyseus calls this for each frame. Frames that are not expected do not reach its decoders.
    _onMessage(client, bytes) {
      if (!isExpected(bytes)) return this.#cutOff(client)
      if (bytes[0] !== Protocol.ROOM_DATA_BYTES) return super['_onMessage'](client, bytes)
      const now = Date.now()
      const { userData } = client
      if (!userData) return
      if (now - (userData.since ?? 0) >= 1000) Object.assign(userData, { since: now, messages: 0 })
      const goal = readGoal(bytes.subarray(2))
      const isFlood = ++userData.messages > MAX_MESSAGES
      if (isFlood || !goal || !this.zone.goTo(userData.id, goal.x, goal.y)) this.#cutOff(client)
    }

    #cutOff(client) {
      client.leave(CODES.garbage)
    }

    async onDispose() {
      clearTimeout(this.#timer)
      onClose(this)
      this.zone?.close()
    }
  }
