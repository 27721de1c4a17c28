// The native programs that `make bench` builds. Each stays alive during a work, and takes turns with the libraries, on
// the same positions.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { works } from './workloads.js'

const FOLDER = 'build/bench'
const POSITIONS = `${FOLDER}/positions.bin`
const STARTS = `${FOLDER}/starts.bin`
const POINTS = `${FOLDER}/points.bin`

export const natives = [
  {
    name: 'copse native',
    program: `${FOLDER}/copse`,
    works: ['frame', 'neighbors8', 'neighbors10', 'build', 'move'],
    missing: 'build/bench/copse is not built',
  },
  {
    name: 'copse native',
    program: `${FOLDER}/crowd`,
    works: ['crowdStep', 'crowdNeighbors'],
    missing: 'build/bench/crowd is not built',
  },
  {
    name: 'RVO2 native',
    program: `${FOLDER}/rvo2`,
    works: ['crowdStep'],
    dimensions: 2,
    isTooSlow: (spread) => spread.startsWith('disc'), // takes minutes per step beside a wall of very many edges
    input: STARTS,
    missing: 'RVO2_SOURCE=folder make bench, with its source, builds it',
  },
  {
    name: 'nanoflann native',
    program: `${FOLDER}/nanoflann`,
    works: ['frame', 'neighbors8', 'neighbors10', 'build', 'buildStill', 'nearest', 'nearest8'],
    missing: 'not installed; on Debian: apt-get install g++ libnanoflann-dev',
  },
].map((native) => ({ ...native, there: existsSync(native.program) }))

/**
 * Writes the files that the programs read: positions, points for queries or walls, and the starts of a crowd.
 * @param {any} agents
 */
export function writePositions({ base, points, positions, velocities, goals }) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(POSITIONS, base)
  writeFileSync(POINTS, points)
  if (goals)
    for (const [i, part] of [positions, velocities, goals].entries())
      writeFileSync(STARTS, part, { flag: i ? 'a' : 'w' })
}

/**
 * Starts a native program. It takes turns like a library: see `measure`.
 * @param {{ name: string, program: string, input?: string }} native
 * @param {string} work
 * @param {any} agents
 */
export async function startNative({ name, program, input = POSITIONS }, work, agents) {
  const { dimensions, radius } = agents
  const { k = 0, maxDistance } = works[work]
  const most = maxDistance?.(radius) ?? 0
  const args = [work, input, dimensions, radius, k, most, POINTS].map(String)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${name} ended during ${work}`)
    return JSON.parse(value)
  }
  return {
    name,
    /**
     * What it found: a hash where others must have the same, or the positions of a crowd of another library.
     * @type {{ hash?: number, positions?: number[] }}
     */
    found: await next(),
    /** Does the work for a turn. Returns the milliseconds of each run. @returns {Promise<number[]>} */
    turn() {
      child.stdin.write('\n')
      return next()
    },
    async end() {
      child.stdin.end()
      await ended
    },
  }
}
