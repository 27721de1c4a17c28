// What every query must answer: a loop over all agents, in plain JavaScript. Math.fround rounds each
// step to a float32, as the library does, so answers agree bit for bit.

const { fround, sqrt } = Math

/**
 * @typedef {object} Agents
 * @property {2 | 3} dimensions
 * @property {number} count
 * @property {Float32Array} positions interleaved
 * @property {Uint32Array} groups
 */

/** @typedef {{ ids: number[], distances2: number[] }} Found */

const MAX_COORDINATE = fround(1e18)

/** Whether a build takes the agent: it has a group, and its position is finite and not too large. */
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

/** @param {ArrayLike<number>} center of float32 numbers */
export function distance2(agents, id, center) {
  const { dimensions, positions } = agents
  const at = id * dimensions
  const dx = fround(positions[at] - center[0])
  const dy = fround(positions[at + 1] - center[1])
  const sum = fround(fround(dx * dx) + fround(dy * dy))
  if (dimensions === 2) return sum
  const dz = fround(positions[at + 2] - center[2])
  return fround(sum + fround(dz * dz))
}

const squared = (radius) => fround(fround(radius) * fround(radius))

/**
 * The agents that a query admits and a test accepts, in slot order unless sorted.
 * @returns {Found}
 */
function collect(agents, center, options, accepts) {
  const rounded = new Float32Array(center)
  const [ids, distances2] = [[], []]
  for (let id = 0; id < agents.count; id++) {
    if (!isAdmitted(agents, id, options)) continue
    const far2 = distance2(agents, id, rounded)
    if (!accepts(id, far2, rounded)) continue
    ids.push(id)
    distances2.push(far2)
  }
  if (options.sort !== 'distance') return { ids, distances2 }
  const order = ids.map((id, i) => i)
  order.sort((a, b) => distances2[a] - distances2[b] || a - b)
  return { ids: order.map((i) => ids[i]), distances2: order.map((i) => distances2[i]) }
}

export function within(agents, center, radius, options = {}) {
  const radius2 = squared(radius)
  return collect(agents, center, options, (id, far2) => far2 <= radius2)
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

export function neighbors(agents, center, k, options = {}) {
  const { maxDistance = Infinity } = options
  const { ids, distances2 } = within(agents, center, maxDistance, { ...options, sort: 'distance' })
  return { ids: ids.slice(0, k), distances2: distances2.slice(0, k) }
}

export function nearest(agents, center, options = {}) {
  return neighbors(agents, center, 1, options).ids[0] ?? -1
}

export function countWithin(agents, center, radius, options = {}) {
  return within(agents, center, radius, options).ids.length
}

export function anyWithin(agents, center, radius, options = {}) {
  return countWithin(agents, center, radius, options) > 0
}

export function cone(agents, center, direction, halfAngle, radius, options = {}) {
  const { dimensions, positions } = agents
  const radius2 = squared(radius)
  const toward = Array.from(direction, fround)
  let length2 = 0
  for (const step of toward) length2 += step * step
  const unit = toward.map((step) => fround(step / sqrt(length2)))
  // Half a turn leaves nobody out, however the dot product is rounded.
  const everyone = fround(halfAngle) === fround(Math.PI)
  const cosine = everyone ? -2 : fround(Math.cos(fround(halfAngle)))

  return collect(agents, center, options, (id, far2, rounded) => {
    let dot = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const step = fround(positions[id * dimensions + axis] - rounded[axis])
      dot = fround(dot + fround(step * unit[axis]))
    }
    return far2 <= radius2 && fround(cosine * fround(sqrt(far2))) <= dot
  })
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]

/** Where a segment meets a circle or sphere, as copse.h defines it: in doubles; 2: nowhere. */
function rayFraction(from, to, center, radius) {
  const [m, e, d] = [minus(center, from), minus(center, to), minus(to, from)]
  const c = [m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2], m[0] * d[1] - m[1] * d[0]]
  const [md, d2, c2, r2] = [dot(m, d), dot(d, d), dot(c, c), radius * radius]
  if (dot(m, m) <= r2) return 0
  if (md <= 0 || (md < d2 ? c2 > d2 * r2 : dot(e, e) > r2)) return 2
  return fround(Math.min(Math.max((md - sqrt(Math.max(d2 * r2 - c2, 0))) / d2, 0), 1))
}

/**
 * @param {ArrayLike<number>} radii by id
 * @returns {{ id: number, fraction: number }} id -1 and fraction 1: nobody
 */
export function raycast(agents, from, to, radii, options = {}) {
  const { dimensions, positions } = agents
  const point = (x, y, z = 0) => [fround(x), fround(y), fround(z)]
  const [start, end] = [point(...from), point(...to)]
  const first = { id: -1, fraction: 1 }
  for (let id = 0; id < agents.count; id++) {
    if (!isAdmitted(agents, id, options)) continue
    const at = id * dimensions
    const center = [positions[at], positions[at + 1], dimensions === 3 ? positions[at + 2] : 0]
    const fraction = rayFraction(start, end, center, fround(radii[id]))
    if (fraction < first.fraction || (fraction === 1 && first.id < 0))
      Object.assign(first, { id, fraction })
  }
  return first
}
