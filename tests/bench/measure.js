// Times of several libraries at one work, in turn, so that whatever disturbs the machine disturbs
// all of them.

import { works } from './workloads.js'

const LEAST_RUNS = 6
/** Of who has taken so many times the budget. */
const LEAST_RUNS_IF_SLOW = 3
const SLOW = 8
const MOST_RUNS = 200
/**
 * Runs in one turn, or as many as fit into these milliseconds: the first finds the caches full of what
 * the library before it left there.
 */
const TURN_RUNS = 3
const TURN_MS = 3
const WARM_UP_SHARE = 2

/** @param {number[]} times @param {number} scale */
export function summary(times, scale = 1) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) =>
    Number((sorted[Math.round(share * (sorted.length - 1))] * scale).toPrecision(4))
  return { median: at(0.5), low: at(0.1), high: at(0.9), runs: times.length }
}

/**
 * One turn of a library.
 * @param {any} state
 * @param {any} work
 * @param {any} agents
 */
function takeTurn(state, work, agents) {
  globalThis.gc?.({ type: 'minor' }) // nobody sweeps what another has left
  let spent = 0
  for (let run = 0; (run < TURN_RUNS || spent < TURN_MS) && !state.done(); run++) {
    if (work.moves) agents.place(state.frame++)
    work.prepare?.(state.peer)
    const start = performance.now()
    work.run(state.peer, state.loops, agents)
    const time = performance.now() - start
    state.times.push(time)
    state.spent += time
    spent += time
  }
}

/**
 * Milliseconds of each run, by library.
 * @param {{ name: string, peer: any, loops: any }[]} entrants
 * @param {string} name of the work
 * @param {any} agents
 * @param {number} budget milliseconds of work for each library
 * @returns {Map<string, number[]>}
 */
export function measure(entrants, name, agents, budget) {
  const work = works[name]
  agents.place(0)
  for (const { peer } of entrants) peer.build(agents.positions)

  const states = entrants.map((entrant) => ({ ...entrant, frame: 0, times: [], spent: 0 }))
  const inTurn = (done) => {
    for (const state of states) {
      Object.assign(state, { times: [], spent: 0, done: () => done(state) })
    }
    for (let active = states; active.length > 0;) {
      for (const state of active) takeTurn(state, work, agents)
      active = [...active.slice(1), active[0]] // nobody always follows the same one
      active = active.filter((state) => !state.done())
    }
  }
  inTurn(({ times, spent }) => times.length >= 1 && spent >= budget / WARM_UP_SHARE)
  inTurn(({ times, spent }) => {
    const least = spent < SLOW * budget ? LEAST_RUNS : LEAST_RUNS_IF_SLOW
    return times.length >= MOST_RUNS || (times.length >= least && spent >= budget)
  })
  agents.place(0)
  return new Map(states.map(({ name, times }) => [name, times]))
}
