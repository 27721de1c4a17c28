// The page: the world as all zones report it, and what one player gets.

import { Session } from './session.js'
import { GHOST, INTEREST, INTEREST_LEAVE, PLAYER, pillarsOf, westOf } from './world.js'

const STALE = 1000 // milliseconds without a report: the zone is down
const STEP = 10 // world units that an arrow key walks
const VIEW = INTEREST_LEAVE + 4 // half of what the player's canvas shows
const WORLD_DOT = 1.1 // radius, in world units

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id))
const colors = {}
function readColors() {
  const style = getComputedStyle(document.documentElement)
  // A canvas does not know light-dark(): an element resolves it.
  const probe = document.body.appendChild(document.createElement('i'))
  for (const name of [
    'paper',
    'panel',
    'ink',
    'muted',
    'line',
    'agent',
    'player',
    'ghost',
    'border',
  ]) {
    probe.style.color = `var(--${name})`
    colors[name] = style.color && getComputedStyle(probe).color
  }
  probe.remove()
}
readColors()
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readColors)

let world = null
/** The last report of each zone. */
const zones = new Map()
let load = { live: 0, rejoined: 0 }
let session = /** @type {Session | null} */ (null)
const handOvers = [] // milliseconds, of the last ones

const events = new EventSource('/events')
events.onmessage = ({ data }) => {
  const message = JSON.parse(data)
  if (message.world) begin(message.world)
  else if (message.clients) load = message.clients
  else {
    const before = zones.get(message.zone)
    zones.set(message.zone, { ...message, time: performance.now(), before })
    if (before) delete before.before
    handOvers.push(...message.handOverTimes)
    if (handOvers.length > 200) handOvers.splice(0, handOvers.length - 200)
  }
}

function begin(found) {
  if (world) return
  world = found
  session = new Session(globalThis.Colyseus.Client, world.endpoints, 0)
  for (let n = 0; n < world.processes; n++) {
    addButton(`Kill process ${n}`, `/kill?process=${n}`)
    addButton(`Start process ${n}`, `/start?process=${n}`)
  }
  addButton('Kill Redis for 3 s', '/kill-redis')
  requestAnimationFrame(frame)
  setInterval(report, 500)
}

function addButton(text, path) {
  const button = Object.assign(document.createElement('button'), {
    textContent: text,
    type: 'button',
  })
  button.onclick = () => fetch(path, { method: 'POST' })
  $('buttons').append(button)
}

const isUp = (/** @type {number} */ zone) =>
  performance.now() - (zones.get(zone)?.time ?? -Infinity) < STALE

/** Sizes a canvas, and scales it to world units. @returns {CanvasRenderingContext2D} */
function prepare(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio, 2)
  const pixels = Math.round(canvas.clientWidth * ratio)
  const scale = pixels / width
  if (canvas.width !== pixels) canvas.width = pixels
  canvas.height = Math.round(scale * height)
  const context = canvas.getContext('2d')
  context.setTransform(scale, 0, 0, scale, 0, 0)
  return context
}

function dot(context, x, y, radius) {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
}

function drawGround(context, scale) {
  const { side, margin } = world
  for (let zone = 0; zone < world.zones; zone++) {
    context.fillStyle = colors.line
    for (const corners of pillarsOf(zone)) {
      context.beginPath()
      for (let n = 0; n < corners.length; n += 2) context.lineTo(corners[n], corners[n + 1])
      context.fill()
    }
    if (zone === 0) continue
    const x = westOf(zone)
    context.fillStyle = colors.ghost
    context.globalAlpha = 0.08
    context.fillRect(x - margin, 0, 2 * margin, side)
    context.globalAlpha = 1
    context.strokeStyle = colors.border
    context.lineWidth = 1.5 / scale
    context.beginPath()
    context.moveTo(x, 0)
    context.lineTo(x, side)
    context.stroke()
  }
}

function drawWorld() {
  const { side, margin } = world
  const context = prepare($('world'), world.zones * side, side)
  const scale = $('world').width / (world.zones * side)
  drawGround(context, scale)
  for (let zone = 0; zone < world.zones; zone++) {
    const report = zones.get(zone)
    if (!report) continue
    context.globalAlpha = isUp(zone) ? 1 : 0.25
    for (let n = 0; n < report.agents.length; n += 3) {
      const [x, y, group] = [report.agents[n] / 10, report.agents[n + 1] / 10, report.agents[n + 2]]
      const border = Math.round(x / side)
      const isSeen = border > 0 && border < world.zones && Math.abs(x - westOf(border)) < margin
      context.fillStyle = group & PLAYER ? colors.player : isSeen ? colors.ghost : colors.agent
      dot(context, x, y, group & PLAYER ? 1.5 * WORLD_DOT : WORLD_DOT)
    }
    context.globalAlpha = 1
    if (isUp(zone)) continue
    context.fillStyle = colors.ink
    context.font = '600 12px system-ui, sans-serif'
    context.textAlign = 'center'
    context.fillText('down', westOf(zone) + side / 2, side / 2)
  }
  if (!session?.updated) return
  context.strokeStyle = colors.player
  context.lineWidth = 2 / scale
  context.beginPath()
  context.arc(session.x, session.y, INTEREST, 0, 2 * Math.PI)
  context.stroke()
}

function drawView() {
  const context = prepare($('view'), 2 * VIEW, 2 * VIEW)
  if (!session?.updated) return
  const scale = $('view').width / (2 * VIEW)
  const { x, y } = session.place
  context.translate(VIEW - x, VIEW - y)
  drawGround(context, scale)
  context.strokeStyle = colors.muted
  context.lineWidth = 1 / scale
  for (const radius of [INTEREST, INTEREST_LEAVE]) {
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
    context.stroke()
  }
  session.interpolate(({ groups }, agentX, agentY) => {
    context.fillStyle =
      groups & GHOST ? colors.ghost : groups & PLAYER ? colors.player : colors.agent
    dot(context, agentX, agentY, 0.5)
  })
  context.fillStyle = colors.player
  dot(context, x, y, 0.7)
}

function frame() {
  drawWorld()
  drawView()
  window['game'] = { session, zones, load } // for tests
  requestAnimationFrame(frame)
}

function report() {
  const all = [...Array(world.zones).keys()]
  $('head').innerHTML = `<tr><th>zone</th>${all.map((zone) => `<th>${zone}</th>`).join('')}</tr>`
  const row = (name, of) =>
    `<tr><th>${name}</th>${all.map((zone) => `<td>${zones.has(zone) ? of(zones.get(zone), zone) : ''}</td>`).join('')}</tr>`
  const each = (total, { updates }) => (updates ? Math.round(total / updates) : 0)
  $('rows').innerHTML = [
    row('process', ({ process }, zone) => (isUp(zone) ? process : 'down')),
    row('agents', ({ agents }) => agents.length / 3),
    row('players', ({ players }) => players),
    row('slowest tick, ms', ({ tickTime }) => tickTime.toFixed(1)),
    row('ticks since the save', ({ tick, saved }) => tick - saved),
    row('handed over, taken over', ({ handedOver, adopted }) => `${handedOver}, ${adopted}`),
    row('bytes a player and tick', (one) => each(one.sentBytes, one)),
    row('the same, sending all', (one) => each(one.sentAllBytes, one)),
  ].join('')
  const times = handOvers.toSorted((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  const player = session?.id
    ? `player ${session.id - 2 ** 31}, zone ${session.zone}, ${session.view.size} in view`
    : 'no player'
  $('player').textContent = `Your ${player}`
  $('status').textContent =
    `${load.live} of ${world.clients} other clients are connected, ${load.rejoined} came back after a crash. ` +
    (median === undefined
      ? ''
      : `A hand-over takes ${Math.round(median)} ms (median of the last ${times.length}).`)
}

// ---- Input ----

$('world').onpointerdown = ({ offsetX, offsetY }) => {
  const scale = (world.zones * world.side) / $('world').clientWidth
  session?.goTo(offsetX * scale, offsetY * scale)
}
$('view').onpointerdown = ({ offsetX, offsetY }) => {
  const scale = (2 * VIEW) / $('view').clientWidth
  go(offsetX * scale - VIEW, offsetY * scale - VIEW)
}

/** Walks from where the player is. @param {number} dx @param {number} dy */
function go(dx, dy) {
  if (!session) return
  const clamp = (value, most) => Math.min(Math.max(value, 0), most)
  session.goTo(clamp(session.x + dx, world.zones * world.side), clamp(session.y + dy, world.side))
}

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
addEventListener('keydown', (event) => {
  const direction = KEYS[/** @type {keyof typeof KEYS} */ (event.key)]
  if (!direction) return
  event.preventDefault()
  go(STEP * direction[0], STEP * direction[1])
})
