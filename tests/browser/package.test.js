// The package's own tests, run inside a page.

import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { build } from 'vite'
import { open } from './chromium.js'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const inPage = suite('package in a page')
const SECONDS = 300

inPage('passes its own tests', async () => {
  await build({
    configFile: false,
    root: here('.'),
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^copse$/, replacement: here('../../dist/copse.js') },
        { find: /^copse\/scalar$/, replacement: here('../../dist/scalar.js') },
      ],
    },
    build: {
      outDir: here('../../build/browser'),
      emptyOutDir: true,
      rollupOptions: { treeshake: false }, // the tests are side effects
    },
  })
  const site = await open(here('../../build/browser'))
  try {
    const { page, errors } = await site.page('about:blank')
    let output = ''
    page.on('console', (message) => (output += message.text()))
    const done = page.waitForEvent('console', {
      predicate: (message) => message.text().includes('Duration'),
      timeout: SECONDS * 1000,
    })
    await page.goto(new URL('index.html', site.url).href)
    await done
    const [, total] = /Total:\s+(\d+)/.exec(output) ?? []
    const [, passed] = /Passed:\D*(\d+)/.exec(output) ?? []
    assert.ok(Number(total) > 0, output)
    assert.is(passed, total, output)
    assert.equal(errors, [])
  } finally {
    await site.close()
  }
})

inPage.run()
