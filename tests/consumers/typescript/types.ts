import { AgentTree } from 'copse'
import { Grid, type GridOptions, type Stats } from 'copse/grid'
import { KdTree3D, type KdTreeOptions } from 'copse/kdtree'
import { type BoxHit3D, Octree, type OctreeStats, Quadtree } from 'copse/octree'

const agents = new AgentTree({ capacity: 3, split: 'median' })
export const near: Uint32Array = agents.within(0, 0, 2, { sort: 'distance', exclude: 2 })
export const nearest: number = agents.nearest(0, 0, { maxDistance: 2 })
// @ts-expect-error the radius is a number
agents.within(0, 0, '2')

const options: GridOptions = { cellSize: 2 }
export const stats: Stats = new Grid(options).stats()
// @ts-expect-error the size of a cell has no default
new Grid({})

const presorted: KdTreeOptions = { builder: 'presort' }
export const tree: KdTree3D = KdTree3D.from(new KdTree3D(presorted).save(), { capacity: 9 })
// @ts-expect-error there is no such builder
new KdTree3D({ builder: 'fast' })
// @ts-expect-error bytes are a Uint8Array
KdTree3D.from([1, 2, 3])

const zones = new Quadtree({ bounds: [0, 0, 9, 9], looseness: 2 })
export const slot: number = zones.insert(1, 2)
zones.move(slot, 1, 2, 3, 4)
export const figures: OctreeStats = zones.stats()
// @ts-expect-error the world has no default
new Quadtree({ capacity: 3 })
// @ts-expect-error a box has four sides
zones.insert(1)

const space = new Octree({ bounds: [0, 0, 0, 9, 9, 9] })
export const first: BoxHit3D | null = space.raycast(0, 0, 0, 9, 9, 9, { exclude: slot })
// @ts-expect-error it may be null
export const fraction: number = space.raycast(0, 0, 0, 9, 9, 9).fraction
// @ts-expect-error pairs are not excluded
space.pairs({ exclude: 1 })
