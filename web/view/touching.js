// Says how deep the agents of a crowd overlap: those that merely touch are no fault.

import { AgentTree, AgentTree3D } from 'copse'
import { formatPercent } from './format.js'

/** Returns numbers of a crowd for the panel: how many agents touch, and the deepest overlap, by the smaller radius. */
export function touchingNumbers(crowd) {
  const { overlaps } = crowd.stats()
  return [
    ['Touching', overlaps],
    ['Deepest, of a radius', formatPercent(overlaps > 0 ? deepest(crowd) : 0)],
  ]
}

/** Returns how deep two agents overlap at most, by the smaller radius. `instance`: that of the crowd. */
export function deepest(crowd, instance) {
  const { dimensions: dim, positions, radii, enabled, slots } = crowd
  const tree = new (dim === 2 ? AgentTree : AgentTree3D)({ capacity: crowd.capacity, instance })
  tree.build(crowd)
  const pairs = tree.pairs(2 * Math.max(...radii.subarray(0, slots)))
  let most = 0
  for (let n = 0; n < pairs.length; n += 2) {
    const [a, b] = [pairs[n], pairs[n + 1]]
    if (!enabled[a] || !enabled[b]) continue
    let squared = 0
    for (let i = 0; i < dim; i++) squared += (positions[dim * a + i] - positions[dim * b + i]) ** 2
    const depth = radii[a] + radii[b] - Math.sqrt(squared)
    most = Math.max(most, depth / Math.min(radii[a], radii[b]))
  }
  tree.dispose()
  return most
}
