// The package as its users have it: small projects outside the repository, which install the tarball
// and their own tools, and must get a query right. What they run is what the README or a page shows.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, delimiter, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { launch } from '../browser/chromium.js'
import { documents } from '../js/support/documents.js'
import { pack } from './install.js'

const consumers = suite('consumers')
const ANSWER = '0 1'
const ENTRIES = ['copse', 'copse/scalar', 'copse/external']
const DIST = 'node_modules/copse/dist'
const INSTALL_MS = 120_000
const RUN_MS = 60_000
const PAGE_MS = 20_000
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm', // compileStreaming() asks for it
}

const packed = mkdtempSync(join(tmpdir(), 'copse-consumers-'))
/** @type {string} */
let tarball
/** @type {import('playwright-core').Browser} */
let browser

consumers.before(async () => {
  tarball = pack(packed).tarball
  browser = await launch()
})
consumers.after(async () => {
  await browser?.close()
  rmSync(packed, { recursive: true, force: true })
})

/**
 * Code that the README or a page of the documentation must show as it is.
 * @param {string} code
 */
function shown(code) {
  const places = documents.filter(({ text }) => text.includes(`\`${code}\``))
  assert.ok(places.length > 0, `no document shows ${code}`)
  return code
}

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Puts a file from here into a consumer's folder, with a part of it replaced.
 * @param {string} folder
 * @param {string} name
 * @param {string} from
 * @param {string} to
 */
function put(folder, name, from = '', to = '') {
  const text = readFileSync(here(name), 'utf8')
  assert.ok(text.includes(from), `${name} has no ${from}`)
  writeFileSync(join(folder, basename(name)), text.replace(from, to))
}

const putEntry = (/** @type {string} */ folder, /** @type {string} */ entry) =>
  put(folder, 'project/main.js', `'copse'`, `'${entry}'`)

const putCore = (/** @type {string} */ folder, /** @type {string} */ core) =>
  put(folder, 'project/main.js', 'init()', `init({ wasm: ${core} })`)

/**
 * What a command prints; throws all of it when the command fails.
 * @param {string} folder
 * @param {string} line
 * @param {number} timeout
 */
function run(folder, line, timeout = RUN_MS) {
  const PATH = join(folder, 'node_modules/.bin') + delimiter + process.env.PATH
  // Deno's cache goes with the folder.
  const plain = { FORCE_COLOR: undefined, NO_COLOR: '1' } // whoever reads this output
  const env = { ...process.env, ...plain, PATH, DENO_DIR: join(folder, '.deno') }
  const [command, ...args] = line.split(' ')
  try {
    const options = { cwd: folder, encoding: /** @type {const} */ ('utf8'), timeout, env }
    return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  } catch (error) {
    throw new Error(`${line}: ${error.code ?? ''}\n${error.stdout}${error.stderr}`)
  }
}

/**
 * A test of one consumer, in a folder of its own with the package and its tools installed.
 * @param {string} title
 * @param {string[]} tools npm packages; of a fixed major, so that no release elsewhere breaks CI
 * @param {(folder: string) => unknown} check
 */
function consumer(title, tools, check) {
  consumers(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'copse-consumer-'))
    try {
      cpSync(here('project'), folder, { recursive: true })
      const install = ['npm install --no-audit --no-fund --prefer-offline', tarball, ...tools]
      run(folder, install.join(' '), INSTALL_MS)
      await check(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** As consumer, but only in `make test-consumers`, which runs weekly. @type {typeof consumer} */
const weekly = process.env.COPSE_CONSUMERS === 'all' ? consumer : () => {}

/**
 * Serves a folder on loopback, each time at another origin.
 * @param {string} folder
 * @param {(url: string) => unknown} use
 * @param {Record<string, string>} headers
 */
async function serving(folder, use, headers = { 'access-control-allow-origin': '*' }) {
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
async function developing(folder, use) {
  const args = ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '0', '--force']
  const env = { ...process.env, NO_COLOR: '1' }
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env,
    timeout: RUN_MS,
    killSignal: 'SIGKILL', // when the time is up
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
 * What a page logs until it has an answer or fails, errors included.
 * @param {string} url
 */
async function logs(url) {
  const page = await browser.newPage()
  /** @type {string[]} */
  const lines = []
  try {
    const done = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`no answer; ${lines.join('\n')}`)), PAGE_MS).unref()
      page.on('console', (message) => {
        const icon = message.location().url.endsWith('/favicon.ico') // which no consumer has
        if (icon || !['log', 'error'].includes(message.type())) return
        lines.push(message.text())
        if (message.type() === 'log') resolve(null)
      })
      page.on('pageerror', (error) => resolve(lines.push(String(error))))
    })
    await Promise.all([done, page.goto(url, { timeout: PAGE_MS })])
    return lines.join('\n')
  } finally {
    await page.close()
  }
}

const answers = async (/** @type {string} */ url) => assert.is(await logs(url), ANSWER)

// ---- Without a browser ----

/**
 * Each entry, and each form of core that a runtime has.
 * @param {string} folder
 * @param {string} command
 * @param {string} reading the command that may also read files
 */
function runs(folder, command, reading = command) {
  for (const entry of ENTRIES) {
    putEntry(folder, entry)
    assert.is(run(folder, entry === 'copse/external' ? reading : command), ANSWER, entry)
  }
  const url = `new URL(import.meta.resolve('copse/core.wasm'))`
  const bytes = `(await import('node:fs')).readFileSync(${url})`
  const one = url.replace('core', 'core-agenttree')
  for (const core of [url, `${url}.href`, bytes, `await WebAssembly.compile(${bytes})`, one]) {
    putCore(folder, core)
    assert.is(run(folder, reading), ANSWER, core)
  }
}

consumer('Node, as an ES module', [], (folder) => runs(folder, shown('node main.js')))

consumer('Node, as CommonJS', [], (folder) => {
  const [imported] = readFileSync(here('project/main.js'), 'utf8').split('\n')
  const forms = [shown(`const { init, AgentTree } = await import('copse')`)]
  const required = shown(`const { init, AgentTree } = require('copse')`)
  if (process.features.require_module) forms.push(required) // not in every Node
  for (const form of forms) {
    put(folder, 'project/main.js', imported, form)
    const code = readFileSync(join(folder, 'main.js'), 'utf8')
    writeFileSync(join(folder, 'main.cjs'), `async function main() {\n${code}}\nmain()`)
    assert.is(run(folder, 'node main.cjs'), ANSWER, form)
  }
})

weekly('Bun', ['bun@1'], (folder) => runs(folder, shown('bun main.js')))

weekly('Deno', ['deno@2'], (folder) => {
  const command = shown('deno run main.js')
  const reading = command.replace('run', `run ${shown('--allow-read')}`)
  runs(folder, command, reading)
  putEntry(folder, 'copse/external')
  assert.throws(() => run(folder, command), /--allow-read/)
})

// Without the types of the DOM, with them, and with those of `using`.
for (const version of ['7', '6', '5.9', '5.7', '5.4', '5.0']) {
  const add = ['7', '5.0'].includes(version) ? consumer : weekly
  add(`TypeScript ${version}`, [`typescript@${version}`], (folder) => {
    const dom = 'es2022,dom'
    const libraries = { types: 'es2022', main: dom, page: dom, using: 'es2022,esnext.disposable' }
    cpSync(here('typescript'), folder, { recursive: true })
    cpSync(join(folder, 'main.js'), join(folder, 'main.ts'))
    mkdirSync(join(folder, 'no-types'))
    for (const [file, library] of Object.entries(libraries)) {
      if (file === 'using' && version === '5.0') continue
      for (const resolution of ['--module esnext --moduleResolution bundler', '--module nodenext'])
        run(
          folder,
          `tsc ${file}.ts --strict --noEmit --target es2022 ${resolution}` +
            ` --lib ${library} --typeRoots no-types`,
        )
    }
  })
}

// ---- Bundlers ----

/**
 * Builds, and says what the result logs when it is served alone.
 * @param {string} folder
 * @param {string[]} commands
 */
async function built(folder, ...commands) {
  const dist = join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  for (const command of commands) run(folder, shown(command))
  cpSync(here('project/index.html'), join(dist, 'index.html'), { force: false }) // Vite made its own
  let logged = ''
  await serving(dist, async (url) => (logged = await logs(url)))
  return logged
}

/**
 * A bundler that also takes along the files and workers that a module asks for.
 * @param {string} folder
 * @param {string} command
 */
async function bundles(folder, command) {
  for (const entry of ENTRIES) {
    putEntry(folder, entry)
    assert.is(await built(folder, command), ANSWER, entry)
  }
  cpSync(here('worker'), folder, { recursive: true })
  assert.is(await built(folder, command), ANSWER, 'worker')
}

/**
 * A bundler that leaves both behind.
 * @param {string} folder
 * @param {string} command
 */
async function bundlesOnly(folder, command) {
  for (const entry of ['copse', 'copse/scalar']) {
    putEntry(folder, entry)
    assert.is(await built(folder, command), ANSWER, entry)
  }
  putEntry(folder, 'copse/external')
  assert.match(await built(folder, command), /init: http.*core\.wasm answered 404/)
  assert.is(await built(folder, command, `cp ${DIST}/core.wasm dist`), ANSWER)
}

for (const version of [8, 7]) {
  const add = version === 8 ? consumer : weekly
  add(`Vite ${version}`, [`vite@${version}`], async (folder) => {
    await bundles(folder, 'vite build')
    await developing(folder, answers) // the worker, which is still there
    for (const entry of ['copse', 'copse/scalar']) {
      putEntry(folder, entry)
      await developing(folder, answers)
    }
    putEntry(folder, 'copse/external')
    if (version < 8) {
      // It answers with a page instead of the core.
      await developing(folder, async (url) => assert.match(await logs(url), /CompileError/))
      const option = shown(`optimizeDeps: { exclude: ['copse'] }`)
      writeFileSync(join(folder, 'vite.config.js'), `export default { ${option} }`)
    }
    await developing(folder, answers)
  })
}

weekly('webpack', ['webpack@5', 'webpack-cli@7'], (folder) =>
  bundles(folder, 'webpack ./main.js --mode production'),
)

consumer('esbuild', ['esbuild@0.28'], (folder) =>
  bundlesOnly(folder, 'esbuild main.js --bundle --format=esm --outdir=dist'),
)

weekly('Rollup', ['rollup@4', '@rollup/plugin-node-resolve@16'], (folder) =>
  bundlesOnly(folder, 'rollup main.js --dir dist --plugin node-resolve'),
)

consumer('only one class', ['esbuild@0.28'], async (folder) => {
  put(folder, 'only/main.js')
  assert.is(run(folder, 'node main.js'), ANSWER)
  const command = 'esbuild main.js --bundle --format=esm --outdir=dist'
  assert.is(await built(folder, command), ANSWER)
})

// ---- Pages without a bundler ----

consumer('a page that imports from another origin', [], async (folder) => {
  await serving(join(folder, 'node_modules'), async (cdn) => {
    for (const file of ['copse.js', 'external.js']) {
      const url = 'https://cdn.example.com/copse/dist/copse.js'
      put(folder, 'page/index.html', url, `${cdn}copse/dist/${file}`)
      await serving(folder, answers)
    }
  })
})

consumer('a page with a worker', [], async (folder) => {
  put(folder, 'worker/main.js')
  put(folder, 'worker/worker.js', `'copse'`, `'./${DIST}/copse.js'`)
  await serving(folder, answers)
})

consumer('a page with a content security policy', [], async (folder) => {
  putEntry(folder, `./${DIST}/copse.js`)
  const policy = shown(`script-src 'self' 'wasm-unsafe-eval'`)
  await serving(folder, answers, { 'content-security-policy': policy })
  const without = policy.replace(` 'wasm-unsafe-eval'`, '')
  const refused = async (/** @type {string} */ url) => assert.match(await logs(url), /CompileError/)
  await serving(folder, refused, { 'content-security-policy': without })
})

consumer('a page that brings the core', [], async (folder) => {
  put(folder, 'page/index.html', 'https://cdn.example.com/copse', '/node_modules/copse')
  const url = `new URL('./${DIST}/core.wasm', import.meta.url)`
  for (const core of [
    `'${DIST}/core.wasm'`,
    `'${DIST}/core-agenttree.wasm'`,
    url,
    `await (await fetch(${url})).arrayBuffer()`,
    `fetch(${url})`,
    `await fetch(${url})`,
    `await WebAssembly.compileStreaming(fetch(${url}))`,
  ]) {
    putCore(folder, core)
    await serving(folder, answers)
  }
  for (const core of [`'nowhere.wasm'`, `fetch('nowhere.wasm')`]) {
    putCore(folder, core)
    const missing = /init: http.*nowhere\.wasm answered 404/
    await serving(folder, async (url) => assert.match(await logs(url), missing))
  }
})

consumers.run()
