// A 2D or 3D crowd whose agents swap sides, and swap back once nearly all have arrived.

import { smoothTime, timeRuns } from './clock.js'
import { createComparison, isSame, verdict } from './compare.js'
import { addSpeed, addSteps } from './controls.js'
import { formatTime } from './format.js'
import { createPace } from './pace.js'
import { createThreads, DIVIDED } from './threads.js'
import { dimensionsOf, touchingNumbers } from './touching.js'

const TIME_STEP = 0.125 // with twice as long a step, agents overlap by a quarter of a radius where all meet
const MAX_NEIGHBORS = 20
const MAX_HORIZON = 20
const ENOUGH = 0.98 // part of the agents that must arrive before all swap back
const TRAIL = 12 // past places kept of each agent
const TRAIL_EVERY = 8 // steps between them
const MAX_TRAILED = 2_000 // agents
const REST = 12 // units of time from then until they swap back
const { fround } = Math

/** Settings of the crowd, except params.agents. */
export const swapParams = {
  speed: 4,
  neighbors: 10,
  horizon: 5,
  velocities: false,
  constraints: false, // until an agent is picked
}

/** Adds controllers for these settings and params.agents; `constraints` is the label of that setting. */
export function addSwapControls(gui, params, agents, constraints) {
  addSteps(gui, params, 'agents', agents)
  addSpeed(gui, params)
  gui.add(params, 'neighbors', 0, MAX_NEIGHBORS, 1).name('max neighbors')
  gui.add(params, 'horizon', 1, MAX_HORIZON, 1).name('time horizon')
  gui.add(params, 'velocities').name('show velocities')
  gui.add(params, 'constraints').name(constraints)
}

/**
 * Runs a crowd of a class: most of a scene. With params.threads, that many threads run it, unless there are walls.
 * Options:
 *
 *   capacity                     maximum number of agents
 *   agent                        options of the crowd and its agents
 *   obstacles                    optional: walls
 *   place(i, count, start, end)  writes the start and end of agent i
 *   begin(crowd)                 called after all agents were added
 *   route(i, crowd, ends)        optional: called before every step for each agent, to steer it anywhere but
 *                                straight to its end
 *   pick(crowd)                  returns the slot at the pointer; -1: none
 *   refresh()                    shows params that a pick changed
 */
export function createSwap(Class, params, options) {
  const { capacity, agent: defaults, obstacles, place, begin, route, pick, refresh } = options
  let crowd = createCrowd()
  let alone = null // the same crowd with one thread, to compare with
  const threads = createThreads(params, {
    use: moveTo,
    agents: () => params.agents,
    least: DIVIDED.crowd,
    work: 'Step',
    compare: compareThreads,
  })

  // `instance`: undefined for the default one, with one thread.
  function createCrowd(instance) {
    // copse:
    const crowd = new Class({
      preferredSpeed: 1,
      maxSpeed: 2,
      neighborDistance: 15,
      ...defaults,
      capacity,
      maxNeighbors: MAX_NEIGHBORS,
      instance,
    })
    if (obstacles) crowd.obstacles = obstacles

    return crowd
  }

  function moveTo(instance) {
    const old = crowd
    // copse:
    crowd = createCrowd(instance)
    crowd.restore(old.save())

    old.dispose()
    inspected = crowd.inspect(picked, TIME_STEP)
    stepTime = undefined
  }

  // Runs the next step with one thread, and with several, and takes it back.
  function compareThreads() {
    alone ??= createCrowd()
    const state = crowd.save()
    alone.restore(state)
    const one = timeRuns(() => alone.step(TIME_STEP))
    const several = timeRuns(() => crowd.step(TIME_STEP))
    const equal = alone.hash() === crowd.hash()
    crowd.restore(state)
    return [one, several, equal]
  }

  const pace = createPace(step)
  const dim = dimensionsOf(crowd)
  const agent = { position: new Float32Array(dim), goal: new Float32Array(dim) }
  let starts = new Float32Array(dim * capacity)
  let ends = new Float32Array(dim * capacity)
  const trail = Array.from({ length: TRAIL }, () => new Float32Array(dim * MAX_TRAILED))
  let trailed = 0 // places in the trail, oldest first
  let picked = 0
  let arrived = 0
  let rested = 0
  let steps = 0 // since the start
  let stepTime // ms, smoothed
  let inspected
  const comparison = createComparison(compare)

  // Starts over. The settings alone decide what happens next.
  function reset() {
    crowd.clear()
    for (let i = 0; i < params.agents; i++) {
      place(i, params.agents, agent.position, agent.goal)
      // copse:
      crowd.add(agent)

      starts.set(agent.position, dim * i)
      ends.set(agent.goal, dim * i)
    }
    adjust()
    picked = arrived = rested = steps = trailed = 0
    stepTime = undefined
    comparison.forget()
    begin(crowd)
    inspected = crowd.inspect(picked, TIME_STEP)
  }

  function adjust() {
    crowd.maxNeighborCounts.fill(params.neighbors)
    crowd.timeHorizons.fill(params.horizon)
  }

  // Counts the agents that are at their ends.
  function countArrived() {
    const { positions } = crowd
    const near2 = defaults.radius ** 2
    arrived = 0
    for (let i = 0; i < dim * params.agents; i += dim) {
      let distance2 = 0
      for (let axis = i; axis < i + dim; axis++) distance2 += (ends[axis] - positions[axis]) ** 2
      if (distance2 < near2) arrived++
    }
  }

  function turn() {
    ;[starts, ends] = [ends, starts]
    crowd.goals.set(ends)
    rested = 0
  }

  // copse:
  function step() {
    if (route) for (let i = 0; i < params.agents; i++) route(i, crowd, ends)
    stepTime = smoothTime(stepTime, () => crowd.step(TIME_STEP))
    steps++
    if (steps % TRAIL_EVERY === 0) leaveTrail()
    countArrived()
    rested = arrived >= ENOUGH * params.agents ? rested + TIME_STEP : 0
    if (rested > REST) turn()
  }

  function leaveTrail() {
    if (params.agents > MAX_TRAILED) return
    if (trailed === TRAIL) trail.push(trail.shift())
    else trailed++
    trail[trailed - 1].set(crowd.positions.subarray(0, dim * params.agents))
  }

  // Compares the neighbors of the picked agent with those that a loop over all agents finds.
  function compare() {
    const expected = nearestAgents(crowd, params.agents, picked, params.neighbors)
    return { equal: isSame(crowd.inspect(picked, TIME_STEP).neighbors, expected) }
  }

  reset()

  return {
    get crowd() {
      return crowd
    },

    /** The neighbors, obstacles and constraints of the picked agent: see crowd.inspect(). */
    get inspected() {
      return inspected
    },

    /** The last places of all agents, oldest first: positions as those of the crowd. Empty for many agents. */
    get trail() {
      return trail.slice(0, trailed)
    },

    /** How far from the center the farthest agent is, along an axis. */
    get reach() {
      const { positions } = crowd
      let most = 0
      for (let i = 0; i < dim * params.agents; i++) most = Math.max(most, Math.abs(positions[i]))
      return most
    },

    get picked() {
      return picked
    },

    hits: () => inspected.neighbors.length,

    results: () => [...comparison.results(), ...threads.results()],

    frame(dt, lap) {
      pace(dt, params.speed)
      lap('move')
      comparison.pass(dt)
      threads.pass(dt)
      lap()
      inspected = crowd.inspect(picked, TIME_STEP)
      lap('query')
    },

    report() {
      const { infeasible, neighbors, bytes } = crowd.stats()
      const numbers = [
        ['Agents', params.agents],
        ['Step time', formatTime(stepTime)],
        ['Arrived', arrived],
        ...touchingNumbers(crowd),
        ['No free velocity', infeasible],
        ['Mean neighbors', neighbors.toFixed(1)],
        ['Steps', steps],
        ['Time', Math.round(steps * TIME_STEP)],
        ['Bytes per agent', Math.round(bytes / capacity)],
        ['Picked agent', picked],
        ['Its neighbors', inspected.neighbors.length + verdict(comparison.equal)],
        ['Its constraints', inspected.constraints.length / (2 * dim)],
      ]
      if (obstacles)
        numbers.push(
          ['Its walls', inspected.obstacles.length],
          ['Wall constraints', inspected.obstacleConstraints],
        )
      return { numbers, notes: params.threads ? { threads: threads.note() } : {} }
    },

    change(field) {
      if (field === 'threads') return threads.change()
      threads.forget()
      if (field === 'agents') reset()
      else adjust()
    },

    press() {
      const slot = pick(crowd)
      if (slot < 0) return
      picked = slot
      inspected = crowd.inspect(slot, TIME_STEP)
      params.constraints = true
      refresh()
    },

    dispose() {
      crowd.dispose()
      alone?.dispose()
      threads.dispose()
    },
  }
}

/** Returns the neighbors of a slot, nearest first, ties by lower slot. */
function nearestAgents(crowd, count, slot, maxNeighbors) {
  const { positions, neighborDistances } = crowd
  const dim = dimensionsOf(crowd)
  const reach2 = fround(neighborDistances[slot] ** 2)
  const neighbors = []
  for (let i = 0; i < count; i++) {
    if (i === slot) continue
    let distance2 = 0
    for (let axis = 0; axis < dim; axis++) {
      const d = fround(positions[dim * i + axis] - positions[dim * slot + axis])
      distance2 = fround(distance2 + fround(d * d))
    }
    if (distance2 <= reach2) neighbors.push({ i, distance2 })
  }
  neighbors.sort((a, b) => a.distance2 - b.distance2 || a.i - b.i)
  return neighbors.slice(0, maxNeighbors).map(({ i }) => i)
}
