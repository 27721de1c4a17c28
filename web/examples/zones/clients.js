// Players without a screen, as load: node clients.js --clients 200 --endpoints 127.0.0.1:8081,127.0.0.1:8082. They wander
// through the whole world. With a parent process, they report to it: at every tick that CENSUS divides, what they see.

import { parseArgs } from 'node:util'
import { Client } from '@colyseus/sdk'
import { Session } from './session.js'
import { SIDE } from './world.js'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    endpoints: { type: 'string', default: '127.0.0.1:8081,127.0.0.1:8082' },
    zones: { type: 'string', default: '2' },
  },
})
const zones = Number(values.zones)
const census = Number(process.env.CENSUS ?? 0)
const GO_EVERY = 4000 // milliseconds
const JOINS = 20 // at a time

/** @type {Session[]} */
const sessions = []
/** What was seen since the last report. @type {any[]} */
let views = []

function start(/** @type {number} */ n) {
  const session = new Session(Client, values.endpoints.split(','), n % zones)
  sessions.push(session)
  session.onUpdate = () => {
    if (!census || session.tick % census) return
    const agents = [...session.view.values()]
    views.push({
      ...{ id: session.id, zone: session.zone, tick: session.tick, x: session.x, y: session.y },
      ids: Uint32Array.from(agents, ({ id }) => id),
      xs: Float32Array.from(agents, ({ x }) => x),
      ys: Float32Array.from(agents, ({ y }) => y),
    })
  }
  setInterval(
    () => {
      // Most goals are near: players gather at the borders, and cross them often.
      const x = session.x + (Math.random() - 0.5) * SIDE
      session.goTo(Math.min(Math.max(x, 0), zones * SIDE), SIDE * Math.random())
    },
    GO_EVERY * (0.75 + 0.5 * Math.random()),
  )
}

for (let n = 0; n < Number(values.clients); n++) {
  start(n)
  if (n % JOINS === JOINS - 1) await new Promise((resolve) => setTimeout(resolve, 100))
}

const sum = (/** @type {(session: Session) => number} */ of) =>
  sessions.reduce((total, session) => total + of(session), 0)
let last = { bytes: 0, updates: 0 }
setInterval(() => {
  const now = performance.now()
  const received = { bytes: sum((s) => s.received.bytes), updates: sum((s) => s.received.updates) }
  const report = {
    ...received,
    live: sessions.filter(({ updated }) => updated > now - 2000).length,
    rejoined: sum((s) => s.rejoined),
    started: sum((s) => s.started),
    gaps: sessions.flatMap((session) => session.gaps.splice(0)),
  }
  if (process.connected) process.send?.({ clients: report, views })
  else {
    const updates = received.updates - last.updates
    const bytes = Math.round((received.bytes - last.bytes) / Math.max(updates, 1))
    console.log(
      `${report.live} of ${sessions.length} clients, ${updates} updates/s, ${bytes} bytes each`,
    )
  }
  last = received
  views = []
}, 1000)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit())
process.once('disconnect', () => process.exit())
