import { init, AgentTree } from 'copse'

// Not awaited here: Vite's workers are no modules once built, so they have no top-level await.
const ready = init()

onmessage = async ({ data }) => {
  await ready
  const agents = new AgentTree({ capacity: 3 })
  agents.count = 3
  agents.positions.set(data)
  agents.build()
  postMessage(agents.within(0, 0, 2))
}
