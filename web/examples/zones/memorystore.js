// The store in memory: what redisstore.js keeps in Redis, for tests. As on one connection, calls run one after another.
// They wait until `run` lets them.

/**
 * @typedef {object} Store
 * @property {boolean} isReady false while the store is away: calls then wait
 * @property {(zone: number, process: string) => Promise<number | null>} claim makes a process the owner of a zone that
 *   has none; returns the fence, or null
 * @property {(zone: number, zones: number) => Promise<{ snapshot: Uint8Array | null, records:
 *   { border: number, record: Uint8Array }[] }>} load
 * @property {(zone: number, fence: number, snapshot: Uint8Array) => Promise<void>} save also keeps the claim alive
 * @property {(zone: number, fence: number, batch: { border: number, id: number, record: Uint8Array }[]) => Promise<void>}
 *   handOver stores all records or none
 * @property {(zone: number, fence: number, records: { border: number, id: number, epoch: number }[]) => Promise<void>}
 *   forget removes the records that still have that epoch
 * @property {() => Promise<number>} nextPlayer
 */

import { unpackRecord } from './messages.js'
import { borderOf, neighborsOf } from './world.js'

/** A zone was written to with a fence that is not the latest: another process owns it. */
export class Fenced extends Error {
  /** @param {number} zone */
  constructor(zone) {
    super(`another process owns zone ${zone}`)
  }
}

/** @implements {Store} */
export class MemoryStore {
  isReady = true
  #fences = new Map()
  #snapshots = new Map()
  /** Records by border and id. @type {Map<number, Map<number, Uint8Array>>} */
  #borders = new Map()
  #players = 0

  /** Calls that wait. @type {(() => void)[]} */
  #waiting = []

  #wait() {
    return new Promise((resolve) => this.#waiting.push(() => resolve(undefined)))
  }

  /** Lets the oldest calls run. @param {number} calls */
  run(calls) {
    if (this.isReady) for (const call of this.#waiting.splice(0, calls)) call()
  }

  /** @param {number} zone @param {number} fence */
  async #write(zone, fence) {
    await this.#wait()
    if (this.#fences.get(zone) !== fence) throw new Fenced(zone)
  }

  #recordsOf(border) {
    if (!this.#borders.has(border)) this.#borders.set(border, new Map())
    return this.#borders.get(border)
  }

  /** @param {number} zone */
  async claim(zone) {
    await this.#wait()
    this.#fences.set(zone, (this.#fences.get(zone) ?? 0) + 1)
    return this.#fences.get(zone)
  }

  /** @param {number} zone @param {number} zones */
  async load(zone, zones) {
    await this.#wait()
    const borders = neighborsOf(zone, zones).map((neighbor) => borderOf(zone, neighbor))
    const records = borders.flatMap((border) =>
      [...this.#recordsOf(border).values()].map((record) => ({ border, record })),
    )
    return { snapshot: this.#snapshots.get(zone) ?? null, records }
  }

  async save(zone, fence, snapshot) {
    await this.#write(zone, fence)
    this.#snapshots.set(zone, snapshot)
  }

  async handOver(zone, fence, batch) {
    await this.#write(zone, fence)
    for (const { border, id, record } of batch) this.#recordsOf(border).set(id, record)
  }

  async forget(zone, fence, records) {
    await this.#write(zone, fence)
    for (const { border, id, epoch } of records) {
      const record = this.#recordsOf(border).get(id)
      if (record && unpackRecord(record).state.epoch === epoch) this.#recordsOf(border).delete(id)
    }
  }

  async nextPlayer() {
    return this.#players++
  }

  /** For tests: what is stored now. */
  peekRecords() {
    return [...this.#borders].flatMap(([border, records]) =>
      [...records.values()].map((record) => ({ border, record })),
    )
  }

  /** @param {number} zone */
  peekSnapshot(zone) {
    return this.#snapshots.get(zone)
  }
}
