// A short suite of the package in a page: indexes agree with a plain loop, and two threads with one.

import * as copse from 'copse'
import { create } from 'copse/threads'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRandom, distributions, WORLD } from '../../web/random.js'

const COUNT = 5000 // enough agents to divide the work
const RADIUS = 20
const STEPS = 10
const TIME_STEP = 1 / 60

const smoke = suite('smoke')
const positions = distributions.uniform(createRandom(1), COUNT, 2)
const sorted = (/** @type {Iterable<number>} */ ids) => [...ids].sort((a, b) => a - b)

const CREATE = {
  AgentTree: (options) => new copse.AgentTree(options),
  Grid: (options) => new copse.Grid({ cellSize: RADIUS, ...options }),
  KdTree: (options) => new copse.KdTree(options),
}

/** Returns a built index over the positions. @param {keyof CREATE} kind @param {copse.Instance} instance */
function createIndex(kind, instance) {
  const index = CREATE[kind]({ capacity: COUNT, instance })
  index.slots = COUNT
  index.positions.set(positions)
  index.build()
  return index
}

/** Returns a crowd whose agents cross each other, around a wall. @param {copse.Instance} instance */
function createCrowd(instance) {
  const walls = new copse.ObstacleTree({ capacity: 4, instance })
  walls.addPolygon([400, 400, 600, 400, 600, 600, 400, 600])
  const crowd = new copse.Crowd({ capacity: COUNT, radius: 2, neighborDistance: 10, instance })
  crowd.obstacles = walls
  for (let i = 0; i < 2 * COUNT; i += 2) {
    const [x, y] = positions.subarray(i, i + 2)
    crowd.add({ position: [x, y], goal: [WORLD - x, WORLD - y] })
  }
  return crowd
}

smoke.before(() => copse.init())

for (const kind of /** @type {(keyof CREATE)[]} */ (Object.keys(CREATE)))
  smoke(`${kind} finds what a loop finds`, () => {
    const index = createIndex(kind, undefined)
    for (const [x, y] of [
      [500, 500],
      [0, 0],
      [990, 3],
    ]) {
      const distances = Array.from({ length: COUNT }, (_, id) =>
        Math.hypot(positions[2 * id] - x, positions[2 * id + 1] - y),
      )
      const near = distances.flatMap((distance, id) => (distance <= RADIUS ? [id] : []))
      assert.ok(near.length > 0)
      assert.equal(sorted(index.within(x, y, RADIUS)), near)
      assert.is(index.nearest(x, y), distances.indexOf(Math.min(...distances)))
    }
    index.dispose()
  })

smoke('Quadtree finds the pairs that a loop finds', () => {
  const tree = new copse.Quadtree({ capacity: 300, bounds: [0, 0, WORLD, WORLD] })
  const boxes = Array.from({ length: 300 }, (_, i) => {
    const [x, y] = positions.subarray(2 * i, 2 * i + 2)
    return [x, y, x + 30, y + 10]
  })
  for (const [x0, y0, x1, y1] of boxes) tree.add(x0, y0, x1, y1)
  const { ids, count } = tree.pairs()
  const found = Array.from({ length: count }, (_, i) =>
    sorted(ids.subarray(2 * i, 2 * i + 2)).join(' '),
  )
  const expected = boxes.flatMap((a, i) =>
    boxes
      .slice(0, i)
      .flatMap((b, j) =>
        a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3] ? [`${j} ${i}`] : [],
      ),
  )
  assert.ok(expected.length > 10)
  assert.equal(found.sort(), expected.sort())
  tree.dispose()
})

smoke('a crowd goes around walls, which hide', () => {
  const crowd = createCrowd(undefined)
  const { obstacles } = crowd
  assert.not.ok(obstacles.visible(300, 500, 700, 500))
  assert.ok(obstacles.visible(300, 500, 300, 700))
  const distance = () =>
    crowd.positions.reduce((sum, x, i) => sum + Math.abs(crowd.goals[i] - x), 0)
  const before = distance()
  for (let step = 0; step < STEPS; step++) crowd.step(TIME_STEP)
  assert.ok(distance() < before)
  crowd.dispose()
})

smoke('two threads find the same as one, where a page can have them', async () => {
  const [one, two] = await Promise.all([create({ threads: 1 }), create({ threads: 2 })])
  assert.is(two.threads.count, crossOriginIsolated ? 2 : 1)
  for (const kind of /** @type {(keyof CREATE)[]} */ (Object.keys(CREATE))) {
    const [expected, found] = [one, two].map((instance) => {
      const { offsets, ids, total } = createIndex(kind, instance).allWithin(RADIUS)
      return { offsets: offsets.slice(), ids: ids.slice(0, total) }
    })
    assert.ok(expected.ids.length > COUNT)
    assert.equal(found, expected, kind)
  }
  const [expected, found] = [one, two].map((instance) => {
    const crowd = createCrowd(instance)
    for (let step = 0; step < STEPS; step++) crowd.step(TIME_STEP)
    return crowd.hash()
  })
  assert.is(found, expected)
  for (const instance of [one, two]) instance.dispose()
})

/** The list of suites that replaces suites.js in the page of this suite. */
export const suites = { smoke: () => smoke.run() }
