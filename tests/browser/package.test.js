// Runs the package's own tests in one page, on the package as installed from its tarball.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildPage, reportsOf } from './reports.js'
import { suites } from './suites.js'

const SECONDS = 600

await buildPage()
const inPage = suite('package in a page')
for (const { name, passed, failed, output } of await reportsOf(Object.keys(suites), SECONDS))
  inPage(`the package passes its own tests: ${name}`, () => {
    assert.is(failed, 0, output)
    assert.ok(passed > 0)
  })

inPage.run()
