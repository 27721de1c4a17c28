// Runs a page in any browser. The page posts its reports to the server that it came from.

import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { install } from '../consumers/install.js'
import { launch } from './chromium.js'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const BUILT = here('../../build/browser')
const LATE = 300 // milliseconds by which style sheets are delayed: no script may run before they are loaded

/**
 * @typedef {{
 *   name: string, passed: number, failed: number, output: string,
 *   threads?: { count: number, reason: string },
 * }} Report
 * `threads`: of an instance for two threads, in the report of the suite of that name
 */
/** @typedef {{ ended: Promise<string>, close: () => Promise<void> }} Browser `ended` resolves to a reason */

/**
 * Builds index.html on the package as installed from its tarball. Returns the folder.
 */
export async function buildPage() {
  const installed = install()
  const dist = `${installed.folder}/node_modules/copse/dist`
  try {
    await build({
      configFile: false,
      root: here('.'),
      logLevel: 'error',
      resolve: {
        alias: [
          { find: /^copse$/, replacement: `${dist}/copse.js` },
          { find: /^copse\/scalar$/, replacement: `${dist}/scalar.js` },
          { find: /^copse\/threads$/, replacement: `${dist}/threads.js` },
        ],
      },
      build: {
        outDir: BUILT,
        emptyOutDir: true,
        target: 'esnext', // the page awaits its tests
        rollupOptions: { treeshake: false }, // the tests are side effects
      },
    })
  } finally {
    installed.remove() // the page is built and needs it no more
  }
  return BUILT
}

/** The headers that isolate a page, so that it can share memory with workers. */
export const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Opens an address in Chromium. @param {string} url @returns {Promise<Browser>} */
export async function openChromium(url) {
  const browser = await launch()
  const page = await browser.newPage()
  const ended = new Promise((resolve) => page.on('crash', () => resolve('the page crashed')))
  await page.goto(url)
  return { ended, close: () => browser.close() }
}

/**
 * Opens the built page in a browser. Returns its reports, one per name.
 * @param {string[]} names suites of suites.js, and `scene=` with the name of a scene of the demo
 * @param {number} seconds time limit for all of them
 * @param {(url: string) => Promise<Browser>} open
 * @param {Record<string, string>} headers
 * @returns {Promise<Report[]>}
 */
export async function reportsOf(names, seconds, open = openChromium, headers = {}) {
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
    root: BUILT,
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
