// The README and the pages of the documentation.

import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

const PAGES = 'web/docs'

/** @param {string} name relative to the root */
export const read = (name) => ({ name, text: readFileSync(`${root}${name}`, 'utf8') })

const pages = readdirSync(`${root}${PAGES}`).filter((name) => name.endsWith('.md'))

export const documents = [read('README.md'), ...pages.map((name) => read(`${PAGES}/${name}`))]
