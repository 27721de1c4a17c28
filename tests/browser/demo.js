// What tests of the built demo share.

/** @typedef {import('playwright-core').Page} Page */

export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 3,
  hasTouch: true,
  isMobile: true,
}

/** What the demo tells of itself. @param {Page} page @param {string} name */
export const told = (page, name) => page.evaluate((name) => window.copseDemo[name], name)

/**
 * Waits until the demo has drawn some more frames.
 * @param {Page} page
 */
export async function frames(page, more = 30) {
  await page.waitForFunction(() => window.copseDemo?.ready)
  const before = await told(page, 'frame')
  await page.waitForFunction((least) => window.copseDemo.frame >= least, before + more)
}

/** The number in the panel with that label. @param {Page} page @param {string} label */
export async function number(page, label) {
  const shown = page.locator(`#numbers div:has(dt:text-is("${label}")) dd`)
  return parseFloat((await shown.textContent()).replace(',', ''))
}

/**
 * The pixels of the stage, asked of Chromium itself: Playwright would wait for frames before and after.
 * @param {Page} page
 */
export async function picture(page) {
  const box = await page.locator('#stage').boundingBox()
  const client = await page.context().newCDPSession(page)
  const { data } = await client.send('Page.captureScreenshot', {
    clip: { ...box, scale: 1 },
    optimizeForSpeed: true, // of packing, which loses nothing
  })
  await client.detach()
  return data
}

/** Chooses a scene from the list. @param {Page} page @param {string} name */
export async function choose(page, name) {
  await page.locator('#scene').click()
  await page.locator(`#overview a[href="#scene=${name}"]`).click()
  await page.waitForFunction((name) => window.copseDemo.scene === name, name)
}
