// Runs fuzz targets, as many at a time as there are processors: `node tests/fuzz.js SECONDS [TARGET…]`.
// Prints a line for each at the end, and fails when one found something.

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Where the seeds are, a folder for each target. */
export const CORPUS = 'tests/c/fuzz/corpus'

/** All targets. */
export const targets = () => readdirSync(CORPUS)

/**
 * One target for some seconds. What it finds new goes to `build/corpus`, what fails to `build/fuzz`.
 * @param {string} target
 * @param {number} seconds
 * @returns {Promise<{ ok: boolean, figures: string, output: string }>}
 */
export function fuzz(target, seconds) {
  const found = `build/corpus/${target}`
  mkdirSync(found, { recursive: true })
  const limits = [`-max_total_time=${seconds}`, '-max_len=4096', '-seed=1', '-timeout=20']
  const failing = `-artifact_prefix=build/fuzz/${target}-`
  const folders = [found, `${CORPUS}/${target}`]
  const options = { maxBuffer: 2 ** 26 }
  return new Promise((resolve) =>
    execFile(
      `build/fuzz/${target}`,
      [...limits, failing, ...folders],
      options,
      (error, _, text) => {
        const last = /#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)\/\S+.* exec\/s: (\d+)/.exec(
          text,
        )
        const [, runs, edges, features, inputs, speed] = last ?? [0, 0, 0, 0, 0, 0]
        const ok = !error && Number(runs) > 0
        const figures =
          `${runs} runs, ${speed}/s, ${edges} edges, ${features} features, ` +
          `${inputs} inputs, ${ok ? '0 crashes' : 'FAILED'}`
        resolve({ ok, figures, output: `${text}${error ? `\n${error}` : ''}` })
      },
    ),
  )
}

async function main() {
  const [seconds, ...asked] = process.argv.slice(2)
  const waiting = asked.length ? asked : targets()
  const lines = []
  const work = async () => {
    for (let target; (target = waiting.shift());) {
      const { ok, figures, output } = await fuzz(target, Number(seconds))
      if (!ok) console.log(output)
      if (!ok) process.exitCode = 1
      lines.push(`${target}: ${figures}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  console.log(lines.sort().join('\n'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
