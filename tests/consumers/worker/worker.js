import { init, AgentTree } from 'copse'

onmessage = async ({ data }) => {
  await init() // not outside: what Vite builds of a worker is no module
  const agents = new AgentTree({ capacity: 3 })
  agents.slots = 3
  agents.positions.set(data)
  agents.build()
  postMessage(agents.within(0, 0, 2).slice()) // a view would send all of the library's memory
}
