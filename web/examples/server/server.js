// The headless game server: node web/examples/server/server.js. Environment: PORT, HOST. It connects players to the
// host of the game.

import { WebSocketServer } from 'ws'
import { createHost } from './host.js'

const { PORT = 8085, HOST = '127.0.0.1' } = process.env
const MAX_CLIENTS = 32
const MAX_MESSAGE_BYTES = 256 // of a message from a client
const MAX_UNSENT_BYTES = 2 ** 20 // for a client that does not read

const host = createHost()
const server = new WebSocketServer({
  host: HOST,
  port: Number(PORT),
  maxPayload: MAX_MESSAGE_BYTES,
})

server.on('connection', (socket) => {
  socket.on('error', () => {}) // the message is too long or not WebSocket: ws closes the connection
  if (server.clients.size > MAX_CLIENTS) return socket.close(1013, 'the server is full')
  const player = host.join((data) => {
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(data)
  })
  socket.on('message', (data, isBinary) => {
    if (isBinary || !player.receive(String(data))) socket.close(1008, 'expected { "goal": [x, y] }')
  })
  socket.on('close', player.leave)
})

function stop() {
  host.stop()
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
