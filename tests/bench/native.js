// Runs the native programs that `make bench` builds, one work at a time, on the same positions.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { works } from './workloads.js'

const FOLDER = 'build/bench'
const POSITIONS = `${FOLDER}/positions.bin`
const STARTS = `${FOLDER}/starts.bin`
const POINTS = `${FOLDER}/points.bin`
/** Room for the positions of a crowd, as text. */
const MAX_BUFFER = 64 << 20

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
 * Runs a native program.
 * @param {{ program: string, input?: string }} native
 * @param {string} work
 * @param {any} agents
 * @param {number} budget
 * @returns {{ hash?: number, positions?: number[], times: number[] }} a hash where others must have the same; the
 * positions of a crowd of another library
 */
export function runNative({ program, input = POSITIONS }, work, { dimensions, radius }, budget) {
  const { k = 0, maxDistance } = works[work]
  const most = maxDistance?.(radius) ?? 0
  const args = [work, input, dimensions, radius, k, most, budget, POINTS].map(String)
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8', maxBuffer: MAX_BUFFER }))
}
