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
import { boxPackages, boxPeers } from './boxpeers.js'
import { crowdPackages, crowdPeers, loadRecast } from './crowdpeers.js'
import { createCrowd } from './crowds.js'
import { measure, summary } from './measure.js'
import { natives, runNative, writePositions } from './native.js'
import { load, peers } from '../../web/peers/peers.js'
import { plot } from './plot.js'
import { stillPackages, stillPeers } from './stillpeers.js'
import { viewPackages, viewPeers } from './viewpeers.js'
import { wallPackages, wallPeers } from './wallpeers.js'
import { createWalls } from './walls.js'
import { pathPeers } from './pathpeers.js'
import { createPaths } from './paths.js'
import { createAgents, createBoxes, createViews, scaleOf, works } from './workloads.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const FRAMES = ['frame', 'neighbors8', 'neighbors10', 'build', 'move']
const RAYS = ['raycast', 'raycastAll', 'raycastMany', 'raycastThick']
const SINGLES = ['within', 'range', 'nearest', 'nearest8', ...RAYS]
const SENSORS = ['withinMany', 'sensors']
const STILL = ['buildStill', 'nearest', 'nearest8', 'nearestMany', 'nearestMany8']
const WALLS = [
  ...['buildWalls', 'visibleFar', 'visibleNear', 'wallsWithin', 'nearestWall', 'raycastWalls'],
  ...['insideWalls', 'visibilityPolygon', 'visibilityView', 'keepVisible'],
]
const PATHS = [
  [2, 'town', 1, ['oneGoal', 'buildWays']],
  [2, 'town', 100, ['oneGoal', 'ownGoals']],
  [2, 'town', 10_000, ['oneGoal', 'ownGoals', 'directions']],
  [2, 'hedges', 100, ['oneGoal', 'buildWays']],
  [2, 'labyrinth', 100, ['oneGoal', 'buildWays']],
]
const CROWD = ['crowdStep', 'crowdNeighbors']
const BOXES = [
  ...[
    'boxFrame',
    'insertBoxes',
    'areas',
    'circles',
    'nearestBoxes',
    'boxRays',
    'moveBoxes',
    'pairs',
  ],
]

/**
 * The two forms of the benchmark. `budget`: milliseconds for each library and work. `slow`, `still`, `boxes`, `crowd`,
 * `paths`: for libraries of each pace, the maximum number of agents, points that stay, boxes, agents of a crowd, agents
 * with paths; `still.queries`: the number of queries. `plan`: rows of dimensions, spread, number of agents and works.
 * For walls the number is of edges: 4,000 are 1,000 squares. Recast's crowd takes over a kilobyte per agent.
 */
const forms = {
  quick: {
    budget: 250,
    slow: { 'brute force': 600, objects: 10_000, arrays: 100_000 },
    still: { objects: 100_000, 'objects, slowly': 100_000, queries: 100_000 },
    boxes: { 'brute force': 1500 },
    crowd: { recast: 10_000 },
    paths: { 'a field each': 100 },
    plan: [
      [2, 'uniform', 1, ['nearest']],
      [2, 'uniform', 600, ['frame']],
      [2, 'uniform', 10_000, [...FRAMES, ...SINGLES, ...SENSORS]],
      [2, 'clusters', 10_000, ['frame']],
      [2, 'line', 10_000, ['frame']],
      [2, 'battle', 10_000, ['frame']],
      [2, 'uniform', 100_000, ['frame', 'frameSourced', 'frameWrapped', 'neighbors8']],
      [2, 'clusters', 100_000, ['frame']],
      [2, 'battle', 100_000, ['frame']],
      [2, 'uniform', 1_000_000, ['frame']],
      [2, 'renumbered', 1_000_000, ['frame']],
      [3, 'uniform', 10_000, ['frame', 'within', 'nearest']],
      [3, 'uniform', 100_000, ['frame']],
      [2, 'still', 10_000, STILL],
      [2, 'still', 100_000, STILL],
      [2, 'still', 1_000_000, STILL],
      [3, 'still', 10_000, ['buildStill']],
      [3, 'still', 100_000, STILL],
      [3, 'still', 1_000_000, ['buildStill']],
      [2, 'boxes', 1500, BOXES],
      [2, 'boxes', 10_000, ['moveBoxes', 'pairs']],
      [3, 'view', 10_000, ['frustum']],
      [3, 'view', 100_000, ['frustum']],
      [2, 'squares', 100, WALLS],
      [2, 'squares', 1000, WALLS],
      [2, 'squares', 4000, ['moveWall']],
      [2, 'squares', 10_000, WALLS],
      [2, 'maze', 10_000, WALLS],
      [2, 'polygons', 10_000, WALLS],
      [2, 'fence', 8000, ['visibilityPolygon']],
      [2, 'fence', 64_000, ['visibilityPolygon']],
      ...PATHS,
      [2, 'crush', 1000, CROWD],
      [2, 'crush', 10_000, CROWD],
      [2, 'crush', 100_000, CROWD],
      [2, 'blocks', 1000, CROWD],
      [2, 'blocks', 10_000, CROWD],
      [2, 'blocks', 100_000, CROWD],
      [2, 'ring', 1000, CROWD],
      [2, 'ring', 10_000, CROWD],
      [2, 'ring', 100_000, CROWD],
      [2, 'disc200', 10_000, ['crowdStep']],
      [2, 'disc20000', 10_000, ['crowdStep']],
      [3, 'crush', 10_000, CROWD],
    ],
  },
  full: {
    budget: 500,
    slow: { 'brute force': 10_000, objects: 100_000, arrays: 1_000_000 },
    still: { objects: 1_000_000, 'objects, slowly': 100_000, queries: 100_000 },
    boxes: { 'brute force': 10_000 },
    crowd: { recast: 10_000 },
    paths: { 'a field each': 100 },
    plan: [
      [2, 'uniform', 1, ['nearest']],
      ...[2, 3].flatMap((dimensions) => [
        [dimensions, 'uniform', 600, [...FRAMES, ...SINGLES]],
        [dimensions, 'uniform', 10_000, [...FRAMES, ...SINGLES, ...SENSORS]],
        [dimensions, 'uniform', 100_000, [...FRAMES, 'frameSourced', 'frameWrapped', ...SINGLES]],
        [dimensions, 'uniform', 1_000_000, ['frame', 'neighbors8', 'build', 'move']],
        ...['clusters', 'line', 'battle'].flatMap((spread) => [
          [dimensions, spread, 600, ['frame']],
          [dimensions, spread, 10_000, [...FRAMES, ...SINGLES]],
          [dimensions, spread, 100_000, ['frame', 'neighbors8', 'move', 'within', 'nearest']],
          [dimensions, spread, 1_000_000, ['frame']],
        ]),
        [dimensions, 'renumbered', 100_000, ['frame']],
        [dimensions, 'renumbered', 1_000_000, ['frame']],
        ...[10_000, 100_000, 1_000_000].map((n) => [dimensions, 'still', n, STILL]),
      ]),
      [2, 'boxes', 1500, BOXES],
      [2, 'boxes', 10_000, BOXES],
      [2, 'boxes', 100_000, ['moveBoxes', 'pairs']],
      [3, 'view', 10_000, ['frustum']],
      [3, 'view', 100_000, ['frustum']],
      ...['squares', 'maze', 'polygons'].flatMap((spread) => [
        [2, spread, 100, WALLS],
        [2, spread, 1000, WALLS],
        [2, spread, 4000, ['moveWall']],
        [2, spread, 10_000, WALLS],
      ]),
      [2, 'fence', 8000, ['visibilityPolygon']],
      [2, 'fence', 64_000, ['visibilityPolygon']],
      ...PATHS,
      ...['crush', 'blocks', 'ring'].flatMap((spread) => [
        [2, spread, 1000, CROWD],
        [2, spread, 10_000, CROWD],
        [2, spread, 100_000, CROWD],
      ]),
      [2, 'disc200', 10_000, ['crowdStep']],
      [2, 'disc20000', 10_000, ['crowdStep']],
      [3, 'crush', 1000, CROWD],
      [3, 'crush', 10_000, CROWD],
      [3, 'crush', 100_000, CROWD],
    ],
  },
}

const [formName = 'quick', ...rest] = process.argv.slice(2)
const words = rest.filter((word) => !word.startsWith('row='))
const ownRow = rest.find((word) => word.startsWith('row='))?.slice('row='.length)
const form = forms[formName]
if (!form) throw new Error(`no form ${formName}: quick or full`)

const walls = { family: 'walls', all: wallPeers, limits: {}, create: createWalls }
/** Without the libraries that need walls all around. */
const fence = { ...walls, all: wallPeers.filter(({ only }) => !only) }
const crowd = {
  family: 'crowd',
  all: crowdPeers,
  limits: form.crowd,
  create: createCrowd,
  load: loadRecast,
}
const paths = {
  family: 'paths',
  all: pathPeers,
  limits: form.paths,
  create: createPaths,
  load: loadRecast,
}
/** Without Recast, whose floor is built from rectangles only. */
const disc = { ...crowd, all: crowdPeers.filter(({ pace }) => pace !== 'recast') }
/** By spread: the libraries that take part, their limits, and the function that creates the data. */
const settings = {
  still: {
    all: stillPeers,
    limits: form.still,
    create: (spread, n, dimensions) => createAgents(spread, n, dimensions, form.still.queries),
  },
  boxes: { all: boxPeers, limits: form.boxes, create: createBoxes },
  view: { all: viewPeers, limits: {}, create: createViews },
  squares: walls,
  maze: walls,
  polygons: walls,
  fence,
  town: paths,
  hedges: paths,
  labyrinth: paths,
  crush: crowd,
  blocks: crowd,
  ring: crowd,
  disc200: disc,
  disc20000: disc,
}
const moving = { all: peers, limits: form.slow, create: createAgents }
const packages = {
  ...stillPackages,
  ...boxPackages,
  ...viewPackages,
  ...wallPackages,
  ...crowdPackages,
}

/** @type {Map<any, any>} */
const loopsOf = new Map()
for (const peer of new Set([
  ...peers,
  ...stillPeers,
  ...boxPeers,
  ...viewPeers,
  ...wallPeers,
  ...pathPeers,
  ...crowdPeers,
]))
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
 * @returns {{ work: string, [field: string]: any }[]}
 */
function measureAll(dimensions, spread, n, names) {
  const { limits, create, ...setting } = settings[spread] ?? moving
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

  const results = names.map((name) => {
    const work = works[name]
    const takesPart = ({ only }) => !only || only.includes(name)
    const able = entrants.filter(
      (entrant) => !entrant.isTooSlow && takesPart(entrant) && work.can(entrant.peer),
    )
    const compared = new Set([...entrants.filter(({ checks }) => checks), ...able])
    const compiled = natives.filter(
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
    const times = measure(able, name, agents, form.budget)
    for (const native of compiled) {
      const { hash, positions, times: samples } = runNative(native, name, agents, form.budget)
      if (positions) outcomes.push([native.name, work.nativeOutcome(positions, agents)])
      else hashes.set(native.name, hash)
      times.set(native.name, samples)
    }
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

    const sized = able.filter(({ peer }) => peer.bytes && (settings[spread] || name === 'build'))
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
  })
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

/** Returns the works of a row that match all words. */
const chosenOf = ([dimensions, spread, n, names]) =>
  names.filter((name) =>
    words.every((word) =>
      [name, spread, settings[spread]?.family, `${n}`, `${dimensions}D`].includes(word),
    ),
  )

if (ownRow !== undefined) {
  const row = form.plan[Number(ownRow)]
  const [dimensions, spread, n] = row
  await load()
  await settings[spread]?.load?.()
  const results = measureAll(dimensions, spread, n, chosenOf(row))
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
  if (chosenOf(row).length === 0) continue
  const own = [...process.execArgv, process.argv[1], formName, ...words, `row=${index}`]
  const json = execFileSync(process.execPath, own, { encoding: 'utf8', stdio: [0, 'pipe', 2] })
  const results = JSON.parse(json)
  print(results)
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
