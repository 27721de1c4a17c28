// Runs the unit tests under each tool that checks memory, and counts the tool's reports. Each noun runs in a
// process of its own, since valgrind takes about forty times as long. Fails if a test fails, a tool reports
// something, or a noun runs no tests.

import { fileURLToPath } from 'node:url'
import { inTurn, runWithin, unitNouns } from './commands.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const run = runWithin(3 * 3600)
const PART = 20 // under valgrind, long tests repeat their work this many times less often

const LEAKS = [
  '--error-exitcode=1',
  '--leak-check=full',
  '--errors-for-leak-kinds=definite,indirect',
]
const TOOLS = {
  valgrind: ['env', `COPSE_UNIT_PART=${PART}`, 'valgrind', ...LEAKS, 'build/valgrind/unit'],
  'AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer': ['build/test/unit'],
  MemorySanitizer: ['build/memory/unit'],
  ThreadSanitizer: ['env', `COPSE_UNIT_PART=${PART}`, 'build/thread/unit'],
}
const THREADED = ['tasks'] // the nouns whose tests start threads, which wait in loops: slow under MemorySanitizer, too
// Sanitizers stop at their first report, valgrind counts them.
const REPORTS = /runtime error:|(?:ERROR|WARNING): \w+Sanitizer|ERROR SUMMARY: ([1-9]\d*) errors/g

const [wanted = ''] = process.argv.slice(2)
const tools = Object.entries(TOOLS).filter(([tool]) => tool.includes(wanted))
if (!tools.length) throw new Error(`there is no tool ${wanted}`)

const totals = tools.map(([tool, [command, ...args]]) => {
  const total = { tool, passed: 0, failed: 0, reports: 0 }
  const nouns = tool === 'ThreadSanitizer' ? THREADED : unitNouns()
  const tasks = nouns.map((noun) => async () => {
    const shortened = THREADED.includes(noun) ? ['env', `COPSE_UNIT_PART=${PART}`] : []
    const { output, clean } = await run(...[...shortened, command, ...args, noun])
    const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(output) ?? [0, 0, 1]
    const reports = Array.from(output.matchAll(REPORTS), ([, count]) => Number(count ?? 1))
    const wrong = Math.max(Number(failed), clean && Number(passed) ? 0 : 1)
    if (wrong || reports.length) console.log(`${tool}, ${noun}:\n${output}`)
    total.passed += Number(passed)
    total.failed += wrong
    for (const count of reports) total.reports += count
  })
  return { total, tasks }
})
await inTurn(totals.flatMap(({ tasks }) => tasks))

for (const { total } of totals) {
  const { tool, passed, failed, reports } = total
  const part = ['valgrind', 'ThreadSanitizer'].includes(tool)
    ? ` (long ones repeat 1/${PART} as often)`
    : ''
  console.log(`${tool}: ${passed} tests passed${part}, ${failed} failed, reports: ${reports}`)
  if (failed || reports) process.exitCode = 1
}
