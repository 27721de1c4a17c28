// The second figure: one frame of 10,000 points, measured here. Results are compared before anything is timed.

import { AgentTree, Grid, Quadtree } from 'copse'
import { hashRows, hashWithin, within } from '../peers/loops.js'
import { kdbush } from '../peers/peers.js'
import { kept, morton } from '../peers/runs.js'
import { createRandom } from '../random.js'
import { timeRun } from '../view/clock.js'
import { formatTime } from '../view/format.js'

const N = 10_000
const SIDE = 1024
const RADIUS = 18 // about 10 neighbors
const PLANE = { dimensions: 2 }
const TRIES = 5 // for each time: the shortest counts
const AGED = 100 // frames since the kept tree was built

const contenders = [
  ['AgentTree', () => rebuilt(new AgentTree({ capacity: N }))],
  ['Grid', () => rebuilt(new Grid({ capacity: N, cellSize: RADIUS }))],
  ['Quadtree, each moved', moved],
  ['Morton order, JavaScript', (agents) => script(morton(agents), 'build')],
  ['kept tree, JavaScript', (agents) => script(kept(agents), 'refit')],
  ['kdbush, JavaScript', (agents) => script(kdbush(agents), 'build')],
]

function rebuilt(index) {
  index.slots = N
  const update = (positions) => {
    index.positions.set(positions)
    index.build()
  }
  return many(index, { build: update, update })
}

function moved() {
  const tree = new Quadtree({ bounds: [0, 0, SIDE, SIDE], capacity: N })
  return many(tree, {
    build(positions) {
      for (let i = 0; i < 2 * N; i += 2) tree.add(positions[i], positions[i + 1])
    },
    update(positions, ids) {
      for (const id of ids) tree.move(id, positions[2 * id], positions[2 * id + 1])
    },
  })
}

/** Asks in one call. No point is its own neighbor, in totals and hashes. */
function many(index, more) {
  const single = {
    found: new Uint32Array(0),
    within: (x, y, z, radius) => (single.found = index.within(x, y, radius)).length,
  }
  const isWhole = (points) => index.allWithin && points.length === 2 * N
  return {
    ...more,
    ask(points) {
      if (isWhole(points)) return index.allWithin(RADIUS).total
      return index.withinMany(points, RADIUS).total - points.length / 2
    },
    hash(points) {
      if (isWhole(points)) return hashRows(index.allWithin(RADIUS), { n: N })
      return hashWithin(single, points, PLANE, RADIUS, true)
    },
    dispose: () => index.dispose(),
  }
}

const script = (peer, method) => ({
  build: (positions) => peer.build(positions),
  update: (positions) => peer[method](positions),
  ask: (points) => within(peer, points, 2, RADIUS) - points.length / 2,
  hash: (points) => hashWithin(peer, points, PLANE, RADIUS, true),
  dispose() {},
})

/** Returns positions long ago, in the last frame and in this one, and the ids that moved in between. */
function createFrames(share) {
  const random = createRandom(3)
  const start = Float32Array.from({ length: 2 * N }, () => Math.floor(SIDE * random()))
  const count = share * N
  let [last, now, ids] = [start, start, []]
  for (let frame = 0; frame < AGED; frame++) {
    last = now
    now = now.slice()
    ids = Array.from({ length: count }, (_, i) => (frame * count + i) % N)
    for (const id of ids)
      for (let i = 2 * id; i < 2 * id + 2; i++)
        now[i] = Math.min(Math.max(now[i] + Math.round(6 * random() - 3), 0), SIDE - 1)
  }
  return { start, last, now, ids }
}

export function startFrame(root, state) {
  const [share, asked] = ['share', 'asked'].map((name) => root.querySelector(`[name=${name}]`))
  const body = root.querySelector('tbody')

  function measure() {
    const { start, last, now, ids } = createFrames(Number(share.value))
    const points = now.slice(0, 2 * Number(asked.value))
    const agents = { n: N, side: SIDE }
    const measured = contenders.map(([name, create]) => {
      const contender = create(agents)
      contender.build(start)
      contender.update(
        last,
        Array.from({ length: N }, (_, id) => id),
      )
      contender.update(now, ids)
      const result = `${contender.hash(points)}, ${contender.ask(points)}`
      let isNow = true
      const update = timeRun(() => contender.update((isNow = !isNow) ? now : last, ids), TRIES)
      contender.update(now, ids)
      const query = timeRun(() => contender.ask(points), TRIES)
      contender.dispose()
      return { name, update, query, total: update + query, result }
    })
    const least = Math.min(...measured.map(({ total }) => total))
    const most = Math.max(...measured.map(({ total }) => total))
    body.replaceChildren(
      ...measured.map(({ name, update, query, total, result }) => {
        const row = document.createElement('tr')
        row.className = total === least ? 'least' : ''
        const bar = `<i style="width: ${Math.max((100 * total) / most, 0.5)}%"></i>`
        const mark = result === measured[0].result ? '✓' : 'differs'
        row.innerHTML = `<th scope="row">${name}</th><td>${formatTime(update)}</td><td>${formatTime(query)}</td><td>${formatTime(total)}${bar}</td><td>${mark}</td>`
        return row
      }),
    )
    Object.assign(state, { measured })
  }
  for (const input of [share, asked]) input.addEventListener('change', measure)
  root.querySelector('button').addEventListener('click', measure)
  setTimeout(measure, 200) // the text is shown first
}
