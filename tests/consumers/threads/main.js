import { init, AgentTree } from 'copse/threads'

const { threads } = await init({ threads: 2 })
const agents = new AgentTree({ capacity: 5000 }) // enough to divide the work
agents.slots = 5000
for (let i = 0; i < 10_000; i++) agents.positions[i] = (i * 7919) % 1009
agents.build()
console.log(threads.count, threads.reason || 'threads', agents.allWithin(9).total)
