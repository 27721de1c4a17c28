// Every core gives the recorded hashes of the scenario.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { scenario } from './determinism.js'
import { CORES, nounOf } from './indexes.js'

const test = suite('determinism')

/** What determinism.txt holds: fetched in a page, read in Node, whose fetch reads no files. */
async function recorded() {
  const url = new URL('./determinism.txt', import.meta.url)
  if (url.protocol !== 'file:') return (await fetch(url)).text()
  return globalThis.process.getBuiltinModule('node:fs').readFileSync(url, 'utf8')
}

for (const [build, library] of Object.entries({ simd, scalar }))
  test(`${build} gives the recorded hashes`, async () => {
    let lines = ''
    for (const kind of [...CORES, 'Crowd']) {
      const hash = (await scenario(library, kind)).toString(16).padStart(8, '0')
      lines += `${nounOf(kind)} 0x${hash}\n`
    }
    assert.is(lines, await recorded())
  })

test.run()
