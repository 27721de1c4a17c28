// Every core gives the recorded hashes of the scenario.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashes, LIBRARIES, SHORT } from './determinism.js'

const test = suite('determinism')

/** What determinism.txt holds: fetched in a page, read in Node, whose fetch reads no files. */
async function recorded() {
  const url = new URL('./determinism.txt', import.meta.url)
  if (url.protocol !== 'file:') return (await fetch(url)).text()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url, 'utf8')
}

for (const [build, library] of Object.entries(LIBRARIES))
  test(`${build} gives the recorded hashes`, async () => {
    assert.is(await hashes(library, SHORT), await recorded())
  })

test.run()
