// Whole scenes of the crowd: all agents reach their goals, and on the way nothing happens that must not.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as simd from 'copse'
import * as scalar from 'copse/scalar'
import { beginScene } from './support/crowd-scenes.js'

const test = suite('scenes of the crowd')

/**
 * The most steps, and the greatest overlap as a share of the sum of two radii: as
 * `test_scenes_end_at_their_goals` of tests/c/unit.c has them. And the hash after HASHED steps that the
 * same scenes have there (played by tests/c/scenes.h).
 */
const BOUNDS = {
  circle: { steps: 2900, overlap: 0.23, hash: 0x661c490e },
  blocks: { steps: 4800, overlap: 0.035, hash: 0xc5b1c393 },
  sphere: { steps: 2600, overlap: 0.08, hash: 0xf3093758 },
}
const HASHED = 500

/** The greatest speed there is, as a share of the greatest allowed; NaN: a number is not finite. */
function fastest({ crowd }) {
  const { count, dimensions, maxSpeeds, positions, velocities } = crowd
  let most = 0
  for (let slot = 0; slot < count; slot++) {
    let speed2 = 0
    for (let at = slot * dimensions; at < (slot + 1) * dimensions; at++) {
      speed2 += velocities[at] * velocities[at]
      if (!Number.isFinite(positions[at])) return NaN
    }
    most = Math.max(most, Math.sqrt(speed2) / maxSpeeds[slot])
  }
  return most
}

/** How many centers came through a wall; `before` are positions of the step before. */
function crossings({ crowd, walls }, before) {
  const { count, positions } = crowd
  let crossed = 0
  for (let at = 0; walls && at < 2 * count; at += 2)
    if (!walls.visible(before[at], before[at + 1], positions[at], positions[at + 1])) crossed++
  return crossed
}

/** The greatest overlap of two agents, as a share of the sum of their radii, which are all alike. */
function overlapOf({ crowd }, tree) {
  const { count, dimensions, positions, radii } = crowd
  tree.slots = count
  tree.positions.set(positions.subarray(0, count * dimensions))
  tree.build()
  const touching = 2 * radii[0]
  let most = 0
  const pairs = tree.pairs(touching)
  for (let i = 0; i < pairs.length; i += 2) {
    let distance2 = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const d =
        positions[pairs[i] * dimensions + axis] - positions[pairs[i + 1] * dimensions + axis]
      distance2 += d * d
    }
    most = Math.max(most, 1 - Math.sqrt(distance2) / touching)
  }
  return most
}

for (const [name, bounds] of Object.entries(BOUNDS)) {
  test(`${name}: all agents reach their goals`, async () => {
    const instance = await simd.create({ memory: 2 ** 22 }) // enough that no view is detached
    const scene = beginScene(simd, instance, name)
    const { crowd } = scene
    const Tree = crowd.dimensions === 2 ? simd.AgentTree : simd.AgentTree3D
    const tree = new Tree({ capacity: crowd.capacity, instance })
    const before = new Float32Array(crowd.positions.length)
    let step = 0
    for (; step < bounds.steps && !scene.isThere(); step++) {
      scene.prefer()
      before.set(crowd.positions)
      crowd.step()
      const speed = fastest(scene)
      assert.ok(speed <= 1 + 1e-5, `step ${step}: ${speed} of the greatest speed`)
      assert.is(crossings(scene, before), 0, `step ${step}: through a wall`)
      const overlap = overlapOf(scene, tree)
      assert.ok(overlap <= bounds.overlap, `step ${step}: an overlap of ${overlap}`)
    }
    assert.ok(scene.isThere(), `not all are there after ${step} steps`)
  })

  test(`${name}: the same bits as in C`, async () => {
    for (const library of [simd, scalar]) {
      const scene = beginScene(library, await library.create(), name)
      for (let step = 0; step < HASHED; step++) {
        scene.prefer()
        scene.crowd.step()
      }
      assert.is(scene.crowd.hash(), bounds.hash)
    }
  })
}

test.run()
