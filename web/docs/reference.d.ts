// What the reference describes: the entry 'copse', and the entries that have types of their own.

export * from '../../wasm/copse.js'
/** All classes of 'copse', with large work divided among threads. */
export * as 'copse/threads' from '../../wasm/threads.js'
