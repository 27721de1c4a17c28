// The one deadline of all waits, and the wait outside of a page. Also used in pages.

/** Milliseconds after which a wait fails: long, because tests also run on busy machines. */
export const MAX_WAITING = 120_000
const EVERY = 5 // milliseconds between two tests of a condition

/**
 * Waits until a condition holds.
 * @param {() => unknown} holds may return a promise
 * @param {string | (() => unknown)} [message] what is waited for, or a function that returns it
 */
export async function eventually(holds, message = String(holds)) {
  const end = performance.now() + MAX_WAITING
  while (!(await holds())) {
    if (performance.now() > end) {
      const what = typeof message === 'function' ? message() : message
      throw new Error(`timed out waiting for this: ${what}`)
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY))
  }
}
