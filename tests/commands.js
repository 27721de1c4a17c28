// Commands of a test run, as many beside each other as there are processors.

import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Runs a command, for so many seconds at most.
 * @param {number} seconds
 * @returns {(command: string, ...args: string[]) => Promise<{ output: string, clean: boolean }>}
 */
export function runWithin(seconds) {
  const options = { timeout: seconds * 1000, maxBuffer: 2 ** 26 }
  return (command, ...args) =>
    new Promise((resolve) =>
      execFile(command, args, options, (error, stdout, stderr) => {
        const end = error ? `\n${command} ended by ${error.signal ?? error.code}` : ''
        resolve({ output: `${stdout}${stderr}${end}`, clean: !error })
      }),
    )
}

/**
 * Begins them in this order: the longest first.
 * @param {(() => Promise<void>)[]} tasks
 */
export async function inTurn(tasks) {
  const left = tasks.values()
  const worker = async () => {
    for (const task of left) await task()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}
