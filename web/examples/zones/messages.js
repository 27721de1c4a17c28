// All binary formats: the state of an agent that changes its zone, what zones tell each other each tick, and what a
// player gets. Little-endian. A reader throws a RangeError if bytes are missing; it trusts that peers are zones.

const TOKEN_BYTES = 16

/** Writes numbers one after another. It grows as needed. */
export class Writer {
  #view = new DataView(new ArrayBuffer(1024))
  #size = 0

  /** Makes room, which may replace the view. Returns its offset. @param {number} bytes */
  #room(bytes) {
    const at = this.#size
    this.#size += bytes
    if (this.#size <= this.#view.byteLength) return at
    const larger = new Uint8Array(2 * this.#size)
    larger.set(new Uint8Array(this.#view.buffer, 0, at))
    this.#view = new DataView(larger.buffer)
    return at
  }
  u8(value) {
    const at = this.#room(1)
    this.#view.setUint8(at, value)
  }
  u16(value) {
    const at = this.#room(2)
    this.#view.setUint16(at, value, true)
  }
  u32(value) {
    const at = this.#room(4)
    this.#view.setUint32(at, value, true)
  }
  f32(value) {
    const at = this.#room(4)
    this.#view.setFloat32(at, value, true)
  }
  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    const at = this.#room(bytes.length)
    new Uint8Array(this.#view.buffer).set(bytes, at)
  }
  /** Changes a number that was written before. @param {number} at @param {number} value */
  patch16(at, value) {
    this.#view.setUint16(at, value, true)
  }
  get size() {
    return this.#size
  }
  clear() {
    this.#size = 0
  }
  /** Returns a copy of what was written. */
  take() {
    return new Uint8Array(this.#view.buffer.slice(0, this.#size))
  }
}

/** Reads what a Writer wrote. */
export class Reader {
  #view
  #at = 0
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  #next(bytes) {
    const at = this.#at
    this.#at += bytes
    return at
  }
  u8() {
    return this.#view.getUint8(this.#next(1))
  }
  u16() {
    return this.#view.getUint16(this.#next(2), true)
  }
  u32() {
    return this.#view.getUint32(this.#next(4), true)
  }
  f32() {
    return this.#view.getFloat32(this.#next(4), true)
  }
  /** @param {number} length */
  bytes(length) {
    const at = this.#next(length)
    if (this.#at > this.#view.byteLength) throw new RangeError('bytes are missing')
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length).slice()
  }
}

// ---- The state of an agent ----

/**
 * All that an agent takes along. `tick` and `since` (milliseconds, 32 bits) are when its hand-over was decided. The token is what a player proves itself by;
 * walkers have none.
 * @typedef {{ id: number, epoch: number, tick: number, groups: number, x: number, y: number, vx: number, vy: number,
 *   goalX: number, goalY: number, speed: number, maxSpeed: number, radius: number, priority: number,
 *   token: Uint8Array | null, since: number }} State
 */

const COUNTS = /** @type {const} */ (['id', 'epoch', 'tick', 'since', 'groups'])
const NUMBERS = /** @type {const} */ ([
  ...['x', 'y', 'vx', 'vy', 'goalX', 'goalY', 'speed', 'maxSpeed', 'radius', 'priority'],
])

/** @param {Writer} out @param {State} state */
export function writeState(out, state) {
  for (const name of COUNTS) out.u32(state[name])
  for (const name of NUMBERS) out.f32(state[name])
  out.u8(state.token ? 1 : 0)
  if (state.token) out.bytes(state.token)
}

/** @param {Reader} from @returns {State} */
export function readState(from) {
  const state = /** @type {any} */ ({})
  for (const name of COUNTS) state[name] = from.u32()
  for (const name of NUMBERS) state[name] = from.f32()
  state.token = from.u8() ? from.bytes(TOKEN_BYTES) : null
  return state
}

/** The record of a hand-over: the new zone, and the state. @param {number} zone @param {State} state */
export function packRecord(zone, state) {
  const out = new Writer()
  out.u32(zone)
  writeState(out, state)
  return out.take()
}

/** @param {Uint8Array} bytes */
export function unpackRecord(bytes) {
  const from = new Reader(bytes)
  return { zone: from.u32(), state: readState(from) }
}

// ---- Between zones, each tick ----

/**
 * @typedef {{ id: number, groups: number, x: number, y: number, vx: number, vy: number, radius: number,
 *   priority: number }} Ghost
 * @typedef {{ from: number, to: number, fence: number, tick: number, settled: number,
 *   acks: { id: number, epoch: number, isSaved: boolean }[], moves: State[], ghosts: Ghost[] }} BorderMessage
 */

/** @param {BorderMessage} message */
export function packBorder({ from, to, fence, tick, settled, acks, moves, ghosts }) {
  const out = new Writer()
  for (const value of [from, to, fence, tick, settled]) out.u32(value)
  out.u16(acks.length)
  for (const { id, epoch, isSaved } of acks) {
    out.u32(id)
    out.u32(epoch)
    out.u8(Number(isSaved))
  }
  out.u16(moves.length)
  for (const state of moves) writeState(out, state)
  out.u16(ghosts.length)
  for (const ghost of ghosts) {
    out.u32(ghost.id)
    out.u8(ghost.groups)
    for (const value of [ghost.x, ghost.y, ghost.vx, ghost.vy, ghost.radius, ghost.priority])
      out.f32(value)
  }
  return out.take()
}

/** @param {Uint8Array} bytes @returns {BorderMessage} */
export function unpackBorder(bytes) {
  const r = new Reader(bytes)
  const list = (/** @type {() => any} */ read) => Array.from({ length: r.u16() }, read)
  const [from, to, fence, tick, settled] = [r.u32(), r.u32(), r.u32(), r.u32(), r.u32()]
  const acks = list(() => ({ id: r.u32(), epoch: r.u32(), isSaved: r.u8() === 1 }))
  const moves = list(() => readState(r))
  const ghosts = list(() => {
    const [id, groups, x, y] = [r.u32(), r.u8(), r.f32(), r.f32()]
    return { id, groups, x, y, vx: r.f32(), vy: r.f32(), radius: r.f32(), priority: r.f32() }
  })
  return { from, to, fence, tick, settled, acks, moves, ghosts }
}

// ---- To players ----

/** Positions are sent in steps of 1/STEPS of a unit, from the west end of what the zone knows. */
export const STEPS = 128

/** Returns a coordinate in steps. @param {number} value */
export const quantize = (value) => Math.min(Math.max(Math.round(value * STEPS), 0), 65_535)

/** Bytes of an update: without agents, and for each that left, entered, moved. */
export const UPDATE_BYTES = { header: 14, left: 2, entered: 11, moved: 6 }

/**
 * Reads an update into a player's view, which maps slots of the zone to agents. A slot that left and entered in one
 * update has a new agent.
 * @param {Uint8Array} bytes
 * @param {Map<number, { id: number, groups: number, x: number, y: number }>} view
 * @param {number} west of what the zone knows
 */
export function readUpdate(bytes, view, west) {
  const r = new Reader(bytes)
  const x = () => west + r.u16() / STEPS
  const y = () => r.u16() / STEPS
  const header = { tick: r.u32(), x: x(), y: y() }
  const [left, entered, moved] = [r.u16(), r.u16(), r.u16()]
  for (let n = 0; n < left; n++) view.delete(r.u16())
  for (let n = 0; n < entered; n++) {
    const slot = r.u16()
    view.set(slot, { id: r.u32(), groups: r.u8(), x: x(), y: y() })
  }
  for (let n = 0; n < moved; n++) {
    const agent = view.get(r.u16())
    if (!agent) throw new RangeError('an agent moved that is not in view')
    agent.x = x()
    agent.y = y()
  }
  return header
}

/** What a player may say: where it goes. Returns null for anything else. @param {Uint8Array} bytes */
export function readGoal(bytes) {
  if (bytes.length !== 8) return null
  const r = new Reader(bytes)
  const [x, y] = [r.f32(), r.f32()]
  return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null
}

/** @param {number} x @param {number} y */
export function packGoal(x, y) {
  const out = new Writer()
  out.f32(x)
  out.f32(y)
  return out.take()
}
