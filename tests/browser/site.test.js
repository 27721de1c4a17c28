// The built demo as a whole: behavior that all scenes share, and the shell around them.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as copse from 'copse'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { smallTargets, violations } from './axe.js'
import {
  atOnce,
  changed,
  choose,
  frames,
  go,
  goToScene,
  LONG,
  noErrors,
  notBlank,
  number,
  openDemo,
  PHONE,
  picture,
  scenes,
  SMALL,
  still,
  demoState,
  until,
} from './demo.js'
import { eventually } from './waiting.js'
import { filesOf, partOf } from '../../web/view/part.js'
import { readRecipes } from '../../web/view/recipes.js'

const test = suite('site')
const TABLET = { viewport: { width: 768, height: 1024 } }
const LARGE = { viewport: { width: 3840, height: 2160 } }
const RESTLESS = ['race'] // changes while paused too, since it measures: its address shows the effect of actions
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

test.before(async () => {
  site = await openDemo()
})
test.after.each(() => site.leavePages())
test.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

const hash = (page) => page.evaluate(() => location.hash)

/** Waits until the hash is `wanted`. @param {Page} page @param {string} wanted */
const addressed = (page, wanted) =>
  until(page, (wanted) => location.hash === wanted, wanted, { ms: LONG })

/** Pauses, and returns the picture once it stands still. @param {Page} page */
async function pause(page) {
  await page.locator('#pause').click()
  await page.mouse.move(2, 2) // off the stage
  await page.evaluate(() => document.activeElement.blur()) // an outline would change the picture
  return still(page, 5)
}

/** Asserts that axe finds nothing wrong, in color schemes. @param {Page} page @param {string} name */
async function accessible(page, name, ...schemes) {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    assert.equal(await violations(page), [], `${name}, ${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

for (const scene of scenes)
  test(`${scene} starts, moves, reacts, and survives a resize`, async () => {
    const { page, errors } = await site.page(`#scene=${scene}`, SMALL)
    await frames(page, 5)
    assert.is(await demoState(page, 'scene'), scene)
    await changed(page, await picture(page), 'the scene moves')
    await notBlank(page)

    const restless = RESTLESS.includes(scene)
    let before = ''
    if (restless) {
      await page.locator('#pause').click()
      await until(page, () => location.hash.includes('paused=1'), null, { ms: LONG })
      before = await hash(page)
    } else before = await pause(page)
    const changes = async (what) => {
      if (!restless) return (before = await changed(page, before, what))
      await until(page, (before) => location.hash !== before, before, { ms: LONG })
      before = await hash(page)
    }

    const box = await page.locator('#stage').boundingBox()
    const moveTo = (x, y) => page.mouse.move(box.x + x * box.width, box.y + y * box.height)
    await moveTo(0.3, 0.4)
    await page.mouse.down()
    await moveTo(0.5, 0.45)
    await moveTo(0.7, 0.6)
    await page.mouse.up()
    await frames(page, 20) // lets a click finish rewinding, which the wheel would change
    if (scene === 'rewind') await changes('a click') // the wheel may lead back to the step of the pause
    await page.mouse.wheel(0, -100)
    await changes('the pointer')

    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.down('ArrowLeft')
    await frames(page, 10)
    await page.keyboard.up('ArrowLeft')
    for (const key of ['-', 'Enter']) await page.keyboard.press(key)
    await page.keyboard.down('ArrowUp') // moves the end of a wall that Enter began
    await frames(page, 10)
    await page.keyboard.up('ArrowUp')
    await changes('keys')

    const controls = page.locator('#controls')
    const slider = controls.getByRole('slider').first()
    const first = controls.locator('[role=slider], input[type=text]').first()
    // The first control is the number of agents or items, except in Rewind.
    const isNumber = scene !== 'rewind' && (await first.getAttribute('role')) !== 'slider'
    if (isNumber) await first.press('ArrowUp')
    else await slider.press('ArrowLeft')
    await changes('a control')
    await until(page, () => /[#&]n=\d+/.test(location.hash), null, { ms: LONG })

    await page.setViewportSize({ width: 640, height: 720 })
    await frames(page, 2)
    const [stage, canvas] = [page.locator('#stage'), page.locator('#stage canvas[role]')]
    assert.equal(await canvas.boundingBox(), await stage.boundingBox())
    await notBlank(page)
    await noErrors(page, errors)
  })

test('without a scene in the address, the first screen introduces copse beside a running scene', async () => {
  const { page, errors } = await site.page('')
  await frames(page, 5)
  const intro = page.locator('#landing')
  assert.ok(await intro.isVisible())
  assert.match(await page.title(), /^copse: /)
  assert.match(
    await intro.getByRole('heading').first().textContent(),
    /neighbor search and crowd avoid/,
  )
  assert.is(await intro.getByRole('link', { name: 'Documentation' }).getAttribute('href'), 'docs/')
  assert.is(await intro.getByRole('link', { name: 'Examples' }).getAttribute('href'), 'examples/')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const about = `copse ${version}, MIT license. The whole library is`
  assert.match(await page.getByRole('contentinfo').textContent(), new RegExp(`${about} \\d+ kB`))
  assert.match(await page.locator('#install').textContent(), `path/to/copse-${version}.tgz`)
  const sources = await page.getByRole('link', { name: 'Source code' }).count()
  assert.is(sources, process.env.REPOSITORY_URL ? 2 : 0)
  await until(page, () =>
    /^5,000 units, .*AgentTree .*\s[µm]s, rbush .*\s[µm]s \(equal\s✓\)$/.test(
      yardstick.textContent,
    ),
  )
  assert.ok((await number(page, 'Agents')) > 0)
  await changed(page, await picture(page), 'the scene moves')
  const hint = page.getByText('Move the gap', { exact: true })
  assert.ok(await hint.isVisible())
  await page.locator('#stage canvas[role]').hover()
  assert.not.ok(await hint.isVisible())
  assert.is(await hash(page), '')
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 1280)

  const gallery = page.locator('#gallery')
  await intro.getByRole('button', { name: 'All scenes' }).click()
  assert.ok(await page.evaluate(() => scrollY > 100), 'it scrolls to the gallery')
  await page.locator('#gallery a[href="#scene=circle"]').click()
  await until(page, () => window.copseDemo.scene === 'circle')
  await intro.waitFor({ state: 'hidden' })
  assert.not.ok(await gallery.isVisible())
  await page.locator('#controls').waitFor()
  await page.goBack()
  await intro.waitFor()
  await page.evaluate(() => scrollTo(0, 0))
  await page.keyboard.press('PageDown')
  await until(page, () => scrollY > 100) // not the next scene
  await page.keyboard.press('Escape')
  await intro.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'copse' }).click()
  await intro.waitFor()
  await noErrors(page, errors)
})

test('the first screen is in its place before the scripts load', async () => {
  for (const path of ['', '#scene=circle', '?minimal']) {
    const { page } = await site.page(path)
    await page.route('**/*.js', (route) => route.abort())
    await page.reload()
    assert.is(await page.locator('#landing').isVisible(), path === '', path)
    await page.unroute('**/*.js')
  }
})

test('every scene has a card with pictures that load', async () => {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const { page, errors } = await site.page('', { ...SMALL, colorScheme })
    await frames(page, 2)
    const sizes = await page.evaluate(async () => {
      const images = [...document.querySelectorAll('.gallery img')]
      for (const image of images) image.loading = 'eager'
      await Promise.all(images.map((image) => image.decode()))
      return images.map(({ naturalWidth, currentSrc }) => [naturalWidth, /-dark/.test(currentSrc)])
    })
    assert.equal(
      sizes,
      scenes.map(() => [480, colorScheme === 'dark']),
    )
    await accessible(page, 'the first screen', colorScheme)
    await noErrors(page, errors)
  }
})

test('the six lines are copied, and run', async () => {
  const { page } = await site.page('')
  await frames(page, 1)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('#copy').click()
  await until(page, () => copy.textContent === 'Copied', null, { ms: LONG })
  const code = await page.evaluate(() => navigator.clipboard.readText())
  assert.is(code.trim().split('\n').length, 6)
  mkdirSync('build', { recursive: true })
  writeFileSync('build/six.mjs', code) // in the package, so that 'copse' resolves to it
  assert.match(execFileSync('node', ['build/six.mjs'], { encoding: 'utf8' }), /Uint32Array\(\d+\)/)
})

test('an unknown scene in the address is named', async () => {
  const { page, errors } = await site.page('#scene=nowhere')
  await frames(page, 1)
  const message = page.locator('#unknown')
  assert.is(await message.textContent(), 'There is no scene “nowhere”. All scenes are below.')
  assert.ok(await message.isVisible())
  await goToScene(page, 'circle')
  await page.getByRole('link', { name: 'copse' }).click()
  await page.locator('#landing').waitFor()
  assert.not.ok(await message.isVisible())
  await noErrors(page, errors)
})

test('the list shows every scene, and works by keyboard', async () => {
  const { page, errors } = await site.page('#scene=circle')
  await frames(page, 5)
  await page.keyboard.press('l')
  const list = page.getByRole('dialog', { name: 'Scenes' })
  await list.waitFor()
  assert.equal(
    await list
      .getByRole('link')
      .evaluateAll((links) => links.map(({ hash }) => hash.replace('#scene=', ''))),
    scenes,
  )
  for (const line of await list.getByRole('link').allTextContents()) assert.match(line, /\S+ \S+/)
  assert.equal(await list.locator('h3').allTextContents(), [
    ...['Games', 'Crowds', 'Trees', 'Boxes and walls'],
  ])
  assert.is(await page.evaluate(() => document.activeElement.hash), '#scene=circle')
  await accessible(page, 'the list', 'light')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(page, () => window.copseDemo.scene === 'blocks')
  await list.waitFor({ state: 'hidden' })
  await choose(page, 'circle')
  await page.keyboard.press(' ')
  assert.is(await demoState(page, 'paused'), true, 'the scene has the keys again')
  await choose(page, 'blocks')
  await page.keyboard.press('l')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'hidden' })

  for (const [key, scene] of [
    [']', 'spheres'],
    ['PageDown', 'crossing'],
    ['PageUp', 'spheres'],
    ['[', 'blocks'],
    ['1', 'doorway'],
    ['[', 'sight'],
    [']', 'doorway'],
  ]) {
    await page.keyboard.press(key)
    await until(page, (scene) => window.copseDemo.scene === scene, scene)
  }
  await page.getByRole('link', { name: 'Next scene' }).click()
  await until(page, () => window.copseDemo.scene === 'battle')
  await page.getByRole('link', { name: 'Previous scene' }).click()
  await until(page, () => window.copseDemo.scene === 'doorway')
  await noErrors(page, errors)
})

test('the address writes and restores all settings', async () => {
  const { page, errors } = await site.page('#scene=battle&n=50&archers=0.4&avoid=0&paused=1')
  const textbox = (page, name) => page.getByRole('textbox', { name, exact: true })
  await frames(page)
  assert.is(await demoState(page, 'paused'), true)
  assert.is(await number(page, 'Red'), 50)
  assert.is(await textbox(page, 'units per army').inputValue(), '50')
  assert.is(await textbox(page, 'archers').inputValue(), '0.4')
  assert.not.ok(await page.getByRole('checkbox', { name: 'avoid each other' }).isChecked())

  await page.keyboard.press(' ')
  await textbox(page, 'units per army').fill('70')
  await page.getByRole('checkbox', { name: 'show targets' }).check()
  await page.getByRole('checkbox', { name: 'avoid each other' }).check()
  await addressed(page, '#scene=battle&n=70&archers=0.4&targets=1')
  assert.ok((await number(page, 'Red')) > 50, 'more units, apart from the fallen')
  const copy = await site.page(await hash(page))
  await frames(copy.page)
  assert.is(await textbox(copy.page, 'units per army').inputValue(), '70')
  assert.ok(await copy.page.getByRole('checkbox', { name: 'show targets' }).isChecked())

  // Opens another scene, goes back in history, edits the address, and opens the scene without settings.
  await choose(page, 'flock')
  await page.getByRole('combobox', { name: 'pointer' }).selectOption('scares')
  await addressed(page, '#scene=flock&pointer=scares')
  await page.goBack()
  await until(page, () => window.copseDemo.scene === 'battle')
  assert.is(await textbox(page, 'units per army').inputValue(), '70')
  await go(page, '#scene=battle&soldiers=90')
  await until(page, () => document.querySelector('#controls input').value === '90')
  assert.not.ok(await page.getByRole('checkbox', { name: 'show targets' }).isChecked())
  await addressed(page, '#scene=battle&n=90')
  await choose(page, 'flock')
  await choose(page, 'battle')
  assert.is(await textbox(page, 'units per army').inputValue(), '300')
  await addressed(page, '#scene=battle')
  await noErrors(page, errors)
  assert.equal(copy.errors, [])
})

test('an address can only set values that a control accepts', async () => {
  const wrong = 'archers=lots&speed=-1e9&avoid=maybe&targets=&help=x&__proto__=1&%F0%9F=%'
  const { page, errors } = await site.page(`#scene=battle&n=1e9&${wrong}`)
  await frames(page, 5)
  await addressed(page, '#scene=battle&n=10000&speed=0.25')
  await go(page, '#scene=flock&n=2345&pointer=leaves')
  await addressed(page, '#scene=flock') // 2,000 agents: the default
  await go(page, '#scene=rewind&time=-30')
  await addressed(page, '#scene=rewind')
  for (const nowhere of ['#scene=nowhere', '#scene=__proto__', '#%', '#'])
    await go(page, nowhere).then(() => page.locator('#landing').waitFor())
  await noErrors(page, errors)
})

test('a paused scene advances by single frames, and restarts equal', async () => {
  const { page, errors } = await site.page('#scene=battle&n=100&paused=1', SMALL)
  await frames(page)
  const start = await still(page, 2)
  const step = async (act) => {
    const before = await picture(page)
    await act()
    const after = await changed(page, before, 'a frame is drawn')
    await frames(page, 10)
    assert.ok((await picture(page)) === after, 'only one frame')
    return after
  }
  const one = await step(() => page.keyboard.press('.'))
  const two = await step(() => page.locator('#step').click())
  await page.keyboard.press('r')
  assert.ok((await still(page, 2)) === start, 'the same start')
  assert.ok((await step(() => page.keyboard.press('.'))) === one)
  assert.ok((await step(() => page.keyboard.press('.'))) === two, 'frames are equally long')
  await page.locator('#restart').click()
  assert.ok((await still(page, 2)) === start)
  assert.is(await hash(page), '#scene=battle&n=100&paused=1')

  // While the scene runs, a press of Step pauses it.
  await page.locator('#pause').click()
  assert.is(await demoState(page, 'paused'), false)
  await page.locator('#step').click()
  assert.is(await demoState(page, 'paused'), true)

  await goToScene(page, 'circle')
  assert.is(await demoState(page, 'paused'), false, 'the next scene plays')
  await go(page, '#scene=battle&paused=1')
  await until(page, () => window.copseDemo.scene === 'battle')
  assert.is(await demoState(page, 'paused'), true, 'a link may start a paused scene')
  await noErrors(page, errors)
})

test('the help lists the keys, and they work', async () => {
  const { page, errors } = await site.page('#scene=circle')
  await frames(page, 5)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.waitFor()
  const shown = await help.locator('kbd').allTextContents()
  for (const key of ['Space', '.', 'R', 'L', 'V', '?', '1 … 9']) assert.ok(shown.includes(key), key)
  await accessible(page, 'the help', 'light', 'dark')
  await page.keyboard.press(' ') // presses the focused Close button, and does not pause
  await help.waitFor({ state: 'hidden' })
  assert.is(await demoState(page, 'paused'), false)
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.keyboard.press('p')
  assert.not.ok(await page.locator('#controls').isVisible())
  await page.keyboard.press('p')
  assert.ok(await page.locator('#controls').isVisible())
  await noErrors(page, errors)
})

test('keys work after a click on a control, which keeps its own keys', async () => {
  const { page, errors } = await site.page('#scene=kdtree', SMALL)
  const sourceIs = (open) =>
    page
      .locator(`#source${open ? ':not([hidden])' : '[hidden]'}`)
      .waitFor({ state: open ? 'visible' : 'hidden' })
  await frames(page, 5)
  await page.getByRole('button', { name: 'Step forward', exact: true }).click()
  await page.keyboard.press('v')
  await sourceIs(true)
  await page.keyboard.press('v')
  await sourceIs(false)
  await page.getByRole('button', { name: 'Step forward', exact: true }).press(' ')
  assert.is(await demoState(page, 'paused'), false, 'the space bar pressed the button')
  await page.getByRole('textbox', { name: 'levels' }).press('v')
  await sourceIs(false)
  await goToScene(page, 'battle')
  const box = page.getByRole('checkbox', { name: 'show targets' })
  await box.press(' ')
  assert.ok(await box.isChecked())
  assert.is(await demoState(page, 'paused'), false, 'the space bar checked the box')
  await page.keyboard.press(']')
  await until(page, () => window.copseDemo.scene === 'flock')
  await noErrors(page, errors)
})

test('the source of the scene is shown beside it', async () => {
  const { page, errors } = await site.page('#scene=circle')
  await frames(page, 5)
  const code = page.locator('#source .file code')
  const holds = (text) => until(page, (text) => source.textContent.includes(text), text)
  assert.not.ok(await code.isVisible())
  await page.keyboard.press('v')
  await holds("name: 'circle'")
  assert.is(await code.textContent(), readFileSync('web/scenes/circle.js', 'utf8'))
  const part = await page.locator('#source .part').textContent()
  assert.match(part, /createSwap\(Crowd/)
  assert.match(part, /\/\/ view\/swap\.js\n[^]*crowd\.step\(\)/)
  assert.ok((await page.locator('#stage').boundingBox()).width > 400, 'the scene stays visible')
  await accessible(page, 'the source', 'light', 'dark')
  await page.keyboard.press('PageDown')
  await until(page, () => source.querySelector('.file').scrollTop > 100)
  await page.keyboard.press(']')
  await holds("name: 'blocks'")
  assert.is(await code.textContent(), readFileSync('web/scenes/blocks.js', 'utf8'))
  await page.keyboard.press('Escape')
  await code.waitFor({ state: 'hidden' })
  assert.ok(await page.locator('#controls').isVisible())
  assert.is(await page.evaluate(() => document.activeElement.id), 'view', 'the focus is back')
  await page.getByRole('button', { name: 'Source' }).click()
  await code.waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await code.waitFor({ state: 'hidden' })
  await noErrors(page, errors)
})

const classes = Object.keys(copse).filter((name) => /^[A-Z]/.test(name))
// Some classes are parameters: of peers, and of scenes whose agents swap sides. Doorway's world runs in a worker.
const CREATES = new RegExp(`\\b(new (${classes.join('|')}|Class|Index)|runWorld)\\(`)
const WORKS =
  /\.(build|load|moveAll|step|update|(all|nearest|neighbors|range|visib|within)\w*)\(|\bconnectWorld\(/

/** The scenes with minimal programs, and the first words of their titles. */
const MINIMAL = {
  octree: ['Static'],
  circle: ['Fixed'],
  blocks: ['Crowd'],
  crossing: ['Crowd'],
  paths: ['Crowd'],
  evacuate: ['Crowd'],
  rewind: ['Fixed'],
  battle: ['Nearest', 'Bullets', 'Object'],
  flock: ['Wrap-around'],
  zones: ['Aggro', 'Area', 'Object'],
}

test('the copse part of every scene is short, belongs to its source, and calls the library', () => {
  for (const scene of scenes) {
    const parts = filesOf(scene).map((file) => {
      const source = readFileSync(`web/${file}`, 'utf8')
      const part = partOf(source).trim().split('\n')
      assert.ok(part.length >= 5 && part.length <= 35, `${file}: ${part.length} lines`)
      for (const line of part) assert.ok(source.includes(line), line)
      return part.join('\n')
    })
    const whole = parts.join('\n')
    assert.match(whole, / from 'copse/, scene)
    assert.match(whole, CREATES, `${scene} creates an object of the library`)
    assert.match(whole, WORKS, `${scene} builds, steps or queries`)
  }
})

test('every scene has a legend, three numbers, the others under Details, and is accessible', async () => {
  const { page, errors } = await site.page(`#scene=${scenes[0]}`, SMALL)
  const shown = page.locator('#numbers dt:visible')
  for (const scene of scenes) {
    await goToScene(page, scene)
    await frames(page, 3)
    assert.ok((await page.locator('#legend li:visible').count()) > 1, scene)
    assert.is(await shown.count(), 3, scene)
    const details = page.getByText('Details')
    await details.press('Enter')
    if (scene !== 'race') assert.ok((await shown.count()) > 3, scene)
    assert.ok(await page.locator('#help').isVisible())
    await accessible(page, scene, 'light', 'dark')
    await details.press(' ')
    assert.is(await demoState(page, 'paused'), false, 'the space bar closed the details')
  }
  await noErrors(page, errors)
})

test('scenes lead to their minimal programs', async () => {
  const { page, errors } = await site.page('#scene=neighbors', SMALL)
  const link = page.getByRole('link', { name: 'Minimal program' })
  for (const scene of scenes) {
    await goToScene(page, scene)
    assert.is(await link.isVisible(), scene in MINIMAL, scene)
  }
  await goToScene(page, 'zones')
  await link.click()
  const titles = page.locator('#minimal h3')
  await titles.first().waitFor()
  const shown = async () => (await titles.allTextContents()).map((title) => title.split(' ')[0])
  for (const [scene, words] of Object.entries(MINIMAL)) {
    await go(page, `#scene=${scene}`)
    await page.locator(`#minimal a[href="./#scene=${scene}"]`).waitFor()
    assert.equal(await shown(), words, scene)
  }
  await page.getByRole('link', { name: 'Back to the scene' }).click()
  await until(page, () => window.copseDemo?.scene === 'zones', null, { ms: 0 })
  await noErrors(page, errors)
})

test('?minimal shows the programs of the documentation, to copy', async () => {
  const { page, errors } = await site.page('?minimal#scene=flock')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const section = page.locator('#minimal section')
  await section.waitFor()
  const recipes = readRecipes(readFileSync('web/docs/recipes.md', 'utf8'))
  const flock = recipes.find(({ name }) => name === 'wrap-around-flock')
  const code = section.locator('code')
  await accessible(page, 'minimal', 'light', 'dark')
  assert.is(await section.locator('h3').textContent(), flock.title)
  assert.is(await code.nth(-2).textContent(), flock.code)
  assert.is(await code.last().textContent(), flock.output)
  assert.match(
    (await page.locator('#minimal > p').allTextContents()).join(' '),
    /install copse.*node main\.mjs.*npm install path/s,
  )
  await section.getByRole('button', { name: 'Copy' }).click()
  await section.getByRole('button', { name: 'Copied' }).waitFor()
  assert.is(await page.evaluate(() => navigator.clipboard.readText()), flock.code)

  // Without a scene, or with one without programs: all of them.
  for (const hash of ['#', '#scene=kdtree', '#scene=__proto__']) {
    await go(page, hash)
    await section.nth(recipes.length - 1).waitFor()
    assert.equal(
      await page.locator('#minimal section h3').allTextContents(),
      recipes.map(({ title }) => title),
    )
  }
  await page.setViewportSize(PHONE.viewport)
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.viewport.width)
  await accessible(page, 'minimal on a phone', 'light')
  assert.equal(await smallTargets(page), [])
  const { y, height } = await page.locator('#minimal').boundingBox()
  assert.is(y + height, PHONE.viewport.height, 'without the sheet of a scene')
  assert.equal(errors, [])
})

test('the chart shows the parts of a frame', async () => {
  const { page, errors } = await site.page('#scene=battle&n=2000')
  await frames(page, 60)
  const chart = page.locator('#chart')
  assert.equal(await chart.locator('li').allTextContents(), ['Move', 'Build', 'Query', 'Draw'])
  assert.match(await chart.locator('output').textContent(), /^\d+\.\d ms · page: \d+ fps$/)
  const painted = () =>
    page.evaluate(() => {
      const { width, height } = document.querySelector('#chart canvas')
      const context = document.querySelector('#chart canvas').getContext('2d')
      const { data } = context.getImageData(0, 0, width, height)
      const style = getComputedStyle(document.documentElement)
      return ['move', 'query', 'draw'].filter((part) => {
        const [r, g, b] = style
          .getPropertyValue(`--part-${part}`)
          .match(/[0-9a-f]{2}/g)
          .map((hex) => parseInt(hex, 16))
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255)
            return true
        return false
      })
    })
  // A frame that took long, as on a busy machine, makes the others too low to see until it leaves the chart.
  await eventually(async () => {
    await frames(page, 10)
    return String(await painted()) === 'move,query,draw'
  }, 'the parts are painted')
  await noErrors(page, errors)
})

test('visitors who prefer less motion see a paused scene, and the reason', async () => {
  const { page, errors } = await site.page('#scene=flock', { ...SMALL, reducedMotion: 'reduce' })
  await frames(page, 5)
  assert.is(await demoState(page, 'paused'), true)
  const reason = page.getByText('your system asks for less motion')
  assert.ok(await reason.isVisible())
  const before = await picture(page)
  await frames(page, 20)
  assert.ok((await picture(page)) === before)
  assert.is(await hash(page), '#scene=flock')
  for (const scene of ['kdtree', 'construction']) {
    await choose(page, scene) // it plays by itself
    const shown = await still(page, 2)
    await frames(page, 40, LONG)
    assert.ok((await picture(page)) === shown, scene)
  }
  await choose(page, 'battle')
  assert.is(await demoState(page, 'paused'), true)
  await page.getByRole('button', { name: 'Play' }).click()
  await until(page, () => !window.copseDemo.paused)
  assert.not.ok(await reason.isVisible())
  await noErrors(page, errors)
})

test('the demo starts if the browser reports an invalid language', async () => {
  const { page, errors } = await site.page('#scene=kdtree', SMALL, () => {
    Object.defineProperty(navigator, 'language', { value: 'C', configurable: true }) // like WebKit
  })
  await frames(page, 5)
  assert.is(await demoState(page, 'scene'), 'kdtree')
  await noErrors(page, errors)
})

test('without WebAssembly, the page says so', async () => {
  const { page, errors } = await site.page('', SMALL, () => {
    delete globalThis.WebAssembly
  })
  const alert = page.getByRole('alert')
  await alert.filter({ hasText: 'WebAssembly' }).waitFor()
  assert.is(await demoState(page, 'ready'), false)
  assert.not.ok(await page.locator('nav').isVisible(), 'no scenes to choose')
  assert.is(errors.length, 1, 'reported once')
})

test('upright tablets show the scene at full width, above its numbers', async () => {
  const { page, errors } = await site.page('', TABLET)
  const { width } = TABLET.viewport
  const longest = 'colliders' // has the longest title
  for (const path of ['', `#scene=${longest}`]) {
    if (path) await goToScene(page, longest)
    await frames(page)
    assert.is((await page.locator('#stage').boundingBox()).width, width)
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth), width)
    assert.is(await page.locator('header').evaluate(({ scrollWidth }) => scrollWidth), width)
    const title = await page.locator('#scene').evaluate((e) => e.scrollWidth - e.clientWidth)
    assert.is(title, 0, 'the title is not cut')
  }
  assert.not.ok(await page.locator('#controls').isVisible())
  await page.locator('#toggle').click()
  assert.ok(await page.locator('#controls').isVisible())
  await noErrors(page, errors)
})

/** Returns the size of the smallest visible text, in CSS pixels. @param {Page} page */
const smallestText = (page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    let smallest = Infinity
    while (walker.nextNode()) {
      const { parentElement: element, textContent } = walker.currentNode
      if (!textContent.trim() || !element.checkVisibility()) continue
      smallest = Math.min(smallest, parseFloat(getComputedStyle(element).fontSize))
    }
    return smallest
  })

test('the demo fits a phone: the scene stays visible, and texts are readable', async () => {
  // A single device pixel per pixel saves time.
  const { page, errors } = await site.page('', { ...PHONE, deviceScaleFactor: 1 })
  await frames(page, 5)
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  const heightOf = async (selector) => (await page.locator(selector).boundingBox()).height
  const { height } = PHONE.viewport
  assert.is(await width(), PHONE.viewport.width)
  assert.ok((await heightOf('#stage')) > 0.4 * height, 'the scene is in the first view')
  assert.equal(await smallTargets(page), [])
  await page.locator('#scene').tap()
  await page.locator(`.gallery a[href="#scene=${scenes[0]}"]`).tap()
  await until(page, (scene) => window.copseDemo.scene === scene, scenes[0])
  for (const scene of scenes) {
    await goToScene(page, scene)
    await frames(page)
    assert.is(await width(), PHONE.viewport.width, scene)
    assert.ok((await heightOf('#stage')) > 0.6 * height, scene)
    assert.ok((await heightOf('#try')) < 30, `${scene}: one line says what to try`)
    const said = await page.locator('#try').textContent()
    assert.not.match(said, /click|wheel|move the pointer/i, 'words for a touch screen')
    const toggle = () =>
      scene === scenes[0] ? page.locator('#toggle').tap() : page.keyboard.press('p')
    await toggle()
    assert.ok((await heightOf('#stage')) > 0.35 * height, scene)
    assert.is(await width(), PHONE.viewport.width, scene)
    assert.ok((await smallestText(page)) >= 11, scene)
    assert.equal(await smallTargets(page), [], scene)
    await toggle()
  }
  await page.locator('#view').tap()
  await page.locator('#source .file code').waitFor()
  assert.ok((await heightOf('#stage')) > 0.25 * height)
  assert.equal(await smallTargets(page), [], 'the source')
  await noErrors(page, errors)
})

test('the page is scaled up on a screen of 3840 pixels', async () => {
  const { page, errors } = await site.page('#scene=kdtree', LARGE)
  await frames(page, 5)
  assert.ok((await smallestText(page)) >= 16)
  const box = await page.locator('#stage').boundingBox()
  const pixels = await page
    .locator('#stage canvas[role]')
    .evaluate(({ width, height }) => [width, height])
  assert.equal(pixels, [Math.round(box.width), Math.round(box.height)], 'full resolution')

  // An added point is at the pointer.
  await page.getByRole('combobox', { name: 'search' }).selectOption('at once')
  await atOnce(page, () => page.mouse.dblclick(box.x + 0.9 * box.width, box.y + 0.8 * box.height))
  assert.is(await number(page, 'Best so far'), 0)
  await noErrors(page, errors)
})

/** Counts the live objects of the library in `live`, and their minimum since its last reset in `least`. */
function countObjects() {
  const { instantiate } = WebAssembly
  const objects = { live: 0, least: 0, bytes: () => 0 }
  const change = (by) => {
    objects.live += by
    objects.least = Math.min(objects.least, objects.live)
  }
  window.objects = objects
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports)
    const wrapped = { ...exports }
    for (const name of Object.keys(exports).filter((name) => name.endsWith('_create')))
      wrapped[name] = (...args) => {
        const handle = exports[name](...args)
        if (handle >= 0) change(1)
        return handle
      }
    wrapped.destroy = (handle) => {
      change(-1)
      return exports.destroy(handle)
    }
    objects.bytes = () => imports.env.memory.buffer.byteLength
    return { exports: wrapped }
  }
}

test('closed scenes free all their resources, in 45 switches', async () => {
  const ROUNDS = 3
  const { page, errors } = await site.page('#scene=sight', SMALL, countObjects)
  const noise = []
  page.on('console', (message) => {
    // Chromium reports how slow it is without graphics hardware.
    if (!message.text().includes('GL Driver Message')) noise.push(message.text())
  })
  const client = await page.context().newCDPSession(page)
  await frames(page, 3)

  const measured = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const scene of scenes) {
      await page.evaluate(() => (window.objects.least = window.objects.live))
      await goToScene(page, scene)
      await frames(page, 3)
      assert.is(await page.evaluate(() => window.objects.least), 0, `before ${scene}`)
    }
    await client.send('HeapProfiler.collectGarbage')
    const used = await client.send('Runtime.getHeapUsage')
    const { nodes, jsEventListeners } = await client.send('Memory.getDOMCounters')
    measured.push({
      core: await page.evaluate(() => window.objects.bytes() - 65536 * window.testFrames.grown()),
      heap: used.usedSize + used.backingStorageSize,
      canvases: await page.locator('canvas').count(),
      nodes,
      jsEventListeners,
    })
  }
  // The engine's own code and caches grow a little. A scene that is not freed would add more in each round.
  const [first, last] = [measured[0], measured.at(-1)]
  const grown = (what) => last[what] - first[what]
  assert.is(last.core, first.core, 'memory of the core')
  assert.is(last.canvases, first.canvases)
  assert.ok(grown('heap') < 2e6, `heap: ${grown('heap')} more bytes`)
  assert.ok(grown('nodes') < 17, `${grown('nodes')} more nodes`)
  assert.ok(grown('jsEventListeners') < 25, `${grown('jsEventListeners')} more listeners`)
  assert.equal(noise, [], 'nothing in the console')
  await noErrors(page, errors)
})

test.run()
