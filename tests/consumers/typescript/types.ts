import { AgentTree } from 'copse'
import { Grid, type GridOptions, type Stats } from 'copse/grid'
import { KdTree3D, type KdTreeOptions } from 'copse/kdtree'

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
