// Boxes fly in swarms through a world that is not a cube, in an octree that is updated and never rebuilt. The
// player's box stays in view of the camera, and queries the octree every frame.

import { Octree } from 'copse'
import { smooth, timeRun } from '../view/clock.js'
import { createComparison, isSame } from '../view/compare.js'
import { addSteps } from '../view/controls.js'
import { addExperimentControls, createExperiment, experimentParams } from '../view/experiment.js'
import { formatTime } from '../view/format.js'
import { ease, loadWorld } from '../view/loadworld.js'
import { FRAME } from '../view/pace.js'
import { theme } from '../view/theme.js'

const ITEMS = [100, 200, 500, 1_000, 2_000, 3_000, 5_000]
const MAX_ITEMS = ITEMS.at(-1)
const WORLD = [4 / 3, 2 / 3, 1] // half of the sides of the world
const SWARMS = 7
const LONERS = 8 // one in this many items is in no swarm
const MAX_DIVIDED = 1_000 // divided cells drawn: more would look solid gray
const MAX_VISITED = 200 // visited leaves drawn
const MAX_DEPTH = 7
const MIN_OPACITY = 0.16 // of lines
const MIDDLE = 0.35 // part of the stage that a wandering pointer covers
const EDGES = edgesOfBox()
const CROSSES = linesThroughBox()

export default {
  name: 'octree',
  title: 'Swarms in 3D (octree)',
  order: 17,
  group: 'Boxes and walls',
  summary: 'Cells that split and merge as swarms fly through',
  description:
    'Cells of an octree split where swarms of boxes arrive, and merge where they leave; the player’s box lights up what it meets.',
  try: 'Move the player’s box; drag to turn.',
  help: 'The view also turns by itself, and the player’s box stays in front of the camera. Arrow keys move the box; wheel, pinch, + and - zoom.',
  legend: [
    ['dot', 'hit', 'meets the player'],
    ['dot', 'agent', 'box'],
    ['box', 'hit', 'player'],
    ['box', 'query', 'cell'],
  ],
  minimal: ['static-props-in-a-view-frustum'],

  count: 'items',
  params: {
    items: 500, // more would halve the frame rate without graphics hardware
    size: 0.3,
    ...experimentParams,
    leafSize: 8,
    maxDepth: 5,
    looseness: 1,
    cells: true,
  },

  controls(gui, params) {
    addSteps(gui, params, 'items', ITEMS)
    gui.add(params, 'size', 0.05, 1, 0.05).name("player's box")
    addExperimentControls(gui, params)
    gui.add(params, 'leafSize', 0, 64, 1)
    gui.add(params, 'maxDepth', 0, MAX_DEPTH, 1)
    gui.add(params, 'looseness', 1, 4, 0.1)
    gui.add(params, 'cells').name('draw cells')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    const halves = new Float32Array(3 * MAX_ITEMS)
    const orbits = new Float32Array(9 * MAX_ITEMS) // reach, speed and phase per axis
    const swarms = new Float32Array(9 * SWARMS)
    const centers = new Float32Array(3 * SWARMS)
    const results = new Uint32Array(MAX_ITEMS)
    const expected = new Uint32Array(MAX_ITEMS)
    const player = { x: 0, y: 0, z: 0 }
    const query = new Float32Array(6)
    let tree
    let stats
    let hits = 0
    let changes // per frame, smoothed
    let time = 0
    const comparison = createComparison(compare)
    const experiment = createExperiment(stage, params, {
      dimensions: 3,
      label: () => 'octree',
      bounds: () => [...WORLD.map((half) => -half), ...WORLD],
      sides: () => new Array(3).fill(2 * params.size),
      index: () => tree,
      items: () => tree.boxes.subarray(0, 6 * tree.slots),
      capacity: MAX_ITEMS,
    })
    const world = loadWorld(stage, [3, 2.1, 3.9], createView)

    // Sets the swings on each axis: of swarms through the world, and of items about their swarm.
    function gather() {
      for (let i = 0; i < SWARMS; i++) {
        for (let axis = 0; axis < 3; axis++) {
          const reach = (0.5 + 0.2 * random()) * WORLD[axis]
          swing(swarms, 3 * i + axis, reach, 0.25, ((axis + 1) * i + axis) / SWARMS)
        }
      }
      for (let i = 0; i < params.items; i++) {
        const spread = 0.06 + 0.24 * random() ** 2
        for (let axis = 0; axis < 3; axis++) {
          const reach = isLoner(i) ? 0.95 * WORLD[axis] : spread
          swing(orbits, 3 * i + axis, reach, isLoner(i) ? 0.15 : 0.6)
          halves[3 * i + axis] = 0.008 + 0.02 * random()
        }
      }
    }

    function swing(swings, place, reach, speed, phase = random()) {
      swings[3 * place] = reach
      swings[3 * place + 1] = speed * (0.4 + 0.6 * random())
      swings[3 * place + 2] = 2 * Math.PI * phase
    }

    const isLoner = (i) => i % LONERS === 0

    function swung(swings, place) {
      const offset = 3 * place
      return swings[offset] * Math.sin(swings[offset + 1] * time + swings[offset + 2])
    }

    // Writes all boxes. One call of moveAll() then updates the tree.
    function writeBoxes() {
      const { boxes } = tree
      for (let place = 0; place < 3 * SWARMS; place++) centers[place] = swung(swarms, place)
      for (let i = 0; i < params.items; i++) {
        const swarm = 3 * (i % SWARMS)
        for (let axis = 0; axis < 3; axis++) {
          const place = 3 * i + axis
          const center = swung(orbits, place) + (isLoner(i) ? 0 : centers[swarm + axis])
          boxes[6 * i + axis] = center - halves[place]
          boxes[6 * i + axis + 3] = center + halves[place]
        }
      }
    }

    function plant() {
      tree?.dispose()
      const { items: capacity, leafSize, maxDepth, looseness } = params
      const bounds = [...WORLD.map((half) => -half), ...WORLD]
      tree = new Octree({ bounds, capacity, leafSize, maxDepth, looseness })
      writeBoxes()
      tree.load(capacity)
      stats = tree.stats() // resets the count of changes, which includes the load
      changes = undefined
      comparison.forget()
      experiment.forget()
    }

    // Moves the player toward the point under the pointer, at the distance of the origin: so it goes with the
    // camera.
    function movePlayer(dt) {
      world.turn(dt)
      if (!pointer.wandering) dt ||= FRAME // a player that the user moves also moves while paused
      ease(player, inside(aim() ?? player), dt)
      const half = params.size
      query[0] = player.x - half
      query[1] = player.y - half
      query[2] = player.z - half
      query[3] = player.x + half
      query[4] = player.y + half
      query[5] = player.z + half
    }

    // Returns the point under the pointer. A wandering pointer covers the whole stage, but the world is only in
    // its middle.
    function aim() {
      const { x, y, wandering } = pointer
      const part = wandering ? MIDDLE : 1
      const near = (pixel, side) => side / 2 + part * (pixel - side / 2)
      return world.pick(near(x, stage.width), near(y, stage.height))
    }

    function runQuery() {
      return tree.rangeInto(query[0], query[1], query[2], query[3], query[4], query[5], results)
    }

    function bruteForce() {
      const { boxes } = tree
      const [minX, minY, minZ, maxX, maxY, maxZ] = query
      let count = 0
      for (let i = 0, offset = 0; i < params.items; i++, offset += 6) {
        if (boxes[offset] > maxX || boxes[offset + 3] < minX) continue
        if (boxes[offset + 1] > maxY || boxes[offset + 4] < minY) continue
        if (boxes[offset + 2] > maxZ || boxes[offset + 5] < minZ) continue
        expected[count++] = i
      }
      return count
    }

    function compare() {
      hits = runQuery()
      const equal = isSame(results.subarray(0, hits).sort(), expected.subarray(0, bruteForce()))
      return { equal, queryTime: timeRun(runQuery), bruteTime: timeRun(bruteForce) }
    }

    gather()
    plant()

    return {
      hits: () => hits,
      results: () => [...comparison.results(), ...experiment.results()],

      frame(dt, lap) {
        time += dt
        movePlayer(dt)
        writeBoxes()
        lap('move')
        tree.moveAll()
        lap('build')
        hits = runQuery()
        stats = tree.stats()
        experiment.run()
        lap('query')
        changes = smooth(changes, stats.changes)
        comparison.pass(dt)
        experiment.pass(dt)
        lap()
      },

      draw() {
        world.draw((view) => {
          view.showItems(tree.boxes, params.items, results, hits)
          view.showCells(params.cells ? tree.cells() : [], query, params.looseness)
          view.showPlayer(query)
        })
      },

      report(times) {
        experiment.show()
        return {
          numbers: [
            ['Items', params.items],
            ...comparison.numbers(),
            ['Hits', hits],
            ['Update', formatTime(times.build)],
            ['Changes per frame', changes.toFixed(changes < 10 ? 1 : 0)],
            ['Nodes', stats.nodes],
            ['Depth', stats.depth],
            ['Nodes visited', stats.visits],
            ['Leaves', stats.leaves],
            ['Straddlers', stats.straddlers],
            ['Bytes per item', Math.round(stats.bytes / params.items)],
          ],
        }
      },

      change(field) {
        if (field === 'items') gather()
        if (['items', 'leafSize', 'maxDepth', 'looseness'].includes(field)) plant()
        else {
          comparison.forget()
          experiment.forget()
        }
      },

      scroll: world.zoom,

      dispose() {
        experiment.dispose()
        world.dispose()
        tree.dispose()
      },
    }
  },
}

/** Creates all objects that are drawn. */
function createView(three, world) {
  const items = world.add(three.createBoxes(MAX_ITEMS))
  const lit = world.add(three.createBoxes(MAX_ITEMS)) // drawn over the same items: equal depths pass
  const cells = world.add(three.createLines(15 * MAX_DIVIDED, true))
  const visited = world.add(three.createLines(12 * MAX_VISITED)) // leaves that the query visits
  const frame = world.add(three.createLines(12))
  const player = world.add(three.createLines(12))
  const sides = world.add(three.createQuads(6))
  for (const { material } of [lit, player, sides]) material.fog = false
  const color = new three.Color()
  const whole = [...WORLD.map((half) => -half), ...WORLD]
  writeLines(three.cornersOf(frame), 0, EDGES, whole, 0)
  three.showFirst(frame, 24)

  return {
    paint() {
      items.material.color.set(theme.agent)
      lit.material.color.set(theme.hit)
      visited.material.color.set(theme.query)
      frame.material.color.set(theme.muted)
      player.material.color.set(theme.hit)
      const { r, g, b } = color.set(theme.hit)
      for (let n = 0; n < 24; n++) three.colorsOf(sides).set([r, g, b, 0.07], 4 * n)
      color.set(theme.query)
    },

    showItems(boxes, count, results, hits) {
      three.showBoxes(items, boxes, null, count)
      three.showBoxes(lit, boxes, results, hits)
    },

    // Draws the dividing lines of divided cells, fainter with depth, since there are more and more. Leaves that
    // the query visits stand out.
    showCells(treeCells, query, looseness) {
      const [ends, colors] = [three.cornersOf(cells), three.colorsOf(cells)]
      let divided = 0
      let leaves = 0
      for (let offset = 0; offset < treeCells.length; offset += 8) {
        const depth = treeCells[offset + 6]
        if (treeCells[offset + 14] > depth) {
          if (divided === MAX_DIVIDED) continue
          const opacity = Math.max(0.6 * 0.75 ** depth, MIN_OPACITY)
          writeLines(ends, 90 * divided, CROSSES, treeCells, offset)
          for (let n = 120 * divided; n < 120 * divided + 120; n += 4) {
            colors[n] = color.r
            colors[n + 1] = color.g
            colors[n + 2] = color.b
            colors[n + 3] = opacity
          }
          divided++
        } else if (
          leaves < MAX_VISITED &&
          treeCells[offset + 7] > 0 &&
          meets(treeCells, offset, query, looseness)
        ) {
          writeLines(three.cornersOf(visited), 72 * leaves, EDGES, treeCells, offset)
          leaves++
        }
      }
      three.showFirst(cells, 30 * divided)
      three.showFirst(visited, 24 * leaves)
    },

    showPlayer(query) {
      writeLines(three.cornersOf(player), 0, EDGES, query, 0)
      three.showFirst(player, 24)
      const corners = [0, 1, 2].flatMap((axis) => [
        ...three.sideOf(query, 0, axis, 0),
        ...three.sideOf(query, 0, axis, 3),
      ])
      three.cornersOf(sides).set(corners.flat())
      three.showFirst(sides, 36)
    },
  }
}

/** True if a query meets a cell, looseness included. */
function meets(cells, offset, query, looseness) {
  for (let axis = 0; axis < 3; axis++) {
    const margin = (looseness - 1) * WORLD[axis] * 0.5 ** cells[offset + 6]
    if (cells[offset + axis] - margin > query[axis + 3]) return false
    if (cells[offset + axis + 3] + margin < query[axis]) return false
  }
  return true
}

// Lines of a box, along each axis in turn: x, y and z of both ends, in halves of its sides.

function edgesOfBox() {
  return linesAlong([0, 2, 0, 2], [0, 0, 2, 2])
}

/** Returns the lines that the eight parts of a box have, and the box itself does not. */
function linesThroughBox() {
  return linesAlong([1, 1, 1, 0, 2], [0, 1, 2, 1, 1])
}

function linesAlong(us, vs) {
  const places = []
  for (let axis = 0; axis < 3; axis++) {
    us.forEach((u, i) => {
      for (const end of [0, 2]) {
        const point = [0, 0, 0]
        point[axis] = end
        point[(axis + 1) % 3] = u
        point[(axis + 2) % 3] = vs[i]
        places.push(...point)
      }
    })
  }
  return Uint8Array.from(places)
}

function writeLines(ends, target, lines, boxes, offset) {
  for (let i = 0; i < lines.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const part = lines[i + axis] / 2
      const min = boxes[offset + axis]
      ends[target + i + axis] = min + part * (boxes[offset + axis + 3] - min)
    }
  }
}

/** Returns the nearest point of the world. */
function inside({ x, y, z }) {
  const [nearX, nearY, nearZ] = [x, y, z].map((coordinate, axis) =>
    Math.min(Math.max(coordinate, -WORLD[axis]), WORLD[axis]),
  )
  return { x: nearX, y: nearY, z: nearZ }
}
