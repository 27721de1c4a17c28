// The page: draws the world of the worker at the display's rate, with three.js, and measures what a frame costs the
// page's thread. A switch runs the same world here instead.

import * as THREE from 'three'
import { connectWorld } from './connection.js'
import { AGENTS, createWorld, GOAL, MAX_SPEED, RADIUS, SIDE, TIME_STEP, WALLS } from './world.js'

// ---- The world, in a worker or here. Both have send() and frame() ----

function inWorker() {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  // What the page does when a message arrives counts as part of its frame.
  let start = 0
  worker.addEventListener('message', () => (start = performance.now()))
  const jump = 2 * MAX_SPEED * TIME_STEP // agents that start again must not glide
  const world = connectWorld(worker, { interpolate: ['positions'], jump, onError: report })
  worker.addEventListener('message', () => (spent += performance.now() - start))
  return world
}

async function inPage() {
  const world = await createWorld()
  let inputs = []
  let then = performance.now()
  let due = 0
  let tick = 0
  let stepTime = 0
  return {
    send: (input) => inputs.push([...input]),
    frame(now) {
      due = Math.min(due + Math.max(now - then, 0) / 1000 / TIME_STEP, 4)
      then = now
      for (; due >= 1; due--) {
        const start = performance.now()
        world.step(inputs)
        inputs = []
        tick++
        stepTime = performance.now() - start
      }
      return world.arrays()
    },
    get tick() {
      return tick
    },
    get stepTime() {
      return stepTime
    },
    dispose() {},
  }
}

const goal = [120, 100]
let world = inWorker()
let mode = 'worker' // where that world runs
world.send(goal)
let spent = 0 // milliseconds since the last frame

function report(error) {
  message.textContent = error.message
}

const checkbox = document.querySelector('#in-worker')
checkbox.onchange = async () => {
  checkbox.disabled = true
  world.dispose()
  world = checkbox.checked ? inWorker() : await inPage()
  mode = checkbox.checked ? 'worker' : 'page'
  hashes[mode].clear()
  world.send(goal)
  isCompared = true
  skipped = 0
  checkbox.disabled = false
}

// ---- Drawing ----

const stage = document.querySelector('#stage')
const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true })
Object.assign(renderer.domElement, {
  ...{ tabIndex: 0, role: 'application' },
  ariaLabel: 'Agents on their way to the ring. Arrow keys move the ring.',
})
renderer.domElement.style.touchAction = 'none'
stage.append(renderer.domElement)
const scene = new THREE.Scene()
const camera = new THREE.OrthographicCamera()
camera.position.z = 1

// These colors show on light and dark pages.
const [WALL, AGENT, RING] = ['#86745c', '#7d8c84', '#e2571e']
const walls = new THREE.MeshBasicMaterial({ color: WALL })
for (const [x, y, width, height] of WALLS) {
  const wall = new THREE.Mesh(new THREE.PlaneGeometry(width, height), walls)
  wall.position.set(x + width / 2, SIDE - y - height / 2, 0)
  scene.add(wall)
}
const corners = new THREE.Float32BufferAttribute([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], 2)
const edge = new THREE.BufferGeometry().setAttribute('position', corners)
const border = new THREE.LineBasicMaterial({ color: WALL })
const outline = new THREE.LineLoop(edge, border)
scene.add(outline)

// The y of three.js points up, that of the world down.
const places = new THREE.BufferAttribute(new Float32Array(2 * AGENTS), 2)
places.setUsage(THREE.DynamicDrawUsage)
const dots = new THREE.BufferGeometry().setAttribute('position', places)
const agents = new THREE.PointsMaterial({ color: AGENT, sizeAttenuation: false })
const points = new THREE.Points(dots, agents)
points.scale.y = -1
points.position.y = SIDE
points.frustumCulled = outline.frustumCulled = false
renderer.sortObjects = false
scene.add(points)

const ringed = new THREE.MeshBasicMaterial({ color: RING })
const ring = new THREE.Mesh(new THREE.RingGeometry(GOAL - 1, GOAL, 48), ringed)
scene.add(ring)

let scale = 1 // CSS pixels per unit
function fit() {
  const { clientWidth: width, clientHeight: height } = stage
  scale = Math.min(width, height) / (SIDE + 4)
  const [halfWidth, halfHeight] = [width / scale / 2, height / scale / 2]
  camera.left = SIDE / 2 - halfWidth
  camera.right = SIDE / 2 + halfWidth
  camera.top = SIDE / 2 + halfHeight
  camera.bottom = SIDE / 2 - halfHeight
  camera.updateProjectionMatrix()
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
  renderer.setSize(width, height)
  agents.size = Math.max(2 * RADIUS * scale * renderer.getPixelRatio(), 1)
}
new ResizeObserver(fit).observe(stage)
fit()

// ---- Inputs ----

function send(x, y) {
  goal[0] = Math.min(Math.max(x, GOAL), SIDE - GOAL)
  goal[1] = Math.min(Math.max(y, GOAL), SIDE - GOAL)
  world.send(goal)
  isCompared = false
  for (const map of Object.values(hashes)) map.clear()
}

function point({ buttons, offsetX, offsetY }) {
  if (!buttons) return
  const { clientWidth, clientHeight } = renderer.domElement
  send(
    SIDE / 2 + (offsetX - clientWidth / 2) / scale,
    SIDE / 2 + (offsetY - clientHeight / 2) / scale,
  )
}
renderer.domElement.onpointerdown = renderer.domElement.onpointermove = point

const KEYS = { ArrowLeft: [-4, 0], ArrowRight: [4, 0], ArrowUp: [0, -4], ArrowDown: [0, 4] }
renderer.domElement.onkeydown = (event) => {
  const move = KEYS[event.key]
  if (!move) return
  event.preventDefault()
  send(goal[0] + move[0], goal[1] + move[1])
}

// ---- Frames ----

const message = document.querySelector('#gain')
const means = {} // milliseconds a frame, by the state of the switch
const WARM_UP = 30 // frames, while code is compiled
let skipped = 0
let frame = 0

// Both worlds start with the same goal, so their hashes are equal until the goal moves.
const hashes = { worker: new Map(), page: new Map() } // by tick
const COMPARED = 1000 // ticks
let isCompared = true

function shown(place) {
  if (means[place] !== undefined) return `${means[place].toFixed(2)} ms`
  return place === mode ? '…' : 'use the switch'
}

function comparison() {
  const common = [...hashes.worker.keys()].filter((tick) => hashes.page.has(tick))
  if (common.length === 0) return ''
  const isEqual = common.every((tick) => hashes.worker.get(tick) === hashes.page.get(tick))
  return `Hashes of both at ${common.length} ticks: ${isEqual ? 'equal ✓' : 'different'}`
}

requestAnimationFrame(function next(now) {
  const start = performance.now()
  const arrays = world.frame(now)
  if (arrays) {
    places.array.set(arrays.positions)
    places.needsUpdate = true
    ring.position.set(goal[0], SIDE - goal[1], 0)
    renderer.render(scene, camera)
    spent += performance.now() - start
    if (skipped++ > WARM_UP) means[mode] = spent + 0.95 * ((means[mode] ?? spent) - spent)
    spent = 0
    if (isCompared && world.tick > 0 && world.tick <= COMPARED)
      hashes[mode].set(world.tick, arrays.hash[0])
    if (frame++ % 30 === 0)
      message.textContent =
        'Time of the page’s thread, a frame:\n' +
        `world in the worker: ${shown('worker')}\nworld in the page: ${shown('page')}\n` +
        `A step takes ${world.stepTime.toFixed(1)} ms.\n${comparison()}`
  }
  window.example = { world, arrays, goal, means, frame } // for tests
  requestAnimationFrame(next)
})
