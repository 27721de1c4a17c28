// Runs every suite, as many at a time as there are processors, and prints `N passed, N failed` last,
// alone on a line. Fails when anything failed, or when a suite ran nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inTurn, runWithin, unitNouns } from './commands.js'
import { fuzz, targets } from './fuzz.js'

process.chdir(fileURLToPath(new URL('../', import.meta.url)))

const FUZZ_SECONDS = 10
const run = runWithin(900)

let passed = 0
let failed = 0

/** @param {string} name @param {number} ok @param {number} wrong @param {string} output */
function report(name, ok, wrong, output) {
  if (ok + wrong === 0) wrong = 1 // it ran nothing
  if (wrong) console.log(output)
  console.log(`${wrong ? 'FAIL' : 'ok  '} ${name}: ${ok} passed, ${wrong} failed;`)
  passed += ok
  failed += wrong
}

/** @param {string} name @param {string} folder @param {string} pattern */
async function uvu(name, folder, pattern) {
  const { output, clean } = await run('node', 'node_modules/uvu/bin.js', folder, pattern)
  const ok = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  report(name, ok, Math.max(total - ok, clean ? 0 : 1), output)
}

/** Native, under sanitizers. @param {string} noun */
async function unit(noun) {
  const { output, clean } = await run('build/test/unit', noun)
  const [, ok, wrong] = /(\d+) passed, (\d+) failed/.exec(output) ?? [0, 0, 1]
  report(`unit tests of ${noun}`, Number(ok), Math.max(Number(wrong), clean ? 0 : 1), output)
}

/** @param {string} target */
async function fuzzing(target) {
  const { ok, figures, output } = await fuzz(target, FUZZ_SECONDS)
  report(`fuzz ${target}, ${figures}`, ok ? 1 : 0, ok ? 0 : 1, output)
}

/** @param {string} program of build/test @param {string} name @param {string} expected what it prints */
async function prints(program, name, expected) {
  const { output, clean } = await run(`build/test/${program}`)
  const same = clean && output === expected
  report(name, same ? 1 : 0, same ? 0 : 1, output)
}

const hashes = readFileSync('tests/determinism.txt', 'utf8')
const near = 'agent 0 is near\nagent 1 is near\n'
const inTests = (folder, pattern) => readdirSync(folder).filter((file) => pattern.test(file))

// The longest first, and what waits for the network beside what computes.
const suites = [
  () => uvu('in Node', 'tests', '^[^/]+\\.test\\.js$'),
  () => uvu('its consumers', 'tests/consumers', '\\.test\\.js$'),
  ...inTests('tests/browser', /\.test\.js$/).map(
    (file) => () => uvu(`in Chromium, ${file}`, 'tests/browser', `^${file}$`),
  ),
  ...unitNouns().map((noun) => () => unit(noun)),
  ...targets().map((target) => () => fuzzing(target)),
  ...inTests('build/test', /^determinism-/).map((file) => () => prints(file, file, hashes)),
  ...inTests('build/test', /^example-/).map(
    (file) => () => prints(file, `${file}, against the installed library`, near),
  ),
]
await inTurn(suites)

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
