// Components of bitECS whose arrays are the memory of an AgentTree: an entity's id is its slot.

import { addComponent, addComponents, addEntity, createWorld, observe } from 'bitecs'
import { onAdd, onRemove, query, removeEntity } from 'bitecs'
import { init, AgentTree } from 'copse'
import { createRandom } from '../../random.js'
import { theme, watchTheme } from '../../view/theme.js'

const [HEALTHY, ILL] = [1, 2] // groups
const REACH = 20 // of an illness
const SECONDS = 3 // that it lasts
const RATE = 0.35 // how many of those near catch it in a second

await init()
const tree = new AgentTree({ capacity: 2048, layout: 'separate' })
tree.slots = 1
tree.groups[0] = 0 // ids begin with 1; a slot without an entity is in no group, and so in no result

// Getters, since the arrays lie elsewhere once memory has grown: each system takes them anew.
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
const Velocity = { x: [], y: [] } // of no use to the tree: arrays as any
const Illness = { left: [] } // seconds

const world = createWorld()
observe(world, onAdd(Position), (id) => {
  if (id >= tree.capacity) tree.reserve(2 * tree.capacity)
  tree.slots = Math.max(tree.slots, id + 1)
})
observe(world, onRemove(Position), (id) => void (tree.groups[id] = 0))

const random = createRandom(4)
const canvas = document.querySelector('#stage canvas')
const context = canvas.getContext('2d')
let width, height // of canvas and world, in CSS pixels

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
  const near = new Set()
  for (const id of query(world, [Illness]))
    for (const other of tree.within(x[id], y[id], REACH, { mask: HEALTHY }))
      if (random() < RATE * seconds) near.add(other)
  near.forEach(infect)
  if (query(world, [Illness]).length === 0) infect(tree.nearest(width / 2, height / 2))
}

function die(seconds) {
  for (const id of [...query(world, [Illness])]) {
    Illness.left[id] -= seconds
    if (Illness.left[id] > 0) continue
    removeEntity(world, id)
    spawn() // takes its id, and so its slot
  }
}

function draw() {
  const { x, y } = Position
  const { group } = Health
  context.clearRect(0, 0, width, height)
  for (const id of query(world, [Position, Health])) {
    context.fillStyle = group[id] === ILL ? theme.hit : theme.agent
    context.fillRect(x[id] - 2.5, y[id] - 2.5, 5, 5)
  }
}

// ---- Begin ----

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
watchTheme(() => {})
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
