// The built demo, as a visitor meets it. Writes a screenshot of each scene to build/screenshots/.

import { mkdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { open } from './chromium.js'

const demo = suite('demo')
/** @type {Awaited<ReturnType<typeof open>>} */
let site

demo.before(async () => {
  mkdirSync('build/screenshots', { recursive: true })
  site = await open('web/dist')
})
demo.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} name */
const told = (page, name) => page.evaluate((name) => window.copseDemo[name], name)

/**
 * Waits until the demo has drawn some more frames.
 * @param {Page} page
 */
async function frames(page, more = 30) {
  await page.waitForFunction(() => window.copseDemo?.ready)
  const before = await told(page, 'frame')
  await page.waitForFunction((least) => window.copseDemo.frame >= least, before + more)
}

/** The pixels of the stage. @param {Page} page */
const picture = async (page) => (await page.locator('#stage').screenshot()).toString('base64')

demo('opens at once, and its frames advance', async () => {
  const { page, errors } = await site.page('')
  await frames(page)
  const first = await picture(page)
  await frames(page)
  assert.is.not(await picture(page), first, 'the picture changes')
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('lights up hits where the pointer is', async () => {
  const { page } = await site.page('#scene=neighbours')
  await frames(page, 5)
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.mouse.wheel(0, -2000)
  await frames(page, 5)
  const wide = await told(page, 'hits')
  await page.mouse.wheel(0, 4000)
  await page.waitForFunction((wide) => window.copseDemo.hits < wide, wide)
})

demo('shows what a grid reads, by the size of its cells', async () => {
  const { page, errors } = await site.page('#scene=neighbours')
  await frames(page, 5)
  const cellSize = page.getByRole('textbox', { name: 'cellSize' })
  assert.not.ok(await cellSize.isVisible(), 'the tree has no cellSize')
  await page.getByRole('combobox', { name: 'index' }).selectOption('grid')
  assert.not.ok(await page.getByRole('combobox', { name: 'split' }).isVisible())
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => window.copseDemo.paused && window.copseDemo.hits > 0)

  /** @param {string} label */
  const number = async (label) => {
    const shown = page.locator(`#numbers div:has(dt:text-is("${label}")) dd`)
    return Number((await shown.textContent()).replace(',', ''))
  }
  const readWith = async (size) => {
    await cellSize.fill(size)
    await frames(page)
    assert.is(await number('Hits'), await told(page, 'hits'))
    return { hits: await number('Hits'), read: await number('Agents read') }
  }
  const fitting = await readWith('90')
  const large = await readWith('300')
  assert.is(large.hits, fitting.hits)
  assert.ok(fitting.read >= fitting.hits && large.read > fitting.read, 'large cells read more')
  assert.equal(errors, [])
})

demo('stands still while paused, and goes on', async () => {
  const { page } = await site.page('#scene=battle')
  await frames(page, 10)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => window.copseDemo.paused)
  await frames(page, 2)
  const still = await picture(page)
  await frames(page, 10)
  assert.is(await picture(page), still)
  await page.keyboard.press('Space')
  await frames(page, 10)
  assert.is.not(await picture(page), still)
})

demo('opens every scene, by its link', async () => {
  const { page, errors } = await site.page('')
  await frames(page, 5)
  const scenes = await told(page, 'scenes')
  assert.ok(scenes.length >= 4)
  for (const scene of scenes) {
    await page.locator(`nav a[href="#scene=${scene}"]`).click()
    await page.waitForFunction((scene) => window.copseDemo.scene === scene, scene)
    await frames(page, 60)
    await page.screenshot({ path: `build/screenshots/${scene}.png` })
  }
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('boids flee the pointer once it scares, and predators', async () => {
  const { page, errors } = await site.page('#scene=flock')
  await frames(page, 5)
  const predators = page.getByRole('textbox', { name: 'predators' })
  await predators.fill('0')
  await page.getByRole('checkbox', { name: 'show who sees whom' }).uncheck()
  await page.waitForFunction(() => window.copseDemo.hits === 0)

  const box = await page.locator('#stage').boundingBox()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.mouse.down()
  await page.waitForFunction(() => window.copseDemo.hits === 0)

  await predators.fill('20')
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  assert.equal(errors, [])
})

demo('every library finds the same in the race', async () => {
  const { page, errors } = await site.page('#scene=race')
  const finished = () => {
    const { results } = window.copseDemo
    return results.length >= 6 && results.every(({ total, equal }) => total > 0 && equal)
  }
  await page.waitForFunction(finished)
  await frames(page, 60)
  const results = await told(page, 'results')
  assert.ok(await page.evaluate(finished), JSON.stringify(results))
  assert.is(results[1].name, 'copse Grid')

  const agents = page.getByRole('slider', { name: 'agents' })
  assert.is(await agents.getAttribute('aria-valuenow'), '5000')
  await agents.press('ArrowLeft')
  assert.is(await agents.getAttribute('aria-valuenow'), '2000')
  await page.waitForFunction(finished)
  assert.equal(errors, [])
})

demo('fits a phone, and follows a finger', async () => {
  const { page, errors } = await site.page('#scene=neighbours', {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 3,
    hasTouch: true,
    isMobile: true,
  })
  await frames(page, 5)
  const { width } = await page.locator('#stage').boundingBox()
  assert.ok(width <= 390, 'the stage is as wide as the screen')
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await page.touchscreen.tap(195, 400)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.screenshot({ path: 'build/screenshots/phone.png' })
  assert.equal(errors, [])
})

demo('survives a resize', async () => {
  const { page, errors } = await site.page('#scene=battle')
  await frames(page, 5)
  for (const size of [
    { width: 500, height: 900 },
    { width: 1600, height: 700 },
  ]) {
    await page.setViewportSize(size)
    await frames(page, 10)
    const { width, height } = await page.locator('#stage').boundingBox()
    assert.ok(width <= size.width && height <= size.height)
  }
  assert.equal(errors, [])
})

demo.run()
