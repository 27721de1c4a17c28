// Measures copse and other libraries: the same works on the same data, with results compared first.
//
//   node --no-liftoff --expose-gc tests/bench/bench.js quick | full [word…]
//
// Each row of the plan runs in a process of its own (this file with `row=` and the index of the row), so
// that earlier measurements don't influence how the engine compiles later ones.
//
// With words, only rows and works that match all of them are measured, and nothing is written: a work, a
// spread, a number of agents, `2D` or `3D` (frame 2D uniform 10000), or a family: still (for the k-d tree),
// boxes (for the quadtree), view (for cameras), walls (for the obstacle tree), paths, crowd. Without words, prints
// tables and writes build/bench/results.json and frame.svg; `make bench-keep` copies them to
// tests/bench/results/, which the README shows.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { measure, summary } from './measure.js'
import { natives, startNative, writePositions } from './native.js'
import { plot } from './plot.js'
import { chosenOf, forms, loadPeers, settingsOf } from './rows.js'
import { scaleOf, works } from './workloads.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const [formName = 'quick', ...rest] = process.argv.slice(2)
const words = rest.filter((word) => !word.startsWith('row='))
const ownRow = rest.find((word) => word.startsWith('row='))?.slice('row='.length)
const form = forms[formName]
if (!form) throw new Error(`no form ${formName}: quick or full`)

const lists = await loadPeers()
const settings = settingsOf(form, lists)
const { stillPackages, boxPackages, viewPackages, wallPackages, crowdPackages } = lists
const packages = {
  ...stillPackages,
  ...boxPackages,
  ...viewPackages,
  ...wallPackages,
  ...crowdPackages,
}

/** @type {Map<any, any>} */
const loopsOf = new Map()
for (const peer of new Set(Object.values(settings).flatMap(({ all }) => all)))
  loopsOf.set(peer, await import(`../../web/peers/loops.js?${loopsOf.size}`))
const inSeconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`

/** Throws if hashes differ. @param {Iterable<[string, number]>} hashes by library @param {string} what */
function sameOrThrow(hashes, what) {
  const [[first, expected] = []] = hashes
  for (const [library, hash] of hashes)
    if (hash !== expected) throw new Error(`${library} and ${first} differ: ${what}`)
}

/**
 * Measures the works of one row of the plan.
 * @returns {Promise<{ work: string, [field: string]: any }[]>}
 */
async function measureAll(dimensions, spread, n, names) {
  const { limits, create, ...setting } = settings[spread]
  const agents = create(spread, n, dimensions)
  const all = setting.all.filter((peer) => peer.dimensions.includes(dimensions))
  const tooSlow = all.filter(({ pace }) => n > limits[pace])
  const entrants = all
    .filter((entry) => entry.checks || !tooSlow.includes(entry))
    .map((entry) => ({
      ...entry,
      isTooSlow: tooSlow.includes(entry),
      peer: entry.create(agents),
      loops: loopsOf.get(entry),
    }))
  if (agents.points) writePositions(agents)

  const measureWork = async (name) => {
    const work = works[name]
    const takesPart = ({ only }) => !only || only.includes(name)
    const able = entrants.filter(
      (entrant) => !entrant.isTooSlow && takesPart(entrant) && work.can(entrant.peer),
    )
    const compared = new Set([...entrants.filter(({ checks }) => checks), ...able])
    const played = natives.filter(
      (native) =>
        native.there &&
        native.works.includes(name) &&
        (native.dimensions ?? dimensions) === dimensions &&
        !native.isTooSlow?.(spread),
    )

    const lengths = work.compare?.(able, agents)
    const hashes = new Map()
    for (const { name, peer, loops } of compared) {
      const hash = work.hash?.(peer, loops, agents)
      if (hash !== undefined) hashes.set(name, hash)
    }
    const outcomes =
      work.outcome && able.map(({ name, peer }) => [name, work.outcome(peer, agents)])
    const compiled = []
    for (const native of played) {
      const program = await startNative(native, name, agents)
      const { hash, positions } = program.found
      if (positions) outcomes.push([native.name, work.nativeOutcome(positions, agents)])
      else hashes.set(native.name, hash)
      compiled.push(program)
    }
    const times = await measure([...able, ...compiled], name, agents, form.budget)
    for (const program of compiled) await program.end()
    for (const [name, { progress }] of outcomes ?? [])
      if (!(progress > 0)) throw new Error(`${name}: agents get no nearer to their goals`)
    const what = `${name}, ${dimensions}D, ${spread}, ${n}`
    sameOrThrow(hashes, what)
    if (work.hashAfter) {
      const after = [...compared].map(({ name, peer, loops }) => [
        name,
        work.hashAfter(peer, loops, agents),
      ])
      sameOrThrow(after, `${what}, after the measurement`)
    }

    const sized = able.filter(
      ({ peer }) => peer.bytes && (setting.family !== 'moving' || name === 'build'),
    )
    const bytesOf = ({ name, peer }) => [name, Math.round(peer.bytes() / n)]
    const divided = name === 'buildWalls' && able.filter(({ peer }) => peer.pieces)
    const piecesOf = ({ name, peer }) => [name, Number(peer.pieces().toPrecision(4))]
    const scale = scaleOf(name, agents)
    return {
      work: name,
      dimensions,
      spread,
      n,
      radius: agents.radius,
      unit: work.unit,
      times: Object.fromEntries(
        [...times].map(([name, samples]) => [name, summary(samples, scale)]),
      ),
      tooSlow: tooSlow.filter(takesPart).map(({ name }) => name),
      ...(divided && { pieces: Object.fromEntries(divided.map(piecesOf)) }),
      ...(lengths && { lengths }),
      ...(outcomes && { dense: agents.dense, outcome: Object.fromEntries(outcomes) }),
      ...(sized.length && { bytes: Object.fromEntries(sized.map(bytesOf)) }),
    }
  }
  const results = []
  for (const name of names) results.push(await measureWork(name))
  for (const { peer } of entrants) peer.dispose?.()
  return results
}

// ---- Tables ----

const percent = (share) => `${(100 * share).toPrecision(3)}%`

/** Prints the works of one row, a line for each library; ratios are to the first library. */
function print(results) {
  for (const result of results) {
    const { work, dimensions, spread, n, radius, unit, times, tooSlow } = result
    const { bytes, pieces, lengths, dense, outcome } = result
    const near = radius === undefined ? '' : `, radius ${radius}`
    const what = `${dimensions}D, ${spread}, ${n.toLocaleString('en')}${near}`
    console.log(`\n${what}: ${works[work].title}, ${unit}`)
    const [{ median: first }] = Object.values(times)
    const width = Math.max(18, ...Object.keys(times).map((name) => name.length + 1))
    for (const [name, { median, low, high, runs }] of Object.entries(times)) {
      const ratio = `×${(median / first).toPrecision(3)}`
      const spread = `(${low} – ${high}; ${runs} runs)`
      console.log(
        `  ${name.padEnd(width)}${String(median).padStart(10)}  ${ratio.padStart(8)}  ${spread}`,
      )
    }
    if (tooSlow.length) console.log(`  skipped, too slow here: ${tooSlow.join(', ')}`)
    const each = Object.entries(bytes ?? {}).map(([name, bytes]) => `${name} ${bytes}`)
    if (each.length) console.log(`  bytes per item: ${each.join(', ')}`)
    for (const [name, { found, least, mean, most }] of Object.entries(lengths ?? {}))
      console.log(
        `  ${name}: a path or none, as the first, for ${percent(found)} of the agents; ${least} to ${most} times as long, on average ${mean}`,
      )
    if (dense) {
      const { neighbors, infeasible } = dense
      console.log(
        `  ${neighbors} neighbors per agent; without a permitted velocity: ${percent(infeasible)} of the agents`,
      )
    }
    for (const [name, { progress, overlaps }] of Object.entries(outcome ?? {}))
      console.log(
        `  ${name}: ${percent(progress)} of the progress without others; ${percent(overlaps)} of the agents overlap`,
      )
    const parts = Object.entries(pieces ?? {}).map(([name, pieces]) => `${name} ${pieces}`)
    if (parts.length) console.log(`  pieces per edge: ${parts.join(', ')}`)
  }
}

// ---- The run ----

if (ownRow !== undefined) {
  const row = form.plan[Number(ownRow)]
  const [dimensions, spread, n] = row
  await lists.load()
  await settings[spread].load?.()
  const results = await measureAll(dimensions, spread, n, chosenOf(row, settings, words))
  process.stdout.write(JSON.stringify(results), () => process.exit())
  await new Promise(() => {})
}

const began = performance.now()
for (const { there, name, missing } of natives)
  if (!there) console.log(`without ${name}: ${missing}`)

const startTimes = Array.from({ length: 9 }, () =>
  Number(execFileSync(process.execPath, ['tests/bench/start.js'], { encoding: 'utf8' })),
)
const start = summary(startTimes)
console.log(`init() in a fresh process: ${start.median} ms (${start.low} – ${start.high})`)

const measurements = []
for (const [index, row] of form.plan.entries()) {
  if (chosenOf(row, settings, words).length === 0) continue
  const rowBegan = performance.now()
  const own = [...process.execArgv, process.argv[1], formName, ...words, `row=${index}`]
  const json = execFileSync(process.execPath, own, { encoding: 'utf8', stdio: [0, 'pipe', 2] })
  const results = JSON.parse(json)
  print(results)
  console.log(`row ${index} took ${inSeconds(performance.now() - rowBegan)}`)
  measurements.push(...results)
}
console.log(`\n${inSeconds(performance.now() - began)}`)

if (words.length === 0) {
  const versions = Object.entries(packages).map(([name, folder]) => [
    name,
    JSON.parse(readFileSync(`node_modules/${folder}/package.json`, 'utf8')).version,
  ])
  const report = {
    form: formName,
    cpu: cpus()[0].model,
    node: process.version,
    versions: Object.fromEntries(versions),
    start,
    measurements,
  }
  const json = await format(JSON.stringify(report), { parser: 'json', printWidth: 100 })
  const svg = plot(measurements)
  mkdirSync('build/bench', { recursive: true })
  writeFileSync('build/bench/results.json', json)
  writeFileSync('build/bench/frame.svg', svg)
  console.log('written: build/bench/results.json, build/bench/frame.svg')
}
