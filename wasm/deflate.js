// Deflates a core: `node wasm/deflate.js build/core.wasm` writes build/core.wasm.deflated. build.js
// puts this file into an entry, where inflate.js unpacks it. With a second argument, as for a release,
// zopfli makes it 5% smaller, in a hundred times the time.

import { readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

/** More iterations than zopfli's default, 15, and as many blocks as it likes: 0.1% smaller. */
const ZOPFLI = { numiterations: 100, blocksplittingmax: 0 }

const [, , core, isRelease] = process.argv
const bytes = readFileSync(core)
const { deflateAsync } = isRelease ? await import('@gfx/zopfli') : {}
const deflated = deflateAsync
  ? await deflateAsync(bytes, ZOPFLI)
  : deflateRawSync(bytes, { level: 9 })
writeFileSync(`${core}.deflated`, deflated)
