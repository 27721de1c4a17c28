// The code of the README and of the documentation's pages runs: a block of js followed by a block of text must
// print that text. A block with a file's name after its language is that file, which has a test of its own.
// Links lead to files that are committed, and figures are those that the library draws.

import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { documents, read, root } from './support/documents.js'

const readme = suite('README and pages')
const folder = `${root}build/readme` // inside the package, so that 'copse' resolves to it
mkdirSync(folder, { recursive: true })
copyFileSync(`${root}web/examples/worker/connection.js`, `${folder}/connection.js`)
const blockWorker = new URL('./support/block-worker.js', import.meta.url)

const MAX_README_LINES = 300 // the README is an introduction, not a manual

// ---- Code ----

const blocks = documents.flatMap(({ name, text }) =>
  [...text.matchAll(/```js\n(.*?)```(?:\s*```text\n(.*?)```)?/gs)].map(([, code, output], i) => ({
    name: `${name.replaceAll(/\W+/g, '-')}-${i + 1}`,
    code,
    output,
  })),
)

readme('have code blocks', () => {
  assert.ok(blocks.some(({ name }) => name.startsWith('README')))
  assert.ok(blocks.some(({ name }) => name.startsWith('web')))
})

/**
 * Runs a block in a thread: that is much faster than a process. Resolves to what it prints.
 * @param {string} file
 * @param {boolean} isGrowing true: memory grows in each frame
 */
async function run(file, isGrowing) {
  const workerData = { file, isGrowing }
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const worker = new Worker(blockWorker, { workerData, env, stdout: true })
  const printed = text(worker.stdout)
  await once(worker, 'exit')
  return printed
}

for (const { name, code, output } of blocks) {
  readme(`${name} runs`, async () => {
    const file = `${folder}/${name}.mjs`
    writeFileSync(file, code)
    const printed = await run(file, false)
    if (output !== undefined) assert.is(printed, output)
    assert.is(await run(file, true), printed, 'also when memory grows in each frame')
  })
}

const files = documents.flatMap(({ text }) => [...text.matchAll(/```\w+ (\S+)\n(.*?)```/gs)])

readme('show the files of tests/consumers', () => {
  const consumers = [
    ...['project/main.js', 'page/index.html', 'worker/main.js', 'worker/worker.js'],
    'only/main.js',
  ]
  const examples = ['tests/c/example.c', 'tests/c/example_threads.c']
  const expected = [...consumers.map((name) => `tests/consumers/${name}`), ...examples]
  assert.equal(files.map(([, file]) => file).toSorted(), expected.toSorted())
})

for (const [, file, code] of files)
  readme(`show ${file}`, () => assert.is(code, readFileSync(`${root}${file}`, 'utf8')))

// ---- Text ----

readme('list the sizes of the entry points, which are also their budgets', () => {
  const [{ text }] = documents
  const files = readdirSync(`${root}dist`).filter((file) => file.endsWith('.js'))
  for (const file of files) {
    const kilobytes = gzipSync(readFileSync(`${root}dist/${file}`), { level: 9 }).length / 1000
    const entry = file === 'copse.js' ? 'copse' : `copse/${file.replace('.js', '')}`
    const [, shown] = new RegExp(`\\| \`${entry}\` .* ([\\d.]+) kB \\|`).exec(text) ?? []
    // A release is 5% smaller, and versions of Emscripten differ a little.
    const share = kilobytes / Number(shown)
    assert.ok(share > 0.93 && share < 1.02, `${entry}: ${kilobytes} kB, listed: ${shown}`)
  }
})

readme('begin with a README of limited length', () => {
  const [{ name, text }] = documents
  assert.is(name, 'README.md')
  assert.ok(text.split('\n').length <= MAX_README_LINES + 1)
})

/** Returns the anchors of a document's headings, as GitHub and TypeDoc make them. */
const anchorsOf = (/** @type {string} */ text) =>
  [...text.replaceAll(/```.*?```/gs, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const others = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(read)
const allDocuments = [...documents, ...others]

for (const { name, text } of allDocuments) {
  readme(`links of ${name} lead to existing files and headings`, () => {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue
      const [path, anchor] = link.split('#')
      const file = path ? join(dirname(name), path) : name
      assert.ok(existsSync(join(root, file)), link)
      assert.not.match(file, /^(build|dist|node_modules|web\/dist)\//) // not in the repository
      if (anchor === undefined) continue
      const target = allDocuments.find((document) => document.name === file)
      assert.ok(target && anchorsOf(target.text).includes(anchor), link)
    }
  })
}

readme('have figures that are up to date', () => {
  const drawn = `${root}build/figures`
  rmSync(drawn, { recursive: true, force: true })
  execFileSync('node', [`${root}web/docs/figures.js`, drawn])
  const committed = `${root}web/docs/figures`
  assert.equal(readdirSync(committed), readdirSync(drawn))
  for (const name of readdirSync(drawn))
    assert.is(
      readFileSync(`${committed}/${name}`, 'utf8'),
      readFileSync(`${drawn}/${name}`, 'utf8'),
      'make figures',
    )
})

readme('are all listed for the documentation site', () => {
  const options = JSON.parse(readFileSync(`${root}web/docs/typedoc.json`, 'utf8'))
  const listed = [options.readme, ...options.projectDocuments]
  const names = listed.map((/** @type {string} */ name) => join('web/docs', name))
  assert.equal(names.toSorted(), allDocuments.map(({ name }) => name).toSorted())
})

readme.run()
