// Drones in three.js: a Crowd3D moves them, an InstancedMesh draws them.

import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { init, Crowd3D } from 'copse'
import { createRandom } from '../../random.js'
import { theme, watchTheme } from '../../view/theme.js'

const ROW = 10 // there are ROW³ drones
const SPACING = 4
const SIDE = ROW * SPACING // side of the cube that they fly in
const RADIUS = 0.6

// ---- copse: drones and their goals ----

await init()
const random = createRandom(1)
const anywhere = () => Array.from({ length: 3 }, () => SIDE * (random() - 0.5))
const crowd = new Crowd3D({ capacity: ROW ** 3, radius: RADIUS, preferredSpeed: 4, maxSpeed: 6 })
for (let i = 0; i < ROW ** 3; i++) {
  const cell = [i % ROW, Math.floor(i / ROW) % ROW, Math.floor(i / ROW ** 2)]
  crowd.add({ position: cell.map((n) => (n + 0.5) * SPACING - SIDE / 2), goal: anywhere() })
}

function fly() {
  crowd.step()
  for (const slot of crowd.arrived()) crowd.goals.set(anywhere(), 3 * slot)
  for (const slot of crowd.stuck()) crowd.goals.set(anywhere(), 3 * slot)
}

// ---- three.js: the scene ----

const stage = document.querySelector('#stage')
const renderer = new THREE.WebGLRenderer({ antialias: true })
renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
stage.append(renderer.domElement)
const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 500)
camera.position.set(45, 28, 50)
const controls = new OrbitControls(camera, renderer.domElement)
controls.autoRotate = true
const sun = new THREE.DirectionalLight('white', 2)
sun.position.set(1, 3, 2)
const drones = new THREE.InstancedMesh(
  new THREE.IcosahedronGeometry(RADIUS, 1),
  new THREE.MeshLambertMaterial(),
  crowd.capacity,
)
drones.frustumCulled = false // they leave the bounds that three.js computes once
const scene = new THREE.Scene().add(drones, sun, new THREE.HemisphereLight('white', 'gray', 1.5))

function paint() {
  const colors = [theme.red, theme.blue, theme.accent].map((color) => new THREE.Color(color))
  for (let i = 0; i < crowd.slots; i++) drones.setColorAt(i, colors[i % 3])
  drones.instanceColor.needsUpdate = true
  scene.background = new THREE.Color(theme.paper)
  scene.fog = new THREE.Fog(theme.paper, 40, 120)
}
watchTheme(paint)
paint()

new ResizeObserver(() => {
  camera.aspect = stage.clientWidth / stage.clientHeight
  camera.updateProjectionMatrix()
  renderer.setSize(stage.clientWidth, stage.clientHeight, false)
}).observe(stage)

let then = 0
let due = 0 // seconds that the crowd lags behind
renderer.setAnimationLoop((now) => {
  due = Math.min(due + (now - then) / 1000, 3 * crowd.timeStep)
  then = now
  for (; due >= crowd.timeStep; due -= crowd.timeStep) fly()

  // Copies the positions into the last column of each matrix: the translation.
  const { positions } = crowd
  const matrices = drones.instanceMatrix.array
  for (let i = 0; i < crowd.slots; i++)
    for (let axis = 0; axis < 3; axis++) matrices[16 * i + 12 + axis] = positions[3 * i + axis]
  drones.instanceMatrix.needsUpdate = true
  controls.update()
  renderer.render(scene, camera)
  window.example = { crowd, drones, frame: renderer.info.render.frame } // for tests
})
