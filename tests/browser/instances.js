// Imported first.

// A page has room for 125 instances. One whose index was forgotten, not disposed of, is taken back by
// tasks alone, and tests that never wait leave no time for them: so each instance begins with a task.
const { instantiate } = WebAssembly
WebAssembly.instantiate = async (...given) => {
  await new Promise((resolve) => setTimeout(resolve))
  return instantiate(...given)
}
