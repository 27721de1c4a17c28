// What a zone saves, and what it makes of a snapshot and the hand-overs that were stored after it.

import { Reader, readState, unpackRecord, Writer, writeState } from './messages.js'

const VERSION = 1

/**
 * @typedef {import('./messages.js').State} State
 * @typedef {{ border: number, id: number, epoch: number, tick: number, at: number }} Adopted an agent that came over a
 *   border: `tick` as in its record, `at`: when this zone took it over
 * @typedef {object} Snapshot
 * @property {number} tick
 * @property {number} settled
 * @property {[slot: number, id: number, epoch: number][]} agents
 * @property {{ id: number, token: Uint8Array, goalX: number, goalY: number }[]} players
 * @property {{ zone: number, state: State }[]} outbox let go of, but not acknowledged
 * @property {Adopted[]} adopted
 * @property {number} capacity of the crowd
 * @property {Uint8Array} crowd
 */

/**
 * @param {Omit<Snapshot, 'crowd' | 'capacity'> & { crowd: import('copse').Crowd }} snapshot
 * @returns {Uint8Array} version and tick in front
 */
export function packSnapshot({ tick, settled, agents, players, outbox, adopted, crowd }) {
  const out = new Writer()
  for (const value of [VERSION, tick, settled]) out.u32(value)
  out.u32(agents.length)
  for (const numbers of agents) for (const value of numbers) out.u32(value)
  out.u32(players.length)
  for (const { id, token, goalX, goalY } of players) {
    out.u32(id)
    out.bytes(token)
    out.f32(goalX)
    out.f32(goalY)
  }
  out.u32(outbox.length)
  for (const { zone, state } of outbox) {
    out.u32(zone)
    writeState(out, state)
  }
  out.u32(adopted.length)
  for (const { border, id, epoch, tick, at } of adopted)
    for (const value of [border, id, epoch, tick, at]) out.u32(value)
  out.u32(crowd.capacity)
  const saved = saveCrowd(crowd)
  out.u32(saved.length)
  out.bytes(saved)
  return out.take()
}

let room = new Uint8Array(0) // reused

/** @param {import('copse').Crowd} crowd */
function saveCrowd(crowd) {
  try {
    return room.subarray(0, crowd.saveInto(room))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    room = new Uint8Array(2 * crowd.save().length)
    return room.subarray(0, crowd.saveInto(room))
  }
}

/** @param {Uint8Array} bytes @returns {Snapshot} */
export function unpackSnapshot(bytes) {
  const r = new Reader(bytes)
  const list = (/** @type {() => any} */ read) => Array.from({ length: r.u32() }, read)
  const version = r.u32()
  if (version !== VERSION) throw new Error(`unknown version of a snapshot: ${version}`)
  return {
    ...{ tick: r.u32(), settled: r.u32() },
    agents: list(() => [r.u32(), r.u32(), r.u32()]),
    players: list(() => ({ id: r.u32(), token: r.bytes(16), goalX: r.f32(), goalY: r.f32() })),
    outbox: list(() => ({ zone: r.u32(), state: readState(r) })),
    adopted: list(() => {
      const [border, id, epoch, tick, at] = [r.u32(), r.u32(), r.u32(), r.u32(), r.u32()]
      return { border, id, epoch, tick, at }
    }),
    capacity: r.u32(),
    crowd: r.bytes(r.u32()),
  }
}

/**
 * Compares a snapshot with the records of the zone's borders. The highest epoch counts. An agent that has come since the
 * snapshot is not taken from its record: the old zone sends it again, and may still own it.
 * @param {Snapshot} saved
 * @param {{ border: number, record: Uint8Array }[]} records
 * @param {number} zone
 */
export function reconcile(saved, records, zone) {
  const epochs = new Map(saved.agents.map(([, id, epoch]) => [id, epoch]))
  const latest = new Map() // the records with the highest epoch, by id
  const all = records.map(({ border, record }) => ({ border, ...unpackRecord(record) }))
  for (const record of all) {
    const { id, epoch } = record.state
    if (epoch > (latest.get(id)?.state.epoch ?? 0)) latest.set(id, record)
  }
  const dropped = []
  const sent = []
  for (const [id, { zone: to, state }] of latest) {
    const isOwn = epochs.has(id)
    if (isOwn && epochs.get(id) >= state.epoch) continue
    if (isOwn) dropped.push(id)
    // A snapshot that is not older than the record, without the agent, knows of the hand-over.
    if (to !== zone && (isOwn || state.tick > saved.tick)) sent.push({ zone: to, state })
  }
  // Records of agents that came and went on: they must not come again.
  const passed = all
    .filter(({ zone: to, state }) => to === zone && state.epoch < latest.get(state.id).state.epoch)
    .map(({ border, state: { id, epoch, tick } }) => ({ border, id, epoch, tick }))
  return { dropped, sent, passed }
}
