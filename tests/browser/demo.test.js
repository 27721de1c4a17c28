// The built demo, as a visitor meets it. Writes a screenshot of each scene to build/screenshots/.

import { mkdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { open } from './chromium.js'
import { choose, frames, number, PHONE, picture, told } from './demo.js'

const demo = suite('demo')
/** @type {Awaited<ReturnType<typeof open>>} */
let site

demo.before(async () => {
  mkdirSync('build/screenshots', { recursive: true })
  site = await open('web/dist')
})
demo.after.each(() => site.closePages())
demo.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

demo('opens at once, and its frames advance', async () => {
  const { page, errors } = await site.page('')
  await frames(page)
  const first = await picture(page)
  await frames(page)
  assert.is.not(await picture(page), first, 'the picture changes')
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('lights up hits where the pointer is', async () => {
  const { page } = await site.page('#scene=neighbours')
  await frames(page, 5)
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.mouse.wheel(0, -2000)
  await frames(page, 5)
  const wide = await told(page, 'hits')
  await page.mouse.wheel(0, 4000)
  await page.waitForFunction((wide) => window.copseDemo.hits < wide, wide)
})

demo('shows what a grid reads, by the size of its cells', async () => {
  const { page, errors } = await site.page('#scene=neighbours')
  await frames(page, 5)
  const cellSize = page.getByRole('textbox', { name: 'cellSize' })
  assert.not.ok(await cellSize.isVisible(), 'the tree has no cellSize')
  await page.getByRole('combobox', { name: 'index' }).selectOption('grid')
  assert.not.ok(await page.getByRole('combobox', { name: 'split' }).isVisible())
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => window.copseDemo.paused && window.copseDemo.hits > 0)

  const readWith = async (size) => {
    await cellSize.fill(size)
    await frames(page)
    assert.is(await number(page, 'Hits'), await told(page, 'hits'))
    return { hits: await number(page, 'Hits'), read: await number(page, 'Agents read') }
  }
  const fitting = await readWith('90')
  const large = await readWith('300')
  assert.is(large.hits, fitting.hits)
  assert.ok(fitting.read >= fitting.hits && large.read > fitting.read, 'large cells read more')
  assert.equal(errors, [])
})

demo('stands still while paused, and goes on', async () => {
  const { page } = await site.page('#scene=battle')
  await frames(page, 10)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => window.copseDemo.paused)
  await frames(page, 2)
  const still = await picture(page)
  await frames(page, 10)
  assert.ok((await picture(page)) === still) // a list of what differs would take minutes
  await page.keyboard.press('Space')
  await frames(page, 10)
  assert.is.not(await picture(page), still)
})

demo('opens every scene, by its link', async () => {
  const { page, errors } = await site.page('')
  await frames(page, 5)
  const scenes = await told(page, 'scenes')
  assert.ok(scenes.length >= 15)
  for (const scene of scenes) {
    await choose(page, scene)
    await frames(page, 60)
    await page.screenshot({ path: `build/screenshots/${scene}.png` })
  }
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('boids flee the pointer once it scares, and predators', async () => {
  const { page, errors } = await site.page('#scene=flock')
  await frames(page, 5)
  const predators = page.getByRole('textbox', { name: 'predators' })
  await predators.fill('0')
  await page.getByRole('checkbox', { name: 'show who sees whom' }).uncheck()
  await page.waitForFunction(() => window.copseDemo.hits === 0)

  const box = await page.locator('#stage').boundingBox()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.mouse.down()
  await page.waitForFunction(() => window.copseDemo.hits === 0)

  await predators.fill('20')
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  assert.equal(errors, [])
})

demo('every library finds the same in the race', async () => {
  const { page, errors } = await site.page('#scene=race')
  const finished = () => {
    const { results } = window.copseDemo
    return results.length >= 6 && results.every(({ total, equal }) => total > 0 && equal)
  }
  await page.waitForFunction(finished)
  await frames(page, 60)
  const results = await told(page, 'results')
  assert.ok(await page.evaluate(finished), JSON.stringify(results))
  assert.is(results[1].name, 'copse Grid')

  const agents = page.getByRole('slider', { name: 'agents' })
  assert.is(await agents.getAttribute('aria-valuenow'), '5000')
  await agents.press('ArrowLeft')
  assert.is(await agents.getAttribute('aria-valuenow'), '2000')
  await page.waitForFunction(finished)
  assert.equal(errors, [])
})

demo('searches a k-d tree step by step, and finds what nearest() does', async () => {
  const { page, errors } = await site.page('#scene=kdtree')
  await frames(page, 5)
  const first = await picture(page)
  await page.waitForFunction(() => window.copseDemo.hits > 2)
  assert.is.not(await picture(page), first, 'the search goes on by itself')

  const press = async (name) => {
    await page.getByRole('button', { name, exact: true }).click()
    await frames(page, 30)
  }
  await press('Step forward')
  const step = await number(page, 'Step')
  await press('Step forward')
  assert.is(await number(page, 'Step'), step + 1)
  const forth = await picture(page)
  await press('Step back')
  assert.is(await number(page, 'Step'), step)
  assert.is.not(await picture(page), forth)

  await page.getByRole('combobox', { name: 'search' }).selectOption('at once')
  const box = await page.locator('#stage').boundingBox()
  for (const part of [0.2, 0.5, 0.8]) {
    await page.mouse.move(box.x + part * box.width, box.y + part * box.height)
    await frames(page, 5)
    const results = await told(page, 'results')
    assert.ok(results.length === 2 && results.every(({ equal }) => equal), JSON.stringify(results))
  }
  await page.locator('#stage canvas[role]').press('Enter')
  await page.mouse.click(box.x + 50, box.y + 300)
  await frames(page, 30)
  assert.is(await number(page, 'Points'), 52)
  assert.is(await number(page, 'Best so far'), 0, 'the point that was dropped')
  await press('Remove dropped points')
  assert.is(await number(page, 'Points'), 50)

  const lines = await picture(page)
  await page.getByRole('textbox', { name: 'levels' }).fill('1')
  await frames(page, 5)
  assert.is.not(await picture(page), lines)
  assert.equal(errors, [])
})

demo('all builders of the k-d tree give the order that sorting gives', async () => {
  const { page, errors } = await site.page('#scene=kdtree')
  await frames(page, 5)
  await page.getByRole('combobox', { name: 'build times' }).selectOption('these points')
  await page.getByRole('button', { name: 'Measure build times' }).click()
  await page.waitForFunction(() => window.copseDemo.results.length === 6)
  const results = (await told(page, 'results')).slice(2)
  assert.ok(
    results.every(({ total, equal }) => total > 0 && equal),
    JSON.stringify(results),
  )
  assert.equal(errors, [])
})

demo('finds the nearest in space, in a view that turns', async () => {
  const { page, errors } = await site.page('#scene=kdtree', {
    viewport: { width: 800, height: 500 },
  })
  const loaded = () =>
    performance.getEntriesByType('resource').some(({ name }) => /world/.test(name))
  await frames(page, 5)
  assert.not.ok(await page.evaluate(loaded), 'three.js is for scenes in 3D')
  await choose(page, 'space')
  await page.waitForFunction(loaded)
  await page.waitForFunction(() => window.copseDemo.results[0]?.equal)
  assert.is(await told(page, 'hits'), 30)
  await frames(page, 5)
  const moving = await picture(page)
  await frames(page, 10)
  assert.is.not(await picture(page), moving)

  // Paused, and the probe at rest in a hand: only what is done now changes the picture.
  const box = await page.locator('#stage').boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.keyboard.press('Space')
  await page.mouse.move(x, y)
  await frames(page, 40)
  let before = await picture(page)
  const changes = async (what) => {
    await frames(page, 5)
    const after = await picture(page)
    assert.is.not(after, before, what)
    before = after
  }
  await page.mouse.wheel(0, -500)
  await changes('the wheel zooms')
  await page.mouse.down()
  await page.mouse.move(x + 120, y + 40)
  await page.mouse.up()
  await changes('a drag turns')
  await page.getByRole('textbox', { name: 'levels' }).fill('0')
  await changes('planes by level')
  await page.getByRole('textbox', { name: 'k nearest' }).fill('5')
  await page.waitForFunction(() => window.copseDemo.hits === 5)
  await page.getByRole('combobox', { name: 'spread' }).selectOption('spiral')
  await changes('other points')
  await page.waitForFunction(() => window.copseDemo.results[0]?.equal)

  // Again and again: a page has but few contexts for 3D.
  for (let i = 0; i < 3; i++) {
    for (const scene of ['kdtree', 'space']) {
      await choose(page, scene)
      await frames(page, 5)
    }
  }
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

/** Once every result is there and equal; more of it is checked in each of some frames. @param {Page} page */
async function allEqual(page, least) {
  const equal = (least) => {
    const { results } = window.copseDemo
    return results.length >= least && results.every(({ equal }) => equal)
  }
  await page.waitForFunction(equal, least)
  for (let i = 0; i < 5; i++) {
    await frames(page, 3)
    const results = await told(page, 'results')
    assert.ok(
      results.every(({ equal }) => equal),
      JSON.stringify(results),
    )
  }
}

demo('a quadtree follows colliders, and finds what brute force does', async () => {
  const { page, errors } = await site.page('#scene=colliders')
  await frames(page, 5)
  const box = await page.locator('#stage').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await allEqual(page, 3)
  await frames(page, 60)
  assert.ok((await number(page, 'Changes a frame')) > 0)
  assert.ok((await number(page, 'Pairs')) > 0)

  const hits = await told(page, 'hits')
  await page.mouse.wheel(0, -1000)
  await page.waitForFunction((hits) => window.copseDemo.hits > hits, hits)

  const straddlers = async () => (await frames(page, 30), number(page, 'Straddlers'))
  const set = (name, value) => page.getByRole('textbox', { name }).fill(value)
  const tight = await straddlers()
  assert.ok(tight > 0)
  await set('looseness', '2')
  await allEqual(page, 3)
  assert.ok((await straddlers()) < tight, 'loose cells hold more')
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
  await page.waitForFunction(() => window.copseDemo.paused)
  await frames(page, 2)
  const still = await picture(page)
  await frames(page, 10)
  assert.ok((await picture(page)) === still, 'paused')
  await page.getByRole('checkbox', { name: 'find overlaps' }).uncheck()
  await frames(page, 5)
  assert.ok((await picture(page)) !== still, 'overlaps on demand')
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('an octree follows swarms, and the player goes with the camera', async () => {
  const { page, errors } = await site.page('#scene=octree', {
    viewport: { width: 800, height: 500 },
  })
  await allEqual(page, 1)
  const set = (name, value) => page.getByRole('textbox', { name }).fill(value)
  await set("player's box", '0.5')
  const box = await page.locator('#stage').boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  const moving = await picture(page)
  await frames(page, 20)
  assert.ok((await picture(page)) !== moving, 'they fly')
  assert.ok((await number(page, 'Changes a frame')) > 0)

  await set('leafSize', '40')
  await frames(page, 30)
  const few = await number(page, 'Nodes')
  await set('leafSize', '4')
  await allEqual(page, 1)
  await frames(page, 30)
  assert.ok((await number(page, 'Nodes')) > few)
  await set('looseness', '2')
  await allEqual(page, 1)
  await set('maxDepth', '2')
  await allEqual(page, 1)
  assert.ok((await number(page, 'Depth')) <= 2)

  await page.locator('#stage canvas[role]').press('Space')
  await page.waitForFunction(() => window.copseDemo.paused)
  await page.mouse.move(x + 80, y)
  // Until the player is at rest: then only what is done changes the picture.
  let before = ''
  const rest = async () => {
    for (let tries = 0; tries < 30; tries++) {
      await frames(page, 15)
      const now = await picture(page)
      if (now === before) return
      before = now
    }
    assert.unreachable('nothing stands still while paused')
  }
  const changes = async (what) => {
    await frames(page, 5)
    assert.ok((await picture(page)) !== before, what)
    await rest()
  }
  await rest()
  await page.mouse.wheel(0, -500)
  await changes('the wheel zooms')
  await page.mouse.down()
  await page.mouse.move(x - 60, y + 40)
  await page.mouse.up()
  await changes('a drag turns')
  await page.getByRole('checkbox', { name: 'draw cells' }).uncheck()
  await changes('cells on demand')
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('a guard sees whom no wall hides, and walls that are drawn hide more', async () => {
  const { page, errors } = await site.page('#scene=sight')
  await frames(page, 5)
  await page.waitForFunction(() => window.copseDemo.hits > 5)
  const moving = await picture(page)
  await allEqual(page, 1)
  assert.ok((await picture(page)) !== moving, 'they walk')
  const walls = await number(page, 'Walls')
  assert.ok((await number(page, 'Pieces')) >= (await number(page, 'Edges')))

  // Paused, by the button, or the stage would be outlined: only what is done now changes the picture.
  await page.locator('#pause').click()
  await frames(page, 3)
  const before = await picture(page)
  const seen = await told(page, 'hits')
  const box = await page.locator('#stage').boundingBox()
  for (let y = 20; y < box.height; y += 40) {
    await page.mouse.move(box.x + 12, box.y + y)
    await page.mouse.down()
    await page.mouse.move(box.x + 100, box.y + y + 7)
    await page.mouse.move(box.x + box.width - 12, box.y + y + 7)
    await frames(page, 2)
    await page.mouse.up()
  }
  await frames(page, 30)
  assert.ok((await told(page, 'hits')) < seen, 'less is seen')
  assert.ok((await number(page, 'Walls')) > walls + 10)
  await allEqual(page, 1)
  const press = (name) => page.getByRole('button', { name }).click()
  const most = await number(page, 'Walls')
  await press('Undo your last wall')
  await frames(page, 30)
  assert.is(await number(page, 'Walls'), most - 1)
  await press('Clear your walls')
  await frames(page, 30)
  assert.is(await number(page, 'Walls'), walls)
  assert.is(await told(page, 'hits'), seen)
  assert.ok((await picture(page)) === before, 'as if nothing had been drawn')

  await page.locator('#stage canvas[role]').press('Enter')
  await page.keyboard.down('ArrowLeft')
  await frames(page, 20)
  await page.keyboard.up('ArrowLeft')
  await page.keyboard.press('Enter')
  await frames(page, 30)
  assert.is(await number(page, 'Walls'), walls + 1, 'drawn by keys')
  await press('Clear your walls')

  const reach = await number(page, 'Within reach')
  await page.mouse.move(box.x + 200, box.y + 200)
  await page.mouse.wheel(0, -1000)
  await frames(page, 30)
  assert.ok((await number(page, 'Within reach')) > reach, 'the wheel widens the view')
  await page.getByRole('textbox', { name: 'view distance' }).fill('100')
  await frames(page, 30)
  assert.ok((await number(page, 'Within reach')) < reach)
  await page.getByRole('checkbox', { name: 'show partition' }).check()
  await frames(page, 3)
  assert.ok((await picture(page)) !== before, 'the partition on demand')
  const agents = page.getByRole('slider', { name: 'agents' })
  await agents.press('ArrowRight')
  await frames(page, 30)
  assert.is(await number(page, 'Agents'), 500)

  await page.getByRole('combobox', { name: 'guard' }).selectOption('follows the pointer')
  await page.getByRole('checkbox', { name: 'move doors' }).uncheck()
  await page.locator('#pause').click()
  await page.mouse.move(box.x + 300, box.y + 300)
  const still = await picture(page)
  await frames(page, 60)
  assert.ok((await picture(page)) !== still, 'they walk on')
  await allEqual(page, 1)
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('a guard lights a dark page too, and a phone, where a tap is no wall', async () => {
  for (const [name, options] of Object.entries({
    'sight-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
    'sight-phone': PHONE,
  })) {
    const { page, errors } = await site.page('#scene=sight', options)
    await frames(page, 60)
    await page.waitForFunction(() => window.copseDemo.hits > 0)
    if (options.hasTouch) {
      const walls = await number(page, 'Walls')
      await page.touchscreen.tap(195, 400)
      await frames(page, 30)
      assert.is(await number(page, 'Walls'), walls)
      assert.is(
        await page.evaluate(() => document.documentElement.scrollWidth),
        PHONE.viewport.width,
      )
    }
    await page.screenshot({ path: `build/screenshots/${name}.png` })
    assert.equal(errors, [])
  }
})

/** What scenes of crowds have in common. @param {Page} page @param {string} agents @param {string} shown */
async function crossing(page, agents, shown) {
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  const start = await picture(page)
  await allEqual(page, 1)
  await frames(page, 30)
  assert.ok((await picture(page)) !== start, 'they move')
  assert.ok((await number(page, 'Neighbours, mean')) > 1)
  assert.is(await number(page, 'Agents'), parseFloat(agents))

  // Paused, by the button, or the stage would be outlined: only what is done now changes the picture. From
  // the first step on: later all might rest where they end.
  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  await page.locator('#pause').click()
  await page.waitForFunction(() => window.copseDemo.paused)
  await press('Reset')
  await page.mouse.move(2, 2) // off the stage
  const steps = async () => (await frames(page, 30), number(page, 'Steps'))
  assert.is(await steps(), 0)
  let before = await picture(page)
  assert.is(await steps(), 0)
  assert.ok((await picture(page)) === before, 'nothing moves while paused')
  // Where the machine is busy, what is drawn may be seen some frames later.
  const changes = async (what) => {
    const old = before
    for (let tries = 0; tries < 20 && before === old; tries++) {
      await frames(page, 5)
      before = await picture(page)
    }
    assert.ok(before !== old, what)
  }
  await press('One step')
  assert.is(await steps(), 1)
  await changes('a step')
  await page.getByRole('checkbox', { name: 'show velocities' }).check()
  await changes('velocities on demand')
  await page.getByRole('checkbox', { name: shown }).uncheck()
  await changes('the picked agent on demand')
  await page.getByRole('checkbox', { name: shown }).check()
  await page.getByRole('textbox', { name: 'most neighbours' }).fill('3')
  await page.waitForFunction(() => window.copseDemo.hits === 3)
  await allEqual(page, 1)
  await page.getByRole('textbox', { name: 'most neighbours' }).fill('10')

  // The same from the first step on, whenever it begins.
  const begin = async () => {
    await press('Reset')
    for (let i = 0; i < 3; i++) await press('One step')
    assert.is(await steps(), 3)
    return picture(page)
  }
  assert.ok((await begin()) === (await begin()), 'the same again')
  const slider = page.getByRole('slider', { name: 'agents' })
  await slider.press('ArrowRight')
  await frames(page, 30)
  assert.ok((await number(page, 'Agents')) > parseFloat(agents))
  assert.is(await number(page, 'Steps'), 0)
  await slider.press('ArrowLeft')
  await frames(page, 5)
}

for (const [scene, agents] of Object.entries({ circle: '500', blocks: '400' }))
  demo(`a crowd crosses: ${scene}`, async () => {
    const { page, errors } = await site.page(`#scene=${scene}`)
    await frames(page, 5)
    await crossing(page, agents, 'show constraints')

    // In the middle of the stage is nobody yet; around it are all.
    const box = await page.locator('#stage').boundingBox()
    const picked = () => number(page, 'Picked agent')
    assert.is(await picked(), 0)
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await frames(page, 30)
    assert.is(await picked(), 0, 'nobody is there')
    for (let x = box.width / 2; x > 0 && (await picked()) === 0; x -= 20) {
      await page.mouse.click(box.x + x, box.y + 0.2 * box.height)
      await frames(page, 30)
    }
    assert.ok((await picked()) > 0, 'a click picks')
    let before = await picture(page)
    await page.mouse.wheel(0, -800)
    await frames(page, 5)
    assert.ok((await picture(page)) !== before, 'the wheel zooms')
    await page.mouse.wheel(0, 5000)
    await page.locator('#pause').click()
    await frames(page, 60)
    before = await picture(page)
    await page.setViewportSize({ width: 700, height: 900 })
    await frames(page, 30)
    assert.ok((await picture(page)) !== before)
    assert.equal(errors, [])
    assert.equal(await told(page, 'errors'), [])
  })

demo('a crowd heeds walls, and finds its way around them', async () => {
  const { page, errors } = await site.page('#scene=blocks')
  await frames(page, 5)
  const slider = (name) => page.getByRole('slider', { name })
  for (let i = 0; i < 2; i++) await slider('agents').press('ArrowLeft')
  for (let i = 0; i < 2; i++) await slider('steps a frame').press('ArrowRight')
  const arrived = (least) => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const value = (label) =>
      Number(shown.find((item) => item.children[0].textContent === label).children[1].textContent)
    window.mostWalls = Math.max(window.mostWalls ?? 0, value('Its walls'))
    return value('Agents') === 100 && value('Arrived') >= least
  }
  await page.waitForFunction(arrived, 95, { timeout: 60_000 })
  assert.ok((await page.evaluate(() => window.mostWalls)) > 0)
  await allEqual(page, 1)
  assert.equal(errors, [])
})

demo('a crowd in space crosses, and a click picks whose neighbours are shown', async () => {
  const { page, errors } = await site.page('#scene=spheres', {
    viewport: { width: 800, height: 500 },
  })
  await frames(page, 5)
  await crossing(page, '250', 'show neighbours')
  const box = await page.locator('#stage').boundingBox()
  const picked = () => number(page, 'Picked agent')
  for (let x = 0.3; x < 0.7 && (await picked()) === 0; x += 0.02) {
    await page.mouse.click(box.x + x * box.width, box.y + 0.45 * box.height)
    await frames(page, 20)
  }
  assert.ok((await picked()) > 0)
  await allEqual(page, 1)
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('two streams cross a corridor, with what a crowd adds and without', async () => {
  const { page, errors } = await site.page('#scene=crossing')
  await frames(page, 5)
  const slider = (name) => page.getByRole('slider', { name })
  for (let i = 0; i < 3; i++) await slider('steps a frame').press('ArrowRight')
  const passed = () => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const item = shown.find(({ firstChild }) => firstChild.textContent === 'Went through')
    return Number(item?.lastChild.textContent.replace(',', '')) > 20
  }
  await page.waitForFunction(passed)
  assert.ok((await number(page, 'Speed')) > 50)
  await page.getByRole('checkbox', { name: 'as published' }).check()
  await frames(page, 15)
  await page.waitForFunction(passed)
  const before = await picture(page)
  await page.getByRole('textbox', { name: 'in a hurry' }).fill('1')
  await frames(page, 15)
  assert.ok((await picture(page)) !== before)
  await slider('agents').press('ArrowLeft')
  await frames(page, 30)
  assert.is(await number(page, 'Agents'), 200)
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('a crowd finds its way out, and no more when walls are drawn', async () => {
  const { page, errors } = await site.page('#scene=evacuate')
  await frames(page, 5)
  const slider = (name) => page.getByRole('slider', { name })
  for (let i = 0; i < 2; i++) await slider('steps a frame').press('ArrowRight')
  const out = (least) => {
    const shown = [...document.querySelectorAll('#numbers div')]
    const item = shown.find(({ firstChild }) => firstChild.textContent === 'Out')
    return Number(item?.lastChild.textContent) >= least
  }
  await page.waitForFunction(out, 180, { timeout: 60_000 })
  assert.ok(await page.locator('#curve canvas').isVisible())

  // Paused, by the button, or the stage would be outlined.
  await page.locator('#pause').click()
  await page.getByRole('button', { name: 'Reset' }).click()
  await frames(page, 30)
  assert.is(await number(page, 'No way out'), 0)
  const before = await picture(page)
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
  await frames(page, 30)
  assert.is(await number(page, 'Your walls'), 2)
  assert.ok((await picture(page)) !== before)
  await page.getByRole('button', { name: 'Clear your walls' }).click()
  await page.mouse.move(2, 2) // off the stage
  await frames(page, 30)
  assert.is(await number(page, 'Your walls'), 0)
  assert.ok((await picture(page)) === before, 'as if nothing had been drawn')
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('a crowd goes back, and on bit for bit, unless somebody is moved', async () => {
  const { page, errors } = await site.page('#scene=rewind')
  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  await page.waitForFunction(() => window.copseDemo?.hits > 40)
  await press('Rewind 10 seconds')
  await page.waitForFunction(() => window.copseDemo.results[0]?.equal)
  await frames(page, 60)
  assert.ok((await number(page, 'Came again')) > 5)
  assert.ok(await page.evaluate(() => window.copseDemo.results[0].equal))
  assert.ok(await page.locator('#table .right').count())
  assert.is(await page.locator('#table .wrong').count(), 0)
  await press('… and move somebody by 1 mm')
  await page.waitForFunction(() => window.copseDemo.results[0]?.equal === false)
  await page.waitForFunction(() => document.querySelector('#table .wrong'))
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('units of a battle avoid each other on demand', async () => {
  const { page, errors } = await site.page('#scene=battle')
  await frames(page, 5)
  const avoid = page.getByRole('checkbox', { name: 'avoid each other' })
  await avoid.check()
  await frames(page, 60)
  assert.ok((await number(page, 'Queries a frame')) > 0)
  await page.setViewportSize({ width: 800, height: 1100 })
  await frames(page, 20)
  await avoid.uncheck()
  await frames(page, 20)
  assert.equal(errors, [])
  assert.equal(await told(page, 'errors'), [])
})

demo('crowds on a dark page, and on a phone, where a tap picks', async () => {
  for (const scene of ['circle', 'blocks', 'spheres', 'crossing', 'evacuate', 'rewind']) {
    for (const [name, options] of Object.entries({
      dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
      phone: PHONE,
    })) {
      const { page, errors } = await site.page(`#scene=${scene}`, options)
      await frames(page, 60)
      await page.waitForFunction(() => window.copseDemo.hits > 0)
      if (options.hasTouch) {
        await page.touchscreen.tap(195, 400)
        await frames(page, 5)
        assert.is(
          await page.evaluate(() => document.documentElement.scrollWidth),
          PHONE.viewport.width,
        )
      }
      await page.screenshot({ path: `build/screenshots/${scene}-${name}.png` })
      assert.equal(errors, [])
      await site.closePages()
    }
  }
})

demo('fits a phone, and follows a finger', async () => {
  const { page, errors } = await site.page('#scene=neighbours', PHONE)
  await frames(page, 5)
  const { width } = await page.locator('#stage').boundingBox()
  assert.ok(width <= 390, 'the stage is as wide as the screen')
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await page.touchscreen.tap(195, 400)
  await page.waitForFunction(() => window.copseDemo.hits > 0)
  await page.screenshot({ path: 'build/screenshots/phone.png' })
  assert.equal(errors, [])
})

demo('survives a resize', async () => {
  const { page, errors } = await site.page('#scene=battle')
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
