// Seeded random numbers shared by tests, benchmark and demo: mulberry32 by Tommy Ettinger. Integer
// operations only, so a seed gives the same numbers bit for bit on every machine.

/** A function that returns the next number in [0, 1) each time it is called. */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

// ---- Where points lie: from the ordinary to what breaks naive trees ----

/** The side of the world that the ordinary distributions fill. */
export const WORLD = 1000

/** 2^(k - 149) at k: every power of two from the least float32 to 2^59, the last below 1e18. */
const POWERS_OF_TWO = [1.401298464324817e-45]
while (POWERS_OF_TWO.length <= 149 + 59) POWERS_OF_TWO.push(POWERS_OF_TWO.at(-1) * 2)
const powerOfTwo = (exponent) => POWERS_OF_TWO[exponent + 149]

/** One of 0 … count - 1. */
export const integer = (random, count) => Math.floor(random() * count)

export const pick = (random, items) => items[integer(random, items.length)]

const sign = (random) => (random() < 0.5 ? -1 : 1)

/** The points whose coordinates are `coordinate(i, axis)`: x0, y0, (z0,) x1, y1, … */
function points(n, dimensions, coordinate) {
  const positions = new Float32Array(n * dimensions)
  for (let i = 0; i < n; i++)
    for (let axis = 0; axis < dimensions; axis++)
      positions[i * dimensions + axis] = coordinate(i, axis)
  return positions
}

/**
 * Each gives n points in 2 or 3 dimensions from a random function, as an interleaved Float32Array.
 * The same bits everywhere: nothing but arithmetic is used.
 */
export const distributions = {
  uniform: (random, n, dimensions) => points(n, dimensions, () => random() * WORLD),

  /** A regular grid: many equal coordinates and equal distances. */
  grid(random, n, dimensions) {
    let side = 1
    while (side * side * (dimensions === 3 ? side : 1) < n) side++
    const rows = [1, side, side * side]
    return points(n, dimensions, (i, axis) => (Math.floor(i / rows[axis]) % side) * 8)
  },

  /** All on one point. */
  identical(random, n, dimensions) {
    const point = [random() * WORLD, random() * WORLD, random() * WORLD]
    return points(n, dimensions, (i, axis) => point[axis])
  },

  /** On a line along an axis or a diagonal. */
  collinear(random, n, dimensions) {
    const direction = [1, integer(random, 3) - 1, integer(random, 3) - 1]
    if (random() < 0.5) direction.reverse()
    let along = 0
    return points(n, dimensions, (i, axis) => {
      if (axis === 0) along = integer(random, WORLD)
      return along * direction[axis]
    })
  },

  /** Two small clumps, a million apart. */
  twoClumps(random, n, dimensions) {
    let clump = 0
    return points(n, dimensions, (i, axis) => {
      if (axis === 0) clump = integer(random, 2) * 1e6
      return clump + random()
    })
  },

  /** Ever closer to 0: a midpoint split takes off a few at a time. */
  exponential: (random, n, dimensions) =>
    points(n, dimensions, () => (1 + random()) * powerOfTwo(-integer(random, 140))),

  /** On sixteen neighboring floats, across a power of two, where their distance doubles. */
  adjacentFloats: (random, n, dimensions) =>
    points(n, dimensions, () => 1024 + (integer(random, 16) - 8) * powerOfTwo(-14)),

  /** So small that squared distances are denormal, or the coordinates themselves are. */
  denormal(random, n, dimensions) {
    const unit = powerOfTwo(random() < 0.5 ? -149 : -76)
    return points(n, dimensions, () => sign(random) * integer(random, 1000) * unit)
  },

  /** 0 and -0, which are equal. */
  signedZeros: (random, n, dimensions) => points(n, dimensions, () => sign(random) * 0),

  /** Of every magnitude that is accepted. */
  powersOfTwo: (random, n, dimensions) =>
    points(n, dimensions, () => sign(random) * powerOfTwo(integer(random, 149 + 60) - 149)),

  /** Ascending along x. */
  sorted: (random, n, dimensions) =>
    points(n, dimensions, (i, axis) => (axis === 0 ? i / n : random()) * WORLD),

  /**
   * The order in which selection by the median of three is quadratic, after D. R. Musser,
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
