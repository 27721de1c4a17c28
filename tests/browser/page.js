// Runs the suites and scenes that the address names, one after another, and posts a report of each: suites of
// suites.js, or of the list that replaces it, and `scene=` with the name of a scene of the demo, which the server has in
// demo/.

import './instances.js'
import { create } from 'copse/threads'
import { startScene } from './scene.js'

globalThis.UVU_DEFER = 1 // uvu, imported from here on, queues tests instead of running them
const { suites } = await import('./suites.js')
console.log = () => {} // uvu's dots

let output = ''
const fail = (/** @type {any} */ error) => (output += `${error}\n${error?.stack ?? ''}\n`)
console.error = fail
addEventListener('error', (event) => fail(event.message))
addEventListener('unhandledrejection', (event) => fail(event.reason))

/** @param {string} name @returns {Promise<import('./reports.js').Report>} */
async function run(name) {
  output = ''
  let [passed, failed] = [0, 0]
  try {
    if (name.startsWith('scene=')) {
      await startScene(name)
      passed = 1
    } else {
      globalThis.UVU_QUEUE = [[]]
      await suites[name]()
      for (const play of globalThis.UVU_QUEUE[0]) {
        const [errors, succeeded, , total] = await play()
        if (succeeded < total) fail(errors === true ? 'a hook threw' : errors) // uvu hides errors of hooks
        passed += succeeded
        failed += total - succeeded
      }
      if (passed + failed === 0) fail('it has no tests')
    }
  } catch (error) {
    fail(error)
  }
  const threads = ['smoke', 'threads'].includes(name) ? await threadsHere() : undefined
  return { name, passed, failed: Math.max(failed, Number(output !== '')), output, threads }
}

/** Returns how many of two threads work in this page, and why not more. */
async function threadsHere() {
  const instance = await create({ threads: 2 })
  const { threads } = instance
  instance.dispose()
  return threads
}

for (const name of location.search.slice(1).split(','))
  await fetch('report', { method: 'POST', body: JSON.stringify(await run(name)) })
