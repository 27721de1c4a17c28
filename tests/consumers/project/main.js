import { init, AgentTree } from 'copse'

await init()
const agents = new AgentTree({ capacity: 3 })
agents.slots = 3
agents.positions.set([0, 0, 1, 0, 5, 5])
agents.build()
console.log(...agents.within(0, 0, 2)) // 0 1
