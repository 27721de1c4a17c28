import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
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
    chunkSizeWarningLimit: 600, // three.js, which only scenes in 3D load
  },
})
