// Boids after Reynolds, "Flocks, herds, and schools" (1987): each keeps its distance from its neighbors,
// matches their velocity and stays with them. Its neighbors are the k nearest, however loose the flock, as
// Ballerini et al. (2008) found in starlings. One batch call per frame finds the neighbors of all boids and,
// by masks, the prey of each predator.

import { AgentTree, Grid } from 'copse'
import { addSteps, scaleSetting } from '../view/controls.js'
import { drawDarts, drawMany, fillDisc, radiusFor } from '../view/draw.js'
import { formatTime } from '../view/format.js'
import { timeRuns } from '../view/clock.js'
import { stretch } from '../view/spawn.js'
import { theme } from '../view/theme.js'
import { addThreads, createThreads, DIVIDED, threadParams } from '../view/threads.js'

const AGENTS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]
const MAX_BOIDS = AGENTS.at(-1)
const MAX_K = 16
const BOID = 1
const PREDATOR = 2
const REACH = [30, 400] // of the pointer, pixels

// Slots 0 … 19 are predators, the slots after them boids. Predators that are not in play have no group and an
// empty mask.
const MAX_PREDATORS = 20
const FIRST = MAX_PREDATORS
const SLOTS = FIRST + MAX_BOIDS

// Accelerations by each rule, per second, as fractions of the cruising speed.
const SEPARATION = 9
const ALIGNMENT = 4
const COHESION = 1.6
const WALL = 6
const FLIGHT = 14
const ATTRACTION = 2.4
const HUNT = 3 // how fast a predator turns
const PACE = 2 // how fast all return to their own speed
const FLEEING = 1.6 // own speeds, as multiples of the cruising speed
const HUNTING = 1.2
const SPACE = 3 // distance that a boid keeps from others, in half lengths of a boid
const PREDATOR_SIZE = 2.6 // in sizes of a boid
const CELL_SIZE = 30 // of the grid of a world that wraps around, pixels
const HEADINGS = 32 // directions that are drawn differently

export default {
  name: 'flock',
  title: 'Flock (boids)',
  order: 3,
  group: 'Games',
  summary: 'Boids that fly together, and follow or flee the pointer',
  description:
    'Each boid keeps clear of its nearest neighbors, flies as they do and stays with them; one call per frame finds them for all.',
  try: 'Lead the flock; click to scare it.',
  help: 'Predators chase the nearest boid. Tap or Enter scares the flock, and leads it again. Arrow keys move the pointer; wheel, pinch, + and - change its reach.',
  legend: [
    ['dart', 'headings', 'color: heading'],
    ['dart', 'hit', 'flees'],
    ['dart', 'query', 'predator'],
    ['line', 'query', 'neighbors of one boid'],
    ['ring', 'query', 'reach of the pointer'],
  ],
  minimal: ['wrap-around-flock'],

  count: 'agents',
  params: {
    agents: 2_000,
    predators: 3,
    neighbors: 7,
    perception: 60,
    separation: 1,
    alignment: 1,
    cohesion: 1,
    speed: 1,
    wrap: false,
    pointer: 'leads',
    reach: 140,
    byHeading: true,
    sight: true,
    ...threadParams,
  },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'predators', 0, MAX_PREDATORS, 1)
    gui.add(params, 'neighbors', 1, MAX_K, 1)
    gui.add(params, 'perception', 10, 150, 1)
    gui.add(params, 'separation', 0, 3, 0.1)
    gui.add(params, 'alignment', 0, 3, 0.1)
    gui.add(params, 'cohesion', 0, 3, 0.1)
    gui.add(params, 'speed', 0.25, 3, 0.25)
    gui.add(params, 'wrap').name('wrap around')
    gui.add(params, 'pointer', ['leads', 'scares', 'off'])
    gui.add(params, 'reach', ...REACH, 1)
    gui.add(params, 'byHeading').name('color by heading')
    gui.add(params, 'sight').name('show neighbors')
    addThreads(gui, params)
  },

  setup(stage, params) {
    const { random, pointer } = stage
    let instance // undefined: the default one, with one thread
    let tree = plant(instance)
    let alone = null // the same index with one thread, to compare with
    const speeds = new Float32Array(2 * SLOTS)
    const fleeing = new Uint8Array(SLOTS)
    const sight = { maxDistance: 0 }
    const boidsOnly = { mask: BOID }
    // Lists for drawing: calm boids by heading, then fleeing boids by heading.
    const lists = Array.from({ length: 2 * HEADINGS }, () => new Uint32Array(MAX_BOIDS))
    const listCounts = new Uint32Array(2 * HEADINGS)
    const predator = new Uint32Array(1)

    let boids = 0
    let size = 0 // from the center of a boid to its tip
    let cruise = 0 // pixels per second
    let rows // of the last batch
    let k = 0 // neighbors per row, at most
    let watched = -1 // boid nearest to the pointer
    let flights = 0
    let hits = 0

    const threads = createThreads(params, {
      use(next) {
        instance = next
        transplant()
      },
      agents: () => boids,
      least: DIVIDED.index,
      work: 'Build and query',
      compare: compareThreads,
    })

    // Returns an index: of a world that wraps around at the edges of the stage, or of one with soft walls.
    function plant(instance) {
      // copse:
      if (!params.wrap) return new AgentTree({ capacity: SLOTS, instance })
      const wrap = [0, 0, stage.width, stage.height]
      return new Grid({ capacity: SLOTS, cellSize: CELL_SIZE, wrap, instance })
    }

    // Moves all boids and predators to a new index.
    function transplant() {
      const old = tree
      tree = plant(instance)
      copy(old, tree)
      old.dispose()
      alone?.dispose()
      alone = null
      threads.forget()
    }

    function copy(from, to) {
      to.slots = from.slots
      to.positions.set(from.positions)
      to.groups.set(from.groups)
      to.masks.set(from.masks)
    }

    // Builds and queries an index of the same boids with one thread, and then the index with several.
    function compareThreads() {
      alone ??= plant()
      copy(tree, alone)
      let expected
      const one = timeRuns(() => (expected = ask(alone)))
      const several = timeRuns(() => (rows = ask(tree)))
      return [one, several, hasSameRows(rows, expected, tree.slots, k)]
    }

    function ask(index) {
      index.build()
      return index.allNeighbors(k, sight)
    }

    // The shorter way along an axis; in a world that wraps around, it may lead across an edge.
    const across = (d, size) =>
      !params.wrap || Math.abs(d) <= size / 2 ? d : d > 0 ? d - size : d + size

    function populate() {
      measure()
      tree.slots = FIRST + params.agents
      const { groups, masks } = tree
      for (let i = 0; i < FIRST; i++) {
        const plays = i < params.predators
        if (plays && groups[i] !== PREDATOR) place(i)
        groups[i] = plays ? PREDATOR : 0
        masks[i] = plays ? BOID : 0
      }
      for (let i = FIRST + boids; i < FIRST + params.agents; i++) {
        place(i)
        groups[i] = masks[i] = BOID
      }
      boids = params.agents
    }

    function place(i) {
      const heading = 2 * Math.PI * random()
      tree.positions[2 * i] = stage.width * (0.1 + 0.8 * random())
      tree.positions[2 * i + 1] = stage.height * (0.1 + 0.8 * random())
      speeds[2 * i] = cruise * Math.cos(heading)
      speeds[2 * i + 1] = cruise * Math.sin(heading)
    }

    function measure() {
      size = radiusFor(stage, params.agents, 0.22, [1.75, 6])
      cruise = (45 + 12 * size) * params.speed
    }

    // Pushes boids away from a point, or pulls them if `push` is negative: the nearer, the harder.
    function stir(x, y, reach, push) {
      // copse:
      const inReach = tree.within(x, y, reach, boidsOnly)

      const { positions } = tree
      for (let n = 0; n < inReach.length; n++) {
        const i = inReach[n]
        const dx = across(positions[2 * i] - x, stage.width)
        const dy = across(positions[2 * i + 1] - y, stage.height)
        const distance = Math.sqrt(dx * dx + dy * dy) || 1
        const change = (push * (1 - distance / reach)) / distance
        speeds[2 * i] += change * dx
        speeds[2 * i + 1] += change * dy
        if (push > 0) fleeing[i] = 1
      }
    }

    function scare(dt) {
      const { positions } = tree
      fleeing.fill(0)
      const fear = 10 * size + 25
      for (let i = 0; i < params.predators; i++) {
        stir(positions[2 * i], positions[2 * i + 1], fear, FLIGHT * cruise * dt)
      }
      if (params.pointer === 'off') return
      const rate = params.pointer === 'scares' ? FLIGHT : -ATTRACTION
      stir(pointer.x, pointer.y, params.reach, rate * cruise * dt)
    }

    // Turns predators toward the nearest boid that they see, and keeps them apart.
    function hunt(dt) {
      const { positions } = tree
      const { counts, ids } = rows
      const turn = Math.min(1, HUNT * dt)
      const apart = 8 * size
      for (let i = 0; i < params.predators; i++) {
        if (counts[i] > 0) {
          const prey = ids[i * k]
          const dx = across(positions[2 * prey] - positions[2 * i], stage.width)
          const dy = across(positions[2 * prey + 1] - positions[2 * i + 1], stage.height)
          const scale = (HUNTING * cruise) / (Math.sqrt(dx * dx + dy * dy) || 1)
          speeds[2 * i] += (scale * dx - speeds[2 * i]) * turn
          speeds[2 * i + 1] += (scale * dy - speeds[2 * i + 1]) * turn
        }
        for (let j = 0; j < params.predators; j++) {
          const dx = across(positions[2 * i] - positions[2 * j], stage.width)
          const dy = across(positions[2 * i + 1] - positions[2 * j + 1], stage.height)
          const distance2 = dx * dx + dy * dy
          if (distance2 === 0 || distance2 > apart * apart) continue
          speeds[2 * i] += (cruise * HUNT * dt * dx) / apart
          speeds[2 * i + 1] += (cruise * HUNT * dt * dy) / apart
        }
      }
    }

    function flock(dt) {
      const { positions } = tree
      const { width, height } = stage
      const { counts, ids, distances2 } = rows
      const space = SPACE * size
      const space2 = space * space
      const separation = SEPARATION * params.separation * cruise * dt
      const alignment = Math.min(1, ALIGNMENT * params.alignment * dt)
      const cohesion = (COHESION * params.cohesion * cruise * dt) / (2 * space)
      for (let i = FIRST, end = FIRST + boids; i < end; i++) {
        const count = counts[i]
        if (count > 0) {
          const x = positions[2 * i]
          const y = positions[2 * i + 1]
          let sumX = 0
          let sumY = 0
          let sumSpeedX = 0
          let sumSpeedY = 0
          let awayX = 0
          let awayY = 0
          for (let n = i * k, last = n + count; n < last; n++) {
            const j = ids[n]
            const dx = across(positions[2 * j] - x, width)
            const dy = across(positions[2 * j + 1] - y, height)
            sumX += dx
            sumY += dy
            sumSpeedX += speeds[2 * j]
            sumSpeedY += speeds[2 * j + 1]
            const distance2 = distances2[n]
            if (distance2 < space2 && distance2 > 0) {
              const near = 1 / Math.sqrt(distance2) - 1 / space
              awayX -= near * dx
              awayY -= near * dy
            }
          }
          const share = 1 / count
          speeds[2 * i] +=
            separation * awayX +
            alignment * (share * sumSpeedX - speeds[2 * i]) +
            cohesion * share * sumX
          speeds[2 * i + 1] +=
            separation * awayY +
            alignment * (share * sumSpeedY - speeds[2 * i + 1]) +
            cohesion * share * sumY
        }
      }
    }

    // Returns all boids and predators to their own speed, turns them at the soft walls, and moves them. Comes
    // last, after all have read each other's positions.
    function move(dt) {
      const { positions } = tree
      const { width, height } = stage
      const margin = Math.min(60, 0.12 * Math.min(width, height))
      const { wrap } = params
      const wall = wrap ? 0 : (WALL * cruise * dt) / margin
      const pace = Math.min(1, PACE * dt)
      flights = 0
      for (let i = 0, end = FIRST + boids; i < end; i++) {
        flights += fleeing[i]
        const own = i < FIRST ? HUNTING * cruise : fleeing[i] ? FLEEING * cruise : cruise
        const x = positions[2 * i]
        const y = positions[2 * i + 1]
        let speedX = speeds[2 * i]
        let speedY = speeds[2 * i + 1]
        const scale = 1 + pace * (own / (Math.sqrt(speedX * speedX + speedY * speedY) || 1) - 1)
        speedX = speedX * scale + wall * (Math.max(0, margin - x) - Math.max(0, x - width + margin))
        speedY =
          speedY * scale + wall * (Math.max(0, margin - y) - Math.max(0, y - height + margin))
        speeds[2 * i] = speedX
        speeds[2 * i + 1] = speedY
        positions[2 * i] = wrap ? wrapped(x + speedX * dt, width) : x + speedX * dt
        positions[2 * i + 1] = wrap ? wrapped(y + speedY * dt, height) : y + speedY * dt
      }
    }

    populate()

    return {
      hits: () => hits,
      results: threads.results,

      frame(dt, lap) {
        // copse:
        tree.build()
        lap('build')
        k = params.neighbors
        sight.maxDistance = params.perception
        rows = tree.allNeighbors(k, sight)
        watched = params.sight ? tree.nearest(pointer.x, pointer.y, boidsOnly) : -1

        lap('query')
        threads.pass(dt)
        lap()
        if (dt > 0) {
          scare(dt)
          hunt(dt)
          flock(dt)
          move(dt)
        }
        hits = flights + (watched < 0 ? 0 : rows.counts[watched])
        lap('move')
      },

      draw() {
        drawBoids()
        drawPredators()
        if (watched >= 0) drawSight()
        if (params.pointer !== 'off') drawPointer()
      },

      report(times) {
        return {
          numbers: [
            ['Boids', boids],
            ['Query', formatTime(times.query)],
            ['Build', formatTime(times.build)],
            ['Fleeing', flights],
            ['Move', formatTime(times.move)],
            ['Draw', formatTime(times.draw)],
          ],
          notes: { threads: threads.note() },
        }
      },

      change(field) {
        if (field === 'threads') return threads.change()
        threads.forget()
        if (field === 'agents' || field === 'predators') populate()
        else if (field === 'speed') measure()
        else if (field === 'wrap') transplant()
      },

      resize(x, y) {
        measure()
        stretch(tree.positions.subarray(0, 2 * tree.slots), x, y)
        if (params.wrap) transplant()
      },

      scroll: (steps) => scaleSetting(stage, params, 'reach', steps, REACH),

      press() {
        params.pointer = params.pointer === 'leads' ? 'scares' : 'leads'
        stage.refresh()
      },

      dispose() {
        tree.dispose()
        alone?.dispose()
        threads.dispose()
      },
    }

    function sortBoids() {
      listCounts.fill(0)
      const perRadian = HEADINGS / (2 * Math.PI)
      for (let i = FIRST, end = FIRST + boids; i < end; i++) {
        const turn = Math.round(Math.atan2(speeds[2 * i + 1], speeds[2 * i]) * perRadian)
        const list = ((turn + HEADINGS) % HEADINGS) + HEADINGS * fleeing[i]
        lists[list][listCounts[list]++] = i
      }
    }

    function drawBoids() {
      const calm = params.byHeading ? headingColors : headingColors.map(() => theme.agent)
      const colors = [...calm, ...calm.map(() => theme.hit)]
      const darts = {
        positions: tree.positions.subarray(2 * FIRST),
        headings: speeds.subarray(2 * FIRST),
        kinds: fleeing.subarray(FIRST),
        count: boids,
        radius: size,
        turns: HEADINGS,
        colors,
      }
      if (drawMany(stage, darts, true)) return
      const { context } = stage
      sortBoids()
      for (let list = 0; list < lists.length; list++) {
        const heading = (2 * Math.PI * list) / HEADINGS
        const [dirX, dirY] = [Math.cos(heading), Math.sin(heading)]
        context.fillStyle = colors[list]
        drawDarts(context, tree.positions, lists[list], listCounts[list], dirX, dirY, size)
      }
    }

    function drawPredators() {
      const { context } = stage
      for (let i = 0; i < params.predators; i++) {
        const speed = Math.hypot(speeds[2 * i], speeds[2 * i + 1]) || 1
        const [dirX, dirY] = [speeds[2 * i] / speed, speeds[2 * i + 1] / speed]
        predator[0] = i
        context.fillStyle = theme.query
        drawDarts(context, tree.positions, predator, 1, dirX, dirY, PREDATOR_SIZE * size + 4)
      }
    }

    // Draws lines from the boid nearest to the pointer to its neighbors.
    function drawSight() {
      const { context } = stage
      const { positions } = tree
      const { counts, ids } = rows
      const x = positions[2 * watched]
      const y = positions[2 * watched + 1]
      context.strokeStyle = theme.query
      context.lineWidth = 1.5
      context.beginPath()
      for (let n = watched * k; n < watched * k + counts[watched]; n++) {
        context.moveTo(x, y)
        const dx = across(positions[2 * ids[n]] - x, stage.width)
        const dy = across(positions[2 * ids[n] + 1] - y, stage.height)
        context.lineTo(x + dx, y + dy)
      }
      context.stroke()
      fillDisc(context, 3, theme.query, x, y)
    }

    function drawPointer() {
      const { context } = stage
      context.strokeStyle = context.fillStyle =
        params.pointer === 'scares' ? theme.hit : theme.query
      context.lineWidth = 1.5
      context.beginPath()
      context.arc(pointer.x, pointer.y, params.reach, 0, 2 * Math.PI)
      context.globalAlpha = 0.06
      context.fill()
      context.globalAlpha = 0.5
      context.stroke()
      context.globalAlpha = 1
    }
  },
}

/** True if two batches of neighbors hold the same rows, distances included. */
function hasSameRows(a, b, slots, k) {
  for (let i = 0; i < slots; i++) {
    if (a.counts[i] !== b.counts[i]) return false
    for (let n = i * k, end = n + a.counts[i]; n < end; n++) {
      if (a.ids[n] !== b.ids[n] || a.distances2[n] !== b.distances2[n]) return false
    }
  }
  return true
}

const wrapped = (x, size) => x - Math.floor(x / size) * size

// From green to violet and back, darker downward. No heading looks like the color of fleeing boids.
const headingColors = Array.from({ length: HEADINGS }, (_, heading) => {
  const angle = (2 * Math.PI * heading) / HEADINGS
  return `oklch(${0.66 - 0.1 * Math.sin(angle)} 0.14 ${225 + 65 * Math.cos(angle)})`
})
