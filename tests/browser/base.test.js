// The built site in a folder of a server: all links and assets load, and nothing is asked for outside the folder.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { open } from './chromium.js'

const base = suite('base path')
const site = fileURLToPath(new URL('../../web/dist', import.meta.url))
const BASE = 'some/folder'
const PAGES = [
  ...['', '#scene=kdtree', '#scene=space', '?minimal'], // a worker, three.js, a module loaded later
  'examples/',
  ...['docs/', 'docs/documents/points.html', 'docs/classes/AgentTree.html'],
]
const folder = mkdtempSync(join(tmpdir(), 'copse-base-'))
/** @type {Awaited<ReturnType<typeof open>>} */
let browser

/** Returns in a page of any kind whether its scripts have loaded and shown what it is for. */
const isLoaded = () =>
  window.copseDemo
    ? window.copseDemo.ready && window.copseDemo.hits > 0
    : window.example?.frame > 0 ||
      document.querySelector('#minimal section, #examples .title, #tsd-nav-container li')

base.before(async () => {
  mkdirSync(join(folder, BASE, '..'), { recursive: true })
  symlinkSync(site, join(folder, BASE))
  browser = await open(folder) // without an index.html in it: missing files are errors
})
base.after(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

base('all pages load in any folder, and so do their links', async () => {
  const root = new URL(`${BASE}/`, browser.url).href
  const wrong = new Set()
  const targets = new Set()
  const links = new Set(PAGES.map((path) => root + path))
  const { page, errors } = await browser.page('about:blank', {
    viewport: { width: 400, height: 300 },
  })
  page.on('response', (response) => {
    const isKept = response.status() === 304 // loaded before, and not changed since
    if (!(response.ok() || isKept) || !response.url().startsWith(root)) wrong.add(response.url())
  })
  for (const link of links) {
    await page.goto('about:blank') // else a link that differs only in its hash loads nothing
    errors.length = 0
    await page.goto(link)
    await page.waitForFunction(isLoaded)
    if (link.endsWith('kdtree'))
      await page.waitForFunction(() => window.copseDemo.results.length > 2)
    await page.evaluate(async () => {
      for (const image of document.images) image.loading = 'eager'
      await Promise.all([...document.images].map((image) => image.decode()))
    })
    const isRoot = link.endsWith('/docs/') || !link.startsWith(`${root}docs/`)
    for (const href of await page.$$eval('a[href]', (links) => links.map(({ href }) => href))) {
      const [file] = href.split('#')
      if (!file.startsWith(root)) wrong.add(href)
      else if (isRoot && file.includes('/examples/')) links.add(file)
      else targets.add(file)
    }
    assert.equal(
      errors.filter((error) => !error.includes('WebSocket')),
      [],
      link,
    )
  }
  assert.ok(links.size > PAGES.length + 4, 'the examples')
  for (const target of targets) if (!(await fetch(target)).ok) wrong.add(target)
  assert.equal([...wrong], [])
})

base.run()
