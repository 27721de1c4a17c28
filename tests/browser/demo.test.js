// The built demo, used like a visitor does. Writes a screenshot of each scene to build/screenshots/.

import { mkdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  allEqual,
  atOnce,
  changed,
  choose,
  frames,
  goToScene,
  LONG,
  noErrors,
  number,
  openDemo,
  PHONE,
  picture,
  SMALL,
  still,
  demoState,
  until,
  WIDE,
} from './demo.js'
import { eventually } from './waiting.js'

const demo = suite('demo')
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

demo.before(async () => {
  mkdirSync('build/screenshots', { recursive: true })
  site = await openDemo()
})
demo.after.each(() => site.leavePages())
demo.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

demo('a grid with larger cells reads more agents for the same hits', async () => {
  const { page, errors } = await site.page('#scene=neighbors', SMALL)
  await frames(page, 5)
  const cellSize = page.getByRole('textbox', { name: 'cellSize' })
  assert.not.ok(await cellSize.isVisible(), 'cellSize is hidden for the tree')
  await page.getByRole('combobox', { name: 'index' }).selectOption('grid')
  assert.not.ok(await page.getByRole('combobox', { name: 'split' }).isVisible())
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.press('Space')
  await until(page, () => window.copseDemo.paused && window.copseDemo.hits > 0)

  const readWith = async (size) => {
    await cellSize.fill(size)
    assert.is(await number(page, 'Hits'), await demoState(page, 'hits'))
    return { hits: await number(page, 'Hits'), read: await number(page, 'Agents read') }
  }
  const fitting = await readWith('90')
  const large = await readWith('300')
  assert.is(large.hits, fitting.hits)
  assert.ok(fitting.read >= fitting.hits && large.read > fitting.read, 'larger cells read more')
  assert.equal(errors, [])
})

demo('a paused scene stands still, and resumes', async () => {
  const { page } = await site.page('#scene=battle', SMALL)
  await frames(page, 10)
  await page.keyboard.press('Space')
  await until(page, () => window.copseDemo.paused)
  const paused = await still(page, 2)
  await frames(page, 10)
  assert.ok((await picture(page)) === paused) // assert.is would search for the difference for minutes
  await page.keyboard.press('Space')
  await changed(page, paused)
})

demo('every scene opens by its link', async () => {
  const { page, errors } = await site.page('', { viewport: { width: 1024, height: 640 } })
  await frames(page, 5)
  const scenes = await demoState(page, 'scenes')
  assert.ok(scenes.length >= 15)
  for (const scene of scenes) {
    await choose(page, scene)
    await until(page, () => window.copseDemo.hits > 0)
    await frames(page, 10, LONG)
    await page.screenshot({ path: `build/screenshots/${scene}.png` })
  }
  await noErrors(page, errors)
})

/**
 * Opens Doorway paused and runs 60 steps, while the pointer is at two places. Returns the numbers of the panel.
 * @param {string} settings
 * @param {number[]} places
 * @param {() => void} [before] runs in the page before its own scripts
 */
async function stepDoorway(settings, places, before) {
  const hash = `#scene=doorway&n=1000&fitting=0&paused=1&${settings}`
  const { page, errors } = await site.page(hash, SMALL, before)
  await until(page, () => window.copseDemo?.hits > 0)
  const box = await page.locator('#stage').boundingBox()
  for (const place of places) {
    await page.mouse.move(box.x + box.width / 2, box.y + place * box.height)
    await page.evaluate(async () => {
      for (let n = 0; n < 30; n++) {
        document.getElementById('step').click()
        await window.testFrames.advance(1, 16)
      }
    })
  }
  const numbers = () =>
    page.evaluate(() => {
      const items = [...document.querySelectorAll('#numbers div')]
      return Object.fromEntries(
        items.map((item) => Array.from(item.children, (e) => e.textContent)),
      )
    })
  const isDone = () => document.querySelector('#numbers').textContent.includes('Hash, step 60')
  await until(page, isDone, null, { ms: LONG })
  await frames(page, 10, LONG)
  assert.is((await numbers()).Steps, '60', 'paused')
  await noErrors(page, errors)
  return numbers()
}

demo('Doorway is the same world in a worker and in the page', async () => {
  const inWorker = await stepDoorway('worker=1', [0.2, 0.7])
  const inPage = await stepDoorway('worker=0', [0.2, 0.7])
  assert.ok('Step in worker' in inWorker && 'Step in page' in inPage)
  assert.match(inWorker['Hash, step 60'], /^[0-9a-f]{8}$/)
  assert.is(inWorker['Hash, step 60'], inPage['Hash, step 60'])
  const other = await stepDoorway('worker=1', [0.2, 0.6])
  assert.is.not(other['Hash, step 60'], inPage['Hash, step 60'], 'the pointer matters')
})

demo('Doorway runs in the page where no worker starts, and says so', async () => {
  const { 'Hash, step 60': hash } = await stepDoorway('worker=0', [0.5, 0.3])
  const refuse = () => {
    window.Worker = class {
      constructor() {
        throw new Error('refused')
      }
    }
  }
  const fail = () => {
    const { Worker } = window
    window.Worker = class extends Worker {
      constructor() {
        super(URL.createObjectURL(new Blob(['throw new Error()'])))
      }
    }
  }
  for (const before of [refuse, fail]) {
    const numbers = await stepDoorway('worker=1', [0.5, 0.3], before)
    assert.is(numbers['Page, with worker'], 'no worker')
    assert.ok('Step in page' in numbers)
    assert.is(numbers['Hash, step 60'], hash)
  }
})

demo('boids flee predators, and a pointer that scares them', async () => {
  const { page, errors } = await site.page('#scene=flock', SMALL)
  await frames(page, 5)
  const predators = page.getByRole('textbox', { name: 'predators' })
  await predators.fill('0')
  await page.getByRole('checkbox', { name: 'show neighbors' }).uncheck()
  await until(page, () => window.copseDemo.hits === 0)

  const box = await page.locator('#stage').boundingBox()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await until(page, () => window.copseDemo.hits > 0)
  await page.mouse.down()
  await until(page, () => window.copseDemo.hits === 0, null, { burst: 10 })

  await predators.fill('20')
  await until(page, () => window.copseDemo.hits > 0, null, { burst: 10 })
  await page.getByRole('checkbox', { name: 'wrap around' }).check()
  await frames(page, 40)
  await page.getByRole('checkbox', { name: 'show neighbors' }).check()
  await until(page, () => window.copseDemo.hits > 0, null, { burst: 10 })
  await page.getByRole('checkbox', { name: 'wrap around' }).uncheck()
  await frames(page, 5)
  assert.equal(errors, [])
})

demo('all libraries in the race find the same pairs', async () => {
  const { page, errors } = await site.page('#scene=race', SMALL)
  const finished = () => {
    const { results } = window.copseDemo
    return results.length >= 6 && results.every(({ total, equal }) => total > 0 && equal)
  }
  await until(page, finished)
  await frames(page, 40)
  const results = await demoState(page, 'results')
  assert.ok(await page.evaluate(finished), JSON.stringify(results))
  assert.is(results[1].name, 'copse Grid')

  // The source makes the stage narrower: the results stay.
  await page.keyboard.press('v')
  await frames(page, 3)
  assert.ok((await demoState(page, 'results')).every(({ total, equal }) => total > 0 && equal))
  await page.keyboard.press('v')
  await frames(page, 40)
  assert.ok((await demoState(page, 'results')).every(({ total, equal }) => total > 0 && equal))
  assert.match(await page.locator('#table tbody').textContent(), /\d × (slower|faster)/)

  const agents = page.getByRole('slider', { name: 'agents' })
  assert.is(await agents.getAttribute('aria-valuenow'), '5000')
  await agents.press('ArrowLeft')
  assert.is(await agents.getAttribute('aria-valuenow'), '2000')
  await until(page, finished)
  assert.equal(errors, [])
})

demo('the step-by-step search of a k-d tree finds what nearest() finds', async () => {
  const { page, errors } = await site.page('#scene=kdtree', SMALL)
  await frames(page, 5)
  const first = await picture(page)
  await until(page, () => window.copseDemo.hits > 2)
  await changed(page, first, 'the search advances by itself')

  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  await press('Step forward')
  const step = await number(page, 'Step')
  await press('Step forward')
  assert.is(await number(page, 'Step'), step + 1)
  const forward = await picture(page)
  await press('Step back')
  assert.is(await number(page, 'Step'), step)
  await changed(page, forward)
  await press('Step') // of the page: pauses
  assert.is(await number(page, 'Step'), step + 1)
  await press('Step')
  assert.is(await number(page, 'Step'), step + 2)
  await press('Play')

  await page.getByRole('combobox', { name: 'search' }).selectOption('at once')
  const box = await page.locator('#stage').boundingBox()
  for (const part of [0.2, 0.5, 0.8]) {
    await page.mouse.move(box.x + part * box.width, box.y + part * box.height)
    await frames(page, 5)
    const results = await demoState(page, 'results')
    assert.ok(results.length >= 2 && results.every(({ equal }) => equal), JSON.stringify(results))
  }
  await page.locator('#stage canvas[role]').press('Enter')
  await page.mouse.click(box.x + 50, box.y + 300)
  assert.is(await number(page, 'Points'), 51, 'a click moves the query only')
  await atOnce(page, () => page.mouse.dblclick(box.x + 90, box.y + 300))
  assert.is(await number(page, 'Points'), 52)
  assert.is(await number(page, 'Best so far'), 0, 'the added point')
  await press('Remove added points')
  assert.is(await number(page, 'Points'), 50)

  const lines = await picture(page)
  await page.getByRole('textbox', { name: 'levels' }).fill('1')
  await changed(page, lines)
  assert.match(await page.locator('#numbers').textContent(), /KdTree\.nearest\(\)same ✓/)
  await press('How the tree is built')
  await until(page, () => window.copseDemo.scene === 'construction')
  const tree = page.getByRole('combobox', { name: 'tree', exact: true })
  assert.is(await tree.inputValue(), 'k-d tree')
  assert.equal(errors, [])
})

demo('in a k-d tree, a finger moves the query, and a double tap adds a point', async () => {
  const { page, errors } = await site.page('#scene=kdtree&search=at+once', PHONE)
  await frames(page, 5)
  const points = () => number(page, 'Points')
  const before = await points()
  await page.touchscreen.tap(120, 300)
  await page.touchscreen.tap(280, 400)
  assert.is(await points(), before, 'taps at two places')
  await atOnce(page, async () => {
    await page.touchscreen.tap(200, 350)
    await page.touchscreen.tap(203, 352)
  })
  assert.is(await points(), before + 1)
  await page.locator('#toggle').click()
  await page.getByRole('button', { name: 'Add a point at the query' }).click()
  assert.is(await points(), before + 2)
  assert.equal(errors, [])
})

demo('trees are made step by step, as the library made them, and queried', async () => {
  const { page, errors } = await site.page('#scene=construction', SMALL)
  await frames(page, 5)
  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  const choose = (name, option) => page.getByRole('combobox', { name }).selectOption(option)
  const agrees = async () => {
    const results = await demoState(page, 'results')
    assert.ok(results.length === 2 && results.every(({ equal }) => equal), JSON.stringify(results))
  }
  const first = await picture(page)
  await changed(page, first, 'it plays by itself')
  assert.is(await number(page, 'Nodes'), 11)

  await press('Step forward')
  const step = await number(page, 'Step')
  await press('Step forward')
  assert.is(await number(page, 'Step'), step + 1)
  await press('Step back')
  assert.is(await number(page, 'Step'), step)
  await page.getByRole('textbox', { name: 'step', exact: true }).fill('0')
  assert.is(await number(page, 'Step'), 1)
  assert.is(await demoState(page, 'hits'), 6, 'all agents are in the root')
  await page.keyboard.press('Tab') // leaves the text box
  await page.locator('#stage canvas[role]').press('+')
  assert.is(await number(page, 'Step'), 2)
  await press('Step')
  assert.is(await number(page, 'Step'), 3, 'the page’s own button')
  await page.keyboard.press('.')
  assert.is(await number(page, 'Step'), 4)
  await press('Play')

  for (const [tree, nodes] of [
    ['k-d tree', 6],
    ['quadtree', 13],
    ['obstacle tree', 9],
  ]) {
    await choose('tree', tree)
    assert.is(await number(page, 'Nodes'), nodes, tree)
    await agrees()
    const box = await page.locator('#stage').boundingBox()
    for (const part of [0.4, 0.5, 0.6]) {
      await page.mouse.move(box.x + part * box.width, box.y + 0.5 * box.height)
      await frames(page, 2)
      await agrees()
    }
  }
  const edges = await number(page, 'Edges')
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.5 * box.height)
  await page.mouse.down()
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.55 * box.height)
  await frames(page, 2)
  await page.mouse.up()
  assert.is(await number(page, 'Edges'), edges + 2, 'a thin wall is an edge per side')
  await agrees()
  await press('Remove what you added')
  assert.is(await number(page, 'Edges'), edges)

  await choose('tree', 'agent tree')
  await page.mouse.click(box.x + 0.3 * box.width, box.y + 0.4 * box.height)
  assert.is(await number(page, 'Points'), 6, 'a click moves the query only')
  await atOnce(page, () => page.mouse.dblclick(box.x + 0.6 * box.width, box.y + 0.5 * box.height))
  assert.is(await number(page, 'Points'), 7)
  await agrees()
  assert.equal(errors, [])
})

demo('all builders of the k-d tree produce the order of sorting', async () => {
  const { page, errors } = await site.page('#scene=kdtree', SMALL)
  await frames(page, 5)
  const isMeasured = () => window.copseDemo.results.length === 6
  await until(page, isMeasured) // by itself
  await page.getByRole('combobox', { name: 'build times' }).selectOption('these points')
  await until(page, () => window.copseDemo.results.length === 2)
  await until(page, isMeasured)
  await page.evaluate(() => {
    const { Worker } = window
    // @ts-expect-error: a property of this test
    window.Worker = function (...args) {
      document.title = 'measuring'
      return new Worker(...args)
    }
  })
  await page.getByRole('button', { name: 'Measure again' }).click()
  await until(page, () => document.title === 'measuring')
  await until(page, isMeasured)
  const results = (await demoState(page, 'results')).slice(2)
  assert.ok(
    results.every(({ total, equal }) => total > 0 && equal),
    JSON.stringify(results),
  )
  assert.equal(errors, [])
})

demo('a probe in space finds the nearest points, in a view that turns', async () => {
  const { page, errors } = await site.page('#scene=kdtree', SMALL)
  const loaded = () =>
    performance.getEntriesByType('resource').some(({ name }) => /three/.test(name))
  await frames(page, 5)
  assert.not.ok(await page.evaluate(loaded), 'only 3D scenes load three.js')
  await choose(page, 'space')
  await until(page, loaded)
  await until(page, () => window.copseDemo.results[0]?.equal)
  assert.is(await demoState(page, 'hits'), 30)
  await frames(page, 5)
  await changed(page, await picture(page))

  // Paused, with the probe at rest at the mouse: from here on, only actions change the picture.
  const box = await page.locator('#stage').boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.keyboard.press('Space')
  await page.mouse.move(x, y)
  let before = await still(page)
  const changes = async (what) => (before = await changed(page, before, what))
  await page.mouse.wheel(0, -500)
  await changes('the wheel zooms')
  await page.mouse.down()
  await page.mouse.move(x + 120, y + 40)
  await page.mouse.up()
  await changes('a drag turns')
  before = await still(page)
  await page.getByRole('textbox', { name: 'levels' }).fill('0')
  await changes('fewer levels of planes')
  await page.getByRole('textbox', { name: 'k nearest' }).fill('5')
  await until(page, () => window.copseDemo.hits === 5)
  before = await picture(page)
  await page.getByRole('combobox', { name: 'spread' }).selectOption('spiral')
  await changes('other points')
  await until(page, () => window.copseDemo.results[0]?.equal)

  // Opens it repeatedly, since the number of WebGL contexts in a page is limited.
  for (let i = 0; i < 3; i++) {
    for (const scene of ['kdtree', 'space']) {
      await goToScene(page, scene)
      await frames(page, 2)
    }
  }
  await noErrors(page, errors)
})

demo('a quadtree follows colliders, and finds what a loop finds', async () => {
  const { page, errors } = await site.page('#scene=colliders', SMALL)
  await frames(page, 5)
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await until(page, () => window.copseDemo.hits > 0)
  await allEqual(page, 4)
  assert.ok((await number(page, 'Changes per frame')) > 0)
  assert.ok((await number(page, 'Pairs')) > 0)

  const hits = await demoState(page, 'hits')
  await page.mouse.wheel(0, -1000)
  await until(page, (hits) => window.copseDemo.hits > hits, hits)

  const straddlers = () => number(page, 'Straddlers')
  const set = (name, value) => page.getByRole('textbox', { name }).fill(value)
  const tight = await straddlers()
  assert.ok(tight > 0)
  await set('looseness', '2')
  await allEqual(page, 3)
  assert.ok((await straddlers()) < tight, 'loose cells have fewer straddlers')
  await set('looseness', '1')
  await set('maxDepth', '4')
  await set('leafSize', '0')
  await allEqual(page, 3)
  assert.is(await number(page, 'Depth'), 4)
  await page.getByRole('combobox', { name: 'update' }).selectOption('move one by one')
  await page.getByRole('combobox', { name: 'spread' }).selectOption('clusters')
  await allEqual(page, 3)
  await set('maxDepth', '0')
  assert.is(await straddlers(), 0)
  assert.is(await number(page, 'Nodes'), 1)
  await allEqual(page, 3)

  await page.locator('#stage canvas[role]').press('Space')
  await until(page, () => window.copseDemo.paused)
  const paused = await still(page, 40)
  await frames(page, 10)
  assert.ok((await picture(page)) === paused, 'paused')
  await page.getByRole('checkbox', { name: 'find overlaps' }).uncheck()
  await changed(page, paused, 'overlaps are hidden')
  await noErrors(page, errors)
})

for (const scene of ['colliders', 'neighbors', 'octree'])
  demo(`many queries find what a plain loop finds: ${scene}`, async () => {
    const { page, errors } = await site.page(`#scene=${scene}`, SMALL)
    const compared = () => window.copseDemo.results.some(({ name }) => /many/.test(name))
    const bars = page.locator('.bars')
    const hits = async (place) => {
      await page.getByRole('combobox', { name: 'queried place' }).selectOption(place)
      await until(page, compared)
      await allEqual(page, 1)
      await number(page, 'Hits') // the bars follow the panel
      assert.match(await bars.innerText(), /equal ✓/)
      return parseFloat((await bars.innerText()).match(/, ([\d.]+) hits each/)[1])
    }
    const anywhere = await hits('anywhere')
    assert.ok(anywhere > 0)
    assert.ok((await hits('densest place')) > anywhere)
    assert.ok((await hits('sparsest place')) < anywhere)
    await page.getByRole('slider', { name: 'queries per frame' }).press('ArrowRight')
    await until(page, compared)
    await number(page, 'Hits')
    assert.match(await bars.innerText(), /1,000 queries/)
    for (let i = 0; i < 6; i++)
      await page.getByRole('slider', { name: 'queries per frame' }).press('ArrowLeft')
    await number(page, 'Hits')
    assert.not.ok(await bars.isVisible(), 'hidden without queries')
    assert.not.ok(await page.evaluate(compared))
    assert.equal(errors, [])
  })

for (const scene of ['colliders', 'octree'])
  demo(`items are born and die, a click adds and strikes: ${scene}`, async () => {
    const { page, errors } = await site.page(`#scene=${scene}`, SMALL)
    await frames(page, 5)
    const items = () => number(page, 'Items')
    const box = await page.locator('#stage').boundingBox()
    const [x, y] = [box.x + box.width / 2, box.y + 0.6 * box.height]
    const before = await items()
    await page.mouse.click(x, y)
    assert.is(await items(), before + 50)
    assert.ok((await number(page, 'Insert, each')) >= 0)
    await page.mouse.down()
    await page.mouse.move(x + 60, y)
    await page.mouse.up()
    assert.is(await items(), before + 50, 'a drag adds nothing')
    await page.locator('#stage canvas[role]').press('Enter')
    assert.is(await items(), before + 100)
    await allEqual(page, 2)

    await page.getByRole('combobox', { name: 'click' }).selectOption('strikes the area')
    await frames(page, 40)
    const hits = await demoState(page, 'hits')
    assert.ok(hits > 0)
    await page.mouse.click(x + 60, y)
    const left = await items()
    assert.ok(left < before + 100, 'a strike removes')
    assert.ok((await number(page, 'Remove, each')) >= 0)
    await page.locator('#pause').click()
    await until(page, () => window.copseDemo.paused)
    await page.locator('#stage canvas[role]').press('Enter')
    await frames(page, 1)
    assert.is(await demoState(page, 'hits'), 0, 'none are left in the area')
    const struck = await items()
    await page.locator('#pause').click()

    const births = page.getByRole('slider', { name: 'births per second' })
    for (let i = 0; i < 3; i++) await births.press('ArrowRight')
    await until(page, () => !window.copseDemo.paused)
    await frames(page, 60, LONG)
    const most = await items()
    assert.ok(most > struck + 200, 'items are born')
    await allEqual(page, 2)
    for (let i = 0; i < 3; i++) await births.press('ArrowLeft')
    await frames(page, 120, LONG)
    assert.is(await items(), struck, 'those born have died')
    await allEqual(page, 2)
    await noErrors(page, errors)
  })

demo('the player of the octree flies and turns, by keys and by touch', async () => {
  const { page, errors } = await site.page('#scene=octree', SMALL)
  await frames(page, 5)
  await page.locator('#pause').click()
  await until(page, () => window.copseDemo.paused)
  await page.locator('#pause').blur()
  let before = await still(page, 40)
  for (const key of ['KeyW', 'KeyS', 'KeyA', 'KeyD', 'KeyE', 'KeyQ', 'KeyZ', 'KeyX']) {
    await page.keyboard.down(key)
    await frames(page, 15)
    await page.keyboard.up(key)
    const after = await still(page, 40)
    assert.ok(after !== before, key)
    before = after
  }
  assert.not.ok(await page.locator('.pad').isVisible(), 'no buttons without touch')
  assert.equal(errors, [])

  // Without bars. A single device pixel per pixel saves time.
  const onPhone = { ...PHONE, deviceScaleFactor: 1 }
  const phone = await site.page('#scene=octree&queries=0&paused=1', onPhone)
  await frames(phone.page, 5)
  before = await still(phone.page, 40)
  for (const name of ['forward', 'turn left', 'up']) {
    const button = phone.page.getByRole('button', { name, exact: true })
    await button.dispatchEvent('pointerdown')
    await frames(phone.page, 15)
    await button.dispatchEvent('pointerup')
    const after = await still(phone.page, 40)
    assert.ok(after !== before, name)
    before = after
  }
  const back = phone.page.getByRole('button', { name: 'back', exact: true })
  await back.focus()
  await phone.page.keyboard.down(' ')
  await frames(phone.page, 15)
  await phone.page.keyboard.up(' ')
  assert.ok((await still(phone.page, 40)) !== before, 'a key holds a button')
  assert.equal(phone.errors, [])
})

demo('an octree follows swarms, and the player moves with the camera', async () => {
  const { page, errors } = await site.page('#scene=octree', SMALL)
  await allEqual(page, 1)
  const set = (name, value) => page.getByRole('textbox', { name }).fill(value)
  await set("player's box", '0.5')
  const box = await page.locator('#stage').boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await until(page, () => window.copseDemo.hits > 0)
  await changed(page, await picture(page), 'the boxes fly')
  assert.ok((await number(page, 'Changes per frame')) > 0)

  await set('leafSize', '40')
  const few = await number(page, 'Nodes')
  await set('leafSize', '4')
  await allEqual(page, 1)
  assert.ok((await number(page, 'Nodes')) > few)
  await set('looseness', '2')
  await allEqual(page, 1)
  await set('maxDepth', '2')
  await allEqual(page, 1)
  assert.ok((await number(page, 'Depth')) <= 2)

  await page.locator('#stage canvas[role]').press('Space')
  await until(page, () => window.copseDemo.paused)
  await page.mouse.move(x + 80, y)
  // Waits until the player is at rest after each action: then only the next action changes the picture.
  let before = await still(page, 40)
  const changes = async (what) => {
    await changed(page, before, what)
    before = await still(page, 40)
  }
  await page.mouse.wheel(0, -500)
  await changes('the wheel zooms')
  await page.mouse.down()
  await page.mouse.move(x - 60, y + 40)
  await page.mouse.up()
  await changes('a drag turns')
  await page.getByRole('checkbox', { name: 'draw cells' }).uncheck()
  await changed(page, before, 'cells are hidden')
  await noErrors(page, errors)
})

demo('a guard sees the agents that no wall hides, and drawn walls hide more', async () => {
  const { page, errors } = await site.page('#scene=sight')
  await frames(page, 5)
  await until(page, () => window.copseDemo.hits > 5)
  const moving = await picture(page)
  await allEqual(page, 1)
  await changed(page, moving, 'the agents walk')
  const walls = await number(page, 'Walls')
  assert.ok((await number(page, 'Pieces')) >= (await number(page, 'Edges')))

  // Pauses by the button, since a key would outline the stage. From here on, only actions change the picture.
  await page.locator('#pause').click()
  const before = await still(page, 2)
  const seen = await demoState(page, 'hits')
  const box = await page.locator('#stage').boundingBox()
  for (let y = 20; y < box.height; y += 40) {
    await page.mouse.move(box.x + 12, box.y + y)
    await page.mouse.down()
    await page.mouse.move(box.x + 100, box.y + y + 7)
    await page.mouse.move(box.x + box.width - 12, box.y + y + 7)
    await frames(page, 2)
    await page.mouse.up()
  }
  assert.ok((await number(page, 'Walls')) > walls + 10)
  assert.ok((await demoState(page, 'hits')) < seen, 'fewer agents are seen')
  await allEqual(page, 1)
  const press = (name) => page.getByRole('button', { name }).click()
  const most = await number(page, 'Walls')
  await press('Undo your last wall')
  assert.is(await number(page, 'Walls'), most - 1)
  await press('Clear your walls')
  assert.is(await number(page, 'Walls'), walls)
  assert.is(await demoState(page, 'hits'), seen)
  assert.ok((await still(page, 2)) === before, 'the same picture as before drawing')

  await page.locator('#stage canvas[role]').press('Enter')
  await page.keyboard.down('ArrowLeft')
  await frames(page, 20)
  await page.keyboard.up('ArrowLeft')
  await page.keyboard.press('Enter')
  assert.is(await number(page, 'Walls'), walls + 1, 'a wall drawn by keys')
  await press('Clear your walls')

  const reach = await number(page, 'Within reach')
  await page.mouse.move(box.x + 200, box.y + 200)
  await page.mouse.wheel(0, -1000)
  await eventually(
    async () => (await number(page, 'Within reach')) > reach,
    'the wheel widens the view',
  )
  await page.getByRole('textbox', { name: 'view distance' }).fill('100')
  assert.ok((await number(page, 'Within reach')) < reach)
  const plain = await still(page, 2)
  await page.getByRole('checkbox', { name: 'show partition' }).check()
  await changed(page, plain, 'the partition is shown')
  const agents = page.getByRole('slider', { name: 'agents' })
  await agents.press('ArrowRight')
  assert.is(await number(page, 'Agents'), 500)

  await page.getByRole('combobox', { name: 'guard' }).selectOption('follows the pointer')
  await page.getByRole('checkbox', { name: 'move doors' }).uncheck()
  await page.locator('#pause').click()
  await page.mouse.move(box.x + 300, box.y + 300)
  await changed(page, await picture(page), 'the agents walk on')
  await allEqual(page, 1)
  await noErrors(page, errors)
})

demo(
  'the guard scene works on a dark page, and on a phone, where a tap draws no wall',
  async () => {
    for (const [name, options] of Object.entries({
      'sight-dark': { ...WIDE, colorScheme: 'dark' },
      'sight-phone': PHONE,
    })) {
      const { page, errors } = await site.page('#scene=sight', options)
      await until(page, () => window.copseDemo?.hits > 0, null, { ms: LONG })
      if (options.hasTouch) {
        const walls = await number(page, 'Walls')
        await page.touchscreen.tap(195, 400)
        assert.is(await number(page, 'Walls'), walls)
        assert.is(
          await page.evaluate(() => document.documentElement.scrollWidth),
          PHONE.viewport.width,
        )
      }
      await page.screenshot({ path: `build/screenshots/${name}.png`, scale: 'css' })
      assert.equal(errors, [])
    }
  },
)

/**
 * Checks behavior that crowd scenes share, at one step per frame.
 * @param {Page} page @param {string} agents their default number
 * @param {string} shown label of the checkbox that shows the picked agent
 */
async function checkCrowd(page, agents, shown) {
  await until(page, () => window.copseDemo.hits > 0)
  const start = await picture(page)
  await allEqual(page, 1)
  await changed(page, start, 'the agents move')
  assert.ok((await number(page, 'Mean neighbors')) > 1)
  assert.is(await number(page, 'Agents'), parseFloat(agents))

  // Pauses by the button, since a key would outline the stage. From here on, only actions change the picture.
  // Restarts, since a crowd that has arrived would not move.
  const press = (id) => page.locator(`#${id}`).click()
  await press('pause')
  await until(page, () => window.copseDemo.paused)
  await press('restart')
  await page.mouse.move(2, 2) // off the stage
  const steps = () => number(page, 'Steps')
  assert.is(await steps(), 0)
  let before = await still(page, 2)
  assert.is(await steps(), 0)
  assert.ok((await picture(page)) === before, 'nothing moves while paused')
  const changes = async (what) => (before = await changed(page, before, what))
  await press('step')
  assert.is(await steps(), 1)
  await changes('a step')
  await page.getByRole('checkbox', { name: 'show velocities' }).check()
  await changes('velocities are shown')
  await page.getByRole('checkbox', { name: shown }).check()
  await changes('the picked agent is shown')
  await page.getByRole('textbox', { name: 'max neighbors' }).fill('3')
  await until(page, () => window.copseDemo.hits === 3)
  await allEqual(page, 1, 31)
  await page.getByRole('textbox', { name: 'max neighbors' }).fill('10')

  // Every run from the start is the same.
  const runFromStart = async () => {
    await press('restart')
    for (let i = 0; i < 3; i++) {
      await press('step')
      assert.is(await steps(), i + 1)
    }
    return still(page, 1)
  }
  assert.ok((await runFromStart()) === (await runFromStart()), 'two runs are equal')
  const slider = page.getByRole('slider', { name: 'agents' })
  await slider.press('ArrowRight')
  assert.ok((await number(page, 'Agents')) > parseFloat(agents))
  assert.is(await number(page, 'Steps'), 0)
  await slider.press('ArrowLeft')
  await frames(page)
}

for (const [scene, agents] of Object.entries({ circle: '500', blocks: '400' }))
  demo(`a crowd crosses to its goals: ${scene}`, async () => {
    const { page, errors } = await site.page(`#scene=${scene}&speed=1`, SMALL)
    await frames(page, 5)
    await checkCrowd(page, agents, 'show constraints')

    // All agents start around the middle of the stage, and none in it.
    const box = await page.locator('#stage').boundingBox()
    const picked = () => number(page, 'Picked agent')
    assert.is(await picked(), 0)
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    assert.is(await picked(), 0, 'the middle is empty')
    for (let x = box.width / 2; x > 0 && (await picked()) === 0; x -= 20)
      await page.mouse.click(box.x + x, box.y + 0.2 * box.height)
    assert.ok((await picked()) > 0, 'a click picks')
    const before = await still(page, 2)
    await page.mouse.wheel(0, -800)
    await changed(page, before, 'the wheel zooms')
    await page.mouse.wheel(0, 5000)
    await page.locator('#pause').click()
    await frames(page, 20, LONG)
    const wide = await picture(page)
    await page.setViewportSize({ width: 700, height: 900 })
    await changed(page, wide)
    await noErrors(page, errors)
  })

demo('a crowd avoids walls, and finds its way around them', async () => {
  const { page, errors } = await site.page('#scene=blocks', SMALL)
  await frames(page, 5)
  const slider = (name) => page.getByRole('slider', { name })
  for (let i = 0; i < 2; i++) await slider('agents').press('ArrowLeft')
  for (let i = 0; i < 2; i++) await slider('steps per frame').press('ArrowRight')
  const arrived = (least) => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const value = (label) =>
      Number(shown.find((item) => item.children[0].textContent === label).children[1].textContent)
    window.mostWalls = Math.max(window.mostWalls ?? 0, value('Its walls'))
    return value('Agents') === 100 && value('Arrived') >= least
  }
  await until(page, arrived, 95, { ms: LONG, burst: 10 })
  assert.ok((await page.evaluate(() => window.mostWalls)) > 0)
  await allEqual(page, 1)
  assert.equal(errors, [])
})

demo('a crowd in space crosses to its goals, and a click picks an agent', async () => {
  const { page, errors } = await site.page('#scene=spheres&speed=1', SMALL)
  await frames(page, 5)
  await checkCrowd(page, '250', 'show neighbors')
  const box = await page.locator('#stage').boundingBox()
  const picked = () => number(page, 'Picked agent')
  for (let x = 0.3; x < 0.7 && (await picked()) === 0; x += 0.02)
    await page.mouse.click(box.x + x * box.width, box.y + 0.45 * box.height)
  assert.ok((await picked()) > 0)
  await allEqual(page, 1)
  await noErrors(page, errors)
})

demo('two streams cross a corridor, with and without the additions of a crowd', async () => {
  const { page, errors } = await site.page('#scene=crossing', SMALL)
  await frames(page, 5)
  const slider = (name) => page.getByRole('slider', { name })
  for (let i = 0; i < 3; i++) await slider('steps per frame').press('ArrowRight')
  const passed = () => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const item = shown.find(({ firstChild }) => firstChild.textContent === 'Went through')
    return Number(item?.lastChild.textContent.replace(',', '')) > 20
  }
  await until(page, passed, null, { ms: LONG, burst: 10 })
  assert.ok((await number(page, 'Speed')) > 50)
  await page.getByRole('checkbox', { name: 'paper’s rule only' }).check()
  await eventually(async () => (await number(page, 'Went through')) <= 20, 'all start over')
  await until(page, passed, null, { ms: LONG, burst: 10 })
  const before = await picture(page)
  await page.getByRole('textbox', { name: 'in a hurry' }).fill('1')
  await changed(page, before)
  await slider('agents').press('ArrowLeft')
  assert.is(await number(page, 'Agents'), 200)
  await noErrors(page, errors)
})

demo('two groups find their paths, around drawn walls and to a goal that moves', async () => {
  const { page, errors } = await site.page('#scene=paths&agents=250', WIDE)
  await frames(page, 5)
  const shownNumber = (label) => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const item = shown.find(({ firstChild }) => firstChild.textContent === label)
    return Number(item?.lastChild.textContent.replace(',', ''))
  }
  await page.evaluate(`window.shownNumber = ${shownNumber}`)
  const speed = page.getByRole('slider', { name: 'steps per frame' })
  for (let i = 0; i < 2; i++) await speed.press('ArrowRight')
  const options = { ms: LONG, burst: 10 }
  await until(page, () => window.shownNumber('Arrived') >= 100, null, options)
  assert.is(await number(page, 'No path'), 0)
  await page.locator('#pause').click()
  await page.locator('#restart').click()
  const shown = await still(page, 2)
  const path = await number(page, 'Its path')

  // Moves the goal of the picked agent beside the start.
  const box = await page.locator('#stage').boundingBox()
  const moveTo = (x, y) => page.mouse.move(box.x + x * box.width, box.y + y * box.height)
  const scale = (0.96 * Math.min(box.width / 45.5, box.height / 30.5)) / 2
  const goal = [0.5 + (0.78 * 45 * scale) / box.width, 0.5 + (0.5 * 30 * scale) / box.height]
  await moveTo(...goal)
  await page.mouse.down()
  await moveTo(0.5, 0.5)
  await frames(page, 30)
  await page.mouse.up()
  assert.is(await number(page, 'Your walls'), 0)
  assert.ok((await number(page, 'Its path')) < path - 20, 'the goal is nearer')
  assert.ok((await number(page, 'Frames per build')) > 1)
  await changed(page, shown)

  // A wall across the whole maze parts all agents from the goal. Without it, the picture is as before.
  await moveTo(0.36, 0.02)
  await page.mouse.down()
  await moveTo(0.36, 0.98)
  await frames(page, 2)
  await page.mouse.up()
  assert.is(await number(page, 'Your walls'), 1)
  await frames(page, 30)
  await page.locator('#step').click()
  assert.ok((await number(page, 'No path')) > 100)
  assert.ok(Number.isNaN(await number(page, 'Its path')))
  await page.getByRole('button', { name: 'Undo your last wall' }).click()
  await frames(page, 30)
  await page.locator('#step').click()
  assert.is(await number(page, 'No path'), 0)
  for (const name of ['show bands', 'show cells', 'show all paths', 'show one path']) {
    const before = await still(page, 2)
    await page.getByRole('checkbox', { name }).click()
    await changed(page, before, name)
  }

  // Enter takes and drops the goal, and arrow keys move it.
  const before = await number(page, 'Its path')
  await moveTo(0.5, 0.5)
  await page.evaluate(() => document.activeElement.blur())
  await page.keyboard.press('Enter')
  await page.keyboard.down('ArrowRight')
  await frames(page, 40)
  await page.keyboard.up('ArrowRight')
  await page.keyboard.press('Enter')
  await frames(page, 30)
  const farther = await number(page, 'Its path')
  assert.ok(farther > before + 5)

  // A click picks an agent.
  for (let x = 0.05; x < 0.35 && (await number(page, 'Its path')) === farther; x += 0.02)
    await page.mouse.click(box.x + x * box.width, box.y + 0.7 * box.height)
  assert.is.not(await number(page, 'Its path'), farther)
  assert.is(await number(page, 'Your walls'), 0)
  await noErrors(page, errors)
})

demo(
  'a crowd finds its way out, and drawn walls change the picture until they are cleared',
  async () => {
    const { page, errors } = await site.page('#scene=evacuate', SMALL)
    await frames(page, 5)
    const slider = (name) => page.getByRole('slider', { name })
    for (let i = 0; i < 2; i++) await slider('steps per frame').press('ArrowRight')
    const out = (least) => {
      const shown = [...document.querySelectorAll('#numbers div')]
      const item = shown.find(({ firstChild }) => firstChild.textContent === 'Out')
      return Number(item?.lastChild.textContent) >= least
    }
    await until(page, out, 180, { ms: LONG, burst: 10 })
    assert.ok(await page.locator('#curve canvas').isVisible())

    // Pauses by the button, since a key would outline the stage.
    await page.locator('#pause').click()
    await page.locator('#restart').click()
    assert.is(await number(page, 'No way out'), 0)
    const before = await still(page, 2)
    const box = await page.locator('#stage').boundingBox()
    for (const [part, other] of [
      [0.05, 0.95],
      [0.95, 0.05],
    ]) {
      await page.mouse.move(box.x + part * box.width, box.y + 0.2 * box.height)
      await page.mouse.down()
      await page.mouse.move(box.x + other * box.width, box.y + 0.8 * box.height)
      await frames(page, 2)
      await page.mouse.up()
    }
    assert.is(await number(page, 'Your walls'), 2)
    await changed(page, before)
    const steps = await number(page, 'Steps')
    for (const higher of [true, false]) {
      await page.keyboard.press('v')
      await frames(page, 3)
      const { width, height } = await page.locator('#stage').boundingBox()
      assert.is(height > width, higher)
      assert.is(await number(page, 'Your walls'), 2, 'the source does not turn the building')
      assert.is(await number(page, 'Steps'), steps)
    }
    await page.getByRole('button', { name: 'Clear your walls' }).click()
    await page.mouse.move(2, 2) // off the stage
    assert.is(await number(page, 'Your walls'), 0)
    assert.ok((await still(page, 2)) === before, 'the same picture as before drawing')
    await noErrors(page, errors)
  },
)

demo('a rewound crowd replays bit for bit, unless an agent is moved', async () => {
  const { page, errors } = await site.page('#scene=rewind', SMALL)
  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  await frames(page)
  await until(page, () => window.copseDemo.hits > 40, null, { ms: LONG, burst: 10 })
  await press('Rewind 10 seconds')
  await until(page, () => window.copseDemo.results[0]?.equal)
  await frames(page, 20, LONG)
  assert.ok((await number(page, 'Replayed')) > 5)
  assert.ok(await page.evaluate(() => window.copseDemo.results[0].equal))
  assert.ok(await page.locator('#table .right').count())
  assert.is(await page.locator('#table .wrong').count(), 0)
  await press('… and move one agent by 1 mm')
  await until(page, () => window.copseDemo.results[0]?.equal === false, null, { burst: 10 })
  await until(page, () => document.querySelector('#table .wrong'), null, { burst: 10 })

  // A restart is at the end of the timeline, also while paused.
  const time = page.getByRole('textbox', { name: 'time' })
  await page.locator('#pause').click()
  await time.fill('-2')
  assert.not.equal(await time.inputValue(), '0')
  await page.locator('#restart').click()
  assert.is(await time.inputValue(), '0')
  assert.is(await number(page, 'States kept'), 1)
  await noErrors(page, errors)
})

demo('zones agree with plain sets, and a server sends less than everything', async () => {
  const { page, errors } = await site.page('#scene=zones', SMALL)
  await frames(page, 5)
  await until(page, () => window.copseDemo.hits > 5, null, { ms: LONG })
  for (let i = 0; i < 5; i++) {
    await frames(page, 20, LONG)
    assert.ok(await page.evaluate(() => window.copseDemo.results[0].equal))
  }
  assert.ok((await number(page, 'Bytes per update')) < (await number(page, 'All agents')) / 2)
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + 0.86 * box.width, box.y + 0.55 * box.height)
  await until(page, () => /Guards that chase[1-9]/.test(document.body.textContent), null, {
    ms: LONG,
  })
  assert.ok((await number(page, 'In boxes')) > 0)
  assert.ok((await number(page, 'Come and gone')) > 0)
  await page.screenshot({ path: 'build/screenshots/zones.png', scale: 'css' })
  await noErrors(page, errors)
})

demo('units of a battle avoid each other, or push each other apart', async () => {
  const { page, errors } = await site.page('#scene=battle&n=100', SMALL)
  await frames(page, 5)
  const avoid = page.getByRole('checkbox', { name: 'avoid each other' })
  const isBetween = async (low, high) => {
    const queries = await number(page, 'Queries')
    return queries >= low && queries <= high
  }
  assert.ok(await avoid.isChecked())
  assert.ok(await isBetween(1, 200), 'one per unit')
  assert.ok((await number(page, 'Query time')) > 0)
  await page.setViewportSize({ width: 1100, height: 1100 }) // the stage is upright
  await frames(page, 3)
  await avoid.uncheck()
  await frames(page, 3)
  assert.ok(await isBetween(201, 400), 'two per unit')
  await noErrors(page, errors)
})

demo('bullets of a battle hit what they fly over, and a beam pierces', async () => {
  const { page, errors } = await site.page('#scene=battle&guns=1&archers=1&strike=beam', SMALL)
  await until(page, () => window.copseDemo.hits > 0, null, { ms: LONG })
  await eventually(async () => {
    await frames(page, 10, LONG)
    return (await number(page, 'Hits between places')) > 0
  }, 'a bullet hits what it flies over')
  const fallen = async () =>
    (await number(page, 'Red fallen')) + (await number(page, 'Blue fallen'))
  await page.keyboard.press('Space')
  await until(page, () => window.copseDemo.paused)
  const before = await fallen()
  await page.mouse.click(400, 300)
  await frames(page, 5)
  assert.ok((await fallen()) > before + 1, 'the beam strikes more than one')
  await noErrors(page, errors)
})

for (const [name, options] of Object.entries({
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: PHONE,
}))
  demo(
    `crowd scenes work on a ${name} page${options.hasTouch ? ', where a tap picks an agent' : ''}`,
    async () => {
      const { page, errors } = await site.page('#scene=circle', options)
      const scenes = ['circle', 'blocks', 'spheres', 'crossing', 'paths', 'evacuate', 'rewind']
      for (const scene of scenes) {
        await goToScene(page, scene)
        await until(page, () => window.copseDemo.hits > 0, null, { ms: LONG })
        await frames(page, 10, LONG)
        if (options.hasTouch) {
          await page.touchscreen.tap(195, 400)
          await frames(page)
          assert.is(
            await page.evaluate(() => document.documentElement.scrollWidth),
            PHONE.viewport.width,
          )
        }
        await page.screenshot({ path: `build/screenshots/${scene}-${name}.png`, scale: 'css' })
        await noErrors(page, errors)
      }
    },
  )

demo('the demo fits a phone, and follows a finger', async () => {
  const { page, errors } = await site.page('#scene=neighbors', PHONE)
  await frames(page, 5)
  const { width } = await page.locator('#stage').boundingBox()
  assert.ok(width <= 390, 'the stage is as wide as the screen')
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await page.touchscreen.tap(195, 400)
  await until(page, () => window.copseDemo.hits > 0)
  await page.screenshot({ path: 'build/screenshots/phone.png', scale: 'css' })
  assert.equal(errors, [])
})

demo('a scene survives a resize', async () => {
  const { page, errors } = await site.page('#scene=battle', SMALL)
  await frames(page, 5)
  for (const size of [
    { width: 500, height: 900 },
    { width: 1600, height: 700 },
  ]) {
    await page.setViewportSize(size)
    await frames(page, 10)
    const { width, height } = await page.locator('#stage').boundingBox()
    assert.ok(width <= size.width && height <= size.height)
  }
  assert.equal(errors, [])
})

demo.run()
