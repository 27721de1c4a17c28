// The built documentation: all links have a target, figures are loaded, and no errors are logged.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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
  assert.equal([...outside], ['/', '/examples/'])
  for (const name of ['classes/AgentTree', 'functions/init', 'documents/how-it-works'])
    assert.ok(paths.has(`/docs/${name}.html`), name)
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

docs.run()
