import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The demo, the article, the overview of the examples, and each example. */
const folders = [
  '.',
  'rebuild',
  'examples',
  ...readdirSync(here('examples')).map((name) => `examples/${name}`),
]
const pages = folders.map((folder) => here(`${folder}/index.html`)).filter(existsSync)

/**
 * Adds a script to the body of every page, for two reasons:
 * - A script in the body waits for the style sheets, and modules wait for the end of the body. Without it, WebKit runs
 *   modules before the colors of the theme are loaded.
 * - It sets the language to English. WebKit reports `C` if the system's locale is C.UTF-8; uPlot passes that to Intl,
 *   which rejects it.
 */
const beforeModules = {
  name: 'before-modules',
  transformIndexHtml: () => [
    {
      tag: 'script',
      children: "Object.defineProperty(navigator, 'language', { value: 'en' })",
      injectTo: /** @type {const} */ ('body-prepend'),
    },
  ],
}

/**
 * Frames each example with the site's header and style, and its own sources. The example itself, which is there to be
 * copied, uses nothing outside its folder.
 */
const frame = {
  name: 'frame',
  transformIndexHtml: {
    order: /** @type {const} */ ('pre'),
    handler(/** @type {string} */ html, /** @type {{ filename: string }} */ { filename }) {
      const [, example] = filename.match(/examples[\\/](\w+)[\\/]index\.html$/) ?? []
      if (!example) return html
      const tag = (/** @type {string} */ tag, /** @type {Record<string, string>} */ attrs) => ({
        ...{ tag, attrs, injectTo: /** @type {const} */ ('head') },
      })
      return {
        html: html
          .replace('<body>', `<body class="panel-open" data-example="${example}">`)
          .replace('<script', '<script type="module" src="../page.js"></script>$&'), // it comes first
        tags: [
          tag('link', { rel: 'icon', href: '../../icon.svg' }),
          tag('link', { rel: 'stylesheet', href: '../style.css' }),
        ],
      }
    },
  },
}

/** A preview picture needs an absolute address: SITE_URL is where the site will be, if that is known. */
const preview = {
  name: 'preview',
  enforce: /** @type {const} */ ('post'),
  generateBundle(/** @type {any} */ _, /** @type {any} */ bundle) {
    const site = process.env.SITE_URL?.replace(/\/*$/, '/')
    const page = bundle['index.html']
    if (site && page) page.source = page.source.replace(/("og:image" content=")\.\//, `$1${site}`)
  },
}

/**
 * Writes the version and the size of the library into the first screen. REPOSITORY_URL is where the sources are: without
 * it, the page links to none.
 */
const about = {
  name: 'about',
  transformIndexHtml(/** @type {string} */ html) {
    const { version } = JSON.parse(readFileSync(here('../package.json'), 'utf8'))
    const bytes = gzipSync(readFileSync(here('../dist/copse.js')), { level: 9 }).length
    const url = process.env.REPOSITORY_URL
    const link = (/** @type {string} */ text) =>
      url ? `<a href="${encodeURI(url)}">${text}</a>` : ''
    return html
      .replaceAll('%VERSION%', version)
      .replaceAll('%SIZE%', `${Math.round(bytes / 1000)} kB gzipped`)
      .replaceAll('<!-- repository -->', link('Source code'))
      .replace('in a clone,', `in a ${link('clone') || 'clone'},`)
  },
}

/**
 * `import url from './worker.js?shared'`: the address of a module for a worker that shares its chunks, and so its
 * download, with the page. Vite itself would bundle copse a second time.
 */
const shared = {
  name: 'shared',
  enforce: /** @type {const} */ ('pre'),
  async resolveId(/** @type {string} */ source, /** @type {string} */ importer) {
    if (!source.endsWith('?shared')) return
    const { id } = await /** @type {any} */ (this).resolve(source.replace('?shared', ''), importer)
    return `${id}?shared`
  },
  load(/** @type {string} */ id) {
    if (!id.endsWith('?shared')) return
    const file = id.replace('?shared', '')
    const { command } = /** @type {any} */ (this).environment.config
    if (command === 'serve') return `export default ${JSON.stringify(file.replace(here('.'), '/'))}`
    const reference = /** @type {any} */ (this).emitFile({ type: 'chunk', id: file })
    return `export default import.meta.ROLLUP_FILE_URL_${reference}`
  },
}

/** Shared memory, and so threads, needs a page that is isolated from other origins. */
export const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

export default defineConfig({
  root: here('.'),
  plugins: [frame, beforeModules, preview, about, shared],
  base: './', // relative links: the built site works in any folder
  resolve: {
    alias: [
      { find: /^copse$/, replacement: here('../dist/copse.js') },
      { find: /^copse\/threads$/, replacement: here('../dist/threads.js') },
    ],
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: false,
    headers,
    fs: { allow: [here('..')] },
  },
  preview: { host: '127.0.0.1', port: 4173, strictPort: false, headers },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500, // game engines, loaded only by their examples
    rolldownOptions: { input: pages },
  },
})
