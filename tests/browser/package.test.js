// The package's own tests, run inside a page on the package as it installs from its tarball.

import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { build } from 'vite'
import { install } from '../consumers/install.js'
import { open } from './chromium.js'
import { suites } from './suites.js'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const inPage = suite('package in a page')
const SECONDS = 300

/** @type {Awaited<ReturnType<typeof open>>} */
let site

inPage.before(async () => {
  const installed = install()
  const dist = `${installed.folder}/node_modules/copse/dist`
  await build({
    configFile: false,
    root: here('.'),
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^copse$/, replacement: `${dist}/copse.js` },
        { find: /^copse\/scalar$/, replacement: `${dist}/scalar.js` },
      ],
    },
    build: {
      outDir: here('../../build/browser'),
      emptyOutDir: true,
      target: 'esnext', // the page awaits its tests
      rollupOptions: { treeshake: false }, // the tests are side effects
    },
  })
  installed.remove() // what the page needs is built
  site = await open(here('../../build/browser'))
})
inPage.after.each(() => site.closePages())
inPage.after(() => site.close())

for (const name of Object.keys(suites)) {
  inPage(`passes its own tests: ${name}`, async () => {
    const { page, errors } = await site.page('about:blank')
    let output = ''
    page.on('console', (message) => (output += message.text()))
    const done = page.waitForEvent('console', {
      predicate: (message) => message.text().includes('Duration'),
      timeout: SECONDS * 1000,
    })
    await page.goto(new URL(`index.html?${name}`, site.url).href)
    await done
    const [, total] = /Total:\s+(\d+)/.exec(output) ?? []
    const [, passed] = /Passed:\D*(\d+)/.exec(output) ?? []
    assert.ok(Number(total) > 0, output)
    assert.is(passed, total, output)
    assert.equal(errors, [])
  })
}

inPage.run()
