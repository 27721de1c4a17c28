// Measures what a zone costs in processor time: node measure.js. First a zone alone, without a network, then the game with
// Redis and clients. The tables of the docs page "How far
// does it scale" are its output.

import { startCluster } from './cluster.js'
import { MemoryStore } from './memorystore.js'
import { FIRST_PLAYER, MARGIN, SIDE, TICKS } from './world.js'
import { Zone } from './zone.js'

const WARM_UP = 60 // ticks
const MEASURED = 100 // ticks
const sleep = (/** @type {number} */ time) => new Promise((resolve) => setTimeout(resolve, time))
const turn = () => new Promise((resolve) => setImmediate(resolve))
const mean = (/** @type {number[]} */ list) =>
  list.reduce((sum, time) => sum + time, 0) / list.length

/** Returns the processor time of this process, in milliseconds: other work on the machine does not count. */
function cpuTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs two neighbors, and returns what a tick of the first costs. @param {number} walkers @param {number} players */
async function measure(walkers, players) {
  const store = new MemoryStore()
  /** @type {Zone[]} */
  const zones = []
  const bytes = { border: 0, save: 0 }
  const save = store.save.bind(store)
  store.save = (zone, fence, snapshot) => {
    bytes.save = snapshot.length
    return save(zone, fence, snapshot)
  }
  const finish = async (/** @type {Promise<any>} */ call) => {
    store.run(1e6)
    return call
  }
  for (const zone of [0, 1]) {
    const fence = await finish(store.claim(zone))
    const send = (/** @type {number} */ to, /** @type {Uint8Array} */ message) => {
      if (to === 1) bytes.border = message.length
      zones[to]?.receive(message)
    }
    zones.push(new Zone({ zone, zones: 2, walkers, fence, store, send }))
    await finish(zones[zone].open(1))
    for (let n = 0; n < players; n++) {
      const { id } = zones[zone].addPlayer(FIRST_PLAYER + 2 * n + zone, new Uint8Array(16))
      zones[zone].attach(id)
    }
  }
  const [first] = zones
  const times = { tick: [], step: [], sense: [], save: [] }
  const sent = []
  const crowdStep = first.crowd.step.bind(first.crowd)
  let step = 0
  first.crowd.step = (dt) => {
    const start = cpuTime()
    crowdStep(dt)
    step = cpuTime() - start
  }
  for (let tick = 2; tick < WARM_UP + MEASURED; tick++) {
    for (const zone of zones)
      for (const { id } of zone.players.values())
        if (tick % 40 === 2)
          zone.goTo(id, zone.zone * SIDE + SIDE * Math.random(), SIDE * Math.random())
    zones[1].advance(tick)
    zones[1].sense(() => {})
    const start = cpuTime()
    first.advance(tick)
    const middle = cpuTime()
    first.sense((id, update) => tick >= WARM_UP && sent.push(update.length))
    const end = cpuTime()
    store.run(1e6)
    await turn()
    if (tick < WARM_UP) continue
    if (tick % TICKS === 0) times.save.push(middle - start)
    else times.tick.push(middle - start)
    times.step.push(step)
    times.sense.push(end - middle)
  }
  const result = {
    ...{
      walkers,
      players,
      ghosts: first.ghosts.size,
      borderBytes: bytes.border,
      saveBytes: bytes.save,
    },
    ...{ tick: mean(times.tick), step: mean(times.step), sense: mean(times.sense) },
    save: mean(times.save),
    sent: sent.length ? mean(sent) : 0,
  }
  for (const zone of zones) zone.close()
  return result
}

/** Prints a table. @param {string[]} head @param {(string | number)[][]} rows */
function print(head, rows) {
  console.log(`\n| ${head.join(' | ')} |\n|${head.map(() => ' ---: |').join('')}`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}

const ms = (/** @type {number} */ time) => time.toFixed(2)
const count = (/** @type {number} */ number) => Math.round(number).toLocaleString('en')

await measure(500, 50) // compiles

console.log(
  `Node ${process.versions.node}, zone of ${SIDE} × ${SIDE}, margin ${MARGIN}, ${TICKS} ticks/s`,
)
const byWalkers = []
for (const walkers of [250, 500, 1000, 2000, 4000]) byWalkers.push(await measure(walkers, 100))
print(
  ['walkers', 'ghosts', 'step, ms', 'tick, ms', 'tick with save, ms', 'snapshot, kB'],
  byWalkers.map((r) => [
    ...[count(r.walkers), count(r.ghosts), ms(r.step), ms(r.tick), ms(r.save)],
    count(r.saveBytes / 1000),
  ]),
)
print(
  [
    'walkers per 100 × 100',
    'bytes a player and tick',
    'sending all',
    'to the neighbor, bytes a tick',
  ],
  byWalkers.map((r) => [
    ...[count((r.walkers / SIDE / SIDE) * 1e4), count(r.sent), count(6 * (r.walkers + r.players))],
    count(r.borderBytes),
  ]),
)
const byPlayers = []
for (const players of [0, 50, 100, 200, 400]) byPlayers.push(await measure(1000, players))
print(
  ['players', 'tick, ms', 'areas of interest, ms', 'µs a player', 'MB/s sent'],
  byPlayers.map((r) => [
    ...[
      count(r.players),
      ms(r.tick),
      ms(r.sense),
      r.players ? count((1000 * r.sense) / r.players) : '',
    ],
    ((r.sent * r.players * TICKS) / 1e6).toFixed(2),
  ]),
)

/** Runs the game, and returns the processor time that a process takes per tick. @param {number} clients */
async function measureGame(clients) {
  const latest = new Map()
  let live = 0
  const cluster = await startCluster({
    onMessage({ census, figures, clients: load }) {
      if (census)
        latest.set(census.zone, { tick: census.tick, cpu: figures.cpu, updates: figures.updates })
      if (load) live = load.live
    },
  })
  try {
    if (clients) cluster.startClients(clients)
    const end = Date.now() + 60_000
    while ((latest.size < 2 || live < clients) && Date.now() < end) await sleep(100)
    await sleep(3000)
    const first = latest.get(0)
    await sleep(10_000)
    const last = latest.get(0)
    const ticks = last.tick - first.tick
    return { cpu: (last.cpu - first.cpu) / ticks, updates: (last.updates - first.updates) / ticks }
  } finally {
    await cluster.stop()
  }
}

const games = []
for (const clients of [0, 100, 200]) games.push(await measureGame(clients))
const [empty] = games
print(
  ['clients of the zone', 'process, ms a tick', 'of a core', 'µs a client'],
  games.map(({ cpu, updates }) => [
    ...[count(updates), ms(cpu), `${count((100 * cpu * TICKS) / 1000)} %`],
    updates ? count((1000 * (cpu - empty.cpu)) / updates) : '',
  ]),
)
process.exit()
