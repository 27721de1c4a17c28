// Measures coverage by `make test` alone: by its native tests and drawn cases, with an instrumented core, and by its
// suites for Node, with the sources of wasm/. Prints the coverage of each file, then the totals. Fails if a total is
// below its limit or a test fails. Code that is not reached is marked
// in build/coverage/c/index.html and build/coverage/wasm/index.html.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
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

// Without the suites that count garbage, which measuring makes, and those that test bundles.
const SUITES = readdirSync('tests/js').filter((file) =>
  /^(?!garbage|bundle|entries).*\.test\.js$/.test(file),
)
const V8 = `${OUT}/v8`

/** Runs a suite in JavaScript on the sources of wasm/. @param {string} file */
const suite = (file) =>
  run('node', ['--import', './tests/tools/sources.js', `tests/js/${file}`], {
    NODE_V8_COVERAGE: V8,
  })

/** Writes the coverage of wasm/ by the suites that ran. */
async function report() {
  const formats = ['-r', 'html', '-r', 'json-summary', '--reports-dir', `${OUT}/wasm`]
  const sources = ['--all', '--src', 'wasm', '--include', 'wasm/**/*.js']
  const tools = ['build', 'deflate'].flatMap((name) => ['--exclude', `wasm/${name}.js`])
  const words = ['report', ...formats, ...sources, ...tools, '--temp-directory', V8]
  await run('node', ['node_modules/c8/bin/c8.js', ...words])
}

for (const tool of ['llvm-profdata', 'llvm-cov']) await llvm(tool, '--help') // fail early if it is missing
const jobs = [
  ...SUITES.map((file) => () => suite(file)),
  ...unitNouns().map((noun) => () => native('unit', noun)),
  ...targets().map((name) => () => native(`cases-${name}`, '1', String(CASES), ...seedsOf(name))),
  determinism,
]
rmSync(V8, { recursive: true, force: true })
try {
  await inTurn(jobs)
  await report()
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
