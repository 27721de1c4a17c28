// Plays the long form of the scenario in every build, native ones given by their names, and prints
// who gives which hash. Fails where one is not that of determinism-long.txt.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { open } from '../browser/chromium.js'
import { inTurn, runWithin } from './commands.js'
import { LIBRARIES, LONG } from '../js/support/determinism.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const hashesOf = (/** @type {string} */ lines) =>
  new Map(
    Array.from(lines.matchAll(/^(\w+) (0x[0-9a-f]{8})$/gm), ([, scene, hash]) => [scene, hash]),
  )

const recorded = hashesOf(readFileSync('tests/data/determinism-long.txt', 'utf8'))
const cores = Object.keys(LIBRARIES)
const run = runWithin(3600)

/** @param {string} core */
async function inNode(core) {
  const program = `const { hashes, LIBRARIES, LONG } = await import('./tests/determinism.js')
    console.log(await hashes(LIBRARIES.${core}, LONG))`
  return (await run('node', '--input-type=module', '--eval', program)).output
}

async function buildForPage() {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^copse$/, replacement: here('../../dist/copse.js') },
        { find: /^copse\/scalar$/, replacement: here('../../dist/scalar.js') },
      ],
    },
    build: {
      outDir: here('../../build/determinism'),
      emptyOutDir: true,
      lib: { entry: here('determinism.js'), formats: ['es'], fileName: 'determinism' },
    },
  })
  return open(here('../../build/determinism'))
}

/** @param {string} core */
async function inChromium(core) {
  const { page } = await site.page('determinism.js') // a page that shows the module, and may import it
  return page.evaluate(async (core) => {
    const { hashes, LIBRARIES, LONG } = await import(location.href)
    return hashes(LIBRARIES[core], LONG)
  }, core)
}

const site = await buildForPage()
/** @type {Record<string, () => Promise<string>>} */
const builds = {}
for (const name of process.argv.slice(2))
  builds[name] = async () => (await run(`build/test/determinism-${name}`, 'long')).output
for (const core of cores) builds[`wasm ${core}, Node`] = () => inNode(core)
for (const core of cores) builds[`wasm ${core}, Chromium`] = () => inChromium(core)

/** @type {Map<string, string>} */
const outputs = new Map()
await inTurn(
  Object.entries(builds).map(([name, play]) => async () => {
    outputs.set(name, await play().catch(String))
  }),
)
await site.close()

const row = (/** @type {string} */ name, /** @type {string[]} */ cells) =>
  console.log(name.padEnd(22) + cells.map((cell) => cell.padStart(14)).join(''))
let different = 0

row('', [...recorded.keys()])
for (const name of Object.keys(builds)) {
  const output = String(outputs.get(name))
  const hashes = hashesOf(output)
  const cells = Array.from(recorded, ([scene, hash]) => {
    if (hashes.get(scene) === hash) return hash
    different++
    return `≠ ${hashes.get(scene) ?? 'none'}`
  })
  row(name, cells)
  if (hashes.size < recorded.size) console.log(output)
}
const frames = LONG.frames.toLocaleString('en')
const figures = `${outputs.size} builds, ${recorded.size} scenes, ${frames} frames`
const verdict = different
  ? `${different} of ${outputs.size * recorded.size} hashes differ`
  : 'all the same'
console.log(`${figures}: ${verdict}`)
process.exitCode = different ? 1 : 0
