// Runs the package's tests in every engine and, in browsers, every scene of the built demo:
//
//   node tests/tools/engines.js [NAME…]
//
// A NAME selects all engines whose names begin with it: `node` is every version of Node. Prints a table,
// then `N passed, N failed` on a line of its own. Fails if a test fails or an engine is missing.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { CHROMIUM } from '../browser/chromium.js'
import { buildPage, ISOLATED, openChromium, reportsOf } from '../browser/reports.js'
import { suites } from '../browser/suites.js'
import { inTurn, runWithin, uvuResult } from './commands.js'

const WEBKIT = 'webkit2gtk-driver xvfb xauth'
const SECONDS = 900 // time limit for a file of tests in Node, and for a whole browser
const run = runWithin(SECONDS)

/**
 * @typedef {{ version: string, passed: number, failed: number, threads?: string }} Result
 * `threads`: how many of two threads work in a page, isolated and not
 */

// ---- Node ----

/** @type {Map<number, Promise<string>>} */
const binaries = new Map()

/**
 * Returns the path of a major version of Node: the running one, or one installed in build/engines.
 * @param {number} major
 */
export function nodeBinary(major) {
  if (process.version.startsWith(`v${major}.`)) return Promise.resolve(process.execPath)
  if (!binaries.has(major)) binaries.set(major, installNode(major))
  return /** @type {Promise<string>} */ (binaries.get(major))
}

/**
 * Installs a Node from npm: the package for this platform, which the package `node` would install by a
 * script. Returns its path.
 * @param {number} major
 */
async function installNode(major) {
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
  const folder = fileURLToPath(new URL(`../../build/engines/node-${major}`, import.meta.url))
  const binary = `${folder}/node_modules/${name}/bin/node`
  if (existsSync(binary)) return binary
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  const { output } = await run('npm', 'install', '--prefix', folder, ...options, `${name}@${major}`)
  if (!existsSync(binary)) throw new Error(`Node ${major} could not be installed: ${output}`)
  return binary
}

/** @param {number} major @returns {Promise<Result>} */
async function inNode(major) {
  const node = await nodeBinary(major)
  const result = { version: (await run(node, '--version')).output.trim(), passed: 0, failed: 0 }
  const files = readdirSync('tests/js').filter((file) => file.endsWith('.test.js'))
  const isLong = (/** @type {string} */ file) => Number(file.startsWith('garbage'))
  await inTurn(
    files.sort((a, b) => isLong(b) - isLong(a)),
    async (file) => {
      const { passed, failed, output } = uvuResult(await run(node, `tests/js/${file}`))
      if (failed) console.log(`FAIL Node ${major}, ${file}\n${output}`)
      result.passed += passed
      result.failed += failed
    },
  )
  return result
}

// ---- Browsers ----

/**
 * Returns a function that opens an address with a command. `close()` ends all its processes and removes
 * its folder.
 * @param {(folder: string) => string[]} command the words before the address
 * @param {Record<string, string>} environment
 * @returns {(url: string) => Promise<import('../browser/reports.js').Browser>}
 */
const openBy = (command, environment) => async (url) => {
  const folder = mkdtempSync(`${tmpdir()}/copse-engine-`)
  const [file, ...args] = [...command(folder), url]
  const child = spawn(file, args, {
    env: { ...process.env, HOME: folder, TMPDIR: folder, ...environment },
    detached: true, // a process group of its own
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'exit').then(() => `${file} ended: ${output}`)
  const stop = () => child.exitCode ?? child.signalCode ?? process.kill(-Number(child.pid))
  process.once('exit', stop)
  return {
    ended,
    async close() {
      process.off('exit', stop)
      stop()
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** @param {string} folder */
function firefox(folder) {
  // Keeps the page about privacy from covering the page of the tests.
  writeFileSync(
    `${folder}/user.js`,
    'user_pref("datareporting.policy.dataSubmissionEnabled", false)\n',
  )
  return ['firefox-esr', '--headless', '--no-remote', '--profile', folder]
}

/** Returns the path of MiniBrowser: Debian puts it outside of PATH. */
const miniBrowser = () =>
  readdirSync('/usr/lib')
    .flatMap((folder) => ['4.1', '4.0'].map((api) => `/usr/lib/${folder}/webkit2gtk-${api}`))
    .map((folder) => `${folder}/MiniBrowser`)
    .find(existsSync) ?? 'MiniBrowser'

const webKit = () => ['xvfb-run', '-a', miniBrowser()]

/** @param {string} locale */
const openWebKit = (locale) =>
  openBy(() => [...webKit(), '--geometry=1280x800'], {
    LC_ALL: locale,
    // Safari's default. Without it, this WebKit has no SharedArrayBuffer even in a page that is isolated.
    JSC_useSharedArrayBuffer: '1',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // there is no sandbox for root; only our page is opened
  })

const scenes = () =>
  readdirSync('web/scenes')
    .filter((file) => file.endsWith('.js'))
    .map((file) => `scene=${file.replace('.js', '')}`)

/**
 * Runs all suites and scenes in a browser, and the suite of threads again in a page that is isolated.
 * @param {string[]} command that opens it
 * @param {string} packages of Debian, for the message if it is missing
 * @param {(url: string) => Promise<import('../browser/reports.js').Browser>} open
 * @returns {Promise<Result>}
 */
async function inBrowser([command, ...args], packages, open) {
  const { output, clean } = await run(command, ...args, '--version')
  if (!clean) throw new Error(`missing; on Debian, install ${packages}\n${output}`)
  const version = /\d+(\.\d+)+/.exec(output)?.[0] ?? ''
  const names = [...scenes(), ...Object.keys(suites)]
  const reports = await reportsOf(names, SECONDS, open)
  const isolated = await reportsOf(['threads', 'determinism'], SECONDS, open, ISOLATED)
  const result = { version, passed: 0, failed: 0, threads: threadsOf(reports, isolated) }
  for (const { name, passed, failed, output } of [...reports, ...isolated]) {
    if (failed) console.log(`FAIL ${name}\n${output}`)
    result.passed += passed
    result.failed += failed
  }
  return result
}

/** Describes the threads in a page, and in a page that is isolated. */
function threadsOf(...pages) {
  const [usual, isolated] = pages.map((reports) => {
    const { count, reason } = reports.find(({ threads }) => threads)?.threads ?? {}
    return reason ? `${count} (${reason})` : count
  })
  return `isolated ${isolated}, else ${usual}`
}

// ---- All engines ----

/** @type {Record<string, () => Promise<Result>>} */
const engines = {
  'node-20': () => inNode(20),
  'node-22': () => inNode(22),
  'node-24': () => inNode(24),
  'node-26': () => inNode(26),
  chromium: () => inBrowser([CHROMIUM], 'chromium', openChromium),
  firefox: () => inBrowser(['firefox-esr'], 'firefox-esr', openBy(firefox, {})),
  webkit: () => inBrowser(webKit(), WEBKIT, openWebKit('en_US.UTF-8')),
  // With this locale the browser's language is no valid language tag.
  'webkit-c': () => inBrowser(webKit(), WEBKIT, openWebKit('C.UTF-8')),
}

async function main() {
  process.chdir(fileURLToPath(new URL('../../', import.meta.url)))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

  const wanted = process.argv.slice(2)
  const names = Object.keys(engines).filter(
    (name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
  )
  if (names.some((name) => !name.startsWith('node-')))
    symlinkSync(`${process.cwd()}/web/dist`, `${await buildPage()}/demo`)

  const rows = [['engine', 'version', 'passed', 'failed', 'seconds', 'threads']]
  const totals = { passed: 0, failed: 0 }
  for (const name of names) {
    console.log(`${name} …`)
    const start = performance.now()
    const { version, passed, failed, threads } = await engines[name]().catch((error) => {
      console.log(`FAIL ${name}: ${error.message}`)
      return { version: 'none', passed: 0, failed: 1, threads: '' }
    })
    const seconds = Math.round((performance.now() - start) / 1000)
    rows.push([name, version, ...[passed, failed, seconds].map(String), threads ?? ''])
    totals.passed += passed
    totals.failed += failed
  }
  for (const row of rows)
    console.log(
      row
        .map((cell) => cell.padEnd(14))
        .join('')
        .trimEnd(),
    )
  console.log(`${totals.passed} passed, ${totals.failed} failed`)
  process.exitCode = totals.failed || !totals.passed ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
