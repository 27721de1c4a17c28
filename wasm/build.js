// Builds dist/ from the cores in build/ and their deflated copies (see deflate.js): checks the
// cores, bundles each entry into one minified file with a source map, and prints the size of that
// file gzipped. The arguments of `node wasm/build.js <family>…` are the families that have their own
// core and entry, such as `points`.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/**
 * Minifies, but keeps the names of classes: consoles print them for objects.
 * @type {import('rolldown').MinifyOptions}
 */
const MINIFY = { mangle: { keepNames: { function: false, class: true } } }

const families = process.argv.slice(2)

const EXPECTED_IMPORTS = ['env.emscripten_notify_memory_growth', 'env.memory']

const root = new URL('../', import.meta.url)
const path = (/** @type {string} */ name) => new URL(name, root).pathname

mkdirSync(path('dist'), { recursive: true })
for (const core of ['core', 'core-threads', ...families.map((family) => `core-${family}`)]) {
  const module = new WebAssembly.Module(readFileSync(path(`build/${core}.wasm`)))
  // The linker does not report an undefined C symbol, but makes it an import: so check the imports.
  const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
  if (imports.sort().join() !== EXPECTED_IMPORTS.join())
    throw new Error(`${core} imports ${imports}, expected ${EXPECTED_IMPORTS}`)
  copyFileSync(path(`build/${core}.wasm`), path(`dist/${core}.wasm`))
}

/**
 * A plugin that replaces the import of a .wasm file, which ends with `?deflated`, by the bytes of
 * its deflated copy as base64 text. The text is a property of an object, which a
 * minifier leaves where it is: at the front of the bundle, where it compresses best. A plain string
 * may be moved.
 */
const inlineCore = {
  name: 'inline-core',
  resolveId: (/** @type {string} */ id) => (id.includes('.wasm?') ? id : null),
  load(/** @type {string} */ id) {
    const [file] = id.split('?')
    if (!file.endsWith('.wasm')) return null
    const bytes = readFileSync(path(`build/${file.replace(/^\.*\//, '')}.deflated`))
    const base64 = bytes.toString('base64')
    const code = `export default { base64: '${base64}' }`
    return { code, map: { mappings: '' } } // an empty source map
  },
}

/** A plugin that replaces an import that ends with `?text` with the minified text of the script. */
const inlineText = {
  name: 'inline-text',
  resolveId: (/** @type {string} */ id) => (id.endsWith('?text') ? id : null),
  async load(/** @type {string} */ id) {
    if (!id.endsWith('?text')) return null
    const bundle = await rolldown({ input: path(`wasm/${id.slice(0, -'?text'.length)}`) })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return { code: `export default ${JSON.stringify(output[0].code)}`, map: { mappings: '' } }
  },
}

const WITH_TYPES = ['copse', 'threads', 'thread'] // have a .d.ts file; for the others, one is made
for (const entry of WITH_TYPES) copyFileSync(path(`wasm/${entry}.d.ts`), path(`dist/${entry}.d.ts`))
for (const entry of ['copse', 'external', 'threads', 'thread', ...families]) {
  const file = path(`dist/${entry}.js`)
  const input = path(entry === 'thread' ? 'wasm/thread.js' : `wasm/entries/${entry}.js`)
  const bundle = await rolldown({ input, plugins: [inlineCore, inlineText] })
  const { output } = await bundle.write({ file, format: 'esm', minify: MINIFY, sourcemap: true })
  if (!WITH_TYPES.includes(entry)) {
    const types = `export { ${output[0].exports.join(', ')} } from './copse.js'\nexport type * from './copse.js'\n`
    writeFileSync(path(`dist/${entry}.d.ts`), types)
  }
  const size = gzipSync(readFileSync(file), { level: 9 }).length
  console.log(`${entry}.js: ${(size / 1000).toFixed(1)} kB gzipped`)
}
