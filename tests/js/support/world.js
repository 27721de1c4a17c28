// A world for tests: two agents that go to goals, which inputs change.

import { init, Crowd } from 'copse'

const TIME_STEP = 1 / 60

/** @param {{ fail?: string, agents?: number }} options fail: where the world throws */
export async function createWorld({ fail, agents = 2 } = {}) {
  await init()
  if (fail === 'setup') throw new RangeError('no setup')
  const crowd = new Crowd({ capacity: agents })
  for (let i = 0; i < agents; i++) crowd.add({ position: [3 * i, 0], goal: [3 * i, 40] })
  return {
    timeStep: TIME_STEP,
    crowd,
    step(inputs) {
      if (fail === 'step') throw new RangeError('no step')
      for (const { slot, goal } of inputs) crowd.goals.set(goal, 2 * slot)
      crowd.step(TIME_STEP)
    },
    arrays: () => ({ positions: crowd.positions, hash: Uint32Array.of(crowd.hash()) }),
  }
}
