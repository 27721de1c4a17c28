import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The demo, the overview of the examples, and each of these. */
const folders = [
  '.',
  'examples',
  ...readdirSync(here('examples')).map((name) => `examples/${name}`),
]
const pages = folders.map((folder) => here(`${folder}/index.html`)).filter(existsSync)

/**
 * A script in the body waits for style sheets, and modules wait for the end of the body; WebKit's would run before
 * the colors are there. The browser's language need not be a language tag (WebKit's is `C` where the system's locale
 * is C.UTF-8), and uPlot gives it to Intl, which refuses it: pages are in English.
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

export default defineConfig({
  root: here('.'),
  plugins: [beforeModules],
  base: './', // relative links: the built site works in any folder of any server
  resolve: {
    alias: [
      { find: /^copse$/, replacement: here('../dist/copse.js') },
      { find: /^copse\/scalar$/, replacement: here('../dist/scalar.js') },
    ],
  },
  server: { host: '127.0.0.1', port: 5173, strictPort: false, fs: { allow: [here('..')] } },
  preview: { host: '127.0.0.1', port: 4173, strictPort: false },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500, // engines, each of which only its example loads
    rolldownOptions: { input: pages },
  },
})
