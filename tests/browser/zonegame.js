// Checks a whole game of the example with zones: collects what its processes and clients report, and compares.

import { unpackRecord } from '../../web/examples/zones/messages.js'
import { unpackSnapshot } from '../../web/examples/zones/snapshot.js'
import { FIRST_PLAYER, INTEREST, INTEREST_LEAVE } from '../../web/examples/zones/world.js'

const GHOST_SLACK = 3 // world units: ghosts are some ticks old
const GHOST_TICKS = 10 // after this many ticks, the neighbors of a zone know a new agent
const MAX_LAG = 5 // ticks; a neighbor that is silent for longer is not compared
const STEP = 0.01 // world units: positions are rounded

/** @typedef {ReturnType<import('../../web/examples/zones/zone.js').Zone['census']>} Census */

/** Returns the value below which a share of the numbers lies. @param {number[]} numbers @param {number} share */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]
}

export class Reports {
  /** What each zone owned, by tick and zone. @type {Map<number, Map<number, Census>>} */
  censuses = new Map()
  /** What clients saw. @type {any[]} */
  views = []
  clients = { live: 0, rejoined: 0, started: 0, bytes: 0, updates: 0 }
  gaps = []
  tickTimes = []
  handOverTimes = []
  figures = new Map() // the last of each zone and fence
  latest = new Map() // the last census of each zone

  /** @param {any} message from a process or from the clients */
  add({ census, figures, clients, views }) {
    if (census) {
      const { tick, zone, fence } = census
      if (!this.censuses.has(tick)) this.censuses.set(tick, new Map())
      this.censuses.get(tick)?.set(zone, census)
      this.latest.set(zone, census)
      this.tickTimes.push(...figures.ticks)
      this.handOverTimes.push(...figures.handOverTimes)
      this.figures.set(`${zone} ${fence}`, figures)
    }
    if (clients) {
      this.clients = clients
      this.gaps.push(...clients.gaps)
      this.views.push(...views)
    }
  }

  /** @param {'handedOver' | 'adopted' | 'sentBytes' | 'sentAllBytes' | 'updates' | 'borderBytes'} name */
  sum(name) {
    return [...this.figures.values()].reduce((total, figures) => total + figures[name], 0)
  }

  /**
   * Counts the owners of every agent in every reported tick, and throws unless each has one: among the zones that live,
   * the snapshots of those that do not, and the records of hand-overs.
   * @param {number} zones
   * @param {number} walkers in all zones
   * @param {{ zone: number, from: number, to: number, snapshot: Uint8Array, records: { record: Uint8Array }[] }[]} crashes
   *   ticks between which a zone was down, and what was stored then
   * @returns the number of ticks and the number of agents in the last
   */
  checkOwners(zones, walkers, crashes) {
    // Other players than those of the clients, which sent garbage, stay only for a while.
    const players = new Set(this.views.map(({ id }) => id))
    const known = new Set()
    let ticks = 0
    for (const [tick, all] of [...this.censuses].sort(([a], [b]) => a - b)) {
      const down = crashes.filter(
        ({ zone, from, to }) => !all.has(zone) && tick > from && tick < to,
      )
      if (all.size + down.length < zones) {
        const isEnd = tick >= Math.min(...[...this.latest.values()].map((census) => census.tick))
        if (known.size === 0 || isEnd) continue // starting or stopping
        throw new Error(`tick ${tick}: zones ${[...all.keys()]} only`)
      }
      const live = new Map() // zones by id
      const claims = new Map() // the highest epoch of each id, and its zones
      const claim = (id, epoch, zone) => {
        const best = claims.get(id)
        if (!best || epoch > best.epoch) claims.set(id, { epoch, zones: new Set([zone]) })
        else if (epoch === best.epoch) best.zones.add(zone)
      }
      for (const { zone, ids, epochs, sent } of all.values()) {
        for (const [n, id] of ids.entries()) {
          if (live.has(id))
            throw new Error(`tick ${tick}: ${id} is in zones ${live.get(id)}, ${zone}`)
          live.set(id, zone)
          claim(id, epochs[n], zone)
        }
        for (const { id, epoch, zone: to } of sent) claim(id, epoch, to)
      }
      for (const { zone, snapshot, records } of down) {
        for (const [, id, epoch] of unpackSnapshot(snapshot).agents) claim(id, epoch, zone)
        for (const { record } of records) {
          const { zone: to, state } = unpackRecord(record)
          claim(state.id, state.epoch, to)
        }
      }
      for (const [id, { zones: owners }] of claims)
        if (owners.size > 1) throw new Error(`tick ${tick}: ${id} is in zones ${[...owners]}`)
      for (const id of known) if (!claims.has(id)) throw new Error(`tick ${tick}: ${id} is lost`)
      const isWalker = (/** @type {number} */ id) => id < FIRST_PLAYER
      for (const id of claims.keys()) if (isWalker(id) || players.has(id)) known.add(id)
      const found = [...claims.keys()].filter(isWalker).length
      if (found !== walkers) throw new Error(`tick ${tick}: ${found} of ${walkers} walkers`)
      ticks++
    }
    return { ticks, agents: known.size }
  }

  /** Compares views with a loop over all agents. Returns the numbers of views and of agents compared. */
  checkViews() {
    let views = 0
    let agents = 0
    for (const view of this.views) {
      const all = this.censuses.get(view.tick)
      const own = all?.get(view.zone)
      const self = own?.ids.indexOf(view.id) ?? -1
      if (!all || !own || self < 0) continue
      const [x, y] = own.positions.subarray(2 * self)
      const seen = new Map([...view.ids].map((id, n) => [id, [view.xs[n], view.ys[n]]]))
      for (const [zone, { ids, positions }] of all) {
        if (zone !== view.zone && own.lag > MAX_LAG) continue
        const slack = zone === view.zone ? STEP : GHOST_SLACK
        for (const [n, id] of ids.entries()) {
          if (id === view.id) continue
          const [otherX, otherY] = positions.subarray(2 * n)
          const distance = Math.hypot(otherX - x, otherY - y)
          const place = seen.get(id)
          const text = `tick ${view.tick}, player ${view.id} in zone ${view.zone}: ${id} of zone ${zone}`
          if (!place && distance < INTEREST - slack) {
            // A player that has just joined another zone is not known across its border yet.
            const before = [...(this.censuses.get(view.tick - GHOST_TICKS)?.values() ?? [])]
            if (zone !== view.zone && !before.some((census) => census.ids.includes(id))) continue
            throw new Error(`${text} at ${distance} is not seen`)
          }
          if (!place) continue
          if (distance > INTEREST_LEAVE + slack) throw new Error(`${text} at ${distance} is seen`)
          const error = Math.hypot(place[0] - otherX, place[1] - otherY)
          if (error > slack) throw new Error(`${text} is seen ${error} away`)
          agents++
        }
      }
      views++
    }
    return { views, agents }
  }
}
