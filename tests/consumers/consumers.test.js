// The package as users install it: small projects outside of the repository install the tarball and their own
// tools, and must get the right result of a query. They run the code that the README or a page shows.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, delimiter, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { launch, openPage } from '../browser/chromium.js'
import { ISOLATED } from '../browser/reports.js'
import { eventually, MAX_WAITING } from '../browser/waiting.js'
import { documents } from '../js/support/documents.js'
import { pack } from './install.js'

const consumers = suite('consumers')
const ANSWER = '0 1'
/** What threads/main.js logs with two threads, and in a page that can't have them. */
const TWO_THREADS = '2 threads 315040'
const ONE_THREAD = '1 the page is not cross-origin isolated 315040'
const ENTRIES = ['copse', 'copse/points', 'copse/external']
const DIST = 'node_modules/copse/dist'
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm', // required by compileStreaming()
}

const packed = mkdtempSync(join(tmpdir(), 'copse-consumers-'))
/** @type {string} */
let tarball
/** @type {import('playwright-core').Browser | undefined} */
let browser // launched when a page is needed

consumers.before(async () => {
  tarball = pack(packed).tarball
})
consumers.after(async () => {
  await browser?.close()
  rmSync(packed, { recursive: true, force: true })
})

/**
 * Returns code, after asserting that the README or a page of the documentation shows it.
 * @param {string} code
 */
function documented(code) {
  const places = documents.filter(({ text }) => text.includes(`\`${code}\``))
  assert.ok(places.length > 0, `no document shows ${code}`)
  return code
}

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Copies a file from here into a consumer's folder, with a part of it replaced.
 * @param {string} folder
 * @param {string} name
 * @param {string} search
 * @param {string} replacement
 */
function copyFile(folder, name, search = '', replacement = '') {
  const text = readFileSync(pathOf(name), 'utf8')
  assert.ok(text.includes(search), `${name} has no ${search}`)
  writeFileSync(join(folder, basename(name)), text.replace(search, replacement))
}

const copyMainFor = (/** @type {string} */ folder, /** @type {string} */ entry) =>
  copyFile(folder, 'project/main.js', `'copse'`, `'${entry}'`)

const copyMainWithCore = (/** @type {string} */ folder, /** @type {string} */ core) =>
  copyFile(folder, 'project/main.js', 'init()', `init({ wasm: ${core} })`)

/**
 * Returns what a command prints. Throws it if the command fails.
 * @param {string} folder
 * @param {string} line
 */
function run(folder, line) {
  const PATH = join(folder, 'node_modules/.bin') + delimiter + process.env.PATH
  // Deno's cache is removed with the folder.
  const plain = { FORCE_COLOR: undefined, NO_COLOR: '1' } // the output is compared
  const env = { ...process.env, ...plain, PATH, DENO_DIR: join(folder, '.deno') }
  const [command, ...args] = line.split(' ')
  try {
    const options = { cwd: folder, encoding: /** @type {const} */ ('utf8'), env }
    return execFileSync(command, args, {
      ...options,
      timeout: MAX_WAITING,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  } catch (error) {
    throw new Error(`${line}: ${error.code ?? ''}\n${error.stdout}${error.stderr}`)
  }
}

/** Folders with the package and some tools installed, by the list of tools. @type {Map<string, string>} */
const installed = new Map()

/**
 * Copies a folder in which npm has installed the package and tools. Installing them again for each consumer would
 * take much longer.
 * @param {string[]} tools
 * @param {string} folder
 */
function installIn(tools, folder) {
  const list = [tarball, ...tools].join(' ')
  let source = installed.get(list)
  if (!source) {
    source = join(packed, String(installed.size))
    cpSync(pathOf('project'), source, { recursive: true })
    run(source, `npm install --no-audit --no-fund --prefer-offline ${list}`)
    installed.set(list, source)
  }
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true })
}

/**
 * Defines a test of one consumer, in a folder of its own with the package and the tools installed.
 * @param {string} title
 * @param {string[]} tools npm packages, with a fixed major version, so that no new release breaks CI
 * @param {(folder: string) => unknown} check
 */
function consumer(title, tools, check) {
  consumers(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'copse-consumer-'))
    try {
      installIn(tools, folder)
      await check(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Like consumer, but only in `make test-consumers`, which runs weekly. @type {typeof consumer} */
const weekly = process.env.COPSE_CONSUMERS === 'all' ? consumer : () => {}

/**
 * Serves a folder on loopback, at a new origin each time.
 * @param {string} folder
 * @param {(url: string) => unknown} use
 * @param {Record<string, string>} headers
 */
async function withServer(folder, use, headers = { 'access-control-allow-origin': '*' }) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(String(request.url), 'http://localhost')
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    try {
      const body = readFileSync(join(folder, file))
      const type = TYPES[extname(file)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type, ...headers }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${server.address().port}/`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/**
 * Runs Vite's development server in a folder.
 * @param {string} folder
 * @param {(url: string) => unknown} use
 */
async function withVite(folder, use) {
  const args = ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '0', '--force']
  const env = { ...process.env, NO_COLOR: '1' }
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env,
    timeout: MAX_WAITING,
    killSignal: 'SIGKILL', // after the timeout
  })
  const ended = once(server, 'exit')
  try {
    let output = ''
    const url = await new Promise((resolve, reject) => {
      const read = (/** @type {Buffer} */ data) => {
        output += data
        const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(output) ?? []
        if (address) resolve(address)
      }
      server.stdout.on('data', read)
      server.stderr.on('data', read)
      ended.then(() => reject(new Error(`vite ended: ${output}`)), reject)
    })
    await use(url)
  } finally {
    server.kill()
    await ended
  }
}

/**
 * Returns what a page logs until it logs its result or fails, including errors.
 * @param {string} url
 */
async function logsOf(url) {
  browser ??= await launch()
  const page = await openPage(browser)
  /** @type {string[]} */
  const lines = []
  try {
    let isDone = false
    page.on('console', (message) => {
      const icon = message.location().url.endsWith('/favicon.ico') // no consumer has one
      if (icon || !['log', 'error'].includes(message.type())) return
      lines.push(message.text())
      isDone ||= message.type() === 'log'
    })
    page.on('pageerror', (error) => {
      lines.push(String(error))
      isDone = true
    })
    await page.goto(url)
    await eventually(
      () => isDone,
      () => ['a result after', ...lines].join('\n'),
    )
    return lines.join('\n')
  } finally {
    await page.context().close()
  }
}

const assertAnswer = async (/** @type {string} */ url) => assert.is(await logsOf(url), ANSWER)

// ---- Without a browser ----

/**
 * Runs main.js with each entry, and each form of core that a runtime supports.
 * @param {string} folder
 * @param {string} command
 * @param {string} reading the same command, with permission to read files
 */
function testRuntime(folder, command, reading = command) {
  for (const entry of ENTRIES) {
    copyMainFor(folder, entry)
    assert.is(run(folder, entry === 'copse/external' ? reading : command), ANSWER, entry)
  }
  const url = `new URL(import.meta.resolve('copse/core.wasm'))`
  const bytes = `(await import('node:fs')).readFileSync(${url})`
  const one = url.replace('core', 'core-points')
  for (const core of [url, `${url}.href`, bytes, `await WebAssembly.compile(${bytes})`, one]) {
    copyMainWithCore(folder, core)
    assert.is(run(folder, reading), ANSWER, core)
  }
}

consumer('Node, as an ES module', [], (folder) => testRuntime(folder, documented('node main.js')))

weekly('Node, as CommonJS', [], (folder) => {
  const [imported] = readFileSync(pathOf('project/main.js'), 'utf8').split('\n')
  const forms = [documented(`const { init, AgentTree } = await import('copse')`)]
  const required = documented(`const { init, AgentTree } = require('copse')`)
  if (process.features.require_module) forms.push(required) // some versions of Node lack it
  for (const form of forms) {
    copyFile(folder, 'project/main.js', imported, form)
    const code = readFileSync(join(folder, 'main.js'), 'utf8')
    writeFileSync(join(folder, 'main.cjs'), `async function main() {\n${code}}\nmain()`)
    assert.is(run(folder, 'node main.cjs'), ANSWER, form)
  }
})

weekly('Bun', ['bun@1'], (folder) => testRuntime(folder, documented('bun main.js')))

weekly('Deno', ['deno@2'], (folder) => {
  const command = documented('deno run main.js')
  const reading = command.replace('run', `run ${documented('--allow-read')}`)
  testRuntime(folder, command, reading)
  copyMainFor(folder, 'copse/external')
  assert.throws(() => run(folder, command), /--allow-read/)
})

// Without and with the types of the DOM, and with those of `using`.
for (const version of ['7', '6', '5.9', '5.7', '5.4', '5.0']) {
  const add = version === '7' ? consumer : weekly
  add(`TypeScript ${version}`, [`typescript@${version}`], (folder) => {
    const using = version === '5.0' ? [] : ['es2022,esnext.disposable using.ts']
    const programs = ['es2022 types.ts', 'es2022,dom main.ts page.ts threads.ts', ...using]
    cpSync(pathOf('typescript'), folder, { recursive: true })
    cpSync(join(folder, 'main.js'), join(folder, 'main.ts'))
    mkdirSync(join(folder, 'no-types'))
    for (const program of programs)
      for (const resolution of ['--module esnext --moduleResolution bundler', '--module nodenext'])
        run(
          folder,
          `tsc --strict --noEmit --target es2022 ${resolution} --typeRoots no-types --lib ${program}`,
        )
  })
}

// ---- Bundlers ----

/**
 * Builds a folder. Returns what the build logs when it is served alone.
 * @param {string} folder
 * @param {string[]} commands
 */
async function buildAndRun(folder, ...commands) {
  const dist = join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  for (const command of commands) run(folder, documented(command))
  cpSync(pathOf('project/index.html'), join(dist, 'index.html'), { force: false }) // Vite made its own
  let logged = ''
  await withServer(dist, async (url) => (logged = await logsOf(url)))
  return logged
}

/**
 * Tests a bundler that includes the files and workers to which a module refers.
 * @param {string} folder
 * @param {string} command
 */
async function testBundler(folder, command) {
  for (const entry of ENTRIES) {
    copyMainFor(folder, entry)
    assert.is(await buildAndRun(folder, command), ANSWER, entry)
  }
  cpSync(pathOf('worker'), folder, { recursive: true })
  assert.is(await buildAndRun(folder, command), ANSWER, 'worker')
}

/**
 * Tests a bundler that does not.
 * @param {string} folder
 * @param {string} command
 */
async function testPlainBundler(folder, command) {
  for (const entry of ['copse', 'copse/points']) {
    copyMainFor(folder, entry)
    assert.is(await buildAndRun(folder, command), ANSWER, entry)
  }
  copyMainFor(folder, 'copse/external')
  assert.match(await buildAndRun(folder, command), /init: http.*core\.wasm returned 404/)
  assert.is(await buildAndRun(folder, command, `cp ${DIST}/core.wasm dist`), ANSWER)
}

for (const version of [8, 7])
  weekly(`Vite ${version}`, [`vite@${version}`], async (folder) => {
    await testBundler(folder, 'vite build')
    await withVite(folder, assertAnswer) // the worker of bundles()
    for (const entry of ['copse', 'copse/points']) {
      copyMainFor(folder, entry)
      await withVite(folder, assertAnswer)
    }
    copyMainFor(folder, 'copse/external')
    if (version < 8) {
      // It serves a page instead of the core.
      await withVite(folder, async (url) => assert.match(await logsOf(url), /CompileError/))
      const option = documented(`optimizeDeps: { exclude: ['copse'] }`)
      writeFileSync(join(folder, 'vite.config.js'), `export default { ${option} }`)
    }
    await withVite(folder, assertAnswer)
  })

weekly('webpack', ['webpack@5', 'webpack-cli@7'], (folder) =>
  testBundler(folder, 'webpack ./main.js --mode production'),
)

weekly('esbuild', ['esbuild@0.28'], (folder) =>
  testPlainBundler(folder, 'esbuild main.js --bundle --format=esm --outdir=dist'),
)

weekly('Rollup', ['rollup@4', '@rollup/plugin-node-resolve@16'], (folder) =>
  testPlainBundler(folder, 'rollup main.js --dir dist --plugin node-resolve'),
)

weekly('an entry for one family', ['esbuild@0.28'], async (folder) => {
  copyFile(folder, 'only/main.js')
  assert.is(run(folder, 'node main.js'), ANSWER)
  const command = 'esbuild main.js --bundle --format=esm --outdir=dist'
  assert.is(await buildAndRun(folder, command), ANSWER)
})

// ---- Threads ----

/** Asserts what a served folder logs with and without the headers that isolate a page. */
async function assertThreads(/** @type {string} */ folder) {
  const logs = (expected) => async (url) => assert.is(await logsOf(url), expected)
  await withServer(folder, logs(TWO_THREADS), ISOLATED)
  await withServer(folder, logs(ONE_THREAD))
}

/**
 * Tests the threads of a page that a command builds.
 * @param {string} folder
 * @param {string} command
 */
async function testThreads(folder, command) {
  copyFile(folder, 'threads/main.js')
  assert.is(await buildAndRun(folder, command), ONE_THREAD)
  await assertThreads(join(folder, 'dist'))
}

/**
 * The same for a bundler that includes the workers to which a module refers: in a worker, and with workers of
 * the script 'copse/thread'.
 * @param {string} folder
 * @param {string} command
 */
async function testThreadsInWorkers(folder, command) {
  copyFile(folder, 'threads/worker.js')
  copyFile(folder, 'threads/nested.js')
  cpSync(join(folder, 'nested.js'), join(folder, 'main.js'))
  await buildAndRun(folder, command)
  await assertThreads(join(folder, 'dist'))
  const factory = `() => new Worker(new URL('copse/thread', import.meta.url), { type: 'module' })`
  copyFile(folder, 'threads/main.js', 'threads: 2', `threads: 2, workerFactory: ${factory}`)
  await buildAndRun(folder, command)
  await assertThreads(join(folder, 'dist'))
}

weekly('threads in Bun', ['bun@1'], (folder) => {
  copyFile(folder, 'threads/main.js')
  assert.is(run(folder, 'bun main.js'), TWO_THREADS)
})

weekly('threads in Deno', ['deno@2'], (folder) => {
  copyFile(folder, 'threads/main.js')
  assert.is(run(folder, 'deno run main.js'), TWO_THREADS)
})

weekly('threads in Node, and by esbuild', ['esbuild@0.28'], async (folder) => {
  copyFile(folder, 'threads/main.js')
  assert.is(run(folder, 'node main.js'), TWO_THREADS)
  await testThreads(folder, 'esbuild main.js --bundle --format=esm --outdir=dist')
})

weekly('threads by Rollup', ['rollup@4', '@rollup/plugin-node-resolve@16'], (folder) =>
  testThreads(folder, 'rollup main.js --dir dist --plugin node-resolve'),
)

weekly('threads by webpack', ['webpack@5', 'webpack-cli@7'], async (folder) => {
  const command = 'webpack ./main.js --mode production'
  await testThreads(folder, command)
  await testThreadsInWorkers(folder, command)
})

for (const version of [8, 7])
  weekly(`threads by Vite ${version}`, [`vite@${version}`], async (folder) => {
    await testThreads(folder, 'vite build')
    const logs = (expected) => async (url) => assert.is(await logsOf(url), expected)
    await withVite(folder, logs(ONE_THREAD))
    const config = { server: { headers: ISOLATED } }
    writeFileSync(join(folder, 'vite.config.js'), `export default ${JSON.stringify(config)}`)
    await withVite(folder, logs(TWO_THREADS))
    await testThreadsInWorkers(folder, 'vite build')
  })

weekly('threads in a plain page, and in a worker of one', [], async (folder) => {
  copyFile(folder, 'threads/main.js', `'copse/threads'`, `'./${DIST}/threads.js'`)
  await assertThreads(folder)
  copyFile(folder, 'threads/worker.js', `'copse/threads'`, `'./${DIST}/threads.js'`)
  copyFile(folder, 'threads/nested.js')
  cpSync(join(folder, 'nested.js'), join(folder, 'main.js'))
  await assertThreads(folder)

  // With a policy that allows no workers from text.
  const policy = { 'content-security-policy': `script-src 'self' 'wasm-unsafe-eval'` }
  const headers = { ...ISOLATED, ...policy }
  const main = readFileSync(pathOf('threads/main.js'), 'utf8')
  const imported = main.replace(`'copse/threads'`, `'./${DIST}/threads.js'`)
  writeFileSync(join(folder, 'main.js'), imported)
  const one = /1 a worker can't be started: its script was blocked 315040$/
  await withServer(folder, async (url) => assert.match(await logsOf(url), one), headers)
  const factory = `() => new Worker('./${DIST}/thread.js', { type: 'module' })`
  const ours = imported.replace('threads: 2', `threads: 2, workerFactory: ${factory}`)
  writeFileSync(join(folder, 'main.js'), ours)
  const assertTwo = async (url) => assert.is(await logsOf(url), TWO_THREADS)
  await withServer(folder, assertTwo, headers)
})

// ---- Pages without a bundler ----

weekly('a page that imports from another origin', [], async (folder) => {
  await withServer(join(folder, 'node_modules'), async (cdn) => {
    for (const file of ['copse.js', 'external.js']) {
      const url = 'https://cdn.example.com/copse/dist/copse.js'
      copyFile(folder, 'page/index.html', url, `${cdn}copse/dist/${file}`)
      await withServer(folder, assertAnswer)
    }
  })
})

weekly('a page with a worker', [], async (folder) => {
  copyFile(folder, 'worker/main.js')
  copyFile(folder, 'worker/worker.js', `'copse'`, `'./${DIST}/copse.js'`)
  await withServer(folder, assertAnswer)
})

weekly('a page with a content security policy', [], async (folder) => {
  copyMainFor(folder, `./${DIST}/copse.js`)
  const policy = documented(`script-src 'self' 'wasm-unsafe-eval'`)
  await withServer(folder, assertAnswer, { 'content-security-policy': policy })
  const without = policy.replace(` 'wasm-unsafe-eval'`, '')
  const refused = async (/** @type {string} */ url) =>
    assert.match(await logsOf(url), /CompileError/)
  await withServer(folder, refused, { 'content-security-policy': without })
})

weekly('a page that brings the core', [], async (folder) => {
  copyFile(folder, 'page/index.html', 'https://cdn.example.com/copse', '/node_modules/copse')
  const url = `new URL('./${DIST}/core.wasm', import.meta.url)`
  for (const core of [
    `'${DIST}/core.wasm'`,
    `'${DIST}/core-points.wasm'`,
    url,
    `await (await fetch(${url})).arrayBuffer()`,
    `fetch(${url})`,
    `await fetch(${url})`,
    `await WebAssembly.compileStreaming(fetch(${url}))`,
  ]) {
    copyMainWithCore(folder, core)
    await withServer(folder, assertAnswer)
  }
  for (const core of [`'nowhere.wasm'`, `fetch('nowhere.wasm')`]) {
    copyMainWithCore(folder, core)
    const missing = /init: http.*nowhere\.wasm returned 404/
    await withServer(folder, async (url) => assert.match(await logsOf(url), missing))
  }
})

consumers.run()
