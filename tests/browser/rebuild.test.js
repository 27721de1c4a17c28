// The built article "Rebuild every frame": its figures, used like a reader does, and its links.

import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { smallTargets, violations } from './axe.js'
import { PHONE, WIDE, openDemo, until } from './demo.js'

const article = suite('article')
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

article.before(async () => {
  site = await openDemo()
})
article.after.each(() => site.leavePages())
article.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

/** Opens the article, and waits until both figures have results. */
async function visit(options = WIDE) {
  const { page, errors } = await site.page('rebuild/', options)
  await until(page, () => window.example?.measured, null, { ms: 0 })
  return { page, errors }
}

/** Asserts that all structures found the same, and returns their counts. @param {Page} page */
async function counts(page) {
  const { results, hits } = await page.evaluate(() => window.example)
  assert.equal(
    results.map(({ equal, count }) => [equal, count]),
    Array(4).fill([true, hits]),
  )
  return { totals: results.map(({ total }) => total), hits }
}

for (const [name, options] of Object.entries({ 'a desktop': WIDE, 'a phone': PHONE }))
  article(
    `on ${name}, all structures find the same, while points and query are dragged`,
    async () => {
      const { page, errors } = await visit(options)
      const first = await counts(page)
      const canvas = page.locator('#query canvas')
      assert.is(await canvas.count(), 4)
      const { x, y, width } = await canvas.nth(1).boundingBox()
      const { frame } = await page.evaluate(() => window.example)
      await page.evaluate(([x, y]) => scrollTo(x, y), [0, Math.max(y - 100, 0)])
      const box = await canvas.nth(1).boundingBox()
      await page.mouse.move(box.x + width / 2, box.y + width / 2)
      await page.mouse.down()
      await page.mouse.move(box.x + width * 0.7, box.y + width * 0.2, { steps: 4 })
      await page.mouse.up()
      assert.ok((await page.evaluate(() => window.example.frame)) > frame, 'it is drawn again')
      await counts(page)
      assert.ok(x >= 0 && first.hits > 0)

      await canvas.first().focus()
      const before = await page.evaluate(() => window.example.frame)
      for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'])
        await page.keyboard.press(key)
      assert.is(await page.evaluate(() => window.example.frame), before + 4)
      await counts(page)

      const placed = () => page.evaluate(() => window.example.results.map(({ total }) => total))
      const rest = await placed()
      await page.keyboard.press('Enter')
      for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
      assert.is.not((await placed()).join(), rest.join(), 'keys moved a point')
      await page.keyboard.press('Enter')
      await counts(page)

      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme })
        assert.equal(await violations(page), [], colorScheme)
      }
      assert.equal(await smallTargets(page), [])

      await page.getByRole('combobox', { name: 'points' }).selectOption('clusters')
      await counts(page)
      await page.getByRole('slider', { name: 'radius' }).press('End')
      await counts(page)
      assert.equal(await page.locator('#query td:text-is("equal ✓")').count(), 4)
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        'it does not scroll sideways',
      )
      assert.equal(errors, [])
    },
  )

article('a walk makes the kept tree worse, and a build mends it', async () => {
  const { page, errors } = await visit({ ...WIDE, reducedMotion: 'reduce' })
  const before = (await counts(page)).totals[3]
  await page.getByRole('button', { name: 'Let them walk' }).click()
  const walked = (await counts(page)).totals[3]
  assert.ok(walked > 1.2 * before, `${walked} tests, before: ${before}`)
  await page.getByRole('button', { name: 'Rebuild the kept tree' }).click()
  const built = (await counts(page)).totals[3]
  assert.ok(built < walked, `${built} tests, before: ${walked}`)
  assert.equal(errors, [])
})

article('one frame is measured, with equal results', async () => {
  const { page, errors } = await visit()
  for (const [share, asked] of [
    ['1', '10000'],
    ['0.01', '10'],
  ]) {
    await page.getByRole('combobox', { name: 'moved' }).selectOption(share)
    await page.getByRole('combobox', { name: 'queries' }).selectOption(asked)
    const results = await page.evaluate(() => window.example.measured.map(({ result }) => result))
    assert.is(results.length, 6)
    assert.equal(new Set(results).size, 1)
    assert.not.match(results[0], /, 0$/)
    assert.is(await page.locator('#frame td:text-is("✓")').count(), 6)
  }
  assert.equal(errors, [])
})

article('all links have a target', () => {
  const html = readFileSync('web/dist/rebuild/index.html', 'utf8')
  const links = [...html.matchAll(/<a\s[^>]*?href="([^"]+)"/g)].map(([, link]) => link)
  assert.ok(links.length > 8)
  for (const link of links) {
    const { pathname, hash } = new URL(link, 'file:///rebuild/')
    const file = `web/dist${pathname}${pathname.endsWith('/') ? 'index.html' : ''}`
    assert.ok(existsSync(file), link)
    if (hash) assert.ok(readFileSync(file, 'utf8').includes(`id="${hash.slice(1)}"`), link)
  }
})

article.run()
