// Plays the long form of the determinism scenario in every build: the native builds that are named as
// arguments, and WebAssembly. Emulated processors play the short form. Prints all hashes. Fails if one
// differs from determinism-long.txt or, in the short form, from determinism.txt.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { open } from '../browser/chromium.js'
import { playScenes } from '../js/support/determinism.js'
import { inTurn, runWithin } from './commands.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const hashesOf = (/** @type {string} */ lines) =>
  new Map(
    Array.from(lines.matchAll(/^(\w+) (0x[0-9a-f]{8})$/gm), ([, scene, hash]) => [scene, hash]),
  )

const recorded = hashesOf(readFileSync('tests/data/determinism-long.txt', 'utf8'))
const recordedShort = hashesOf(readFileSync('tests/data/determinism.txt', 'utf8'))
const run = runWithin(3600)
const CPUS = ['aarch64', 'riscv64']

// Chromium downloads a core that it is sent to, so there must be a page beside it.
writeFileSync('build/test/index.html', '<!doctype html>')
const site = await open('build/test')
/** @type {Record<string, () => Promise<string>>} */
const builds = {}
for (const name of process.argv.slice(2)) {
  const program = `build/determinism/${name}`
  const [command, argument] = CPUS.includes(name) ? [`qemu-${name}`, program] : [program, 'long']
  builds[name] = async () => (await run(command, argument)).output
}
for (const core of ['determinism-simd.wasm', 'determinism-scalar.wasm']) {
  builds[`${core}, Node`] = () => playScenes(readFileSync(`build/test/${core}`), true)
  builds[`${core}, Chromium`] = async () => {
    const { page } = await site.page('')
    const bytes = `fetch('${core}').then((response) => response.arrayBuffer())`
    return page.evaluate(`${bytes}.then((bytes) => (${playScenes})(bytes, true))`)
  }
}

/** @type {Map<string, string>} */
const outputs = new Map()
await inTurn(
  Object.entries(builds).map(([name, play]) => async () => {
    outputs.set(name, await play().catch(String))
  }),
)
await site.close()

const row = (/** @type {string} */ name, /** @type {string[]} */ cells) =>
  console.log(name.padEnd(34) + cells.map((cell) => cell.padStart(14)).join(''))
let different = 0

row('', [...recorded.keys()])
for (const name of Object.keys(builds)) {
  const output = String(outputs.get(name))
  const hashes = hashesOf(output)
  const expected = CPUS.includes(name) ? recordedShort : recorded
  const cells = Array.from(expected, ([scene, hash]) => {
    if (hashes.get(scene) === hash) return hash
    different++
    return `≠ ${hashes.get(scene) ?? 'none'}`
  })
  row(name, cells)
  if (hashes.size < recorded.size) console.log(output)
}
const verdict = different
  ? `${different} of ${outputs.size * recorded.size} hashes differ`
  : 'all hashes are the same'
console.log(`${outputs.size} builds, ${recorded.size} scenes, 1,000 frames: ${verdict}`)
process.exitCode = different ? 1 : 0
