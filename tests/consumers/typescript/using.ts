// Needs a TypeScript library with `Symbol.dispose`.
import { AgentTree } from 'copse'

{
  using tree = new AgentTree()
  tree.build()
}
