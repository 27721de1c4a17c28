// Bytes and modules in a page, with the types of the DOM.
import { AgentTree, create, init } from 'copse'

await init({ wasm: new URL('https://example.org/core.wasm'), onGrow: () => undefined })
declare const module: WebAssembly.Module
const instance = await create({ wasm: module, growth: 'error' })
export const memory: WebAssembly.Memory = instance.memory
const tree = new AgentTree({ instance })
export const blob = new Blob([tree.save(), tree.positions])
export const sent = fetch('https://example.org', { method: 'POST', body: tree.save() })
new WebSocket('wss://example.org').send(tree.save())
// @ts-expect-error there is no such method
tree.load()
