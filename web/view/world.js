// A 3D view on a stage's canvas. Scenes load it by view/loadworld.js: the others need not load three.js. A
// drag turns the camera around the origin.
//
//   add(thing)      shows a thing made below; it is freed with the world
//   draw()          draws all in the size of the stage; what is far fades into the paper
//   zoom(steps)     nearer, by positive steps
//   turn(angle)     the camera about the vertical, in radians
//   pick(x, y)      the point under that pixel, as far away as the origin; always the same object
//   pickBall(balls, x, y)   which of them is under that pixel, -1: none
//   dispose()       frees everything, and the canvas's context

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  DoubleSide,
  DynamicDrawUsage,
  Fog,
  IcosahedronGeometry,
  InstancedBufferAttribute,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Plane,
  Points,
  PointsMaterial,
  Raycaster,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { drawsInSoftware } from './software.js'
import { theme } from './theme.js'

export { Color } from 'three'

const MAX_RATIO = 2 // finer pixels only cost, and smooth edges too
const NARROW = 38 // degrees of view, along the shorter side of the stage
const NEAREST = 0.4
const FARTHEST = 9
const DEGREE = Math.PI / 180

export function createWorld(stage, from) {
  const { canvas } = stage
  const slow = isSlow()
  const mostRatio = slow ? 1 : MAX_RATIO
  const antialias = !slow && stage.ratio < MAX_RATIO
  const renderer = new WebGLRenderer({ canvas, alpha: true, antialias })
  const scene = new Scene()
  const camera = new PerspectiveCamera()
  const controls = new OrbitControls(camera, canvas)
  const raycaster = new Raycaster()
  const plane = new Plane()
  const pixel = new Vector2()
  const picked = new Vector3()
  const things = []
  let size = ''

  camera.near = 0.05
  camera.far = 20
  camera.position.set(...from)
  controls.enablePan = false
  controls.enableZoom = false // wheel and pinch are the stage's
  scene.fog = new Fog(theme.paper)

  function fit() {
    const { width, height } = stage
    const ratio = Math.min(stage.ratio, mostRatio)
    if (size === `${width} ${height} ${ratio}`) return
    size = `${width} ${height} ${ratio}`
    renderer.setDrawingBufferSize(width, height, ratio)
    camera.aspect = width / height
    const taller = Math.max(1, height / width)
    camera.fov = (2 / DEGREE) * Math.atan(taller * Math.tan((NARROW / 2) * DEGREE))
    camera.updateProjectionMatrix()
  }

  function aim(x, y) {
    pixel.set((2 * x) / stage.width - 1, 1 - (2 * y) / stage.height)
    camera.updateMatrixWorld()
    raycaster.setFromCamera(pixel, camera)
  }

  return {
    add(thing) {
      things.push(thing)
      scene.add(thing)
      return thing
    },

    draw() {
      fit()
      controls.update()
      const distance = camera.position.length()
      scene.fog.color.set(theme.paper)
      scene.fog.near = Math.max(distance - 1.2, 0.1)
      scene.fog.far = distance + 2.6
      renderer.render(scene, camera)
    },

    zoom(steps) {
      const distance = camera.position.length() * 1.1 ** -steps
      camera.position.setLength(Math.min(Math.max(distance, NEAREST), FARTHEST))
    },

    turn(angle) {
      camera.position.applyAxisAngle(camera.up, angle)
    },

    pick(x, y) {
      aim(x, y)
      plane.normal.copy(camera.position).normalize()
      plane.constant = 0
      return raycaster.ray.intersectPlane(plane, picked) ?? picked
    },

    pickBall(balls, x, y) {
      aim(x, y)
      balls.boundingSphere = null // they have moved
      return raycaster.intersectObject(balls)[0]?.instanceId ?? -1
    },

    dispose() {
      controls.dispose()
      for (const thing of things) {
        const { geometry, material } = thing
        geometry.dispose()
        material.map?.dispose()
        material.dispose()
        thing.dispose?.()
      }
      renderer.dispose()
      renderer.forceContextLoss()
    },
  }
}

/** Without graphics hardware smooth edges and fine pixels would halve the frames, and halve them again. */
function isSlow() {
  const context = document.createElement('canvas').getContext('webgl2')
  if (!context) throw new Error('it needs WebGL 2, which this browser has not, or has switched off')
  const slow = drawsInSoftware(context)
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return slow
}

/** Coordinates for up to `count` corners, with colors (r, g, b, opacity) if wanted. */
function corners(count, colored) {
  const geometry = new BufferGeometry()
  const add = (name, width) => {
    const attribute = new BufferAttribute(new Float32Array(width * count), width)
    geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage))
  }
  add('position', 3)
  if (colored) add('color', 4)
  return geometry
}

function thing(Kind, geometry, material) {
  const made = new Kind(geometry, material)
  made.frustumCulled = false // its parts move, its bounds would have to follow
  return made
}

/** Dots of a size in the world's unit; squares, which is enough for small ones, or round. */
export function createDots(count, size, round = false) {
  const map = round ? new CanvasTexture(disc()) : null
  return thing(
    Points,
    corners(count),
    new PointsMaterial({ size, map, alphaTest: round ? 0.5 : 0 }),
  )
}

function disc() {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 64
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.arc(32, 32, 31, 0, 2 * Math.PI)
  context.fill()
  return canvas
}

/** Lines between two corners each. */
export function createLines(count, colored = false) {
  const material = new LineBasicMaterial({
    ...{ vertexColors: colored, transparent: colored, depthWrite: !colored },
  })
  return thing(LineSegments, corners(2 * count, colored), material)
}

/** Translucent quads, four corners each. */
export function createQuads(count) {
  const geometry = corners(4 * count, true)
  const index = new Uint32Array(6 * count)
  for (let i = 0; i < count; i++) {
    index.set(
      [0, 1, 2, 2, 3, 0].map((corner) => 4 * i + corner),
      6 * i,
    )
  }
  geometry.setIndex(new BufferAttribute(index, 1))
  const material = new MeshBasicMaterial({
    ...{ vertexColors: true, transparent: true, depthWrite: false },
    ...{ side: DoubleSide, forceSinglePass: true },
  })
  return thing(Mesh, geometry, material)
}

/** Up to `count` boxes, shaded as if lit from above: lights would cost more. */
export function createBoxes(count) {
  const geometry = new BoxGeometry()
  const shades = [0.72, 0.72, 1, 0.45, 0.86, 0.86] // of the sides to +x, -x, +y, -y, +z, -z
  const colors = shades.flatMap((shade) => new Array(12).fill(shade)) // four corners each
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(colors), 3))
  const boxes = new InstancedMesh(geometry, new MeshBasicMaterial({ vertexColors: true }), count)
  boxes.instanceMatrix.setUsage(DynamicDrawUsage)
  boxes.frustumCulled = false
  return boxes
}

/** Shows boxes ids[0 … count), or 0 … count - 1 without ids, of flat minX, minY, minZ, maxX, maxY, maxZ. */
export function showBoxes(mesh, boxes, ids, count) {
  const matrices = mesh.instanceMatrix.array
  for (let n = 0; n < count; n++) {
    const id = ids ? ids[n] : n
    for (let axis = 0; axis < 3; axis++) {
      const min = boxes[6 * id + axis]
      const max = boxes[6 * id + axis + 3]
      matrices[16 * n + 5 * axis] = max - min // the diagonal scales, the last column moves
      matrices[16 * n + 12 + axis] = (min + max) / 2
    }
    matrices[16 * n + 15] = 1
  }
  mesh.count = count
  upload(mesh.instanceMatrix, count)
}

/** Up to `count` balls, shaded as boxes are, each of its own color: r, g and b in instanceColor. */
export function createBalls(count) {
  const geometry = new IcosahedronGeometry(1, 1)
  const normals = geometry.attributes.position.array // of a ball around 0
  const shades = normals.map((_, i) => 0.78 + 0.22 * normals[i - (i % 3) + 1])
  geometry.setAttribute('color', new BufferAttribute(shades, 3))
  const balls = new InstancedMesh(geometry, new MeshBasicMaterial({ vertexColors: true }), count)
  balls.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count).fill(1), 3)
  balls.instanceMatrix.setUsage(DynamicDrawUsage)
  balls.frustumCulled = false
  return balls
}

/** Shows balls ids[0 … count), or 0 … count - 1 without ids, around flat x, y, z, all times `scale`. */
export function showBalls(mesh, positions, ids, count, scale, radius) {
  const matrices = mesh.instanceMatrix.array
  for (let n = 0; n < count; n++) {
    const id = ids ? ids[n] : n
    for (let axis = 0; axis < 3; axis++) {
      matrices[16 * n + 5 * axis] = scale * radius
      matrices[16 * n + 12 + axis] = scale * positions[3 * id + axis]
    }
    matrices[16 * n + 15] = 1
  }
  mesh.count = count
  upload(mesh.instanceMatrix, count)
}

export function createBall(radius) {
  return thing(Mesh, new SphereGeometry(radius, 20, 14), new MeshBasicMaterial())
}

/** The coordinates of a thing's corners, x, y, z, … */
export const placesOf = ({ geometry }) => geometry.attributes.position.array

/** And their colors: r, g, b, opacity, … */
export const shadesOf = ({ geometry }) => geometry.attributes.color.array

/** The corners, around, of a box's side across an axis; `end` 0: the lower one, 3: the upper one. */
export function sideOf(boxes, at, axis, end) {
  const u = (axis + 1) % 3
  const v = (axis + 2) % 3
  return [0, 1, 2, 3].map((corner) => {
    const point = [0, 0, 0]
    point[axis] = boxes[at + axis + end]
    point[u] = boxes[at + u + (corner === 1 || corner === 2 ? 3 : 0)]
    point[v] = boxes[at + v + (corner >= 2 ? 3 : 0)]
    return point
  })
}

/** Shows the first `count` corners (or, of quads, indices), whose attributes were written. */
export function showFirst({ geometry }, count) {
  geometry.setDrawRange(0, count)
  const written = geometry.index ? (count / 6) * 4 : count
  for (const attribute of Object.values(geometry.attributes)) upload(attribute, written)
}

// What lies behind is not shown, and may be a thousand times as much.
function upload(attribute, count) {
  attribute.addUpdateRange(0, attribute.itemSize * count)
  attribute.needsUpdate = true
}
