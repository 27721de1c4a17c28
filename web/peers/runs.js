// Two peers of the article "Rebuild every frame". Both put boxes around runs of points in some order, and boxes around
// pairs of boxes. Morton order sorts the points again in every build; a kept tree only fits its boxes again.
// `visits` and `tests` count the boxes and points of the last query.

const RUN = 8 // points in the smallest box
const BITS = 16 // of a coordinate in a Morton code

/** Returns a peer; `orderOf(positions)` returns the order in which the points are put into boxes. */
function createRuns({ n }, orderOf) {
  const leaves = 2 ** Math.ceil(Math.log2(Math.ceil(n / RUN)))
  const boxes = new Float32Array(8 * leaves) // of node 1, the root, to 2 · leaves - 1; children: 2 i, 2 i + 1
  const found = new Uint32Array(n)
  const stack = new Uint32Array(64)
  let ids = new Uint32Array(n)
  let points = new Float32Array(2 * n)

  function fit() {
    for (let node = 2 * leaves - 1; node > 0; node--) {
      let minX = Infinity
      let minY = Infinity
      let maxX = -Infinity
      let maxY = -Infinity
      if (node >= leaves) {
        const begin = RUN * (node - leaves)
        for (let place = begin; place < Math.min(begin + RUN, n); place++) {
          const x = points[2 * ids[place]]
          const y = points[2 * ids[place] + 1]
          if (x < minX) minX = x
          if (x > maxX) maxX = x
          if (y < minY) minY = y
          if (y > maxY) maxY = y
        }
      } else {
        const a = 8 * node
        const b = a + 4
        minX = Math.min(boxes[a], boxes[b])
        minY = Math.min(boxes[a + 1], boxes[b + 1])
        maxX = Math.max(boxes[a + 2], boxes[b + 2])
        maxY = Math.max(boxes[a + 3], boxes[b + 3])
      }
      boxes[4 * node] = minX
      boxes[4 * node + 1] = minY
      boxes[4 * node + 2] = maxX
      boxes[4 * node + 3] = maxY
    }
  }

  const meets = (node, x, y, radius2) => {
    const dx = Math.max(boxes[4 * node] - x, x - boxes[4 * node + 2], 0)
    const dy = Math.max(boxes[4 * node + 1] - y, y - boxes[4 * node + 3], 0)
    return dx * dx + dy * dy <= radius2
  }

  return {
    found,
    visits: 0,
    tests: 0,
    build(positions) {
      points = positions
      ids = orderOf(positions)
      fit()
    },
    /** Fits the boxes again; the order stays. */
    refit(positions) {
      points = positions
      fit()
    },
    within(x, y, z, radius) {
      const radius2 = radius * radius
      let count = 0
      let top = 0
      let visits = 0
      let tests = 0
      stack[top++] = 1
      while (top > 0) {
        const node = stack[--top]
        visits++
        if (!meets(node, x, y, radius2)) continue
        if (node < leaves) {
          stack[top++] = 2 * node
          stack[top++] = 2 * node + 1
          continue
        }
        const begin = RUN * (node - leaves)
        const end = Math.min(begin + RUN, n)
        tests += end - begin
        for (let place = begin; place < end; place++) {
          const dx = points[2 * ids[place]] - x
          const dy = points[2 * ids[place] + 1] - y
          if (dx * dx + dy * dy <= radius2) found[count++] = ids[place]
        }
      }
      this.visits = visits
      this.tests = tests
      return count
    },
    /** Returns the boxes of the runs: minX, minY, maxX, maxY and the number of points of each. */
    cells: () =>
      Array.from({ length: Math.ceil(n / RUN) }, (_, leaf) => ({
        box: boxes.subarray(4 * (leaves + leaf), 4 * (leaves + leaf) + 4),
        count: Math.min(RUN, n - RUN * leaf),
      })),
  }
}

/** Spreads the bits of a number below 2^16, with gaps of one bit. */
function spreadBits(bits) {
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

/** Sorts the points by their Morton codes, the bits of x and y in turn, by a radix sort of 8 bits at a time. */
export function morton(agents) {
  const { n, side } = agents
  const codes = new Uint32Array(n)
  const scale = (2 ** BITS - 1) / side
  let [ids, other] = [new Uint32Array(n), new Uint32Array(n)]
  const starts = new Uint32Array(257)
  return createRuns(agents, (positions) => {
    for (let id = 0; id < n; id++) {
      codes[id] =
        spreadBits(positions[2 * id] * scale) | (spreadBits(positions[2 * id + 1] * scale) << 1)
      ids[id] = id
    }
    for (let shift = 0; shift < 2 * BITS; shift += 8) {
      starts.fill(0)
      for (let id = 0; id < n; id++) starts[((codes[id] >>> shift) & 255) + 1]++
      for (let digit = 0; digit < 256; digit++) starts[digit + 1] += starts[digit]
      for (const id of ids) other[starts[(codes[id] >>> shift) & 255]++] = id
      ;[ids, other] = [other, ids]
    }
    return ids
  })
}

/** Halves the points along the longer side of their box, so that each box has full runs; `refit` keeps that order. */
export function kept(agents) {
  return createRuns(agents, (positions) => {
    const ids = Uint32Array.from({ length: agents.n }, (_, id) => id)
    const divide = (part, half) => {
      if (part.length <= RUN) return
      const sides = [0, 1].map((axis) => {
        let [min, max] = [Infinity, -Infinity]
        for (const id of part) {
          min = Math.min(min, positions[2 * id + axis])
          max = Math.max(max, positions[2 * id + axis])
        }
        return max - min
      })
      const axis = sides[0] < sides[1] ? 1 : 0
      part.sort((a, b) => positions[2 * a + axis] - positions[2 * b + axis])
      divide(part.subarray(0, half), half / 2)
      divide(part.subarray(half), half / 2)
    }
    divide(ids, 2 ** (Math.ceil(Math.log2(agents.n)) - 1))
    return ids
  })
}
