// Runs the package's own tests in one page, on the package as installed from its tarball.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildPage, ISOLATED, openChromium, reportsOf } from './reports.js'
import { suites } from './suites.js'

const SECONDS = 600

await buildPage()
const inPage = suite('package in a page')
const reports = await reportsOf(Object.keys(suites), SECONDS)
const isolated = await reportsOf(['threads'], SECONDS, openChromium, ISOLATED)
for (const { name, passed, failed, output } of [...reports, ...isolated])
  inPage(`the package passes its own tests: ${name}`, () => {
    assert.is(failed, 0, output)
    assert.ok(passed > 0)
  })

inPage('an isolated page has threads; another one says why it has not', () => {
  assert.equal(isolated[0].threads, { count: 2, reason: '' })
  const { threads } = reports.find(({ name }) => name === 'threads') ?? {}
  assert.equal(threads, { count: 1, reason: 'the page is not cross-origin isolated' })
})

inPage.run()
