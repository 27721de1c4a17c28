// Plays many drawn cases: CASES (1,000,000) of each structure, with seeds from SEED (1) on, in PROCESSES
// (the number of processors) at a time. Passed chunks are kept in build/long.json, so that an interrupted
// run continues, unless the structure or its test has changed. With SEED, one machine can continue the run
// of another: if the keys in their tables are the same, so are structure and test. ONLY=grid plays only the
// structures whose names contain `grid`.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runWithin, seedsOf, targets } from './commands.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const CASES = Number(process.env.CASES || 1_000_000)
const SEED = Number(process.env.SEED || 1)
const PROCESSES = Number(process.env.PROCESSES || availableParallelism())
const STATE = 'build/long.json'
const CHUNK_CASES = 20_000 // approximately
const run = runWithin(2 * 3600) // a chunk that takes longer hangs
const MOST_FAILURES = 3 // a structure with so many is not played any more

const POINTS = ['agenttree', 'grid', 'kdtree']

/** The test of each structure, and the nouns that it covers. A chunk is `runs` cases of each property. */
const STRUCTURES = Object.entries({
  'agent tree': { nouns: ['agenttree'], test: 'tests/js/agenttree.test.js', runs: 5000 },
  grid: { nouns: ['grid'], test: 'tests/js/grid.test.js', runs: 5000 },
  'grid that wraps': { nouns: ['copse'], test: 'tests/js/wrap.test.js', runs: 5000 },
  'k-d tree': { nouns: ['kdtree'], test: 'tests/js/kdtree.test.js', runs: 4000 },
  'rays of these three': { nouns: POINTS, test: 'tests/js/raycast.test.js', runs: 10_000 },
  'quadtree and octree': { nouns: ['octree'], test: 'tests/js/octree.test.js', runs: 10_000 },
  'index with a source': { nouns: ['copse'], test: 'tests/js/source.test.js', runs: 16_667 },
  sensors: { nouns: ['copse'], test: 'tests/js/sensors.test.js', runs: 10_000 },
  'obstacle tree': { nouns: ['obstacle'], test: 'tests/js/obstacle.test.js', runs: 17_778 },
  'flow field': { nouns: ['paths'], test: 'tests/js/flowfield.test.js', runs: 5000 },
  ...Object.fromEntries(
    targets().map((target) => {
      // Not 'grid': its entry lacks worlds that wrap around.
      const nouns = ['agenttree', 'kdtree', 'octree', 'obstacle', 'crowd']
      const made = nouns.includes(target) ? [target] : ['copse'] // else all structures
      return [`C, ${target}`, { nouns: made, test: `build/test/cases-${target}`, runs: 20_000 }]
    }),
  ),
}).filter(([name]) => name.includes(process.env.ONLY ?? ''))

/** @typedef {{ seed: number, cases: number, seconds: number }} Chunk a passed one */

// ---- Chunks that passed before ----

/** The sources of the tests in C. */
const C_FILES = readdirSync('tests/c', { recursive: true })
  .map(String)
  .filter((name) => /\.[ch]$/.test(name))
  .sort()
  .map((name) => `tests/c/${name}`)

/** Code for other processors, and the queries that only the entries with all classes have. */
const ELSEWHERE = ['c/base/simd.h', 'c/points/frustum.c']

/** Returns a test and all modules that it imports. @param {string} file @param {Set<string>} files */
function sourcesOf(file, files = new Set()) {
  if (files.has(file)) return files
  files.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/from '(\..*)'/g))
    sourcesOf(join(dirname(file), path), files)
  return files
}

/**
 * Returns a key that changes with the structures and the test, but not with the compiler. The entry of a noun
 * contains its whole structure, except ELSEWHERE.
 * @param {string} test @param {string[]} nouns
 */
function keyOf(test, nouns) {
  const sources = test.endsWith('.js') ? sourcesOf(test) : C_FILES
  const files = [...nouns.map((noun) => `dist/${noun}.js`), ...ELSEWHERE, ...sources]
  const hash = createHash('sha256').update(test)
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}

/** Passed chunks, by key. @type {Record<string, Chunk[]>} */
const kept = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : {}

function keep() {
  writeFileSync(`${STATE}.new`, JSON.stringify(kept))
  renameSync(`${STATE}.new`, STATE)
}

const played = STRUCTURES.map(([name, { nouns, test, runs }]) => {
  const key = keyOf(test, nouns)
  const chunks = (kept[key] ??= [])
  const seeds = new Set(chunks.map(({ seed }) => seed)) // played or being played
  return { name, test, runs, key, chunks, seeds, running: 0, failures: 0 }
})

const grouped = (/** @type {number} */ count) => count.toLocaleString('en')

// ---- Chunks ----

/** @param {{ chunks: Chunk[] }} structure @param {'cases' | 'seconds'} what */
const sum = ({ chunks }, what) =>
  chunks.reduce((total, chunk) => total + (chunk.seed >= SEED ? chunk[what] : 0), 0)

const unfinished = () =>
  played.filter((one) => one.failures < MOST_FAILURES && sum(one, 'cases') + one.running < CASES)

/** Plays chunks until all is done, always of the structure that is farthest behind. */
async function playChunks() {
  for (let open; (open = unfinished()).length;) {
    const cases = open.map((one) => sum(one, 'cases') + one.running)
    await playChunk(open[cases.indexOf(Math.min(...cases))])
  }
}

/** Plays the next chunk of a structure. @param {typeof played[number]} structure */
async function playChunk(structure) {
  const { name, test, runs, chunks, seeds } = structure
  let seed = SEED
  while (seeds.has(seed)) seed++
  seeds.add(seed)
  structure.running += CHUNK_CASES
  const command = commandOf(test, runs, seed)
  const { output, clean } = await run(...command)
  structure.running -= CHUNK_CASES
  const [, cases, seconds] = /^(\d+) drawn cases held, .* in (.*) s$/m.exec(output) ?? []
  if (clean && Number(cases) > 0) {
    chunks.push({ seed, cases: Number(cases), seconds: Number(seconds) })
    keep()
    console.log(`${name}: seed ${seed}, ${seconds} s; ${grouped(sum(structure, 'cases'))} passed`)
  } else {
    structure.failures++
    console.log(`${output}\nFAIL ${name}: seed ${seed}; repeat it with: ${command.join(' ')}`)
  }
}

// Much of the code runs only a few thousand times in a chunk: compile it early.
const FLAGS = ['--always-sparkplug', '--no-wasm-generic-wrapper', '--max-semi-space-size=32']

/** Returns the command that plays a chunk. @param {string} test @param {number} runs @param {number} seed */
function commandOf(test, runs, seed) {
  const isScript = test.endsWith('.js')
  const set = [`COPSE_SEED=${seed}`, `COPSE_RUNS=${runs}`]
  if (isScript) return ['env', ...set, 'node', ...FLAGS, test]
  return [test, String(seed), String(runs), ...seedsOf(test.replace('build/test/cases-', ''))]
}

await Promise.all(Array.from({ length: PROCESSES }, playChunks))

const row = (/** @type {string[]} */ [name, ...figures]) =>
  name.padEnd(22) + figures.map((figure) => figure.padStart(14)).join('')
console.log(row(['', 'cases', 'failures', 'CPU minutes', 'key']))
for (const one of played) {
  const minutes = (sum(one, 'seconds') / 60).toFixed(1)
  console.log(row([one.name, grouped(sum(one, 'cases')), String(one.failures), minutes, one.key]))
}
process.exitCode = played.every((one) => !one.failures && sum(one, 'cases') >= CASES) ? 0 : 1
