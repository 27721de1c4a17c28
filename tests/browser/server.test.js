// The game server of the examples, and clients in Node: clients stay equal to it bit for bit, and no
// message stops it. The test is among the browser's tests since clients start the library, which tests in
// Node must not.

import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { createClient } from '../../web/examples/server/client.js'
import { startServer, stopServers } from './gameserver.js'
import { eventually } from './waiting.js'

const TICKS = 120

const game = suite('game server')
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server
/** @type {WebSocket[]} */
const sockets = []

game.before(async () => (server = await startServer()))
game.after.each(() => sockets.splice(0).forEach((socket) => socket.terminate()))
game.after(stopServers)

function connect(options = {}) {
  const socket = new WebSocket(server.address, options)
  sockets.push(socket)
  return socket
}

/** Returns a client that has received its team and the snapshot. */
async function join(delay = 0) {
  const client = createClient(connect(), delay)
  await eventually(() => client.team >= 0 && client.simulation.tick > 0)
  return client
}

const isMoving = ({ simulation }) => simulation.crowd.velocities.some((speed) => speed !== 0)

game('all clients stay in lockstep, late ones too, whichever client gives orders', async () => {
  const first = await join()
  const second = await join(100)
  assert.is.not(first.team, second.team)
  assert.not.ok(isMoving(first), 'no team has a goal yet')
  const begin = first.simulation.tick

  first.order(70, 50)
  second.order(20, 30.25)
  await eventually(() => isMoving(first) && isMoving(second))
  const late = await join()
  assert.ok(isMoving(late), 'the snapshot has the goals')
  const after = (ticks) => late.simulation.tick > begin + ticks
  await eventually(() => after(TICKS / 2))
  first.order(1e-7, 99.99)
  late.order(50, 50)
  await eventually(() => after(TICKS) && [first, second, late].every(({ checks }) => checks >= 3))

  for (const client of [first, second, late]) assert.ok(client.isEqual)
  await eventually(() => first.simulation.tick === late.simulation.tick)
  assert.equal(late.simulation.crowd.save(), first.simulation.crowd.save())
})

game('a client that differs in one bit is detected', async () => {
  const client = await join()
  const { positions } = client.simulation.crowd
  new Uint32Array(positions.buffer, positions.byteOffset)[0] ^= 1
  const { checks } = client
  await eventually(() => client.checks > checks)
  assert.not.ok(client.isEqual)
})

game('an invalid message ends its connection, not the server', async () => {
  const wrong = [
    ...['', 'x', '{', 'null', '1', '[]', '{}', '{"goal":1}', '{"goal":[]}', '{"goal":[1]}'],
    ...['{"goal":[1,2,3]}', '{"goal":[1,null]}', '{"goal":["1","2"]}', '{"goal":[1e999,1]}'],
    ...['{"goal":[-0.001,1]}', '{"goal":[1,100.001]}', '{"goal":{"0":1,"1":1,"length":2}}'],
    ...['{"__proto__":{"goal":[[],[]]}}', Buffer.from([1, 2, 3]), Buffer.from('{"goal":[1,1]}')],
  ]
  const codes = wrong.map(async (message) => {
    const socket = connect()
    await once(socket, 'open')
    socket.send(message)
    const [code] = await once(socket, 'close')
    assert.is(code, 1008, String(message))
  })
  await Promise.all(codes)
  const long = connect()
  await once(long, 'open')
  long.send(' '.repeat(10_000))
  assert.is((await once(long, 'close'))[0], 1009, 'too long')

  const broken = connect()
  await once(broken, 'open')
  broken._socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff])) // not a frame of the protocol
  await once(broken, 'close')

  const client = await join()
  await eventually(() => client.checks > 0)
  assert.ok(client.isEqual)
  assert.is(server.error, '')
})

game('the number of players is limited', async () => {
  const players = Array.from({ length: 32 }, () => connect())
  await Promise.all(players.map((socket) => once(socket, 'message')))
  assert.is((await once(connect(), 'close'))[0], 1013)
  players[0].close()
  await once(players[0], 'close')
  const client = await join()
  await eventually(() => client.checks > 0)
  assert.ok(client.isEqual)
})

game('the server stops on a signal, and reports that its port is taken', async () => {
  const second = await startServer(server.port)
  assert.is(await second.stop(), 1)
  assert.match(second.error, /EADDRINUSE/)

  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM'])
  const ends = signals.map(async (signal) => {
    const other = await startServer()
    const socket = new WebSocket(other.address)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    assert.is(await other.stop(signal), 0)
    assert.is((await closed)[0], 1001)
  })
  await Promise.all(ends)
})

game.run()
