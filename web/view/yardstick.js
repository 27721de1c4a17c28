// A measurement for the first screen: copse and rbush at the task of the scene Race, on this device, now. Race has
// more libraries and settings.

import * as simd from 'copse'
import * as copseLoops from '../peers/loops.js?copse'
import * as rbushLoops from '../peers/loops.js?rbush'
import { copseOf, rbush } from '../peers/peers.js'
import { RUNS, timeTurn } from '../peers/turn.js'
import { createRandom, WORLD } from '../random.js'
import { median } from './clock.js'
import { FRAME } from './pace.js'
import { spawn } from './spawn.js'

const UNITS = 5_000
const RADIUS = 25.25 // ten neighbors each, about
const WARM_UP = 2 // turns left out: they compile code
const MOMENTS = 8 // of positions kept
const REST = 40 // ms between turns, for the scene

const rest = () => new Promise((resolve) => setTimeout(resolve, REST))

/**
 * Measures how long each library takes to build its index of moving units and to find all neighbors: they take
 * turns. Returns the median times in ms, and whether the results were equal after every turn.
 */
export async function measure() {
  const crowd = spawn('uniform', UNITS, WORLD, WORLD, createRandom(1))
  const { GRAIN } = copseLoops
  const grained = (x) => GRAIN * Math.round(x / GRAIN)
  const snapshotOf = () => ({
    ...{ positions: crowd.positions.map(grained), n: UNITS, dimensions: 2, radius: RADIUS },
  })
  const create = (create, loops) => ({ peer: create(snapshotOf()), loops, builds: [], queries: [] })
  const libraries = [create(copseOf(simd), copseLoops), create(rbush, rbushLoops)]
  const moments = []
  let equal = true
  for (let turn = 0; turn < WARM_UP + RUNS; turn++) {
    crowd.move(FRAME)
    const snapshot = snapshotOf()
    moments.unshift(snapshot.positions)
    moments.splice(MOMENTS)
    for (const library of libraries) {
      await rest()
      const { build, query } = timeTurn(library, moments, snapshot)
      library.hash = library.loops.hashAllWithin(library.peer, snapshot)
      if (turn < WARM_UP) continue
      library.builds.push(build)
      library.queries.push(query)
    }
    equal &&= libraries[0].hash === libraries[1].hash
  }
  for (const { peer } of libraries) peer.dispose?.()
  const [copse, other] = libraries.map(({ builds, queries }) => median(builds) + median(queries))
  return { units: UNITS, copse, rbush: other, equal }
}
