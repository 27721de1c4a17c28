// Replaces complete.js in the entries of one kind and in that of crowds, see build.js.

import { INDEX_OPTIONS, Points } from './points.js'

export { INDEX_OPTIONS, INDEX_OPTIONS as GRID_OPTIONS, Points, Points as GridPoints }
export const withFollow = (Class) => Class
export const withFrustum = (Class) => Class
