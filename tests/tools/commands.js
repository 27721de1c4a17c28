// Commands of a test run, as many beside each other as there are processors.

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/**
 * Runs a command, for so many seconds at most.
 * @param {number} seconds
 * @returns {(command: string, ...args: string[]) => Promise<{ output: string, clean: boolean, isLate: boolean }>}
 */
export function runWithin(seconds) {
  const options = { timeout: seconds * 1000, maxBuffer: 2 ** 26 }
  return (command, ...args) =>
    new Promise((resolve) =>
      execFile(command, args, options, (error, stdout, stderr) => {
        const end = error ? `\n${command} ended by ${error.signal ?? error.code}` : ''
        const isLate = error?.killed === true
        resolve({ output: `${stdout}${stderr}${end}`, clean: !error, isLate })
      }),
    )
}

/**
 * What `build/test/unit` takes as arguments: a noun for each file of unit tests, and for that of all
 * indexes of points a noun for each of them; these are the longest, and come first.
 */
export const unitNouns = () => [
  ...['agenttree', 'grid', 'kdtree'].map((noun) => `points/${noun}`),
  ...readdirSync('tests/c/unit').flatMap((file) => /^(?!unit|points).*(?=\.c$)/.exec(file) ?? []),
]

/** Long unit tests repeat a tenth as often for a change as in `make sanitize`. */
export const UNIT_PART = 10

/** How many cases of each fuzz target are drawn for a change. */
export const CASES = 10_000

/** Where the seeds of fuzz targets are, a folder for each target. */
export const CORPUS = 'tests/c/fuzz/corpus'

/** All fuzz targets. */
export const targets = () => readdirSync(CORPUS)

/** The files of a target's seeds. @param {string} target */
export const seedsOf = (target) =>
  readdirSync(`${CORPUS}/${target}`).map((file) => `${CORPUS}/${target}/${file}`)

/** What uvu says at the end of a file of tests. @param {{ output: string, clean: boolean }} ended */
export function uvuResult({ output, clean }) {
  const passed = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  return { passed, failed: Math.max(total - passed, clean && total > 0 ? 0 : 1), output }
}

/**
 * Begins them in this order: the longest first.
 * @param {Iterable<any>} tasks functions, unless `begin` says what to do with each
 * @param {(task: any) => Promise<unknown>} begin
 */
export async function inTurn(tasks, begin = (task) => task()) {
  const left = tasks[Symbol.iterator]()
  const worker = async () => {
    for (let next; !(next = left.next()).done;) await begin(next.value)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}
