// A crowd whose agents swap sides, and swap back when nearly all have arrived, in the plane or in space.

import { smoothTime } from './clock.js'
import { createComparison, isSame, verdict } from './compare.js'
import { addSpeed, addSteps } from './controls.js'
import { formatTime } from './format.js'
import { createPace } from './pace.js'

const TIME_STEP = 0.25
const MAX_NEIGHBORS = 20
const MAX_HORIZON = 20
const ENOUGH = 0.98 // have arrived: the others need not wait
const REST = 12 // time that all stay where they are then
const { fround } = Math

/** Its settings, but for params.agents. */
export const swapParams = {
  speed: 2,
  neighbors: 10,
  horizon: 5,
  velocities: false,
  constraints: true,
}

/** Adds controllers for them, and for params.agents; `constraints` names what is shown of one agent. */
export function addSwapControls(gui, params, agents, constraints) {
  addSteps(gui, params, 'agents', agents)
  addSpeed(gui, params)
  gui.add(params, 'neighbors', 0, MAX_NEIGHBORS, 1).name('most neighbors')
  gui.add(params, 'horizon', 1, MAX_HORIZON, 1).name('time horizon')
  gui.add(params, 'velocities').name('show velocities')
  gui.add(params, 'constraints').name(constraints)
}

/**
 * Runs a crowd of the class: most of a scene.
 *
 *   capacity, agent              the most agents, and what they are
 *   obstacles                    optional: walls
 *   place(i, count, start, end)  writes where agent i begins and ends
 *   begin(crowd)                 is called when all are there
 *   route(i, crowd, ends)        optional, before every step: another way than straight to the end
 *   pick(crowd)                  gives the slot at the pointer, -1: none
 */
export function createSwap(Class, params, options) {
  const { capacity, agent: defaults, obstacles, place, begin, route, pick } = options
  const crowd = new Class({
    timeStep: TIME_STEP,
    preferredSpeed: 1,
    maxSpeed: 2,
    neighborDistance: 15,
    ...defaults,
    capacity,
    maxNeighbors: MAX_NEIGHBORS,
  })
  if (obstacles) crowd.obstacles = obstacles
  const pace = createPace(step)
  const dim = crowd.dimensions
  const agent = { position: new Float32Array(dim), goal: new Float32Array(dim) }
  let starts = new Float32Array(dim * capacity)
  let ends = new Float32Array(dim * capacity)
  let picked = 0
  let arrived = 0
  let rested = 0
  let steps = 0 // since it began
  let stepTime // ms, smoothed
  let look
  const comparison = createComparison(compare)

  // The same whenever it is called: nothing but the settings decides what happens.
  function reset() {
    crowd.clear()
    for (let i = 0; i < params.agents; i++) {
      place(i, params.agents, agent.position, agent.goal)
      crowd.add(agent)
      starts.set(agent.position, dim * i)
      ends.set(agent.goal, dim * i)
    }
    adjust()
    picked = arrived = rested = steps = 0
    stepTime = undefined
    comparison.forget()
    begin(crowd)
    look = crowd.inspect(picked)
  }

  function adjust() {
    crowd.maxNeighborCounts.fill(params.neighbors)
    crowd.timeHorizons.fill(params.horizon)
  }

  // How many have come to where they end.
  function count() {
    const { positions } = crowd
    const near2 = defaults.radius ** 2
    arrived = 0
    for (let i = 0; i < dim * params.agents; i += dim) {
      let way2 = 0
      for (let axis = i; axis < i + dim; axis++) way2 += (ends[axis] - positions[axis]) ** 2
      if (way2 < near2) arrived++
    }
  }

  function turn() {
    ;[starts, ends] = [ends, starts]
    crowd.goals.set(ends)
    rested = 0
  }

  function step() {
    if (route) for (let i = 0; i < params.agents; i++) route(i, crowd, ends)
    stepTime = smoothTime(stepTime, () => crowd.step())
    steps++
    count()
    rested = arrived >= ENOUGH * params.agents ? rested + TIME_STEP : 0
    if (rested > REST) turn()
  }

  // Whether a loop over all agents finds the neighbors of the picked one.
  function compare() {
    const expected = nearestAgents(crowd, params.agents, picked, params.neighbors)
    return { equal: isSame(crowd.inspect(picked).neighbors, expected) }
  }

  reset()

  return {
    crowd,

    /** What the picked agent will keep clear of. */
    get look() {
      return look
    },

    get picked() {
      return picked
    },

    hits: () => look.neighbors.length,

    results: comparison.results,

    frame(dt, lap) {
      pace(dt, params.speed)
      lap('move')
      comparison.pass(dt)
      lap()
      look = crowd.inspect(picked)
      lap('query')
    },

    report() {
      const { infeasible, overlaps, neighbors, bytes } = crowd.stats()
      const numbers = [
        ['One step', formatTime(stepTime)],
        ['Overlaps', overlaps],
        ['Infeasible', infeasible],
        ['Arrived', arrived],
        ['Agents', params.agents],
        ['Neighbors, mean', neighbors.toFixed(1)],
        ['Steps', steps],
        ['Time', Math.round(steps * TIME_STEP)],
        ['Bytes an agent', Math.round(bytes / capacity)],
        ['Picked agent', picked],
        ['Its neighbors', look.neighbors.length + verdict(comparison.equal)],
        ['Its constraints', look.constraints.length / (2 * dim)],
      ]
      if (obstacles)
        numbers.push(['Its walls', look.walls.length], ['Wall constraints', look.wallConstraints])
      return { numbers }
    },

    change(field) {
      if (field === 'agents') reset()
      else adjust()
    },

    press() {
      const slot = pick(crowd)
      if (slot < 0) return
      picked = slot
      look = crowd.inspect(slot)
    },

    dispose() {
      crowd.dispose()
    },
  }
}

/** The neighbors of a slot, nearest first, ties by lower slot. */
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
