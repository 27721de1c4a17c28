// Benchmarks that have a short form: it runs, and its comparisons of results hold.

import { execFileSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from './support/documents.js'

const benchmarks = suite('benchmarks')

benchmarks('make bench-leaf measures every work for every leaf size and every rule', () => {
  const printed = execFileSync('node', [`${root}tests/bench/leafsizes.js`, 'short'], {
    encoding: 'utf8',
  })
  const rows = (/** @type {number} */ columns) =>
    [...printed.matchAll(/^ *(\w+), (?:ms|µs)((?: +[\d.e-]+)+)$/gm)]
      .filter(([, , times]) => times.trim().split(/ +/).length === columns)
      .map(([, work]) => work)
  const works = ['build', 'within', 'nearest', 'allWithin', 'allNeighbors']
  assert.equal(rows(11), works, 'leaves of 1 to 1,024 agents')
  assert.equal(rows(4), [...works, ...works, ...works], 'two axes, two splits, three spreads')
})

benchmarks.run()
