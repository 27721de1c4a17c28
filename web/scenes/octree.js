// Boxes that fly in swarms through a world that is no cube, in an octree that is never built. The
// player's box stays where the camera looks, and asks in every frame what is in it.

import { Octree } from 'copse'
import { smooth, timeRun } from '../view/clock.js'
import { createComparison, isSame } from '../view/compare.js'
import { addSteps } from '../view/controls.js'
import { formatTime } from '../view/format.js'
import { ease, loadWorld } from '../view/loadworld.js'
import { FRAME } from '../view/pace.js'
import { theme } from '../view/theme.js'

const ITEMS = [100, 200, 500, 1_000, 2_000, 3_000, 5_000]
const MOST = ITEMS.at(-1)
const WORLD = [4 / 3, 2 / 3, 1] // half of its sides
const SWARMS = 7
const LONERS = 8 // one item in so many is in no swarm
const MAX_DIVIDED = 1_000 // cells whose lines are drawn: more would be a solid gray
const MAX_MET = 200
const MAX_DEPTH = 7
const FAINTEST = 0.16 // of what is drawn
const MIDDLE = 0.35 // of the stage
const EDGES = edgesOfBox()
const CROSSES = linesThroughBox()

export default {
  name: 'octree',
  title: 'Octree',
  order: 6,
  group: 'Boxes and walls',
  summary: 'Cells that divide and merge as swarms fly through',
  description:
    'An octree that follows swarms: its cells divide where they come and merge where they leave. Whatever meets the box of the player, which stays in front of the camera, lights up.',
  help: 'The player follows the pointer or arrow keys, and the camera turns when left alone. A drag turns the view; wheel, pinch, + and - zoom.',

  count: 'items',
  params: {
    items: 500, // more would halve the frames without graphics hardware
    size: 0.3,
    leafSize: 8,
    maxDepth: 5,
    looseness: 1,
    cells: true,
  },

  controls(gui, params) {
    addSteps(gui, params, 'items', ITEMS)
    gui.add(params, 'size', 0.05, 1, 0.05).name("player's box")
    gui.add(params, 'leafSize', 0, 64, 1)
    gui.add(params, 'maxDepth', 0, MAX_DEPTH, 1)
    gui.add(params, 'looseness', 1, 4, 0.1)
    gui.add(params, 'cells').name('draw cells')
  },

  setup(stage, params) {
    const { pointer, random } = stage
    const halves = new Float32Array(3 * MOST)
    const orbits = new Float32Array(9 * MOST) // by axis: reach, speed, phase
    const swarms = new Float32Array(9 * SWARMS)
    const middles = new Float32Array(3 * SWARMS)
    const found = new Uint32Array(MOST)
    const expected = new Uint32Array(MOST)
    const player = { x: 0, y: 0, z: 0 }
    const query = new Float32Array(6)
    let tree
    let stats
    let hits = 0
    let changes // a frame, smoothed
    let time = 0
    const comparison = createComparison(compare)
    const world = loadWorld(stage, [3, 2.1, 3.9], createView)

    // Everything swings on each axis: swarms through the world, items about their swarm.
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
      const at = 3 * place
      return swings[at] * Math.sin(swings[at + 1] * time + swings[at + 2])
    }

    // The game writes where everything is, then tells so once.
    function writeBoxes() {
      const { boxes } = tree
      for (let place = 0; place < 3 * SWARMS; place++) middles[place] = swung(swarms, place)
      for (let i = 0; i < params.items; i++) {
        const swarm = 3 * (i % SWARMS)
        for (let axis = 0; axis < 3; axis++) {
          const place = 3 * i + axis
          const middle = swung(orbits, place) + (isLoner(i) ? 0 : middles[swarm + axis])
          boxes[6 * i + axis] = middle - halves[place]
          boxes[6 * i + axis + 3] = middle + halves[place]
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
      stats = tree.stats() // what came is no change of a frame
      changes = undefined
      comparison.forget()
    }

    // Under the pointer, as far away as what the camera turns around; so it goes with the camera.
    function movePlayer(dt) {
      world.turn(dt)
      if (!pointer.wandering) dt ||= FRAME // a player in a hand moves while the scene is paused
      ease(player, inside(aim() ?? player), dt)
      const half = params.size
      query[0] = player.x - half
      query[1] = player.y - half
      query[2] = player.z - half
      query[3] = player.x + half
      query[4] = player.y + half
      query[5] = player.z + half
    }

    // A pointer that is left alone wanders all over the stage; the world is only in its middle.
    function aim() {
      const { x, y, wandering } = pointer
      const part = wandering ? MIDDLE : 1
      const near = (at, side) => side / 2 + part * (at - side / 2)
      return world.pick(near(x, stage.width), near(y, stage.height))
    }

    function ask() {
      return tree.rangeInto(query[0], query[1], query[2], query[3], query[4], query[5], found)
    }

    function bruteForce() {
      const { boxes } = tree
      const [minX, minY, minZ, maxX, maxY, maxZ] = query
      let count = 0
      for (let i = 0, at = 0; i < params.items; i++, at += 6) {
        if (boxes[at] > maxX || boxes[at + 3] < minX) continue
        if (boxes[at + 1] > maxY || boxes[at + 4] < minY) continue
        if (boxes[at + 2] > maxZ || boxes[at + 5] < minZ) continue
        expected[count++] = i
      }
      return count
    }

    function compare() {
      hits = ask()
      const equal = isSame(found.subarray(0, hits).sort(), expected.subarray(0, bruteForce()))
      return { equal, queryTime: timeRun(ask), bruteTime: timeRun(bruteForce) }
    }

    gather()
    plant()

    return {
      hits: () => hits,
      results: comparison.results,

      frame(dt, lap) {
        time += dt
        movePlayer(dt)
        writeBoxes()
        lap('move')
        tree.moveAll()
        lap('build')
        hits = ask()
        lap('query')
        stats = tree.stats()
        changes = smooth(changes, stats.changes)
        comparison.pass(dt)
        lap()
      },

      draw() {
        world.draw((view) => {
          view.showItems(tree.boxes, params.items, found, hits)
          view.showCells(params.cells ? tree.cells() : [], query, params.looseness)
          view.showPlayer(query)
        })
      },

      report(times) {
        return {
          numbers: [
            ['Hits', hits],
            ...comparison.numbers(),
            ['Items', params.items],
            ['Update', formatTime(times.build)],
            ['Changes a frame', changes.toFixed(changes < 10 ? 1 : 0)],
            ['Nodes', stats.nodes],
            ['Depth', stats.depth],
            ['Nodes visited', stats.visits],
            ['Leaves', stats.leaves],
            ['Straddlers', stats.straddlers],
            ['Bytes an item', Math.round(stats.bytes / params.items)],
          ],
        }
      },

      change(field) {
        if (field === 'items') gather()
        if (['items', 'leafSize', 'maxDepth', 'looseness'].includes(field)) plant()
        else comparison.forget()
      },

      scroll: world.zoom,

      dispose() {
        world.dispose()
        tree.dispose()
      },
    }
  },
}

/** What is drawn, once three.js is there. */
function createView(three, world) {
  const items = world.add(three.createBoxes(MOST))
  const lit = world.add(three.createBoxes(MOST)) // over the same items: equal depths pass
  const cells = world.add(three.createLines(15 * MAX_DIVIDED, true))
  const met = world.add(three.createLines(12 * MAX_MET)) // leaves that the query looks into
  const frame = world.add(three.createLines(12))
  const player = world.add(three.createLines(12))
  const sides = world.add(three.createQuads(6))
  for (const { material } of [lit, player, sides]) material.fog = false
  const color = new three.Color()
  const whole = [...WORLD.map((half) => -half), ...WORLD]
  writeLines(three.placesOf(frame), 0, EDGES, whole, 0)
  three.showFirst(frame, 24)

  return {
    paint() {
      items.material.color.set(theme.agent)
      lit.material.color.set(theme.hit)
      met.material.color.set(theme.query)
      frame.material.color.set(theme.muted)
      player.material.color.set(theme.hit)
      const { r, g, b } = color.set(theme.hit)
      for (let n = 0; n < 24; n++) three.shadesOf(sides).set([r, g, b, 0.07], 4 * n)
      color.set(theme.query)
    },

    showItems(boxes, count, found, hits) {
      three.showBoxes(items, boxes, null, count)
      three.showBoxes(lit, boxes, found, hits)
    },

    // Of divided cells the lines on their sides and through them, fainter from depth to depth, since
    // they are ever more. Leaves that the query meets stand out.
    showCells(found, query, looseness) {
      const [ends, shades] = [three.placesOf(cells), three.shadesOf(cells)]
      let divided = 0
      let leaves = 0
      for (let at = 0; at < found.length; at += 8) {
        const depth = found[at + 6]
        if (found[at + 14] > depth) {
          if (divided === MAX_DIVIDED) continue
          const opacity = Math.max(0.6 * 0.75 ** depth, FAINTEST)
          writeLines(ends, 90 * divided, CROSSES, found, at)
          for (let n = 120 * divided; n < 120 * divided + 120; n += 4) {
            shades[n] = color.r
            shades[n + 1] = color.g
            shades[n + 2] = color.b
            shades[n + 3] = opacity
          }
          divided++
        } else if (leaves < MAX_MET && found[at + 7] > 0 && meets(found, at, query, looseness)) {
          writeLines(three.placesOf(met), 72 * leaves, EDGES, found, at)
          leaves++
        }
      }
      three.showFirst(cells, 30 * divided)
      three.showFirst(met, 24 * leaves)
    },

    showPlayer(query) {
      writeLines(three.placesOf(player), 0, EDGES, query, 0)
      three.showFirst(player, 24)
      const corners = [0, 1, 2].flatMap((axis) => [
        ...three.sideOf(query, 0, axis, 0),
        ...three.sideOf(query, 0, axis, 3),
      ])
      three.placesOf(sides).set(corners.flat())
      three.showFirst(sides, 36)
    },
  }
}

/** Whether a query looks into a cell, as loose as it is. */
function meets(cells, at, query, looseness) {
  for (let axis = 0; axis < 3; axis++) {
    const margin = (looseness - 1) * WORLD[axis] * 0.5 ** cells[at + 6]
    if (cells[at + axis] - margin > query[axis + 3]) return false
    if (cells[at + axis + 3] + margin < query[axis]) return false
  }
  return true
}

// Lines of a box, along each axis in turn: of both ends x, y and z in halves of its side.

function edgesOfBox() {
  return linesAlong([0, 2, 0, 2], [0, 0, 2, 2])
}

/** Those that its eight parts have and it has not. */
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

function writeLines(ends, to, lines, boxes, at) {
  for (let i = 0; i < lines.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const part = lines[i + axis] / 2
      const min = boxes[at + axis]
      ends[to + i + axis] = min + part * (boxes[at + axis + 3] - min)
    }
  }
}

/** The nearest point of the world. */
function inside({ x, y, z }) {
  const [nearX, nearY, nearZ] = [x, y, z].map((at, axis) =>
    Math.min(Math.max(at, -WORLD[axis]), WORLD[axis]),
  )
  return { x: nearX, y: nearY, z: nearZ }
}
