// The entry 'copse/grid': Grid and Grid3D, with a SIMD core that contains only these two classes.

import core from '../core-grid.wasm?deflated'
import { inflate } from '../inflate.js'
import { entry } from '../init.js'

export { Grid, Grid3D } from '../grid.js'
export { CopseError } from '../errors.js'

export const { init, create } = /* @__PURE__ */ entry('copse/grid', () => inflate(core))
