// Deflates a core: `node wasm/deflate.js build/core.wasm` writes build/core.wasm.deflated. build.js
// puts this file into an entry, where inflate.js unpacks it.

import { readFileSync, writeFileSync } from 'node:fs'
import { deflateAsync } from '@gfx/zopfli'

/** More iterations than zopfli's default, 15, and as many blocks as it likes: 0.1% smaller. */
const OPTIONS = { numiterations: 100, blocksplittingmax: 0 }

const [, , core] = process.argv
writeFileSync(`${core}.deflated`, await deflateAsync(readFileSync(core), OPTIONS))
