// The entry 'copse/grid': Grid and Grid3D, over a SIMD core that holds nothing else.

import core from '../core-grid.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

/** @typedef {import('../grid.js').CellOptions} CellOptions */
/** @typedef {import('../grid.js').GridOptions} GridOptions */

export { Grid, Grid3D } from '../grid.js'
export * from '../common.js'

export const { init, create } = /* @__PURE__ */ entry(() => inflate(core))
