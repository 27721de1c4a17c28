import { init, AgentTree } from 'copse'

onmessage = async ({ data }) => {
  await init() // here, because Vite builds workers as scripts without a top-level await
  const agents = new AgentTree({ capacity: 3 })
  agents.slots = 3
  agents.positions.set(data)
  agents.build()
  postMessage(agents.within(0, 0, 2).slice()) // a copy: a view would send the library's whole memory
}
