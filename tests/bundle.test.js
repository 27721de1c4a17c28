// What a bundler makes of an import: only what is used, and one core.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const bundles = suite('bundles')
const path = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

/** The minified bundle of a program that imports from an entry. */
async function bundle(entry, names) {
  const main = 'virtual:main'
  const code = `import { ${names} } from '${path(entry)}'; console.log(${names})`
  const plugins = [
    {
      name: 'main',
      resolveId: (id) => (id === main ? id : null),
      load: (id) => (id === main ? code : null),
    },
  ]
  const build = await rolldown({ input: main, plugins })
  const { output } = await build.generate({ format: 'esm', minify: true })
  return output[0].code
}

bundles('hold only the classes that are used', async () => {
  const one = await bundle('copse.js', 'init, AgentTree')
  const both = await bundle('copse.js', 'init, AgentTree, AgentTree3D')
  assert.ok(one.includes('AgentTree') && !one.includes('AgentTree3D'))
  assert.ok(both.includes('AgentTree3D') && both.length > one.length)
})

bundles('hold one core', () => {
  const cores = (name) => readFileSync(path(name), 'utf8').match(/[A-Za-z0-9+/=]{10000,}/g) ?? []
  const [simd, scalar] = [cores('copse.js'), cores('scalar.js')]
  assert.is(simd.length, 1)
  assert.is(scalar.length, 1)
  assert.is.not(simd[0], scalar[0])
  assert.is(cores('external.js').length, 0)
})

bundles.run()
