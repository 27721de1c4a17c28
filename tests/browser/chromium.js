// Headless Chromium, on a folder of built files that Vite serves on loopback.

import { chromium } from 'playwright-core'
import { preview } from 'vite'
import { MAX_WAITING } from './waiting.js'

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const launch = () =>
  chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: MAX_WAITING })

/**
 * Opens an empty page, whose waits have the one deadline.
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function openPage(browser, options) {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(MAX_WAITING)
  return context.newPage()
}

/**
 * Serves a folder, and opens its pages in a browser. `close()` ends both.
 * @param {string} folder
 * @param {Record<string, string>} [headers] of all responses
 * @param {import('playwright-core').Browser} [shared] that `close()` leaves open. Default: a new one
 */
export async function open(folder, headers, shared) {
  const server = await preview({
    configFile: false,
    root: folder,
    logLevel: 'error',
    build: { outDir: '.' },
    preview: { host: '127.0.0.1', port: 0, headers },
  })
  const browser = shared ?? (await launch())
  const url = String(server.resolvedUrls?.local[0])
  /** @type {import('playwright-core').Page[]} */
  const opened = []

  return {
    url,
    /**
     * Opens a page at a path. Returns the page and its logged errors.
     * @param {string} path
     * @param {import('playwright-core').BrowserContextOptions} [options]
     * @param {() => void} [before] runs in the page before its own scripts
     */
    async page(path, options = { viewport: { width: 1280, height: 800 } }, before) {
      const page = await openPage(browser, options)
      opened.push(page)
      if (before) await page.addInitScript(before)
      /** @type {string[]} */
      const errors = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('requestfailed', (request) => {
        const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED' // leaving a page cancels its requests
        if (!isLeft) errors.push(`failed: ${request.url()}`)
      })
      await page.goto(new URL(path, url).href)
      return { page, errors }
    },
    async close() {
      if (!shared) await browser.close()
      else await Promise.all(opened.map((page) => page.context().close()))
      await new Promise((resolve) => server.httpServer.close(resolve))
    },
  }
}
