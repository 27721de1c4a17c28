// The store in Redis: which process owns each zone, snapshots, and records of hand-overs. Scripts run as one step, so a
// write and the check of its fence cannot come apart. While Redis is away, ioredis keeps calls and sends them again, in
// order: all writes may run twice.
//
//   zone:0      hash: fence, process, address of the owner, room
//   lease:0     the fence, for LEASE; missing: the zone has no owner that is alive
//   snapshot:0  bytes
//   border:0    hash: records by id, of the border between zones 0 and 1

import { Redis } from 'ioredis'
import { Fenced } from './memorystore.js'
import { borderOf, neighborsOf } from './world.js'

const LEASE = 3000 // milliseconds
const GUARD =
  "if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return redis.error_reply('FENCED') end"

const SCRIPTS = {
  claimZone: {
    numberOfKeys: 2,
    lua: `if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
      local fence = redis.call('HINCRBY', KEYS[1], 'fence', 1)
      redis.call('HSET', KEYS[1], 'process', ARGV[1], 'address', '', 'room', '')
      redis.call('SET', KEYS[2], fence, 'PX', ARGV[2])
      return fence`,
  },
  announceZone: {
    numberOfKeys: 1,
    lua: `${GUARD} redis.call('HSET', KEYS[1], 'address', ARGV[2], 'room', ARGV[3]) return 1`,
  },
  saveZone: {
    numberOfKeys: 3,
    lua: `${GUARD} redis.call('SET', KEYS[3], ARGV[2]) redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3]) return 1`,
  },
  releaseZone: { numberOfKeys: 2, lua: `${GUARD} return redis.call('DEL', KEYS[2])` },
  storeRecords: {
    numberOfKeys: 1,
    lua: `${GUARD}
      for n = 2, #ARGV, 3 do redis.call('HSET', ARGV[n], ARGV[n + 1], ARGV[n + 2]) end return 1`,
  },
  // The epoch is the third number of a record.
  forgetRecords: {
    numberOfKeys: 1,
    lua: `${GUARD}
      for n = 2, #ARGV, 3 do
        local record = redis.call('HGET', ARGV[n], ARGV[n + 1])
        if record and struct.unpack('<I4', record, 9) == tonumber(ARGV[n + 2]) then
          redis.call('HDEL', ARGV[n], ARGV[n + 1])
        end
      end
      return 1`,
  },
}

/** Options of all connections to Redis: they wait for it as long as it takes. @param {number} port */
export const redisOptions = (port) => ({
  ...{ port, host: '127.0.0.1', maxRetriesPerRequest: null },
  retryStrategy: () => 200,
})

/** @implements {import('./memorystore.js').Store} */
export class RedisStore {
  #redis
  #readySince = Infinity

  /** @param {number} port of Redis */
  constructor(port) {
    const redis = /** @type {any} */ (new Redis(redisOptions(port)))
    for (const [name, script] of Object.entries(SCRIPTS)) redis.defineCommand(name, script)
    redis.on('ready', () => (this.#readySince = performance.now()))
    redis.on('close', () => (this.#readySince = Infinity))
    redis.on('error', () => {}) // it connects again by itself
    this.#redis = redis
  }

  get isReady() {
    return this.#redis.status === 'ready'
  }

  /** True if Redis has been there for longer than a lease: all owners that are alive have had the time to renew it. */
  get isSettled() {
    return performance.now() - this.#readySince > LEASE
  }

  /** @param {number} zone @param {Promise<any>} call */
  async #fenced(zone, call) {
    try {
      return await call
    } catch (error) {
      throw /FENCED/.test(String(error)) ? new Fenced(zone) : error
    }
  }

  /** @param {number} zone @param {string} process */
  async claim(zone, process) {
    const fence = await this.#redis.claimZone(`zone:${zone}`, `lease:${zone}`, process, LEASE)
    return fence || null
  }

  /** Publishes where a zone is. */
  announce(zone, fence, address, room) {
    return this.#fenced(zone, this.#redis.announceZone(`zone:${zone}`, fence, address, room))
  }

  /** Gives a zone up, so that another process may claim it at once. */
  release(zone, fence) {
    return this.#fenced(zone, this.#redis.releaseZone(`zone:${zone}`, `lease:${zone}`, fence))
  }

  async load(zone, zones) {
    const snapshot = await this.#redis.getBuffer(`snapshot:${zone}`)
    const records = []
    for (const border of neighborsOf(zone, zones).map((neighbor) => borderOf(zone, neighbor)))
      for (const record of await this.#redis.hvalsBuffer(`border:${border}`))
        records.push({ border, record })
    return { snapshot, records }
  }

  save(zone, fence, snapshot) {
    const keys = [`zone:${zone}`, `lease:${zone}`, `snapshot:${zone}`]
    return this.#fenced(zone, this.#redis.saveZone(...keys, fence, Buffer.from(snapshot), LEASE))
  }

  handOver(zone, fence, batch) {
    const words = batch.flatMap(({ border, id, record }) => [
      ...[`border:${border}`, id, Buffer.from(record)],
    ])
    return this.#fenced(zone, this.#redis.storeRecords(`zone:${zone}`, fence, ...words))
  }

  forget(zone, fence, records) {
    const words = records.flatMap(({ border, id, epoch }) => [`border:${border}`, id, epoch])
    return this.#fenced(zone, this.#redis.forgetRecords(`zone:${zone}`, fence, ...words))
  }

  nextPlayer() {
    return this.#redis.incr('players')
  }

  /** Returns the owner of each zone. @param {number} zones */
  async directory(zones) {
    const pipeline = this.#redis.pipeline()
    for (let zone = 0; zone < zones; zone++)
      pipeline.hgetall(`zone:${zone}`).exists(`lease:${zone}`)
    const answers = (await pipeline.exec()).map(([error, answer]) => {
      if (error) throw error
      return answer
    })
    return Array.from({ length: zones }, (_, zone) => {
      const { fence = 0, process = '', address = '', room = '' } = answers[2 * zone]
      return {
        zone,
        fence: Number(fence),
        process,
        address,
        room,
        isLive: answers[2 * zone + 1] === 1,
      }
    })
  }

  close() {
    this.#redis.disconnect()
  }
}
