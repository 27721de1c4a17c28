import { AgentTree } from 'copse'

const agents = new AgentTree({ capacity: 3, split: 'median' })
export const near: Uint32Array = agents.within(0, 0, 2, { sort: 'distance', exclude: 2 })
export const nearest: number = agents.nearest(0, 0, { maxDistance: 2 })
// @ts-expect-error the radius is a number
agents.within(0, 0, '2')
