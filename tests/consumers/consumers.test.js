// The package as its users have it: each folder here is a small project. It is copied out of the
// repository, installs the tarball and its own tools, and must get a query right.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { launch } from '../browser/chromium.js'
import { pack } from '../installed.js'

const consumers = suite('consumers')
const ANSWER = '0 1'
const INSTALL_MS = 120_000
const RUN_MS = 60_000
const PAGE_MS = 20_000
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' }

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
 * What a command prints; throws all of it when the command fails.
 * @param {string} folder
 * @param {number} timeout
 * @param {string} command
 * @param {string[]} args
 */
function run(folder, timeout, command, ...args) {
  // Deno's cache goes with the folder.
  const env = { ...process.env, NO_COLOR: '1', DENO_DIR: join(folder, '.deno') }
  try {
    const options = { cwd: folder, encoding: /** @type {const} */ ('utf8'), timeout, env }
    return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  } catch (error) {
    throw new Error(
      `${command} ${args.join(' ')}: ${error.code ?? ''}\n${error.stdout}${error.stderr}`,
    )
  }
}

/**
 * A test of one consumer, in a folder of its own with the package and its tools installed.
 * @param {string} title
 * @param {string} name of its folder here
 * @param {string[]} tools npm packages
 * @param {(folder: string) => unknown} check
 */
function consumer(title, name, tools, check) {
  consumers(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), `copse-${name}-`))
    try {
      cpSync(fileURLToPath(new URL(name, import.meta.url)), folder, { recursive: true })
      const options = ['--no-audit', '--no-fund', '--prefer-offline']
      run(folder, INSTALL_MS, 'npm', 'install', ...options, tarball, ...tools)
      await check(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/**
 * Serves a folder on loopback, each time at another origin.
 * @param {string} folder
 * @param {(url: string) => unknown} use
 */
async function serving(folder, use) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(String(request.url), 'http://localhost')
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    try {
      const body = readFileSync(join(folder, file))
      const type = TYPES[extname(file)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' })
      response.end(body)
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
  const args = ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '0']
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
 * Opens a page, which must show a text, and log no error.
 * @param {string} url
 * @param {string} expected
 */
async function shows(url, expected) {
  const page = await browser.newPage()
  try {
    /** @type {string[]} */
    const errors = []
    page.on('console', (message) => {
      const icon = message.location().url.endsWith('/favicon.ico') // which no consumer has
      if (message.type() === 'error' && !icon) errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(url, { timeout: PAGE_MS })
    const text = () => page.evaluate(() => document.body.textContent?.trim())
    await page
      .waitForFunction((text) => document.body.textContent?.trim() === text, expected, {
        timeout: PAGE_MS,
      })
      .catch(async () => assert.unreachable(`shows "${await text()}"; ${errors.join('\n')}`))
    assert.equal(errors, [])
  } finally {
    await page.close()
  }
}

consumer('Node, as an ES module', 'node-esm', [], (folder) => {
  assert.is(run(folder, RUN_MS, 'node', 'main.js'), ANSWER)
})

consumer('Node, as CommonJS', 'node-commonjs', [], (folder) => {
  assert.is(run(folder, RUN_MS, 'node', 'main.cjs'), ANSWER)
  // A Node without require() of ES modules has nothing to check here.
  if (process.features.require_module)
    assert.is(run(folder, RUN_MS, 'node', '--no-warnings', 'require.cjs'), ANSWER)
})

for (const version of ['latest', '7']) {
  consumer(`Vite ${version}, page and worker`, 'vite', [`vite@${version}`], async (folder) => {
    const both = `${ANSWER}, in a worker: ${ANSWER}`
    await developing(folder, (url) => shows(url, both))
    run(folder, RUN_MS, 'npm', 'run', 'build')
    await serving(join(folder, 'dist'), (url) => shows(url, both))
  })
}

for (const [title, ...tools] of [
  ['esbuild', 'esbuild'],
  ['webpack', 'webpack', 'webpack-cli'],
  ['Rollup', 'rollup', '@rollup/plugin-node-resolve'],
]) {
  consumer(title, title.toLowerCase(), tools, async (folder) => {
    run(folder, RUN_MS, 'npm', 'run', 'build')
    rmSync(join(folder, 'node_modules'), { recursive: true }) // the bundle needs nothing else
    await serving(folder, (url) => shows(url, ANSWER))
  })
}

consumer('a script from another origin', 'script', [], async (folder) => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  await serving(join(folder, 'node_modules'), async (cdn) => {
    const site = join(folder, 'index.html')
    writeFileSync(site, page.replace('https://cdn.example.com/', cdn))
    await serving(folder, (url) => shows(url, ANSWER))
  })
})

consumer('a content security policy', 'csp', [], async (folder) => {
  await serving(folder, (url) => shows(url, ANSWER))
})

// Older ones can't read the types of typed arrays, and must skip them.
for (const [version, ...options] of [['latest'], ['5.7'], ['5.0', '--skipLibCheck']]) {
  consumer(`TypeScript ${version}`, 'typescript', [`typescript@${version}`], (folder) => {
    for (const resolution of ['bundler', 'nodenext'])
      run(folder, RUN_MS, 'npm', 'run', '--silent', resolution, '--', ...options)
  })
}

consumer('Deno', 'deno', ['deno'], (folder) => {
  assert.is(run(folder, RUN_MS, 'node_modules/.bin/deno', 'run', '--no-prompt', 'main.js'), ANSWER)
})

consumer('Bun', 'bun', ['bun'], (folder) => {
  assert.is(run(folder, RUN_MS, 'node_modules/.bin/bun', 'main.js'), ANSWER)
})

consumers.run()
