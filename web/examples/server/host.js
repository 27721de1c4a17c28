// The game's host, without a network: the server runs one, and so does the page if there is no server. It steps the
// simulation, sends each new player a snapshot of the state, and sends all players the orders of each tick.

import { createSimulation, SIDE, TEAMS, TICKS } from './simulation.js'

const HASH_EVERY = TICKS // ticks

export function createHost() {
  const simulation = createSimulation()
  /** The function that sends to each player. @type {Set<(data: string | Uint8Array) => void>} */
  const players = new Set()
  /** The latest order of each player since the last tick. @type {Map<object, number[]>} */
  const orders = new Map()
  let joined = 0

  function tick() {
    const tickOrders = [...orders.values()]
    orders.clear()
    simulation.advance(tickOrders)
    const message = { tick: simulation.tick, orders: tickOrders }
    if (message.tick % HASH_EVERY === 0) message.hash = simulation.crowd.hash()
    const text = JSON.stringify(message)
    for (const send of players) send(text)
  }

  // Timers fire late, so this catches up on ticks that are due, unless the machine was asleep.
  let next = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - next > 1000) next = now
    for (; next <= now; next += 1000 / TICKS) tick()
  }, 500 / TICKS)

  return {
    /** Adds a player, which `send` sends to. @param {(data: string | Uint8Array) => void} send */
    join(send) {
      const team = joined++ % TEAMS.length
      players.add(send)
      send(JSON.stringify({ team }))
      send(simulation.crowd.save())
      return {
        /** Takes an untrusted message. Returns false if it is not an order. @param {string} text */
        receive(text) {
          const goal = readGoal(text)
          if (goal) orders.set(send, [team, ...goal])
          return goal !== null
        },
        leave() {
          players.delete(send)
          orders.delete(send)
        },
      }
    },
    stop: () => clearInterval(timer),
  }
}

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
