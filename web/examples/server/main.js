// Two clients of the game server side by side, the second with a high latency. Without a server, the page runs the
// host of the game itself.

import { createClient } from './client.js'
import { createHost } from './host.js'
import { PILLARS, SIDE, TEAMS, teamOf } from './simulation.js'

const DELAYS = [0, 400] // milliseconds each way
const COLORS = { red: '#d4492a', blue: '#3f84d6', wall: '#86745c' } // for light and dark pages
const RETRY = 2000 // milliseconds
/** Where the clients send their teams first, if the page is the host. */
const ACROSS = [
  [SIDE - 12, SIDE / 4],
  [12, (3 * SIDE) / 4],
]
const port = new URLSearchParams(location.search).get('port')
// Pages from elsewhere must not look for a server on the visitor's machine.
const mayConnect = port !== null || ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
const simulated = document.querySelector('#simulated')
const figures = document.querySelectorAll('#stage figure')
const clients = [null, null]
let host = null // in this page, while no server is connected

function connect(place) {
  const socket = new WebSocket(`ws://127.0.0.1:${port ?? 8085}`)
  socket.onopen = () => {
    stopHost()
    clients[place] = createClient(socket, DELAYS[place])
  }
  socket.onclose = () => {
    if (!host) clients[place] = null
    if (clients.every((client) => !client)) startHost()
    setTimeout(connect, RETRY, place)
  }
}

// Each client sends its team across once, so that something moves.
function startHost() {
  host = createHost()
  for (const [place, delay] of DELAYS.entries()) {
    const socket = Object.assign(new EventTarget(), { send: (text) => player.receive(text) })
    clients[place] = createClient(socket, delay)
    const player = host.join((data) => socket.dispatchEvent(new MessageEvent('message', { data })))
    clients[place].order(...ACROSS[place])
  }
}

function stopHost() {
  if (!host) return
  host.stop()
  host = null
  clients.fill(null)
}

function draw(place) {
  const canvas = figures[place].querySelector('canvas')
  const context = canvas.getContext('2d')
  const ratio = Math.min(devicePixelRatio, 2)
  canvas.width = canvas.clientWidth * ratio
  canvas.height = canvas.width
  const scale = canvas.width / SIDE
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.fillStyle = COLORS.wall
  for (const pillar of PILLARS) {
    context.beginPath()
    for (let i = 0; i < pillar.length; i += 2) context.lineTo(pillar[i], pillar[i + 1])
    context.fill()
  }
  if (!clients[place]) return
  const { positions, radii, slots } = clients[place].simulation.crowd
  for (let slot = 0; slot < slots; slot++) {
    context.fillStyle = COLORS[TEAMS[teamOf(slot)]]
    context.beginPath()
    context.arc(positions[2 * slot], positions[2 * slot + 1], radii[slot], 0, 2 * Math.PI)
    context.fill()
  }
}

function report(place) {
  const client = clients[place]
  let text = 'No connection'
  if (client?.team >= 0) {
    text = `${TEAMS[client.team]}, latency ${DELAYS[place]} ms\ntick ${client.simulation.tick}`
    if (client.checks)
      text += `\nhash ${client.hash.toString(16)}\n${client.isEqual ? '=' : '≠'} the ${host ? 'host' : 'server'}’s`
  }
  figures[place].querySelector('figcaption').textContent = text
}

let frame = 0
requestAnimationFrame(function next() {
  for (const place of DELAYS.keys()) {
    draw(place)
    report(place)
  }
  simulated.hidden = !host
  window.example = { clients, frame: ++frame } // for tests
  requestAnimationFrame(next)
})
for (const [place, figure] of figures.entries()) {
  const canvas = figure.querySelector('canvas')
  const inWorld = (offset, size) => Math.min(Math.max((offset * SIDE) / size, 0), SIDE)
  canvas.onpointerdown = ({ offsetX, offsetY }) => {
    const { clientWidth, clientHeight } = canvas
    clients[place]?.order(inWorld(offsetX, clientWidth), inWorld(offsetY, clientHeight))
  }
  if (mayConnect) connect(place)
}
if (!mayConnect) startHost()
