// A world in a worker: the worker runs the steps, the page draws the results. They exchange plain
// messages and transferred buffers, which need no HTTP headers, unlike shared memory.
//
// From the page: { options, speed }; then { id, input }, { id, steps }, { speed }, { buffers }.
// From the worker: frames { tick, timeStep, stepTime, dropped, done, arrays }, or one { failure }.
// The arrays of a frame are views of one buffer. `done` holds pairs: the id of a message, and the
// tick after it was handled.

/** Buffers for frames: the page holds two to interpolate between, and returns others in pairs. */
const BUFFERS = 6
/**
 * How many steps the world may lag behind the clock; at a speed above 1, that many times the speed.
 * More time is dropped.
 */
const MAX_LAG = 4
/**
 * Frames that are more steps apart than this are not interpolated. At a speed above 1, the limit is
 * this times the speed.
 */
const MAX_GAP = 4
/** The weight of a new frame in the means of steps and time between frames. */
const WEIGHT = 1 / 16
/** In milliseconds. In the mean, a longer time between two frames counts as this. */
const MAX_PAUSE = 250

/** Passes the messages of a thread or port, of a browser or Node, to a function. */
function listen(port, receive) {
  if (port.on) return port.on('message', receive)
  port.addEventListener('message', ({ data }) => receive(data))
  port.start?.()
}

// ---- In the worker ----

/** Workers of Node have no global postMessage(). */
const ownPort = () =>
  'postMessage' in globalThis
    ? globalThis
    : /** @type {any} */ (globalThis).process.getBuiltinModule('node:worker_threads').parentPort

/**
 * In the worker: runs a world for the page that calls `connectWorld`. Call it once, directly when
 * the worker's script starts: messages that arrive earlier are lost.
 *
 * `setup` makes the world from the option `options` of the page; it may be asynchronous. The world
 * has `timeStep`, in seconds; `step(inputs)`, which does one step and must depend on nothing else, so
 * that the same inputs at the same ticks give the same world; and `arrays()`, which returns the
 * arrays that the page gets, by name. They are copied, so they may be views of linear memory.
 *
 * The world runs by the clock. If it can't keep up, it catches up at most four steps, and drops the
 * rest of the time. Whatever `setup`, `step` and `arrays` throw ends the world, and reaches the page.
 * `port` leads to the page. Default: to the page that started this worker.
 * @param {(options: any) => any} setup
 * @param {any} port
 */
export function runWorld(setup, port = ownPort()) {
  const free = Array.from({ length: BUFFERS }, () => new ArrayBuffer(0))
  let world
  let tick = 0
  let stepTime = 0
  let dropped = 0
  let inputs = []
  let done = []
  let isNew = false // true if the page does not have the current state
  let speed = 0
  let due = 0 // how many steps are still to run, with a fraction
  let then = 0 // when `due` was computed
  let timer
  let hasFailed = false
  let queue = Promise.resolve()

  /** Runs a task, unless one has failed. The first failure is sent, and ends the world. */
  async function attempt(task, message) {
    try {
      if (!hasFailed) await task(message)
    } catch (/** @type {any} */ error) {
      hasFailed = true
      clearTimeout(timer)
      port.postMessage({ failure: { message: String(error), stack: error?.stack } })
    }
  }

  function step() {
    const start = performance.now()
    const applied = inputs
    inputs = []
    world.step(applied.map(({ input }) => input))
    tick++
    for (const { id } of applied) done.push(id, tick)
    stepTime = performance.now() - start
    isNew = true
  }

  /** Sends the current state if the page does not have it and a buffer is free. */
  function send() {
    if (!isNew || free.length === 0) return
    isNew = false
    const sources = Object.entries(world.arrays())
    const bytes = sources.reduce((sum, [, { byteLength }]) => sum + aligned(byteLength), 0)
    let buffer = /** @type {ArrayBuffer} */ (free.pop())
    // Half as much again, because arrays may grow.
    if (buffer.byteLength < bytes) buffer = new ArrayBuffer(bytes + aligned(bytes / 2))
    const arrays = {}
    let offset = 0
    for (const [name, source] of sources) {
      arrays[name] = new source.constructor(buffer, offset, source.length)
      arrays[name].set(source)
      offset += aligned(source.byteLength)
    }
    const { timeStep } = world
    port.postMessage({ tick, timeStep, stepTime, dropped, done, arrays }, [buffer])
    done = []
  }

  /**
   * Runs the steps that are due. If this takes longer than one time step, leaves the rest for
   * later.
   */
  function run() {
    const { timeStep } = world
    const now = performance.now()
    due += (speed * (now - then)) / (1000 * timeStep)
    then = now
    const lost = Math.max(Math.floor(due - MAX_LAG * Math.max(speed, 1)), 0)
    due -= lost
    dropped += lost * timeStep
    for (; due >= 1 && performance.now() - now < 1000 * timeStep; due--) step()
    send()
    clearTimeout(timer)
    const wait = (1000 * timeStep * Math.max(1 - due, 0)) / speed
    if (speed > 0) timer = setTimeout(attempt, wait, run)
  }

  async function receive(message) {
    if ('buffers' in message) free.push(...message.buffers)
    else if ('input' in message) inputs.push(message)
    else if ('steps' in message) {
      for (let n = 0; n < message.steps; n++) step()
      done.push(message.id, tick)
      isNew = true
    } else {
      if ('options' in message) await start(message.options)
      run() // up to now, at the old speed
      speed = message.speed
      run()
    }
    send()
  }

  async function start(options) {
    world = await setup(options)
    if (!(world.timeStep > 0)) throw new RangeError(`timeStep: ${world.timeStep}, expected above 0`)
    isNew = true
  }

  listen(port, (message) => (queue = queue.then(() => attempt(receive, message))))
}

const aligned = (bytes) => 8 * Math.ceil(bytes / 8)

// ---- On the page ----

/**
 * On the page: starts the world of a worker that calls `runWorld`. `port`: a `Worker` or
 * `MessagePort` of a browser or Node. Settings:
 * - `options`: passed to `setup`; any value that can be cloned.
 * - `interpolate`: names of arrays of floats that `frame` interpolates, of `dimensions` (2) values
 *   per item.
 * - `jump`: an item that moved farther than this in a step is shown at its new place, not on the way
 *   there. Default: Infinity, since only the world knows how far its items can go.
 * - `speed`: simulated seconds per second, 1. At 0 the clock stands: steps run by `advance` only.
 * - `onError`: called once if the worker does not start, or if the world throws. Default: the error
 *   is thrown outside of any call.
 * @param {any} port
 * @param {any} settings
 */
export function connectWorld(port, settings = {}) {
  const { options, interpolate = [], dimensions = 2, jump = Infinity } = settings
  let { speed = 1 } = settings
  const waiting = new Map() // by id of a message: its promise's { resolve, reject }
  const shown = {} // the arrays that frame() returns
  let spare = [] // buffers to give back to the worker
  let lastId = 0
  /** @type {any} */ let older = null
  /** @type {any} */ let newer = null
  let place = 0 // the displayed tick, with a fraction between frames
  let displayed = 0 // when `place` was computed
  let arrived = 0 // when the newer frame arrived
  let steps = 0 // the mean number of steps between frames
  let pause = 0 // the mean number of milliseconds between frames
  let ended = null // the error with which later calls are rejected

  function end(error) {
    if (ended) return false
    ended = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    port.postMessage({ speed: 0 }) // stops a world behind a MessagePort, which has no terminate()
    port.terminate?.()
    port.close?.()
    return true
  }

  /** Ends the world because it failed. Without `onError` the error is thrown. */
  function fail(error) {
    if (!end(error)) return
    if (settings.onError) return settings.onError(error)
    queueMicrotask(() => {
      throw error
    })
  }

  function receive(message) {
    if (ended) return
    const { failure, done, ...frame } = message
    if (failure) {
      const error = new Error(failure.message)
      if (failure.stack) error.stack = failure.stack
      return fail(error)
    }
    const missing = interpolate.find((name) => !frame.arrays[name])
    if (missing) return fail(new TypeError(`connectWorld: the world has no array '${missing}'`))

    const now = performance.now()
    if (!newer) {
      older = newer = frame
      steps = 1
      pause = 1000 * frame.timeStep
    } else {
      if (older !== newer) {
        const [{ buffer }] = Object.values(older.arrays)
        if (spare.push(buffer) > 1) {
          port.postMessage({ buffers: spare }, spare) // in pairs: each message wakes the worker
          spare = []
        }
      }
      older = newer
      newer = frame
      steps += WEIGHT * (newer.tick - older.tick - steps)
      pause += WEIGHT * (Math.min(now - arrived, MAX_PAUSE) - pause)
    }
    arrived = now
    for (let i = 0; i < done.length; i += 2) {
      waiting.get(done[i]).resolve(done[i + 1])
      waiting.delete(done[i])
    }
  }

  /** Posts a message. Returns a promise of the world's tick after the message was handled. */
  function ask(message) {
    const promise = new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      port.postMessage({ ...message, id: ++lastId })
      waiting.set(lastId, { resolve, reject })
    })
    promise.catch(() => {}) // no warning if the caller ignores a rejection
    return promise
  }

  /**
   * Moves the display on to the time `now`. Returns the two frames around the tick to display, and
   * where it lies between them: `part`, from 0 to 1.
   */
  function between(now = performance.now()) {
    if (!newer) return null
    const span = newer.tick - older.tick
    place += (Math.max(now - displayed, 0) * steps) / pause
    place = Math.min(Math.max(place, older.tick), newer.tick)
    if (span > MAX_GAP * Math.max(speed, 1)) place = newer.tick
    displayed = Math.min(now, performance.now()) // `now` may be Infinity
    const part = span > 0 ? (place - older.tick) / span : 1
    return { older: older.arrays, newer: newer.arrays, part, jump: jump * span || 0 }
  }

  function mix(from, to, { part, jump }, out) {
    for (let first = 0; first < to.length; first += dimensions) {
      const end = first + dimensions
      let squared = 0
      for (let i = first; i < end; i++) squared += (to[i] - from[i]) ** 2
      const isNear = squared <= jump * jump // false for NaN
      for (let i = first; i < end; i++) out[i] = isNear ? from[i] + part * (to[i] - from[i]) : to[i]
    }
    return out
  }

  listen(port, receive)
  const onFailure = (event) => {
    event.preventDefault?.() // fail() reports the error, so the browser need not
    fail(event instanceof Error ? event : new Error(event.message ?? 'the worker did not start'))
  }
  if (port.on) port.on('error', onFailure).on('exit', () => fail(new Error('the worker ended')))
  else port.addEventListener('error', onFailure)
  port.postMessage({ options, speed })

  return {
    /** Sends an input to the next step. Returns a promise of that step's tick. */
    send: (/** @type {any} */ input) => ask({ input }),
    /** Runs steps immediately, without the clock. Returns a promise of the last step's tick. */
    advance: (/** @type {number} */ steps) => ask({ steps }),

    /** For a vertex shader that interpolates: a frame's arrays are the same objects in every call. */
    between,

    /**
     * Returns the arrays to draw at a time in milliseconds, as `requestAnimationFrame` passes it;
     * null before the first frame. At Infinity they are those of the newest frame. Valid until the
     * caller returns to the event loop: copy what you keep.
     * @param {number} [now]
     */
    frame(now) {
      const pair = between(now)
      if (!pair) return null
      for (const name in pair.newer) {
        const [from, to] = [pair.older[name], pair.newer[name]]
        if (!interpolate.includes(name)) shown[name] = to
        else {
          if (shown[name]?.length !== to.length) shown[name] = to.slice()
          mix(from, to, pair, shown[name])
        }
      }
      return shown
    },

    /** The number of steps up to the newest frame. */
    get tick() {
      return newer?.tick ?? 0
    },
    /** Milliseconds of the newest step. */
    get stepTime() {
      return newer?.stepTime ?? 0
    },
    /** Seconds that were dropped because the world could not keep up. */
    get dropped() {
      return newer?.dropped ?? 0
    },

    get speed() {
      return speed
    },
    set speed(value) {
      speed = value
      port.postMessage({ speed })
    },

    dispose() {
      end(new Error('connectWorld: disposed'))
    },
  }
}
