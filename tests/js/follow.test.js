// Crowds that follow flow fields: they arrive, and stay clear of walls.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'
import * as crowds from 'copse/crowd'
import { createRandom } from '../../web/random.js'

const follow = suite('follow')
const AGENTS = 60
const RADIUS = 0.4
const TIME_STEP = 0.1

/** Two rooms, with doors at both ends of the wall between them, and a crowd in the left one. */
function createTown(entry, instance, exact = false) {
  const { Crowd, FlowField, ObstacleTree } = entry
  const walls = new ObstacleTree({ instance, capacity: 100 })
  walls.addPolygon([-1, -1, 41, -1, 41, 21, -1, 21], { solid: 'outside' })
  walls.addPolygon([19, 3, 21, 3, 21, 17, 19, 17])
  const field = new FlowField({ instance, bounds: [-1, -1, 41, 21], cell: 0.5, radius: 0.42 })
  field.obstacles = walls
  const crowd = new Crowd({
    instance,
    capacity: AGENTS,
    radius: RADIUS,
    exact,
  })
  crowd.obstacles = walls
  const random = createRandom(7)
  for (let i = 0; i < AGENTS; i++)
    crowd.add({
      position: [1 + (i % 10) * 1.4 + 0.1 * random(), 5 + Math.floor(i / 10) * 1.4],
      groups: 1 << (i % 3),
    })
  return { walls, field, crowd }
}

/** Steps until all have arrived once; returns the number of those that have. */
function walk({ walls, crowd }, steps) {
  const hasArrived = new Set()
  for (let i = 0; i < steps; i++) {
    crowd.step(TIME_STEP)
    for (const slot of crowd.arrived()) hasArrived.add(slot)
    const { positions } = crowd
    for (let slot = 0; slot < AGENTS; slot++) {
      const [x, y] = positions.subarray(2 * slot, 2 * slot + 2)
      assert.not(walls.contains(x, y))
      const nearest = walls.nearestPoint(x, y)
      assert.ok(nearest.distance > 0.999 * RADIUS - 3e-5, `${nearest.distance}`)
    }
  }
  return hasArrived.size
}

for (const exact of [false, true])
  follow(
    `leads around walls, in every core with the same bits${exact ? ': exact' : ''}`,
    async () => {
      const hashes = []
      for (const entry of [copse, crowds]) {
        const town = createTown(entry, await entry.create(), exact)
        town.field.setGoalAreas([30, 2, 39, 18])
        town.field.build()
        town.crowd.follow(town.field)
        // In an exact crowd, agents that have arrived do not make way for others.
        const arrived = walk(town, 400)
        assert.ok(arrived >= (exact ? 50 : AGENTS), `${arrived}`)
        hashes.push(town.crowd.hash())
        for (const object of Object.values(town)) object.dispose()
      }
      assert.is(hashes[1], hashes[0])
    },
  )

follow('goes by groups, and the first field counts', async () => {
  const instance = await copse.create()
  const { walls, field, crowd } = createTown(copse, instance)
  const other = new copse.FlowField({ instance, bounds: [-1, -1, 41, 21], cell: 0.5, radius: 0.42 })
  other.obstacles = walls
  field.setGoals([35, 3])
  other.setGoals([35, 17])
  field.build()
  other.build()
  crowd.follow(field, { mask: 1 })
  crowd.follow(other, { mask: 1 | 2 })
  // Agents without a field do not make way: so whatever moves them would be a field.
  for (let slot = 2; slot < AGENTS; slot += 3) crowd.priorities[slot] = 1
  for (let i = 0; i < 500; i++) crowd.step(TIME_STEP)
  const check = (heights) => {
    const { goals, positions } = crowd
    for (let slot = 0; slot < AGENTS; slot++) {
      const height = heights[slot % 3]
      if (height === null) assert.ok(positions[2 * slot] < 19 && Number.isNaN(goals[2 * slot]))
      else assert.equal([...goals.subarray(2 * slot, 2 * slot + 2)], [35, height])
    }
  }
  check([3, 17, null])
  crowd.follow(field, { mask: 0 })
  crowd.step(TIME_STEP)
  check([17, 17, null])
  for (const object of [crowd, other, field, walls]) object.dispose()
})

follow('reports agents without a path as stuck, until there is one', async () => {
  const instance = await copse.create()
  const town = createTown(copse, instance)
  const { walls, field, crowd } = town
  const doors = [walls.addSegment(20, -1, 20, 3), walls.addSegment(20, 17, 20, 21)]
  field.setGoals([30, 10])
  field.build()
  crowd.follow(field)
  const stuck = new Set()
  for (let i = 0; i < 60; i++) {
    crowd.step(TIME_STEP)
    for (const slot of crowd.stuck()) stuck.add(slot)
  }
  assert.is(stuck.size, AGENTS)
  walls.remove(doors[0])
  for (let isDone = false; !isDone; crowd.step(TIME_STEP)) isDone = field.buildPart(500)
  assert.is(walk(town, 700), AGENTS)
  for (const object of Object.values(town)) object.dispose()
})

follow('goes on after a restore as if nothing had been', async () => {
  const instance = await copse.create()
  const [town, again] = [createTown(copse, instance), createTown(copse, instance)]
  for (const { field, crowd } of [town, again]) {
    field.setGoals([35, 3])
    field.build()
    crowd.follow(field)
  }
  for (let i = 0; i < 80; i++) town.crowd.step(TIME_STEP)
  again.crowd.restore(town.crowd.save())
  for (let i = 0; i < 80; i++) {
    town.crowd.step(TIME_STEP)
    again.crowd.step(TIME_STEP)
    assert.is(again.crowd.hash(), town.crowd.hash())
  }
  for (const object of [...Object.values(town), ...Object.values(again)]) object.dispose()
})

follow('survives growth of the crowd, the field and memory', async () => {
  const instance = await copse.create()
  const [town, same] = [createTown(copse, instance), createTown(copse, instance)]
  for (const { field, crowd } of [town, same]) {
    field.setGoals([35, 3])
    field.build()
    crowd.follow(field)
  }
  town.crowd.reserve(5000)
  town.field.reserve(20_000)
  const large = new copse.AgentTree({ instance, capacity: 500_000 })
  for (let i = 0; i < 80; i++) {
    town.crowd.step(TIME_STEP)
    same.crowd.step(TIME_STEP)
  }
  assert.equal(town.crowd.positions.subarray(0, 2 * AGENTS), same.crowd.positions)
  for (const object of [large, ...Object.values(town), ...Object.values(same)]) object.dispose()
})

follow('refuses what is not a field of the same instance', async () => {
  const instance = await copse.create()
  const { walls, field, crowd } = createTown(copse, instance)
  const refuses = (call, name, text) =>
    assert.throws(call, (error) => error.name === name && error.message.includes(text))
  refuses(() => crowd.follow({}), 'TypeError', 'field must be a FlowField')
  refuses(() => crowd.follow(walls), 'TypeError', 'field must be a FlowField')
  refuses(() => crowd.follow(field, { masks: 1 }), 'TypeError', "no option 'masks'")
  refuses(() => crowd.follow(field, { mask: 1.5 }), 'RangeError', 'mask')
  const foreign = new crowds.FlowField({
    instance: await crowds.create(),
    bounds: [0, 0, 9, 9],
    cell: 1,
    radius: 0.5,
  })
  refuses(() => crowd.follow(foreign), 'RangeError', "must be from 'copse', got 'copse/crowd'")
  assert.is(new copse.Crowd3D({ instance }).follow, undefined)
  const fields = []
  for (let i = 0; i < 32; i++) {
    fields.push(new copse.FlowField({ instance, bounds: [0, 0, 9, 9], cell: 1, radius: 0.5 }))
    crowd.follow(fields[i])
  }
  refuses(() => crowd.follow(field), 'CopseError', '32 fields')
  crowd.follow(fields[3], { mask: 2 })
  fields[5].dispose()
  refuses(() => crowd.step(TIME_STEP), 'CopseError', 'field must not be disposed')
  refuses(() => crowd.follow(fields[5]), 'CopseError', 'field must not be disposed')
  crowd.follow(fields[5], { mask: 0 })
  crowd.follow(field)
  crowd.step(TIME_STEP)
  for (const object of [crowd, field, walls, foreign, ...fields]) object.dispose()
})

follow('never touches a field or walls that were disposed', async () => {
  const instance = await copse.create()
  const { walls, field, crowd } = createTown(copse, instance)
  field.setGoals([35, 3])
  field.build()
  crowd.follow(field)
  crowd.step(TIME_STEP)
  field.dispose()
  crowd.follow(field, { mask: 0 })
  const { goals } = crowd
  for (let i = 0; i < 10; i++) crowd.step(TIME_STEP)
  assert.equal([...goals.subarray(0, 2)], [35, 3])
  const second = new copse.FlowField({
    instance,
    bounds: [-1, -1, 41, 21],
    cell: 0.5,
    radius: 0.42,
  })
  second.obstacles = walls
  second.setGoals([35, 17])
  second.build()
  crowd.follow(second)
  crowd.obstacles = null
  walls.dispose()
  assert.throws(
    () => crowd.step(TIME_STEP),
    (error) => error.code === 'DISPOSED',
  )
  crowd.follow(second, { mask: 0 }) // works, so that the crowd can go on
  crowd.step(TIME_STEP)
  crowd.follow(second)
  second.obstacles = null
  crowd.step(TIME_STEP)
  for (const object of [crowd, second]) object.dispose()
})

follow.run()
