// Compares one step of the crowd with the reference implementations of the algorithm. tests/data/golden/ has
// states, the next velocity of each agent, and its number of neighbors.

import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'

const test = suite('golden')
const folder = new URL('../data/golden/', import.meta.url)
const load = (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'))

const length = (vector) => Math.hypot(...vector)
const distance = (a, b) => length(a.map((x, axis) => x - b[axis]))

/** Returns by how much a velocity violates the most violated constraint. */
function violation(constraints, velocity) {
  const dimensions = velocity.length
  let worst = 0
  for (let i = 0; i < constraints.length; i += 2 * dimensions) {
    const [x, y, u, v, w, n] = constraints.subarray(i, i + 2 * dimensions)
    const excess =
      dimensions === 2
        ? u * (y - velocity[1]) - v * (x - velocity[0])
        : v * (x - velocity[0]) + w * (y - velocity[1]) + n * (u - velocity[2])
    worst = Math.max(worst, excess)
  }
  return worst
}

/** Creates the crowd of a file, with its walls. */
async function create({ dimensions, columns, obstacles, agents }) {
  const instance = await copse.create()
  const options = { capacity: agents.length, maxNeighbors: 64, exact: true, instance }
  const crowd = new copse[dimensions === 2 ? 'Crowd' : 'Crowd3D'](options)
  if (obstacles.length) {
    crowd.obstacles = new copse.ObstacleTree({ capacity: 100, instance })
    for (const loop of obstacles) crowd.obstacles.addPolygon(loop.flat(), { solid: 'winding' })
    crowd.obstacles.build()
  }
  const axes = ['x', 'y', 'z'].slice(0, dimensions)
  const rows = agents.map((row) => {
    const value = Object.fromEntries(columns.map((name, i) => [name, row[i]]))
    const vector = (prefix) => axes.map((a) => value[prefix ? prefix + a.toUpperCase() : a])
    const velocity = axes.map((a) => value[`v${a}`])
    crowd.add({
      position: vector(''),
      velocity,
      preferredVelocity: vector('pref'),
      radius: value.radius,
      maxSpeed: value.maxSpeed,
      neighborDistance: value.neighborDistance,
      maxNeighbors: value.maxNeighbors,
      timeHorizon: value.timeHorizon,
      obstacleTimeHorizon: value.obstacleTimeHorizon ?? 1,
    })
    const preferred = vector('pref')
    const scale = Math.min(1, value.maxSpeed / length(preferred))
    const next = axes.map((a) => value[`newV${a}`])
    return { ...value, next, preferred: preferred.map((x) => (scale < 1 ? x * scale : x)) }
  })
  return { crowd, rows }
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
  test(file, async () => {
    const state = load(file)
    const { crowd, rows } = await create(state)
    const constraintsOf = rows.map((row, slot) => {
      const { neighbors, constraints } = crowd.inspect(slot, state.timeStep)
      assert.is(neighbors.length, row.neighborCount, `neighbors of ${slot}`)
      return constraints.slice()
    })
    crowd.step(state.timeStep)
    const counts = { feasible: 0, feasibleSame: 0, infeasible: 0, infeasibleSame: 0 }
    rows.forEach((row, slot) => {
      const offset = slot * state.dimensions
      const velocity = [...crowd.velocities.subarray(offset, offset + state.dimensions)]
      const difference = distance(velocity, row.next)
      const worst = violation(constraintsOf[slot], velocity)
      if (row.violation <= 1e-4) {
        counts.feasible++
        if (difference <= 1e-3 * row.maxSpeed) counts.feasibleSame++
        const excess = distance(velocity, row.preferred) - distance(row.next, row.preferred)
        assert.ok(
          excess <= 1e-3 * row.maxSpeed,
          `agent ${slot} is ${excess} farther from its preferred velocity`,
        )
        assert.ok(worst <= 1e-4, `agent ${slot} breaks a constraint by ${worst}`)
      } else {
        counts.infeasible++
        if (difference <= 1e-2 * row.maxSpeed) counts.infeasibleSame++
        // The file's own figure has only four digits, so it is computed again.
        const reference = violation(constraintsOf[slot], row.next)
        assert.ok(worst - reference <= 1e-3, `agent ${slot}: ${worst}, the reference ${reference}`)
      }
    })
    assert.ok(counts.feasibleSame >= 0.995 * counts.feasible, JSON.stringify(counts))
    assert.ok(counts.infeasibleSame >= 0.9 * counts.infeasible, JSON.stringify(counts))
  })

test.run()
