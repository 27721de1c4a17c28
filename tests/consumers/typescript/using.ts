// Needs a library that knows `Symbol.dispose`.
import { AgentTree } from 'copse'

{
  using tree = new AgentTree()
  tree.build()
}
