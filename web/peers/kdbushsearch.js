// Nearest-neighbor search for kdbush, which has none (the published extension measures on a globe). This is
// the usual branch and bound in the plane over kdbush's arrays, the nearer side first, without recursion or
// garbage. kdbush halves an inclusive range [left, right] around its middle point, by x and y in turn, until
// it holds no more than `nodeSize` points.

const MAX_LEVELS = 33

// The stack of ranges left to search: the range, its axis, and the squared distances in x and in y from the
// query to its area.
const lefts = new Uint32Array(MAX_LEVELS)
const rights = new Uint32Array(MAX_LEVELS)
const axes = new Uint8Array(MAX_LEVELS)
const offsX = new Float64Array(MAX_LEVELS)
const offsY = new Float64Array(MAX_LEVELS)

/** Squared distances of the results so far, nearest first. */
let distances2 = new Float64Array(16)

/**
 * Returns the nearest point.
 * @param {import('kdbush').default} index
 * @param {number} x
 * @param {number} y
 * @returns {number} an id, or -1
 */
export function nearest({ ids, coords, nodeSize, numItems }, x, y) {
  let best = -1
  let best2 = Infinity
  let depth = 0
  let left = 0
  let right = numItems - 1
  let axis = 0
  let offX = 0
  let offY = 0
  for (;;) {
    while (right - left > nodeSize) {
      const middle = (left + right) >> 1
      const dx = x - coords[2 * middle]
      const dy = y - coords[2 * middle + 1]
      const distance2 = dx * dx + dy * dy
      if (distance2 < best2) {
        best2 = distance2
        best = middle
      }
      const gap = axis === 0 ? dx : dy
      const beyondX = axis === 0 ? dx * dx : offX
      const beyondY = axis === 0 ? offY : dy * dy
      axis = 1 - axis
      if (beyondX + beyondY < best2) {
        lefts[depth] = gap < 0 ? middle + 1 : left
        rights[depth] = gap < 0 ? right : middle - 1
        axes[depth] = axis
        offsX[depth] = beyondX
        offsY[depth++] = beyondY
      }
      if (gap < 0) right = middle - 1
      else left = middle + 1
    }
    for (let i = left; i <= right; i++) {
      const dx = x - coords[2 * i]
      const dy = y - coords[2 * i + 1]
      const distance2 = dx * dx + dy * dy
      if (distance2 < best2) {
        best2 = distance2
        best = i
      }
    }
    do {
      if (depth === 0) return best < 0 ? -1 : ids[best]
      depth--
    } while (offsX[depth] + offsY[depth] >= best2)
    left = lefts[depth]
    right = rights[depth]
    axis = axes[depth]
    offX = offsX[depth]
    offY = offsY[depth]
  }
}

/**
 * Finds the k nearest points, nearest first, and returns how many there are.
 * @param {import('kdbush').default} index
 * @param {number} x
 * @param {number} y
 * @param {number} k at least 1
 * @param {Uint32Array} out room for k ids
 */
export function neighbors({ ids, coords, nodeSize, numItems }, x, y, k, out) {
  if (distances2.length < k) distances2 = new Float64Array(k)
  const sorted = distances2
  let count = 0
  let max2 = Infinity
  let depth = 0
  let left = 0
  let right = numItems - 1
  let axis = 0
  let offX = 0
  let offY = 0
  for (;;) {
    // Tests the points of a leaf, or the middle point of an inner node.
    const isLeaf = right - left <= nodeSize
    const middle = (left + right) >> 1
    const last = isLeaf ? right : middle
    for (let i = isLeaf ? left : middle; i <= last; i++) {
      const dx = x - coords[2 * i]
      const dy = y - coords[2 * i + 1]
      const distance2 = dx * dx + dy * dy
      if (distance2 >= max2) continue
      let place = count < k ? count++ : k - 1
      for (; place > 0 && sorted[place - 1] > distance2; place--) {
        sorted[place] = sorted[place - 1]
        out[place] = out[place - 1]
      }
      sorted[place] = distance2
      out[place] = ids[i]
      if (count === k) max2 = sorted[k - 1]
    }

    if (isLeaf) {
      do {
        if (depth === 0) return count
        depth--
      } while (offsX[depth] + offsY[depth] >= max2)
      left = lefts[depth]
      right = rights[depth]
      axis = axes[depth]
      offX = offsX[depth]
      offY = offsY[depth]
    } else {
      const dx = x - coords[2 * middle]
      const dy = y - coords[2 * middle + 1]
      const gap = axis === 0 ? dx : dy
      const beyondX = axis === 0 ? dx * dx : offX
      const beyondY = axis === 0 ? offY : dy * dy
      axis = 1 - axis
      if (beyondX + beyondY < max2) {
        lefts[depth] = gap < 0 ? middle + 1 : left
        rights[depth] = gap < 0 ? right : middle - 1
        axes[depth] = axis
        offsX[depth] = beyondX
        offsY[depth++] = beyondY
      }
      if (gap < 0) right = middle - 1
      else left = middle + 1
    }
  }
}
