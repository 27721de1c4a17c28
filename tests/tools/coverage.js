// Measures coverage by `make test` alone: by its native tests and drawn cases, with an instrumented core, and by its
// suites for Node, with the sources of wasm/. Prints the coverage of each file, then the totals. Fails if a total is
// below its limit or a test fails. Code that is not reached is marked
// in build/coverage/c/index.html and build/coverage/wasm/index.html.

import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CASES, inTurn, seedsOf, targets, UNIT_PART, unitNouns } from './commands.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

/** The least coverage in percent. */
const LIMITS = { c: 99, wasm: 98 }
const OUT = 'build/coverage'

const execute = promisify(execFile)

/** @param {string} command @param {string[]} args @param {Record<string, string>} [environment] */
async function run(command, args, environment = {}) {
  const options = { env: { ...process.env, ...environment }, maxBuffer: 2 ** 28 }
  return (await execute(command, args, options)).stdout
}

/** Runs an LLVM tool of clang's version. @param {string} name @param {string[]} args */
async function llvm(name, ...args) {
  const path = await run(process.env.CLANG ?? 'clang', [`-print-prog-name=${name}`])
  try {
    return await run(path.trim(), args)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    console.error(`${name} is missing: install clang's version of it (Debian: llvm)`)
    process.exit(1)
  }
}

/** @type {string[]} */
const profiles = []

/** Runs an instrumented program. @param {string} name @param {string[]} args */
async function native(name, ...args) {
  const profile = `${OUT}/${[name, args[0]].join('-').replaceAll('/', '-')}.profraw`
  profiles.push(profile)
  return run(`${OUT}/${name}`, args, {
    LLVM_PROFILE_FILE: profile,
    COPSE_UNIT_PART: String(UNIT_PART),
  })
}

async function determinism() {
  const output = await native('determinism')
  if (output !== readFileSync('tests/data/determinism.txt', 'utf8')) throw new Error(output)
}

// Without the suites that count garbage or time builds: measuring coverage makes garbage and is slow.
const SUITES = '^(?!garbage|degenerate)[^/]+\\.test\\.js$'

async function suites() {
  const report = ['-r', 'html', '-r', 'json-summary', '--reports-dir', `${OUT}/wasm`]
  const sources = [
    '--all',
    '--src',
    'wasm',
    '--include',
    'wasm/**/*.js',
    '--exclude',
    'wasm/build.js',
    '--exclude',
    'wasm/deflate.js',
  ]
  const tests = [
    '--import',
    './tests/tools/sources.js',
    'node_modules/uvu/bin.js',
    'tests/js',
    SUITES,
  ]
  const c8 = ['node_modules/c8/bin/c8.js', ...report, ...sources]
  const files = ['--temp-directory', `${OUT}/v8`, '--clean']
  await run('node', [...c8, ...files, 'node', ...tests])
}

for (const tool of ['llvm-profdata', 'llvm-cov']) await llvm(tool, '--help') // fail early if it is missing
const jobs = [
  suites, // the longest first
  ...unitNouns().map((noun) => () => native('unit', noun)),
  ...targets().map((name) => () => native(`cases-${name}`, '1', String(CASES), ...seedsOf(name))),
  determinism,
]
try {
  await inTurn(jobs)
} catch (error) {
  console.error(error.stdout ?? '', error.message)
  process.exit(1)
}

const merged = `${OUT}/c.profdata`
await llvm('llvm-profdata', 'merge', '-sparse', ...profiles, '-o', merged)
const objects = [`${OUT}/unit`, `-instr-profile=${merged}`]
const html = ['-format=html', '-show-branches=count', `-output-dir=${OUT}/c`]
rmSync(`${OUT}/c/coverage`, { recursive: true, force: true })
await llvm('llvm-cov', 'show', ...html, ...objects, 'c')
const [core] = JSON.parse(await llvm('llvm-cov', 'export', '-summary-only', ...objects, 'c')).data
const { total, ...wasm } = JSON.parse(readFileSync(`${OUT}/wasm/coverage-summary.json`, 'utf8'))

/** @param {string} name @param {Record<string, any>} counts @param {string[]} kinds */
function print(name, counts, kinds) {
  const shares = kinds.map((kind) => {
    const { covered, count, total = count, percent, pct = percent } = counts[kind]
    return `${kind} ${(total ? pct : 100).toFixed(1)} % (${covered}/${total})`
  })
  console.log(`${name.padEnd(26)} ${shares.join(', ')}`)
}

const IN_C = ['regions', 'lines', 'branches']
const IN_WASM = ['functions', 'lines', 'branches']
const name = (path) => path.slice(process.cwd().length + 1)
for (const { filename, summary } of core.files) print(name(filename), summary, IN_C)
for (const [path, summary] of Object.entries(wasm)) print(name(path), summary, IN_WASM)
print('c/ in total', core.totals, IN_C)
print('wasm/ in total', total, IN_WASM)
console.log(
  `limits: ${LIMITS.c} % of the branches of c/, ${LIMITS.wasm} % of the branches and lines of wasm/`,
)
const isReached =
  core.totals.branches.percent >= LIMITS.c &&
  total.branches.pct >= LIMITS.wasm &&
  total.lines.pct >= LIMITS.wasm
process.exitCode = isReached ? 0 : 1
