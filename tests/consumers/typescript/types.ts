import {
  AgentTree,
  CopseError,
  Crowd,
  Crowd3D,
  type CrowdView,
  FlowField,
  type NeighborRows,
  type ObstacleHit,
  ObstacleTree,
  type Pairs,
  type Path,
  type Rows,
  Sensors,
} from 'copse'
import { Grid, type GridOptions, type Stats } from 'copse/points'
import { KdTree3D, type KdTreeOptions } from 'copse/points'
import { type BoxHit3D, Octree, type OctreeStats, Quadtree } from 'copse/boxes'

const agents = new AgentTree({ capacity: 3, split: 'median' })
export const near: Uint32Array = agents.within(0, 0, 2, { sort: 'distance', exclude: 2 })
export const nearest: number = agents.nearest(0, 0, { maxDistance: 2 })
// @ts-expect-error the radius is a number
agents.within(0, 0, '2')

const options: GridOptions = { cellSize: 2 }
export const stats: Stats = new Grid(options).stats()
// @ts-expect-error the size of a cell has no default
new Grid({})

new Grid({ cellSize: 2, wrap: [0, 0, 9, 9] })
// @ts-expect-error the sides of a world are an array
new Grid({ cellSize: 2, wrap: 9 })

const presorted: KdTreeOptions = { builder: 'presort' }
export const tree: KdTree3D = new KdTree3D(presorted)
tree.restore(new KdTree3D(presorted).save())
// @ts-expect-error there is no such builder
new KdTree3D({ builder: 'fast' })
// @ts-expect-error bytes are a Uint8Array
tree.restore([1, 2, 3])

const zones = new Quadtree({ bounds: [0, 0, 9, 9], looseness: 2 })
export const slot: number = zones.add(1, 2)
zones.move(slot, 1, 2, 3, 4)
// @ts-expect-error neither a point nor a box
zones.add(1, 2, 3)
// @ts-expect-error neither a point nor a box
zones.move(slot, 1, 2, 3)
export const figures: OctreeStats = zones.stats()
// @ts-expect-error the world has no default
new Quadtree({ capacity: 3 })
// @ts-expect-error a box has four sides
zones.add(1)

const space = new Octree({ bounds: [0, 0, 0, 9, 9, 9] })
export const first: BoxHit3D | null = space.raycast(0, 0, 0, 9, 9, 9, { exclude: slot, inflate: 1 })
// @ts-expect-error it may be null
export const fraction: number = space.raycast(0, 0, 0, 9, 9, 9).fraction
export const { ids, count }: Pairs = space.pairs({ mask: 1 })
// @ts-expect-error pairs have no option exclude
space.pairs({ exclude: 1 })
// @ts-expect-error boxes have no distance: they touch or overlap
space.pairs({ distance: 1 })
// @ts-expect-error the result is an object, not an array of ids
export const overlapping: Uint32Array = space.pairs()

// Points: agents one by one, or all at once
agents.slots = 2
export const agent: number = agents.add(1, 2)
agents.move(agent, 3, 4)
agents.remove(agent)
export const generation: number | undefined = agents.generations[agent]
// @ts-expect-error read-only
agents.count = 3
// @ts-expect-error there is no z in 2D
agents.add(1, 2, 3)
// @ts-expect-error results are reserved by reserve()
new AgentTree({ results: 100 })
agents.reserve(1000, { results: 1000, k: 8 })
// @ts-expect-error a box has no center to sort by distance from
agents.range(0, 0, 1, 1, { sort: 'distance' })
export const seen: Uint32Array = space.frustum(new Float32Array(24), { mask: 1, sort: 'id' })
// @ts-expect-error a query has no argument for its results
space.frustum(new Float32Array(24), new Uint32Array(9))
// @ts-expect-error a frustum has no center to sort by distance from
space.frustum(new Float32Array(24), { sort: 'distance' })
// @ts-expect-error planes are in one Float32Array
space.frustum([1, 0, 0, 0])
// @ts-expect-error only 3D classes have it
agents.frustum(new Float32Array(24))
// @ts-expect-error rows are never truncated
export const truncated: boolean = agents.allWithin(2).truncated
export const touching: Pairs = agents.pairs()
export const pairCount: number = agents.pairs({ distance: 2, mask: 1 }).count
// @ts-expect-error the distance is an option
agents.pairs(2)
// @ts-expect-error radii are an array of the index, not an option
agents.pairs({ radii: new Float32Array(2) })
// @ts-expect-error a misspelled option
agents.within(0, 0, 1, { msak: 1 })
// @ts-expect-error a count has no order
agents.countWithin(0, 0, 1, { sort: 'id' })
agents.neighbors(0, 0, 3, { distances2: true })
export const squared: Float32Array = agents.distances2
// @ts-expect-error read-only
agents.distances2 = new Float32Array(3)
// @ts-expect-error true or false: the object keeps the distances
agents.within(0, 0, 1, { distances2: new Float32Array(3) })
// @ts-expect-error a range measures no distances
agents.range(0, 0, 1, 1, { distances2: true })
export const rows: NeighborRows = agents.neighborsMany(new Float32Array(2), 3, { maxDistance: 9 })
export const rows2: NeighborRows = space.neighborsMany(new Float32Array(3), 3)
export const rows3: NeighborRows = agents.allNeighbors(3, { mask: 1 })
// @ts-expect-error the number of neighbors is an argument
agents.neighborsMany(new Float32Array(2), { k: 3 })
// @ts-expect-error the number of neighbors is an argument
agents.allNeighbors({ k: 3 })

// Walls and crowds
const walls = new ObstacleTree()
export const wall: number = walls.addPolygon([0, 0, 1, 0, 1, 1], { solid: 'outside' })
export const nearestWall: number = walls.nearest(0, 0)
// @ts-expect-error there is no such value
walls.addPolygon([0, 0, 1, 0, 1, 1], { solid: 'boundary' })
// @ts-expect-error it may be null
export const distance: number = walls.nearestPoint(0, 0).distance
walls.within(0, 0, 1, { side: 'visible', distances2: true })
export const squaredToWalls: Float32Array = walls.distances2
export const shot: ObstacleHit | null = walls.raycast(0, 0, 1, 1)
const crowd = new Crowd({ capacity: 9 })
crowd.obstacles = walls
const walker = crowd.add({ position: [0, 0] })
crowd.move(walker, 1, 1)
crowd.step(0.1)
// @ts-expect-error the time step has no default
crowd.step()
export const time: number = crowd.stats().time
export const { neighbors, obstacles, constraints, obstacleConstraints }: CrowdView = crowd.inspect(
  walker,
  0.1,
)
// @ts-expect-error the time step has no default
crowd.inspect(walker)
// @ts-expect-error the position has no default
crowd.add({ radius: 1 })
const flock = new Crowd3D()
// @ts-expect-error there is a z in 3D
flock.move(0, 1, 1)

// Sensors
const sensors = new Sensors({ index: agents, capacity: 9 })
const sensor = sensors.add({ box: [0, 0, 1, 1], exitRadius: 2 })
sensors.add({ agent, radius: 1, mask: 2 })
sensors.move(sensor, 0, 0, 1, 1)
export const { left, entered }: { left: Rows; entered: Rows } = sensors.update()
// @ts-expect-error a circle has no default radius
sensors.add({ position: [0, 0] })
// @ts-expect-error it is either around an agent or at a place of its own
sensors.add({ agent, position: [0, 0], radius: 1 })
// @ts-expect-error there is no z in 2D
sensors.move(sensor, 0, 0, 0)
// @ts-expect-error it finds the agents of an index
new Sensors({ index: crowd })

// Paths around walls
const field = new FlowField({
  bounds: [0, 0, 9, 9],
  cell: 0.5,
  radius: 0.5,
  capacity: 99,
  goals: 9,
})
field.obstacles = walls
field.obstacles = null
field.setGoals([1, 2], [3])
field.setGoalAreas(new Float32Array(4))
field.reserve(200, { goals: 20 })
export const isComplete: boolean = field.buildPart(1000)
export const isCurrent: boolean = field.isCurrent
// @ts-expect-error read-only
field.isCurrent = true
export const toGoal: Float32Array = field.direction(1, 2)
// @ts-expect-error a query has no argument for its results
field.direction(1, 2, new Float32Array(2))
const path: Path = field.path(1, 2)
export const corners: Float32Array = path.corners
export const pathLength: number = path.length
export const isReached: boolean = path.reached
// @ts-expect-error a query has no argument for its results
field.path(1, 2, new Float32Array(8))
export const { directions, distances }: { directions: Float32Array; distances: Float32Array } =
  field.directionMany(new Float32Array(2))
// @ts-expect-error the side of a cell has no default
new FlowField({ bounds: [0, 0, 9, 9] })
// @ts-expect-error a flow field has no slots
export const slotCount: number = field.slots
// @ts-expect-error it is read-only
field.distances = new Float32Array(4)
// @ts-expect-error the walls are an obstacle tree
field.obstacles = crowd

// Errors
try {
  agents.restore(agents.save())
} catch (error) {
  if (error instanceof CopseError && error.code === 'BAD_SNAPSHOT')
    void (error.index satisfies number)
}
// @ts-expect-error there is no such code
export const isOdd: boolean = new CopseError('FULL', '').code === 'EMPTY'
