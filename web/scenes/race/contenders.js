// The contenders of the race: libraries used in their fastest documented way, as in the benchmark. Each imports
// its own copy of the loops, see web/peers/loops.js. `limit`: maximum number of agents; with more, the library
// would block the page.

import * as simd from 'copse'
import * as bruteLoops from '../../peers/loops.js?brute'
import * as copseLoops from '../../peers/loops.js?copse'
import * as d3Loops from '../../peers/loops.js?d3'
import * as gridLoops from '../../peers/loops.js?grid'
import * as handLoops from '../../peers/loops.js?hand'
import * as kdbushLoops from '../../peers/loops.js?kdbush'
import * as rbushLoops from '../../peers/loops.js?rbush'
import { handGrid } from '../../peers/handgrid.js'
import { bruteForce, copseOf, d3Quadtree, gridOf, kdbush, ours, rbush } from '../../peers/peers.js'

// All others are compared with the first one.
export const contenders = [
  { name: 'copse AgentTree', create: copseOf(simd), loops: copseLoops },
  { name: 'copse Grid', create: gridOf(simd), loops: gridLoops },
  { name: 'grid by hand', create: handGrid, loops: handLoops },
  { name: 'kdbush', create: kdbush, loops: kdbushLoops },
  { name: 'rbush', create: rbush, loops: rbushLoops },
  { name: 'd3-quadtree', create: d3Quadtree, loops: d3Loops },
  { name: 'brute force', create: bruteForce, loops: bruteLoops, limit: 5_000 },
]

/** Returns the first contender with the threads of an instance. */
export const threadedTree = (instance) => ({
  name: `with ${instance.threads.count} threads`,
  create: ours(simd.AgentTree, simd.AgentTree3D, () => ({ instance }), simd.Sensors),
  loops: copseLoops,
  isThreaded: true,
})
