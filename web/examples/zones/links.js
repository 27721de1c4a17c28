// Links between processes: a zone's messages to its neighbors go straight from process to process, not through Redis.
// Nothing is repeated here: each message holds all that a neighbor needs. Only processes of the game may reach the port.

import { WebSocket, WebSocketServer } from 'ws'

const MAX_BYTES = 2 ** 24
const MAX_UNSENT_BYTES = 2 ** 20 // to a process that hangs

export class Links {
  /** @type {Map<string, WebSocket>} */
  #sockets = new Map()
  #server

  /** @param {number} port @param {(bytes: Uint8Array) => void} receive */
  constructor(port, receive) {
    this.address = `ws://127.0.0.1:${port}`
    this.#server = new WebSocketServer({ host: '127.0.0.1', port, maxPayload: MAX_BYTES })
    this.#server.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.on('message', (data) => {
        try {
          receive(/** @type {Uint8Array} */ (data))
        } catch {
          socket.terminate()
        }
      })
    })
  }

  /** Sends to a process, or loses the message. @param {string} address @param {Uint8Array} bytes */
  send(address, bytes) {
    const socket = this.#sockets.get(address) ?? this.#connect(address)
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < MAX_UNSENT_BYTES)
      socket.send(bytes)
  }

  /** @param {string} address */
  #connect(address) {
    const socket = new WebSocket(address, { handshakeTimeout: 1000 })
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(address))
    this.#sockets.set(address, socket)
    return socket
  }

  close() {
    for (const socket of this.#sockets.values()) socket.terminate()
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
  }
}
