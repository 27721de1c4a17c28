// Takes the pictures of the gallery, a light and a dark one of each scene: `node tests/tools/pictures.js [SCENE …]`.
// They are committed, since a build has no browser.

import { writeFileSync } from 'node:fs'
import { open } from '../browser/chromium.js'

const [WIDTH, HEIGHT, HEADER] = [960, 600, 52]
const SCALE = 0.5
const WAIT = 6000 // ms until a scene looks like itself
const MOST = 25_000 // bytes

const site = await open('web/dist')
const viewport = { width: WIDTH, height: HEIGHT + HEADER }
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  const { page } = await site.page('#scene=neighbors', { viewport, colorScheme })
  await page.waitForFunction('window.copseDemo?.ready')
  await page.keyboard.press('p') // hides the panel
  const client = await page.context().newCDPSession(page)
  const scenes = process.argv.slice(2)
  if (scenes.length === 0) scenes.push(...(await page.evaluate('window.copseDemo.scenes')))
  for (const scene of scenes) {
    await page.evaluate((scene) => (location.hash = `scene=${scene}`), scene)
    await page.waitForTimeout(WAIT)
    const box = await page.locator('#stage').boundingBox()
    if (!box) throw Error(`${scene} has no stage`)
    for (let quality = 80; ; quality -= 10) {
      const { data } = await client.send('Page.captureScreenshot', {
        ...{ format: 'webp', quality, clip: { ...box, scale: SCALE } },
      })
      const picture = Buffer.from(data, 'base64')
      if (picture.length > MOST) continue
      writeFileSync(`web/pictures/${scene}${colorScheme === 'dark' ? '-dark' : ''}.webp`, picture)
      break
    }
  }
}
await site.close()
