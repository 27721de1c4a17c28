// Runs every suite, one after the other, and prints `N passed, N failed` last, alone on a line.
// Fails when anything failed, or when a suite ran nothing.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('../', import.meta.url)))

const FUZZ_SECONDS = 10
const SUITE_SECONDS = 900

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

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  const options = { encoding: /** @type {const} */ ('utf8'), timeout: SUITE_SECONDS * 1000 }
  const { stdout, stderr, status, error } = spawnSync(command, args, options)
  return { output: `${stdout}${stderr}${error ?? ''}`, clean: status === 0 }
}

/** @param {string} name @param {string} folder @param {string} pattern */
function uvu(name, folder, pattern) {
  const { output, clean } = run('node', 'node_modules/uvu/bin.js', folder, pattern)
  const ok = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  report(name, ok, Math.max(total - ok, clean ? 0 : 1), output)
}

// Native, under sanitizers.
{
  const { output, clean } = run('build/test/unit')
  const [, ok, wrong] = /(\d+) passed, (\d+) failed/.exec(output) ?? [0, 0, 1]
  report('native unit tests', Number(ok), Math.max(Number(wrong), clean ? 0 : 1), output)
}
for (const target of readdirSync('tests/c/fuzz').map((file) => file.replace('.c', ''))) {
  const limits = [`-max_total_time=${FUZZ_SECONDS}`, '-max_len=4096', '-seed=1', '-timeout=20']
  const { output, clean } = run(`build/fuzz/${target}`, ...limits)
  const runs = Number(/Done (\d+) runs/.exec(output)?.[1] ?? 0)
  report(`fuzz ${target}, ${runs} runs`, clean && runs ? 1 : 0, clean && runs ? 0 : 1, output)
}
for (const program of readdirSync('build/test').filter((file) => file.startsWith('determinism-'))) {
  const { output, clean } = run(`build/test/${program}`)
  const same = clean && output === readFileSync('tests/determinism.txt', 'utf8')
  report(program, same ? 1 : 0, same ? 0 : 1, output)
}
for (const program of ['example-c', 'example-cpp']) {
  const { output, clean } = run(`build/test/${program}`)
  const same = clean && output === 'agent 0 is near\nagent 1 is near\n'
  report(`${program}, against the installed library`, same ? 1 : 0, same ? 0 : 1, output)
}

uvu('in Node', 'tests', '^[^/]+\\.test\\.js$')
uvu('its consumers', 'tests/consumers', '\\.test\\.js$')
uvu('in Chromium', 'tests/browser', '\\.test\\.js$')

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
