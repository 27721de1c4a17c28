// Property tests by fast-check. COPSE_SEED is the seed of the drawn cases. COPSE_FACTOR multiplies their number, as
// `make test-long` does.

import fc from 'fast-check'

export const SEED = Number(process.env.COPSE_SEED ?? 1)

const FACTOR = Number(process.env.COPSE_FACTOR ?? 1)

/** Returns the number of cases to draw. @param {number} usual in the tests for a change */
export const runsOf = (usual) => usual * FACTOR

let heldCases = 0
globalThis.process?.once?.('exit', () => {
  const { user, system } = process.cpuUsage()
  const seconds = ((user + system) / 1e6).toFixed(1)
  if (heldCases) console.log(`${heldCases} drawn cases held, from seed ${SEED}, in ${seconds} s`)
})

/** Plays a number of drawn cases. If one throws, it is shrunk, and reported with its seed. */
export function forAll(drawn, runs, play) {
  const property = fc.property(drawn, (drawnCase) => {
    play(drawnCase)
    heldCases++
  })
  fc.assert(property, { seed: SEED, numRuns: runs, includeErrorInReport: true })
}
