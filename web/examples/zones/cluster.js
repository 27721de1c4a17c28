// Runs the whole game on one machine: Redis, the processes, and clients as load. For start.js and for tests. All ends
// with `stop()`, and with this process.

import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { modernNode } from './node.js'

const here = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url))
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
const START_WITHIN = 120_000 // milliseconds: on a busy machine it takes long

/**
 * Returns free ports, below the range from which systems, by default, take the ports of outgoing connections. So no
 * connection takes one before a process listens on it, or while a killed process is down.
 * @param {number} count
 */
async function freePorts(count) {
  const ports = new Set()
  while (ports.size < count) {
    const port = 20_000 + Math.floor(12_000 * Math.random())
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    ports.add(port)
  }
  return [...ports]
}

/** Waits until something listens on a port. @param {number} port */
async function listens(port) {
  for (const end = Date.now() + START_WITHIN; Date.now() < end; await sleep(25)) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
  }
  throw new Error(`nothing listens on port ${port}`)
}

/**
 * Starts Redis and the processes.
 * @param {object} options
 * @param {number} [options.zones] Default: 2.
 * @param {number} [options.processes] Default: 2.
 * @param {number} [options.walkers] of each zone. Default: 1,000.
 * @param {number} [options.census] ticks between reports. Default: 20.
 * @param {(message: any) => void} [options.onMessage] takes the reports of processes and clients
 * @param {(text: string) => void} [options.log]
 */
export async function startCluster({
  zones = 2,
  processes = 2,
  walkers = 1000,
  census = 20,
  onMessage = () => {},
  log = () => {},
} = {}) {
  const node = modernNode()
  const folder = mkdtempSync(`${tmpdir()}/copse-zones-`)
  const [redisPort, ...ports] = await freePorts(1 + 2 * processes)
  const linkPorts = ports.splice(processes)
  const endpoints = ports.map((port) => `127.0.0.1:${port}`)
  /** @type {(import('node:child_process').ChildProcess | null)[]} */
  const children = Array(processes).fill(null)
  let redis = /** @type {import('node:child_process').ChildProcess | null} */ (null)
  let load = /** @type {import('node:child_process').ChildProcess | null} */ (null)
  const errors = []

  /** @param {import('node:child_process').ChildProcess} child @param {string} name */
  function listen(child, name) {
    child.stdout?.on('data', (text) => log(String(text).trimEnd()))
    child.stderr?.on('data', (text) => errors.push(`${name}: ${text}`))
    child.on('message', onMessage)
  }

  /** @param {string} file @param {string[]} args @param {Record<string, unknown>} env */
  const run = (file, args, env) =>
    fork(here(file), args, {
      ...{ execPath: node, execArgv: [], serialization: 'advanced', silent: true },
      env: { ...process.env, CENSUS: String(census), ...env },
    })

  /** Ends a process. @param {any} child @param {NodeJS.Signals} signal */
  async function end(child, signal) {
    if (!child || child.exitCode !== null || child.signalCode) return
    const ended = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
  }

  const cluster = {
    endpoints,
    redisPort,
    errors,

    async startRedis() {
      const args = [here('redis.conf'), '--port', String(redisPort), '--dir', folder]
      redis = spawn('redis-server', args, { stdio: 'ignore' })
      await Promise.race([
        listens(redisPort),
        once(redis, 'error').then(([error]) => Promise.reject(error)),
      ])
    },
    /** Kills Redis, as a crash does. */
    killRedis: () => end(redis, 'SIGKILL'),

    /** @param {number} index */
    async startProcess(index) {
      const child = run('process.js', [], {
        ...{ PORT: ports[index], LINK_PORT: linkPorts[index], REDIS_PORT: redisPort },
        ...{ ZONES: zones, WALKERS: walkers, PROCESS: index, PROCESSES: processes },
      })
      children[index] = child
      listen(child, `process ${index}`)
      await listens(ports[index])
    },
    /** Kills a process, as a crash does. @param {number} index */
    killProcess: (index) => end(children[index], 'SIGKILL'),
    /** @param {number} index */
    isRunning: (index) => children[index]?.exitCode === null && !children[index]?.signalCode,

    /** @param {number} clients */
    startClients(clients) {
      const args = ['--clients', clients, '--endpoints', endpoints.join(), '--zones', zones]
      load = run('clients.js', args.map(String), {})
      listen(load, 'clients')
    },

    async stop() {
      process.off('exit', killAll)
      await end(load, 'SIGTERM')
      await Promise.all(children.map((child) => end(child, 'SIGTERM')))
      await end(redis, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const killAll = () => {
    for (const child of [load, ...children, redis]) child?.kill('SIGKILL')
  }
  process.on('exit', killAll)
  try {
    await cluster.startRedis()
    await Promise.all(children.map((_, index) => cluster.startProcess(index)))
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}
