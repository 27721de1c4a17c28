// Heroes, each with a goal of its own, among a horde that goes to the nearer of two bases. A navigation mesh of
// recast-navigation finds the paths of the heroes, one by one. One FlowField leads the whole horde. One Crowd moves
// both.

import { init as initRecast, NavMeshQuery } from '@recast-navigation/core'
import { generateSoloNavMesh } from '@recast-navigation/generators'
import { init, AgentTree, Crowd, FlowField, ObstacleTree } from 'copse'

const [HERO, MINION] = [1, 2] // groups
const [HEROES, MINIONS] = [10, 1000]
const [HERO_RADIUS, MINION_RADIUS] = [0.9, 0.35]
const TIME_STEP = 1 / 30 // seconds
const TILES = 24 // in a row of the level
const TILE = 4
const SIDE = TILES * TILE
const LEVEL = [0, 0, SIDE, SIDE] // minX, minY, maxX, maxY
/** For light and dark pages. */
const COLORS = {
  picked: '#e2571e',
  hero: '#3f84d6',
  minion: '#7d8c84',
  wall: '#86745c',
  base: '#1f9a6a',
}
const START = [0, 0, 3 * TILE, SIDE] // where minions start
const BASES = [
  [84, 14, 94, 30],
  [84, 66, 94, 82],
] // where they go

/** Each [column, row, columns, rows], in tiles. */
const WALLS = [
  [4, 2, 1, 8],
  [4, 14, 1, 8],
  [7, 4, 5, 1],
  [7, 19, 5, 1],
  [8, 8, 2, 8],
  [12, 8, 4, 2],
  [12, 14, 4, 2],
  [15, 0, 1, 5],
  [15, 19, 1, 5],
  [19, 2, 1, 4],
  [19, 10, 1, 4],
  [19, 18, 1, 4],
]
const boxes = WALLS.map((wall) => wall.map((tiles) => tiles * TILE))
const between = (min, max) => min + Math.random() * (max - min)

// ---- copse: walls, a field for the horde, and the crowd ----

await init()
const walls = new ObstacleTree()
walls.addPolygon([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], { solid: 'outside' })
for (const [x, y, width, height] of boxes)
  walls.addPolygon([x, y, x + width, y, x + width, y + height, x, y + height])

const field = new FlowField({ bounds: LEVEL, cell: 1, radius: 1.5 * MINION_RADIUS })
field.obstacles = walls
field.setGoalAreas(BASES.flat())
const buildTime = timeOf(() => field.build())

const crowd = new Crowd({
  ...{ capacity: HEROES + MINIONS, maxSpeed: 8, neighborDistance: 5 },
  ...{ timeHorizon: 1, obstacleTimeHorizon: 0.3 },
})
crowd.obstacles = walls
crowd.follow(field, { mask: MINION })
const agents = new AgentTree({ capacity: crowd.capacity }) // finds heroes, and free places

/** Returns a random place in a box that is at least `gap` away from walls and agents. */
function freePlace([minX, minY, maxX, maxY], gap) {
  for (let tries = 20; ; tries--) {
    const [x, y] = [between(minX, maxX), between(minY, maxY)]
    if (walls.contains(x, y) || walls.nearestPoint(x, y).distance < gap) continue
    if (tries < 0 || !agents.anyWithin(x, y, gap)) return [x, y]
  }
}

// ---- recast-navigation: a path for each hero ----

await initRecast()

/** Returns the triangles of the floor: two for each tile without a wall. The y of recast is up. */
function floor() {
  const [points, triangles] = [[], []]
  for (let column = 0; column < TILES; column++)
    for (let row = 0; row < TILES; row++) {
      const isIn = ([x, y, width, height]) =>
        column >= x && column < x + width && row >= y && row < y + height
      if (WALLS.some(isIn)) continue
      const [x, z, first] = [column * TILE, row * TILE, points.length / 3]
      points.push(x, 0, z, x, 0, z + TILE, x + TILE, 0, z + TILE, x + TILE, 0, z)
      triangles.push(first, first + 1, first + 2, first, first + 2, first + 3)
    }
  return [points, triangles]
}

const { navMesh } = generateSoloNavMesh(...floor(), {
  ...{ cs: 0.5, ch: 0.2, walkableRadius: 2, maxEdgeLen: 0 }, // the radius is in cells
})
const query = new NavMeshQuery(navMesh)
query.defaultQueryHalfExtents = { x: 8, y: 1, z: 8 } // a goal in a wall: the nearest place beside it
const found = { paths: 0, time: 0 }

/** Returns the corners of the shortest path, each [x, y]. The start is not among them. */
function findPath([startX, startY], [goalX, goalY]) {
  let result
  found.paths++
  found.time += timeOf(() => {
    result = query.computePath({ x: startX, y: 0, z: startY }, { x: goalX, y: 0, z: goalY })
  })
  return result.path.slice(1).map(({ x, z }) => [x, z])
}

function timeOf(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

// ---- Heroes and minions ----

const paths = [] // of each hero: the corners that are left, then the goal
let picked = 0
let arrived = 0 // minions

// The slots of heroes come first. They avoid each other only: minions make way for them.
for (let slot = 0; slot < HEROES; slot++) {
  agents.build(crowd)
  const position = freePlace(LEVEL, 2 * HERO_RADIUS)
  const hero = { groups: HERO, mask: HERO, radius: HERO_RADIUS, preferredSpeed: 6 }
  crowd.add({ position, ...hero })
  send(slot)
}
for (let i = 0; i < MINIONS; i++) {
  agents.build(crowd)
  const position = freePlace(LEVEL, 2 * MINION_RADIUS)
  const minion = { groups: MINION, radius: MINION_RADIUS, preferredSpeed: between(3, 4) }
  crowd.add({ position, ...minion })
}

function positionOf(slot) {
  return crowd.positions.subarray(2 * slot, 2 * slot + 2)
}

/** Sends a hero to a goal. Default: a random one. */
function send(slot, goal = freePlace(LEVEL, 2 * HERO_RADIUS)) {
  const path = findPath(positionOf(slot), goal)
  if (path.length > 0) paths[slot] = path
}

/** Drops a hero's next corner when it sees the one after that. What is left first is its goal. */
function lead(slot) {
  const position = positionOf(slot)
  const sees = (corner) => walls.visible(...position, ...corner, { inflate: 0.8 * HERO_RADIUS })
  if (!sees(paths[slot][0])) send(slot, paths[slot].at(-1)) // it had to leave its path
  while (paths[slot].length > 1 && sees(paths[slot][1])) paths[slot].shift()
  crowd.goals.set(paths[slot][0], 2 * slot)
}

function step() {
  for (let slot = 0; slot < HEROES; slot++) lead(slot)
  crowd.step(TIME_STEP)
  agents.build(crowd)
  for (const slot of crowd.arrived()) {
    if (slot >= HEROES) {
      crowd.move(slot, ...freePlace(START, 2 * MINION_RADIUS))
      arrived++
    } else if (slot !== picked) send(slot) // the picked hero waits for a click
  }
  for (const slot of crowd.stuck()) if (slot < HEROES) send(slot)
}

// ---- Drawing, and the pointer ----

const canvas = document.querySelector('#stage canvas')
const context = canvas.getContext('2d')
const view = { left: 0, top: 0, scale: 1 } // in CSS pixels

function fit() {
  const { clientWidth: width, clientHeight: height } = canvas
  const ratio = Math.min(devicePixelRatio, 2)
  canvas.width = width * ratio
  canvas.height = height * ratio
  const scale = Math.min(width, height) / (SIDE + 2)
  const [left, top] = [(width - scale * SIDE) / 2, (height - scale * SIDE) / 2]
  Object.assign(view, { left, top, scale })
  context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top)
}
new ResizeObserver(fit).observe(canvas)
fit()

canvas.addEventListener('pointerdown', ({ offsetX, offsetY }) => {
  const place = [(offsetX - view.left) / view.scale, (offsetY - view.top) / view.scale]
  const hero = agents.nearest(...place, { mask: HERO, maxDistance: 3 * HERO_RADIUS })
  if (hero >= 0) picked = hero
  else send(picked, place)
})

const bands = new Path2D() // cells whose paths have similar lengths
field.distances.forEach((distance, cell) => {
  const [column, row] = [cell % field.columns, Math.floor(cell / field.columns)]
  if (Math.floor(distance / TILE) % 2 === 0) bands.rect(column, row, 1, 1)
})

function drawDiscs(first, end, radius) {
  const { positions } = crowd
  context.beginPath()
  for (let slot = first; slot < end; slot++) {
    const [x, y] = [positions[2 * slot], positions[2 * slot + 1]]
    context.moveTo(x + radius, y)
    context.arc(x, y, radius, 0, 2 * Math.PI)
  }
  context.fill()
}

function drawHero(slot) {
  context.strokeStyle = context.fillStyle = slot === picked ? COLORS.picked : COLORS.hero
  context.globalAlpha = slot === picked ? 1 : 0.5
  context.beginPath()
  context.moveTo(...positionOf(slot))
  for (const corner of paths[slot]) context.lineTo(...corner)
  context.stroke()
  context.globalAlpha = 1
  drawDiscs(slot, slot + 1, HERO_RADIUS)
}

function draw() {
  context.clearRect(-SIDE, -SIDE, 3 * SIDE, 3 * SIDE)
  context.fillStyle = `${COLORS.base}18`
  context.fill(bands)
  context.lineWidth = 0.3
  context.strokeStyle = COLORS.base
  for (const [minX, minY, maxX, maxY] of BASES) {
    context.clearRect(minX, minY, maxX - minX, maxY - minY)
    context.strokeRect(minX, minY, maxX - minX, maxY - minY)
  }
  context.fillStyle = context.strokeStyle = COLORS.wall
  context.strokeRect(0, 0, SIDE, SIDE)
  for (const box of boxes) context.fillRect(...box)
  context.fillStyle = COLORS.minion
  drawDiscs(HEROES, HEROES + MINIONS, MINION_RADIUS)
  for (let slot = HEROES; slot-- > 0;) drawHero(slot)
}

// ---- Frames ----

const message = document.querySelector('#gain')
let then = performance.now()
let due = 0 // seconds that the crowd lags behind
let frame = 0
requestAnimationFrame(function next(now) {
  due = Math.min(due + (now - then) / 1000, 3 * TIME_STEP)
  then = now
  for (; due >= TIME_STEP; due -= TIME_STEP) step()
  draw()
  if (frame % 30 === 0)
    message.textContent =
      `The field was built once, in ${buildTime.toFixed(1)} ms. ${found.paths} paths of heroes took ` +
      `${(found.time / found.paths).toFixed(2)} ms each. ${arrived.toLocaleString('en')} minions arrived.`
  window.example = {
    crowd,
    walls,
    field,
    paths,
    picked,
    arrived,
    bases: BASES,
    view,
    frame: ++frame,
  } // for tests
  requestAnimationFrame(next)
})
