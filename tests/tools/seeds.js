// Chooses new seeds for every fuzz target: the few inputs that together reach most, among those that fuzzing
// found (`build/corpus`) and the present seeds. All other seeds are removed, except those with a name: each
// reproduces a fixed bug.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { CORPUS, targets } from './commands.js'

const SEEDS = 12
const BYTES = 4096

/**
 * Returns the features that each input reaches, by path.
 * @param {string} target
 * @returns {Map<string, number[]>}
 */
function featuresOf(target) {
  const folder = mkdtempSync(`${tmpdir()}/copse-`)
  const control = `${folder}/control`
  const options = ['-set_cover_merge=1', `-max_len=${BYTES}`, `-merge_control_file=${control}`]
  const folders = [`build/corpus/${target}`, `${CORPUS}/${target}`]
  execFileSync(`build/fuzz/${target}`, [...options, folder, ...folders], { stdio: 'ignore' })
  const [count, , ...lines] = readFileSync(control, 'utf8').split('\n')
  rmSync(folder, { recursive: true })
  const reached = new Map()
  for (const line of lines) {
    const [kind, file, ...features] = line.split(' ')
    if (kind === 'FT') reached.set(lines[Number(file)], features.map(Number))
  }
  if (reached.size < Number(count)) throw new Error(`${target}: not all inputs were run`)
  return reached
}

for (const target of targets()) {
  const reached = featuresOf(target)
  const seeds = `${CORPUS}/${target}`
  // Chosen earlier, or named by the fuzzer after its bytes.
  const isReplaced = (file) => /^seed\d+$|^[0-9a-f]{40}$/.test(file)
  const named = readdirSync(seeds).filter((file) => !isReplaced(file))
  const known = new Set(named.flatMap((file) => reached.get(`${seeds}/${file}`)))
  const newFeatures = ([, features]) => features.reduce((sum, each) => sum + !known.has(each), 0)
  const chosen = []
  while (chosen.length < SEEDS) {
    const [[path, features]] = [...reached].sort((a, b) => newFeatures(b) - newFeatures(a))
    for (const feature of features) known.add(feature)
    chosen.push(readFileSync(path))
  }
  for (const file of readdirSync(seeds).filter(isReplaced)) rmSync(`${seeds}/${file}`)
  chosen.forEach((bytes, i) => writeFileSync(`${seeds}/seed${i + 1}`, bytes))
  const total = new Set([...reached.values()].flat())
  console.log(
    `${target}: of ${reached.size} inputs ${SEEDS} reach ${known.size} of ${total.size} features`,
  )
}
