// Says how deep the agents of a crowd overlap: those that merely touch are no fault.

import { AgentTree, AgentTree3D } from 'copse'
import { formatPercent } from './format.js'

/** The number of dimensions: 2 in the plane, 3 in space. */
export const dimensionsOf = ({ positions, capacity }) => positions.length / capacity

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
  const { positions, radii, enabled, slots } = crowd
  const dim = dimensionsOf(crowd)
  const tree = new (dim === 2 ? AgentTree : AgentTree3D)({ capacity: crowd.capacity, instance })
  tree.build(crowd)
  const { ids, count } = tree.pairs({ distance: 2 * Math.max(...radii.subarray(0, slots)) })
  let most = 0
  for (let n = 0; n < count; n++) {
    const [a, b] = [ids[2 * n], ids[2 * n + 1]]
    if (!enabled[a] || !enabled[b]) continue
    let squared = 0
    for (let i = 0; i < dim; i++) squared += (positions[dim * a + i] - positions[dim * b + i]) ** 2
    const depth = radii[a] + radii[b] - Math.sqrt(squared)
    most = Math.max(most, depth / Math.min(radii[a], radii[b]))
  }
  tree.dispose()
  return most
}
