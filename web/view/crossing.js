// A crowd whose agents all cross to the opposite side, and back when nearly all have arrived: what the
// scenes of crowds share, in the plane and in space.

import { createRandom } from '../../tests/random.js'
import { formatTime, smooth } from './clock.js'
import { createPace, SPEEDS } from './pace.js'
import { addSteps } from './steps.js'
import { inWords } from './words.js'

const TIME_STEP = 0.25
const FRAME = 1 / 60 // seconds, while paused
const JITTER = 1e-4 // of preferred velocities: agents that mirror each other would wait forever
const MAX_NEIGHBORS = 20
const MAX_HORIZON = 20
const ENOUGH = 0.98 // have arrived: the others need not wait
const REST = 12 // time that all stay where they are then
const COMPARE_EVERY = 0.5 // seconds
const { fround } = Math

/** What settings the scenes have in common. */
export const crossingParams = {
  speed: 2,
  neighbors: 10,
  horizon: 5,
  velocities: false,
  constraints: true,
}

/** Adds controllers for them, and for params.agents. */
export function addCrossingControls(gui, params, agents, constraints) {
  const button = (field, name) => gui.add({ [field]() {} }, field).name(name)
  addSteps(gui, params, 'agents', agents)
  addSteps(gui, params, 'speed', SPEEDS).name('steps a frame')
  gui.add(params, 'neighbors', 0, MAX_NEIGHBORS, 1).name('most neighbours')
  gui.add(params, 'horizon', 1, MAX_HORIZON, 1).name('time horizon')
  gui.add(params, 'velocities').name('show velocities')
  gui.add(params, 'constraints').name(constraints)
  button('step', 'One step')
  button('reset', 'Reset')
}

/**
 * Runs a crowd of the class. `place(i, count, start, goal)` writes where agent i begins and ends, `begin`
 * is called when all are there. `route(i, positions, goals, targets)` may, before a step, write where an
 * agent heads for; else that is its goal.
 */
export function createCrossing(Class, capacity, defaults, params, { place, begin, route }) {
  const crowd = new Class({
    timeStep: TIME_STEP,
    preferredSpeed: 1,
    maxSpeed: 2,
    neighborDistance: 15,
    ...defaults,
    capacity,
    maxNeighbors: MAX_NEIGHBORS,
  })
  const pace = createPace(step)
  const dim = crowd.dimensions
  const targets = new Float32Array(dim * capacity)
  const agent = { position: new Float32Array(dim) }
  const goal = new Float32Array(dim)
  let starts = new Float32Array(dim * capacity)
  let goals = new Float32Array(dim * capacity)
  let random
  let picked = 0
  let arrived = 0
  let rested = 0
  let steps = 0 // since it began
  let stepTime // ms, smoothed
  let nextCompare = 0
  let equal
  let look

  // The same whenever it is called: nothing but the settings decides what happens.
  function reset() {
    random = createRandom(1)
    crowd.clear()
    for (let i = 0; i < params.agents; i++) {
      place(i, params.agents, agent.position, goal)
      crowd.add(agent)
      starts.set(agent.position, dim * i)
      goals.set(goal, dim * i)
    }
    targets.set(goals)
    adjust()
    picked = arrived = rested = steps = nextCompare = 0
    equal = stepTime = undefined
    begin?.(crowd)
    head()
    look = crowd.look(picked)
  }

  function adjust() {
    crowd.maxNeighborCounts.fill(params.neighbors)
    crowd.timeHorizons.fill(params.horizon)
  }

  // Everybody wants to go straight to its target, and slower when it is nearly there.
  function head() {
    const { positions, preferredVelocities } = crowd
    const near2 = defaults.radius ** 2
    arrived = 0
    for (let i = 0, end = dim * params.agents; i < end; i += dim) {
      let distance2 = 0
      let way2 = 0
      for (let axis = i; axis < i + dim; axis++) {
        distance2 += (targets[axis] - positions[axis]) ** 2
        way2 += (goals[axis] - positions[axis]) ** 2
      }
      const scale = 1 / Math.max(Math.sqrt(distance2), 1)
      for (let axis = i; axis < i + dim; axis++) {
        const jitter = JITTER * (random() - 0.5)
        preferredVelocities[axis] = scale * (targets[axis] - positions[axis]) + jitter
      }
      if (way2 < near2) arrived++
    }
  }

  function turn() {
    ;[starts, goals] = [goals, starts]
    targets.set(goals)
    rested = 0
  }

  function step() {
    const { positions } = crowd
    if (route) for (let i = 0; i < params.agents; i++) route(i, positions, goals, targets)
    head()
    const start = performance.now()
    crowd.step()
    stepTime = smooth(stepTime, performance.now() - start)
    steps++
    rested = arrived >= ENOUGH * params.agents ? rested + TIME_STEP : 0
    if (rested > REST) turn()
  }

  // Whether a loop over all agents finds those that the picked one heeds.
  function compare() {
    const expected = nearestAgents(crowd, params.agents, picked, params.neighbors)
    const { neighbors } = crowd.look(picked)
    equal =
      expected.length === neighbors.length && expected.every((slot, n) => slot === neighbors[n])
  }

  return {
    crowd,
    reset,
    adjust,
    step,

    /** What the picked agent will heed. */
    get look() {
      return look
    },

    get picked() {
      return picked
    },

    set picked(slot) {
      picked = slot
      look = crowd.look(slot)
    },

    get hits() {
      return look.neighbors.length
    },

    get results() {
      return equal === undefined ? [] : [{ name: 'brute force', equal }]
    },

    frame(dt, lap) {
      pace(dt, params.speed)
      lap('move')
      nextCompare -= dt || FRAME
      if (nextCompare <= 0) {
        nextCompare = COMPARE_EVERY
        compare()
      }
      lap()
      look = crowd.look(picked)
      lap('query')
    },

    report() {
      const { infeasible, overlaps, neighbors, bytes } = crowd.stats()
      const verdict = equal === undefined ? '' : equal ? ' ✓' : ' differs'
      return [
        ['One step', formatTime(stepTime)],
        ['Overlaps', inWords(overlaps)],
        ['Infeasible', inWords(infeasible)],
        ['Arrived', inWords(arrived)],
        ['Agents', inWords(params.agents)],
        ['Neighbours, mean', neighbors.toFixed(1)],
        ['Steps', inWords(steps)],
        ['Time', inWords(Math.round(steps * TIME_STEP))],
        ['Bytes an agent', inWords(Math.round(bytes / capacity))],
        ['Picked agent', inWords(picked)],
        ['Its neighbours', look.neighbors.length + verdict],
        ['Its constraints', look.constraints.length / (2 * dim)],
      ]
    },

    change(field) {
      if (field === 'agents' || field === 'reset') reset()
      else if (field === 'step') step()
      else adjust()
    },

    dispose() {
      crowd.dispose()
    },
  }
}

/** The colour of those that begin in this direction, in the plane. */
export function colorOfAngle(angle) {
  return `oklch(0.68 0.16 ${(angle * 180) / Math.PI + 30})`
}

/** The agents that a slot heeds, nearest first, ties by lower slot. */
function nearestAgents(crowd, count, slot, most) {
  const { positions, neighborDistances, dimensions: dim } = crowd
  const reach2 = fround(neighborDistances[slot] ** 2)
  const found = []
  for (let i = 0; i < count; i++) {
    if (i === slot) continue
    let distance2 = 0
    for (let axis = 0; axis < dim; axis++) {
      const way = fround(positions[dim * i + axis] - positions[dim * slot + axis])
      distance2 = fround(distance2 + fround(way * way))
    }
    if (distance2 <= reach2) found.push({ i, distance2 })
  }
  found.sort((a, b) => a.distance2 - b.distance2 || a.i - b.i)
  return found.slice(0, most).map(({ i }) => i)
}
