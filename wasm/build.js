// Makes the package's dist/ out of the cores in build/: checks them, bundles each entry into one
// file, and prints what a user downloads, against a budget.

import { readFileSync, writeFileSync, copyFileSync, mkdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { deflateAsync } from '@gfx/zopfli'
import { rolldown } from 'rolldown'

/** Of the default entry, minified, with the core inside. */
const BUDGET_GZIP_BYTES = 50_000

const EXPECTED_IMPORTS = ['env.emscripten_notify_memory_growth']

const root = new URL('../', import.meta.url)
const path = (/** @type {string} */ name) => new URL(name, root).pathname

mkdirSync(path('dist'), { recursive: true })
for (const core of ['core.wasm', 'core-scalar.wasm']) {
  const module = new WebAssembly.Module(readFileSync(path(`build/${core}`)))
  // A symbol that nothing defines becomes an import instead of a link error.
  const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
  if (imports.join() !== EXPECTED_IMPORTS.join())
    throw new Error(`${core} imports ${imports}, expected ${EXPECTED_IMPORTS}`)
  copyFileSync(path(`build/${core}`), path(`dist/${core}`))
}

/** Inlines a core as base64 text: `?deflated` or as it is. */
const inlineCore = {
  name: 'inline-core',
  resolveId: (/** @type {string} */ id) => (id.includes('.wasm?') ? id : null),
  async load(/** @type {string} */ id) {
    const [file, form] = id.split('?')
    if (!file.endsWith('.wasm')) return null
    const bytes = readFileSync(path(`build/${file.replace('./', '')}`))
    const inlined = form === 'deflated' ? await deflateAsync(bytes, {}) : bytes
    const text = Buffer.from(inlined).toString('base64')
    return `export default '${text}'; export const size = ${bytes.length}`
  },
}

/** @type {Record<string, number>} */
const sizes = {} // for the test of the README
for (const [entry, output] of [
  ['simd', 'copse'],
  ['scalar', 'scalar'],
  ['external', 'external'],
]) {
  const bundle = await rolldown({ input: path(`wasm/${entry}.js`), plugins: [inlineCore] })
  await bundle.write({ file: path(`dist/${output}.js`), format: 'esm' })
  const { output: minified } = await bundle.generate({ format: 'esm', minify: true })
  const size = gzipSync(minified[0].code, { level: 9 }).length
  sizes[output] = size
  console.log(`${output}.js: ${(size / 1000).toFixed(1)} kB minified and gzipped`)
  if (entry === 'simd' && size > BUDGET_GZIP_BYTES) {
    console.error(`over the budget of ${BUDGET_GZIP_BYTES} bytes`)
    process.exit(1)
  }
}
writeFileSync(path('build/sizes.json'), JSON.stringify(sizes))
