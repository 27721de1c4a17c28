// The game server, without a picture: node web/examples/server/server.js (PORT, HOST). It steps the
// simulation, tells a new client the state, and from then on everybody the orders of each tick.

import { WebSocketServer } from 'ws'
import { createSimulation, SIDE, TEAMS, TICKS } from './simulation.js'

const { PORT = 8085, HOST = '127.0.0.1' } = process.env
const HASH_EVERY = TICKS // ticks
const MOST_CLIENTS = 32
const MOST_BYTES = 256 // of a message to us
const MOST_WAITING = 2 ** 20 // bytes to a client that does not read

const simulation = createSimulation()
const server = new WebSocketServer({ host: HOST, port: Number(PORT), maxPayload: MOST_BYTES })
/** The last order of each client since the last tick. @type {Map<import('ws').WebSocket, number[]>} */
const orders = new Map()
let joined = 0

server.on('connection', (socket) => {
  socket.on('error', () => {}) // too long a message, or none of this protocol: ws closes by itself
  if (server.clients.size > MOST_CLIENTS) return socket.close(1013, 'the server is full')
  const team = joined++ % TEAMS.length
  socket.send(JSON.stringify({ team }))
  socket.send(simulation.crowd.save())
  socket.on('message', (data, isBinary) => {
    const goal = isBinary ? null : readGoal(String(data))
    if (goal) orders.set(socket, [team, ...goal])
    else socket.close(1008, 'expected { "goal": [x, y] }')
  })
  socket.on('close', () => orders.delete(socket))
})

/** Anybody may send anything: a place in the world, or null. @param {string} text */
function readGoal(text) {
  try {
    const { goal } = JSON.parse(text)
    const isPlace = Array.isArray(goal) && goal.length === 2
    return isPlace && goal.every((n) => Number.isFinite(n) && n >= 0 && n <= SIDE) ? goal : null
  } catch {
    return null
  }
}

function tick() {
  const given = [...orders.values()]
  orders.clear()
  simulation.advance(given)
  const message = { tick: simulation.tick, orders: given }
  if (message.tick % HASH_EVERY === 0) message.hash = simulation.crowd.hash()
  const text = JSON.stringify(message)
  for (const socket of server.clients) {
    if (socket.bufferedAmount > MOST_WAITING) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(text)
  }
}

// Timers come late: as many ticks as are due, unless the machine slept.
let next = performance.now()
const timer = setInterval(() => {
  const now = performance.now()
  if (now - next > 1000) next = now
  for (; next <= now; next += 1000 / TICKS) tick()
}, 500 / TICKS)

function stop() {
  clearInterval(timer)
  for (const socket of server.clients) socket.close(1001, 'the server stops')
  server.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
server.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
  stop()
})
server.on('listening', () => console.log(`ws://${HOST}:${server.address().port}`))
