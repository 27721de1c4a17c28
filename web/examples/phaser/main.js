// A chase in Phaser: a Crowd moves the player and all chasers, without collisions with walls or each other.

import { AUTO, Game, Scale } from 'phaser'
import { init, Crowd, ObstacleTree } from 'copse'

const SIDE = 720
const RADIUS = 7
const CHASERS = 250
const [CHASER, SEEING, PLAYER, WALL] = [0x7d8c84, 0xe2571e, 0x1f9a6a, 0x86745c] // colors
const TIME_STEP = 1 / 60 // seconds
const SPEED = 140 // of the player; chasers prefer half of it

// ---- copse: walls and agents ----

await init()
const walls = new ObstacleTree()
walls.addPolygon([0, 0, SIDE, 0, SIDE, SIDE, 0, SIDE], { solid: 'outside' })
const boxes = Array.from({ length: 16 }, (_, i) => {
  const [x, y] = [90 + 180 * (i % 4), 90 + 180 * Math.floor(i / 4)]
  const [halfWidth, halfHeight] = (i + (i >> 2)) % 2 ? [55, 12] : [12, 55]
  return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight]
})
for (const [left, top, right, bottom] of boxes)
  walls.addPolygon([left, top, right, top, right, bottom, left, bottom])

const crowd = new Crowd({
  ...{ capacity: 1 + CHASERS, radius: RADIUS, preferredSpeed: SPEED / 2, maxSpeed: SPEED },
  ...{ neighborDistance: 60, timeHorizon: 1, obstacleTimeHorizon: 0.5 },
})
crowd.obstacles = walls
const player = crowd.add({ position: [SIDE / 2, SIDE / 2], mask: 0 }) // avoids only walls
while (crowd.count < crowd.capacity) {
  const [x, y] = [SIDE * Math.random(), SIDE * Math.random()]
  if (!walls.contains(x, y) && walls.nearestPoint(x, y).distance > RADIUS)
    crowd.add({ position: [x, y] })
}
const slots = Uint32Array.from({ length: crowd.slots }, (_, slot) => slot)
let seeing = slots.subarray(0, 0) // slots of the chasers that see the player

function step(directionX, directionY) {
  crowd.preferredVelocities.set([SPEED * directionX, SPEED * directionY], 2 * player)
  crowd.step(TIME_STEP)
  const [x, y] = crowd.positions.subarray(2 * player)
  seeing = walls.keepVisible(x, y, slots.subarray(1), crowd.positions)
  for (const slot of seeing) crowd.goals.set([x, y], 2 * slot) // the others keep their last goal
}

// ---- Phaser: drawing, keys and pointer ----

let images, keys
let due = 0 // seconds that the crowd lags behind
let frame = 0

function create() {
  const picture = this.add.graphics().fillStyle(WALL)
  for (const [left, top, right, bottom] of boxes)
    picture.fillRect(left, top, right - left, bottom - top)
  const disc = this.make.graphics({}, false).fillStyle(0xffffff).fillCircle(32, 32, 32)
  disc.generateTexture('disc', 64, 64)
  images = Array.from(slots, () => this.add.image(0, 0, 'disc').setDisplaySize(14, 14))
  images[player].setDepth(1)
  keys = this.input.keyboard.addKeys('LEFT,RIGHT,UP,DOWN', false) // other elements may use them too
  Object.assign(this.game.canvas, { role: 'img', ariaLabel: 'A player chased among walls' })
}

function update(time, milliseconds) {
  const { activePointer: pointer } = this.input
  let x = keys.RIGHT.isDown - keys.LEFT.isDown
  let y = keys.DOWN.isDown - keys.UP.isDown
  if (pointer.isDown)
    [x, y] = [pointer.worldX - images[player].x, pointer.worldY - images[player].y]
  const length = Math.max(Math.hypot(x, y), 1)
  due = Math.min(due + milliseconds / 1000, 3 * TIME_STEP)
  for (; due >= TIME_STEP; due -= TIME_STEP) step(x / length, y / length)

  const { positions } = crowd
  for (const slot of slots) {
    images[slot].setPosition(positions[2 * slot], positions[2 * slot + 1]).setTint(CHASER)
  }
  for (const slot of seeing) images[slot].setTint(SEEING)
  images[player].setTint(PLAYER)
  window.example = { crowd, walls, player, seeing, frame: ++frame } // for tests
}

new Game({
  ...{ type: AUTO, parent: 'stage', transparent: true, banner: false, audio: { noAudio: true } },
  scale: { mode: Scale.FIT, autoCenter: Scale.CENTER_BOTH, width: SIDE, height: SIDE },
  scene: { create, update },
})
