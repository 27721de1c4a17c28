// Compares the last results with the goals, and prints which are met. Never fails.
//
//   node tests/bench/goals.js [results.json]

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const LAST = 'build/bench/results.json'
const KEPT = 'tests/bench/results/results.json'
const file = process.argv[2] ?? (existsSync(LAST) ? LAST : KEPT)

const isPeer = (library) => !library.startsWith('copse') && !library.endsWith('native')

/**
 * Finds the median that a goal names: `start`, or work, dimensions, spread, agents and library. The library may be
 * 'best peer', the fastest JavaScript library, or 'best published', the fastest one with a search of its own
 * (the names of others contain '+').
 * @param {any} report
 * @param {string} name
 * @param {string} [of] 'pieces' per edge or 'bytes' per item, instead of the time
 * @returns {{ time: number, n: number, library: string } | undefined} time is undefined if the library took no part
 */
function find({ start, measurements }, name, of) {
  if (name === 'start') return { time: start.median, n: 1, library: name }
  const [, work, dimensions, spread, agents, library] =
    /^(\w+) (\d)D (\w+) (\d+) (.+)$/.exec(name) ?? []
  const measured = measurements.find(
    (each) =>
      `${each.work} ${each.dimensions} ${each.spread} ${each.n}` ===
      `${work} ${dimensions} ${spread} ${agents}`,
  )
  if (!measured) return undefined
  const { n, times } = measured
  if (of) return { time: measured[of]?.[library], n, library }
  if (!library.startsWith('best ')) return { time: times[library]?.median, n, library }
  const [best] = Object.entries(times)
    .filter(([name]) => isPeer(name) && !(library === 'best published' && name.includes('+')))
    .sort(([, a], [, b]) => a.median - b.median)
  return best && { time: best[1].median, n, library: best[0] }
}

/** Returns the measured value of a goal, and the verdict. */
function judge(report, { divide, of, by, perAgent, atLeast, atMost }) {
  const above = find(report, divide, of)
  const below = by ? find(report, by) : { time: 1, n: 1, library: '' }
  if (!above || !below) return { verdict: 'not measured', measured: '' }
  const absent = [above, below].find(({ time }) => time === undefined)
  if (absent) return { verdict: 'not measured', measured: `no ${absent.library}` }
  let ratio = above.time / below.time
  if (perAgent) ratio *= below.n / above.n
  const enough = (limit) => (atLeast === undefined ? ratio <= limit : ratio >= limit)
  const best = divide.includes(' best ') ? ` (${above.library})` : ''
  return {
    verdict: enough(atLeast ?? atMost) ? 'met' : 'FALLS SHORT',
    measured: `${ratio.toPrecision(3)}${best}`,
  }
}

if (!existsSync(file)) console.log('no results yet: run make bench')
else {
  const { goals } = JSON.parse(readFileSync('tests/bench/goals.json', 'utf8'))
  const report = JSON.parse(readFileSync(file, 'utf8'))
  console.log(`${file}: ${report.form} form, ${report.cpu}, Node ${report.node}\n`)
  const counts = new Map()
  for (const goal of goals) {
    const { verdict, measured } = judge(report, goal)
    const { atLeast, atMost, title } = goal
    const wanted = `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}`
    console.log(`${verdict.padEnd(26)}${measured.padEnd(24)}${wanted.padEnd(20)}${title}`)
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  }
  console.log(`\n${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join('; ')}`)
}
