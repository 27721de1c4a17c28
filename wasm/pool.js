// Instances with several threads: workers that share the memory of the core. See threads.c for how
// they divide work.

import { callOf, checkInteger, refuse } from './errors.js'
import { Instance } from './init.js'
import source from './thread.js?text'

/** For the core's stack and data: INITIAL_MEMORY of the core with threads in the Makefile. */
const LEAST_BYTES = 2 ** 21
/** What a thread needs for its stack, in bytes. */
const STACK_BYTES = 2 ** 20
const MOST_THREADS = 64
/** More threads are rarely used: an option must ask for them. */
const USUAL_THREADS = 8
/** How long to wait for workers to start, in milliseconds. */
const START_TIME = 10_000

/** Ends the workers of an instance that was garbage-collected without `dispose()`. */
const undisposed = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry && new FinalizationRegistry((crew) => crew.end()))()

/** Returns a module of Node; in browsers, undefined. */
const nodeModule = (name) => /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name)
/**
 * Returns Node's module for workers. Used also in Deno and Bun: there, a `Worker` of the web may keep
 * a program from ending. Not in pages, as those of Electron have the module but can't use it.
 */
const nodeThreads = () => (globalThis.document ? undefined : nodeModule('node:worker_threads'))

/** Returns the number of processors. Node 20 has no `navigator`. */
const processors = () =>
  globalThis.navigator?.hardwareConcurrency ?? nodeModule('node:os')?.availableParallelism() ?? 1

/** Returns why this page or program can't have threads; '' if it can. */
function obstacle() {
  if (globalThis.crossOriginIsolated === false) return 'the page is not cross-origin isolated'
  if (typeof SharedArrayBuffer === 'undefined') return 'the engine has no shared memory'
  if (typeof Worker === 'undefined' && !nodeThreads()) return 'the engine has no workers'
  return ''
}

/** Starts a worker that runs thread.js, from its text: so no bundler must find a file. */
function startWorker() {
  const threads = nodeThreads()
  if (threads) return new threads.Worker(source, { eval: true })
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(url, { type: 'module', name: 'copse' })
  // Not earlier: the worker must have fetched its source.
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true })
  return worker
}

/** Calls `listener` with the data of each message, in a browser or in Node. */
function listen(worker, type, listener) {
  if (worker.on) worker.on(type, listener)
  else worker.addEventListener(type, (event) => listener(event.data ?? event))
}

/**
 * The workers of an instance, and why there are not more. Listeners of workers refer to this, not
 * to the instance: so an instance that is no longer used can be garbage-collected.
 */
class Crew {
  /** @type {any[]} */ workers = []
  reason = ''

  /**
   * Starts a worker and sends it `message`. Resolves when the worker is ready or has failed.
   */
  async start(workerFactory, message) {
    let worker
    try {
      worker = await workerFactory()
      await this.#ready(worker, message)
    } catch (why) {
      const error = /** @type {any} */ (why)
      this.reason ||= `a worker can't be started: ${error?.message ?? error}`
      worker?.terminate?.()
      return
    }
    worker.unref?.() // from now on, the worker does not keep the program from ending
    this.workers.push(worker)
  }

  #ready(worker, message) {
    return new Promise((resolve, reject) => {
      let timer
      const end = (error) => {
        clearTimeout(timer)
        this.#lose(worker, error)
        reject(error)
      }
      listen(worker, 'message', (data) => {
        if (data !== 'ready') return
        clearTimeout(timer)
        resolve(null)
      })
      listen(worker, 'error', (error) => end(error?.message ?? 'its script was blocked'))
      worker.on?.('exit', () => end('it ended'))
      worker.postMessage(message)
      timer = setTimeout(() => reject('it was not ready in time'), START_TIME)
    })
  }

  #lose(worker, why) {
    const place = this.workers.indexOf(worker)
    if (place < 0) return
    this.workers.splice(place, 1)
    this.reason ||= `a worker failed: ${why}`
  }

  /** Ends all workers. */
  end() {
    for (const worker of this.workers.splice(0)) worker.terminate()
  }
}

/** An instance whose builds, batches and crowd steps are divided among threads. */
export class ThreadedInstance extends Instance {
  #crew = new Crew()
  /** The function of the core that sets how many threads work. */
  #setThreads

  /** How many threads work, and why not more. */
  get threads() {
    const { workers, reason } = this.#crew
    return { count: 1 + workers.length, reason }
  }

  async load(entry, module, bytes, mayGrow, onGrow, options) {
    const call = callOf('init')
    const { threads, workerFactory = startWorker } = options
    if (threads !== undefined) checkInteger(call, 'threads', threads, 1, MOST_THREADS)
    if (typeof workerFactory !== 'function')
      refuse(call, 'workerFactory', workerFactory, 'a function', false)
    await super.load(entry, module, Math.max(bytes, LEAST_BYTES), mayGrow, onGrow, options)
    const wanted = threads ?? Math.min(processors(), USUAL_THREADS)
    const one = threads ? 'one thread was asked for' : 'there is one processor'
    const crew = this.#crew
    crew.reason = wanted === 1 ? one : obstacle()
    if (crew.reason) return this

    const wasm = /** @type {any} */ (this.enter())
    this.#setThreads = wasm.threads_set
    const starts = []
    for (let i = 1; i < wanted; i++) {
      const stack = wasm.threads_stack(STACK_BYTES) >>> 0
      const message = { module, memory: this.memory, stack, index: i }
      if (stack) starts.push(crew.start(workerFactory, message))
      else crew.reason = 'no memory for more stacks'
    }
    this.leave()
    await Promise.all(starts)
    if (crew.workers.length) {
      this.#setThreads(this.threads.count)
      undisposed?.register(this, crew, this)
    }
    return this
  }

  /** Returns shared memory. If the engine can't reserve `maximum` pages, its maximum size is lower. */
  _reserve(initial, maximum) {
    for (let pages = maximum; ; pages = Math.max(initial, pages >> 1))
      try {
        return new WebAssembly.Memory({ initial, maximum: pages, shared: true })
      } catch (error) {
        if (pages === initial) throw error
      }
  }

  /** Ends the workers. Objects of this instance go on with one thread. */
  dispose() {
    this.#setThreads?.(1) // first: a worker that is being terminated must not begin a task
    this.#crew.end()
    this.#crew.reason = 'the instance was disposed'
    undisposed?.unregister(this)
  }
}
