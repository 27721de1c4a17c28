// Helpers for tests of the built demo. Its pages draw frames on request only: tests need not wait for the
// clock, and idle pages cost no processor time.

import * as assert from 'uvu/assert'
import { open } from './chromium.js'
import { eventually, MAX_WAITING } from './waiting.js'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').BrowserContextOptions} Options */

const FRAME = 1000 / 60 // milliseconds
/** Milliseconds of the longest time step that the demo simulates. */
export const LONG = 50
const REPORT = 500 // milliseconds within which the panel and the address are updated

export const WIDE = { viewport: { width: 1280, height: 800 } }
export const SMALL = { viewport: { width: 800, height: 500 } }
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 3,
  hasTouch: true,
  isMobile: true,
}

/**
 * Runs in a page before its own scripts. Replaces requestAnimationFrame: callbacks wait for window.testFrames. Seeds
 * Math.random, which examples use: every run of the tests is the same.
 * In a page with `live` in its query, the browser draws frames as usual.
 * @param {number} maxWaiting milliseconds after which a wait fails
 */
function takeOverFrames(maxWaiting) {
  const isLive = new URLSearchParams(location.search).has('live')
  const browserFrame = window.requestAnimationFrame.bind(window)
  // Resolves after a frame of the browser, with layout and size observers.
  const painted = () => new Promise((resolve) => browserFrame(() => setTimeout(resolve)))
  let seed = 1
  Math.random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff
  let callbacks = new Map()
  let isShown = true // true if the browser will show the frame that is being drawn
  let lastId = 0
  let now = performance.now()
  let isRunning = false // true after the page's first frame

  if (!isLive) {
    window.requestAnimationFrame = (callback) => {
      // The page may have read the clock just now: its first frame must not be earlier.
      if (!isRunning) now = performance.now()
      callbacks.set(++lastId, callback)
      return lastId
    }
    window.cancelAnimationFrame = (id) => callbacks.delete(id)
  }

  // Skips WebGL draw calls in frames that the browser never shows: in software they would take most of the
  // time.
  const DRAWS = ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced']
  for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
    for (const name of DRAWS.filter((name) => prototype[name])) {
      const original = prototype[name]
      prototype[name] = function (...args) {
        if (isShown) original.apply(this, args)
      }
    }
  }

  // Grows linear memory before each frame, which detaches all views: the demo must take them in every frame.
  const MAX_GROWTHS = 1000
  const memories = []
  WebAssembly.Memory = class extends WebAssembly.Memory {
    constructor(descriptor) {
      super(descriptor)
      memories.push({ memory: this, growths: 0 })
    }
  }
  function grow() {
    for (const grown of memories) if (grown.growths++ < MAX_GROWTHS) grown.memory.grow(1)
  }

  function draw(ms, isLast) {
    grow()
    const due = callbacks
    callbacks = new Map()
    isShown = isLast
    isRunning ||= due.size > 0
    now += ms
    for (const callback of due.values()) callback(now)
  }

  // Draws up to `burst` frames per frame of the browser, until the condition holds. 0 ms: draws none.
  async function until(holds, argument, ms = 0, burst = 1) {
    const end = performance.now() + maxWaiting
    for (;;) {
      for (let i = 0; i < burst; i++) {
        if (holds(argument)) return
        if (ms > 0) draw(ms, i === burst - 1)
      }
      if (performance.now() > end) throw new Error(`timed out waiting for ${holds}`)
      await painted()
    }
  }

  // Draws frames of equal length, after the browser has handled input and layout.
  async function advance(count, ms) {
    await until(() => window.copseDemo?.ready || window.example)
    await painted()
    if (isLive) {
      const { frame } = window.copseDemo
      return until(() => window.copseDemo.frame >= frame + count)
    }
    for (let i = 1; i <= count; i++) draw(ms, i === count)
  }

  window.testFrames = {
    painted,
    grown: () => memories.reduce((sum, { growths }) => sum + Math.min(growths, MAX_GROWTHS), 0),
    advance,
    until: isLive ? (holds, argument) => until(holds, argument) : until,
  }
}

/**
 * Serves the demo and opens its pages. The tests of a file share pages: loading the demo again takes a sixth
 * of the processor time of a new page.
 * @param {Record<string, string>} [headers] of all responses
 * @param {import('playwright-core').Browser} [browser] Default: a new one
 */
export async function openDemo(headers, browser) {
  const site = await open('web/dist', headers, browser)
  const shared = [] // { page, errors, kind, used }
  let visits = 0

  async function create(kind, options) {
    const before = `(${takeOverFrames})(${MAX_WAITING})`
    const { page, errors } = await site.page('about:blank', options, before)
    const created = { page, errors, kind, used: false }
    shared.push(created)
    return created
  }

  return {
    url: site.url,

    /**
     * Opens a page at a path or hash. Returns the page and its logged errors.
     * @param {string} path
     * @param {Options & { live?: boolean }} [options] live: the browser draws frames as usual
     * @param {string | (() => void)} [before] runs in the page before its own scripts
     */
    async page(path, options = WIDE, before) {
      const { viewport, colorScheme = 'light', reducedMotion = 'no-preference' } = options
      const { deviceScaleFactor = 1, hasTouch = false, isMobile = false, live = false } = options
      const screen = { deviceScaleFactor, hasTouch, isMobile }
      const kind = JSON.stringify({ screen, before: String(before) })
      const free = shared.find((entry) => entry.kind === kind && !entry.used)
      const opened = free ?? (await create(kind, { viewport, ...screen }))
      const { page, errors } = opened
      if (!free && before) await page.addInitScript(before)
      opened.used = true
      errors.length = 0
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion })
      await page.mouse.move(2, 2) // off the stage
      const url = new URL(path, site.url)
      url.searchParams.set(live ? 'live' : 'visit', String(++visits)) // forces a new document
      await page.goto(url.href)
      return { page, errors }
    },

    /** Ends the demo in all pages, so that the next test can use them. */
    async leavePages() {
      const used = shared.filter((entry) => entry.used)
      await Promise.all(used.map(({ page }) => page.goto('about:blank')))
      for (const entry of used) entry.used = false
    },

    close: () => site.close(),
  }
}

/** The scenes, in the order of the gallery. */
export const scenes = [
  ...['doorway', 'battle', 'flock', 'zones', 'circle', 'blocks', 'spheres', 'crossing', 'paths'],
  ...['evacuate', 'rewind', 'neighbors', 'kdtree', 'space', 'race', 'construction', 'colliders'],
  ...['octree', 'sight'],
]

/** Returns a property of window.copseDemo. @param {Page} page @param {string} name */
export const demoState = (page, name) => page.evaluate((name) => window.copseDemo[name], name)

/**
 * Draws frames, after the browser has handled input and layout.
 * @param {Page} page
 * @param {number} [count]
 * @param {number} [ms] length of a frame
 */
export const frames = (page, count = 1, ms = FRAME) =>
  page.evaluate(([count, ms]) => window.testFrames.advance(count, ms), [count, ms])

/**
 * Draws frames until a condition holds in the page.
 * @param {Page} page
 * @param {(argument: any) => unknown} holds
 * @param {any} [argument]
 * @param {{ ms?: number, burst?: number }} [options] length of a frame; frames drawn per frame of the
 *   browser
 */
export const until = (page, holds, argument, { ms = FRAME, burst = 1 } = {}) =>
  page.evaluate(`window.testFrames.until(${holds}, ${JSON.stringify(argument)}, ${ms}, ${burst})`)

/** Returns a number of the panel, after another frame. @param {Page} page @param {string} label */
export async function number(page, label) {
  await frames(page, 1, REPORT)
  const shown = page.locator(`#numbers div:has(dt:text-is("${label}")) dd`)
  return parseFloat((await shown.textContent()).replace(',', ''))
}

/** @type {WeakMap<Page, import('playwright-core').CDPSession>} */
const clients = new WeakMap()

/**
 * Returns a picture of the stage as a PNG in base64. Asks Chromium itself: Playwright would wait for frames
 * before and after.
 * @param {Page} page
 */
export async function picture(page) {
  const client = clients.get(page) ?? (await page.context().newCDPSession(page))
  clients.set(page, client)
  const { x, y, width, height } = await page.evaluate(async () => {
    for (let i = 0; i < 2; i++) await window.testFrames.painted()
    return document.getElementById('stage').getBoundingClientRect().toJSON()
  })
  const { data } = await client.send('Page.captureScreenshot', {
    clip: { x, y, width, height, scale: 1 },
    optimizeForSpeed: true, // faster lossless compression
  })
  return data
}

/**
 * Draws frames until the picture changes, and returns it.
 * @param {Page} page
 * @param {string} before
 * @param {string} [message]
 */
export async function changed(page, before, message = 'the picture changes') {
  let after = before
  await eventually(async () => {
    await frames(page, 2)
    after = await picture(page)
    return after !== before
  }, message)
  return after
}

/**
 * Draws frames until the picture stays the same, and returns it.
 * @param {Page} page
 * @param {number} [count] frames between two pictures
 */
export async function still(page, count = 10) {
  let shown = ''
  await eventually(async () => {
    const before = shown
    await frames(page, count)
    shown = await picture(page)
    return shown === before
  }, 'the picture comes to rest')
  return shown
}

/** Returns the number of colors in a picture. @param {Page} page @param {string} png */
const colors = (page, png) =>
  page.evaluate(async (png) => {
    const response = await fetch(`data:image/png;base64,${png}`)
    const bitmap = await createImageBitmap(await response.blob())
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    return new Set(new Uint32Array(data.buffer)).size
  }, png)

/**
 * Draws frames until the picture is not blank: three.js, or the libraries of the race, may not be loaded yet.
 * @param {Page} page
 */
export const notBlank = (page) =>
  eventually(async () => {
    await frames(page, 2)
    return (await colors(page, await picture(page))) > 10
  }, 'the picture is not blank')

/**
 * Acts while the clock of the page stands still: on a busy machine, the two presses of a double click may be far apart.
 * @param {Page} page
 * @param {() => Promise<unknown>} act
 */
export async function atOnce(page, act) {
  await page.evaluate(() => {
    const now = performance.now()
    performance.now = () => now
  })
  await act()
  await page.evaluate(() => delete performance.now)
}

/**
 * Waits until all results are present and equal, then checks that they stay equal. Scenes compare twice per
 * second; paused ones in every 30th frame.
 * @param {Page} page @param {number} least minimum number of results @param {number} [count] frames to check
 */
export async function allEqual(page, least, count = 12) {
  const equal = (least) => {
    const { results } = window.copseDemo
    return results.length >= least && results.every(({ equal }) => equal)
  }
  await until(page, equal, least)
  const wrong = await page.evaluate(
    async ([count, ms]) => {
      let wrong
      let drawn = 0
      const isChecked = () => {
        const { results } = window.copseDemo
        if (!results.every(({ equal }) => equal)) wrong = results
        return wrong || drawn++ === count
      }
      await window.testFrames.until(isChecked, null, ms, count)
      return wrong
    },
    [count, LONG],
  )
  assert.is(wrong, undefined, JSON.stringify(wrong))
}

/** Asserts that neither the browser nor the demo reported an error. @param {Page} page @param {string[]} errors */
export async function noErrors(page, errors) {
  assert.equal(errors, [])
  assert.equal(await demoState(page, 'errors'), [])
}

/** Goes to a hash, like a link to it. @param {Page} page @param {string} hash */
export const go = (page, hash) => page.evaluate((hash) => (location.hash = hash), hash)

/** Chooses a scene from the list. @param {Page} page @param {string} name */
export async function choose(page, name) {
  await page.locator('#scene').click()
  await page.locator(`.gallery a[href="#scene=${name}"]`).click()
  await until(page, (name) => window.copseDemo.scene === name, name, { ms: 0 })
}

/** Opens a scene by its address in an open page. @param {Page} page @param {string} name */
export async function goToScene(page, name) {
  await go(page, `#scene=${name}`)
  await until(page, (name) => window.copseDemo?.scene === name, name, { ms: 0 })
}
