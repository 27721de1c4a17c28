// The sources that a core may come from, and engines that lack a feature.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as external from 'copse/external'

const test = suite('init')

const core = new URL(import.meta.resolve('copse/core.wasm'))
const bytes = new Uint8Array(readFileSync(core))

/** Asserts that an index in an instance of an entry works. */
function assertWorks({ Grid }, instance) {
  const grid = new Grid({ instance, cellSize: 1 })
  grid.slots = 3
  grid.positions.set([0, 0, 3, 4, 9, 9])
  grid.build()
  assert.is(grid.nearest(3, 3), 1)
}

/** Resolves to the error that a promise is rejected with. @param {Promise<unknown>} promise */
const rejection = (promise) =>
  promise.then(
    () => assert.unreachable('nothing was thrown'),
    (error) => error,
  )

/**
 * Runs a function while a property of an object has another value.
 * @template T @param {any} object @param {string} key @param {unknown} value @param {() => Promise<T>} run
 */
async function withProperty(object, key, value, run) {
  const original = Object.getOwnPropertyDescriptor(object, key)
  Object.defineProperty(object, key, { value, configurable: true, writable: true })
  try {
    return await run()
  } finally {
    delete object[key]
    if (original) Object.defineProperty(object, key, original)
  }
}

let imports = 0
/** Imports a fresh copy of an entry. @param {string} name */
const importFresh = (name) => import(`${import.meta.resolve(name)}?fresh=${imports++}`)

/**
 * Runs a function beside a server that sends this response to every request.
 * @template T @param {number} status @param {Uint8Array | string} body
 * @param {(url: string) => Promise<T>} run
 */
async function withServer(status, body, run) {
  const server = createServer((_, response) => response.writeHead(status).end(body))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    return await run(`http://127.0.0.1:${server.address().port}/some/core.wasm`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

// ---- Sources ----

const SOURCES = {
  'the entry itself': () => undefined,
  'a URL': () => core,
  'the text of a URL': () => core.href,
  bytes: () => bytes,
  'a buffer': () => bytes.buffer,
  'bytes within others': () => {
    const larger = new Uint8Array(bytes.length + 9)
    larger.set(bytes, 5)
    return larger.subarray(5, bytes.length + 5)
  },
  'a Response': () => new Response(bytes),
  'a promised Response': () => Promise.resolve(new Response(bytes)),
  'a module': () => new WebAssembly.Module(bytes),
}
for (const [name, source] of Object.entries(SOURCES))
  test(`the core comes from ${name}`, async () => {
    assertWorks(external, await external.create({ wasm: source() }))
  })

test('the core comes from a server', () =>
  withServer(200, bytes, async (url) => {
    assertWorks(external, await external.create({ wasm: url }))
    assertWorks(external, await external.create({ wasm: new URL(url) }))
    assertWorks(external, await external.create({ wasm: fetch(url) }))
    await withProperty(globalThis, 'location', { href: url }, async () => {
      assertWorks(external, await external.create({ wasm: 'other.wasm' }))
    })
    assert.instance(await rejection(external.create({ wasm: 'other.wasm' })), TypeError)
  }))

test('a response that is not a core is refused with a message', async () => {
  await withServer(404, 'not here', async (url) => {
    for (const wasm of [url, new URL(url), fetch(url)])
      assert.is((await rejection(external.create({ wasm }))).message, `init: ${url} returned 404`)
  })
  await withServer(200, '<p>a page</p>', async (url) => {
    assert.instance(await rejection(external.create({ wasm: url })), WebAssembly.CompileError)
  })
  for (const wasm of [5, null, {}, [], 'no://where', WebAssembly.compile(bytes)])
    assert.instance(await rejection(external.create({ wasm })), TypeError)
})

// ---- Engines ----

test('without the modules of Node, the core is inflated by a stream', async () => {
  const entry = await importFresh('copse/points')
  const instance = await withProperty(process, 'getBuiltinModule', undefined, () => entry.create())
  assertWorks(entry, instance)
})

test('without SIMD, the error says so, and a later call may succeed', async () => {
  const entry = await importFresh('copse/points')
  const noSimd = () => false
  for (const start of [entry.create, entry.init]) {
    const error = await withProperty(WebAssembly, 'validate', noSimd, () => rejection(start()))
    assert.match(error.message, /^(create|init): this engine has no WebAssembly with SIMD$/)
  }
  assertWorks(entry, await entry.create())
  assert.is(await entry.init(), await entry.init())
})

test('without WebAssembly, the error says so', async () => {
  for (const [owner, start] of Object.entries({ create: external.create, init: external.init })) {
    const error = await withProperty(globalThis, 'WebAssembly', undefined, () => rejection(start()))
    assert.is(error.message, `${owner}: this engine has no WebAssembly with SIMD`)
  }
  assertWorks(external, await external.create())
})

test.run()
