// The world of the scene: a crowd passes a gap in a wall and comes in again on the other side, so that it never
// ends; and the queries of queries.js. It needs no page: it can run in a worker. The same inputs at the same steps
// give the same positions, bit for bit.
//
// Units: the view covers AREA, in any shape. The stream flows ahead, along axis `along` (0: x, 1: y); the wall
// stands across, in the middle. Agents leave and enter out of view.

import { Crowd, FlowField, ObstacleTree } from 'copse'
import { smoothTime, timeRuns } from '../../view/clock.js'
import { createTimes, DIVIDED, loadThreads } from '../../view/threads.js'
import { deepest } from '../../view/touching.js'
import { createQueries } from './queries.js'

export const TIME_STEP = 1 / 60
export const COLORS = 12
export const [NEIGHBOR, CENTER] = [COLORS + 1, COLORS + 2] // marks of agents in the picture
export const MAX_WALK = 18 // mean preferred speed, at most
export const LEAST = 500 // agents
/** What the array `numbers` of a world holds; NaN: not known. */
export const NUMBERS = [
  ...['agents', 'capacity', 'radius', 'low', 'high'], // low, high: ends of the wall at the gap
  ...['stepTime', 'fieldTime', 'found', 'asked', 'depth', 'tick', 'hash', 'hashTick'],
  ...['threads', 'oneTime', 'severalTime', 'equal'], // of a step with one thread, and with several
]
const ABSENT = COLORS // kind of a free slot: it has no color
const AREA = 40_000
const FILL = 0.15 // part of the view that the agents cover
const OUTSIDE = 12 // how far beyond the view agents leave and enter
const OPENING = 90 // per second: the speed of an end of the wall that makes the gap wider
const CLOSING = 12 // of an end that makes it narrower: slow enough for agents to make way
const STRIDE = 0.55 // the maximum mean distance per step, in radii: in longer steps, agents end inside others
const FASTEST = 1.3 // maximum speed, by the mean one
const REACH = 8 // distance at which agents see each other, in radii
const HORIZON = 10 // distance that must stay free ahead, in radii
const CELL = 2 // of the field
const BEHIND = 4 // depth of the field's goal behind the gap
const SLICE = 12_000 // work of the field's build in a step: less than a millisecond
const ENTERING = 20 // maximum number of agents that are added in a step
const APART = 2.2 // radii between the lanes in which agents enter
const EVEN = [0.754878, 0.56984] // multiples of both, without whole parts, cover a square evenly
const [LED, FREE] = [1, 2] // groups: agents before the wall follow the field, those behind it go straight
const TRIAL = 6 // steps of a world on trial, the fastest of which counts: code is compiled in the first
const ASKED = 100 // agents whose neighbors are found
const ASKED_REACH = 5 // of these queries, in radii
const COMPARED = 30 // steps between two comparisons of their results, hashes and depths

/** Half of the view's extent ahead and across, and half of the gap. */
export function shapeOf({ ratio, gap }) {
  const ahead = Math.sqrt(AREA * ratio) / 2
  const across = ahead / ratio
  return { ahead, across, half: gap * across }
}

/**
 * Creates the world. `ratio`: the view's extent ahead, divided by that across. `gap`: the gap's width as a part of
 * the wall. If its steps take longer than `budget` ms, it has fewer agents.
 *
 * @typedef {{ agents: number, ratio: number, along: 0 | 1, gap: number }} Options
 * @param {Options & { threads: number, budget?: number }} options
 */
export async function createWorld({ threads, budget = Infinity, ...rest }) {
  const options = { ...rest, team: await loadThreads(threads) }
  const world = build(options)
  if (budget === Infinity) return world
  let least = Infinity
  for (let n = 0; n < TRIAL && least > budget; n++) least = Math.min(least, world.trial())
  if (least <= budget) return world
  world.free()
  const fitting = 100 * Math.floor((options.agents * budget) / least / 100)
  return build({ ...options, agents: Math.max(fitting, LEAST) })
}

function build({ agents, along, ratio, gap, team }) {
  const { ahead, across, half } = shapeOf({ ratio, gap })
  const end = ahead + OUTSIDE
  const farthest = across - half - CELL // of the gap's middle
  const radius = Math.sqrt((FILL * AREA) / Math.PI / agents)
  const walk = Math.min(MAX_WALK, (STRIDE * radius) / TIME_STEP)
  const own = createObjects(team.instance)
  const { walls, known, crowd, field } = own
  const queries = createQueries(crowd, ASKED_REACH * radius, ASKED, team.instance)
  // By slot: the lane in which the agent enters and leaves, and its color.
  const count = Math.floor((2 * across - 4 * radius) / (APART * radius)) // of lanes
  const lanes = Uint16Array.from({ length: agents }, (_, i) => count * ((EVEN[0] * i) % 1))
  const colors = Uint8Array.from(lanes, (lane) => (COLORS * lane) / count)
  const taken = new Uint8Array(count) // 1: agents are in the way, by lane
  const kinds = new Uint8Array(agents).fill(ABSENT) // color of each agent
  const marked = new Uint8Array(agents) // the same, and the agents of the queries
  const wanted = { gap: 0, agents } // the last input
  const ends = [-half, half] // of the wall, at the gap
  const knownEnds = [NaN, NaN] // of the known walls
  let isOdd = true // only every other agent stays away: the stream grows thinner, without a hole
  let tick = 0
  let stepTime
  let fieldTime
  let depth // of the deepest overlap, by a radius
  let hash
  let hashTick
  const times = createTimes()
  let alone = null // the same objects with one thread, to compare with

  function createObjects(instance) {
    const walls = new ObstacleTree({ capacity: 16, instance })
    const known = new ObstacleTree({ capacity: 16, instance }) // the walls when the field's build began
    const crowd = new Crowd({
      ...{ capacity: agents, radius, maxSpeed: FASTEST * walk },
      ...{ neighborDistance: REACH * radius, timeHorizon: (HORIZON * radius) / walk },
      ...{ obstacleTimeHorizon: (4 * radius) / walk, maxNeighbors: 6, instance },
    })
    const field = new FlowField({
      bounds: place2(-end, -across, BEHIND + CELL, across),
      cell: CELL,
      radius: Math.max(CELL / 2, 1.02 * radius),
      instance,
    })
    field.obstacles = known
    crowd.obstacles = walls
    crowd.follow(field, { mask: LED })
    return {
      ...{ walls, known, crowd, field },
      dispose() {
        crowd.follow(field, { mask: 0 })
        for (const object of [crowd, field, walls, known]) object.dispose()
      },
    }
  }

  function place(ahead, across) {
    return along === 0 ? [ahead, across] : [across, ahead]
  }

  function place2(ahead0, across0, ahead1, across1) {
    return [...place(ahead0, across0), ...place(ahead1, across1)]
  }

  const middleOf = (lane) => (lane + 0.5 - count / 2) * APART * radius

  function raise(tree, [low, high]) {
    tree.clear()
    tree.addSegment(...place2(0, -across, 0, low))
    tree.addSegment(...place2(0, high, 0, across))
    for (const side of [-across, across])
      tree.addSegment(...place2(-end - OUTSIDE, side, end + OUTSIDE, side))
  }

  // The gap opens at once, and closes slowly. The field leads only to the part that stays open.
  function openPart() {
    const low = Math.min(Math.max(wanted.gap - half, ends[0]), ends[1] - 2 * half)
    return [low, low + 2 * half]
  }

  function beginField() {
    const part = openPart()
    knownEnds.splice(0, 2, ...part)
    raise(known, part)
    field.setGoalAreas(place2(BEHIND - 1, part[0], BEHIND, part[1]))
  }

  // Goes on with the field's build. Agents follow the previous one until it is complete. The known walls change
  // only between builds, since a change would begin the build again.
  function updateField() {
    if (!field.stats().isUnderWay) {
      const [low, high] = openPart()
      if (low === knownEnds[0] && high === knownEnds[1]) return
      beginField()
    }
    field.buildPart(SLICE)
  }

  function moveGap() {
    let isMoved = false
    for (const side of [0, 1]) {
      const outward = side === 0 ? -1 : 1
      const widening = outward * (wanted.gap + outward * half - ends[side]) // negative: closes
      const by = Math.min(Math.max(widening, -CLOSING * TIME_STEP), OPENING * TIME_STEP)
      if (by === 0) continue
      ends[side] += outward * by
      isMoved = true
    }
    if (isMoved) raise(walls, ends)
  }

  // Makes agents go straight once they are through, and takes those that have left back to the start.
  function sort() {
    const { positions, groups, goals, slots } = crowd
    findTaken()
    for (let i = 0; i < slots; i++) {
      if (kinds[i] === ABSENT) continue
      const at = positions[2 * i + along]
      if (at >= end) leave(i)
      else if (at < 0) groups[i] = LED
      else if (at > radius && groups[i] === LED) {
        groups[i] = FREE
        goals.set(place(end + OUTSIDE, middleOf(lanes[i])), 2 * i)
      }
    }
    for (let n = 0; n < ENTERING && crowd.count < wanted.agents; n++) enter(-end)
  }

  // Finds the lanes where agents are in the way of those that would enter.
  function findTaken() {
    const { positions, slots } = crowd
    taken.fill(0)
    for (let i = 0; i < slots; i++) {
      if (!(positions[2 * i + along] < 2 * radius - end)) continue // NaN: a free slot
      const lane = Math.floor(positions[2 * i + 1 - along] / (APART * radius) + count / 2)
      for (const near of [lane - 1, lane, lane + 1]) taken[near] = 1
    }
  }

  function leave(i) {
    if (crowd.count > wanted.agents && isOdd) {
      isOdd = false
      crowd.remove(i)
      kinds[i] = ABSENT
      crowd.positions[2 * i] = NaN
      return
    }
    isOdd = true
    if (taken[lanes[i]]) return // it waits
    taken[lanes[i]] = 1
    crowd.move(i, ...place(-end, middleOf(lanes[i])))
    crowd.groups[i] = LED
  }

  // Adds an agent. Lanes are closer together near the gap.
  function enter(at) {
    const i = kinds.indexOf(ABSENT)
    if (at === -end) {
      if (taken[lanes[i]]) return
      taken[lanes[i]] = 1
    }
    const narrow = gap + ((1 - gap) * Math.abs(at)) / end
    crowd.add({
      position: place(at, middleOf(lanes[i]) * narrow),
      velocity: place(walk, 0),
      preferredSpeed: walk * (0.85 + (0.3 * (i % 7)) / 6),
      groups: LED,
    })
    kinds[i] = colors[i]
  }

  function move() {
    fieldTime = smoothTime(fieldTime, () => {
      moveGap()
      updateField()
    })
    stepTime = smoothTime(stepTime, () => {
      crowd.step(TIME_STEP)
      sort()
    })
    tick++
  }

  // Runs the next step with one thread and with several, and takes it back.
  function compareThreads() {
    if (team.threads.count === 1 || agents < DIVIDED.crowd) return
    alone ??= createObjects()
    const state = crowd.save()
    raise(alone.walls, ends)
    raise(alone.known, knownEnds)
    alone.field.restore(field.save())
    alone.crowd.restore(state)
    const one = timeRuns(() => alone.crowd.step(TIME_STEP))
    const several = timeRuns(() => crowd.step(TIME_STEP))
    times.add(one, several, alone.crowd.hash() === crowd.hash())
    crowd.restore(state)
  }

  function mark() {
    const { neighbors, total, asked, count } = queries
    marked.set(kinds)
    for (let n = 0; n < total; n++) marked[neighbors[n]] = NEIGHBOR
    for (let n = 0; n < count; n++) marked[asked[n]] = CENTER
    return marked
  }

  // Frees the objects. The threads go on.
  function free() {
    queries.dispose()
    own.dispose()
    alone?.dispose()
  }

  raise(walls, ends)
  beginField()
  field.build()
  for (let i = 0; i < agents; i++) enter((2 * ((EVEN[1] * i) % 1) - 1) * end)
  sort()
  queries.compare()

  return {
    ...{ crowd, ends, timeStep: TIME_STEP },

    /** Runs a step and returns its milliseconds. */
    trial() {
      stepTime = undefined
      move()
      return stepTime
    },

    /**
     * Runs a step. The last input counts: { gap, agents }, where the gap moves, and the maximum number of agents:
     * those above it stay away once they have left. Calls lap('move') and lap('query').
     */
    step(inputs, lap = (part) => {}) {
      for (const input of inputs) {
        wanted.gap = Math.min(Math.max(input.gap, -farthest), farthest)
        wanted.agents = Math.min(input.agents, agents)
      }
      move()
      lap('move')
      queries.run()
      if (tick % COMPARED === 0) {
        queries.compare()
        compareThreads()
        depth = deepest(crowd, team.instance)
        hash = crowd.hash()
        hashTick = tick
      }
      lap('query')
    },

    arrays() {
      const { one, several, equal } = times.medians
      const { count, reason } = team.threads
      const values = {
        ...{ agents: crowd.count, capacity: agents, radius, low: ends[0], high: ends[1] },
        ...{ stepTime, fieldTime, found: queries.total, asked: queries.count },
        ...{ depth, tick, hash, hashTick },
        ...{ threads: count, oneTime: one, severalTime: several, equal },
      }
      return {
        positions: crowd.positions.subarray(0, 2 * agents),
        kinds,
        marked: mark(),
        numbers: Float64Array.from(NUMBERS, (name) => values[name]),
        // Of each way: build time, query time, visits, and whether its results are equal.
        ways: Float64Array.from(
          queries.ways.flatMap(({ buildTime, queryTime, read, equal }) => [
            ...[buildTime, queryTime, read, equal],
          ]),
        ),
        reason: new TextEncoder().encode(reason), // why there are not more threads
      }
    },

    free,

    dispose() {
      free()
      team.dispose()
    },
  }
}
