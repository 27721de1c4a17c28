// Runs the native programs that `make bench` builds, one work at a time, on the same positions.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { works } from './workloads.js'

const FOLDER = 'build/bench'
const POSITIONS = `${FOLDER}/positions.bin`
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
    name: 'nanoflann native',
    program: `${FOLDER}/nanoflann`,
    works: ['frame', 'neighbors8', 'neighbors10', 'build', 'buildStill', 'nearest', 'nearest8'],
    missing: 'not installed; on Debian: apt-get install g++ libnanoflann-dev',
  },
].map((native) => ({ ...native, there: existsSync(native.program) }))

/** Writes the files that the programs read: positions, and points for queries. @param {any} agents */
export function writePositions({ base, points }) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(POSITIONS, base)
  writeFileSync(POINTS, points)
}

/**
 * Runs a native program.
 * @param {{ program: string }} native
 * @param {string} work
 * @param {any} agents
 * @param {number} budget
 * @returns {{ hash: number, times: number[] }}
 */
export function runNative({ program }, work, { dimensions, radius }, budget) {
  const { k = 0, maxDistance } = works[work]
  const most = maxDistance?.(radius) ?? 0
  const args = [work, POSITIONS, dimensions, radius, k, most, budget, POINTS].map(String)
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }))
}
