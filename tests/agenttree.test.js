// The agent trees against brute force, with every way to split.

import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { testBatches } from './batches.js'
import { testProperties } from './properties.js'

const drawnOptions = fc.record({
  axis: fc.constantFrom('longest', 'cycle'),
  split: fc.constantFrom('midpoint', 'median'),
  leafSize: fc.constantFrom(12, 1, 2, 3, 10, 24, 32, 'capacity'),
})

function optionsOf(drawn, { groups }) {
  return { ...drawn, leafSize: drawn.leafSize === 'capacity' ? groups.length : drawn.leafSize }
}

/** Cells are nodes, the root first, and the tree is never deep. */
function checkCells({ agents: { dimensions }, indexes: [tree] }) {
  const { agents, nodes, depth } = tree.stats()
  const cells = tree.cells()
  assert.is(cells.length, nodes * (2 * dimensions + 2))
  assert.ok(depth < 95)
  if (agents > 0) assert.is(cells[2 * dimensions + 1], agents)
}

testProperties('AgentTree', { drawnOptions, optionsOf, checkCells })
testBatches('AgentTree', { drawnOptions, optionsOf })
