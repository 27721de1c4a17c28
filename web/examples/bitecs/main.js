// bitECS components whose arrays are the memory of an AgentTree. The id of an entity is its slot.

import { addComponent, addComponents, addEntity, createWorld, observe } from 'bitecs'
import { onAdd, onRemove, query, removeEntity } from 'bitecs'
import { init, AgentTree } from 'copse'

const [HEALTHY, ILL] = [1, 2] // groups
const REACH = 20 // radius of infection
const SECONDS = 3 // mean duration of the illness
const COLORS = ['', '#7d8c84', '#e2571e'] // by group, for light and dark pages
const RATE = 0.35 // infections per second, for each pair of an ill and a healthy entity in reach

await init()
const tree = new AgentTree({ capacity: 2048, layout: 'separate' })
tree.slots = 1
tree.groups[0] = 0 // ids start at 1; a slot without an entity has no group, so no query finds it

// Getters, because memory growth detaches the arrays: each system gets the current ones.
const Position = {
  get x() {
    return tree.xs
  },
  get y() {
    return tree.ys
  },
}
const Health = {
  get group() {
    return tree.groups
  },
}
const Velocity = { x: [], y: [] } // ordinary arrays: the tree does not need them
const Illness = { left: [] } // seconds

const world = createWorld()
observe(world, onAdd(Position), (id) => {
  if (id >= tree.capacity) tree.reserve(2 * tree.capacity)
  tree.slots = Math.max(tree.slots, id + 1)
})
observe(world, onRemove(Position), (id) => void (tree.groups[id] = 0))

const { random } = Math
const canvas = document.querySelector('#stage canvas')
const context = canvas.getContext('2d')
let width, height // of the canvas and the world, in CSS pixels

function spawn(x = width * random(), y = height * random()) {
  const id = addEntity(world)
  addComponents(world, id, Position, Velocity, Health)
  Position.x[id] = x
  Position.y[id] = y
  Velocity.x[id] = 60 * (random() - 0.5)
  Velocity.y[id] = 60 * (random() - 0.5)
  Health.group[id] = HEALTHY
  return id
}

function infect(id) {
  addComponent(world, id, Illness)
  Illness.left[id] = SECONDS * (0.5 + random())
  Health.group[id] = ILL
}

// ---- Systems ----

function move(seconds) {
  const { x, y } = Position
  for (const id of query(world, [Position, Velocity])) {
    x[id] = (x[id] + Velocity.x[id] * seconds + width) % width
    y[id] = (y[id] + Velocity.y[id] * seconds + height) % height
  }
  tree.build()
}

function fallIll(seconds) {
  const { x, y } = Position
  const infected = new Set()
  for (const id of query(world, [Illness]))
    for (const other of tree.within(x[id], y[id], REACH, { mask: HEALTHY }))
      if (random() < RATE * seconds) infected.add(other)
  infected.forEach(infect)
  if (query(world, [Illness]).length === 0) infect(tree.nearest(width / 2, height / 2))
}

function die(seconds) {
  for (const id of [...query(world, [Illness])]) {
    Illness.left[id] -= seconds
    if (Illness.left[id] > 0) continue
    removeEntity(world, id)
    spawn() // reuses the id, and with it the slot
  }
}

function draw() {
  const { x, y } = Position
  const { group } = Health
  context.clearRect(0, 0, width, height)
  for (const id of query(world, [Position, Health])) {
    context.fillStyle = COLORS[group[id]]
    context.fillRect(x[id] - 2.5, y[id] - 2.5, 5, 5)
  }
}

// ---- Start ----

function fit() {
  const ratio = Math.min(devicePixelRatio, 2)
  width = canvas.clientWidth || 1
  height = canvas.clientHeight || 1
  canvas.width = width * ratio
  canvas.height = height * ratio
  context.scale(ratio, ratio)
}
new ResizeObserver(fit).observe(canvas)
fit()
canvas.addEventListener('pointerdown', ({ offsetX, offsetY }) => {
  for (let i = 0; i < 500; i++) spawn(offsetX, offsetY)
})
for (let room = width * height; room > 0; room -= 450) spawn()
for (let i = 0; i < 20; i++) infect(spawn())

let then = performance.now()
let frame = 0
requestAnimationFrame(function next(now) {
  const seconds = Math.min((now - then) / 1000, 0.1)
  then = now
  move(seconds)
  fallIll(seconds)
  die(seconds)
  draw()
  window.example = { tree, world, Position, Health, Illness, frame: ++frame } // for tests
  requestAnimationFrame(next)
})
