// The browser part of `make test`, in one Chromium, one page at a time: the package as installed, in a page and with
// threads in an isolated one; the first screen and every scene of the built demo; and a gesture in five scenes.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { launch } from './chromium.js'
import {
  allEqual,
  changed,
  demoState,
  frames,
  goToScene,
  LONG,
  noErrors,
  notBlank,
  number,
  openDemo,
  picture,
  scenes,
  SMALL,
  still,
  until,
} from './demo.js'
import { buildPage, ISOLATED, openIn, reportsOf } from './reports.js'
import { MAX_WAITING } from './waiting.js'

const smoke = suite('smoke')
/** @type {import('playwright-core').Browser} */
let browser
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

smoke.before(async () => {
  browser = await launch()
  site = await openDemo(undefined, browser)
})
smoke.after.each(() => site.leavePages())
smoke.after(async () => {
  await site?.close()
  await browser?.close()
})

/** @typedef {import('playwright-core').Page} Page */

// ---- The package ----

smoke('Vite bundles the package as installed from its tarball', () => buildPage('smoke'))

const PLAIN = 'the page is not cross-origin isolated'

for (const [title, headers, expected] of /** @type {const} */ ([
  ['an isolated page, with two threads', ISOLATED, { count: 2, reason: '' }],
  ['another page, which says why it has one thread', {}, { count: 1, reason: PLAIN }],
]))
  smoke(`the installed package works in ${title}`, async () => {
    const open = openIn(browser)
    const [report] = await reportsOf(['smoke'], MAX_WAITING / 1000, open, headers, 'smoke')
    assert.is(report.failed, 0, report.output)
    assert.ok(report.passed > 0)
    assert.equal(report.threads, expected)
  })

// ---- The demo ----

smoke('the first screen opens beside a running scene', async () => {
  const { page, errors } = await site.page('', { ...SMALL, live: true })
  await frames(page, 10)
  assert.ok(await page.locator('#landing').isVisible())
  await changed(page, await picture(page))
  assert.equal(await demoState(page, 'scenes'), scenes, 'all scenes are tested')
  await noErrors(page, errors)
})

smoke('every scene starts and draws', async () => {
  const { page, errors } = await site.page('#scene=neighbors', SMALL)
  const check = async (scene) => {
    await goToScene(page, scene)
    await until(page, () => window.copseDemo.hits > 0)
    await frames(page, 10, LONG)
    await notBlank(page)
    await noErrors(page, errors)
  }
  for (const scene of scenes)
    await check(scene).catch((cause) => {
      throw new Error(`${scene}: ${cause.message}`, { cause })
    })
})

/** Returns a function that moves the mouse to a place on the stage, in parts of its size. @param {Page} page */
async function mouseOn(page) {
  const box = await page.locator('#stage').boundingBox()
  return (x, y) => page.mouse.move(box.x + x * box.width, box.y + y * box.height)
}

smoke(
  'Doorway finds the same neighbors in four ways, and its gap follows the pointer',
  async () => {
    const { page, errors } = await site.page('#scene=doorway&n=2000', SMALL)
    await frames(page, 5)
    await allEqual(page, 4)
    const moveTo = await mouseOn(page)
    await page.locator('#pause').click()
    await moveTo(0.2, 0.2)
    const high = await still(page, 2)
    await moveTo(0.8, 0.8)
    await changed(page, high)
    await page.locator('#pause').click()
    await allEqual(page, 4, 40)
    await page.setViewportSize({ width: 500, height: 900 })
    await frames(page, 5)
    await allEqual(page, 4)
    await noErrors(page, errors)
  },
)

smoke('a click strikes the units of a battle', async () => {
  const { page, errors } = await site.page('#scene=battle', SMALL)
  await until(page, () => window.copseDemo?.hits > 0, null, { ms: LONG }) // the armies have met
  await page.locator('#pause').click()
  const fallen = async () =>
    (await number(page, 'Red fallen')) + (await number(page, 'Blue fallen'))
  const before = await fallen()
  const moveTo = await mouseOn(page)
  await moveTo(0.5, 0.5)
  await page.mouse.down()
  await page.mouse.up()
  assert.ok((await fallen()) > before)
  await noErrors(page, errors)
})

smoke(
  'a wider query at the pointer finds more, and many queries find the same as a loop',
  async () => {
    const { page, errors } = await site.page('#scene=neighbors', SMALL)
    await frames(page, 5)
    const moveTo = await mouseOn(page)
    await moveTo(0.5, 0.5)
    await until(page, () => window.copseDemo.hits > 0)
    const near = await demoState(page, 'hits')
    await page.mouse.wheel(0, -2000)
    await until(page, (near) => window.copseDemo.hits > near, near)
    const wide = await demoState(page, 'hits')
    await page.mouse.wheel(0, 4000)
    await until(page, (wide) => window.copseDemo.hits < wide, wide)
    await allEqual(page, 1)
    await noErrors(page, errors)
  },
)

smoke('a drawn wall hides agents from the guard until it is cleared', async () => {
  const { page, errors } = await site.page('#scene=sight', SMALL)
  await until(page, () => window.copseDemo?.hits > 5)
  await allEqual(page, 1)
  await page.locator('#pause').click()
  await frames(page, 2)
  const [walls, seen] = [await number(page, 'Walls'), await demoState(page, 'hits')]
  const moveTo = await mouseOn(page)
  for (let y = 0.05; y < 1; y += 0.1) {
    await moveTo(0.02, y)
    await page.mouse.down()
    await moveTo(0.98, y + 0.02)
    await frames(page, 2)
    await page.mouse.up()
  }
  assert.is(await number(page, 'Walls'), walls + 10)
  assert.ok((await demoState(page, 'hits')) < seen)
  await allEqual(page, 1)
  await page.getByRole('button', { name: 'Clear your walls' }).click()
  assert.is(await number(page, 'Walls'), walls)
  assert.is(await demoState(page, 'hits'), seen)
  await noErrors(page, errors)
})

smoke('a crowd swaps sides, and a click picks an agent', async () => {
  const { page, errors } = await site.page('#scene=circle&speed=1', SMALL)
  await frames(page, 5)
  const start = await picture(page)
  await allEqual(page, 1)
  await changed(page, start, 'the agents move')
  await page.locator('#pause').click()
  await page.locator('#restart').click()
  const picked = () => number(page, 'Picked agent')
  assert.is(await picked(), 0)
  const moveTo = await mouseOn(page)
  for (let x = 0.5; x > 0 && (await picked()) === 0; x -= 0.025) {
    await moveTo(x, 0.2)
    await page.mouse.down()
    await page.mouse.up()
  }
  assert.ok((await picked()) > 0)
  await allEqual(page, 1, 31)
  await noErrors(page, errors)
})

smoke.run()
