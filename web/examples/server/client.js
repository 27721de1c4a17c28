// One player's side, in the browser or in Node: it begins with the server's snapshot, and makes the
// same ticks with the same orders.

import { createSimulation } from './simulation.js'

/**
 * @param {WebSocket} socket
 * @param {number} delay milliseconds by which messages come and go later
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
    /** Which one it commands; -1: not told yet. */
    team: -1,
    /** Of the last tick that was compared with the server's. */
    hash: 0,
    /** How many were, and whether all of them were equal. */
    checks: 0,
    isEqual: true,

    /** Sends the team to a place. @param {number} x @param {number} y */
    order(x, y) {
      setTimeout(() => socket.send(JSON.stringify({ goal: [x, y] })), delay)
    },
  }
  return client
}
