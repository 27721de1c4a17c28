// Sensors on one agent tree: guards that notice the player and remember for a while, trigger boxes, and the
// player's area of interest, with the bytes that a game server would send for it. A loop with plain sets
// checks every update.

import { AgentTree, Sensors } from 'copse'
import { smooth, timeRuns } from '../view/clock.js'
import { verdict } from '../view/compare.js'
import { addSteps, scaleSetting } from '../view/controls.js'
import { drawDarts, drawDots, strokeCircle } from '../view/draw.js'
import { formatNumber, formatTime } from '../view/format.js'
import { spawn } from '../view/spawn.js'
import { FONT, theme } from '../view/theme.js'

const AGENTS = [200, 500, 1_000, 2_000, 5_000]
const MAX_AGENTS = AGENTS.at(-1)
const [PLAYER, GUARD, CREATURE] = [1, 2, 4] // groups
const GUARDS = 12 // agents 1 … GUARDS; agent 0 is the player
const BOXES = 5
const BOX = 0.14 // width and height, as a fraction of the stage's
const BOX_LEAVE = 12
const INTERESTS = [60, 400]
const MEMORY = 1.6 // a guard loses the player beyond this many times its sight
const SPEED = { player: 260, guard: 110 } // pixels per second
const REBIRTHS = 6 // creatures per second that are removed, and replaced by others in the same slots
const FLASH = 0.4 // seconds for which a creature that entered or left is marked
// What a server sends for an agent: its id takes two bytes, a position four, its kind and state ten more.
const BYTES = { entered: 16, inside: 6, left: 2 }
const { fround } = Math

export default {
  name: 'zones',
  title: 'Area of interest',
  order: 4,
  group: 'Games',
  summary: 'Guards that notice, trigger boxes, and what a server need not send',
  description:
    'Sensors report all that enters and leaves: guards notice the player, boxes light up, and a server sends only what is near.',
  try: 'Lead the player; click to move a box.',
  help: 'Guards notice the player in their inner circle, and lose it beyond the outer one. Tap or Enter moves the nearest box, too. Wheel, pinch, + and - change the area of interest.',
  legend: [
    ['dart', 'ink', 'player'],
    ['ring', 'hit', 'area of interest'],
    ['dot', 'hit', 'sent'],
    ['dot', 'agent', 'not sent'],
    ['ring', 'blue', 'guard'],
    ['ring', 'red', 'guard that chases'],
    ['area', 'query', 'box with someone inside'],
  ],
  minimal: ['aggro-with-memory', 'area-of-interest-for-a-server', 'object-pool'],

  count: 'agents',
  params: { agents: 1_000, interest: 140, margin: 0.15, sight: 70, showAll: true },

  controls(gui, params) {
    addSteps(gui, params, 'agents', AGENTS)
    gui.add(params, 'interest', ...INTERESTS, 10).name('area of interest')
    gui.add(params, 'margin', 0, 0.5, 0.05).name('margin for leaving')
    gui.add(params, 'sight', 30, 150, 5).name('sight of guards')
    gui.add(params, 'showAll').name('show all agents')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    // copse:
    const agents = new AgentTree({ capacity: MAX_AGENTS })
    const sensors = new Sensors({ index: agents, capacity: GUARDS + BOXES + 1 })

    const boxes = Array.from({ length: BOXES }, (_, i) => ({
      x: stage.width * (0.15 + (0.7 * i) / (BOXES - 1)),
      y: stage.height * (i % 2 ? 0.72 : 0.28),
      slot: sensors.add({ box: [0, 0, 1, 1], exitRadius: BOX_LEAVE, mask: PLAYER | CREATURE }),
      inside: 0,
    }))
    const guards = Array.from({ length: GUARDS }, (_, i) => ({
      agent: i + 1,
      slot: sensors.add({ agent: i + 1, radius: params.sight, mask: PLAYER }),
      angle: (2 * Math.PI * i) / GUARDS,
      chases: false,
    }))
    const interest = sensors.add({ agent: 0, radius: params.interest, mask: GUARD | CREATURE })
    const near = new Uint32Array(MAX_AGENTS) // agents in the area of interest
    const flashes = new Float32Array(MAX_AGENTS) // seconds left
    const flashed = new Uint32Array(MAX_AGENTS)
    // By sensor and agent: the generation of the agent inside, or 0, as a plain loop finds it.
    const expected = Array.from({ length: GUARDS + BOXES + 1 }, () => new Uint32Array(MAX_AGENTS))
    let flock = null // see spawn.js
    let nearCount = 0
    let reborn = 0 // fraction of the next creature to replace
    let bytes // per update, smoothed
    let changes // agents that entered or left, per update, smoothed
    let queryTime // ms, smoothed
    let bruteTime
    let equal

    function gather() {
      flock = spawn('uniform', params.agents, stage.width, stage.height, random)
      agents.slots = params.agents
      agents.positions.set(flock.positions)
      agents.groups.fill(CREATURE, 0, params.agents)
      agents.groups[0] = PLAYER
      for (const { agent } of guards) agents.groups[agent] = GUARD
      agents.move(0, pointer.x, pointer.y)
      for (const guard of guards) agents.move(guard.agent, ...postOf(guard))
      placeBoxes()
    }

    /** Returns minX, minY, maxX, maxY of a box around a center. */
    function sidesOf(x, y) {
      const [halfX, halfY] = [(BOX / 2) * stage.width, (BOX / 2) * stage.height]
      return [x - halfX, y - halfY, x + halfX, y + halfY]
    }

    function placeBoxes() {
      for (const { x, y, slot } of boxes) sensors.move(slot, ...sidesOf(x, y))
    }

    // Guards walk around the center of the stage.
    const postOf = ({ angle }) => [
      stage.width * (0.5 + 0.36 * Math.cos(angle)),
      stage.height * (0.5 + 0.36 * Math.sin(angle)),
    ]

    function walk(agent, toX, toY, step) {
      const { positions } = agents
      const [x, y] = [positions[2 * agent], positions[2 * agent + 1]]
      const distance = Math.hypot(toX - x, toY - y)
      const part = distance > step ? step / distance : 1
      agents.move(agent, x + part * (toX - x), y + part * (toY - y))
    }

    function move(dt) {
      flock.move(dt)
      agents.positions.set(flock.positions.subarray(2 * GUARDS + 2), 2 * GUARDS + 2)
      walk(0, pointer.x, pointer.y, SPEED.player * dt)
      for (const guard of guards) {
        guard.angle += 0.1 * dt
        const { positions } = agents
        const goal = guard.chases ? positions.subarray(0, 2) : postOf(guard)
        walk(guard.agent, goal[0], goal[1], SPEED.guard * dt)
      }
      // Other creatures take the slots of those that are removed.
      for (reborn += REBIRTHS * dt; reborn >= 1; reborn--) {
        const first = GUARDS + 1
        const slot = first + Math.floor((params.agents - first) * random())
        agents.remove(slot)
        agents.add(flock.positions[2 * slot], flock.positions[2 * slot + 1])
        agents.groups[slot] = CREATURE
      }
    }

    // Sets the distances of sensors, and updates them.
    // copse:
    function sense() {
      const { radii, exitRadii } = sensors
      for (const { slot } of guards) {
        radii[slot] = params.sight
        exitRadii[slot] = MEMORY * params.sight
      }
      radii[interest] = params.interest
      exitRadii[interest] = params.interest * (1 + params.margin)
      return sensors.update()
    }

    // Reacts to what left and entered, in this order.
    function react({ left, entered, inside }, dt) {
      for (const guard of guards) {
        if (left.counts[guard.slot] > 0) guard.chases = false
        if (entered.counts[guard.slot] > 0) guard.chases = true
      }
      for (const box of boxes) box.inside = inside.counts[box.slot]
      nearCount = inside.counts[interest]
      const first = inside.offsets[interest]
      near.set(inside.ids.subarray(first, first + nearCount))
      for (let i = 0; i < params.agents; i++) flashes[i] = Math.max(flashes[i] - dt, 0)
      if (dt === 0) return
      for (const { ids, offsets, counts } of [left, entered])
        for (let i = 0; i < counts[interest]; i++) flashes[ids[offsets[interest] + i]] = FLASH
      const come = entered.counts[interest]
      const gone = left.counts[interest]
      const sent = BYTES.entered * come + BYTES.inside * (nearCount - come) + BYTES.left * gone
      bytes = smooth(bytes, sent)
      changes = smooth(changes, come + gone)
    }

    // ---- The same by a loop over all agents ----

    /** Returns a function that tests if a point is within a distance of a sensor, in float32. */
    function testOf(slot) {
      const box = boxes.find((each) => each.slot === slot)
      if (!box) {
        const center = sensors.agents[slot]
        const [centerX, centerY] = agents.positions.subarray(2 * center, 2 * center + 2)
        return (x, y, distance) => {
          const dx = fround(x - centerX)
          const dy = fround(y - centerY)
          return fround(fround(dx * dx) + fround(dy * dy)) <= fround(distance * distance)
        }
      }
      const [minX, minY, maxX, maxY] = sidesOf(box.x, box.y).map(fround)
      return (x, y, distance) => {
        if (x < fround(minX - distance) || x > fround(maxX + distance)) return false
        return y >= fround(minY - distance) && y <= fround(maxY + distance)
      }
    }

    function bruteForce() {
      const { positions, groups, generations } = agents
      const { radii, exitRadii, masks } = sensors
      for (let slot = 0; slot < expected.length; slot++) {
        const remembered = expected[slot]
        const isWithin = testOf(slot)
        for (let i = 0; i < MAX_AGENTS; i++) {
          const isPresent = i < params.agents && (groups[i] & masks[slot]) !== 0
          const isKnown = remembered[i] === generations[i]
          const distance = isKnown ? exitRadii[slot] : radii[slot]
          const isInside = isPresent && isWithin(positions[2 * i], positions[2 * i + 1], distance)
          remembered[i] = isInside ? generations[i] : 0
        }
        if (sensors.agents[slot] >= 0) remembered[sensors.agents[slot]] = 0
      }
    }

    // True if the update and the loop found the same agents inside every sensor.
    function isAsExpected({ inside: { ids, offsets, counts } }) {
      for (let slot = 0; slot < expected.length; slot++) {
        let total = 0
        for (let i = 0; i < MAX_AGENTS; i++) if (expected[slot][i] > 0) total++
        if (total !== counts[slot]) return false
        for (let i = 0; i < counts[slot]; i++)
          if (expected[slot][ids[offsets[slot] + i]] === 0) return false
      }
      return true
    }

    gather()

    return {
      hits: () => nearCount,
      results: () =>
        equal === undefined ? [] : [{ name: 'brute force', total: bruteTime, equal }],

      frame(dt, lap) {
        if (dt > 0) move(dt)
        lap('move')
        // copse:
        agents.build()

        lap('build')
        let updated
        queryTime = smooth(
          queryTime,
          timeRuns(() => (updated = sense())),
        )
        lap('query')
        react(updated, dt)
        bruteTime = smooth(bruteTime, timeRuns(bruteForce))
        equal = isAsExpected(updated)
        lap()
      },

      draw() {
        drawBoxes()
        drawAgents()
        drawGuards()
        drawPlayer()
      },

      report(times) {
        const all = BYTES.inside * params.agents
        return {
          numbers: [
            ['Bytes per update', Math.round(bytes ?? 0)],
            ['All agents', all],
            ['Sensors', formatTime(queryTime)],
            ['Sent', `${((100 * (bytes ?? 0)) / all).toFixed(1)}%`],
            ['Near the player', nearCount],
            ['Come and gone', (changes ?? 0).toFixed(1)],
            ['Brute force', formatTime(bruteTime) + verdict(equal)],
            ['Build', formatTime(times.build)],
            ['Guards that chase', guards.filter(({ chases }) => chases).length],
            ['In boxes', boxes.reduce((sum, { inside }) => sum + inside, 0)],
            ['Agents', params.agents],
          ],
        }
      },

      change(field) {
        if (field === 'agents') gather()
      },

      resize(x, y) {
        flock.resize(x, y)
        for (const box of boxes) Object.assign(box, { x: box.x * x, y: box.y * y })
        placeBoxes()
        for (const guard of guards) agents.move(guard.agent, ...postOf(guard))
      },

      scroll: (steps) => scaleSetting(stage, params, 'interest', steps, INTERESTS, 10),

      press() {
        const distance = ({ x, y }) => Math.hypot(x - pointer.x, y - pointer.y)
        const nearest = boxes.reduce((best, box) => (distance(box) < distance(best) ? box : best))
        Object.assign(nearest, { x: pointer.x, y: pointer.y })
        placeBoxes()
      },

      dispose() {
        sensors.dispose()
        agents.dispose()
      },
    }

    function drawBoxes() {
      const { context } = stage
      context.font = `600 15px ${FONT}`
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      for (const { x, y, inside } of boxes) {
        const [minX, minY, maxX, maxY] = sidesOf(x, y)
        const size = [maxX - minX, maxY - minY]
        context.fillStyle = context.strokeStyle = theme.query
        context.lineWidth = inside > 0 ? 2.5 : 1
        context.globalAlpha = inside > 0 ? 0.2 : 0.06
        context.fillRect(minX, minY, ...size)
        context.globalAlpha = inside > 0 ? 0.9 : 0.5
        context.strokeRect(minX, minY, ...size)
        context.globalAlpha = 1
        context.fillStyle = theme.ink
        if (inside > 0) context.fillText(formatNumber(inside), x, minY - 12)
      }
    }

    function drawAgents() {
      const { context } = stage
      const { positions } = agents
      if (params.showAll) {
        context.globalAlpha = 0.45
        drawDots(stage, positions, null, params.agents, 2.5, theme.agent)
        context.globalAlpha = 1
      }
      drawDots(stage, positions, near, nearCount, 3, theme.hit)
      let count = 0
      for (let i = 0; i < params.agents; i++) if (flashes[i] > 0) flashed[count++] = i
      for (let n = 0; n < count; n++) {
        const i = flashed[n]
        stage.context.globalAlpha = flashes[i] / FLASH
        strokeCircle(stage.context, positions[2 * i], positions[2 * i + 1], 6, theme.hit)
      }
      stage.context.globalAlpha = 1
    }

    function drawGuards() {
      const { context } = stage
      const { positions } = agents
      for (const { agent, chases } of guards) {
        const [x, y] = [positions[2 * agent], positions[2 * agent + 1]]
        const color = chases ? theme.red : theme.blue
        strokeCircle(context, x, y, params.sight, color, chases ? 1 : 1.5)
        context.setLineDash([4, 5])
        strokeCircle(context, x, y, MEMORY * params.sight, color, chases ? 2 : 0.5)
        context.setLineDash([])
        drawDots(stage, positions, [agent], 1, 6, color)
      }
    }

    function drawPlayer() {
      const { context } = stage
      const [x, y] = agents.positions
      strokeCircle(context, x, y, params.interest, theme.hit, 2)
      context.setLineDash([4, 5])
      strokeCircle(context, x, y, params.interest * (1 + params.margin), theme.hit, 1)
      context.setLineDash([])
      context.fillStyle = theme.ink
      drawDarts(context, [x, y], [0], 1, pointer.dirX, pointer.dirY, 10)
    }
  },
}
