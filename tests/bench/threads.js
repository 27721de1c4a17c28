// Measures how many times as fast 2 threads are as one: frames of an AgentTree and a Grid (a build, then
// allWithin), and steps of a crowd in a crush and in a ring. Both instances do the same work in turn, and
// results are compared first. Measures frames that follow one another, and frames after a pause, in which
// workers have gone to sleep, as they do between the frames of a game.
//
//   node tests/bench/threads.js [threads]

import { AgentTree, create, Crowd, Grid } from '../../dist/threads.js'
import { createRandom } from '../../web/random.js'

const SIZES = [2500, 5000, 10_000, 100_000]
const ROW = 20 // how long a row of frames takes, in ms
const threads = Number(process.argv[2] ?? 2)

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

const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * Plays rows of frames with both instances in turn. Returns the time of a frame in each, in ms. `play(i)`
 * returns what both must agree on.
 */
function time(name, rows, framesPerRow, play) {
  const times = [[], []]
  for (let row = 0; row < rows; row++) {
    const results = []
    for (let turn = 0; turn < 2; turn++) {
      const which = (turn + row) % 2
      if (framesPerRow === 1) Atomics.wait(pause, 0, 0, 2)
      const start = performance.now()
      for (let i = 0; i < framesPerRow; i++) results[which] = play(which, row)
      times[which].push((performance.now() - start) / framesPerRow)
    }
    for (const [i, result] of results[0].entries()) compare(result, results[1][i], name)
  }
  return times.map((list) => list.sort((a, b) => a - b)[list.length >> 1])
}

function measure(name, agents, play) {
  const [frame] = time(name, 10, 10, play) // V8 compiles meanwhile
  const inRow = Math.ceil(ROW / frame)
  const inRows = time(name, 20, Math.max(inRow, 2), play)
  const afterPause = time(name, Math.min(80, 4 * inRow), 1, play)
  const [first, second] = inRows.map((time) => ((time * 1e6) / agents).toFixed(1))
  const [factor, factorAfter] = [inRows, afterPause].map(([a, b]) => (a / b).toFixed(2))
  console.log(
    `${name}, ${agents} agents: ${first} → ${second}: ${factor} ×, after a pause ${factorAfter} ×`,
  )
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
