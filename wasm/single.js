// Replaces complete.js in entries with few classes, such as 'copse/grid' and 'copse/crowd'.

import { INDEX_OPTIONS, Points } from './points.js'

export { INDEX_OPTIONS, INDEX_OPTIONS as GRID_OPTIONS, Points, Points as GridPoints }
export const withFollow = (Class) => Class
export const withFrustum = (Class) => Class
