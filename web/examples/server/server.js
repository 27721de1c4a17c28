// The headless game server: node web/examples/server/server.js. Environment: PORT, HOST. It steps the simulation,
// sends each new client a snapshot of the state, and sends all clients the orders of each tick.

import { WebSocketServer } from 'ws'
import { createSimulation, SIDE, TEAMS, TICKS } from './simulation.js'

const { PORT = 8085, HOST = '127.0.0.1' } = process.env
const HASH_EVERY = TICKS // ticks
const MAX_CLIENTS = 32
const MAX_MESSAGE_BYTES = 256 // of a message from a client
const MAX_UNSENT_BYTES = 2 ** 20 // for a client that does not read

const simulation = createSimulation()
const server = new WebSocketServer({
  host: HOST,
  port: Number(PORT),
  maxPayload: MAX_MESSAGE_BYTES,
})
/** The latest order of each client since the last tick. @type {Map<import('ws').WebSocket, number[]>} */
const orders = new Map()
let joined = 0

server.on('connection', (socket) => {
  socket.on('error', () => {}) // the message is too long or not WebSocket: ws closes the connection
  if (server.clients.size > MAX_CLIENTS) return socket.close(1013, 'the server is full')
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

/** Returns the goal in an untrusted message, or null if it is not a place in the world. @param {string} text */
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
  const tickOrders = [...orders.values()]
  orders.clear()
  simulation.advance(tickOrders)
  const message = { tick: simulation.tick, orders: tickOrders }
  if (message.tick % HASH_EVERY === 0) message.hash = simulation.crowd.hash()
  const text = JSON.stringify(message)
  for (const socket of server.clients) {
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(text)
  }
}

// Timers fire late, so this catches up on ticks that are due, unless the machine was asleep.
let next = performance.now()
const timer = setInterval(() => {
  const now = performance.now()
  if (now - next > 1000) next = now
  for (; next <= now; next += 1000 / TICKS) tick()
}, 500 / TICKS)

function stop() {
  clearInterval(timer)
  for (const socket of server.clients) socket.close(1001, 'the server is stopping')
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
