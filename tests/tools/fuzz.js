// Runs fuzz targets, as many at a time as there are processors: `node tests/tools/fuzz.js SECONDS [TARGET…]`.
// Prints a line for each target at the end. Fails if a target fails.

import { mkdirSync } from 'node:fs'
import { CORPUS, inTurn, runWithin, targets } from './commands.js'

/**
 * Runs a target for some seconds. Inputs that reach new code are kept in `build/corpus`, failing ones in
 * `build/fuzz`.
 * @param {string} target
 * @param {number} seconds
 * @returns {Promise<{ ok: boolean, figures: string, output: string }>}
 */
async function fuzz(target, seconds) {
  const corpus = `build/corpus/${target}`
  mkdirSync(corpus, { recursive: true })
  const { output, clean } = await runWithin(seconds + 120)(
    `build/fuzz/${target}`,
    ...[`-max_total_time=${seconds}`, '-max_len=4096', '-seed=1', '-timeout=20'],
    `-artifact_prefix=build/fuzz/${target}-`,
    ...[corpus, `${CORPUS}/${target}`],
  )
  const [, runs, edges, features, inputs, speed] =
    /#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)\/\S+.* exec\/s: (\d+)/.exec(output) ?? []
  const ok = clean && Number(runs) > 0
  const figures = ok
    ? `${runs} runs, ${speed}/s, ${edges} edges, ${features} features, ${inputs} inputs, 0 crashes`
    : 'FAILED'
  return { ok, figures, output }
}

const [seconds, ...names] = process.argv.slice(2)
const lines = []
await inTurn(names.length ? names : targets(), async (target) => {
  const { ok, figures, output } = await fuzz(target, Number(seconds))
  if (!ok) console.log(output)
  if (!ok) process.exitCode = 1
  lines.push(`${target}: ${figures}`)
})
console.log(lines.sort().join('\n'))
