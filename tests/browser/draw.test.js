// Many agents as sprites (WebGL) draw them and as canvas 2D does: the same picture.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { open } from './chromium.js'
import { frames, picture } from './demo.js'

const drawing = suite('drawing')
/** @type {Awaited<ReturnType<typeof open>>} */
let site

drawing.before(async () => {
  site = await open('web/dist')
})
drawing.after.each(() => site.closePages())
drawing.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

// In the page, before its own scripts. Graphics hardware is claimed: without it sprites draw less.
const SPRITES = `
  const { getParameter } = WebGL2RenderingContext.prototype
  const UNMASKED_RENDERER = 0x9246
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    window.gl = this
    return name === UNMASKED_RENDERER ? 'hardware' : getParameter.call(this, name)
  }`
const CANVAS_ONLY = `
  const { getContext } = HTMLCanvasElement.prototype
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === 'webgl2' ? null : getContext.call(this, kind, ...more)
  }`

/**
 * A paused scene with so many agents.
 * @param {string} script @param {string} scene @param {string} field @param {number} count
 */
async function openScene(script, scene, field, count) {
  const { page, errors } = await site.page('about:blank', {
    viewport: { width: 900, height: 600 },
    reducedMotion: 'reduce', // paused from the start: every time the same picture
  })
  await page.addInitScript(script)
  await page.goto(new URL(`#scene=${scene}`, site.url).href)
  await frames(page, 3)
  const number = page.getByRole('textbox', { name: field })
  if (await number.count()) await number.fill(String(count))
  else {
    const slider = page.getByRole('slider', { name: field })
    while (Number(await slider.getAttribute('aria-valuenow')) < count)
      await slider.press('ArrowRight')
  }
  // Neighbours without its cells: else most of the picture would be theirs.
  const cells = page.getByRole('combobox', { name: 'cells' })
  if (await cells.count()) await cells.selectOption('off')
  await page.mouse.move(2, 2)
  await frames(page, 3)
  return { page, errors }
}

const SIDE = 12 // pixels of a tile

/** Mean red, green and blue of each tile of the stage, as a visitor sees it. @param {Page} page */
async function tiles(page) {
  const shot = await picture(page)
  return page.evaluate(
    async ([shot, side]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${shot}`
      await image.decode()
      const columns = Math.floor(image.width / side)
      const rows = Math.floor(image.height / side)
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { data, width } = context.getImageData(0, 0, columns * side, rows * side)
      const sums = new Array(3 * columns * rows).fill(0)
      for (let y = 0; y < rows * side; y++) {
        for (let x = 0; x < width; x++) {
          const tile = 3 * (Math.floor(y / side) * columns + Math.floor(x / side))
          for (let part = 0; part < 3; part++) sums[tile + part] += data[4 * (y * width + x) + part]
        }
      }
      return sums.map((sum) => sum / (side * side))
    },
    [shot, SIDE],
  )
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * How far apart two pictures are, as a part of what is on the first one.
 * @param {number[]} one @param {number[]} other
 */
function difference(one, other) {
  assert.is(one.length, other.length)
  const paper = one.toSorted((a, b) => a - b)[Math.floor(0.98 * one.length)]
  const drawn = mean(one.map((value) => Math.abs(value - paper)))
  assert.ok(drawn > 1, 'something is drawn')
  return mean(one.map((value, i) => Math.abs(value - other[i]))) / drawn
}

/** @param {Page} page */
const usesSprites = (page) =>
  page.evaluate(() => {
    const canvas = window.gl?.canvas
    return Boolean(canvas?.isConnected && !canvas.hidden)
  })

// How different they may be: tips of darts are not equally sharp.
const MANY = [
  ['neighbours', 'agents', 5_000, 0.06],
  ['flock', 'agents', 5_000, 0.2],
  ['battle', 'each army', 2_000, 0.06],
]

for (const [scene, field, count, most] of MANY)
  drawing(`many agents look the same by both: ${scene}`, async () => {
    const sprites = await openScene(SPRITES, scene, field, count)
    assert.ok(await usesSprites(sprites.page))
    const drawn = await tiles(sprites.page)
    const canvas = await openScene(CANVAS_ONLY, scene, field, count)
    assert.not.ok(await usesSprites(canvas.page))
    const off = difference(await tiles(canvas.page), drawn)
    assert.ok(off < most, `differ by ${off}`)
    assert.equal([...sprites.errors, ...canvas.errors], [])
  })

drawing('sprites follow a resize, and a lost context', async () => {
  const size = { width: 860, height: 440 }
  const both = []
  for (const script of [CANVAS_ONLY, SPRITES]) {
    const opened = await openScene(script, 'circle', 'agents', 2_000)
    await opened.page.setViewportSize(size)
    await frames(opened.page, 3)
    both.push(opened)
  }
  const [canvas, { page, errors }] = both
  const expected = await tiles(canvas.page)
  const check = async (by, what) => {
    await frames(page, 3)
    assert.is(await usesSprites(page), by, what)
    const off = difference(expected, await tiles(page))
    assert.ok(off < 0.06, `${what}: differ by ${off}`)
  }
  await check(true, 'resized')
  await page.evaluate(() =>
    (window.loss = window.gl.getExtension('WEBGL_lose_context')).loseContext(),
  )
  await page.waitForFunction(() => window.gl.isContextLost())
  await check(false, 'lost')
  await page.evaluate(() => window.loss.restoreContext())
  await page.waitForFunction(() => !window.gl.isContextLost())
  await check(true, 'restored')
  assert.equal([...errors, ...canvas.errors], [])
})

drawing.run()
