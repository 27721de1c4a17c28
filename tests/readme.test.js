// The README's code runs: a block of js followed by a block of text must print that text.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const readme = suite('README')
const root = fileURLToPath(new URL('../', import.meta.url))
const folder = `${root}build/readme` // inside the package, so that 'copse' resolves to it
mkdirSync(folder, { recursive: true })

const blocks = [
  ...readFileSync(`${root}README.md`, 'utf8').matchAll(
    /```js\n(.*?)```(?:\s*```text\n(.*?)```)?/gs,
  ),
]

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

readme('shows the C program that is tested', () => {
  const [, code] = /```c\n(.*?)```/s.exec(readFileSync(`${root}README.md`, 'utf8')) ?? []
  assert.is(code, readFileSync(`${root}tests/c/example.c`, 'utf8'))
})

readme.run()
