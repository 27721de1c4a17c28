// Imported before all other modules.

// A page has room for 125 instances. The instance of an index that was dropped without dispose() is
// reclaimed only in a later task, and tests that never wait leave no time for that: so each instantiation waits
// for a task first.
const { instantiate } = WebAssembly
WebAssembly.instantiate = async (...args) => {
  await new Promise((resolve) => setTimeout(resolve))
  return instantiate(...args)
}
