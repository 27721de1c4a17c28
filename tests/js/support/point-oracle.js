// The expected result of every query of points: a loop over all agents, in plain JavaScript. Math.fround
// rounds each step to a float32, as the library does, so results agree bit for bit.

const { fround, sqrt } = Math

/**
 * @typedef {object} Agents
 * @property {2 | 3} dimensions
 * @property {number} count
 * @property {Float32Array} positions interleaved
 * @property {Uint32Array} groups
 * @property {readonly number[]} [wrap] the sides of a world that wraps around
 */

/** @typedef {{ ids: number[], distances2: number[] }} Results */

const MAX_COORDINATE = fround(1e18)

/** True if a build includes the agent: it has a group, and its position is finite and not too large. */
export function isPresent(agents, id) {
  const { dimensions, positions } = agents
  if (agents.groups[id] === 0) return false
  for (let i = id * dimensions; i < (id + 1) * dimensions; i++)
    if (!(Math.abs(positions[i]) <= MAX_COORDINATE)) return false
  return true
}

function isAdmitted(agents, id, { mask, exclude }) {
  if (id === exclude || !isPresent(agents, id)) return false
  return mask === undefined || (agents.groups[id] & mask) !== 0
}

/** Returns a coordinate moved into the world, by the rule in copse.h. */
function wrapped(x, min, size) {
  const turns = Math.floor(fround(fround(x - min) / size))
  const moved = fround(x - fround(turns * size))
  return moved >= min && fround(moved - min) < size ? moved : min
}

/** Returns the difference of two coordinates along an axis. `agents.wrap`: the world's sides. */
function difference({ dimensions, wrap }, axis, x, center) {
  if (!wrap) return fround(x - center)
  const min = fround(wrap[axis])
  const size = fround(fround(wrap[dimensions + axis]) - min)
  const d = fround(wrapped(x, min, size) - wrapped(center, min, size))
  if (d > size / 2) return fround(d - size)
  return d < -size / 2 ? fround(d + size) : d
}

/** Returns the squared distance. @param {ArrayLike<number>} center float32 numbers */
export function distance2(agents, id, center) {
  const { dimensions, positions } = agents
  const offset = id * dimensions
  const dx = difference(agents, 0, positions[offset], center[0])
  const dy = difference(agents, 1, positions[offset + 1], center[1])
  const sum = fround(fround(dx * dx) + fround(dy * dy))
  if (dimensions === 2) return sum
  const dz = difference(agents, 2, positions[offset + 2], center[2])
  return fround(sum + fround(dz * dz))
}

const squared = (radius) => fround(fround(radius) * fround(radius))

/**
 * Returns the agents that pass the query's options and `accepts`, in slot order unless sorted.
 * @returns {Results}
 */
function collect(agents, center, options, accepts) {
  const rounded = new Float32Array(center)
  const [ids, distances2] = [[], []]
  for (let id = 0; id < agents.count; id++) {
    if (!isAdmitted(agents, id, options)) continue
    const d2 = distance2(agents, id, rounded)
    if (!accepts(id, d2, rounded)) continue
    ids.push(id)
    distances2.push(d2)
  }
  if (options.sort !== 'distance') return { ids, distances2 }
  const order = ids.map((id, i) => i)
  order.sort((a, b) => distances2[a] - distances2[b] || a - b)
  return { ids: order.map((i) => ids[i]), distances2: order.map((i) => distances2[i]) }
}

export function within(agents, center, radius, options = {}) {
  const radius2 = squared(radius)
  return collect(agents, center, options, (id, d2) => d2 <= radius2)
}

export function range(agents, lo, hi, options = {}) {
  const { dimensions, positions } = agents
  const [min, max] = [new Float32Array(lo), new Float32Array(hi)]
  return collect(agents, lo, options, (id) => {
    for (let axis = 0; axis < dimensions; axis++) {
      const x = positions[id * dimensions + axis]
      if (!(x >= min[axis] && x <= max[axis])) return false
    }
    return true
  })
}

export function frustum(agents, planes, options = {}) {
  const rounded = new Float32Array(planes)
  return collect(agents, [0, 0, 0], options, (id) => {
    const [x, y, z] = agents.positions.subarray(3 * id)
    for (let i = 0; i < rounded.length; i += 4) {
      const across = fround(fround(x * rounded[i]) + fround(y * rounded[i + 1]))
      const sum = fround(across + fround(z * rounded[i + 2]))
      if (!(fround(sum + rounded[i + 3]) >= 0)) return false
    }
    return true
  })
}

export function neighbors(agents, center, k, options = {}) {
  const { maxDistance = Infinity } = options
  const { ids, distances2 } = within(agents, center, maxDistance, { ...options, sort: 'distance' })
  return { ids: ids.slice(0, k), distances2: distances2.slice(0, k) }
}

export function nearest(agents, center, options = {}) {
  return neighbors(agents, center, 1, options).ids[0] ?? -1
}

export function cone(agents, center, direction, halfAngle, radius, options = {}) {
  const { dimensions, positions } = agents
  const radius2 = squared(radius)
  const toward = Array.from(direction, fround)
  let length2 = 0
  for (const step of toward) length2 += step * step
  const unit = toward.map((step) => fround(step / sqrt(length2)))
  // A half angle of pi excludes no agent, however the dot product is rounded.
  const isFullCircle = fround(halfAngle) === fround(Math.PI)
  const cosine = isFullCircle ? -2 : fround(Math.cos(fround(halfAngle)))

  return collect(agents, center, options, (id, d2, rounded) => {
    let dot = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const step = fround(positions[id * dimensions + axis] - rounded[axis])
      dot = fround(dot + fround(step * unit[axis]))
    }
    return d2 <= radius2 && fround(cosine * fround(sqrt(d2))) <= dot
  })
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]

/** Returns the fraction at which a segment hits a circle or sphere, as copse.h defines it; 2: no hit. */
function rayFraction(from, to, center, radius) {
  const [m, e, d] = [minus(center, from), minus(center, to), minus(to, from)]
  const c = [m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2], m[0] * d[1] - m[1] * d[0]]
  const [md, d2, c2, r2] = [dot(m, d), dot(d, d), dot(c, c), radius * radius]
  if (dot(m, m) <= r2) return 0
  if (md <= 0 || (md < d2 ? c2 > d2 * r2 : dot(e, e) > r2)) return 2
  return fround(Math.min(Math.max((md - sqrt(Math.max(d2 * r2 - c2, 0))) / d2, 0), 1))
}

/**
 * Returns all agents that a segment hits, sorted by fraction, then id.
 * @param {ArrayLike<number>} radii by id
 * @returns {{ id: number, fraction: number }[]}
 */
export function raycastAll(agents, from, to, radii, options = {}) {
  const { dimensions, positions } = agents
  const point = (x, y, z = 0) => [fround(x), fround(y), fround(z)]
  const [start, end] = [point(...from), point(...to)]
  const hits = []
  for (let id = 0; id < agents.count; id++) {
    if (!isAdmitted(agents, id, options)) continue
    const offset = id * dimensions
    const center = [
      positions[offset],
      positions[offset + 1],
      dimensions === 3 ? positions[offset + 2] : 0,
    ]
    const radius = fround(fround(radii[id]) + fround(options.inflate ?? 0))
    const fraction = rayFraction(start, end, center, radius)
    if (fraction <= 1) hits.push({ id, fraction })
  }
  return hits.sort((a, b) => a.fraction - b.fraction || a.id - b.id)
}

/** Returns the first agent that a segment hits; id -1 and fraction 1 if it hits none. */
export function raycast(...ray) {
  return raycastAll(...ray)[0] ?? { id: -1, fraction: 1 }
}
