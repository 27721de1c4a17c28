// What only the entries with all classes have: the option `source` of indexes of points, the option
// `wrap` of grids, and frustum queries; and what only these and 'copse/paths' have: crowds that follow
// flow fields. In the other entries, single.js replaces this module (see build.js), and the core lacks
// their functions.

export { withFollow } from './follow.js'
export { withFrustum } from './frustum.js'
export { INDEX_OPTIONS, Points } from './sourced.js'
export { GRID_OPTIONS, GridPoints } from './wrap.js'
