// `node --import ./tests/tools/sources.js`: imports of `copse` load the sources in wasm/ instead of the
// bundles in dist/, so that their coverage is measured. Each entry has its own modules, as its bundle has.

import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { basename } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

// Node loads this module again as hooks, in a thread of its own.
if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`)

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const { types } = exports[specifier.replace(/^copse/, '.')] ?? {}
  const { search } = new URL(context.parentURL ?? root)
  let url = null
  if (specifier === 'copse/thread') url = new URL('wasm/thread.js', root)
  else if (types)
    url = new URL(types.replace('dist', 'wasm/entries').replace('d.ts', `js?${specifier}`), root)
  else if (search.startsWith('?copse') && specifier.startsWith('.')) {
    url = new URL(specifier, context.parentURL)
    url.search ||= search
  }
  return url ? { url: url.href, shortCircuit: true } : next(specifier, context)
}

/** Inlines the cores and texts of scripts as wasm/build.js does. @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const { pathname, search } = new URL(url)
  const core = (name) => new URL(`build/${basename(name)}`, root)
  if (pathname.endsWith('.wasm')) {
    const bytes = readFileSync(core(pathname))
    const inlined = search === '?deflated' ? deflateRawSync(bytes) : bytes
    const source = `export default { base64: '${inlined.toString('base64')}' }`
    return { format: 'module', source, shortCircuit: true }
  }
  if (search === '?text') {
    const { output } = await (await rolldown({ input: pathname })).generate({ format: 'esm' })
    const source = `export default ${JSON.stringify(output[0].code)}`
    return { format: 'module', source, shortCircuit: true }
  }
  const loaded = await next(url, context)
  if (pathname.endsWith('wasm/entries/external.js'))
    // in the package this file lies beside the core
    loaded.source = String(loaded.source).replace('./core.wasm', core('core.wasm').href)
  return loaded
}
