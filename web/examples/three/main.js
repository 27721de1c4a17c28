// Drones among rocks in three.js: a Crowd3D moves the drones, an AgentTree3D and an Octree find what the camera
// sees, and only that is drawn, by two InstancedMeshes.

import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { init, AgentTree3D, Crowd3D, Octree } from 'copse'

const ROW = 10 // there are ROW³ drones
const SPACING = 4
const SIDE = ROW * SPACING // side of the cube that they fly in
const RADIUS = 0.6
const TIME_STEP = 1 / 60 // seconds
const [SKY, ROCK] = ['#16201c', '#8f9d95']
const COLORS = ['#ff7d5c', '#63a9f5', '#5cc79b'].map((color) => new THREE.Color(color)) // of drones
const ROCKS = 20_000
const [NEAR, FAR] = [90, 300] // distances of the rocks from the center

// ---- copse: drones and their goals ----

await init()
const { random } = Math
const anywhere = () => Array.from({ length: 3 }, () => SIDE * (random() - 0.5))
const crowd = new Crowd3D({ capacity: ROW ** 3, radius: RADIUS, preferredSpeed: 4, maxSpeed: 6 })
for (let i = 0; i < ROW ** 3; i++) {
  const cell = [i % ROW, Math.floor(i / ROW) % ROW, Math.floor(i / ROW ** 2)]
  crowd.add({ position: cell.map((n) => (n + 0.5) * SPACING - SIDE / 2), goal: anywhere() })
}

function fly() {
  crowd.step(TIME_STEP)
  for (const slot of crowd.arrived()) crowd.goals.set(anywhere(), 3 * slot)
  for (const slot of crowd.stuck()) crowd.goals.set(anywhere(), 3 * slot)
}

// ---- copse: what the camera sees ----

const tree = new AgentTree3D({ capacity: crowd.capacity })
const rocks = new Octree({ bounds: [-FAR, -FAR, -FAR, FAR, FAR, FAR], capacity: ROCKS })
while (rocks.count < ROCKS) {
  const center = Array.from({ length: 3 }, () => 2 * FAR * (random() - 0.5))
  const distance = Math.hypot(...center)
  if (distance < NEAR || distance > FAR) continue
  const half = center.map(() => 0.5 + random())
  rocks.add(...center.map((x, axis) => x - half[axis]), ...center.map((x, axis) => x + half[axis]))
}

const planes = new Float32Array(24) // of the camera
const outer = new Float32Array(24) // moved outward by the radius of a drone, whose center is then inside
let seenDrones, seenRocks // ids of this frame

function cull() {
  tree.build(crowd)
  seenDrones = tree.frustum(outer)
  seenRocks = rocks.frustum(planes)
}

// ---- three.js: the scene ----

const stage = document.querySelector('#stage')
const renderer = new THREE.WebGLRenderer({ antialias: true })
renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
stage.append(renderer.domElement)
const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 300)
camera.position.set(45, 28, 50)
const controls = new OrbitControls(camera, renderer.domElement)
controls.autoRotate = true
controls.listenToKeyEvents(renderer.domElement)
Object.assign(renderer.domElement, {
  tabIndex: 0,
  role: 'application',
  ariaLabel: 'Drones among rocks',
})
const sun = new THREE.DirectionalLight('white', 2)
sun.position.set(1, 3, 2)
const droneMesh = new THREE.InstancedMesh(
  new THREE.IcosahedronGeometry(RADIUS, 1),
  new THREE.MeshLambertMaterial(),
  crowd.capacity,
)
const rockMesh = new THREE.InstancedMesh(
  new THREE.BoxGeometry(),
  new THREE.MeshLambertMaterial({ color: ROCK }),
  ROCKS,
)
for (const mesh of [droneMesh, rockMesh]) mesh.frustumCulled = false // copse has culled the instances
const scene = new THREE.Scene().add(
  ...[droneMesh, rockMesh],
  ...[sun, new THREE.HemisphereLight('white', 'gray', 1.5)],
)
scene.background = new THREE.Color(SKY)
scene.fog = new THREE.Fog(SKY, 40, 300)

new ResizeObserver(() => {
  camera.aspect = stage.clientWidth / stage.clientHeight
  camera.updateProjectionMatrix()
  renderer.setSize(stage.clientWidth, stage.clientHeight, false)
}).observe(stage)

const frustum = new THREE.Frustum()
const matrix = new THREE.Matrix4()

/** Reads the planes of the camera. */
function look() {
  camera.updateMatrixWorld()
  frustum.setFromProjectionMatrix(
    matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse),
  )
  for (const [i, { normal, constant }] of frustum.planes.entries()) {
    planes.set([normal.x, normal.y, normal.z, constant], 4 * i)
    outer.set([normal.x, normal.y, normal.z, constant + RADIUS], 4 * i)
  }
}

/** Writes the matrices of what the camera sees. */
function place() {
  const { positions } = crowd
  for (let i = 0; i < seenDrones.length; i++) {
    const id = seenDrones[i]
    matrix.makeTranslation(positions[3 * id], positions[3 * id + 1], positions[3 * id + 2])
    droneMesh.setMatrixAt(i, matrix)
    droneMesh.setColorAt(i, COLORS[id % 3])
  }
  const { boxes } = rocks
  for (let i = 0; i < seenRocks.length; i++) {
    const [x0, y0, z0, x1, y1, z1] = boxes.subarray(6 * seenRocks[i], 6 * seenRocks[i] + 6)
    matrix.makeScale(x1 - x0, y1 - y0, z1 - z0)
    rockMesh.setMatrixAt(i, matrix.setPosition((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2))
  }
  droneMesh.count = seenDrones.length
  rockMesh.count = seenRocks.length
  for (const { instanceMatrix, instanceColor } of [droneMesh, rockMesh]) {
    instanceMatrix.needsUpdate = true
    if (instanceColor) instanceColor.needsUpdate = true
  }
}

// ---- For comparison: the test of each object, as three.js makes it ----

const sphere = new THREE.Sphere(new THREE.Vector3(), RADIUS)
const boxes = Array.from({ length: ROCKS }, (_, id) => {
  const [x0, y0, z0, x1, y1, z1] = rocks.boxes.subarray(6 * id, 6 * id + 6)
  return new THREE.Box3(new THREE.Vector3(x0, y0, z0), new THREE.Vector3(x1, y1, z1))
})

function cullOneByOne() {
  const { positions } = crowd
  let count = 0
  for (let id = 0; id < crowd.slots; id++) {
    sphere.center.fromArray(positions, 3 * id)
    if (frustum.intersectsSphere(sphere)) count++
  }
  for (const box of boxes) if (frustum.intersectsBox(box)) count++
  return count
}

// ---- Frames ----

const FRAMES = 30 // between two updates of the text
const message = document.querySelector('#gain')
const times = { frames: 0, ours: 0, oneByOne: 0 } // sums since the last update, in milliseconds
let tested = 0

function compare() {
  const start = performance.now()
  cull()
  const middle = performance.now()
  tested = cullOneByOne()
  times.ours += middle - start
  times.oneByOne += performance.now() - middle
  if (++times.frames < FRAMES) return
  const [ours, oneByOne] = [times.ours, times.oneByOne].map((time) => (time / FRAMES).toFixed(2))
  const drawn = (seenDrones.length + seenRocks.length).toLocaleString('en')
  const all = (crowd.count + rocks.count).toLocaleString('en')
  message.textContent =
    `Drawn: ${drawn} of ${all} objects. Found by copse in ${ours} ms per frame, ` +
    `by a test of each object in ${oneByOne} ms.`
  Object.assign(times, { frames: 0, ours: 0, oneByOne: 0 })
}

let then = 0
let due = 0 // seconds that the crowd lags behind
renderer.setAnimationLoop((now) => {
  due = Math.min(due + (now - then) / 1000, 3 * TIME_STEP)
  then = now
  for (; due >= TIME_STEP; due -= TIME_STEP) fly()
  controls.update()
  look()
  compare()
  place()
  renderer.render(scene, camera)
  const meshes = { droneMesh, rockMesh }
  const counts = { drones: seenDrones.length, rocks: seenRocks.length }
  const found = { ...counts, seenDrones, seenRocks, tested }
  window.example = { crowd, rocks, found, planes, ...meshes, frame: renderer.info.render.frame } // for tests
})
