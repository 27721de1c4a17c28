// Runs the tests for a change. The last line is `N passed, N failed`. Fails if a test fails or a suite runs no tests.
//
//   node tests/tools/run.js [c] [js] [nodes] [browser] [package]
//
// Without arguments all parts run. ONLY=grid runs only suites whose names contain `grid`.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suites } from '../browser/suites.js'
import {
  CASES,
  inTurn,
  runWithin,
  seedsOf,
  targets,
  UNIT_PART,
  unitNouns,
  uvuResult,
} from './commands.js'
import { nodeBinary } from './engines.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const NODES = [20, 26] // the oldest and the newest in package.json
/** Returns a function that runs a command as `run` does, but gives way to suites in a browser. */
const niced =
  (run) =>
  (command, ...args) =>
    run('nice', command, ...args)
const run = niced(runWithin(600))

/** @typedef {{ name: string, passed: number, failed: number, output: string }} Result */
/** @typedef {{ name: string, play: () => Promise<Result> }} Suite */

/** Returns the result of a suite that counts as one test. */
const single = (name, holds, output) => ({
  name,
  passed: Number(holds),
  failed: Number(!holds),
  output,
})

// ---- C ----

/** @param {string} noun @param {string[]} command @param {string} language */
const unit = (noun, command, language = 'C') => ({
  name: `${language}, unit tests of ${noun}`,
  async play() {
    const { output, clean } = await run('env', `COPSE_UNIT_PART=${UNIT_PART}`, ...command, noun)
    const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(output) ?? [0, 0, 1]
    return {
      name: this.name,
      passed: Number(passed),
      failed: Math.max(Number(failed), clean ? 0 : 1),
      output,
    }
  },
})

/** @param {string} target */
const cases = (target) => ({
  name: `C, ${CASES} cases of ${target}`,
  async play() {
    const words = ['1', String(CASES), ...seedsOf(target)]
    const { output, clean } = await run(`build/test/cases-${target}`, ...words)
    return single(this.name, clean && /cases held/.test(output), output)
  },
})

/** @param {string} program in build/test @param {string} expected its output @param {string[]} words */
const prints = (program, expected, ...words) => ({
  name: ['C,', program, ...words].join(' '),
  async play() {
    const { output, clean } = await run(`build/test/${program}`, ...words)
    return single(this.name, clean && output === expected, output)
  },
})

const hashes = readFileSync('tests/data/determinism.txt', 'utf8')
/** What the examples in C print. */
const EXAMPLES = {
  example: 'agent 0 is near\nagent 1 is near\n',
  example_threads: 'four threads: the same bits\n',
}

const c = () => [
  ...unitNouns().map((noun) => unit(noun, ['build/test/unit'])),
  ...unitNouns().map((noun) => unit(noun, ['build/test/unit-plain'], 'C without SIMD')),
  ...targets().map(cases),
  ...['determinism-native', 'determinism-sanitized'].map((program) => prints(program, hashes)),
  ...['2', '3', '8'].map((threads) => prints('determinism-native', hashes, threads)),
  ...Object.entries(EXAMPLES).flatMap(([name, expected]) =>
    ['c', 'cpp'].map((language) => prints(`${name}-${language}`, expected)),
  ),
]

const arm = () => unitNouns().map((noun) => unit(noun, ['qemu-aarch64', 'build/aarch64/unit']))

// ---- JavaScript ----

const runNiced = niced(runWithin(400))
const runPage = runWithin(480)

// All processors are busy: collecting garbage on several of them would take longer in total.
const FLAGS = ['--single-threaded-gc']

/**
 * Runs a file of tests; again, if it ran out of time, because Node sometimes deadlocks, whatever the
 * program does (nodejs/node#54918).
 * @param {string} name @param {string} file @param {() => Promise<string>} node @param {typeof runPage} run
 */
const uvu = (name, file, node = async () => process.execPath, run = runNiced) => ({
  name: `${name}, ${file.split('/').at(-1)}`,
  async play() {
    const command = [await node(), ...FLAGS, file]
    let ended = await run(...command)
    if (ended.isLate) ended = await run(...command)
    return { name: this.name, ...uvuResult(ended) }
  },
})

const testFiles = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => `${folder}/${file}`)

const js = () => testFiles('tests/js').map((file) => uvu('Node', file))

/** Returns the suites of the package, in the Nodes other than this one. */
const nodes = () =>
  NODES.filter((major) => !process.version.startsWith(`v${major}.`)).flatMap((major) =>
    ['garbage', ...Object.keys(suites)].map((suite) =>
      uvu(`Node ${major}`, `tests/js/${suite}.test.js`, () => nodeBinary(major)),
    ),
  )

/** Suites in a browser that take longest: they start first. */
const LONGEST = ['demo', 'site', 'package', 'examples'].map(
  (name) => `tests/browser/${name}.test.js`,
)
const browser = () =>
  [...new Set([...LONGEST, ...testFiles('tests/browser')])].map((file) =>
    uvu('Chromium', file, undefined, runPage),
  )
const packed = () => testFiles('tests/consumers').map((file) => uvu('package', file))

// ---- Running ----

let passed = 0
let failed = 0

/** Runs a suite and prints the result. @param {Suite} suite */
async function play(suite) {
  const start = performance.now()
  const result = await suite.play()
  const seconds = Math.round((performance.now() - start) / 1000)
  const wrong = result.passed + result.failed ? result.failed : 1 // it ran nothing
  if (wrong) console.log(result.output)
  console.log(
    `${wrong ? 'FAIL' : 'ok  '} ${suite.name}: ${result.passed} passed, ${wrong} failed, ${seconds} s`,
  )
  passed += result.passed
  failed += wrong
}

const PARTS = { c, js, nodes, browser, package: packed, arm }
const wanted = process.argv.slice(2)
const isWanted = ({ name }) => name.includes(process.env.ONLY ?? '')
const suitesOf = (/** @type {string[]} */ parts) =>
  parts.flatMap((part) => PARTS[part]()).filter(isWanted)

const parts = wanted.length ? wanted : ['package', 'nodes', 'js', 'c', 'browser']
const pages = suitesOf(parts.filter((part) => part === 'browser'))
const others = suitesOf(parts.filter((part) => part !== 'browser'))
// The game with zones must keep pace with the clock. It runs first, beside a suite that keeps one processor busy.
const paced = pages.filter(({ name }) => name.includes('zonegame'))
const companions = paced.length ? others.filter(({ name }) => name === 'Node, garbage.test.js') : []
const isLeft = (/** @type {Suite} */ suite) => !paced.includes(suite) && !companions.includes(suite)
await Promise.all([...paced, ...companions].map(play))
// Many suites often wait, for frames or for programs: twice as many run at a time as there are processors. At most half
// of them are in a browser, where frames must come in time.
const left = others.filter(isLeft).values()
const pagesFirst = function* () {
  yield* pages.filter(isLeft)
  yield* left
}
await Promise.all([inTurn(pagesFirst(), play), inTurn(left, play)])

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed || !passed ? 1 : 0
