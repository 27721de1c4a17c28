// What the reference describes: the entry 'copse', and the entries that have types of their own.

export * from '../../wasm/copse.js'
/** All classes of 'copse', with large work divided among threads. */
export * as 'copse/threads' from '../../wasm/threads.js'
/** Runs a world in a worker, and shows it on a page. */
export * as 'copse/worker' from '../../wasm/worker.js'
