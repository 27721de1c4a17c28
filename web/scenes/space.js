// A k-d tree of points in space, and a probe that finds the points nearest to it every frame.

import { KdTree3D } from 'copse'
import { timeRun } from '../view/clock.js'
import { createComparison, isSame } from '../view/compare.js'
import { addSteps } from '../view/controls.js'
import { formatTime } from '../view/format.js'
import { ease, loadWorld, tallnessOf } from '../view/loadworld.js'
import { FRAME } from '../view/pace.js'
import { theme } from '../view/theme.js'

const POINTS = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000]
const MAX_POINTS = POINTS.at(-1)
const LEVELS = 8
const MAX_PLANES = 2 ** LEVELS - 1
const MAX_K = 100
const [CLUSTERS, UNIFORM, SPIRAL] = ['clusters', 'uniform', 'spiral']
const { fround } = Math

export default {
  name: 'space',
  title: 'Nearest in 3D',
  order: 14,
  group: 'Trees',
  summary: 'Nearest points in 3D, and the planes that divide space',
  description:
    'Planes divide the points by x, y and z in turn; every frame, the probe finds the points nearest to it.',
  try: 'Move the probe; drag to turn the view.',
  help: 'The view and the probe also move by themselves. Arrow keys move the probe; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'hit', 'nearest'],
    ['dot', 'agent', 'point'],
    ['area', 'red', 'plane across x'],
    ['area', 'blue', 'across y'],
    ['area', 'query', 'across z'],
  ],

  count: 'points',
  params: {
    points: 20_000,
    spread: CLUSTERS,
    k: 30,
    levels: 4,
    planes: true,
  },

  controls(gui, params) {
    addSteps(gui, params, 'points', POINTS)
    gui.add(params, 'spread', [CLUSTERS, UNIFORM, SPIRAL])
    gui.add(params, 'k', 1, MAX_K, 1).name('k nearest')
    gui.add(params, 'levels', 0, LEVELS, 1).name('levels shown')
    gui.add(params, 'planes').name('fill planes')
  },

  setup(stage, params) {
    const { pointer } = stage
    // copse:
    const tree = new KdTree3D({ capacity: MAX_POINTS })

    const probe = { x: 0, y: 0, z: 0 }
    let results = new Uint32Array(0) // points nearest to the probe
    let buildTime
    let time = 0
    let stale = true // points or planes have changed since they were uploaded
    const comparison = createComparison(compare)
    const tall = tallnessOf(stage)
    const eye = [2.5, 1.8, 3.5].map((x) => (1.35 - 0.35 * tall) * x)
    const world = loadWorld(stage, eye, createView)

    // copse:
    function gather() {
      tree.slots = params.points
      const { positions } = tree
      spreads[params.spread](positions.subarray(0, 3 * params.points), stage.random)
      for (let i = 1; i < 3 * params.points; i += 3) positions[i] *= tall
      buildTime = timeRun(() => tree.build())
      stale = true
      comparison.forget()
    }

    // Moves the probe: on its own path through the points, or toward the pointer.
    function moveProbe(dt) {
      time += dt
      let goal
      if (pointer.wandering) {
        const reach = 0.62 + 0.2 * Math.sin(0.31 * time)
        goal = {
          x: reach * Math.sin(0.53 * time),
          y: tall * reach * Math.sin(0.71 * time + 1),
          z: reach * Math.cos(0.43 * time),
        }
      } else {
        goal = world.pick(pointer.x, pointer.y) ?? probe
        dt ||= FRAME // a probe that the user moves also moves while paused
      }
      ease(probe, goal, dt)
    }

    // copse:
    const runQuery = () => tree.neighbors(probe.x, probe.y, probe.z, params.k)

    function compare() {
      results = runQuery()
      const brute = () => bruteForce(tree.positions, params.points, probe, params.k)
      const equal = isSame(brute(), results)
      return { equal, queryTime: timeRun(runQuery), bruteTime: timeRun(brute, 1) }
    }

    gather()

    return {
      hits: () => results.length,
      results: comparison.results,

      frame(dt, lap) {
        moveProbe(dt)
        lap('move')
        results = runQuery()
        lap('query')
        comparison.pass(dt)
        lap()
      },

      draw() {
        world.draw((view, isNew) => {
          if (stale) view.showPoints(tree.positions, params.points)
          if (stale || isNew) view.showPlanes(tree.cells(), params.levels, params.planes)
          stale = false
          view.showProbe(probe, tree.positions, results)
        })
      },

      report() {
        const { depth, visits } = tree.stats()
        return {
          numbers: [
            ['Points', params.points],
            ...comparison.numbers(),
            ['Build', formatTime(buildTime)],
            ['Levels', depth + 1],
            ['Nodes visited', visits],
          ],
        }
      },

      change(field) {
        if (field === 'points' || field === 'spread') gather()
        else if (field === 'k') comparison.forget()
        else stale = true
      },

      scroll: world.zoom,

      dispose() {
        world.dispose()
        tree.dispose()
      },
    }
  },
}

/** Creates all objects that are drawn. */
function createView(three, world) {
  const dots = world.add(three.createDots(MAX_POINTS, 0.014))
  const quads = world.add(three.createQuads(MAX_PLANES))
  const edges = world.add(three.createLines(4 * MAX_PLANES, true))
  const lines = world.add(three.createLines(MAX_K))
  const lit = world.add(three.createDots(MAX_K, 0.042, true))
  const ball = world.add(three.createBall(0.022))
  for (const { material } of [lines, lit, ball]) material.fog = false
  const color = new three.Color()

  return {
    paint() {
      dots.material.color.set(theme.agent)
      lit.material.color.set(theme.hit)
      lines.material.color.set(theme.hit)
      ball.material.color.set(theme.query)
    },

    showPoints(positions, count) {
      three.cornersOf(dots).set(positions.subarray(0, 3 * count))
      three.showFirst(dots, count)
    },

    // Draws the dividing planes, fainter with depth, since there are more and more.
    showPlanes(cells, levels, filled) {
      const axes = [theme.red, theme.query, theme.blue]
      let planes = 0
      for (let offset = 0; offset < cells.length; offset += 8) {
        const depth = cells[offset + 6]
        if (depth >= levels) continue
        const axis = depth % 3
        color.set(axes[axis])
        const opacity = 0.85 ** depth
        three.sideOf(cells, offset, axis, 0).forEach((point, corner) => {
          const n = 4 * planes + corner
          three.cornersOf(quads).set(point, 3 * n)
          three.colorsOf(quads).set([color.r, color.g, color.b, 0.13 * opacity], 4 * n)
          // A corner ends one edge and begins the next.
          for (const end of [2 * n, 8 * planes + ((2 * corner + 7) % 8)]) {
            three.cornersOf(edges).set(point, 3 * end)
            three.colorsOf(edges).set([color.r, color.g, color.b, 0.7 * opacity], 4 * end)
          }
        })
        planes++
      }
      three.showFirst(quads, filled ? 6 * planes : 0)
      three.showFirst(edges, 8 * planes)
    },

    showProbe({ x, y, z }, positions, results) {
      ball.position.set(x, y, z)
      const [ends, points] = [three.cornersOf(lines), three.cornersOf(lit)]
      for (let i = 0; i < results.length; i++) {
        const id = 3 * results[i]
        points[3 * i] = ends[6 * i + 3] = positions[id]
        points[3 * i + 1] = ends[6 * i + 4] = positions[id + 1]
        points[3 * i + 2] = ends[6 * i + 5] = positions[id + 2]
        ends[6 * i] = x
        ends[6 * i + 1] = y
        ends[6 * i + 2] = z
      }
      three.showFirst(lit, results.length)
      three.showFirst(lines, 2 * results.length)
    },
  }
}

/** Returns the k nearest points by a loop over all, nearest first, ties by lower id. */
function bruteForce(positions, count, { x, y, z }, k) {
  const [qx, qy, qz] = [fround(x), fround(y), fround(z)]
  const ids = []
  const distances = []
  for (let id = 0; id < count; id++) {
    const dx = fround(positions[3 * id] - qx)
    const dy = fround(positions[3 * id + 1] - qy)
    const dz = fround(positions[3 * id + 2] - qz)
    const d2 = fround(fround(fround(dx * dx) + fround(dy * dy)) + fround(dz * dz))
    if (ids.length === k && d2 >= distances[k - 1]) continue
    let rank = Math.min(ids.length, k - 1)
    for (; rank > 0 && distances[rank - 1] > d2; rank--) {
      ids[rank] = ids[rank - 1]
      distances[rank] = distances[rank - 1]
    }
    ids[rank] = id
    distances[rank] = d2
  }
  return ids
}

/** Each function fills x, y, z, … with points in the cube from -1 to 1. */
const spreads = {
  [CLUSTERS](positions, random) {
    const around = () => (random() + random() + random()) / 1.5 - 1
    const clusters = Array.from({ length: 14 }, () => ({
      middle: [0, 1, 2].map(() => 1.2 * (random() - 0.5)),
      radius: 0.12 + 0.35 * random() * random(),
    }))
    for (let i = 0; i < positions.length; i += 3) {
      const { middle, radius } = clusters[Math.floor(clusters.length * random())]
      const reach = radius * (0.3 + random())
      for (let axis = 0; axis < 3; axis++) positions[i + axis] = middle[axis] + reach * around()
    }
  },

  [UNIFORM](positions, random) {
    for (let i = 0; i < positions.length; i++) positions[i] = 2 * random() - 1
  },

  // Two arms, denser toward the center, like a galaxy's.
  [SPIRAL](positions, random) {
    for (let i = 0; i < positions.length; i += 3) {
      const far = random() ** 1.5
      const turn = 5 * far + (random() < 0.5 ? Math.PI : 0)
      const loose = () => (0.05 + 0.2 * far) * (random() + random() - 1)
      positions[i] = 0.8 * far * Math.cos(turn) + loose()
      positions[i + 1] = 0.6 * loose()
      positions[i + 2] = 0.8 * far * Math.sin(turn) + loose()
    }
  },
}
