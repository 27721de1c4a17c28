// Whole scenes of the crowd: all agents reach their goals, without too much speed, overlap, or crossing a wall.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import { beginScene } from './support/crowd-scenes.js'

const test = suite('scenes of the crowd')

/**
 * The maximum number of steps, and the maximum overlap as a share of the sum of two radii: the limits of
 * `test_scenes_end_at_their_goals` in tests/c/unit.c. And the hash after HASHED steps, the same as in C
 * (tests/c/scenes.h).
 */
const LIMITS = {
  circle: { steps: 2900, overlap: 0.23, hash: 0x14e3ba07 },
  blocks: { steps: 4800, overlap: 0.035, hash: 0xcbb14b49 },
  sphere: { steps: 2600, overlap: 0.08, hash: 0xf3093758 },
}
const HASHED = 500

/** Returns the maximum of speed / maximum speed over all agents; NaN if a position is not finite. */
function fastest({ crowd }) {
  const { count, dimensions, maxSpeeds, positions, velocities } = crowd
  let greatest = 0
  for (let slot = 0; slot < count; slot++) {
    let speed2 = 0
    for (let i = slot * dimensions; i < (slot + 1) * dimensions; i++) {
      speed2 += velocities[i] * velocities[i]
      if (!Number.isFinite(positions[i])) return NaN
    }
    greatest = Math.max(greatest, Math.sqrt(speed2) / maxSpeeds[slot])
  }
  return greatest
}

/** Returns how many centers crossed a wall since the positions `before`. */
function crossings({ crowd, walls }, before) {
  const { count, positions } = crowd
  let crossed = 0
  for (let i = 0; walls && i < 2 * count; i += 2)
    if (!walls.visible(before[i], before[i + 1], positions[i], positions[i + 1])) crossed++
  return crossed
}

/** Returns the maximum overlap of two agents, as a share of the sum of their radii. All radii are equal. */
function overlapOf({ crowd }, tree) {
  const { count, dimensions, positions, radii } = crowd
  tree.slots = count
  tree.positions.set(positions.subarray(0, count * dimensions))
  tree.build()
  const touching = 2 * radii[0]
  let greatest = 0
  const pairs = tree.pairs(touching)
  for (let i = 0; i < pairs.length; i += 2) {
    let distance2 = 0
    for (let axis = 0; axis < dimensions; axis++) {
      const d =
        positions[pairs[i] * dimensions + axis] - positions[pairs[i + 1] * dimensions + axis]
      distance2 += d * d
    }
    greatest = Math.max(greatest, 1 - Math.sqrt(distance2) / touching)
  }
  return greatest
}

for (const [name, limits] of Object.entries(LIMITS)) {
  test(`${name}: all agents reach their goals within the limits`, async () => {
    const instance = await copse.create({ memory: 2 ** 22 }) // enough for no view to be detached
    const scene = beginScene(copse, instance, name)
    const { crowd } = scene
    const Tree = crowd.dimensions === 2 ? copse.AgentTree : copse.AgentTree3D
    const tree = new Tree({ capacity: crowd.capacity, instance })
    const before = new Float32Array(crowd.positions.length)
    let step = 0
    for (; step < limits.steps && !scene.isThere(); step++) {
      scene.prefer()
      before.set(crowd.positions)
      crowd.step()
      const speed = fastest(scene)
      assert.ok(speed <= 1 + 1e-5, `step ${step}: ${speed} of the maximum speed`)
      assert.is(crossings(scene, before), 0, `step ${step}: through a wall`)
      const overlap = overlapOf(scene, tree)
      assert.ok(overlap <= limits.overlap, `step ${step}: an overlap of ${overlap}`)
    }
    assert.ok(scene.isThere(), `not all have arrived after ${step} steps`)
  })

  test(`${name}: the hash is the same as in C`, async () => {
    const scene = beginScene(copse, await copse.create(), name)
    for (let step = 0; step < HASHED; step++) {
      scene.prefer()
      scene.crowd.step()
    }
    assert.is(scene.crowd.hash(), limits.hash)
  })
}

test.run()
