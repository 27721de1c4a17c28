// Measures how many times as fast 2 threads are as one: frames of an AgentTree and a Grid (a build, then
// allWithin), and steps of a crowd in a crush and in a ring. Both instances do the same work in turn, and
// results are compared first.
//
//   node tests/bench/threads.js [threads]

import { AgentTree, create, Crowd, Grid } from '../../dist/threads.js'
import { createRandom } from '../../web/random.js'

const SIZES = [2500, 5000, 10_000, 100_000]
const threads = Number(process.argv[2] ?? 2)
const WARM = 30 // frames that are not counted: V8 compiles

const one = await create({ threads: 1 })
const several = await create({ threads })
const instances = [one, several]
const { count, reason } = several.threads
console.log(`${count} threads${reason && `: ${reason}`}; times per agent, in ns`)

/** Throws if two arrays differ. */
function compare(a, b, what) {
  if (a.length !== b.length || a.some((value, i) => value !== b[i]))
    throw new Error(`${what} differ`)
}

/**
 * Plays frames with both instances in turn, and prints the times. `play(i)` returns what both must agree on.
 */
function measure(name, agents, play) {
  const frames = Math.min(200, Math.ceil(1e6 / agents))
  const times = [[], []]
  for (let frame = 0; frame < WARM + frames; frame++) {
    const results = []
    for (let turn = 0; turn < 2; turn++) {
      const which = (turn + frame) % 2
      const start = performance.now()
      results[which] = play(which, frame)
      times[which].push(performance.now() - start)
    }
    for (const [i, result] of results[0].entries()) compare(result, results[1][i], name)
  }
  const [first, second] = times.map((list) => {
    const sorted = list.slice(WARM).sort((a, b) => a - b)
    return (sorted[sorted.length >> 1] * 1e6) / agents
  })
  const shown = [first, second].map((time) => time.toFixed(1)).join(' → ')
  console.log(`${name}, ${agents} agents: ${shown}: ${(first / second).toFixed(2)} ×`)
}

for (const agents of SIZES) {
  const random = createRandom(1)
  const side = Math.sqrt(agents) * 0.56 // about 10 agents within 1
  for (const Index of [AgentTree, Grid]) {
    const options = { capacity: agents, ...(Index === Grid && { cellSize: 1 }) }
    const indexes = instances.map((instance) => new Index({ ...options, instance }))
    const positions = Float32Array.from({ length: 2 * agents }, () => random() * side)
    for (const index of indexes) index.slots = agents
    measure(`${Index.name}: build, allWithin`, agents, (which, frame) => {
      const index = indexes[which]
      index.positions.set(positions)
      index.positions[frame % agents] += 0.1
      index.build()
      const { offsets, counts, ids, total } = index.allWithin(1)
      return [offsets, counts, ids.subarray(0, total)]
    })
    for (const index of indexes) index.dispose()
  }
  for (const shape of ['crush', 'ring']) {
    const crowds = instances.map((instance) => new Crowd({ capacity: agents, instance }))
    const radius = Math.sqrt(agents) * (shape === 'ring' ? 3 : 1)
    for (let i = 0; i < agents; i++) {
      const angle = 2 * Math.PI * random()
      const distance = radius * (shape === 'ring' ? 1 + random() / 10 : Math.sqrt(random()))
      const position = [distance * Math.cos(angle), distance * Math.sin(angle)]
      const goal = shape === 'ring' ? position.map((x) => -x) : [0, 0]
      for (const crowd of crowds) crowd.add({ position, goal })
    }
    measure(`Crowd, ${shape}: step`, agents, (which) => {
      crowds[which].step(0.1)
      return [[crowds[which].hash()]]
    })
    for (const crowd of crowds) crowd.dispose()
  }
}
several.dispose()
