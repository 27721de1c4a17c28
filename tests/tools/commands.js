// What the test tools share: running commands, as many at a time as there are processors, and the lists
// of what there is to run.

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/**
 * Returns a function that runs a command and ends it after a number of seconds.
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
 * Returns the arguments that `build/test/unit` takes: a noun for each file of unit tests, and for
 * points.c, whose tests run for every index, one for each index. These take longest and come first.
 */
export const unitNouns = () => [
  ...['agenttree', 'grid', 'kdtree'].map((noun) => `points/${noun}`),
  ...readdirSync('tests/c/unit').flatMap((file) => /^(?!unit|points).*(?=\.c$)/.exec(file) ?? []),
]

/** In the tests for a change, long unit tests repeat their work this many times less often. */
export const UNIT_PART = 10

/** The number of drawn cases of each fuzz target, in the tests for a change. */
export const CASES = 3_000

/** The folder of seeds: one folder for each fuzz target. */
export const CORPUS = 'tests/c/fuzz/corpus'

/** Returns the names of all fuzz targets. */
export const targets = () => readdirSync(CORPUS)

/** Returns the paths of a target's seeds. @param {string} target */
export const seedsOf = (target) =>
  readdirSync(`${CORPUS}/${target}`).map((file) => `${CORPUS}/${target}/${file}`)

/** Parses uvu's summary of a file of tests. @param {{ output: string, clean: boolean }} ended */
export function uvuResult({ output, clean }) {
  const passed = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  return { passed, failed: Math.max(total - passed, clean && total > 0 ? 0 : 1), output }
}

/**
 * Runs tasks in the given order, some at a time: by default as many as there are processors. Put the longest first.
 * @param {Iterable<any>} tasks functions, or whatever `begin` takes
 * @param {(task: any) => Promise<unknown>} begin
 */
export async function inTurn(tasks, begin = (task) => task(), atOnce = availableParallelism()) {
  const left = tasks[Symbol.iterator]()
  const worker = async () => {
    for (let next; !(next = left.next()).done;) await begin(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
