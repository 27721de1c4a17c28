// A 3D view on a stage's canvas. Only 3D scenes load it, and three.js, through view/loadworld.js. Dragging
// turns the camera around its target: the origin, until follow() moves it. createWorld() returns:
//
//   add(object)     shows an object created by the functions below; it is freed with the world
//   draw()          draws all objects at the size of the stage; distant ones fade into the paper
//   zoom(steps)     moves the camera; positive steps bring it nearer
//   turn(angle)     turns the camera about the vertical, in radians
//   fly(point, right, up, forward)   moves a point along the camera's axes
//   follow(point, part)   moves the camera and its target, part of the way from the target to a point
//   pick(x, y)      returns the point under a pixel at the distance of the target; always the same object
//   pickBall(balls, x, y)   returns the index of the ball under a pixel; -1: none
//   dispose()       frees all objects, and the canvas's context

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

const MAX_RATIO = 2 // finer pixels only cost time; from this ratio on, so does antialiasing
const NARROW = 38 // field of view along the shorter side of the stage, degrees
const NEAREST = 0.4 // distance of the camera
const FARTHEST = 9
const DEGREE = Math.PI / 180

export function createWorld(stage, eye) {
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
  const step = new Vector3()
  const objects = []
  let size = ''

  camera.near = 0.05
  camera.far = 20
  camera.position.set(...eye)
  controls.enablePan = false
  controls.enableZoom = false // the stage handles wheel and pinch
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
    add(object) {
      objects.push(object)
      scene.add(object)
      return object
    },

    draw() {
      fit()
      controls.update()
      const distance = camera.position.distanceTo(controls.target)
      scene.fog.color.set(theme.paper)
      scene.fog.near = Math.max(distance - 1.2, 0.1)
      scene.fog.far = distance + 2.6
      renderer.render(scene, camera)
    },

    zoom(steps) {
      const { position } = camera
      position.sub(controls.target)
      const distance = position.length() * 1.1 ** -steps
      position.setLength(Math.min(Math.max(distance, NEAREST), FARTHEST)).add(controls.target)
    },

    turn(angle) {
      const { position } = camera
      position.sub(controls.target).applyAxisAngle(camera.up, angle).add(controls.target)
    },

    fly(point, right, up, forward) {
      camera.updateMatrixWorld()
      step.set(right, up, -forward).applyQuaternion(camera.quaternion)
      for (const axis of ['x', 'y', 'z']) point[axis] += step[axis]
    },

    follow(point, part) {
      step.set(point.x, point.y, point.z).sub(controls.target).multiplyScalar(part)
      camera.position.add(step)
      controls.target.add(step)
    },

    pick(x, y) {
      aim(x, y)
      plane.normal.copy(camera.position).sub(controls.target).normalize()
      plane.constant = -plane.normal.dot(controls.target)
      return raycaster.ray.intersectPlane(plane, picked) ?? picked
    },

    pickBall(balls, x, y) {
      aim(x, y)
      balls.boundingSphere = null // stale: the balls have moved
      return raycaster.intersectObject(balls)[0]?.instanceId ?? -1
    },

    dispose() {
      controls.dispose()
      for (const object of objects) {
        const { geometry, material } = object
        geometry.dispose()
        material.map?.dispose()
        material.dispose()
        object.dispose?.()
      }
      renderer.dispose()
      renderer.forceContextLoss()
    },
  }
}

/** True without graphics hardware: there, antialiasing and fine pixels each halve the frame rate. */
function isSlow() {
  const context = document.createElement('canvas').getContext('webgl2')
  if (!context)
    throw new Error('it needs WebGL 2, which this browser does not support or has turned off')
  const slow = drawsInSoftware(context)
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return slow
}

/** Returns a geometry with room for `count` corners, and their colors (r, g, b, opacity) if `colored`. */
function cornerGeometry(count, colored) {
  const geometry = new BufferGeometry()
  const add = (name, width) => {
    const attribute = new BufferAttribute(new Float32Array(width * count), width)
    geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage))
  }
  add('position', 3)
  if (colored) add('color', 4)
  return geometry
}

function createObject(Kind, geometry, material) {
  const object = new Kind(geometry, material)
  object.frustumCulled = false // saves updates of its bounds, since its parts move
  return object
}

/** Creates up to `count` dots, with their size in world units: squares, or discs if `round`. */
export function createDots(count, size, round = false) {
  const map = round ? new CanvasTexture(disc()) : null
  return createObject(
    Points,
    cornerGeometry(count),
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

/** Creates up to `count` lines, each between two corners. */
export function createLines(count, colored = false) {
  const material = new LineBasicMaterial({
    ...{ vertexColors: colored, transparent: colored, depthWrite: !colored },
  })
  return createObject(LineSegments, cornerGeometry(2 * count, colored), material)
}

/** Creates up to `count` translucent quads of four corners each. */
export function createQuads(count) {
  const geometry = cornerGeometry(4 * count, true)
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
  return createObject(Mesh, geometry, material)
}

/** Creates up to `count` boxes. Fixed shades look like light from above, and are cheaper than lights. */
export function createBoxes(count) {
  const geometry = new BoxGeometry()
  const shades = [0.72, 0.72, 1, 0.45, 0.86, 0.86] // of the sides +x, -x, +y, -y, +z, -z
  const colors = shades.flatMap((shade) => new Array(12).fill(shade)) // four corners each
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(colors), 3))
  const boxes = new InstancedMesh(geometry, new MeshBasicMaterial({ vertexColors: true }), count)
  boxes.instanceMatrix.setUsage(DynamicDrawUsage)
  boxes.frustumCulled = false
  return boxes
}

/** Shows boxes ids[0 … count), or 0 … count - 1 without ids; `boxes` holds minX, minY, minZ, maxX, …, maxZ. */
export function showBoxes(mesh, boxes, ids, count) {
  const matrices = mesh.instanceMatrix.array
  for (let n = 0; n < count; n++) {
    const id = ids ? ids[n] : n
    for (let axis = 0; axis < 3; axis++) {
      const min = boxes[6 * id + axis]
      const max = boxes[6 * id + axis + 3]
      matrices[16 * n + 5 * axis] = max - min // the diagonal scales, the last column translates
      matrices[16 * n + 12 + axis] = (min + max) / 2
    }
    matrices[16 * n + 15] = 1
  }
  mesh.count = count
  upload(mesh.instanceMatrix, count)
}

/** Creates up to `count` balls, shaded like boxes, each with its own r, g, b in instanceColor. */
export function createBalls(count) {
  const geometry = new IcosahedronGeometry(1, 1)
  const normals = geometry.attributes.position.array // the positions, since its center is 0
  const shades = normals.map((_, i) => 0.78 + 0.22 * normals[i - (i % 3) + 1])
  geometry.setAttribute('color', new BufferAttribute(shades, 3))
  const balls = new InstancedMesh(geometry, new MeshBasicMaterial({ vertexColors: true }), count)
  balls.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count).fill(1), 3)
  balls.instanceMatrix.setUsage(DynamicDrawUsage)
  balls.frustumCulled = false
  return balls
}

/** Shows balls ids[0 … count), or 0 … count - 1 without ids. Scales positions (x, y, z, …) and radius. */
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
  return createObject(Mesh, new SphereGeometry(radius, 20, 14), new MeshBasicMaterial())
}

/** Returns the corners of an object: x, y, z, … */
export const cornersOf = ({ geometry }) => geometry.attributes.position.array

/** Returns the colors of an object's corners: r, g, b, opacity, … */
export const colorsOf = ({ geometry }) => geometry.attributes.color.array

/** Returns the four corners of a box's side across an axis, in order. `end`: 0 lower, 3 upper side. */
export function sideOf(boxes, offset, axis, end) {
  const u = (axis + 1) % 3
  const v = (axis + 2) % 3
  return [0, 1, 2, 3].map((corner) => {
    const point = [0, 0, 0]
    point[axis] = boxes[offset + axis + end]
    point[u] = boxes[offset + u + (corner === 1 || corner === 2 ? 3 : 0)]
    point[v] = boxes[offset + v + (corner >= 2 ? 3 : 0)]
    return point
  })
}

/** Uploads and shows the first `count` corners, or indices for quads. */
export function showFirst({ geometry }, count) {
  geometry.setDrawRange(0, count)
  const written = geometry.index ? (count / 6) * 4 : count
  for (const attribute of Object.values(geometry.attributes)) upload(attribute, written)
}

// Uploads only the items in use, which may be a thousandth of the array.
function upload(attribute, count) {
  attribute.addUpdateRange(0, attribute.itemSize * count)
  attribute.needsUpdate = true
}
