// Every core gives the recorded hash of the scenario.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { scenario } from './determinism.js'

const test = suite('determinism')

/** The line in determinism.txt: fetched in a page, read in Node, whose fetch reads no files. */
async function recorded() {
  const url = new URL('./determinism.txt', import.meta.url)
  if (url.protocol !== 'file:') return (await fetch(url)).text()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url, 'utf8')
}

for (const [build, library] of Object.entries({ simd, scalar }))
  test(`${build} gives the recorded hash`, async () => {
    const hash = (await scenario(library)).toString(16).padStart(8, '0')
    assert.is(`agenttree 0x${hash}\n`, await recorded())
  })

test.run()
