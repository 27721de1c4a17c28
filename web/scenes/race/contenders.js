// What takes part in the race: libraries in their fastest documented way, as the benchmark uses them.
// Loops are imported once for each, see web/peers/loops.js. `limit`: agents above which it would
// only hold up the page.

import * as simd from 'copse'
import * as bruteLoops from '../../peers/loops.js?brute'
import * as copseLoops from '../../peers/loops.js?copse'
import * as d3Loops from '../../peers/loops.js?d3'
import * as gridLoops from '../../peers/loops.js?grid'
import * as kdbushLoops from '../../peers/loops.js?kdbush'
import * as rbushLoops from '../../peers/loops.js?rbush'
import { bruteForce, copseOf, d3Quadtree, gridOf, kdbush, rbush } from '../../peers/peers.js'

// The first is the one that all are compared with.
export const contenders = [
  { name: 'copse AgentTree', create: copseOf(simd), loops: copseLoops },
  { name: 'copse Grid', create: gridOf(simd), loops: gridLoops },
  { name: 'kdbush', create: kdbush, loops: kdbushLoops },
  { name: 'rbush', create: rbush, loops: rbushLoops },
  { name: 'd3-quadtree', create: d3Quadtree, loops: d3Loops },
  { name: 'brute force', create: bruteForce, loops: bruteLoops, limit: 5_000 },
]
