// The simulation of the scene: a crowd passes a gap in a wall and comes in again on the other side, so that it
// never ends. No page is needed: it can run in a worker. The same inputs give the same positions, bit for bit.
//
// Units: the view covers AREA, in any shape. The stream flows ahead, along axis `along` (0: x, 1: y); the wall
// stands across, in the middle. Agents leave and enter out of view.

import { Crowd, FlowField, ObstacleTree } from 'copse'
import { timeRuns } from '../../view/clock.js'

export const TIME_STEP = 1 / 60
export const COLORS = 12
const ABSENT = COLORS // kind of a free slot: it has no color
const AREA = 40_000
const FILL = 0.15 // part of the view that the agents cover
const OUTSIDE = 12 // how far beyond the view agents leave and enter
const GAP_SPEED = 60 // per second
const WALK = 28 // mean preferred speed
const REACH = 8 // distance at which agents see each other, in radii
const HORIZON = 10 // distance that must stay free ahead, in radii
const CELL = 2 // of the field
const BEHIND = 4 // depth of the field's goal behind the gap
const SLICE = 12_000 // work of the field's build in a step: less than a millisecond
const ENTERING = 20 // maximum number of agents that are added in a step
const EVEN = [0.754878, 0.56984] // multiples of both, without whole parts, cover a square evenly
const [LED, FREE] = [1, 2] // groups: agents before the wall follow the field, those behind it go straight

/**
 * Creates the world. `ratio`: the view's extent ahead, divided by that across. `gap`: the gap's width as a part of
 * the wall.
 *
 * @param {{ agents: number, ratio: number, along: 0 | 1, gap: number }} options
 */
export function createWorld({ agents, ratio, along, gap: width }) {
  const ahead = Math.sqrt(AREA * ratio) / 2 // half of the view
  const across = ahead / ratio
  const end = ahead + OUTSIDE
  const half = width * across // of the gap
  const farthest = across - half - CELL // of the gap's middle
  const radius = Math.sqrt((FILL * AREA) / Math.PI / agents)
  const walls = new ObstacleTree({ capacity: 16 })
  const known = new ObstacleTree({ capacity: 16 }) // the walls when the field's build began
  const crowd = new Crowd({
    ...{ capacity: agents, timeStep: TIME_STEP, radius, maxSpeed: 1.3 * WALK, maxNeighbors: 6 },
    ...{ neighborDistance: REACH * radius, timeHorizon: (HORIZON * radius) / WALK },
    timeHorizonObstacles: (4 * radius) / WALK,
  })
  const field = new FlowField({
    bounds: place2(-end, -across, BEHIND + CELL, across),
    cell: CELL,
    radius: Math.max(CELL / 2, 1.02 * radius),
  })
  // By slot: the agent's place across where it enters and leaves, and the color of that place.
  const lanes = Float32Array.from({ length: agents }, (_, i) => {
    return (2 * ((EVEN[0] * i) % 1) - 1) * (across - 2 * radius)
  })
  const colors = Uint8Array.from(lanes, (lane) => (COLORS * (lane / across + 1)) / 2)
  const kinds = new Uint8Array(agents).fill(ABSENT) // color of each agent
  const times = { step: 0, field: 0 } // ms of the last step
  let gap = 0 // its middle
  let wanted = 0
  let limit = agents
  let isOdd = true // only every other agent stays away: the stream grows thinner, without a hole
  let known0 = NaN // the gap of the known walls

  function place(ahead, across) {
    return along === 0 ? [ahead, across] : [across, ahead]
  }

  function place2(ahead0, across0, ahead1, across1) {
    return [...place(ahead0, across0), ...place(ahead1, across1)]
  }

  function raise(tree) {
    tree.clear()
    tree.addSegment(...place2(0, -across, 0, gap - half))
    tree.addSegment(...place2(0, gap + half, 0, across))
    for (const side of [-across, across])
      tree.addSegment(...place2(-end - OUTSIDE, side, end + OUTSIDE, side))
  }

  function beginField() {
    known0 = gap
    raise(known)
    field.setGoalAreas(place2(BEHIND - 1, gap - half, BEHIND, gap + half))
  }

  // Goes on with the field's build. Agents follow the previous one until it is complete. The known walls change
  // only between builds, since a change would begin the build again.
  function updateField() {
    if (!field.stats().isUnderWay) {
      if (known0 === gap) return
      beginField()
    }
    field.update(SLICE)
  }

  function moveGap() {
    const most = GAP_SPEED * TIME_STEP
    const by = Math.min(Math.max(wanted - gap, -most), most)
    if (by === 0) return
    gap += by
    raise(walls)
  }

  // Makes agents go straight once they are through, and takes those that have left back to the start.
  function sort() {
    const { positions, groups, goals, slots } = crowd
    for (let i = 0; i < slots; i++) {
      if (kinds[i] === ABSENT) continue
      const at = positions[2 * i + along]
      if (at >= end) leave(i)
      else if (at < 0) groups[i] = LED
      else if (at > radius && groups[i] === LED) {
        groups[i] = FREE
        goals.set(place(end + OUTSIDE, lanes[i]), 2 * i)
      }
    }
    for (let n = 0; n < ENTERING && crowd.count < limit; n++) enter(-end)
  }

  function leave(i) {
    if (crowd.count > limit && isOdd) {
      isOdd = false
      crowd.remove(i)
      kinds[i] = ABSENT
      crowd.positions[2 * i] = NaN
      return
    }
    isOdd = true
    crowd.move(i, ...place(-end, lanes[i]))
    crowd.groups[i] = LED
  }

  // Adds an agent. Lanes are closer together near the gap.
  function enter(at) {
    const i = kinds.indexOf(ABSENT)
    const narrow = width + ((1 - width) * Math.abs(at)) / end
    crowd.add({
      position: place(at, lanes[i] * narrow),
      velocity: place(WALK, 0),
      preferredSpeed: WALK * (0.85 + (0.3 * (i % 7)) / 6),
      groups: LED,
    })
    kinds[i] = colors[i]
  }

  raise(walls)
  field.obstacles = known
  beginField()
  field.build()
  crowd.obstacles = walls
  crowd.follow(field, { mask: LED })
  for (let i = 0; i < agents; i++) enter((2 * ((EVEN[1] * i) % 1) - 1) * end)
  sort()

  return {
    ...{ crowd, field, kinds, radius, half, ahead, across, times },

    get gap() {
      return gap
    },

    /** Sets where the gap moves, and the maximum number of agents: those above it stay away once they have left. */
    input(input) {
      wanted = Math.min(Math.max(input.gap, -farthest), farthest)
      limit = Math.min(input.agents, agents)
    },

    step() {
      times.field = timeRuns(() => {
        moveGap()
        updateField()
      })
      times.step = timeRuns(() => {
        crowd.step()
        sort()
      })
    },

    dispose() {
      crowd.follow(field, { mask: 0 })
      for (const object of [crowd, field, walls, known]) object.dispose()
    },
  }
}
