// The example with zones as it runs: two processes with Colyseus, Redis, and clients, while a process and Redis are
// killed, and clients send garbage. ZONE_SECONDS (12) is how long it plays; `make test-long` plays two minutes of it
// with 200 clients and 2,000 walkers. Everything is on loopback, and ends with the test.

import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { startCluster } from '../../web/examples/zones/cluster.js'
import { packGoal, packRecord, unpackRecord } from '../../web/examples/zones/messages.js'
import { Fenced } from '../../web/examples/zones/memorystore.js'
import { RedisStore } from '../../web/examples/zones/redisstore.js'
import { unpackSnapshot } from '../../web/examples/zones/snapshot.js'
import { tickNow } from '../../web/examples/zones/ticks.js'
import { FIRST_PLAYER, TICKS } from '../../web/examples/zones/world.js'
import { eventually } from './waiting.js'
import { quantile, Reports } from './zonegame.js'

const SECONDS = Number(process.env.ZONE_SECONDS ?? 12)
const isLong = SECONDS >= 60
const [ZONES, WALKERS, CLIENTS] = isLong ? [2, 1000, 200] : [2, 300, 40]
const CENSUS = isLong ? 20 : 5 // ticks

/** Waits until a condition holds. @param {() => unknown} holds may return a promise */
const until = (holds) => eventually(holds, () => [holds, ...cluster.errors].join('\n'))

/** Waits until zones have played this many more ticks. @param {number} ticks */
function played(ticks) {
  const end = tickNow() + ticks
  return until(() => [...reports.latest.values()].some(({ tick }) => tick >= end))
}

const game = suite('game with zones')
/** @type {Awaited<ReturnType<typeof startCluster>>} */
let cluster
let store = /** @type {RedisStore} */ (/** @type {unknown} */ (null))
const reports = new Reports()

game.before(async () => {
  cluster = await startCluster({
    ...{ zones: ZONES, processes: 2, walkers: WALKERS, census: CENSUS },
    onMessage: (message) => reports.add(message),
  })
  store = new RedisStore(cluster.redisPort)
})
game.after(async () => {
  store?.close()
  await cluster?.stop()
})

/** Returns the room of a zone, as soon as the first process knows it. @param {number} zone */
async function roomOf(zone) {
  let room
  await until(async () => {
    const response = await fetch(`http://${cluster.endpoints[0]}/zones`)
    room = (await response.json())[zone]?.room
    return room
  })
  return room
}

/** Calls the match-maker as a client. @param {string} path @param {unknown} body */
async function post(path, body) {
  const response = await fetch(`http://${cluster.endpoints[0]}/matchmake/${path}`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return response.json().catch(() => ({}))
}

/** Joins a zone with a bare connection, and returns it. @param {number} zone @param {unknown} options */
async function join(zone, options) {
  const seat = await post(`joinById/${await roomOf(zone)}`, options)
  assert.ok(seat.sessionId, JSON.stringify(seat))
  const { publicAddress, processId, roomId, sessionId } = seat
  const socket = new WebSocket(
    `ws://${publicAddress}/${processId}/${roomId}?sessionId=${sessionId}`,
  )
  const closed = once(socket, 'close').then(([code]) => code)
  socket.on('error', () => {})
  await Promise.race([once(socket, 'message'), closed])
  const [JOIN_ROOM] = [10]
  if (socket.readyState === socket.OPEN) socket.send(Buffer.from([JOIN_ROOM]))
  return { socket, closed }
}

game('clients that send garbage, or claim the id of another, are cut off', async () => {
  await until(() => reports.latest.size === ZONES)
  const bytes = 17
  const goal = Buffer.from(packGoal(10, 10))
  const frames = [
    ...['', 'x', '{}', [], [bytes], [bytes, 0], [bytes, 0, 1], [bytes, 1, ...goal], [13, 0, 1]],
    ...[
      [bytes, 0, ...packGoal(NaN, 1)],
      [bytes, 0, ...packGoal(Infinity, 1)],
    ],
    ...[
      [bytes, 0, ...packGoal(-1, 1)],
      [bytes, 0, ...packGoal(1, 1e6)],
      [bytes, 0, ...goal, 0],
    ],
    ...[[14, 0xff, 0xff], [255], [31, 1, 2, 3], Array(200).fill(0xc1)],
  ]
  const results = await Promise.all(
    frames.map(async (frame, n) => {
      const { socket, closed } = await join(n % ZONES, {})
      socket.send(typeof frame === 'string' ? frame : Buffer.from(frame))
      return closed
    }),
  )
  assert.equal(results, Array(frames.length).fill(4400))

  const long = await join(0, {})
  long.socket.send(Buffer.alloc(10_000))
  assert.is(await long.closed, 1009)
  const flood = await join(0, {})
  for (let n = 0; n < 100; n++) flood.socket.send(Buffer.from([bytes, 0, ...goal]))
  assert.is(await flood.closed, 4400)

  // Someone else's id. The seat is free, but the zone does not give the player away.
  await until(() => reports.latest.get(0).ids.some((id) => id >= FIRST_PLAYER))
  const id = reports.latest.get(0).ids.find((id) => id >= FIRST_PLAYER)
  for (const options of [
    ...[{ id }, { id, token: '' }, { id, token: '0'.repeat(32) }, { id, token: [1] }],
    ...[{ id: null, token: '0'.repeat(32) }, { id: '__proto__', token: 1 }, { id: { a: 1 } }],
  ]) {
    const { closed } = await join(0, options)
    assert.is(await closed, 4002, JSON.stringify(options))
  }
  for (const [path, body] of [
    ...[
      ['create/zone', { zone: 0 }],
      ['create/zone', { zone: 7 }],
      ['create/zone', '{'],
    ],
    ...[
      ['joinById/__proto__', {}],
      ['joinById/', {}],
      ['reconnect/x', { reconnectionToken: 1 }],
    ],
  ])
    assert.not.ok((await post(path, body)).sessionId, `${path} ${JSON.stringify(body)}`)

  const { tick } = reports.latest.get(0)
  await until(() => [...reports.latest.values()].every((census) => census.tick > tick + TICKS))
  assert.ok(cluster.isRunning(0) && cluster.isRunning(1))
})

game(
  'the store in Redis refuses a zone that lost its place, and removes only what it should',
  async () => {
    const [zone, zones] = [50, 52] // none that runs
    const state = { tick: 1, groups: 1, x: 1, y: 2, vx: 0, vy: 0, goalX: NaN, goalY: NaN, speed: 1 }
    Object.assign(state, {
      maxSpeed: 1,
      radius: 1,
      priority: 0,
      since: 0,
      token: Buffer.alloc(16, 7),
    })
    const record = (id, epoch) => packRecord(zone, /** @type {any} */ ({ ...state, id, epoch }))
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const stored = async () =>
      (await store.load(zone, zones)).records
        .map((one) => [
          one.border,
          unpackRecord(one.record).state.id,
          unpackRecord(one.record).state.epoch,
        ])
        .sort()

    const first = await store.claim(zone, 'a')
    assert.is(await store.claim(zone, 'b'), null, 'it has an owner')
    await store.save(zone, first, bytes)
    await store.handOver(zone, first, [
      ...[
        { border: 49, id: 1, record: record(1, 1) },
        { border: 50, id: 1, record: record(1, 2) },
      ],
      ...[{ border: 50, id: 4_000_000_000, record: record(4_000_000_000, 70_000) }],
    ])
    const all = [
      ...[
        [49, 1, 1],
        [50, 1, 2],
      ],
      [50, 4_000_000_000, 70_000],
    ]
    assert.equal(await stored(), all)
    assert.equal(Uint8Array.from((await store.load(zone, zones)).snapshot), bytes)
    await store.forget(zone, first, [
      { border: 50, id: 1, epoch: 1 },
      { border: 50, id: 9, epoch: 1 },
    ])
    assert.equal(await stored(), all, 'a newer record stays')
    await store.forget(zone, first, [{ border: 50, id: 4_000_000_000, epoch: 70_000 }])
    assert.equal(await stored(), all.slice(0, 2))

    await store.release(zone, first)
    const second = await store.claim(zone, 'b')
    assert.is(second, first + 1)
    const calls = [
      () => store.save(zone, first, bytes.subarray(1)),
      () => store.handOver(zone, first, [{ border: 50, id: 1, record: record(1, 9) }]),
      () => store.forget(zone, first, [{ border: 50, id: 1, epoch: 2 }]),
      () => store.announce(zone, first, 'x', 'y'),
      () => store.release(zone, first),
    ]
    for (const call of calls) {
      const error = await call().catch((error) => error)
      assert.instance(error, Fenced)
    }
    assert.equal(await stored(), all.slice(0, 2))
    assert.equal(Uint8Array.from((await store.load(zone, zones)).snapshot), bytes)
    await store.announce(zone, second, 'here', 'room')
    const { isLive, fence, address } = (await store.directory(zones))[zone]
    assert.equal({ isLive, fence, address }, { isLive: true, fence: second, address: 'here' })
  },
)

game('every agent has one owner, and clients see what is near, whatever dies', async () => {
  cluster.startClients(CLIENTS)
  await until(() => reports.clients.live === CLIENTS)
  const begin = tickNow()
  const left = (seconds) => Math.max(begin + seconds * TICKS - tickNow(), 2 * TICKS)
  await played((SECONDS / 4) * TICKS)

  // A process dies: its zone comes up in the other.
  const zone = 1
  const from = reports.latest.get(zone).tick
  const { fence } = reports.latest.get(zone)
  await cluster.killProcess(1)
  const died = tickNow()
  const { snapshot, records } = await store.load(zone, ZONES)
  const saved = unpackSnapshot(/** @type {Uint8Array} */ (snapshot)).tick
  await until(() => reports.latest.get(zone).fence > fence)
  const to = reports.latest.get(zone).tick
  await until(() => reports.clients.live === CLIENTS)
  const back = tickNow()
  await cluster.startProcess(1)
  await played(left(SECONDS / 2))

  // Redis dies: zones play on, without hand-overs.
  await cluster.killRedis()
  const stopped = Math.max(...[...reports.latest.values()].map(({ tick }) => tick))
  const areAt = (end) => [...reports.latest.values()].every(({ tick }) => tick > end)
  await until(() => areAt(stopped + 1.5 * TICKS))
  const handed = reports.sum('handedOver')
  await until(() => areAt(stopped + 2 * TICKS))
  assert.is(reports.sum('handedOver'), handed, 'no hand-overs while Redis is away')
  await cluster.startRedis()
  await until(() => [...reports.latest.values()].every((census) => census.saved > stopped + TICKS))
  await until(() => reports.sum('handedOver') > handed)
  await played(left(SECONDS))
  await until(() => reports.clients.live === CLIENTS)

  // All processes die at once, and start again.
  const crashes = [{ zone, from, to, snapshot, records }]
  if (isLong) {
    const before = [...reports.latest.values()]
    await Promise.all([0, 1].map(cluster.killProcess))
    for (const { zone, tick } of before)
      crashes.push({ zone, from: tick, to: Infinity, ...(await store.load(zone, ZONES)) })
    await Promise.all([0, 1].map(cluster.startProcess))
    await until(() => before.every(({ zone, fence }) => reports.latest.get(zone).fence > fence))
    await until(() => reports.clients.live === CLIENTS)
    await played(5 * TICKS)
    for (const crash of crashes.slice(1)) crash.to = reports.latest.get(crash.zone).tick - 2 * TICKS
  }

  assert.is(reports.clients.started, 0, 'no client lost its player')
  assert.ok(reports.clients.rejoined > 0)
  const owners = reports.checkOwners(ZONES, ZONES * WALKERS, /** @type {any} */ (crashes))
  assert.ok(owners.ticks > SECONDS)
  for (const { tick, sent } of reports.latest.values())
    for (const state of sent) assert.ok(state.tick > tick - 5 * TICKS, 'hand-overs complete')
  const seen = reports.checkViews()
  assert.ok(seen.views > CLIENTS && seen.agents > 10 * CLIENTS)
  assert.ok(died - saved <= 3 * TICKS)

  const ms = (/** @type {number[]} */ list, share) => `${quantile(list, share).toFixed(1)} ms`
  const each = (name) => Math.round(reports.sum(name) / reports.sum('updates'))
  console.log(
    [
      '',
      `${owners.agents} agents, each once in ${owners.ticks} ticks`,
      `${seen.agents} agents in ${seen.views} views equal`,
      `${reports.sum('handedOver')} hand-overs: ${ms(reports.handOverTimes, 0.5)}, 99th percentile ${ms(reports.handOverTimes, 0.99)}`,
      `tick: ${ms(reports.tickTimes, 0.5)}, 99th percentile ${ms(reports.tickTimes, 0.99)}`,
      `bytes per player and tick: ${each('sentBytes')}, sending all: ${each('sentAllBytes')}`,
      `kill: ${died - saved} ticks lost, zone back after ${(to - died) / TICKS} s, all clients after ${(back - died) / TICKS} s`,
    ].join('\n'),
  )
})

game.run()
