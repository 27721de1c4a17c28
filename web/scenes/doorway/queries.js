// The neighbors of some agents of a crowd, found in four ways. One runs per step, timed; all of them run for the
// same moment when results are compared.

import { AgentTree, Grid, KdTree } from 'copse'
import { smoothTime } from '../../view/clock.js'
import { isSame } from '../../view/compare.js'

const ROUNDED = 1e-6 // relative error of a squared distance in single precision, with room to spare
const { fround } = Math

/** The names of the four ways, in their order. */
export const WAYS = ['AgentTree', 'Grid', 'KdTree', 'loop in JavaScript']

/** Creates queries for the neighbors of up to `most` agents within `reach`. `instance`: that of the crowd. */
export function createQueries(crowd, reach, most, instance) {
  const { capacity } = crowd
  const listed = new Uint32Array(capacity) // ids that the loop finds
  let found = listed // ids of the last query
  const ways = [
    ofIndex(new AgentTree({ capacity, instance })),
    ofIndex(new Grid({ capacity, cellSize: reach, instance })),
    ofIndex(new KdTree({ capacity, instance })),
    { build() {}, find, visits: () => capacity, dispose() {} },
  ].map((way) => ({
    ...way,
    buildTime: undefined,
    queryTime: undefined,
    read: 0,
    equal: undefined,
  }))
  const asked = new Uint32Array(most)
  const neighbors = new Uint32Array(capacity)
  const starts = new Uint32Array(most + 1) // of each asked agent's neighbors
  let count = 0 // of asked agents
  let turn = 0

  function ofIndex(index) {
    return {
      build: () => index.build(crowd),
      find: (x, y) => (found = index.within(x, y, reach)).length,
      visits: () => index.stats().visits,
      dispose: () => index.dispose(),
    }
  }

  // The library measures in single precision: only at the very border can that make a difference.
  function find(x, y) {
    const { positions, slots } = crowd
    const reach2 = fround(fround(reach) ** 2)
    const [low, high] = [reach2 * (1 - ROUNDED), reach2 * (1 + ROUNDED)]
    let total = 0
    found = listed
    for (let i = 0; i < slots; i++) {
      const dx = positions[2 * i] - x
      const dy = positions[2 * i + 1] - y
      const distance2 = dx * dx + dy * dy
      if (distance2 <= high && (distance2 <= low || isWithin(dx, dy, reach2))) listed[total++] = i
    }
    return total
  }

  // Asks for agents that are spread over the crowd.
  function choose() {
    count = 0
    for (let n = 0; n < most; n++) {
      const slot = Math.floor((n * capacity) / most)
      if (crowd.has(slot)) asked[count++] = slot
    }
  }

  // Finds all neighbors, for the picture.
  function ask({ find }) {
    const { positions } = crowd
    let end = 0
    for (let n = 0; n < count; n++) {
      starts[n] = end
      const total = find(positions[2 * asked[n]], positions[2 * asked[n] + 1])
      for (let k = 0; k < total && end < capacity; k++) neighbors[end++] = found[k]
    }
    starts[count] = end
  }

  function rowsOf(way) {
    ask(way)
    return Array.from({ length: count }, (_, n) => neighbors.slice(starts[n], starts[n + 1]).sort())
  }

  return {
    ways,
    asked,
    neighbors,
    get count() {
      return count
    },
    get total() {
      return starts[count]
    },

    /** Lets one of the four build and query. Times count after a comparison: the first runs compile code. */
    run() {
      choose()
      const way = ways[turn++ % ways.length]
      if (way.equal === undefined) {
        way.build()
        ask(way)
        return
      }
      way.buildTime = smoothTime(way.buildTime, way.build)
      way.queryTime = smoothTime(way.queryTime, () => ask(way))
    },

    /** Compares all results with those of the loop. */
    compare() {
      const { positions } = crowd
      choose()
      const expected = rowsOf(ways.at(-1))
      for (const way of ways) {
        way.build()
        way.equal = rowsOf(way).every((row, n) => isSame(row, expected[n]))
        way.read = 0
        for (let n = 0; n < count; n++) {
          way.find(positions[2 * asked[n]], positions[2 * asked[n] + 1])
          way.read += way.visits() / count
        }
      }
    },

    dispose() {
      for (const way of ways) way.dispose()
    },
  }
}

function isWithin(dx, dy, reach2) {
  const [x, y] = [fround(dx), fround(dy)]
  return fround(fround(x * x) + fround(y * y)) <= reach2
}
