// What is wrong on a page for users of assistive technology, as axe-core finds it, and for fingers.

import { createRequire } from 'node:module'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Returns the violations on a page, a line per element: the rule, the element, and what is wrong.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  if (await page.evaluate(() => !('axe' in globalThis))) await page.addScriptTag({ path: AXE })
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run({ resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any, all, none }) => {
        const [check] = [...any, ...all, ...none]
        return `${id}: ${target.join(' ')}: ${check?.message}`
      }),
    )
  })
}

/**
 * Returns the controls that show and are lower or narrower than 24 CSS pixels, a line per element. Links within a text
 * may be as low as its lines.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export const smallTargets = (page) =>
  page.evaluate(() => {
    const LEAST = 24
    const controls = document.querySelectorAll(
      'a[href], button, input, select, summary, [tabindex]',
    )
    const isInText = (element) =>
      getComputedStyle(element).display === 'inline' &&
      element.closest('p, li, td, th, figcaption, .tsd-signature')
    return [...controls]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .filter((control) => !isInText(control))
      .map((control) => control.closest('label') ?? control)
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => Math.min(box.width, box.height) < LEAST)
      .map(({ control, box }) => {
        const name = control.textContent.trim() || control.ariaLabel
        return `${control.localName} “${name}”: ${box.width} × ${box.height}`
      })
  })
