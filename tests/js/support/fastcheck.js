// Property tests by fast-check: COPSE_RUNS sets how many cases are drawn, COPSE_SEED from what.

import fc from 'fast-check'

export const SEED = Number(process.env.COPSE_SEED ?? 1)

/** How many cases to draw. @param {number} usual for every change; the weekly runs set COPSE_RUNS */
export const runsOf = (usual) => Number(process.env.COPSE_RUNS ?? usual)

let held = 0
globalThis.process?.once?.('exit', () => {
  const { user, system } = process.cpuUsage()
  const seconds = ((user + system) / 1e6).toFixed(1)
  if (held) console.log(`${held} drawn cases held, from seed ${SEED}, in ${seconds} s`)
})

/** Plays so many drawn cases. The first that throws is made as small as it can be, and named with its seed. */
export function forAll(drawn, runs, play) {
  const property = fc.property(drawn, (one) => {
    play(one)
    held++
  })
  fc.assert(property, { seed: SEED, numRuns: runs, includeErrorInReport: true })
}
