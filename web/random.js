// Seeded random numbers for tests, benchmark and demo: mulberry32 by Tommy Ettinger. It uses integer
// operations only, so a seed gives the same numbers bit for bit on every machine.

/** Returns a function whose calls return random numbers in [0, 1). */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

// ---- Distributions of points: from ordinary ones to those that break naive trees ----

/** Side length of the world that the ordinary distributions fill. */
export const WORLD = 1000

/** Entry k is 2^(k - 149): from the smallest positive float32 to 2^59, the last power below 1e18. */
const POWERS_OF_TWO = [1.401298464324817e-45]
while (POWERS_OF_TWO.length <= 149 + 59) POWERS_OF_TWO.push(POWERS_OF_TWO.at(-1) * 2)
const powerOfTwo = (exponent) => POWERS_OF_TWO[exponent + 149]

/** Returns a random integer from 0 to count - 1. */
export const integer = (random, count) => Math.floor(random() * count)

/** Returns a random item. */
export const pick = (random, items) => items[integer(random, items.length)]

const sign = (random) => (random() < 0.5 ? -1 : 1)

/** Returns n points with coordinates `coordinate(i, axis)`, interleaved: x0, y0, (z0,) x1, y1, … */
function points(n, dimensions, coordinate) {
  const positions = new Float32Array(n * dimensions)
  for (let i = 0; i < n; i++)
    for (let axis = 0; axis < dimensions; axis++)
      positions[i * dimensions + axis] = coordinate(i, axis)
  return positions
}

/**
 * Each returns n points in 2 or 3 dimensions from a random function, as an interleaved Float32Array.
 * They use arithmetic only, so the bits are the same on every machine.
 */
export const distributions = {
  uniform: (random, n, dimensions) => points(n, dimensions, () => random() * WORLD),

  /** A regular grid, with many equal coordinates and distances. */
  grid(random, n, dimensions) {
    let side = 1
    while (side * side * (dimensions === 3 ? side : 1) < n) side++
    const rows = [1, side, side * side]
    return points(n, dimensions, (i, axis) => (Math.floor(i / rows[axis]) % side) * 8)
  },

  /** All points at one place. */
  identical(random, n, dimensions) {
    const point = [random() * WORLD, random() * WORLD, random() * WORLD]
    return points(n, dimensions, (i, axis) => point[axis])
  },

  /** Points on a line along an axis or a diagonal. */
  collinear(random, n, dimensions) {
    const direction = [1, integer(random, 3) - 1, integer(random, 3) - 1]
    if (random() < 0.5) direction.reverse()
    let along = 0
    return points(n, dimensions, (i, axis) => {
      if (axis === 0) along = integer(random, WORLD)
      return along * direction[axis]
    })
  },

  /** Two small clumps, a million units apart. */
  twoClumps(random, n, dimensions) {
    let clump = 0
    return points(n, dimensions, (i, axis) => {
      if (axis === 0) clump = integer(random, 2) * 1e6
      return clump + random()
    })
  },

  /** Points ever closer to 0: each midpoint split separates only a few. */
  exponential: (random, n, dimensions) =>
    points(n, dimensions, () => (1 + random()) * powerOfTwo(-integer(random, 140))),

  /** Sixteen adjacent floats around a power of two, where their spacing doubles. */
  adjacentFloats: (random, n, dimensions) =>
    points(n, dimensions, () => 1024 + (integer(random, 16) - 8) * powerOfTwo(-14)),

  /** Coordinates so small that they, or their squared distances, are denormal. */
  denormal(random, n, dimensions) {
    const unit = powerOfTwo(random() < 0.5 ? -149 : -76)
    return points(n, dimensions, () => sign(random) * integer(random, 1000) * unit)
  },

  /** 0 and -0, which compare equal. */
  signedZeros: (random, n, dimensions) => points(n, dimensions, () => sign(random) * 0),

  /** Coordinates of every accepted magnitude. */
  powersOfTwo: (random, n, dimensions) =>
    points(n, dimensions, () => sign(random) * powerOfTwo(integer(random, 149 + 60) - 149)),

  /** Sorted along x. */
  sorted: (random, n, dimensions) =>
    points(n, dimensions, (i, axis) => (axis === 0 ? i / n : random()) * WORLD),

  /**
   * The order that makes median-of-three selection quadratic: D. R. Musser,
   * "Introspective sorting and selection algorithms" (1997).
   */
  medianKiller(random, n, dimensions) {
    const half = Math.floor(n / 2)
    return points(n, dimensions, (i) => {
      if (i >= half) return 2 * (i - half + 1)
      return i % 2 === 0 ? i + 1 : half + i
    })
  },
}
