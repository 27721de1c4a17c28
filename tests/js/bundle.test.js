// The entry points are minified and have source maps. A bundle of a program holds only what the program uses,
// and one core.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const bundles = suite('bundles')
const path = (name) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))

/** Returns the bundle of a program. */
async function bundleOf(code, minify) {
  const main = 'virtual:main'
  const plugins = [
    {
      name: 'main',
      resolveId: (id) => (id === main ? id : null),
      load: (id) => (id === main ? code : null),
    },
  ]
  const build = await rolldown({ input: main, plugins, platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', minify })
  return output[0].code
}

/** Returns the minified bundle of a program that imports from an entry, without the core. */
async function bundle(entry, names) {
  const code = `import { ${names} } from '${path(entry)}'; console.log(${names})`
  return withoutCore(await bundleOf(code, true))
}

/** Removes the core: its text is so long that it contains any short word. */
const withoutCore = (code) => code.replace(/[A-Za-z0-9+/=]{1000,}/g, '')

bundles('hold only the classes that are used', async () => {
  const one = await bundle('copse.js', 'init, AgentTree')
  const both = await bundle('copse.js', 'init, AgentTree, AgentTree3D')
  assert.ok(one.includes('AgentTree') && !one.includes('AgentTree3D'))
  assert.ok(both.includes('AgentTree3D') && both.length > one.length)
  for (const other of [
    ...['Grid', 'KdTree', 'Octree', 'Quadtree', 'Crowd', 'ObstacleTree', 'Sensors', 'FlowField'],
  ])
    assert.not(both.includes(other))
})

bundles('of boxes hold nothing of agents', async () => {
  const code = await bundle('copse.js', 'init, Quadtree')
  assert.ok(code.includes('Quadtree') && !code.includes('AgentTree') && !code.includes('allWithin'))
})

bundles('of walls hold nothing of agents and boxes', async () => {
  const code = await bundle('copse.js', 'init, ObstacleTree')
  assert.ok(
    code.includes('ObstacleTree') && !code.includes('Quadtree') && !code.includes('allWithin'),
  )
})

/** By family: a word that only its bundle has. */
const FAMILIES = {
  points: 'AgentTree',
  boxes: 'Quadtree',
  walls: 'ObstacleTree',
  crowd: 'FlowField',
}

bundles('of an entry for one family hold no other family', () => {
  for (const family of Object.keys(FAMILIES)) {
    const code = withoutCore(readFileSync(path(`${family}.js`), 'utf8'))
    for (const [other, name] of Object.entries(FAMILIES)) {
      const isIncluded = new RegExp(`\\b${name}=class|class ${name}\\b`).test(code)
      assert.is(isIncluded, other === family || `${other} ${family}` === 'walls crowd', name)
    }
  }
})

bundles('of each entry hold one core; external and thread hold none', () => {
  const cores = (name) => readFileSync(path(name), 'utf8').match(/[A-Za-z0-9+/=]{10000,}/g) ?? []
  const entries = ['copse', 'threads', ...Object.keys(FAMILIES)]
  const coresByEntry = entries.map((entry) => cores(`${entry}.js`))
  for (const cores of coresByEntry) assert.is(cores.length, 1)
  assert.is(new Set(coresByEntry.flat()).size, entries.length)
  assert.is(cores('external.js').length, 0)
  assert.is(cores('thread.js').length, 0)
})

bundles('of all entries but threads hold nothing of threads', () => {
  for (const entry of entries) {
    const isThreaded = /threads_work|hardwareConcurrency/.test(readFileSync(path(entry), 'utf8'))
    assert.is(isThreaded, /^threads?\.js$/.test(entry), entry)
  }
})

// ---- Each entry, bundled, loads its core ----

/** By entry: an object of it. */
const CREATED = {
  copse: 'Crowd({})',
  points: 'Grid3D({ cellSize: 1 })',
  boxes: 'Octree({ bounds: [0, 0, 0, 1, 1, 1] })',
  walls: 'ObstacleTree({})',
  crowd: 'FlowField({ bounds: [0, 0, 9, 9], cell: 1 })',
  external: 'KdTree({})',
  threads: 'AgentTree({})',
}
const folder = path('../build/bundled')
mkdirSync(folder, { recursive: true })
copyFileSync(path('core.wasm'), `${folder}/core.wasm`) // where `external` looks for it

for (const [entry, created] of Object.entries(CREATED))
  bundles(`of ${entry} load a core and create an object`, async () => {
    const code = `import { init, ${created.replace(/\(.*/, '')} } from '${path(`${entry}.js`)}'
      const instance = await init()
      console.log(new ${created}.capacity)
      instance.dispose?.() // threads end`
    const file = `${folder}/${entry}.mjs`
    writeFileSync(file, await bundleOf(code, false))
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
    assert.ok(Number(stdout) >= 1000, stderr.slice(-500))
  })

// ---- Minified, with source maps ----

const entries = readdirSync(path('')).filter((file) => file.endsWith('.js'))

for (const entry of entries) {
  bundles(`${entry} is minified`, () => {
    const code = readFileSync(path(entry), 'utf8')
    assert.is(code.trimEnd().split('\n').length, 2)
    assert.not.match(code, '/**')
  })

  bundles(`the source map of ${entry} holds its sources, by relative paths`, () => {
    const [, link] =
      /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(path(entry), 'utf8')) ?? []
    assert.is(link, `${entry}.map`)
    const { sources, sourcesContent, sourceRoot } = JSON.parse(readFileSync(path(link), 'utf8'))
    assert.is(sourceRoot, undefined)
    const own = entry === 'thread.js' ? entry : 'init.js'
    assert.ok(sources.includes(`../wasm/${own}`))
    for (const [i, source] of sources.entries()) {
      assert.match(source, /^\.\.\/wasm\/(entries\/)?\w+\.js$/)
      assert.is(sourcesContent[i], readFileSync(path(source), 'utf8'), source)
    }
  })
}

bundles('map a thrown error to its line in the source', () => {
  const code = `import { AgentTree } from ${JSON.stringify(path('copse.js'))}; new AgentTree()`
  const args = ['--enable-source-maps', '--input-type=module', '--eval', code]
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.match(stderr, "AgentTree: await init() from 'copse' first")
  const source = readFileSync(path('../wasm/init.js'), 'utf8')
  const line = source.slice(0, source.indexOf('await init() from')).split('\n').length
  assert.match(stderr, `wasm/init.js:${line}:`)
})

bundles('keep the names of classes', async () => {
  for (const entry of entries.filter((entry) => entry !== 'thread.js'))
    for (const [name, exported] of Object.entries(await import(path(entry))))
      if (/^[A-Z]/.test(name)) assert.is(exported.name, name, entry)
})

bundles.run()
