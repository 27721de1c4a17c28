// Builds dist/ from the cores in build/ and their deflated copies (see deflate.js): checks the
// cores, bundles each entry into one minified file with a source map, and prints the size of that
// file gzipped. The arguments of `node wasm/build.js <noun>…` are the classes that have their own
// core and entry, such as `grid`.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/**
 * Minifies, but keeps the names of classes: consoles print them for objects.
 * @type {import('rolldown').MinifyOptions}
 */
const MINIFY = { mangle: { keepNames: { function: false, class: true } } }

const nouns = process.argv.slice(2)

const EXPECTED_IMPORTS = ['env.emscripten_notify_memory_growth', 'env.memory']

const root = new URL('../', import.meta.url)
const path = (/** @type {string} */ name) => new URL(name, root).pathname

mkdirSync(path('dist'), { recursive: true })
for (const core of [
  'core',
  'core-scalar',
  'core-threads',
  ...nouns.map((noun) => `core-${noun}`),
]) {
  const module = new WebAssembly.Module(readFileSync(path(`build/${core}.wasm`)))
  // The linker does not report an undefined C symbol, but makes it an import: so check the imports.
  const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`)
  if (imports.sort().join() !== EXPECTED_IMPORTS.join())
    throw new Error(`${core} imports ${imports}, expected ${EXPECTED_IMPORTS}`)
  copyFileSync(path(`build/${core}.wasm`), path(`dist/${core}.wasm`))
}

/**
 * A plugin that replaces the import of a .wasm file by its bytes as base64 text or, if the import
 * ends with `?deflated`, by those of its deflated copy. The text is a property of an object, which a
 * minifier leaves where it is: at the front of the bundle, where it compresses best. A plain string
 * may be moved.
 */
const inlineCore = {
  name: 'inline-core',
  resolveId: (/** @type {string} */ id) => (id.includes('.wasm?') ? id : null),
  load(/** @type {string} */ id) {
    const [file, form] = id.split('?')
    if (!file.endsWith('.wasm')) return null
    const name = file.replace(/^\.*\//, '')
    const bytes = readFileSync(path(`build/${name}${form === 'deflated' ? '.deflated' : ''}`))
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

/**
 * A plugin that replaces the module complete.js with single.js, which has fewer features and is
 * smaller. It is used for the entries that `nouns` lists, such as 'grid', except 'paths'.
 * @type {import('rolldown').Plugin}
 */
const single = {
  name: 'single',
  resolveId(id, importer) {
    return id === './complete.js' ? this.resolve('./single.js', importer) : null
  },
}

const WITH_TYPES = ['copse', 'worker', 'threads', 'thread'] // have a .d.ts file; for the others, one is made
for (const entry of WITH_TYPES) copyFileSync(path(`wasm/${entry}.d.ts`), path(`dist/${entry}.d.ts`))
for (const entry of ['copse', 'scalar', 'external', 'worker', 'threads', 'thread', ...nouns]) {
  const file = path(`dist/${entry}.js`)
  const input = path(entry === 'thread' ? 'wasm/thread.js' : `wasm/entries/${entry}.js`)
  const isSingle = nouns.includes(entry) && entry !== 'paths'
  const plugins = isSingle ? [inlineCore, single] : [inlineCore, inlineText]
  const bundle = await rolldown({ input, plugins })
  const { output } = await bundle.write({ file, format: 'esm', minify: MINIFY, sourcemap: true })
  if (!WITH_TYPES.includes(entry)) {
    const types = `export { ${output[0].exports.join(', ')} } from './copse.js'\nexport type * from './copse.js'\n`
    writeFileSync(path(`dist/${entry}.d.ts`), types)
  }
  const size = gzipSync(readFileSync(file), { level: 9 }).length
  console.log(`${entry}.js: ${(size / 1000).toFixed(1)} kB gzipped`)
}
