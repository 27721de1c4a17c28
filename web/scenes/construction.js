// How trees are made, cut by cut, and how a query then descends: for agent tree, k-d tree, quadtree and
// obstacle tree. The library builds each tree; the steps are read from the finished tree in build order.

import { AgentTree, KdTree, ObstacleTree, Quadtree } from 'copse'
import { createRandom } from '../random.js'
import { isSame } from '../view/compare.js'
import { addButton, addSteps } from '../view/controls.js'
import { createDoublePress } from '../view/doublepress.js'
import { drawArea, fillDisc, strokeSegments, wrapText } from '../view/draw.js'
import { createPencil } from '../view/pencil.js'
import { spawn } from '../view/spawn.js'
import { FONT, theme } from '../view/theme.js'
import { agentTreeNodes, kdTreeNodes, quadtreeNodes } from './construction/nodes.js'
import { between, chord, polygonOf, sideOf } from './construction/polygon.js'
import { POINTS, WALLS, WORLD } from './construction/presets.js'
import { searchAgentTree, searchKdTree, searchQuadtree } from './construction/search.js'
import { drawTree, layOut } from './construction/treeview.js'
import { isSameTree, searchWalls, wallNodes } from './construction/walls.js'
import { describeBuild, describeQuery, describeWalls } from './construction/words.js'

const [AGENTS, KD, QUAD, OBSTACLES] = ['agent tree', 'k-d tree', 'quadtree', 'obstacle tree']
const CLASSES = {
  [AGENTS]: 'AgentTree',
  [KD]: 'KdTree',
  [QUAD]: 'Quadtree',
  [OBSTACLES]: 'ObstacleTree',
}
const COUNTS = [4, 6, 10, 16, 24, 40, 60]
const EXAMPLE = 6 // points of each worked example
const RANDOM = 24 // points if the user leaves a worked example
const ADDED = 60 // maximum number of points that the user adds
const SIZE = WORLD[2]
const DEPTH = 6 // maximum depth of the quadtree
const REST = 2.5 // seconds for which the finished tree and the end of a query are shown
const QUICK = 3 // candidate lines are shown this many times as fast
const LETTERS = 26
const GAP = 14 // pixels around the parts of the picture
const ARROW = [44, 34] // pixels: size of the buttons that step back and forward
const CHIP = [76, 22] // pixels: size of a candidate's counts

let slider = null // the controller of the step: its range follows the tree

export default {
  name: 'construction',
  title: 'Tree building',
  order: 16,
  group: 'Trees',
  summary: 'How a tree is made, cut by cut, and how a query descends',
  description:
    'A tree is built cut by cut; then a query for everything within a radius descends it. The present node is marked in the plane and in the tree.',
  try: 'Use the arrows; press twice to add a point.',
  help: 'The arrows, wheel, pinch, + and - step forward and back. A double click, a double tap or Enter adds a point; a drag adds a wall. Pointer or arrow keys move the query.',
  legend: [
    ['dot', 'agent', 'point'],
    ['line', 'red', 'cut along x'],
    ['line', 'blue', 'cut along y'],
    ['area', 'query', 'visited by the query'],
    ['dot', 'hit', 'within the radius'],
  ],

  count: 'points',
  passing: ['step'],
  params: {
    tree: AGENTS,
    points: EXAMPLE,
    preset: 'agents A to F',
    walls: 'four houses',
    leafSize: 1,
    wallLeaf: 3,
    axis: 'longest',
    split: 'midpoint',
    play: true,
    speed: 1.5,
    step: 0,
    radius: 2,
  },

  controls(gui, params) {
    const tree = gui.add(params, 'tree', [AGENTS, KD, QUAD, OBSTACLES])
    const points = addSteps(gui, params, 'points', COUNTS)
    const preset = gui.add(params, 'preset', [
      ...Object.keys(POINTS),
      'uniform',
      'clusters',
      'line',
    ])
    const walls = gui.add(params, 'walls', Object.keys(WALLS))
    const leafSize = gui.add(params, 'leafSize', 1, 16, 1)
    const wallLeaf = gui.add(params, 'wallLeaf', 1, 16, 1).name('leafSize')
    const axis = gui.add(params, 'axis', ['longest', 'cycle'])
    const split = gui.add(params, 'split', ['midpoint', 'median'])
    slider = gui.add(params, 'step', 0, 1, 1)
    addButton(gui, 'forward', 'Step forward')
    addButton(gui, 'back', 'Step back')
    gui.add(params, 'play')
    gui.add(params, 'speed', 0.5, 20, 0.5).name('steps per second')
    gui.add(params, 'radius', 0.5, 5, 0.1).name('query radius')
    addButton(gui, 'clear', 'Remove what you added')

    const fit = () => {
      const isWalls = params.tree === OBSTACLES
      for (const controller of [points, preset]) controller.show(!isWalls)
      for (const controller of [walls, wallLeaf]) controller.show(isWalls)
      leafSize.show(!isWalls && params.tree !== KD)
      for (const controller of [axis, split]) controller.show(params.tree === AGENTS)
    }
    tree.onChange(fit)
    fit()
  },

  setup(stage, params) {
    const { pointer } = stage
    const isDouble = createDoublePress(pointer)
    const query = [5.6, 4.4]
    const shownAt = { x: pointer.x, y: pointer.y } // of the pointer when the query last followed it
    let added = [] // x, y of points that the user added
    let tree
    let positions
    let nodes
    let built // see walls.js; null for trees of points
    let layout
    let search
    let steps // of the construction, then of the query
    let done // index of the step that shows the finished tree
    let step = 0
    let due = 0 // seconds until the next step
    let equal = { nodes: true, query: true }

    const isWalls = () => params.tree === OBSTACLES
    const className = () => CLASSES[params.tree]
    const pencil = createPencil(
      stage,
      // The tree is created again when a setting changes.
      {
        addSegment: (...ends) => tree.addSegment(...ends),
        move: (...wall) => tree.move(...wall),
        remove: (slot) => tree.remove(slot),
      },
      { maxWalls: 20, locate, unitsOf: (pixels) => (pixels * SIZE) / frame().plane.size, changed },
    )

    // ---- The tree and its steps ----

    function gather() {
      const example = POINTS[params.preset]
      const points =
        example ?? spawn(params.preset, params.points, SIZE, SIZE, createRandom(4)).positions
      const rounded = (x) => Math.min(Math.max(Math.round(100 * x), 20), 100 * SIZE - 20) / 100
      positions = Float32Array.from([...points, ...added], (x) => (example ? x : rounded(x)))
    }

    function plant() {
      tree?.dispose()
      const { leafSize, axis, split } = params
      const capacity = COUNTS.at(-1) + ADDED
      if (isWalls()) {
        // copse:
        tree = new ObstacleTree({ leafSize: params.wallLeaf, pieces: 5_000 })
        for (const wall of WALLS[params.walls])
          if (wall.length === 4) tree.addSegment(...wall)
          else tree.addPolygon(wall)

        pencil.raise()
        return
      }
      gather()
      // copse:
      if (params.tree === AGENTS) tree = new AgentTree({ capacity, leafSize, axis, split })
      else if (params.tree === KD) tree = new KdTree({ capacity })
      else tree = new Quadtree({ bounds: WORLD, capacity, leafSize, maxDepth: DEPTH })
      for (let i = 0; i < positions.length; i += 2) tree.add(positions[i], positions[i + 1])
    }

    function grow() {
      // copse:
      tree.build?.()

      built = null
      if (isWalls()) {
        built = wallNodes(tree, params.wallLeaf, WORLD)
        nodes = built.nodes
        equal.nodes = isSameTree(built, tree) && tree._validate()
      } else {
        if (params.tree === AGENTS) nodes = agentTreeNodes(tree, params)
        else nodes = params.tree === KD ? kdTreeNodes(tree, WORLD) : quadtreeNodes(tree, positions)
        const isComplete = nodes.every(({ ids, count }) => ids.length === count)
        equal.nodes = isComplete && nodes.length === tree.stats().nodes && tree._validate()
      }
      layout = layOut(nodes)
      seek()
    }

    function seek() {
      steps = [{ kind: 'start', node: nodes[0] }]
      for (const node of nodes) {
        if (itemsOf(node).length === 0 && node.parent) continue
        node.candidates?.forEach((_, candidate) => steps.push({ kind: 'try', node, candidate }))
        steps.push({ kind: node.cut && (node.children.length || built) ? 'cut' : 'leaf', node })
      }
      done = steps.length
      steps.push({ kind: 'done', node: null })
      const radius = params.radius
      if (built) search = searchWalls(built, query, radius)
      else {
        const run = { [AGENTS]: searchAgentTree, [KD]: searchKdTree, [QUAD]: searchQuadtree }
        search = run[params.tree](nodes, positions, query, radius)
      }
      // copse:
      const expected = tree.within(...query, radius).sort()
      const { visits } = tree.stats()

      // A k-d tree of the library reads up to 32 points of a range at once: it visits fewer nodes.
      const isVisited = params.tree === KD || visits === search.visits
      equal.query = isVisited && isSame(expected, Uint32Array.from(search.found).sort())
      steps.push(...search.steps, { kind: 'end', node: null })
      slider.max(last())
      show(Math.min(step, last()))
    }

    const last = () => steps.length - 1

    function show(index) {
      step = params.step = index
      const { kind } = steps[step]
      const rests = kind === 'done' || kind === 'end'
      due = rests ? REST : 1 / params.speed / (kind === 'try' ? QUICK : 1)
      stage.refresh()
    }

    function restart() {
      plant()
      step = 0
      grow()
    }

    function changed() {
      grow()
      stage.refresh()
    }

    function stepBy(count) {
      params.play = false
      show(Math.min(Math.max(step + count, 0), last()))
    }

    const itemsOf = (node) => node.ids ?? node.pieces

    // ---- Places ----

    // Returns the boxes of plane, text and tree: side by side or, on a tall stage, one above another.
    function frame() {
      const { width, height } = stage
      const isTall = width < 1.1 * height
      const most = Math.max(0, ...nodes.map(({ candidates = [] }) => candidates.length))
      const columns = Math.floor((isTall ? width : 0.45 * width) / CHIP[0])
      const chips = Math.ceil(most / Math.max(columns, 1))
      const text = 88 + chips * CHIP[1]
      if (isTall) {
        const size = Math.min(width - 2 * GAP, 0.58 * (height - text))
        const top = text + size + 2 * GAP
        return {
          text: { x: GAP, y: GAP, width: width - 2 * GAP, height: text },
          plane: { x: (width - size) / 2, y: text + GAP / 2, size },
          tree: { x: GAP, y: top, width: width - 2 * GAP, height: height - top - GAP },
        }
      }
      const size = Math.min(height - 2 * GAP, 0.52 * width)
      const x = size + 3 * GAP
      const top = text + 2 * GAP
      return {
        plane: { x: GAP, y: (height - size) / 2, size },
        text: { x, y: 2 * GAP, width: width - x - GAP, height: text },
        tree: { x, y: top, width: width - x - GAP, height: height - top - GAP },
      }
    }

    /** Returns x and y of the pointer in the world. */
    function locate() {
      const { x, y, size } = frame().plane
      const place = [((pointer.x - x) * SIZE) / size, SIZE - ((pointer.y - y) * SIZE) / size]
      return place.map((along) => Math.min(Math.max(along, 0), SIZE))
    }

    // Returns the buttons that step back and forward: [x, y, steps].
    function arrows() {
      const { x, y, width } = frame().text
      return [-1, 1].map((steps) => [x + width - ARROW[0] * (steps < 0 ? 2.15 : 1), y - 8, steps])
    }

    function isInPlane() {
      const { x, y, size } = frame().plane
      return pointer.x >= x && pointer.x <= x + size && pointer.y >= y && pointer.y <= y + size
    }

    function follow() {
      const moved = Math.hypot(pointer.x - shownAt.x, pointer.y - shownAt.y)
      if (pointer.wandering || moved < 2 || pencil.isDrawing || !isInPlane()) return
      shownAt.x = pointer.x
      shownAt.y = pointer.y
      ;[query[0], query[1]] = locate()
      const rest = due
      seek()
      due = rest
    }

    // ---- Names ----

    const number = (x) => `${Math.round(10 * x) / 10}`

    function pointName(id) {
      if (params.preset === 'six points')
        return `(${number(positions[2 * id])},${number(positions[2 * id + 1])})`
      return positions.length / 2 <= LETTERS ? String.fromCharCode(65 + id) : `#${id}`
    }

    function edgeName(edge) {
      const ids = Object.keys(built.edges)
      return ids.length <= LETTERS
        ? String.fromCharCode(97 + ids.indexOf(String(edge)))
        : `#${edge}`
    }

    const noun = () => (isWalls() ? 'edge' : params.tree === AGENTS ? 'agent' : 'point')

    /** True if the construction has reached a node by this step. */
    function isMade(node) {
      const { kind, node: present } = steps[step]
      if (step >= done) return true
      const isPending = kind === 'start' || kind === 'try'
      return node.index < present?.index || (node === present && !isPending)
    }

    /** Returns names of a node, the longest first. */
    function labelsOf(node) {
      const items = itemsOf(node)
      if (node.own >= 0) return [pointName(node.own)]
      const names = node.pieces
        ? node.pieces.map(({ edge }) => edgeName(edge))
        : [...items].sort((a, b) => a - b).map(pointName)
      const label = names.join(names.some((name) => name.length > 1) ? ' ' : '')
      if (node.cut && node.pieces && isMade(node))
        return [`along ${lineName(node.cut)}`, lineName(node.cut)]
      return items.length <= 8 ? [label || '∅', `${items.length}`] : [`${items.length}`]
    }

    function nameOf(node) {
      const items = itemsOf(node)
      if (node.own >= 0 || (items.length > 0 && items.length <= 8 && !(node.pieces && node.cut)))
        return labelsOf(node)[0]
      return items.length === 0 ? 'empty' : `${items.length} ${noun()}s`
    }

    const lineName = ({ edge, axis }) => (edge < 0 ? `median ${'xy'[axis]}` : edgeName(edge))

    function describe() {
      const { kind, node } = steps[step]
      const words = { ...params, noun: noun(), nameOf, lineName }
      if (isWalls()) words.leafSize = params.wallLeaf
      const { nodes: count, leaves, depth } = tree.stats()
      if (kind === 'done') {
        const isFull =
          params.tree === AGENTS && params.leafSize === 1 && leaves === positions.length / 2
        const sum = isFull ? `, 2 N − 1 for N = ${leaves}` : ''
        const verdict = equal.nodes ? 'has the same nodes ✓' : 'differs'
        return [
          `The tree: ${count} nodes${sum}`,
          `${leaves} leaves, depth ${depth}. The library’s tree ${verdict} Next, a query.`,
        ]
      }
      if (kind === 'end') {
        const pruned = search.steps.filter(({ kind }) => kind === 'prune').length
        const names = search.found.map(built ? edgeName : pointName).slice(0, 12)
        const verdict = equal.query ? 'finds the same ✓' : 'differs'
        return [
          `Found ${search.found.length}: ${names.join(' ') || 'nothing'}`,
          `${search.visits} of ${count} nodes visited, ${pruned} pruned. ${className()}.within() ${verdict}`,
        ]
      }
      if (step > done) return describeQuery(steps[step], words)
      if (!node) return ['No points', 'Double-click or double-tap to add one.']
      return isWalls() ? describeWalls(steps[step], words) : describeBuild(steps[step], words)
    }

    if (POINTS[params.preset] && params.points !== EXAMPLE) params.preset = 'uniform'
    restart()

    return {
      hits() {
        if (step > done) return steps[step].found ?? search.found.length
        return itemsOf(steps[step].node ?? nodes[0]).length
      },

      results: () => [
        { name: 'nodes', equal: equal.nodes },
        { name: 'tree.within()', equal: equal.query },
      ],

      frame(dt, lap) {
        lap()
        pencil.follow()
        follow()
        lap('query')
        const isSingle = stage.paused && dt > 0 // the page's Step is a step of the construction
        if (!isSingle && (!params.play || dt === 0)) return
        due -= dt
        if (isSingle || due <= 0) show(step < last() ? step + 1 : 0)
      },

      draw() {
        const { plane, text, tree: treeBox } = frame()
        const passed = passedSteps()
        drawPlane(plane, passed)
        drawText(text)
        drawTree(stage.context, nodes, layout, treeBox, labelsOf, (node) => lookOf(node, passed))
      },

      report() {
        const { nodes: count, leaves, depth } = tree.stats()
        return {
          numbers: [
            ['Step', `${step + 1} / ${last() + 1}`],
            ['Nodes', count],
            ['Depth', depth],
            ['Leaves', leaves],
            ['Visited', search.visits],
            ['Found', search.found.length],
            ['Nodes of the library', equal.nodes ? 'same ✓' : 'differs'],
            [`${className()}.within()`, equal.query ? 'same ✓' : 'differs'],
            [isWalls() ? 'Edges' : 'Points', isWalls() ? tree.stats().edges : positions.length / 2],
          ],
        }
      },

      change(field) {
        if (field === 'points' && POINTS[params.preset]) params.preset = 'uniform'
        if (field === 'preset') {
          if (POINTS[params.preset]) params.points = EXAMPLE
          else if (params.points === EXAMPLE) params.points = RANDOM
        }
        const actions = {
          radius: seek,
          forward: () => stepBy(1),
          back: () => stepBy(-1),
          step: () => ((params.play = false), show(params.step)),
          play() {},
          speed() {},
          clear() {
            added = []
            if (isWalls()) pencil.change('clear')
            else restart()
          },
        }
        ;(actions[field] ?? restart)()
      },

      scroll: stepBy,

      press() {
        for (const [x, y, steps] of arrows()) {
          const [across, down] = [pointer.x - x, pointer.y - y]
          if (across >= 0 && across < ARROW[0] && down >= 0 && down < ARROW[1]) return stepBy(steps)
        }
        if (!isInPlane() && !pencil.isDrawing) return
        if (isWalls()) return pencil.press()
        if (!isDouble() || added.length === 2 * ADDED) return
        added.push(...locate().map((x) => Math.round(10 * x) / 10))
        restart()
      },

      dispose: () => tree.dispose(),
    }

    // ---- Drawing ----

    // Returns what has happened by now: the node that was built last, and what the query visited and pruned.
    function passedSteps() {
      const [visited, pruned] = [new Set(), new Set()]
      for (const past of steps.slice(done + 1, step + 1))
        if (past.node) (past.kind === 'prune' ? pruned : visited).add(past.node)
      const made = nodes.filter(isMade).length
      return { visited, pruned, made, isQuery: step > done }
    }

    function lookOf(node, { visited, pruned, made, isQuery }) {
      if (node.parent && node.parent.index >= made) return null
      const isPruned = pruned.has(node)
      const isReached = visited.has(node)
      const color = isQuery ? (isReached ? theme.query : theme.muted) : colorOf(node.cut)
      return {
        color: isMade(node) ? color : theme.muted,
        filled: isQuery && isReached,
        dashed: !isMade(node) || (isQuery && !isReached && !isPruned),
        skipped: isPruned,
        current: node === steps[step].node && !(isPruned && steps[step].kind !== 'prune'),
      }
    }

    function colorOf(cut) {
      if (!cut || cut.axis === undefined || built) return theme.accent
      return cut.axis === 0 ? theme.red : theme.blue
    }

    /** Returns the segments that divide a node, in the world. */
    function cutsOf({ cut, box, children, polygon }) {
      if (!cut || (children.length === 0 && params.tree !== KD)) return []
      if (polygon) {
        const ends = chord(polygon, cut)
        return ends ? [ends.flat()] : []
      }
      const [minX, minY, maxX, maxY] = box
      if (cut.axis === 0) return [[cut.at, minY, cut.at, maxY]]
      if (cut.axis === 1) return [[minX, cut.at, maxX, cut.at]]
      return [
        [cut.x, minY, cut.x, maxY],
        [minX, cut.y, maxX, cut.y],
      ]
    }

    function drawPlane({ x, y, size }, passed) {
      const { context } = stage
      const { node, kind, candidate } = steps[step]
      const scale = size / SIZE
      const place = ([worldX, worldY]) => [x + scale * worldX, y + size - scale * worldY]
      const segment = ([x0, y0, x1, y1]) => [...place([x0, y0]), ...place([x1, y1])]
      const fill = (polygon, color, alpha = 1) => {
        context.beginPath()
        polygon.forEach((corner) => context.lineTo(...place(corner)))
        context.globalAlpha = alpha
        context.fillStyle = color
        context.fill()
        context.globalAlpha = 1
      }
      const region = ({ polygon, box }) => polygon ?? polygonOf(box)

      drawGrid({ x, y, size }, place)
      context.save()
      context.beginPath()
      context.rect(x - 2, y - 2, size + 4, size + 4)
      context.clip()
      for (const skipped of passed.pruned) fill(region(skipped), theme.agent, 0.25)
      if (node && kind !== 'prune') fill(region(node), theme.tint)

      for (const { box, parent, index } of nodes) {
        if (params.tree !== AGENTS || (parent && parent.index >= passed.made)) continue
        const [left, bottom] = place(box)
        context.strokeStyle = index === node?.index ? theme.accent : theme.agent
        context.lineWidth = index === node?.index ? 2 : 1
        const [width, height] = [scale * (box[2] - box[0]), scale * (box[3] - box[1])]
        context.strokeRect(left, bottom - height, width, height)
      }
      for (const cutNode of nodes.slice(0, passed.made)) {
        const isNow = cutNode === node && step < done
        const width = isNow ? 4 : Math.max(2.5 - 0.4 * cutNode.depth, 1)
        context.globalAlpha = isNow ? 1 : 0.7
        strokeSegments(context, cutsOf(cutNode).map(segment), colorOf(cutNode.cut), width)
        context.globalAlpha = 1
      }
      const tried = kind === 'try' ? node.candidates[candidate] : null
      if (built) drawWalls(tried, segment, place)
      else drawPoints(place)
      if (passed.isQuery || kind === 'done') drawQuery(place, scale)
      context.restore()
    }

    function drawGrid({ x, y, size }, place) {
      const { context } = stage
      const lines = []
      for (let i = 0; i <= SIZE; i += 2) {
        const [lineX, lineY] = place([i, i])
        lines.push([lineX, y, lineX, y + size], [x, lineY, x + size, lineY])
      }
      strokeSegments(context, lines, theme.line, 1)
      context.font = `10px ${FONT}`
      context.fillStyle = theme.muted
      context.textBaseline = 'bottom'
      context.textAlign = 'left'
      for (let i = 2; i < SIZE; i += 2) {
        context.fillText(`${i}`, place([i, 0])[0] + 3, y + size - 2)
        context.fillText(`${i}`, x + 3, place([0, i])[1] - 2)
      }
    }

    function drawPoints(place) {
      const { context } = stage
      const { node } = steps[step]
      const inside = new Set(node ? node.ids : step <= done ? nodes[0]?.ids : [])
      const found = new Set(step > done ? search.found.slice(0, steps[step].found) : [])
      const count = positions.length / 2
      const radius = count > 40 ? 3.5 : 5
      for (let id = 0; id < count; id++) {
        const [x, y] = place([positions[2 * id], positions[2 * id + 1]])
        const color = found.has(id) ? theme.hit : inside.has(id) ? theme.query : theme.agent
        fillDisc(context, found.has(id) ? radius + 1.5 : radius, color, x, y)
        if (count <= LETTERS) write(pointName(id), x, y - radius - 8, color === theme.agent)
      }
    }

    function write(text, x, y, isMuted) {
      const { context } = stage
      context.font = `600 12px ${FONT}`
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.lineJoin = 'round'
      context.lineWidth = 3
      context.strokeStyle = theme.paper
      context.strokeText(text, x, y)
      context.fillStyle = isMuted ? theme.muted : theme.ink
      context.fillText(text, x, y)
    }

    function drawWalls(tried, segment, place) {
      const { context } = stage
      const { node } = steps[step]
      const { edges, center } = built
      const toWorld = (ends) => ends.map((along, i) => along + center[i % 2])
      const all = Object.values(edges).map(({ from, to }) => segment([...from, ...to]))
      strokeSegments(context, all, theme.wall, 2)
      if (tried) {
        const ends = chord(node.polygon, {
          ...tried,
          offset: tried.offset + tried.normal[0] * center[0] + tried.normal[1] * center[1],
        })
        context.setLineDash([6, 6])
        if (ends) strokeSegments(context, [segment(ends.flat())], theme.muted, 1.5)
        context.setLineDash([])
      }
      for (const piece of node?.pieces ?? []) {
        if (!tried) {
          strokeSegments(context, [segment(toWorld(piece.ends))], theme.query, 4.5)
          continue
        }
        const [from, to] = [piece.ends.slice(0, 2), piece.ends.slice(2)]
        const sides = [sideOf(tried, from), sideOf(tried, to)]
        const isLeft = sides.every((side) => side >= -built.tolerance)
        const isRight = sides.every((side) => side <= built.tolerance)
        const middle = between(from, to, isLeft || isRight ? 1 : sides[0] / (sides[0] - sides[1]))
        const parts = [
          [from, middle, isLeft || (!isRight && sides[0] > 0)],
          [middle, to, !isRight && sides[1] > 0],
        ]
        for (const [begin, end, onLeft] of parts) {
          const color = onLeft ? theme.blue : theme.red
          if (begin[0] !== end[0] || begin[1] !== end[1])
            strokeSegments(context, [segment(toWorld([...begin, ...end]))], color, 4.5)
        }
      }
      const found = step > done ? search.found.slice(0, steps[step].found) : []
      const lit = found.map((id) => segment([...edges[id].from, ...edges[id].to]))
      strokeSegments(context, lit, theme.hit, 5)
      for (const [id, { from, to, normal }] of Object.entries(edges)) {
        const [x, y] = place([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2])
        write(edgeName(id), x - 11 * normal[0], y + 11 * normal[1])
      }
    }

    function drawQuery(place, scale) {
      const { context } = stage
      const [x, y] = place(query)
      drawArea(context, theme.hit, () => context.arc(x, y, scale * params.radius, 0, 2 * Math.PI))
      const cross = [
        [x - 6, y, x + 6, y],
        [x, y - 6, x, y + 6],
      ]
      strokeSegments(context, cross, theme.hit, 2.5)
    }

    function drawText({ x, y, width }) {
      const { context } = stage
      const [title, sentence] = describe()
      context.textAlign = 'left'
      context.textBaseline = 'middle'
      context.fillStyle = theme.muted
      context.font = `12px ${FONT}`
      const part =
        step <= done
          ? `Construction: step ${step + 1} / ${done + 1}`
          : `Query: step ${step - done} / ${last() - done}`
      context.fillText(part, x, y + 2)
      context.fillStyle = theme.ink
      context.font = `600 16px ${FONT}`
      context.fillText(title, x, y + 22, width - 2.3 * ARROW[0])
      context.font = `13px ${FONT}`
      const lines = wrapText(context, sentence, width)
      lines.forEach((line, i) => context.fillText(line, x, y + 44 + 18 * i))
      const lineY = y + 44 + 18 * (lines.length - 1)
      drawArrows()
      const { kind, node, candidate } = steps[step]
      if (built && (kind === 'try' || kind === 'cut')) {
        const shown = kind === 'try' ? candidate : node.candidates.length - 1
        drawCandidates(node.candidates.slice(0, shown + 1), x, lineY + 14, width)
      }
    }

    function drawArrows() {
      const { context } = stage
      for (const [x, y, steps] of arrows()) {
        const isEnd = steps < 0 ? step === 0 : step === last()
        const [middleX, middleY] = [x + ARROW[0] / 2, y + ARROW[1] / 2]
        context.beginPath()
        context.roundRect(x, y, ...ARROW, 8)
        context.fillStyle = theme.line
        context.fill()
        const points = [
          [middleX - 3 * steps, middleY - 6, middleX + 3 * steps, middleY],
          [middleX + 3 * steps, middleY, middleX - 3 * steps, middleY + 6],
        ]
        strokeSegments(context, points, isEnd ? theme.agent : theme.ink, 2)
      }
    }

    // Draws the counts of the lines that were tried, and marks the best one.
    function drawCandidates(candidates, left, top, width) {
      const { context } = stage
      const columns = Math.max(Math.floor(width / CHIP[0]), 1)
      const { best } = candidates.at(-1)
      candidates.forEach((candidate, i) => {
        const x = left + CHIP[0] * (i % columns)
        const y = top + CHIP[1] * Math.floor(i / columns)
        context.beginPath()
        context.roundRect(x, y, CHIP[0] - 5, CHIP[1] - 4, 5)
        context.fillStyle = i === best ? theme.tint : theme.paper
        context.fill()
        context.strokeStyle = i === best ? theme.accent : theme.line
        context.lineWidth = i === best ? 2 : 1
        context.stroke()
        context.font = `600 12px ${FONT}`
        context.fillStyle = theme.ink
        const name = lineName(candidate).replace('median ', '½')
        context.fillText(name, x + 7, y + 9.5)
        context.textAlign = 'right'
        context.font = `12px ${FONT}`
        context.fillStyle = theme.blue
        context.fillText(`${candidate.left}`, x + 42, y + 9.5)
        context.fillStyle = theme.red
        context.fillText(`${candidate.right}`, x + 64, y + 9.5)
        context.textAlign = 'left'
      })
    }
  },
}
