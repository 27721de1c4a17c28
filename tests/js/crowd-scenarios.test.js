// Scenes of the crowd, whose agents move as they do in C.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { beginScene } from './support/crowd-scenes.js'

const test = suite('scenes of the crowd')

/** By scene: the hash after HASHED steps, the same as in C (tests/c/scenes.h), which plays the scenes to their ends. */
const HASHES = {
  circle: 0x5a0019ed,
  blocks: 0x541641a3,
  sphere: 0x872c4745,
}
const HASHED = 500

for (const [name, hash] of Object.entries(HASHES))
  test(`${name}: the hash is the same as in C`, async () => {
    const scene = beginScene(copse, await copse.create(), name)
    for (let step = 0; step < HASHED; step++) {
      scene.prefer()
      scene.crowd.step(scene.dt)
    }
    assert.is(scene.crowd.hash(), hash)
  })

test.run()
