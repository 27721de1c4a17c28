// The public face, all but init() and create(), which each entry binds to its core.

export { AgentTree, AgentTree3D } from './agenttree.js'
export { CopseError } from './errors.js'
