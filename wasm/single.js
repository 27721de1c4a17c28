// Replaces complete.js in the entries with one class, see build.js.

import { INDEX_OPTIONS, Points } from './points.js'

export { INDEX_OPTIONS, INDEX_OPTIONS as GRID_OPTIONS, Points, Points as GridPoints }
export const withFrustum = (Class) => Class
