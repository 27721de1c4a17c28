// Runs axe-core on a page: what it finds wrong for users of assistive technology.

import { createRequire } from 'node:module'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Returns the violations on a page, a line per element: the rule, the element, and what is wrong.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  await page.addScriptTag({ path: AXE })
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any, all, none }) => {
        const [check] = [...any, ...all, ...none]
        return `${id}: ${target.join(' ')}: ${check?.message}`
      }),
    )
  })
}
