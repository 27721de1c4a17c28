// Threads in a scene: the control, an instance of 'copse/threads', and the same work with one thread, to compare with.
// The entry is loaded when a visitor first picks more than one thread.

import { median } from './clock.js'
import { formatNumber, formatSpeed, formatTime } from './format.js'
import { createTimer } from './pace.js'

/** The least numbers of agents whose batches, or whose steps, the library divides among threads. */
export const DIVIDED = { index: 4_096, crowd: 1_024 }
export const threadParams = { threads: 1 }
const EVERY = 0.5 // seconds between measurements
const RUNS = 9 // the medians are shown
const ONE = { instance: undefined, threads: { count: 1, reason: '' }, dispose() {} }

/** Returns 1, 2, 4, … and the number of processors. */
function countsFor(processors) {
  const counts = []
  for (let count = 1; count < processors; count *= 2) counts.push(count)
  return [...counts, processors]
}

export const addThreads = (gui, params) =>
  gui.add(params, 'threads', countsFor(navigator.hardwareConcurrency || 1))

/**
 * Returns { instance, threads, dispose }: the instance for new objects, and how many threads it has. Without
 * 'copse/threads', since one thread is wanted or it does not start, `instance` is undefined: the default one.
 */
export async function loadThreads(wanted) {
  if (wanted === 1) return ONE
  try {
    // copse:
    const { create } = await import('copse/threads')
    const instance = await create({ threads: wanted })
    return {
      instance,
      get threads() {
        return instance.threads // how many work, and why not more
      },
      dispose: () => instance.dispose(),
    }
  } catch (error) {
    console.warn('One thread is at work:', error.message)
    return { ...ONE, threads: { count: 1, reason: 'copse/threads did not start' } }
  }
}

/** Collects the times of the same work with one thread and with several, in ms. */
export function createTimes() {
  let equal // undefined: not measured yet
  let ones = []
  let many = []

  return {
    forget() {
      equal = undefined
      ones = []
      many = []
    },
    /** The first times are left out, because they contain the compilation of code. */
    add(one, several, isEqual) {
      if (equal !== undefined) {
        ones = [one, ...ones].slice(0, RUNS)
        many = [several, ...many].slice(0, RUNS)
      }
      equal = isEqual && equal !== false
    },
    get medians() {
      return { one: median(ones), several: median(many), equal }
    },
  }
}

/**
 * Returns the note below the control: the state, and the times. `threads`: those of the instance, undefined while it
 * loads. `least`: the least number of agents whose work is divided. `work`: its name, for the times `one` and
 * `several`.
 */
export function noteOf({ wanted, threads, agents, least, work, times: { one, several, equal } }) {
  if (!threads) return [`Starting ${wanted} threads …`, '']
  const { count, reason } = threads
  const isSmall = count > 1 && agents < least
  const working = isSmall ? 1 : count
  const why = isSmall ? `work is divided from ${formatNumber(least)} agents on` : reason
  const state = `${working} ${working === 1 ? 'thread' : 'threads'} at work${why && `: ${why}`}.`
  if (working === 1) return [state, '']
  if (one === undefined) return [state, 'Measuring …']
  const speed = `${formatTime(several)}, with one thread ${formatTime(one)}: ${formatSpeed(several, one)}`
  return [state, `${work}: ${speed}, ${equal ? 'equal ✓' : 'results differ'}`]
}

/**
 * Creates the threads of objects in the page, as many as params.threads. Options:
 *
 *   use(instance)     moves all objects to an instance, undefined: the default one; the last instance then ends
 *   agents()          returns the number of agents
 *   least             the least number of agents whose work is divided
 *   work              name of the work
 *   compare()         optional: does the work with one thread and with several; returns its ms with each, and whether
 *                     the results are equal
 *   times()           without compare(): returns { one, several, equal }
 */
export function createThreads(params, { use, agents, least, work, compare, times: timesOf }) {
  const times = createTimes()
  const timer = createTimer(EVERY, () => isDivided() && times.add(...compare()))
  let team = ONE
  let working = 1 // params.threads of the team
  let isClosed = false

  const isDivided = () => team.threads.count > 1 && agents() >= least
  const measured = () => timesOf?.() ?? times.medians

  async function change() {
    const wanted = params.threads
    const next = await loadThreads(wanted)
    if (isClosed || wanted !== params.threads) return next.dispose()
    const last = team
    team = next
    working = wanted
    times.forget()
    use(team.instance)
    last.dispose()
  }

  if (params.threads > 1) change()

  return {
    change,
    isDivided,

    /** Called every frame: measures now and then. */
    pass: timer.pass,

    /** Drops the measurements, because the work changed. */
    forget: times.forget,

    /** Returns results() of the scene. */
    results() {
      const { one, equal } = measured()
      return equal === undefined ? [] : [{ name: 'one thread', total: one, equal }]
    },

    note: () =>
      noteOf({
        wanted: params.threads,
        threads: working === params.threads ? team.threads : undefined,
        ...{ agents: agents(), least, work, times: measured() },
      }),

    dispose() {
      isClosed = true
      team.dispose()
    },
  }
}
