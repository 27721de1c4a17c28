// What every entry exports whatever its classes: the types that they share, and the error.

/** @typedef {import('./queryable.js').IntoOptions} IntoOptions */
/** @typedef {import('./queryable.js').NearestOptions} NearestOptions */
/** @typedef {import('./queryable.js').QueryOptions} QueryOptions */
/** @typedef {import('./errors.js').ErrorCode} ErrorCode */
/** @typedef {import('./errors.js').StateCode} StateCode */
/** @typedef {import('./init.js').InitOptions} InitOptions */
/** @typedef {import('./init.js').Instance} Instance one copy of the library and its `memory` */
/** @typedef {import('./init.js').WasmSource} WasmSource */
/** @typedef {import('./spatialindex.js').AllNeighborsOptions} AllNeighborsOptions */
/** @typedef {import('./spatialindex.js').BatchOptions} BatchOptions */
/** @typedef {import('./spatialindex.js').Hit} Hit */
/** @typedef {import('./spatialindex.js').Hit3D} Hit3D */
/** @typedef {import('./spatialindex.js').Hits} Hits */
/** @typedef {import('./spatialindex.js').IndexOptions} IndexOptions */
/** @typedef {import('./spatialindex.js').NeighborRows} NeighborRows */
/** @typedef {import('./spatialindex.js').RayOptions} RayOptions */
/** @typedef {import('./spatialindex.js').Rows} Rows */
/** @typedef {import('./spatialindex.js').Stats} Stats */

export { CopseError } from './errors.js'
