// Runs the example: node start.js --zones 2 --processes 2 --walkers 1000 --clients 200. It starts Redis and the
// processes, serves a page that shows the world, and ends them all when it ends. On loopback only.

import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startCluster } from './cluster.js'
import { MARGIN, SIDE } from './world.js'

const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '2' },
    processes: { type: 'string', default: '2' },
    walkers: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '20' },
    port: { type: 'string', default: '8090' },
  },
})
const [zones, processes, walkers, clients, port] = [
  ...[values.zones, values.processes, values.walkers, values.clients, values.port].map(Number),
]
const CENSUS = 4 // ticks between pictures of the world
const HOSTS = ['127.0.0.1', 'localhost']
const FILES = {
  '/': ['page/index.html', 'text/html'],
  '/main.js': ['page/main.js', 'text/javascript'],
  '/style.css': ['page/style.css', 'text/css'],
  '/session.js': ['session.js', 'text/javascript'],
  '/messages.js': ['messages.js', 'text/javascript'],
  '/world.js': ['world.js', 'text/javascript'],
  '/colyseus.js': ['node_modules/@colyseus/sdk/dist/colyseus.js', 'text/javascript'],
}

/** Pages that are open. @type {Set<import('node:http').ServerResponse>} */
const pages = new Set()
const send = (/** @type {unknown} */ data) => {
  for (const page of pages) page.write(`data: ${JSON.stringify(data)}\n\n`)
}

/** Sends what a zone or the clients report to all pages. */
function onMessage({ census, figures, clients: load, process: index }) {
  if (load) return send({ clients: { live: load.live, rejoined: load.rejoined } })
  if (!census) return
  const { zone, fence, tick, saved, lag, sent, players } = census
  const agents = []
  for (const [n, group] of census.groups.entries())
    agents.push(
      Math.round(10 * census.positions[2 * n]),
      Math.round(10 * census.positions[2 * n + 1]),
      group,
    )
  const { ticks, handOverTimes, ...sums } = figures
  const tickTime = ticks.length ? Math.max(...ticks) : 0
  send({
    ...{ zone, fence, tick, saved, lag, process: index, agents, players: players.length },
    ...{ sent: sent.length, tickTime, handOverTimes, ...sums },
  })
}

const cluster = await startCluster({
  ...{ zones, processes, walkers, census: CENSUS, onMessage },
  log: (text) => console.log(text),
})
if (clients) cluster.startClients(clients)

/** What the page's buttons do. */
const actions = {
  '/kill': (index) => cluster.killProcess(index),
  '/start': (index) => cluster.isRunning(index) || cluster.startProcess(index),
  '/kill-redis': () => cluster.killRedis().then(() => setTimeout(() => cluster.startRedis(), 3000)),
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const end = (/** @type {number} */ status) => response.writeHead(status).end()
  // Pages of other sites must not end processes, and no name from elsewhere may lead here.
  if (!HOSTS.includes(request.headers.host?.split(':')[0] ?? '')) return end(403)
  if (request.method === 'POST') {
    const index = Number(searchParams.get('process') ?? 0)
    const isOurs = request.headers.origin === `http://${request.headers.host}`
    if (!isOurs || !(pathname in actions) || !(index in cluster.endpoints)) return end(403)
    await actions[/** @type {keyof typeof actions} */ (pathname)](index)
    return end(204)
  }
  if (pathname === '/events') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    pages.add(response)
    request.on('close', () => pages.delete(response))
    const { endpoints } = cluster
    return send({ world: { zones, processes, side: SIDE, margin: MARGIN, endpoints, clients } })
  }
  const [file, type] = FILES[/** @type {keyof typeof FILES} */ (pathname)] ?? []
  if (!file) return end(404)
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` })
  createReadStream(fileURLToPath(new URL(file, import.meta.url))).pipe(response)
})
server.listen(port, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(`open http://127.0.0.1:${address.port}`)
})

async function stop() {
  server.close()
  server.closeAllConnections()
  await cluster.stop()
  process.exit()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
server.on('error', (error) => {
  console.error(error.message)
  stop()
})
