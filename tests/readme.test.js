// The README's code runs: a block of js followed by a block of text must print that text. A block
// that names a file after its language is that file, which has a test of its own.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const readme = suite('README')
const root = fileURLToPath(new URL('../', import.meta.url))
const folder = `${root}build/readme` // inside the package, so that 'copse' resolves to it
mkdirSync(folder, { recursive: true })

const text = readFileSync(`${root}README.md`, 'utf8')
const blocks = [...text.matchAll(/```js\n(.*?)```(?:\s*```text\n(.*?)```)?/gs)]

readme('has code', () => assert.ok(blocks.length > 0))

blocks.forEach(([, code, output], i) => {
  readme(`block ${i + 1} runs`, () => {
    const file = `${folder}/block-${i + 1}.mjs`
    writeFileSync(file, code)
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
    const printed = execFileSync('node', [file], { encoding: 'utf8', env })
    if (output !== undefined) assert.is(printed, output)
  })
})

const files = [...text.matchAll(/```\w+ (\S+)\n(.*?)```/gs)]

readme('shows what consumers need', () => {
  const consumers = [
    ...['project/main.js', 'page/index.html', 'worker/main.js', 'worker/worker.js'],
    'only/main.js',
  ]
  const expected = [...consumers.map((name) => `tests/consumers/${name}`), 'tests/c/example.c']
  assert.equal(
    files.map(([, file]) => file),
    expected,
  )
})

for (const [, file, code] of files)
  readme(`shows ${file}`, () => assert.is(code, readFileSync(`${root}${file}`, 'utf8')))

readme('names the sizes that were built', () => {
  const sizes = JSON.parse(readFileSync(`${root}build/sizes.json`, 'utf8'))
  for (const [name, bytes] of Object.entries(sizes)) {
    const entry = name === 'copse' ? name : `copse/${name}`
    const [, shown] = new RegExp(`\\| \`${entry}\` .* ([\\d.]+) kB \\|`).exec(text) ?? []
    // Another Emscripten makes slightly other bytes.
    assert.ok(Math.abs((Number(shown) * 1000) / bytes - 1) < 0.03, `${entry}: ${shown}, ${bytes}`)
  }
})

readme.run()
