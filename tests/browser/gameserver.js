// The game server of the examples, as a process of its own on a free port.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @type {{ stop: () => Promise<number> }[]} */
const servers = []

/** Ends all that were started: one left running would keep the tests from ending. */
export const stopServers = () => Promise.all(servers.map((server) => server.stop()))

/** @param {number} port 0: any that is free */
export async function startServer(port = 0) {
  const child = spawn('node', ['web/examples/server/server.js'], {
    env: { ...process.env, PORT: String(port) },
  })
  const said = { out: '', error: '' }
  child.stdout.on('data', (data) => (said.out += data))
  child.stderr.on('data', (data) => (said.error += data))
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), ended])
  const address = said.out.trim()

  const server = {
    address,
    port: address && Number(new URL(address).port),
    /** What it printed as an error. */
    get error() {
      return said.error
    },
    /** Ends it, if it has not ended. @param {NodeJS.Signals} signal @returns its exit code */
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
  servers.push(server)
  return server
}

const MOST_WAITING = 60_000 // milliseconds

/** Waits until something holds; fails when it never does. @param {() => boolean} holds */
export async function until(holds) {
  const end = performance.now() + MOST_WAITING
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
