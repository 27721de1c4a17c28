// Boxes fly in swarms through a world that is not a cube, in an octree that is updated and never rebuilt. The
// player's box stays in view of the camera, and queries the octree every frame.

import { Octree } from 'copse'
import { smooth, timeRun } from '../view/clock.js'
import { createComparison, isSame } from '../view/compare.js'
import { addSteps } from '../view/controls.js'
import { addExperimentControls, createExperiment, experimentParams } from '../view/experiment.js'
import { formatTime } from '../view/format.js'
import { ease, loadWorld } from '../view/loadworld.js'
import { createPad } from '../view/pad.js'
import { FRAME } from '../view/pace.js'
import {
  addPopulationControls,
  createPopulation,
  MAX_ADDED,
  populationParams,
} from '../view/population.js'
import { theme } from '../view/theme.js'

const ITEMS = [100, 200, 500, 1_000, 2_000, 3_000, 5_000]
const CAPACITY = ITEMS.at(-1) + MAX_ADDED
const [FLY_SPEED, TURN_SPEED] = [0.8, 1.5] // of the player, per second

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
  order: 18,
  group: 'Boxes and walls',
  summary: 'Cells that split and merge as swarms fly through',
  description:
    'Cells of an octree split where swarms of boxes arrive, and merge where they leave; the player’s box lights up what it meets.',
  try: 'Click to add boxes, or to strike some.',
  help: 'The player follows the pointer or arrow keys. It flies by W A S D, E up and Q down, and turns by Z and X; on touch screens by buttons. Drag to turn the view; wheel, pinch, + and - zoom. Enter clicks.',
  legend: [
    ['dot', 'hit', 'meets the player'],
    ['dot', 'agent', 'box'],
    ['box', 'hit', 'player'],
    ['box', 'query', 'cell'],
  ],
  minimal: ['static-props-in-a-view-frustum'],

  count: 'items',
  params: {
    items: 2_000,
    size: 0.3,
    ...experimentParams,
    ...populationParams,
    leafSize: 8,
    maxDepth: 5,
    looseness: 1,
    cells: true,
  },

  controls(gui, params) {
    addSteps(gui, params, 'items', ITEMS)
    gui.add(params, 'size', 0.05, 1, 0.05).name("player's box")
    addExperimentControls(gui, params)
    addPopulationControls(gui, params)
    gui.add(params, 'leafSize', 0, 64, 1)
    gui.add(params, 'maxDepth', 0, MAX_DEPTH, 1)
    gui.add(params, 'looseness', 1, 4, 0.1)
    gui.add(params, 'cells').name('draw cells')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    const halves = new Float32Array(3 * CAPACITY)
    const orbits = new Float32Array(9 * CAPACITY) // reach, speed and phase per axis
    const swarms = new Float32Array(9 * SWARMS)
    const centers = new Float32Array(3 * SWARMS)
    const results = new Uint32Array(CAPACITY)
    const expected = new Uint32Array(CAPACITY)
    const anchors = new Float32Array(3 * CAPACITY) // centers of items outside of swarms
    const homes = new Int8Array(CAPACITY) // swarms of items; -1: none
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
      capacity: CAPACITY,
    })
    const population = createPopulation(stage, params, {
      dimensions: 3,
      capacity: CAPACITY,
      tree: () => tree,
      place: placeItem,
      struck: () => tree.range(...query).slice(),
    })
    const pad = createPad(stage.canvas)
    let flying = false // by the pad, until the pointer moves
    let last = [-1, -1] // place of the pointer
    const world = loadWorld(stage, [3, 2.1, 3.9], createView)

    // Sets the swings on each axis: of swarms through the world, and of items about their swarm.
    function gather() {
      for (let i = 0; i < SWARMS; i++) {
        for (let axis = 0; axis < 3; axis++) {
          const reach = (0.5 + 0.2 * random()) * WORLD[axis]
          swing(swarms, 3 * i + axis, reach, 0.25, ((axis + 1) * i + axis) / SWARMS)
        }
      }
      anchors.fill(0)
      for (let i = 0; i < CAPACITY; i++) {
        homes[i] = isLoner(i) ? -1 : i % SWARMS
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
      for (let n = 0; n < population.count; n++) writeBox(boxes, population.slots[n])
    }

    function writeBox(boxes, i) {
      for (let axis = 0; axis < 3; axis++) {
        const place = 3 * i + axis
        const around = homes[i] < 0 ? anchors[place] : centers[3 * homes[i] + axis]
        const center = swung(orbits, place) + around
        boxes[6 * i + axis] = center - halves[place]
        boxes[6 * i + axis + 3] = center + halves[place]
      }
    }

    // Newborn items join a swarm. Added ones stay in the player's box.
    function placeItem(i, nest) {
      homes[i] = nest === undefined ? -1 : nest % SWARMS
      anchors.set([player.x, player.y, player.z], 3 * i)
      for (let axis = 0; axis < 3; axis++) {
        const reach = (nest === undefined ? params.size : 0.2) * random()
        swing(orbits, 3 * i + axis, reach, 0.6)
      }
      writeBox(tree.boxes, i)
    }

    function plant() {
      tree?.dispose()
      const { items, leafSize, maxDepth, looseness } = params
      const bounds = [...WORLD.map((half) => -half), ...WORLD]
      // copse:
      tree = new Octree({ bounds, capacity: CAPACITY, leafSize, maxDepth, looseness })
      for (let i = 0; i < items; i++) writeBox(tree.boxes, i)
      tree.load(items)

      population.begin(items)
      stats = tree.stats() // resets the count of changes, which includes the load
      changes = undefined
      comparison.forget()
      experiment.forget()
    }

    // Moves the player toward the point under the pointer, at the distance of the origin: so it goes with the
    // camera.
    function movePlayer(dt) {
      const { x, y, wandering, isDown } = pointer
      if (pad.isHeld) flying = true
      else if (!wandering && !isDown && (x !== last[0] || y !== last[1])) flying = false
      last = [x, y]
      if (flying) fly(dt || FRAME)
      else {
        world.turn(dt)
        if (!wandering) dt ||= FRAME // a player that the user moves also moves while paused
        ease(player, inside(aim() ?? player), dt)
      }
      const half = params.size
      query[0] = player.x - half
      query[1] = player.y - half
      query[2] = player.z - half
      query[3] = player.x + half
      query[4] = player.y + half
      query[5] = player.z + half
    }

    // Moves the player along the axes of the camera, which follows.
    function fly(dt) {
      const [right, up, forward, left] = pad.direction()
      const step = FLY_SPEED * dt
      world.fly(player, right * step, up * step, forward * step, left * TURN_SPEED * dt)
      Object.assign(player, inside(player))
      world.follow(player, 1 - Math.exp(-5 * dt))
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
      // copse:
      return tree.range(query[0], query[1], query[2], query[3], query[4], query[5])
    }

    function bruteForce() {
      const { boxes } = tree
      const [minX, minY, minZ, maxX, maxY, maxZ] = query
      let count = 0
      for (let i = 0, offset = 0; i < tree.slots; i++, offset += 6) {
        if (boxes[offset] > maxX || boxes[offset + 3] < minX) continue
        if (boxes[offset + 1] > maxY || boxes[offset + 4] < minY) continue
        if (boxes[offset + 2] > maxZ || boxes[offset + 5] < minZ) continue
        expected[count++] = i
      }
      return count
    }

    function compare() {
      const equal = isSame(runQuery().slice().sort(), expected.subarray(0, bruteForce()))
      return { equal, queryTime: timeRun(runQuery), bruteTime: timeRun(bruteForce) }
    }

    gather()
    plant()

    return {
      hits: () => hits,
      results: () => [...comparison.results(), ...experiment.results()],

      frame(dt, lap) {
        time += dt
        population.pass(dt)
        lap()
        movePlayer(dt)
        writeBoxes()
        lap('move')
        // copse:
        tree.moveAll()
        lap('build')
        const ids = runQuery()
        results.set(ids) // a copy to draw: the queries of the experiment overwrite the ids
        hits = ids.length

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
          view.showItems(tree.boxes, population, results, hits)
          view.showCells(params.cells ? tree.cells() : [], query, params.looseness)
          view.showPlayer(query)
        })
      },

      report(times) {
        experiment.show()
        return {
          numbers: [
            ['Items', tree.count],
            ...comparison.numbers(),
            ['Hits', hits],
            ['Update', formatTime(times.build)],
            ...population.numbers(),
            ['Changes per frame', changes.toFixed(changes < 10 ? 1 : 0)],
            ['Nodes', stats.nodes],
            ['Depth', stats.depth],
            ['Nodes visited', stats.visits],
            ['Leaves', stats.leaves],
            ['Straddlers', stats.straddlers],
            ['Bytes per item', Math.round(stats.bytes / CAPACITY)],
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

      press: population.press,
      scroll: world.zoom,

      dispose() {
        experiment.dispose()
        population.dispose()
        pad.dispose()
        world.dispose()
        tree.dispose()
      },
    }
  },
}

/** Creates all objects that are drawn. */
function createView(three, world) {
  const items = world.add(three.createBoxes(CAPACITY))
  const lit = world.add(three.createBoxes(CAPACITY)) // drawn over the same items: equal depths pass
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

    showItems(boxes, { slots, count }, results, hits) {
      three.showBoxes(items, boxes, slots, count)
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
