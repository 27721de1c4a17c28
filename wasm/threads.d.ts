// The manual of 'copse/threads': all classes of 'copse', with large work divided among threads.

import type { InitOptions, Instance } from './copse.js'

export * from './copse.js'

/** The options of {@link init} and {@link create} in 'copse/threads'. */
export interface ThreadOptions extends InitOptions {
  /**
   * How many threads work, the calling one included: 1 to 64. Default: the number of processors, at
   * most 8.
   */
  threads?: number
  /**
   * Makes a worker that runs the script 'copse/thread', for pages whose policy does not allow
   * workers from `blob:` URLs:
   * `() => new Worker(new URL('copse/thread', import.meta.url), { type: 'module' })`, in the
   * form that your bundler needs. Default: the worker is made from the text of that script.
   */
  workerFactory?: () => any
}

/** How many threads work, and why not more. */
export interface Threads {
  /** The number of threads, the calling one included. */
  readonly count: number
  /** Why there are not as many threads as you asked for; '' if there are. */
  readonly reason: string
}

/** An instance whose builds, batches and crowd steps are divided among threads. */
export interface ThreadedInstance extends Instance {
  /** How many threads work, and why not more. */
  readonly threads: Threads
  /** Ends the workers. The objects of the instance go on with one thread. */
  dispose(): void
}

/**
 * Loads the core, starts the workers, and makes the default instance. When the promise resolves, all
 * threads are ready. If there can't be any, the promise resolves all the same: everything works with
 * one thread, and `threads` says why.
 */
export function init(options?: ThreadOptions): Promise<ThreadedInstance>

/** Makes another instance, with workers of its own. */
export function create(options?: ThreadOptions): Promise<ThreadedInstance>
