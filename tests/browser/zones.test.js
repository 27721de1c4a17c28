// The zones of the example, without Colyseus and Redis: hand-overs, crashes, lost messages and a store that goes away,
// with all zones in this process. It is among the browser's tests because zones start the library, which tests in Node
// must not.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRandom, integer } from '../../web/random.js'
import { Fenced, MemoryStore } from '../../web/examples/zones/memorystore.js'
import {
  readGoal,
  readUpdate,
  unpackBorder,
  unpackRecord,
} from '../../web/examples/zones/messages.js'
import { unpackSnapshot } from '../../web/examples/zones/snapshot.js'
import { catchUp } from '../../web/examples/zones/ticks.js'
import {
  FIRST_PLAYER,
  INTEREST,
  INTEREST_LEAVE,
  MARGIN,
  PLAYER,
  RADIUS,
  SIDE,
  WALKER,
} from '../../web/examples/zones/world.js'
import { Zone } from '../../web/examples/zones/zone.js'

const { fround } = Math
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [1, 2]
const zones = suite('zones')
/** Runs all promises that are ready. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Runs zones over a store in memory. */
async function createWorld({ count = 3, walkers = 150, players = 10, random = createRandom(1) }) {
  const store = new MemoryStore()
  /** @type {(Zone | null)[]} */
  const all = Array(count).fill(null)
  /** Messages on their way: when they arrive. */
  let mail = []
  let tick = 1
  const world = {
    store,
    all,
    failed: [],
    /** The fraction of messages that get lost, and the most ticks that one takes. */
    lost: 0,
    delay: 0,
    /** Updates of players: the views that their clients have. */
    views: new Map(),
    moved: 0,
    /** The most calls that the store runs in a tick. */
    calls: 100,

    async open(zone) {
      const claimed = store.claim(zone)
      store.run(100)
      const fence = await claimed
      const one = new Zone({
        ...{ zone, zones: count, walkers, fence, store, random },
        send(to, bytes) {
          if (random() < world.lost) return
          mail.push({ to, bytes, at: tick + integer(random, world.delay + 1) })
        },
      })
      one.onFailed = (error) => {
        world.failed.push(error)
        one.close()
      }
      one.onMoved = (id, to) => {
        world.moved++
        world.views.delete(id)
        if (!all[to]?.players.has(id)) return
        all[to].attach(id)
        world.views.set(id, new Map())
      }
      const opened = one.open(tick)
      store.run(100)
      await opened
      all[zone] = one
    },

    /** Ends a zone as a crash does: what it had in memory is gone. */
    kill(zone) {
      for (const { id } of all[zone].players.values()) world.views.delete(id)
      all[zone].close()
      all[zone] = null
    },

    async advance() {
      tick++
      const due = mail.filter(({ at }) => at <= tick)
      mail = mail.filter(({ at }) => at > tick)
      for (const { to, bytes } of due) all[to]?.receive(bytes)
      for (const zone of all) if (zone && !zone.isClosed) zone.advance(tick)
      store.run(world.calls)
      await turn()
    },
  }
  for (let zone = 0; zone < count; zone++) await world.open(zone)
  for (let n = 0; n < players; n++) {
    const { id } = all[n % count].addPlayer(FIRST_PLAYER + n, new Uint8Array(16).fill(n))
    all[n % count].attach(id)
    world.views.set(id, new Map())
  }
  return world
}

/** Returns how many agents are owned by no zone, or by two, by what is alive, saved and recorded. */
async function countWrong({ all, store }, ids) {
  const claims = new Map(ids.map((id) => [id, []]))
  const unknown = []
  const claim = (id, epoch, zone, isLive) => {
    if (!claims.has(id)) unknown.push(id)
    else claims.get(id).push({ epoch, zone, isLive })
  }
  const records = store.peekRecords().map(({ record }) => unpackRecord(record))
  for (const { zone, state } of records) claim(state.id, state.epoch, zone, false)
  for (const [zone, one] of all.entries()) {
    if (one) {
      for (const [id, slot] of one.own) claim(id, one.epochs[slot], zone, true)
    } else {
      const saved = unpackSnapshot(store.peekSnapshot(zone))
      for (const [, id, epoch] of saved.agents) claim(id, epoch, zone, false)
    }
  }
  let wrong = unknown.length
  for (const of of claims.values()) {
    const highest = Math.max(...of.map(({ epoch }) => epoch))
    const owners = new Set(of.filter(({ epoch }) => epoch === highest).map(({ zone }) => zone))
    if (owners.size !== 1 || of.filter(({ isLive }) => isLive).length > 1) wrong++
  }
  return wrong
}

const idsOf = ({ all }) => all.flatMap((zone) => [...zone.own.keys()])

zones(
  'every agent has one owner in every tick, whatever dies, gets lost or goes away',
  async () => {
    for (const seed of SEEDS) {
      const random = createRandom(seed)
      const world = await createWorld({ random })
      const { all, store } = world
      const ids = idsOf(world)
      assert.is(ids.length, 460)
      const down = new Map() // ticks until a zone comes back
      let kills = 0
      let outage = 0
      for (let n = 0; n < 700; n++) {
        world.lost = n % 300 < 200 ? 0.3 : 0
        world.delay = n % 200 < 100 ? 3 : 0
        world.calls = n % 150 < 100 ? integer(random, 4) : 100
        for (const zone of all.keys()) {
          if (!all[zone]) {
            down.set(zone, down.get(zone) - 1)
            // A zone can only come back while the store is there.
            if (down.get(zone) < 0 && store.isReady) await world.open(zone)
          } else if (all[zone].saved && random() < 0.01) {
            world.kill(zone)
            down.set(zone, integer(random, 60))
            kills++
          }
        }
        if (outage > 0 && --outage === 0) store.isReady = true
        if (outage === 0 && random() < 0.005) {
          outage = 1 + integer(random, 40)
          store.isReady = false
        }
        for (const zone of all) {
          if (!zone) continue
          for (const player of zone.players.values()) {
            player.seen = n + 2 // their clients are elsewhere
            // They run to and fro over a border: some change zones several times between two saves.
            zone.crowd.maxSpeeds[player.slot] = zone.crowd.preferredSpeeds[player.slot] = 20
            const border = SIDE * (1 + (player.id % 2))
            if (random() < 0.1) zone.goTo(player.id, border + 10 * (random() - 0.5), SIDE / 2)
          }
        }
        await world.advance()
        assert.is(await countWrong(world, ids), 0, `seed ${seed}, tick ${n}`)
      }
      assert.ok(kills > 5)

      // In the end all hand-overs complete, and records that no snapshot needs are gone.
      Object.assign(world, { lost: 0, delay: 0, calls: 100 })
      store.isReady = true
      for (const zone of all.keys()) if (!all[zone]) await world.open(zone)
      for (let n = 0; n < 60; n++) await world.advance()
      const isRecent = ({ record }) => unpackRecord(record).state.tick > all[0].tick - 50
      assert.equal(
        store.peekRecords().filter((record) => !isRecent(record)),
        [],
      )
      for (const zone of all) {
        assert.ok(zone.figures.handedOver > 0)
        assert.ok(zone.census().sent.every(({ tick }) => tick > all[0].tick - 50))
      }
      assert.equal(world.failed, [])
      for (const zone of all) zone.close()
    }
  },
)

zones('a hand-over keeps the state of an agent', async () => {
  const world = await createWorld({ count: 2, walkers: 0, players: 1 })
  const [west, east] = world.all
  const [id] = west.own.keys()
  const slot = west.own.get(id)
  west.crowd.move(slot, SIDE - 10, SIDE / 2)
  west.goTo(id, SIDE + 60, SIDE / 2 + 3)
  west.crowd.priorities[slot] = 7
  west.crowd.preferredSpeeds[slot] = 4.5
  for (let n = 0; n < 200 && !east.own.has(id); n++) await world.advance()
  const there = east.own.get(id)
  assert.not.ok(west.own.has(id))
  assert.is(east.epochs[there], 1)
  assert.is(east.crowd.priorities[there], 7)
  assert.is(east.crowd.preferredSpeeds[there], 4.5)
  assert.is(east.crowd.groups[there], PLAYER)
  assert.ok(east.crowd.velocities[2 * there] > 4, 'it does not stop at the border')
  assert.equal(east.players.get(id).token, new Uint8Array(16).fill(0))
  for (let n = 0; n < 400; n++) await world.advance()
  const [x, y] = east.crowd.positions.subarray(2 * there)
  assert.ok(Math.hypot(x - SIDE - 60, y - SIDE / 2 - 3) < 1, 'it is at its goal')
})

zones('agents of two zones avoid each other at the border', async () => {
  const world = await createWorld({ count: 2, walkers: 0, players: 2 })
  const [west, east] = world.all
  const [first] = west.own.keys()
  const [second] = east.own.keys()
  west.crowd.move(west.own.get(first), SIDE - 15, SIDE / 2)
  east.crowd.move(east.own.get(second), SIDE + 15, SIDE / 2 + 0.1)
  west.goTo(first, SIDE + 15, SIDE / 2)
  east.goTo(second, SIDE - 15, SIDE / 2 + 0.1)
  let nearest = Infinity
  for (let n = 0; n < 200; n++) {
    await world.advance()
    const [a, b] = [first, second].map((id) => {
      const zone = world.all.find(({ own }) => own.has(id))
      return zone?.crowd.positions.slice(2 * zone.own.get(id), 2 * zone.own.get(id) + 2)
    })
    if (a && b) nearest = Math.min(nearest, Math.hypot(a[0] - b[0], a[1] - b[1]))
  }
  assert.ok(nearest > 2 * RADIUS - 0.1 && nearest < 3, `${nearest}`)
  assert.ok(east.own.has(first) && west.own.has(second))
})

zones('views equal a loop over all agents, across borders too', async () => {
  const world = await createWorld({ count: 2, walkers: 300, players: 20 })
  const random = createRandom(4)
  let compared = 0
  let ghosts = 0
  for (let n = 0; n < 300; n++) {
    await world.advance()
    for (const zone of world.all) {
      const { crowd, ids, players } = zone
      for (const { id } of players.values())
        if (n % 40 === 0) zone.goTo(id, SIDE + 80 * (random() - 0.5), SIDE * random())
      const before = new Map([...players.keys()].map((id) => [id, new Map(world.views.get(id))]))
      zone.sense((id, bytes) => {
        const view = world.views.get(id)
        readUpdate(bytes, view, zone.reach.minX)
        const [centerX, centerY] = crowd.positions.subarray(2 * players.get(id).slot)
        const expected = []
        for (let slot = 0; slot < crowd.slots; slot++) {
          const isOther = crowd.has(slot) && slot !== players.get(id).slot
          if (!isOther || !(crowd.groups[slot] & (WALKER | PLAYER))) continue
          const [x, y] = crowd.positions.subarray(2 * slot)
          const [dx, dy] = [fround(x - centerX), fround(y - centerY)]
          const isKnown = before.get(id).get(slot)?.id === ids[slot]
          const radius = isKnown ? INTEREST_LEAVE : INTEREST
          if (fround(fround(dx * dx) + fround(dy * dy)) > radius * radius) continue
          expected.push(slot)
          if (zone.ghosts.has(ids[slot])) ghosts++
          const seen = view.get(slot)
          assert.is(seen?.id, ids[slot])
          assert.ok(Math.abs(seen.x - x) < 0.005 && Math.abs(seen.y - y) < 0.005)
        }
        assert.equal(
          [...view.keys()].sort((a, b) => a - b),
          expected,
        )
        compared += expected.length
      })
    }
  }
  assert.ok(compared > 10_000 && ghosts > 1000 && world.moved > 0)
})

zones('neighbors see the same crowd: ghosts are where their zone has them', async () => {
  const world = await createWorld({ count: 2, walkers: 300, players: 0 })
  let left = 0
  for (let n = 0; n < 100; n++) {
    await world.advance()
    for (const zone of world.all)
      for (const { id } of zone.census().sent) {
        left++
        assert.ok(zone.own.has(id) || zone.ghosts.has(id), 'what goes stays in view')
      }
  }
  assert.ok(left > 10)
  const [west, east] = world.all
  for (const [here, there] of [
    [west, east],
    [east, west],
  ])
    for (const [id, slot] of there.own) {
      const depth = Math.abs(there.crowd.positions[2 * slot] - SIDE)
      if (depth < MARGIN - 2) assert.ok(here.ghosts.has(id), 'the margin is complete')
    }
  assert.ok(west.ghosts.size > 10)
  for (const [here, there] of [
    [west, east],
    [east, west],
  ])
    for (const [id, { slot }] of here.ghosts) {
      const other = there.own.get(id)
      if (other === undefined) continue
      for (const axis of [0, 1]) {
        const seen = here.crowd.positions[2 * slot + axis]
        assert.ok(Math.abs(seen - there.crowd.positions[2 * other + axis]) < 0.7)
      }
    }
})

zones('a zone whose place was taken is fenced off', async () => {
  const world = await createWorld({ count: 2 })
  const ids = idsOf(world)
  for (let n = 0; n < 30; n++) await world.advance()
  const hung = world.all[0]
  await world.open(0) // another process takes over
  const before = world.store.peekSnapshot(0)
  hung.advance(1000)
  hung.save()
  world.store.run(100)
  await turn()
  assert.instance(world.failed[0], Fenced)
  assert.ok(hung.isClosed)
  assert.is(world.store.peekSnapshot(0), before)
  for (let n = 0; n < 60; n++) await world.advance()
  assert.is(await countWrong(world, ids), 0)
})

zones('a zone that falls behind keeps its step and sends less often', () => {
  const ticks = []
  let sent = 0
  const zone = {
    tick: 10,
    advance(tick) {
      ticks.push(tick)
      zone.tick = tick
    },
  }
  for (const due of [11, 11, 14, 15]) catchUp(zone, due, () => sent++)
  assert.equal(ticks, [11, 12, 13, 14, 15])
  assert.is(sent, 3)
  catchUp(zone, 1000, () => sent++) // the machine was asleep
  assert.equal(
    ticks.slice(5),
    Array.from({ length: 40 }, (_, n) => 961 + n),
  )
})

zones('messages that are cut off or invalid throw, or are refused', async () => {
  const world = await createWorld({ count: 2, walkers: 20, players: 2 })
  let message
  world.all[0].send = (_, bytes) => (message = bytes)
  world.all[0].advance(50)
  assert.is(unpackBorder(message).tick, 50)
  for (const length of [0, 3, message.length - 1])
    assert.throws(() => world.all[1].receive(message.subarray(0, length)), RangeError)
  await world.advance()
  const saved = world.store.peekSnapshot(0)
  for (const length of [0, 11, 100, saved.length - 1])
    assert.throws(() => unpackSnapshot(saved.subarray(0, length)))
  assert.throws(() => unpackSnapshot(saved.map((byte, n) => (n === 0 ? 9 : byte))), /version/)
  for (const bytes of [[], [1, 2, 3, 4], Array(9).fill(0), [0, 0, 192, 127, 0, 0, 0, 0]])
    assert.is(readGoal(Uint8Array.from(bytes)), null)
  const [id] = world.all[0].players.keys()
  for (const [x, y] of [
    [-1, 1],
    [1, SIDE + 1],
    [2 * SIDE + 1, 1],
    [NaN, 1],
  ])
    assert.not.ok(world.all[0].goTo(id, x, y))
  assert.ok(world.all[0].goTo(id, 2 * SIDE, 0))
})

zones.run()
