// Runs the game server of the examples, in its own process on a free port.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @type {{ stop: () => Promise<number> }[]} */
const servers = []

/** Stops all started servers: a running one would keep the tests from ending. */
export const stopServers = () => Promise.all(servers.map((server) => server.stop()))

/** Starts a server. @param {number} port 0: any free port */
export async function startServer(port = 0) {
  const child = spawn('node', ['web/examples/server/server.js'], {
    env: { ...process.env, PORT: String(port) },
  })
  const output = { out: '', error: '' }
  child.stdout.on('data', (data) => (output.out += data))
  child.stderr.on('data', (data) => (output.error += data))
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), ended])
  const address = output.out.trim()

  const server = {
    address,
    port: address && Number(new URL(address).port),
    /** Text that it printed to stderr. */
    get error() {
      return output.error
    },
    /** Stops the server if it runs. @param {NodeJS.Signals} signal @returns the exit code */
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
  servers.push(server)
  return server
}
