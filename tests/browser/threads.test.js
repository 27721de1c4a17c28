// Threads in the scenes of the built demo: on isolated pages, as `make demo` serves them, and on pages of a plain server.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { headers } from '../../web/vite.config.js'
import { smallTargets, violations } from './axe.js'
import {
  demoState,
  frames,
  noErrors,
  openDemo,
  PHONE,
  picture,
  SMALL,
  still,
  until,
} from './demo.js'

const ISOLATED = suite('threads, isolated')
const PLAIN = suite('threads, not isolated')
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

for (const [test, sent] of /** @type {const} */ ([
  [ISOLATED, headers],
  [PLAIN, undefined],
])) {
  test.before(async () => (site = await openDemo(sent)))
  test.after.each(() => site.leavePages())
  test.after(() => site.close())
}

/** @typedef {import('playwright-core').Page} Page */

/** Runs in a page before its own scripts. */
const fourProcessors = () =>
  Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 4 })

/** Opens a page, which draws nothing until frames() or until(). @param {string} hash */
async function open(hash, options = SMALL) {
  const { page, errors } = await site.page(hash, options, fourProcessors)
  await frames(page, 15)
  return { page, errors }
}

/** @param {Page} page @param {string} count */
const choose = (page, count) => page.getByRole('combobox', { name: 'threads' }).selectOption(count)

/** Draws frames until the note below the control matches. @param {Page} page @param {RegExp} pattern */
async function noted(page, pattern) {
  const matches = (pattern) =>
    new RegExp(pattern).test(document.getElementById('note-threads')?.textContent.trim())
  try {
    await until(page, matches, pattern.source)
  } catch (cause) {
    const note = await page.evaluate(() => document.getElementById('note-threads')?.textContent)
    throw new Error(`the note is "${note}", not ${pattern}`, { cause })
  }
}

const MEASURED = /^2 threads at work\. .+: [\d.]+ .s, with one thread [\d.]+ .s: .+, equal ✓$/

for (const [scene, name] of Object.entries({
  'race&n=5000': 'with 2 threads',
  'flock&n=5000': 'one thread',
  'flock&n=5000&wrap=1': 'one thread',
  'circle&n=2000': 'one thread',
  // Unfitted: on a busy machine, fewer agents would fit a step, and their work might not be divided.
  'doorway&n=2000&fitting=0': 'one thread',
  'doorway&n=2000&fitting=0&worker=0': 'one thread',
}))
  ISOLATED(`two threads find the same as one: ${scene}`, async () => {
    const { page, errors } = await open(`#scene=${scene}`)
    await noted(page, /^1 thread at work\.$/)
    assert.is(await page.evaluate(() => crossOriginIsolated), true)
    await choose(page, '2')
    await noted(page, MEASURED)
    const result = (await demoState(page, 'results')).find((result) => result.name === name)
    assert.ok(result.total > 0 && result.equal, JSON.stringify(result))
    await choose(page, '1')
    await noted(page, /^1 thread at work\.$/)
    await frames(page, 5)
    await noErrors(page, errors)
  })

for (const scene of ['flock&n=5000', 'circle&n=2000'])
  ISOLATED(`the world stays when the threads change: ${scene}`, async () => {
    const { page, errors } = await open(`#scene=${scene}`)
    await page.keyboard.press('Space')
    await page.mouse.move(2, 2) // off the stage
    const before = await still(page, 2)
    await choose(page, '2')
    await noted(page, MEASURED)
    await page.evaluate(() => document.activeElement.blur())
    assert.ok((await picture(page)) === before)
    await noErrors(page, errors)
  })

ISOLATED('Doorway is the same world with any number of threads', async () => {
  const hashes = []
  for (const threads of [1, 2]) {
    const hash = `#scene=doorway&n=2000&fitting=0&paused=1&threads=${threads}`
    const { page, errors } = await open(hash)
    await noted(page, threads === 1 ? /^1 thread/ : /^2 threads/)
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press('.')
      await frames(page)
    }
    const shown = page.locator('#numbers div:has(dt:text-is("Hash, step 60")) dd')
    await until(page, () => document.body.textContent.includes('Hash, step 60'))
    hashes.push(await shown.textContent())
    await noErrors(page, errors)
  }
  assert.match(hashes[0], /^[0-9a-f]{8}$/)
  assert.is(hashes[1], hashes[0])
})

ISOLATED(
  'the entry is downloaded when threads are chosen, and small work has one thread',
  async () => {
    const { page, errors } = await open('#scene=flock&n=1000', PHONE)
    const downloads = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').filter(({ name }) => /\/threads-/.test(name)),
      )
    assert.is((await downloads()).length, 0)
    await page.locator('#toggle').click()
    const control = page.getByRole('combobox', { name: 'threads' })
    assert.equal(await control.locator('option').allTextContents(), ['1', '2', '4'])
    await control.focus()
    await page.keyboard.press('ArrowDown')
    await noted(page, /^1 thread at work: work is divided from 4,096 agents on\.$/)
    assert.is((await downloads()).length, 1)
    await until(page, () => location.hash.endsWith('&threads=2'))
    assert.equal(await smallTargets(page), [])
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme })
      assert.equal(await violations(page), [], colorScheme)
    }
    await noErrors(page, errors)
  },
)

ISOLATED('a scene goes on with one thread if the entry does not load', async () => {
  const { page } = await open('#scene=circle&n=2000')
  await page.route(/\/threads-/, (route) => route.abort())
  await choose(page, '2')
  await noted(page, /^1 thread at work: copse\/threads did not start\.$/)
  await frames(page, 5)
  assert.equal(await demoState(page, 'errors'), [])
})

for (const scene of ['race', 'flock', 'circle', 'doorway', 'doorway&worker=0'])
  PLAIN(`one thread works, and the control says why: ${scene}`, async () => {
    const { page, errors } = await open(`#scene=${scene}`)
    assert.is(await page.evaluate(() => crossOriginIsolated), false)
    await choose(page, '2')
    await noted(page, /^1 thread at work: the page is not cross-origin isolated\.$/)
    await until(page, () => window.copseDemo.hits > 0)
    await noErrors(page, errors)
  })

ISOLATED.run()
PLAIN.run()
