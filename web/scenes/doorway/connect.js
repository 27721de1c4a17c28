// Runs the world in a worker, or in the page. Both return:
//
//   send(input)            for the next step
//   run(dt, paused, lap)   called every frame, with its seconds, 0 while paused but for a single step
//   between()              the arrays to draw: { older, newer, part, jump }, null before the first
//   take()                 ms of the page's thread on the world's messages since the last call
//   dispose()

import { connectWorld } from '../../examples/worker/connection.js'
import { timeRuns } from '../../view/clock.js'
import { createPace } from '../../view/pace.js'
import workerUrl from './worker.js?shared'
import { createWorld, MAX_WALK, TIME_STEP } from './world.js'

const JUMP = 2 * MAX_WALK * TIME_STEP // an agent that goes farther in a step has come in again

/** Calls failed() if the worker does not start, or fails. */
export function connectWorker(options, failed) {
  const worker = new Worker(workerUrl, { type: 'module' })
  let spent = 0
  const port = {
    postMessage: (...message) => worker.postMessage(...message),
    addEventListener(type, listener) {
      worker.addEventListener(type, (event) => (spent += timeRuns(() => listener(event))))
    },
    terminate: () => worker.terminate(),
  }
  const world = connectWorld(port, {
    options, // of the world
    jump: JUMP, // agents that move farther in a step are not interpolated
    speed: 0, // until the page's frames run
    onError: failed,
  })
  function setSpeed(speed) {
    if (world.speed !== speed) world.speed = speed
  }

  // The frames of a hidden page stop; so does its world.
  const hide = () => setSpeed(0)
  document.addEventListener('visibilitychange', hide)

  return {
    send: world.send,

    // The worker's clock runs the steps.
    run(dt, paused) {
      setSpeed(paused ? 0 : 1)
      if (paused && dt > 0) world.advance(1)
    },

    between: () => world.between(world.speed ? Number(document.timeline.currentTime) : Infinity),

    take() {
      const taken = spent
      spent = 0
      return taken
    },

    dispose() {
      document.removeEventListener('visibilitychange', hide)
      world.dispose()
    },
  }
}

export function connectPage(options) {
  let world = null // null until its threads work
  let failure = null
  let isDisposed = false
  let inputs = []
  let lap
  const pace = createPace(() => {
    world.step(inputs, lap)
    inputs = []
  })
  createWorld(options).then(
    (created) => {
      if (isDisposed) created.dispose()
      else world = created
    },
    (error) => (failure = error),
  )

  return {
    send: (input) => inputs.push(input),
    run(dt, paused, frameLap) {
      if (failure) throw failure
      lap = frameLap
      if (world) pace(dt, 1)
    },
    between() {
      if (!world) return null
      const arrays = world.arrays()
      return { older: arrays, newer: arrays, part: 1, jump: 0 }
    },
    take: () => 0,
    dispose() {
      isDisposed = true
      world?.dispose()
    },
  }
}
