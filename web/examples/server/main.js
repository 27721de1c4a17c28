// Two players of the game server side by side, the second behind a slow connection.

import { theme, watchTheme } from '../../view/theme.js'
import { createClient } from './client.js'
import { BOXES, SIDE, TEAMS, teamOf } from './simulation.js'

const DELAYS = [0, 400] // milliseconds
const RETRY = 2000
const port = Number(new URLSearchParams(location.search).get('port') ?? 8085)
const message = document.querySelector('#message')
const figures = document.querySelectorAll('#stage figure')
const clients = [null, null]

function connect(place) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  socket.onopen = () => (clients[place] = createClient(socket, DELAYS[place]))
  socket.onclose = () => {
    clients[place] = null
    setTimeout(connect, RETRY, place)
  }
}

function draw(place) {
  const canvas = figures[place].querySelector('canvas')
  const context = canvas.getContext('2d')
  const ratio = Math.min(devicePixelRatio, 2)
  canvas.width = canvas.clientWidth * ratio
  canvas.height = canvas.clientHeight * ratio
  const scale = Math.min(canvas.width, canvas.height) / SIDE
  const [left, top] = [(canvas.width - SIDE * scale) / 2, (canvas.height - SIDE * scale) / 2]
  context.setTransform(scale, 0, 0, scale, left, top)
  context.fillStyle = theme.floor
  context.fillRect(0, 0, SIDE, SIDE)
  context.fillStyle = theme.wall
  for (const [left, top, right, bottom] of BOXES)
    context.fillRect(left, top, right - left, bottom - top)
  if (!clients[place]) return
  const { positions, radii, count } = clients[place].simulation.crowd
  for (let slot = 0; slot < count; slot++) {
    context.fillStyle = theme[TEAMS[teamOf(slot)]]
    context.beginPath()
    context.arc(positions[2 * slot], positions[2 * slot + 1], radii[slot], 0, 2 * Math.PI)
    context.fill()
  }
  canvas.onpointerdown = ({ offsetX, offsetY }) => {
    const [x, y] = [(offsetX * ratio - left) / scale, (offsetY * ratio - top) / scale]
    if (Math.min(x, y) >= 0 && Math.max(x, y) <= SIDE) clients[place]?.order(x, y)
  }
}

function report(place) {
  const client = clients[place]
  const { team, hash, checks, isEqual, simulation } = client ?? {}
  const verdict = isEqual ? '= the server’s' : 'differs from the server’s'
  figures[place].querySelector('figcaption').textContent = client
    ? `${TEAMS[team] ?? ''} · ${DELAYS[place]} ms · tick ${simulation.tick}` +
      (checks ? ` · hash ${hash.toString(16).padStart(8, '0')} ${verdict}` : '')
    : 'No connection'
}

watchTheme(() => {})
let frame = 0
requestAnimationFrame(function next() {
  for (const place of DELAYS.keys()) {
    draw(place)
    report(place)
  }
  message.hidden = clients.some((client) => client)
  window.example = { clients, frame: ++frame } // for tests
  requestAnimationFrame(next)
})
for (const place of DELAYS.keys()) connect(place)
