// A process of the game: node process.js. It claims zones that have no owner, and opens a room for each. Environment:
// PORT (of players), LINK_PORT (of other processes), REDIS_PORT, ZONES, WALKERS, PROCESS and PROCESSES (its index, and
// how many there are), CENSUS (report to the parent process every so many ticks).

import { matchMaker, Server } from '@colyseus/core'
import { RedisDriver } from '@colyseus/redis-driver'
import { RedisPresence } from '@colyseus/redis-presence'
import { WebSocketTransport } from '@colyseus/ws-transport'
import { Redis } from 'ioredis'
import { Links } from './links.js'
import { redisOptions, RedisStore } from './redisstore.js'
import { createRoomClass } from './room.js'
import { Zone } from './zone.js'

const env = Object.fromEntries(
  ['PORT', 'LINK_PORT', 'REDIS_PORT', 'ZONES', 'WALKERS', 'PROCESS', 'PROCESSES', 'CENSUS'].map(
    (name) => [name, Number(process.env[name] ?? 0)],
  ),
)
const LOOK_EVERY = 250 // milliseconds
const MAX_MESSAGE_BYTES = 256 // of a message from a client
const address = `127.0.0.1:${env.PORT}`

const store = new RedisStore(env.REDIS_PORT)
/** The rooms of this process, by zone. @type {Map<number, any>} */
const rooms = new Map()
/** @type {Map<number, Zone>} */
const claimed = new Map()
/** Where each zone was when Redis was last there. @type {Awaited<ReturnType<RedisStore['directory']>>} */
let directory = []

const receive = (/** @type {Uint8Array} */ bytes) => {
  const to = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  rooms.get(to)?.zone.receive(bytes)
}
const links = new Links(env.LINK_PORT, receive)

/** Sends to the zone `to`, wherever it is. @param {number} to @param {Uint8Array} bytes */
function send(to, bytes) {
  const target = directory[to]
  if (rooms.has(to)) receive(bytes)
  else if (target?.link) links.send(target.link, bytes)
}

const ZoneRoom = createRoomClass({
  claimed,
  store,
  async onOpen(room) {
    const { zone, fence } = room.zone
    await store.announce(zone, fence, `${address} ${links.address}`, room.roomId)
    rooms.set(zone, room)
    console.log(`zone ${zone} runs in process ${env.PROCESS}, fence ${fence}`)
  },
  onClose(room) {
    if (rooms.get(room.zone?.zone) === room) rooms.delete(room.zone.zone)
  },
  onTick({ zone, times }) {
    if (env.CENSUS && zone.tick % env.CENSUS === 0 && process.connected)
      process.send?.({
        process: env.PROCESS,
        census: zone.census(),
        figures: figuresOf(zone, times),
      })
  },
})

/** Returns the figures of a zone since the last call. @param {Zone} zone @param {number[]} times */
function figuresOf(zone, times) {
  const { figures, handOverTimes } = zone
  const { user, system } = process.cpuUsage()
  const cpu = (user + system) / 1000 // milliseconds of the whole process
  return { ...figures, cpu, ticks: times.splice(0), handOverTimes: handOverTimes.splice(0) }
}

/** Claims a zone if it has no owner, and opens its room. */
async function take(/** @type {number} */ zone) {
  const fence = await store.claim(zone, address)
  if (fence === null) return
  const options = { zone, zones: env.ZONES, walkers: env.WALKERS, fence, store, send }
  claimed.set(zone, new Zone(options))
  await matchMaker.createRoom('zone', { zone })
}

// A new zone belongs to one process. A zone whose owner is silent belongs to the process that comes first, but only after
// all owners had the time to renew their claims: Redis may have been away.
async function look() {
  if (!store.isReady) return
  const known = await store.directory(env.ZONES)
  directory = known.map((one) => {
    const [, link] = one.address.split(' ')
    return { ...one, link }
  })
  for (const { zone, fence, isLive } of directory) {
    if (isLive || rooms.has(zone)) continue
    const isMine = fence === 0 ? zone % env.PROCESSES === env.PROCESS : store.isSettled
    if (isMine) await take(zone)
  }
}

/** Returns a connection to Redis for Colyseus, which does not mind when Redis is away. */
function connectRedis() {
  const redis = new Redis(redisOptions(env.REDIS_PORT))
  redis.on('error', () => {})
  return redis
}

const server = new Server({
  greet: false,
  gracefullyShutdown: false,
  presence: new RedisPresence(connectRedis()),
  driver: new RedisDriver(connectRedis()),
  publicAddress: address,
  transport: new WebSocketTransport({ maxPayload: MAX_MESSAGE_BYTES }),
  selectProcessIdToCreateRoom: async () => matchMaker.processId,
  express(app) {
    app.get('/zones', (_, response) => {
      response.set('Access-Control-Allow-Origin', '*')
      response.json(
        directory.map(({ zone, room, fence, isLive }) => ({ zone, room, fence, isLive })),
      )
    })
  },
})
server.define('zone', ZoneRoom)
await server.listen(env.PORT, '127.0.0.1')

let isLooking = false
setInterval(async () => {
  if (isLooking) return
  isLooking = true
  await look().catch((error) => console.error(`process ${env.PROCESS}: ${error.message}`))
  isLooking = false
}, LOOK_EVERY)
console.log(`process ${env.PROCESS} listens on ${address}`)

/** Saves all zones and gives them up. */
async function stop() {
  for (const { zone } of rooms.values()) zone.save()
  const released = [...rooms.values()].map(({ zone }) => store.release(zone.zone, zone.fence))
  await Promise.race([
    Promise.allSettled(released),
    new Promise((resolve) => setTimeout(resolve, 1000)),
  ])
  process.exit()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
process.once('disconnect', () => process.exit()) // the launcher has ended
