// The script of a worker that is a thread of an instance: waits for the core and its memory, and then
// works until the worker is terminated. Imports nothing: build.js puts its text into the entry
// 'copse/threads', which starts workers from it. The file is also an entry, 'copse/thread', for pages
// whose policy allows only workers from files.

const { parentPort } =
  /** @type {any} */ (globalThis).process?.getBuiltinModule?.('node:worker_threads') ?? {}
const port = parentPort ?? globalThis

const start = ({ module, memory, stack, index }) => {
  const env = { memory, emscripten_notify_memory_growth() {} }
  const { exports } = /** @type {any} */ (new WebAssembly.Instance(module, { env }))
  exports.stackRestore(stack)
  port.postMessage('ready')
  try {
    exports.threads_work(index)
  } catch (error) {
    exports.threads_fail()
    throw error
  }
}

if (parentPort) parentPort.on('message', start)
else port.addEventListener('message', (event) => start(event.data))
