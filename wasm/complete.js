// What most entries with few classes lack: the option `source` of indexes of points, the option
// `wrap` of grids, frustum queries, and crowds that follow flow fields. The entry 'copse/paths' has
// the last of these only. In the entries that lack all of them, single.js replaces this module (see
// build.js). Their cores lack the C functions too.

export { withFollow } from './follow.js'
export { withFrustum } from './frustum.js'
export { INDEX_OPTIONS, Points } from './sourced.js'
export { GRID_OPTIONS, GridPoints } from './wrap.js'
