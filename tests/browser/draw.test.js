// Sprites (WebGL) and canvas 2D draw the same picture of many agents.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { frames, LONG, openDemo, picture, until } from './demo.js'

const drawing = suite('drawing')
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

drawing.before(async () => {
  site = await openDemo()
})
drawing.after.each(() => site.leavePages())
drawing.after(() => site.close())

/** @typedef {import('playwright-core').Page} Page */

// Scripts that run in the page before its own. SPRITES simulates graphics hardware, without which sprites draw
// fewer items.
const SPRITES = `
  const { getParameter } = WebGL2RenderingContext.prototype
  const UNMASKED_RENDERER = 0x9246
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    window.gl = this
    return name === UNMASKED_RENDERER ? 'hardware' : getParameter.call(this, name)
  }`
// Draws the older of two frames.
const OLDER = `
  const { getUniformLocation, uniform1f } = WebGL2RenderingContext.prototype
  const parts = new Set()
  WebGL2RenderingContext.prototype.getUniformLocation = function (program, name) {
    const place = getUniformLocation.call(this, program, name)
    if (name === 'part') parts.add(place)
    return place
  }
  WebGL2RenderingContext.prototype.uniform1f = function (place, value) {
    uniform1f.call(this, place, parts.has(place) ? 0 : value)
  }`
const CANVAS_ONLY = `
  const { getContext } = HTMLCanvasElement.prototype
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === 'webgl2' ? null : getContext.call(this, kind, ...more)
  }`

/**
 * Opens a paused scene with `count` agents.
 * @param {string} script @param {string} scene @param {number} count
 */
async function openScene(script, scene, count) {
  const { page, errors } = await site.page(
    `#scene=${scene}&n=${count}`,
    {
      viewport: { width: 900, height: 600 },
      reducedMotion: 'reduce', // paused from the start, so that the picture is always the same
    },
    script,
  )
  await frames(page)
  // Hides the cells of Neighbors, which would cover most of the picture.
  const cells = page.getByRole('combobox', { name: 'cells' })
  if (await cells.count()) await cells.selectOption('off')
  await frames(page, 3)
  return { page, errors }
}

const SIDE = 12 // pixels of a tile

/** Returns the mean red, green and blue of each tile of the stage. @param {Page} page */
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
 * Returns the difference of two pictures, as a fraction of the ink on the first one.
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

// Scene, agents, maximum difference. Tips of darts differ in sharpness.
const MANY = [
  ['neighbors', 5_000, 0.06],
  ['flock', 5_000, 0.2],
  ['battle', 2_000, 0.06],
]

for (const [scene, count, limit] of MANY)
  drawing(`sprites and canvas draw many agents alike: ${scene}`, async () => {
    const sprites = await openScene(SPRITES, scene, count)
    assert.ok(await usesSprites(sprites.page))
    const drawn = await tiles(sprites.page)
    const canvas = await openScene(CANVAS_ONLY, scene, count)
    assert.not.ok(await usesSprites(canvas.page))
    const off = difference(await tiles(canvas.page), drawn)
    assert.ok(off < limit, `differ by ${off}`)
    assert.equal([...sprites.errors, ...canvas.errors], [])
  })

drawing('sprites draw the frames of a worker like those of the page', async () => {
  const pictures = []
  for (const { script = SPRITES, worker, steps } of [
    { worker: 0, steps: 3 },
    { worker: 1, steps: 3 },
    { worker: 1, steps: 4, script: SPRITES + OLDER },
  ]) {
    const scene = `doorway&fitting=0&queries=0&worker=${worker}`
    const { page, errors } = await openScene(script, scene, 1000)
    await until(page, () => window.copseDemo.hits > 0)
    const box = await page.locator('#stage').boundingBox()
    for (let step = 1; step <= steps; step++) {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2) // the gap rests
      await page.locator('#step').click()
      const isShown = (step) => {
        const items = [...document.querySelectorAll('#numbers div')]
        const steps = items.find(({ firstChild }) => firstChild.textContent === 'Steps')
        return steps?.lastChild.textContent === String(step)
      }
      await until(page, isShown, step, { ms: LONG })
    }
    assert.ok(await usesSprites(page))
    pictures.push(await tiles(page))
    assert.equal(errors, [])
  }
  for (const drawn of pictures) assert.ok(difference(pictures[0], drawn) < 0.001)
})

drawing('sprites survive a resize and a lost context', async () => {
  const size = { width: 860, height: 440 }
  const both = []
  for (const script of [CANVAS_ONLY, SPRITES]) {
    const opened = await openScene(script, 'circle', 2_000)
    await opened.page.setViewportSize(size)
    await frames(opened.page, 3)
    both.push(opened)
  }
  const [canvas, { page, errors }] = both
  const expected = await tiles(canvas.page)
  const check = async (bySprites, what) => {
    await frames(page, 3)
    assert.is(await usesSprites(page), bySprites, what)
    const off = difference(expected, await tiles(page))
    assert.ok(off < 0.06, `${what}: differ by ${off}`)
  }
  await check(true, 'resized')
  await page.evaluate(() =>
    (window.loss = window.gl.getExtension('WEBGL_lose_context')).loseContext(),
  )
  await until(page, () => window.gl.isContextLost())
  await check(false, 'lost')
  await page.evaluate(() => window.loss.restoreContext())
  await until(page, () => !window.gl.isContextLost())
  await check(true, 'restored')
  assert.equal([...errors, ...canvas.errors], [])
})

drawing.run()
