// Particles in PixiJS: an AgentTree, rebuilt in every frame, finds the particles near the pointer.

import { Application, Graphics, Particle, ParticleContainer } from 'pixi.js'
import { init, AgentTree } from 'copse'

const COUNT = 5000
const RADIUS = 90
const [PARTICLE, LIT, CIRCLE] = ['#7d8c84', '#e2571e', '#1f9a6a'] // for light and dark pages

const stage = document.querySelector('#stage')
const app = new Application()
await app.init({
  ...{ preference: 'webgl', resizeTo: stage, antialias: true },
  ...{ resolution: Math.min(devicePixelRatio, 2), autoDensity: true, backgroundAlpha: 0 },
})
Object.assign(app.canvas, { role: 'img', ariaLabel: 'Particles; those near the pointer are lit' })
stage.append(app.canvas)

// ---- copse: positions are in its memory, velocities in the game's ----

await init()
const agents = new AgentTree({ capacity: COUNT })
agents.slots = COUNT
const { random } = Math
const velocities = Float32Array.from({ length: 2 * COUNT }, () => 60 * (random() - 0.5))
for (let i = 0; i < COUNT; i++) {
  agents.positions[2 * i] = app.screen.width * random()
  agents.positions[2 * i + 1] = app.screen.height * random()
}

/** Moves all particles along one axis. They bounce off the borders of the screen. */
function move(seconds, axis, size) {
  const { positions } = agents
  for (let i = axis; i < 2 * COUNT; i += 2) {
    positions[i] = Math.min(Math.max(positions[i] + velocities[i] * seconds, 0), size)
    if (positions[i] === 0 || positions[i] === size) velocities[i] *= -1
  }
}

// ---- PixiJS: one particle per agent, all with the same texture ----

const dot = app.renderer.generateTexture(new Graphics().circle(0, 0, 8).fill('white'))
const particles = Array.from(
  { length: COUNT },
  () =>
    new Particle({
      ...{ texture: dot, tint: PARTICLE, anchorX: 0.5, anchorY: 0.5 },
      ...{ scaleX: 0.35, scaleY: 0.35 },
    }),
)
const container = new ParticleContainer({ dynamicProperties: { position: true, color: true } })
container.addParticle(...particles)
const pointer = { x: app.screen.width / 2, y: app.screen.height / 2 }
const circle = new Graphics()
app.stage.addChild(circle, container)
app.canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
  pointer.x = offsetX
  pointer.y = offsetY
})

let lit = new Uint32Array()
let frame = 0
app.ticker.add(({ deltaMS }) => {
  for (const id of lit) particles[id].tint = PARTICLE

  move(deltaMS / 1000, 0, app.screen.width)
  move(deltaMS / 1000, 1, app.screen.height)
  agents.build()
  const { x, y } = pointer
  const nearest = agents.nearest(x, y)
  lit = agents.within(x, y, RADIUS).slice() // a copy, to be kept until the next frame

  const { positions } = agents
  for (let i = 0; i < COUNT; i++) {
    particles[i].x = positions[2 * i]
    particles[i].y = positions[2 * i + 1]
  }
  for (const id of lit) particles[id].tint = LIT
  circle.clear().circle(x, y, RADIUS).fill(`${CIRCLE}18`).stroke({ color: CIRCLE, width: 1.5 })
  circle.circle(positions[2 * nearest], positions[2 * nearest + 1], 7)
  circle.stroke({ color: CIRCLE, width: 1.5 })
  window.example = { agents, lit, nearest, x, y, radius: RADIUS, frame: ++frame } // for tests
})
