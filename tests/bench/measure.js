// Measures several libraries at one work, in turn, so that disturbances of the machine affect all of them.

import { works } from './workloads.js'

const LEAST_RUNS = 6
/** The minimum for a library that has used SLOW times its budget. */
const LEAST_RUNS_IF_SLOW = 3
const SLOW = 3
const MOST_RUNS = 200
/**
 * A turn has at least this many runs, and takes at least TURN_MS milliseconds. One run would not do: the caches
 * then still hold the data of the previous library.
 */
const TURN_RUNS = 3
const TURN_MS = 3
const WARM_UP_SHARE = 2

/** Returns the median, the 10% and 90% quantiles, and the count. @param {number[]} times @param {number} scale */
export function summary(times, scale = 1) {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share) =>
    Number((sorted[Math.round(share * (sorted.length - 1))] * scale).toPrecision(4))
  return { median: quantile(0.5), low: quantile(0.1), high: quantile(0.9), runs: times.length }
}

/**
 * Measures one turn of a library, or lets a native program measure it.
 * @param {any} state
 * @param {any} work
 * @param {any} agents
 */
async function takeTurn(state, work, agents) {
  if (state.turn) {
    const times = await state.turn()
    state.times.push(...times)
    state.spent += times.reduce((sum, time) => sum + time, 0)
    return
  }
  globalThis.gc?.({ type: 'minor' }) // no library collects the garbage of another
  let spent = 0
  for (let run = 0; (run < TURN_RUNS || spent < TURN_MS) && !state.done(); run++) {
    if (work.moves) agents.place(state.frame++)
    work.prepare?.(state.peer, agents)
    const start = performance.now()
    work.run(state.peer, state.loops, agents)
    const time = performance.now() - start
    state.times.push(time)
    state.spent += time
    spent += time
  }
}

/**
 * Returns the milliseconds of each run, by library.
 * @param {{ name: string, peer?: any, loops?: any, turn?: () => Promise<number[]> }[]} entrants
 * @param {string} name of the work
 * @param {any} agents
 * @param {number} budget milliseconds of work for each library
 * @returns {Promise<Map<string, number[]>>}
 */
export async function measure(entrants, name, agents, budget) {
  const work = works[name]
  agents.place(0)
  for (const { peer } of entrants) peer?.build(agents.positions)

  const states = entrants.map((entrant) => ({ ...entrant, frame: 0, times: [], spent: 0 }))
  const inTurn = async (done) => {
    for (const state of states) {
      Object.assign(state, { times: [], spent: 0, done: () => done(state) })
    }
    for (let active = states; active.length > 0;) {
      for (const state of active) await takeTurn(state, work, agents)
      active = [...active.slice(1), active[0]] // rotate, so that the previous library varies
      active = active.filter((state) => !state.done())
    }
  }
  await inTurn(({ times, spent }) => times.length >= 1 && spent >= budget / WARM_UP_SHARE)
  await inTurn(({ times, spent }) => {
    const least = spent < SLOW * budget ? LEAST_RUNS : LEAST_RUNS_IF_SLOW
    return times.length >= MOST_RUNS || (times.length >= least && spent >= budget)
  })
  agents.place(0)
  return new Map(states.map(({ name, times }) => [name, times]))
}

/** Turns of each side that are measured, and how many at least. */
const MOST_TURNS = 60
const LEAST_TURNS = 12

/**
 * Measures two libraries in turn, with equally many runs in each turn. Returns the second's time for a run as a share
 * of the first's, of each pair of turns.
 * @param {{ peer: any, loops: any }[]} pair
 * @param {string} name of the work
 * @param {any} agents
 * @param {number} budget milliseconds of work for both
 */
export async function measureRatios(pair, name, agents, budget) {
  const work = works[name]
  agents.place(0)
  for (const { peer } of pair) peer.build(agents.positions)
  const states = pair.map((entrant) => ({ ...entrant, frame: 0, times: [], spent: 0 }))
  const turn = async (state, runs) => {
    Object.assign(state, { times: [], done: () => state.times.length >= runs })
    while (!state.done()) await takeTurn(state, work, agents)
    return summary(state.times).median
  }

  let runs = 0
  for (const state of states) {
    state.done = () => state.times.length >= 1 && state.spent >= budget / 4
    while (!state.done()) await takeTurn(state, work, agents)
    runs = Math.max(TURN_RUNS, Math.ceil(TURN_MS / summary(state.times).median), runs)
  }
  // Both sides move equally far.
  for (const state of states) Object.assign(state, { frame: 0, spent: 0 })
  const ratios = []
  const spent = () => states[0].spent + states[1].spent
  while (ratios.length < LEAST_TURNS || (ratios.length < MOST_TURNS && spent() < budget)) {
    const isSwapped = ratios.length % 2 === 1
    const times = isSwapped ? states.toReversed() : states
    const one = await turn(times[0], runs)
    const other = await turn(times[1], runs)
    ratios.push(isSwapped ? one / other : other / one)
  }
  agents.place(0)
  return ratios
}
