// The client of one player, for browsers and Node. It starts from the server's snapshot, then runs the same ticks
// with the same orders.

import { createSimulation } from './simulation.js'

/**
 * @param {WebSocket} socket
 * @param {number} delay latency each way, in milliseconds
 */
export function createClient(socket, delay = 0) {
  const simulation = createSimulation()
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('message', ({ data }) => setTimeout(receive, delay, data))

  function receive(data) {
    if (typeof data !== 'string') return simulation.crowd.restore(new Uint8Array(data))
    const { team, tick, orders, hash } = JSON.parse(data)
    if (team !== undefined) return (client.team = team)
    simulation.advance(orders)
    if (hash === undefined) return
    client.checks++
    client.hash = simulation.crowd.hash()
    client.isEqual &&= simulation.tick === tick && client.hash === hash
  }

  const client = {
    simulation,
    /** Index of its own team; -1 until the server assigns one. */
    team: -1,
    /** Hash of the last tick that was compared with the server's. */
    hash: 0,
    /** Number of comparisons so far. */
    checks: 0,
    /** True if all hashes were equal. */
    isEqual: true,

    /** Orders the team to go to a place. @param {number} x @param {number} y */
    order(x, y) {
      setTimeout(() => socket.send(JSON.stringify({ goal: [x, y] })), delay)
    },
  }
  return client
}
