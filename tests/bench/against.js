// Measures two builds of copse in turn, in one process, on the same data: this one, and that of another commit. Each is
// driven by the adapters of its own commit, since calls get other names. Results are compared first.
//
//   node --no-liftoff --expose-gc tests/bench/against.js FOLDER [word…]
//
// FOLDER is a checkout of the other commit with its package: see `make bench-against`. The rows are those of the quick
// benchmark, or those that match all words, as in bench.js. Crowds run the published algorithm (`exact`), which stays
// the same, from the same start. Each row runs in several processes, since one alone may place its memory badly.
// Prints the ratio of this build's time to the other's, the largest first, with quartiles; 'unsure' if they are wide or
// the processes disagree. Fails if results differ that must be equal.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { measureRatios } from './measure.js'
import { chosenOf, forms, loadPeers, settingsOf } from './rows.js'
import { STEPS } from './crowds.js'
import { works } from './workloads.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const BUDGET = 250 // milliseconds of work for both sides, in each process
const NEAR = 0.03 // ratios within this of 1 are no difference
/** Processes for each row, and for rows that seem to differ. */
const PROCESSES = 2
const MOST_PROCESSES = 5

const [folder, ...rest] = process.argv.slice(2)
const words = rest.filter((word) => !word.startsWith('row='))
const [row, process_] = (rest.find((word) => word.startsWith('row=')) ?? '').slice(4).split(',')
const form = forms.quick

const own = await loadPeers()
const settings = settingsOf(form, own)

/** @param {number[]} values @param {number} share */
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.round(share * (values.length - 1))]

// ---- One row, in a process of its own ----

/** Returns the ratios of each work and class, by title. @returns {Promise<Record<string, any>>} */
async function measureRow() {
  const base = await loadPeers(folder)
  await Promise.all([own.load(), base.load()])
  const [dimensions, spread, n] = form.plan[Number(row)]
  const { family, all, create } = settings[spread]
  const others = settingsOf(form, base)[spread].all
  const agents = create(spread, n, dimensions)
  const isOurs = ({ name, dimensions: possible }) =>
    /^copse/.test(name) &&
    possible.includes(dimensions) &&
    (family !== 'crowd' || name.includes('exact'))
  const results = {}
  for (const entry of all.filter(isOurs)) {
    const other = others.find(({ name }) => name === entry.name)
    if (!other) continue
    const sides = [other, entry]
    if (Number(process_) % 2) sides.reverse() // the other one is created first
    const entrants = []
    for (const side of sides)
      entrants.push({
        side,
        peer: side.create(agents),
        loops: await import(`../../web/peers/loops.js?${entrants.length}${entry.name}`),
      })
    const pair = [other, entry].map((side) => entrants.find((entrant) => entrant.side === side))
    for (const name of chosenOf(form.plan[Number(row)], settings, words)) {
      const work = works[name]
      const takesPart = ({ side: { only }, peer }) =>
        (!only || only.includes(name)) && work.can(peer)
      const title = `${entry.name}, ${name}, ${dimensions}D ${spread} ${n}`
      const able = pair.filter(takesPart).length
      // Calls of adapters may have got other names, too.
      if (able === 1 && process_ === '0') console.error(`left out, one side can't: ${title}`)
      if (able < 2) continue
      const outcomes = pair.map(({ peer, loops }) => outcomeOf(work, peer, loops, agents))
      results[title] = {
        differ: outcomes[0] !== outcomes[1],
        mayDiffer: family === 'crowd',
        ratios: await measureRatios(pair, name, agents, BUDGET),
      }
    }
    for (const { peer } of pair) peer.dispose?.()
  }
  return results
}

/** Returns what a peer finds, as a text or number. */
function outcomeOf(work, peer, loops, agents) {
  if (!peer.step) return work.hash?.(peer, loops, agents)
  peer.build()
  for (let step = 0; step < STEPS; step++) peer.step()
  return peer.positions().join()
}

if (row) {
  const json = JSON.stringify(await measureRow())
  process.stdout.write(json, () => process.exit())
  await new Promise(() => {})
}

// ---- All rows ----

/** @type {Map<string, { differ: boolean, mayDiffer: boolean, processes: number[][] }>} */
const measured = new Map()

/** Measures a row once more. @param {number} index @param {number} number */
function measure(index, number) {
  const args = [...process.execArgv, process.argv[1], folder, ...words, `row=${index},${number}`]
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: [0, 'pipe', 2] })
  const results = JSON.parse(text)
  for (const [title, { differ, mayDiffer, ratios }] of Object.entries(results)) {
    if (!measured.has(title)) measured.set(title, { differ, mayDiffer, processes: [] })
    measured.get(title)?.processes.push(ratios)
  }
  return Object.keys(results)
}

const isFar = (/** @type {number} */ ratio) => ratio > 1 + NEAR || ratio < 1 / (1 + NEAR)
const medianOf = (/** @type {string} */ title) =>
  quantile(measured.get(title).processes.flat(), 0.5)

for (const index of form.plan.keys()) {
  if (chosenOf(form.plan[index], settings, words).length === 0) continue
  let titles = []
  for (let number = 0; number < PROCESSES; number++) titles = measure(index, number)
  for (let number = PROCESSES; number < MOST_PROCESSES; number++)
    if (titles.some((title) => isFar(medianOf(title)))) measure(index, number)
  // On the way, in the order of the plan: the whole takes many minutes.
  for (const title of titles) console.error(`${medianOf(title).toFixed(3)}  ${title}`)
}

const rows = [...measured.keys()].map((title) => {
  const { differ, mayDiffer, processes } = measured.get(title)
  const all = processes.flat()
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantile(all, share))
  // Every process must see the same difference.
  const medians = processes.map((ratios) => quantile(ratios, 0.5))
  const isSure =
    isFar(median) &&
    (Math.min(low, ...medians) > 1 + NEAR / 2 || Math.max(high, ...medians) < 1 - NEAR / 2)
  return { title, differ, mayDiffer, low, median, high, isSure }
})
rows.sort((a, b) => b.median - a.median)
for (const { title, differ, mayDiffer, low, median, high, isSure } of rows) {
  const verdict = !isFar(median) ? '' : isSure ? (median > 1 ? 'slower' : 'faster') : 'unsure'
  const figures = `${median.toFixed(3)}  (${low.toFixed(3)} – ${high.toFixed(3)})`
  const results = differ ? (mayDiffer ? 'moves differently' : 'RESULTS DIFFER') : ''
  console.log([figures, verdict.padEnd(6), title, results].join('  ').trimEnd())
}
const far = rows.filter(({ median }) => isFar(median))
const sure = far.filter(({ isSure }) => isSure)
console.log(
  `${rows.length} rows, ${rows.length - far.length} within ${100 * NEAR}% of 1; ` +
    `beyond: ${sure.length} surely, ${far.length - sure.length} unsurely`,
)
if (!rows.length || rows.some(({ differ, mayDiffer }) => differ && !mayDiffer)) process.exitCode = 1
