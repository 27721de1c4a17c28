// Runs every suite, as many at a time as there are processors, and prints `N passed, N failed` last,
// alone on a line. Fails when anything failed, or when a suite ran nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inTurn, runWithin, unitNouns } from './commands.js'
import { fuzz, targets } from './fuzz.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const FUZZ_SECONDS = 10
const run = runWithin(900)

let passed = 0
let failed = 0

/** @typedef {{ name: string, ok: number, wrong: number, output: string }} Result */

/** Runs a suite and says how it went. @param {() => Promise<Result>} suite */
async function play(suite) {
  const begun = performance.now()
  const { name, ok, wrong, output } = await suite()
  const seconds = Math.round((performance.now() - begun) / 1000)
  const bad = ok + wrong ? wrong : 1 // it ran nothing
  if (bad) console.log(output)
  console.log(`${bad ? 'FAIL' : 'ok  '} ${name}: ${ok} passed, ${bad} failed, ${seconds} s`)
  passed += ok
  failed += bad
}

/** What either holds or not. @param {string} name @param {boolean} holds @param {string} output */
const single = (name, holds, output) => ({ name, ok: Number(holds), wrong: Number(!holds), output })

/** @param {string} name @param {string} folder @param {string} pattern */
async function uvu(name, folder, pattern) {
  const { output, clean } = await run('node', 'node_modules/uvu/bin.js', folder, pattern)
  const ok = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  return { name, ok, wrong: Math.max(total - ok, clean ? 0 : 1), output }
}

/** Native, under sanitizers. @param {string} noun */
async function unit(noun) {
  const { output, clean } = await run('build/test/unit', noun)
  const [, ok, wrong] = /(\d+) passed, (\d+) failed/.exec(output) ?? [0, 0, 1]
  return {
    name: `unit tests of ${noun}`,
    ok: Number(ok),
    wrong: Math.max(Number(wrong), clean ? 0 : 1),
    output,
  }
}

/** @param {string} target */
async function fuzzing(target) {
  const { ok, figures, output } = await fuzz(target, FUZZ_SECONDS)
  return single(`fuzz ${target}, ${figures}`, ok, output)
}

/** @param {string} program of build/test @param {string} name @param {string} expected what it prints */
async function prints(program, name, expected) {
  const { output, clean } = await run(`build/test/${program}`)
  return single(name, clean && output === expected, output)
}

const hashes = readFileSync('tests/data/determinism.txt', 'utf8')
const near = 'agent 0 is near\nagent 1 is near\n'
const inTests = (folder, pattern) => readdirSync(folder).filter((file) => pattern.test(file))
const uvuFiles = (name, folder) =>
  inTests(folder, /\.test\.js$/).map((file) => () => uvu(`${name}, ${file}`, folder, `^${file}$`))

/** One page at a time, beside all else. */
async function playInChromium() {
  for (const suite of uvuFiles('in Chromium', 'tests/browser')) await play(suite)
}

// What waits for the network first, beside what computes.
const others = [
  () => uvu('its consumers', 'tests/consumers', '\\.test\\.js$'),
  ...uvuFiles('in Node', 'tests'),
  ...unitNouns().map((noun) => () => unit(noun)),
  ...targets().map((target) => () => fuzzing(target)),
  ...inTests('build/test', /^determinism-/).map((file) => () => prints(file, file, hashes)),
  ...inTests('build/test', /^example-/).map(
    (file) => () => prints(file, `${file}, against the installed library`, near),
  ),
]
await inTurn([playInChromium, ...others.map((suite) => () => play(suite))])

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
