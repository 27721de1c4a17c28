// Runs the tests for a change, or a part of all tests. The last line is `N passed, N failed`. Fails if a test fails
// or a suite runs no tests.
//
//   node tests/tools/run.js [c] [js] [browser] [package] [plain] [arm] [pages] [consumers] [long]
//
// Without arguments, the first four parts run. ONLY=grid runs only suites whose names contain `grid`.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

/** Seconds after which a suite is ended: it hangs. */
const DEADLINE = { change: 600, long: 3 * 3600 }
const LONG_CASES = Number(process.env.CASES || 20_000)
const SEED = Number(process.env.SEED || 1)
/** In the long tests, suites in JavaScript draw this many times more cases. */
const LONG_FACTOR = 20

/** @typedef {{ name: string, passed: number, failed: number, output: string }} Result */
/** @typedef {{ name: string, play: () => Promise<Result> }} Suite */

/** Returns a function that runs a command as `run` does, but gives way to suites in a browser. */
const niced =
  (run) =>
  (command, ...args) =>
    run('nice', command, ...args)
const run = niced(runWithin(DEADLINE.change))
const runLong = runWithin(DEADLINE.long)

/** Returns the result of a suite that counts as one test. */
const single = (name, holds, output) => ({
  name,
  passed: Number(holds),
  failed: Number(!holds),
  output,
})

// ---- C ----

/** @param {string} noun @param {string[]} command @param {string} language */
const unit = (noun, command, language = 'C', play = run) => ({
  name: `${language}, unit tests of ${noun}`,
  async play() {
    const { output, clean } = await play('env', `COPSE_UNIT_PART=${UNIT_PART}`, ...command, noun)
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
const cases = (target, count = CASES, seed = 1, command = run) => ({
  name: `C, ${count} cases of ${target}`,
  async play() {
    const words = [String(seed), String(count), ...seedsOf(target)]
    const { output, clean } = await command(`build/test/cases-${target}`, ...words)
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
  ...targets().map((target) => cases(target)),
  ...[[], ['2'], ['3'], ['8']].map((threads) => prints('determinism-native', hashes, ...threads)),
  ...Object.entries(EXAMPLES).flatMap(([name, expected]) =>
    ['c', 'cpp'].map((language) => prints(`${name}-${language}`, expected)),
  ),
]

const plain = () => [
  ...unitNouns().map((noun) => unit(noun, ['build/test/unit-plain'], 'C without SIMD')),
  prints('determinism-sanitized', hashes),
]

const arm = () =>
  unitNouns().map((noun) => unit(noun, ['qemu-aarch64', 'build/aarch64/unit'], 'aarch64', runLong))

// ---- JavaScript ----

// All processors are busy: collecting garbage on several of them would take longer in total. A thread that optimizes
// code can ask the main thread to collect garbage while that waits for it: Node then stands still, whatever the program
// does (nodejs/node#54918).
const FLAGS = ['--single-threaded-gc', '--no-concurrent-recompilation']

/**
 * Runs a file of tests; again, if it ran out of time: other threads of Node can do the same, though far less often.
 * @param {string} name @param {string} file @param {string[]} environment
 */
const uvu = (name, file, command = run, environment = []) => ({
  name: `${name}, ${file.split('/').at(-1)}`,
  async play() {
    const words = ['env', ...environment, process.execPath, ...FLAGS, file]
    let ended = await command(...words)
    if (ended.isLate) ended = await command(...words)
    return { name: this.name, ...uvuResult(ended) }
  },
})

const testFiles = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => `${folder}/${file}`)

const js = () => testFiles('tests/js').map((file) => uvu('Node', file))

const SMOKE = 'tests/browser/smoke.test.js'
const inPage = runWithin(DEADLINE.change)
const browser = () => [uvu('Chromium', SMOKE, inPage)]
const pages = () =>
  testFiles('tests/browser')
    .filter((file) => file !== SMOKE)
    .map((file) => uvu('Chromium', file, inPage))

const CONSUMERS = 'tests/consumers/consumers.test.js'
const packed = () => [uvu('package', CONSUMERS)]
const consumers = () =>
  testFiles('tests/consumers').map((file) => uvu('package', file, runLong, ['COPSE_CONSUMERS=all']))

const long = () => [
  ...targets().map((target) => cases(target, LONG_CASES, SEED, runLong)),
  ...testFiles('tests/js').map((file) =>
    uvu('Node, long', file, runLong, [`COPSE_FACTOR=${LONG_FACTOR}`, `COPSE_SEED=${SEED}`]),
  ),
  uvu('Chromium, two minutes', 'tests/browser/zonegame.test.js', runLong, ['ZONE_SECONDS=120']),
]

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

const PARTS = { browser, package: packed, js, c, plain, arm, pages, consumers, long }
const wanted = process.argv.slice(2)
const parts = wanted.length ? wanted : ['browser', 'package', 'js', 'c']
const suites = parts
  .flatMap((part) => PARTS[part]())
  .filter(({ name }) => name.includes(process.env.ONLY ?? ''))
// One browser at a time, beside as many other suites as there are processors, which give way to it.
const isInBrowser = (/** @type {Suite} */ { name }) => name.startsWith('Chromium')
const inBrowser = suites.filter(isInBrowser)
const others = suites.filter((suite) => !isInBrowser(suite))
await Promise.all([inTurn(inBrowser, play, 1), inTurn(others, play)])

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed || !passed ? 1 : 0
