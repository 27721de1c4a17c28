// The scene that shows how trees are made: its nodes are the library's, its searches find and visit what the
// library does, and the textbook examples give the trees of the textbooks.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { init, AgentTree, KdTree, ObstacleTree, Quadtree } from 'copse'
import { createRandom, integer, pick } from '../../web/random.js'
import { agentTreeNodes, kdTreeNodes, quadtreeNodes } from '../../web/scenes/construction/nodes.js'
import { POINTS, WALLS, WORLD } from '../../web/scenes/construction/presets.js'
import {
  searchAgentTree,
  searchKdTree,
  searchQuadtree,
} from '../../web/scenes/construction/search.js'
import { isSameTree, searchWalls, wallNodes } from '../../web/scenes/construction/walls.js'

const construction = suite('construction')
construction.before(() => init())

const byNumber = (a, b) => a - b
const lettersOf = ({ ids }) =>
  [...ids]
    .sort(byNumber)
    .map((id) => 'ABCDEF'[id])
    .join('')

/** Adds points x, y, …, and builds. */
function plant(tree, points) {
  for (let i = 0; i < points.length; i += 2) tree.add(points[i], points[i + 1])
  tree.build?.()
  return tree
}

construction('six agents, one per leaf: five cuts, and 2 N - 1 nodes', () => {
  const tree = plant(new AgentTree({ leafSize: 1 }), POINTS['agents A to F'])
  const nodes = agentTreeNodes(tree, { axis: 'longest', split: 'midpoint' })
  const cuts = nodes.filter(({ cut }) => cut)
  assert.equal(cuts.map(lettersOf), ['ABCDEF', 'BCD', 'BC', 'AEF', 'AF'])
  assert.equal(
    cuts.map(({ cut }) => 'xy'[cut.axis]),
    ['x', 'y', 'y', 'y', 'x'],
  )
  assert.is(cuts[0].cut.at, 5.25)
  assert.is(nodes.length, 2 * 6 - 1)
  assert.is(tree.stats().nodes, nodes.length)
  tree.dispose()
})

construction(
  'six points of the textbook: the root is (7, 2), its children (5, 4) and (9, 6)',
  () => {
    const points = POINTS['six points']
    const tree = plant(new KdTree(), points)
    const text = ({ own, children }) => {
      const name = `(${points[2 * own]},${points[2 * own + 1]})`
      return children.length ? `${name}[${children.map(text).join(' ')}]` : name
    }
    const nodes = kdTreeNodes(tree, WORLD)
    assert.is(text(nodes[0]), '(7,2)[(5,4)[(2,3) (4,7)] (9,6)[(8,1)]]')
    assert.equal(nodes[0].cut, { axis: 0, at: 7, rule: 'median' })
    assert.equal(nodes[1].box, [0, 0, 7, 10])
    tree.dispose()
  },
)

const KINDS = {
  AgentTree: {
    create: (options) => new AgentTree(options),
    nodes: agentTreeNodes,
    search: searchAgentTree,
  },
  KdTree: {
    create: () => new KdTree(),
    nodes: (tree) => kdTreeNodes(tree, WORLD),
    search: searchKdTree,
  },
  Quadtree: {
    create: ({ leafSize }) => new Quadtree({ bounds: WORLD, leafSize, maxDepth: 6 }),
    nodes: (tree, _, positions) => quadtreeNodes(tree, positions),
    search: searchQuadtree,
  },
}

for (const [name, { create, nodes: nodesOf, search }] of Object.entries(KINDS))
  construction(`${name}: nodes and searches are the library's`, () => {
    const random = createRandom(1)
    const place = () => Math.round(100 * random()) / 10 // many equal coordinates
    for (let round = 0; round < 60; round++) {
      const axis = pick(random, ['longest', 'cycle'])
      const split = pick(random, ['midpoint', 'median'])
      const options = { leafSize: 1 + integer(random, 4), axis, split }
      const positions = Float32Array.from({ length: 2 * integer(random, 60) }, place)
      const tree = plant(create(options), positions)
      const nodes = nodesOf(tree, options, positions)
      if (positions.length > 0) assert.is(nodes.length, tree.stats().nodes)
      for (const { ids, count, children, cut, own, depth } of nodes) {
        assert.is(ids.length, count)
        const inChildren = children.flatMap((child) => child.ids)
        if (children.length) assert.is(inChildren.length, count - Number(own >= 0))
        for (const child of children) assert.is(child.depth, depth + 1)
        if (cut?.axis === undefined || children.length === 0) continue
        const [below, above = { ids: [] }] = children
        const along = (id) => positions[2 * id + cut.axis]
        assert.ok(below.ids.every((id) => along(id) <= cut.at))
        assert.ok(above.ids.every((id) => along(id) >= cut.at))
      }
      for (let query = 0; query < 5; query++) {
        const [x, y, radius] = [place(), place(), place() / 3]
        const expected = [...tree.within(x, y, radius, { sort: 'id' })]
        const { found, visits } = search(nodes, positions, [x, y], radius)
        assert.equal(found.sort(byNumber), expected)
        if (name !== 'KdTree') assert.is(visits, tree.stats().visits) // it scans short runs at once
      }
      tree.dispose()
    }
  })

/** Adds walls: polygons, or segments if they are four numbers. */
function raise(walls, leafSize) {
  const tree = new ObstacleTree({ leafSize, pieces: 10_000 })
  for (const wall of walls)
    if (wall.length === 4) tree.addSegment(...wall)
    else tree.addPolygon(wall)
  tree.build()
  return tree
}

function checkWalls(walls, leafSize, random) {
  const tree = raise(walls, leafSize)
  const built = wallNodes(tree, leafSize, WORLD)
  assert.ok(isSameTree(built, tree), 'the library chose the lines with the best scores')
  assert.is(built.nodes.length, tree.stats().nodes)
  assert.is(
    built.nodes.reduce((sum, { cut, pieces }) => sum + (cut ? 0 : pieces.length), 0),
    tree.stats().pieces,
  )
  const score = ({ left, right }) => 1000 * Math.max(left, right) + Math.min(left, right)
  for (const { cut, candidates } of built.nodes)
    if (cut) assert.is(score(cut), Math.min(...candidates.map(score)))
  for (let query = 0; query < 5; query++) {
    const [x, y, radius] = [10 * random(), 10 * random(), 3 * random()]
    const expected = [...tree.within(x, y, radius)].sort(byNumber)
    const { found, visits } = searchWalls(built, [x, y], radius)
    assert.equal(found.sort(byNumber), expected)
    assert.is(visits, tree.stats().visits)
  }
  tree.dispose()
  return built
}

construction('walls: the line with the best score divides each node', () => {
  const random = createRandom(2)
  const place = () => Math.round(100 * random()) / 10
  for (const walls of Object.values(WALLS))
    for (const leafSize of [1, 2, 4])
      assert.ok(checkWalls(walls, leafSize, random).nodes.length > 1)
  for (let round = 0; round < 30; round++) {
    const walls = Array.from({ length: 1 + integer(random, 30) }, () => {
      const [x, y] = [place(), place()]
      return random() < 0.5
        ? [x, y, place(), place() + 0.05]
        : [x, y, x + 1, y + random(), x + 0.5, y + 2 * random() - 3.1] // either winding
    })
    checkWalls(walls, 1 + integer(random, 8), random)
  }
})

construction('walls: a line that differs is noticed', () => {
  const tree = raise(WALLS['four houses'], 2)
  const built = wallNodes(tree, 2, WORLD)
  assert.ok(isSameTree(built, tree))
  built.nodes[0].cut.offset += 0.1
  assert.not.ok(isSameTree(built, tree))
  assert.not.ok(isSameTree(wallNodes(tree, 5, WORLD), tree))
  tree.dispose()
})

construction.run()
