// A world in a worker: equal to a world without, its inputs, its buffers, its errors, and what frame() returns.
// The tests of interpolation set the clock, and play the worker's side themselves.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectWorld, runWorld } from '../../web/examples/worker/connection.js'
import { createWorld } from './support/world.js'

const test = suite('connection')
const open = []

test.after.each(() => {
  for (const world of open.splice(0)) world.dispose()
})

function connect(port, settings) {
  const world = connectWorld(port, settings)
  open.push(world)
  return world
}

/** Starts the world of support/world.js in a worker. */
function start(settings) {
  // Bundlers of pages look for exactly this expression.
  if (globalThis.Worker)
    return connect(
      new Worker(new URL('./support/world-worker.js', import.meta.url), { type: 'module' }),
      settings,
    )
  const threads = globalThis.process.getBuiltinModule('node:worker_threads')
  const url = new URL('./support/world-worker.js', import.meta.url)
  return connect(new threads.Worker(url), settings)
}

const LOG = [
  { tick: 5, slot: 0, goal: [9, 9] },
  { tick: 5, slot: 1, goal: [0, 9] },
  { tick: 40, slot: 0, goal: [-9, 3] },
]

/** Returns the hashes of a world without a worker, after each tick. */
async function hashesOf(log, ticks) {
  const { crowd, step } = await createWorld()
  return Array.from({ length: ticks }, (_, n) => {
    step(log.filter(({ tick }) => tick === n + 1))
    return crowd.hash()
  })
}

test('the hash is that without a worker, for the same inputs at the same ticks', async () => {
  const expected = await hashesOf(LOG, 60)
  assert.is.not(expected[59], (await hashesOf([], 60))[59])
  const world = start({ speed: 0 })
  let tick = 0
  for (const { tick: next, ...input } of LOG) {
    tick = await world.advance(next - 1 - tick)
    world.send(input).then((applied) => assert.is(applied, next))
    if (LOG.find((other) => other.tick === next && other.slot > input.slot)) continue
    tick = await world.advance(1)
    assert.is(tick, next)
    assert.is(world.frame(Infinity).hash[0], expected[tick - 1])
  }
  assert.is(await world.advance(60 - tick), 60)
  assert.is(world.frame(Infinity).hash[0], expected[59])
})

test('a game by the clock is replayed by the ticks of its inputs', async () => {
  const world = start({})
  const log = []
  for (let n = 0; n < 6; n++) {
    const input = { slot: n % 2, goal: [n, -n] }
    log.push({ tick: await world.send(input), ...input })
  }
  world.speed = 0
  const tick = await world.advance(1)
  assert.ok(log.every((input, n) => n === 0 || input.tick > log[n - 1].tick))
  assert.is(world.tick, tick)
  assert.ok(world.stepTime >= 0 && world.dropped >= 0)
  assert.is(world.frame(Infinity).hash[0], (await hashesOf(log, tick)).at(-1))
})

test('inputs take effect in the order in which they were sent', async () => {
  const world = start({ speed: 0 })
  const ticks = [1, 2, 3].map((x) => world.send({ slot: 0, goal: [x, x] }))
  await world.advance(1)
  assert.equal(await Promise.all(ticks), [1, 1, 1])
  const log = [{ tick: 1, slot: 0, goal: [3, 3] }]
  assert.is(world.frame(Infinity).hash[0], (await hashesOf(log, 1))[0])
})

test('buffers return: the worker creates no more than the first', async () => {
  const world = start({ speed: 0 })
  await world.advance(1)
  const { positions } = world.frame(Infinity)
  for (let n = 0; n < 500; n++) await world.advance(1)
  assert.is(positions.length, 0, 'it was given back')
  const [buffers] = world.frame(Infinity).buffers
  assert.ok(buffers <= 12, `${buffers}: six empty ones, each replaced once`)
})

test('a world goes on while no buffer is free; the page then gets the newest state', async () => {
  const { port1, port2 } = new MessageChannel()
  let steps = 0
  const step = () => steps++
  runWorld(() => ({ timeStep: 1, step, arrays: () => ({ x: Uint8Array.of(steps) }) }), port1)
  const frames = []
  let received = () => {}
  const arrived = async (count) => {
    while (frames.length < count) await new Promise((resolve) => (received = resolve))
  }
  port2.onmessage = ({ data }) => received(frames.push(data))
  port2.postMessage({ options: undefined, speed: 0 })
  for (let id = 1; id <= 9; id++) port2.postMessage({ id, steps: 1 })
  await arrived(6)
  const { port1: probe, port2: echo } = new MessageChannel() // later than all that is on its way
  await new Promise((resolve) => {
    probe.onmessage = resolve
    echo.postMessage(0)
  })
  while (steps < 9) await new Promise((resolve) => setTimeout(resolve))
  assert.equal(
    frames.map(({ tick }) => tick),
    [0, 1, 2, 3, 4, 5],
  )
  const buffers = [frames[0].arrays.x.buffer]
  port2.postMessage({ buffers }, buffers)
  await arrived(7)
  assert.is(frames[6].tick, 9)
  assert.equal([...frames[6].arrays.x], [9])
  assert.equal(frames[6].done, [6, 6, 7, 7, 8, 8, 9, 9])
  for (const port of [port1, port2, probe, echo]) port.close()
})

test('arrays of all types and lengths arrive, also after they have grown', async () => {
  const { port1, port2 } = new MessageChannel()
  const types = [Uint8Array, Float64Array, Int16Array, Float32Array, Uint8ClampedArray]
  let length = 1
  const arrays = () =>
    Object.fromEntries(types.map((Type, n) => [Type.name, new Type(length + n).fill(length)]))
  runWorld(() => ({ timeStep: 1, step: () => (length *= 3), arrays }), port1)
  const world = connect(port2, { speed: 0, interpolate: ['Float32Array'], dimensions: 1 })
  for (let n = 0; n < 5; n++) {
    await world.advance(1)
    assert.equal(world.frame(Infinity), arrays())
  }
})

// ---- Errors ----

for (const fail of ['setup', 'step'])
  test(`an error in ${fail} reaches the page, and ends what waits`, async () => {
    let ended
    const failure = new Promise((resolve) => (ended = resolve))
    const world = start({ options: { fail }, speed: 0, onError: ended })
    const results = await Promise.allSettled([world.send({}), world.advance(1)])
    const error = await failure
    assert.match(error.message, `RangeError: no ${fail}`)
    assert.match(error.stack, 'world')
    for (const { status, reason } of results) assert.equal([status, reason], ['rejected', error])
    const [later] = await Promise.allSettled([world.advance(1)])
    assert.is(later.reason, error)
  })

test('a world without a right time step, or an array to interpolate, is an error', async () => {
  for (const [timeStep, text] of [
    [0, 'timeStep: 0, expected above 0'],
    [NaN, 'timeStep: NaN, expected above 0'],
    [1, "the world has no array 'positions'"],
  ]) {
    const { port1, port2 } = new MessageChannel()
    runWorld(() => ({ timeStep, step() {}, arrays: () => ({ x: new Uint8Array(1) }) }), port1)
    const onError = () => {}
    const world = connect(port2, { speed: 0, interpolate: ['positions'], onError })
    const [{ reason }] = await Promise.allSettled([world.advance(1)])
    assert.match(reason.message, text)
  }
})

test('dispose() rejects what waits, and later calls', async () => {
  const world = start({ speed: 0 })
  const waiting = world.send({})
  world.dispose()
  const results = await Promise.allSettled([waiting, world.send({}), world.advance(1)])
  for (const { reason } of results) assert.match(reason.message, 'disposed')
})

// ---- What frame() returns ----

/** Returns a connection, and a function that sends it a frame at a time. The clock is that of the test. */
function play(settings) {
  let receive = () => {}
  const sent = []
  const port = {
    addEventListener: (type, listener) => type === 'message' && (receive = listener),
    postMessage: (message) => sent.push(message),
  }
  const world = connectWorld(port, { interpolate: ['positions'], ...settings })
  return {
    world,
    sent,
    send(now, tick, ...positions) {
      const arrays = { positions: Float32Array.from(positions), tick: Uint32Array.of(tick) }
      clock = now
      const frame = { tick, timeStep: 0.1, stepTime: 1, dropped: 0, done: [], arrays }
      receive({ data: frame })
    },
    at(now) {
      clock = now
      return [...world.frame(now).positions]
    },
  }
}

const timed = suite('frames of a world')
const { now } = performance
let clock = 0
timed.before(() => (performance.now = () => clock))
timed.after(() => (performance.now = now))

timed('frame() is null before the first frame, then its arrays', () => {
  const { world, send, at, sent } = play()
  assert.is(world.frame(0), null)
  assert.equal(sent, [{ options: undefined, speed: 1 }])
  send(0, 0, 1, 2)
  assert.equal(at(0), [1, 2])
  assert.equal(at(50), [1, 2])
})

timed('positions are between two frames, other arrays those of the newer', () => {
  const { world, send, at } = play()
  send(0, 0, 0, 0)
  assert.equal(at(0), [0, 0])
  send(100, 1, 10, -4) // a step takes 100 ms
  assert.equal(at(25), [2.5, -1])
  assert.equal(at(75), [7.5, -3])
  assert.equal([...world.frame(75).tick], [1])
  assert.is(world.tick, 1)
  assert.equal(at(150), [10, -4], 'it waits for the next frame')
  send(200, 2, 20, 4)
  assert.equal(at(200), [15, 0])
  assert.equal(at(1000), [20, 4])
})

timed('the display follows a world that runs slower than its clock', () => {
  const { send, at } = play()
  for (let n = 0; n <= 200; n++) send(200 * n, n, 10 * n, 0) // twice as long
  const [first] = at(39_800)
  const [next] = at(39_850)
  assert.ok(Math.abs(first - 1990) < 0.01, String(first))
  assert.ok(Math.abs(next - 1992.5) < 0.01, String(next)) // a quarter of a step
})

timed('items that jump are never in between', () => {
  const { send, at } = play({ jump: 5 })
  send(0, 0, 0, 0, 0, 0, NaN, NaN)
  at(0)
  send(100, 1, 3, 4, 3, 4.5, 8, 8, 7, 7) // 5 away, more than 5 away, new, beyond the older array
  assert.equal(at(50), [1.5, 2, 3, 4.5, 8, 8, 7, 7])
  send(200, 3, 9, 12, 3, 4.5, 8, 8, 7, 7) // 10 away in two steps
  assert.equal(at(50), [3, 4, 3, 4.5, 8, 8, 7, 7])
  const [x] = at(150)
  assert.ok(x > 3 && x < 9, String(x))
})

timed(
  'between() returns what frame() interpolates, and the same arrays while a frame is shown',
  () => {
    const { world, send, at } = play({ jump: 5 })
    assert.is(world.between(0), null)
    send(0, 0, 0, 0)
    const first = world.between(0)
    assert.is(first.older, first.newer)
    at(0)
    send(100, 2, 8, -4) // less than 10 away
    clock = 50
    const { older, newer, part, jump } = world.between(50)
    assert.is(older, first.newer)
    assert.equal([...older.positions, ...newer.positions, jump], [0, 0, 8, -4, 10])
    assert.ok(part > 0 && part < 1, String(part))
    assert.equal(at(50), [...Float32Array.of(8 * part, -4 * part)])
    assert.is(world.between(50).newer.positions, newer.positions)
  },
)

timed('three values per item', () => {
  const { send, at } = play({ jump: 5, dimensions: 3 })
  send(0, 0, 0, 0, 0, 1, 1, 1)
  at(0)
  send(100, 1, 0, 4, 4, 1, 1, 5)
  assert.equal(at(25), [0, 4, 4, 1, 1, 2])
})

timed('after a gap, the newest frame is shown', () => {
  for (const [gap, speed, isShown] of [
    [4, 1, false],
    [5, 1, true],
    [5, 2, false],
  ]) {
    const { send, at } = play({ speed })
    send(0, 0, 0, 0)
    at(0)
    send(100, gap, 10, 0)
    assert.is(at(0)[0], isShown ? 10 : 0)
  }
})

timed('the frames before the last two are given back in pairs', () => {
  const { send, sent } = play()
  for (let n = 0; n < 7; n++) send(n, n, n)
  const returned = sent.filter((message) => 'buffers' in message)
  assert.equal(
    returned.map(({ buffers }) => buffers.map((buffer) => new Float32Array(buffer)[0])),
    [
      [0, 1],
      [2, 3],
    ],
  )
})

test.run()
timed.run()
