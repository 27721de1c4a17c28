// The page of the example with zones, as `make example-zones` starts it, on free ports.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { violations } from './axe.js'
import { launch, openPage } from './chromium.js'
import { eventually } from './waiting.js'

const page = suite('page with zones')
/** @type {import('node:child_process').ChildProcess} */
let example
let browser = /** @type {any} */ (null)
let url = ''
let output = ''

page.before(async () => {
  const args = ['--port', '0', '--clients', '10', '--walkers', '200']
  example = spawn('node', ['web/examples/zones/start.js', ...args])
  for (const stream of [example.stdout, example.stderr])
    stream?.on('data', (text) => (output += text))
  await eventually(
    () => {
      url = /open (http:\S+)/.exec(output)?.[1] ?? ''
      return url || example.exitCode !== null
    },
    () => output,
  )
  assert.ok(url, output)
  browser = await launch()
})
page.after(async () => {
  await browser?.close()
  if (example.exitCode === null) {
    const ended = once(example, 'exit')
    example.kill('SIGTERM')
    const [code] = await ended
    assert.is(code, 0)
  }
})

page('a player sees the world, walks, and comes back when its process is killed', async () => {
  const tab = await openPage(browser, { viewport: { width: 390, height: 844 } })
  const errors = []
  tab.on('pageerror', (error) => errors.push(error.message))
  const until = (condition, argument) => tab.waitForFunction(condition, argument, { polling: 100 })
  await tab.goto(url)
  await until(() => window['game']?.session.view.size > 3 && window['game'].zones.size === 2)
  await until(() => window['game'].load.live === 10)
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  const { id, x } = await tab.evaluate(() => ({ ...window['game'].session, view: 0 }))

  await tab.keyboard.press(x > 80 ? 'ArrowLeft' : 'ArrowRight')
  await until((from) => Math.abs(window['game'].session.x - from) > 3, x)
  const zone = await tab.evaluate(() => window['game'].session.zone)
  const { tick } = await tab.evaluate(() => ({ tick: window['game'].session.tick }))
  await until(([zone, tick]) => window['game'].zones.get(zone).saved > tick, [zone, tick])
  const { process, fence } = await tab.evaluate((zone) => window['game'].zones.get(zone), zone)
  await tab.click(`button:text("Kill process ${process}")`)
  await until(([zone, fence]) => window['game'].zones.get(zone).fence > fence, [zone, fence])
  const before = await tab.evaluate(() => window['game'].session.received.updates)
  await until((before) => window['game'].session.received.updates > before + 10, before)
  assert.is(await tab.evaluate(() => window['game'].session.id), id, 'the same player')
  await tab.click(`button:text("Start process ${process}")`)
  assert.match(await tab.textContent('#rows'), /bytes a player and tick/)
  assert.equal(errors, [])
  await tab.close()
})

for (const colorScheme of ['light', 'dark'])
  page(`axe finds nothing wrong with the page, ${colorScheme}`, async () => {
    const tab = await openPage(browser, { colorScheme })
    await tab.goto(url)
    await tab.waitForFunction(() => document.querySelectorAll('td').length > 4)
    assert.equal(await violations(tab), [])
    await tab.close()
  })

page('pages of other sites cannot end a process', async () => {
  const post = (path, headers) => fetch(new URL(path, url), { method: 'POST', headers })
  const { origin } = new URL(url)
  assert.is((await post('/kill?process=0', { Origin: 'http://example.com' })).status, 403)
  assert.is((await post('/kill?process=0', {})).status, 403)
  assert.is((await post('/kill?process=9', { Origin: origin })).status, 403)
  assert.is((await post('/x', { Origin: origin })).status, 403)
  assert.is((await fetch(new URL('/../process.js', url))).status, 404)
})

page.run()
