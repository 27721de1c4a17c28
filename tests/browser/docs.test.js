// The built documentation: all links have a target, figures are loaded, and no errors are logged.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { smallTargets, violations } from './axe.js'
import { open } from './chromium.js'

const docs = suite('documentation')
const site = fileURLToPath(new URL('../../web/dist/', import.meta.url))
/** @type {Awaited<ReturnType<typeof open>>} */
let browser
/** @type {Awaited<ReturnType<typeof browser.page>>} */
let tab

docs.before(async () => {
  browser = await open(site)
  tab = await browser.page('about:blank')
})
docs.after(() => browser?.close())

docs('all links have a target', () => {
  const root = new URL('file:///docs/index.html')
  const paths = new Set([root.pathname])
  const texts = new Map()
  const read = (file) => {
    if (!texts.has(file)) texts.set(file, readFileSync(site + file, 'utf8'))
    return texts.get(file)
  }
  const outside = new Set()
  for (const path of paths) {
    assert.ok(existsSync(site + path), path)
    if (!path.endsWith('.html')) continue
    const html = read(path)
    for (const [, link] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const { pathname, hash } = new URL(link, new URL(path, root))
      if (!pathname.startsWith('/docs/')) {
        outside.add(pathname)
        continue
      }
      const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname
      paths.add(file)
      if (!hash) continue
      assert.ok(read(file).includes(`id="${hash.slice(1)}"`), `${path}: ${link}`)
    }
  }
  assert.equal([...outside].sort(), ['/', '/examples/', '/rebuild/'])
  const pages = ['classes/AgentTree', 'functions/init', 'documents/how-it-works']
  pages.push('modules/copse_threads', 'functions/copse_threads.init')
  for (const name of pages) assert.ok(paths.has(`/docs/${name}.html`), name)
})

for (const name of ['index', 'documents/how-it-works', 'documents/which-index'])
  docs(`the pictures of ${name} are loaded`, async () => {
    const { page, errors } = tab
    await page.goto(new URL(`docs/${name}.html`, browser.url).href) // waits until everything is loaded
    const widths = await page.$$eval('.tsd-typography img', (images) =>
      images.map((image) => /** @type {HTMLImageElement} */ (image).naturalWidth),
    )
    assert.ok(widths.length > 0 && widths.every((width) => width > 0), String(widths))
    assert.equal(errors, [])
  })

docs('the home has a picture for the dark theme, and leads to the demo', async () => {
  const { page } = tab
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(new URL('docs/index.html', browser.url).href)
  const shown = await page.$eval('picture img', (image) => {
    const { currentSrc, naturalWidth } = /** @type {HTMLImageElement} */ (image)
    return { name: currentSrc.split('/').at(-1), naturalWidth }
  })
  assert.equal(shown, { name: 'picture-dark.png', naturalWidth: 1000 })
  await page.emulateMedia({ colorScheme: null })
  await page.getByRole('main').getByRole('link', { name: 'Open the demo' }).click()
  await page.waitForURL(browser.url)
})

docs('the sidebar groups guides, entries, classes and types', async () => {
  const { page } = tab
  await page.goto(new URL('docs/index.html', browser.url).href)
  const groups = page.locator('#tsd-nav-container > li > details > summary')
  await groups.first().waitFor()
  const names = (await groups.allTextContents()).map((name) => name.trim())
  assert.equal(names, ['Guides', 'Entries', 'Classes', 'Types', 'Functions'])
})

for (const colorScheme of /** @type {const} */ (['light', 'dark']))
  for (const name of [
    'index',
    'documents/points',
    'documents/loading',
    'documents/threads',
    'modules/copse_threads',
    'classes/AgentTree',
    'interfaces/CrowdStats',
    'types/Point',
    'functions/init',
  ])
    docs(`axe finds nothing wrong with ${name}, ${colorScheme}`, async () => {
      const { page } = tab
      if (colorScheme === 'dark') await page.setViewportSize({ width: 390, height: 844 }) // a phone
      await page.emulateMedia({ colorScheme })
      await page.goto(new URL(`docs/${name}.html`, browser.url).href)
      assert.equal(await violations(page), [])
      if (colorScheme === 'dark') assert.equal(await smallTargets(page), [])
      await page.getByRole('main').waitFor() // it is the page of this name
    })

docs.run()
