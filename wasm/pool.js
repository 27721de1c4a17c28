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

/** Terminates the workers of an instance that was garbage-collected without `dispose()`. */
const undisposed = /* @__PURE__ */ (() =>
  globalThis.FinalizationRegistry &&
  new FinalizationRegistry((workers) => {
    for (const worker of workers) worker.terminate()
  }))()

/** Returns `node:worker_threads` in Node; else undefined. */
const nodeThreads = () =>
  /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:worker_threads')

/** Returns why this page or program can't have threads; '' if it can. */
function obstacle() {
  if (globalThis.crossOriginIsolated === false) return 'the page is not cross-origin isolated'
  if (typeof SharedArrayBuffer === 'undefined') return 'the engine has no shared memory'
  if (typeof Worker === 'undefined' && !nodeThreads()) return 'the engine has no workers'
  return ''
}

/** Starts a worker that runs thread.js, from its text: so no bundler must find a file. */
function startWorker() {
  if (typeof Worker === 'undefined') return new (nodeThreads().Worker)(source, { eval: true })
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    return new Worker(url, { type: 'module', name: 'copse' })
  } finally {
    // Not at once: the worker may not have fetched its source yet.
    setTimeout(() => URL.revokeObjectURL(url), START_TIME)
  }
}

/** Calls `listener` with the data of each message, in a browser or in Node. */
function listen(worker, type, listener) {
  if (worker.on) worker.on(type, listener)
  else worker.addEventListener(type, (event) => listener(event.data ?? event))
}

/** An instance whose builds, batches and crowd steps are divided among threads. */
export class ThreadedInstance extends Instance {
  _isShared = true
  /** @type {any[]} */ #workers = []
  #wanted = 1
  #reason = ''

  /** How many threads work, and why not more. */
  get threads() {
    return { count: 1 + this.#workers.length, reason: this.#reason }
  }

  async load(entry, module, bytes, mayGrow, onGrow, options) {
    const call = callOf('init')
    const { threads, workerFactory = startWorker } = options
    if (threads !== undefined) checkInteger(call, 'threads', threads, 1, MOST_THREADS)
    if (typeof workerFactory !== 'function')
      refuse(call, 'workerFactory', workerFactory, 'a function', false)
    await super.load(entry, module, Math.max(bytes, LEAST_BYTES), mayGrow, onGrow, options)
    const processors = globalThis.navigator?.hardwareConcurrency ?? USUAL_THREADS
    this.#wanted = threads ?? Math.min(processors, USUAL_THREADS)
    this.#reason = this.#wanted === 1 ? 'one thread was asked for' : obstacle()
    if (!this.#reason) await this.#start(module, workerFactory)
    const count = this.#workers.length
    if (count) {
      const wasm = /** @type {any} */ (this.enter())
      wasm.threads_set(1 + count)
      this.leave()
      undisposed?.register(this, [...this.#workers], this)
    }
    return this
  }

  /** Starts the workers, and waits until each of them is ready or has failed. */
  async #start(module, workerFactory) {
    const starts = []
    for (let i = 1; i < this.#wanted; i++) starts.push(this.#startOne(module, workerFactory, i))
    await Promise.all(starts)
    const missing = this.#wanted - 1 - this.#workers.length
    if (missing) this.#reason ||= `${missing} of ${this.#wanted - 1} workers did not start`
  }

  async #startOne(module, workerFactory, index) {
    const wasm = /** @type {any} */ (this.enter())
    const stack = wasm.threads_stack(STACK_BYTES) >>> 0
    this.leave()
    if (!stack) {
      this.#reason = 'no memory for more stacks'
      return
    }
    let worker
    try {
      worker = await workerFactory()
    } catch (error) {
      this.#reason = `a worker can't be made: ${error}`
      return
    }
    const isReady = await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), START_TIME)
      const end = (isReady) => {
        clearTimeout(timer)
        resolve(isReady)
      }
      listen(worker, 'message', (data) => end(data === 'ready'))
      listen(worker, 'error', (error) => {
        this.#reason ||= `a worker failed: ${error?.message ?? 'its script was blocked'}`
        this.#lose(worker)
        end(false)
      })
      worker.on?.('exit', () => this.#lose(worker))
      worker.postMessage({ module, memory: this.memory, stack, index })
    })
    worker.unref?.() // from now on, the worker does not keep the program from ending
    if (isReady) this.#workers.push(worker)
    else worker.terminate()
  }

  #lose(worker) {
    const place = this.#workers.indexOf(worker)
    if (place < 0) return
    this.#workers.splice(place, 1)
    this.#reason ||= 'a worker ended'
  }

  /** Ends the workers. Objects of this instance go on with one thread. */
  dispose() {
    for (const worker of this.#workers.splice(0)) worker.terminate()
    this.#reason = 'the instance was disposed'
    undisposed?.unregister(this)
  }
}
