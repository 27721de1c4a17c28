// Runs a page in any browser. The page posts its reports to the server that it came from.

import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { install } from '../consumers/install.js'
import { launch, openPage } from './chromium.js'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const SUITES = 'suites' // the list of all suites
const LATE = 300 // milliseconds by which style sheets are delayed: no script may run before they are loaded

/**
 * @typedef {{
 *   name: string, passed: number, failed: number, output: string,
 *   threads?: { count: number, reason: string },
 * }} Report
 * `threads`: of an instance for two threads, in the reports of the suites `threads` and `smoke`
 */
/** @typedef {{ ended: Promise<string>, close: () => Promise<void> }} Browser `ended` resolves to a reason */

/** Returns the folder for a page with a list of suites. @param {string} list */
const folderOf = (list) => here(`../../build/browser/${list}`)

/**
 * Builds index.html on the package as installed from its tarball. Returns the folder.
 * @param {string} list the module that exports the suites
 */
export async function buildPage(list = SUITES) {
  const installed = install()
  const dist = `${installed.folder}/node_modules/copse/dist`
  try {
    await build({
      configFile: false,
      root: here('.'),
      logLevel: 'error',
      resolve: {
        alias: [
          { find: './suites.js', replacement: here(`${list}.js`) },
          { find: /^copse$/, replacement: `${dist}/copse.js` },
          { find: /^copse\/threads$/, replacement: `${dist}/threads.js` },
        ],
      },
      build: {
        outDir: folderOf(list),
        emptyOutDir: true,
        target: 'esnext', // the page awaits its tests
        rollupOptions: { treeshake: false }, // the tests are side effects
      },
    })
  } finally {
    installed.remove() // the page is built and needs it no more
  }
  return folderOf(list)
}

/** The headers that isolate a page, so that it can share memory with workers. */
export const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/**
 * Returns a function that opens an address in an open browser.
 * @param {import('playwright-core').Browser} browser
 * @returns {(url: string) => Promise<Browser>}
 */
export const openIn = (browser) => async (url) => {
  const page = await openPage(browser)
  const ended = new Promise((resolve) => page.on('crash', () => resolve('the page crashed')))
  await page.goto(url)
  return { ended, close: () => page.context().close() }
}

/** Opens an address in a Chromium of its own. @param {string} url @returns {Promise<Browser>} */
export async function openChromium(url) {
  const browser = await launch()
  const { ended } = await openIn(browser)(url)
  return { ended, close: () => browser.close() }
}

/**
 * Opens the built page in a browser. Returns its reports, one per name.
 * @param {string[]} names suites of the list, and `scene=` with the name of a scene of the demo
 * @param {number} seconds time limit for all of them
 * @param {(url: string) => Promise<Browser>} open
 * @param {Record<string, string>} headers
 * @param {string} list that the page was built with
 * @returns {Promise<Report[]>}
 */
export async function reportsOf(names, seconds, open = openChromium, headers = {}, list = SUITES) {
  /** @type {Map<string, Report>} */
  const reports = new Map()
  /** @type {(why: string) => void} */
  let end
  /** @type {Promise<string>} */
  const over = new Promise((resolve) => (end = resolve))
  const timer = setTimeout(() => end(`no report within ${seconds} s`), seconds * 1000)

  const plugin = {
    name: 'reports',
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use((request, response, next) =>
        setTimeout(next, request.url?.endsWith('.css') ? LATE : 0),
      )
      middlewares.use('/report', async (request, response) => {
        const report = await json(request)
        response.end()
        reports.set(report.name, report)
        if (reports.size === names.length) end('')
      })
    },
  }
  const server = await preview({
    configFile: false,
    root: folderOf(list),
    logLevel: 'error',
    build: { outDir: '.' },
    preview: { host: '127.0.0.1', port: 0, headers },
    plugins: [plugin],
  })
  let browser
  try {
    browser = await open(`${server.resolvedUrls?.local[0]}?${names}`)
    browser.ended.then(end)
    const why = await over
    return names.map((name) => reports.get(name) ?? { name, passed: 0, failed: 1, output: why })
  } finally {
    clearTimeout(timer)
    await browser?.close()
    await server.close()
  }
}
