// The entry 'copse/worker': runs a world in a worker and shows it on a page. It has no core, and
// does not depend on the other entries.

export { connectWorld, runWorld } from '../worker.js'
