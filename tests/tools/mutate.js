// Mutation testing of c/: changes one thing at a time, and checks that `make test-c` notices.
//
//   make mutate [MUTANTS=100] [SEEDS='1 2 3']
//
// A mutant is killed if the determinism scenario gives other hashes, or a unit test or a drawn case fails,
// crashes or does not end. Survivors are tried once more under sanitizers. Mutants that don't compile, or
// compile to the same code, don't count. Survivors are listed, with the reason from tests/data/survivors.json
// if one is known. Fails if less than SHARE of the mutants are killed.

import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CASES, inTurn, seedsOf, targets, UNIT_PART, unitNouns } from './commands.js'
import { createRandom } from '../../web/random.js'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))

const [mutants, ...seeds] = process.argv.slice(2).map(Number)
const SHARE = 0.9
const PATIENCE = 5 // a run that takes this many times longer than without a mutation does not end
const SANITIZED_SECONDS = 20 // for each killer: wrong uses of memory show early
const MOST_MEMORY = 4e6 // kB
const FOLDER = 'build/mutants'
const PARTLY = { COPSE_UNIT_PART: String(UNIT_PART) }

const { CC = 'gcc', CLANG = 'clang', SANITIZE = '' } = process.env
const COUNTED = '-DCOPSE_COUNT_WORK' // unit tests read the count
const FLAGS = ['-std=c11', '-w', '-ffp-contract=off', '-fno-math-errno', COUNTED]
const PLAIN = { compiler: CC, flags: [...FLAGS, '-O1'] }
const COVERED = { compiler: CC, flags: [...FLAGS, '-O1', '-fno-inline', '--coverage'] }
const SANITIZED = { compiler: CLANG, flags: [...FLAGS, ...SANITIZE.split(' ').filter(Boolean)] }

/**
 * Kinds of mutations: a pattern, and what replaces its first group. If the fourth element is true, the group is
 * a parenthesis, and all up to the closing one is replaced.
 */
const MUTATIONS = [
  [
    'comparison',
    / (<|<=|>|>=|==|!=) /g,
    { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==' },
  ],
  ['logic', / (&&|\|\|) /g, { '&&': '||', '||': '&&' }],
  ['arithmetic', / ([-+*/]) /g, { '+': '-', '-': '+', '*': '/', '/': '*' }],
  ['by one', /(?<![\w.])(\d+)(?=u?[ ;,)\]])/g, (text) => String(Number(text) ^ 1)],
  ['axis', /(\[[01]\]|\.[xy]\b)/g, { '[0]': '[1]', '[1]': '[0]', '.x': '.y', '.y': '.x' }],
  ['negation', /(!)(?=[\w(])/g, { '!': '' }],
  ['epsilon', /(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?f)\b/g, (text) => `(${text} * 1.5f + 1e-3f)`],
  ['jump', /\b(continue|break);/g, { continue: '', break: '' }],
  ['never', /\bif (\()/g, () => '(false)', true],
  ['always', /\bif (\()/g, () => '(true)', true],
  ['statement', /^ +((?:[\w.>[\]()*-]+ (?:[-+*/|&^]|<<|>>)?= |\w+\()[^;{}]*);$/gm, () => ''],
]

// ---- Mutants ----

/** Returns code of the same length, with comments, preprocessor lines and strings blanked. */
const blanked = (code) =>
  code.replace(
    /\/\*[^]*?\*\/|^#(?:[^\n]*\\\n)*[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)'/gm,
    (text) => text.replace(/[^\n]/g, ' '),
  )

/** Returns the index after the parenthesis that closes the one at `begin`. */
function afterClosing(code, begin) {
  let depth = 0
  for (let index = begin; index < code.length; index++) {
    if (code[index] === '(') depth++
    else if (code[index] === ')' && --depth === 0) return index + 1
  }
  return code.length
}

/** Returns all possible mutations of a file. */
function candidatesOf(file) {
  const code = readFileSync(file, 'utf8')
  const bare = blanked(code)
  return MUTATIONS.flatMap(([kind, pattern, becomes, isCondition]) =>
    [...bare.matchAll(pattern)].map((match) => {
      const begin = match.index + match[0].indexOf(match[1])
      const end = isCondition ? afterClosing(bare, begin) : begin + match[1].length
      const instead = typeof becomes === 'function' ? becomes(match[1]) : becomes[match[1]]
      const number = code.slice(0, begin).split('\n').length
      return {
        file,
        kind,
        number,
        line: code.split('\n')[number - 1].trim(),
        was: code.slice(begin, end).replace(/\s+/g, ' '),
        begin,
        end,
        instead,
      }
    }),
  )
}

// ---- Compiling and running ----

const run = promisify(execFile)
const objectName = (source) => source.replaceAll('/', '-').replace(/c$/, 'o')

/** Compiles a source of a tree. Returns the object's path. */
async function compile(source, { compiler, flags }, tree, folder) {
  const object = resolve(folder, objectName(source))
  await run(compiler, [...flags, '-c', source, '-o', object], { cwd: tree })
  return object
}

/**
 * Runs a program until it ends, or until its output shows a failure.
 * @param {string[]} command
 * @param {{ seconds: number, environment?: object, memory?: number | string, isTimed?: boolean,
 *   isWrong?: (text: string) => boolean }} options seconds: of processor time
 * @returns {Promise<{ text: string, end: number | string, seconds: number }>} end: an exit code, a
 *   signal, or 'wrong'; seconds: only if `isTimed`
 */
function output(command, { seconds, environment, memory = MOST_MEMORY, isTimed, isWrong }) {
  const limits = `ulimit -t ${Math.ceil(seconds)} -v ${memory}`
  const script = `${limits}; TIMEFORMAT=%U; ${isTimed ? 'time' : 'exec'} "$@"`
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script, 'bash', ...command], {
      env: { ...process.env, ...environment },
    })
    let text = ''
    let errors = ''
    let isKilled = false
    child.stdout.on('data', (more) => {
      text += more
      if (!isKilled && isWrong?.(text)) isKilled = child.kill('SIGKILL')
    })
    child.stderr.on('data', (more) => (errors += more))
    child.on('close', (code, signal) =>
      resolve({
        text,
        end: isKilled ? 'wrong' : (code ?? signal),
        seconds: Number(errors.trim().split('\n').at(-1)),
      }),
    )
  })
}

// ---- Without mutations ----

const listed = (folder, pattern, recursive = false) =>
  readdirSync(folder, { recursive })
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => `${folder}/${name}`)

const CORE = listed('c', /\.c$/, true)
const HEADERS = listed('c', /\.h$/, true)
const UNIT = [...listed('tests/c/unit', /\.c$/), 'tests/c/brute.c']
const HASHES = readFileSync('tests/data/determinism.txt', 'utf8')
const isNever = () => false
const PROGRAMS = {
  determinism: {
    sources: [...CORE, 'tests/c/determinism.c'],
    isWrong: (text) => !HASHES.startsWith(text.slice(0, text.lastIndexOf('\n') + 1)),
  },
  unit: { sources: [...CORE, ...UNIT], isWrong: (text) => /^FAIL/m.test(text) },
  ...Object.fromEntries(
    targets().map((target) => {
      const sources = [...CORE, `tests/c/fuzz/${target}.c`, 'tests/c/cases.c', 'tests/c/brute.c']
      return [`cases-${target}`, { sources, isWrong: isNever }]
    }),
  ),
}
const SOURCES = [...new Set(Object.values(PROGRAMS).flatMap(({ sources }) => sources))]

/** Everything that can kill a mutant: a program and its arguments. */
const KILLERS = [
  { name: 'determinism', program: 'determinism', args: [] },
  ...unitNouns().map((noun) => ({ name: `unit ${noun}`, program: 'unit', args: [noun] })),
  ...targets().map((target) => ({
    name: `cases ${target}`,
    program: `cases-${target}`,
    args: ['1', String(CASES), ...seedsOf(target)],
  })),
]

/** Returns what a killer reaches: all functions with their lines, and the files that it runs any line of. */
async function reachedFrom(folder) {
  const data = readdirSync(folder).filter((name) => name.endsWith('.gcda'))
  const { stdout } = await run('gcov', ['--json-format', '--stdout', ...data], {
    cwd: folder,
    maxBuffer: 2 ** 28,
  })
  const covered = stdout
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).files)
    .map((each) => ({ ...each, file: normalize(each.file) }))
  const functions = covered.flatMap(({ file, functions }) =>
    functions.map((each) => ({
      file,
      begin: each.start_line,
      end: each.end_line,
      isReached: each.execution_count > 0,
    })),
  )
  const runs = covered.filter(({ lines }) => lines.some(({ count }) => count > 0))
  return { functions, files: [...new Set(runs.map(({ file }) => file))] }
}

/** Measures how long a killer takes, and what it reaches. */
async function measured(killer) {
  const { name, program, args } = killer
  const folder = resolve(FOLDER, 'killers', objectName(name))
  mkdirSync(folder, { recursive: true })
  const { text, end, seconds } = await output([`${FOLDER}/covered/${program}`, ...args], {
    seconds: 3600,
    isTimed: true,
    environment: { ...PARTLY, GCOV_PREFIX: folder, GCOV_PREFIX_STRIP: '99' },
  })
  if (end !== 0 || (program === 'determinism' ? text !== HASHES : /^0 passed/m.test(text)))
    throw new Error(`${name} fails without any mutation:\n${text}`)
  for (const note of listed(`${FOLDER}/covered`, /\.gcno$/))
    cpSync(note, `${folder}/${basename(note)}`)
  return { ...killer, seconds, ...(await reachedFrom(folder)) }
}

/**
 * Compiles everything without mutations. Returns the files that each source depends on, by source, and the
 * killers, the fastest first.
 */
async function prepare() {
  const parts = {}
  const killers = []
  rmSync(FOLDER, { recursive: true, force: true })
  for (const folder of ['plain', 'covered']) mkdirSync(`${FOLDER}/${folder}`, { recursive: true })
  await inTurn(SOURCES, async (source) => {
    await compile(source, PLAIN, '.', `${FOLDER}/plain`)
    await compile(source, COVERED, '.', `${FOLDER}/covered`)
    const { stdout } = await run(CC, [...FLAGS, '-MM', source])
    parts[source] = stdout.match(/[^ \n]+\.[ch]\b/g).map((path) => normalize(path))
  })
  for (const [name, { sources }] of Object.entries(PROGRAMS)) {
    const objects = sources.map((source) => `${FOLDER}/covered/${objectName(source)}`)
    await run(CC, ['--coverage', ...objects, '-lm', '-o', `${FOLDER}/covered/${name}`])
  }
  await inTurn(KILLERS, async (killer) => killers.push(await measured(killer)))
  const isLast = ({ program }) => program !== 'determinism'
  killers.sort((a, b) => isLast(a) - isLast(b) || a.seconds - b.seconds)
  return { parts, killers }
}

// Reuses the preparations of an earlier run if no file is newer.
const PREPARED = `${FOLDER}/prepared.json`
const isPrepared =
  existsSync(PREPARED) &&
  [...HEADERS, ...listed('tests/c', /\.h$/), ...SOURCES, 'tests/tools/mutate.js'].every(
    (file) => statSync(file).mtimeMs < statSync(PREPARED).mtimeMs,
  )
if (!isPrepared) writeFileSync(PREPARED, JSON.stringify(await prepare()))
const { parts, killers } = JSON.parse(readFileSync(PREPARED, 'utf8'))

/**
 * Returns the killers that call the function around a line, the fastest first. If the line is in no function, or
 * in one that is always inlined, returns those that run any line of its file or of a file that includes it; if
 * there are none, all killers.
 */
function killersOf({ file, number }) {
  const around = ({ functions }) =>
    functions.filter((each) => each.file === file && each.begin <= number && number <= each.end)
  if (killers.some((killer) => around(killer).length))
    return killers.filter((killer) => around(killer).some((each) => each.isReached))
  const includes = (source) => source === file || parts[source]?.includes(file)
  const running = killers.filter(({ files }) => files.some(includes))
  return running.length ? running : killers
}

// ---- Mutants that count ----

/** Compiles all sources that a mutation affects. False if nothing changes, or it does not compile. */
async function make(mutant) {
  const { file, begin, end, instead, folder } = mutant
  const code = readFileSync(file, 'utf8')
  const tree = `${folder}/tree`
  mkdirSync(tree, { recursive: true })
  cpSync('c', `${tree}/c`, { recursive: true })
  cpSync('wasm', `${tree}/wasm`, { recursive: true })
  cpSync('tests/c', `${tree}/tests/c`, {
    recursive: true,
    filter: (path) => !path.includes('corpus'),
  })
  writeFileSync(`${tree}/${file}`, code.slice(0, begin) + instead + code.slice(end))
  mutant.changed = []
  try {
    for (const source of SOURCES.filter((source) => parts[source].includes(file))) {
      const object = await compile(source, PLAIN, tree, folder)
      const isSame = readFileSync(object).equals(
        readFileSync(`${FOLDER}/plain/${objectName(source)}`),
      )
      if (!isSame) mutant.changed.push(source)
    }
  } catch {
    mutant.changed = []
  }
  return mutant.changed.length > 0
}

/** Links a program from the changed objects and, for the rest, the others. Returns its path. */
async function link(mutant, program, build, changed, others) {
  const objects = PROGRAMS[program].sources.map((source) =>
    mutant.changed.includes(source) ? `${changed}/${objectName(source)}` : others(source),
  )
  const path = `${changed}/${program}`
  await run(build.compiler, [...build.flags, ...objects, '-lm', '-o', path])
  return path
}

/** True if clang refuses the mutant, or sanitizers report an error in the first seconds of these killers. */
async function sanitizersSee(mutant, reaching) {
  const folder = `${mutant.folder}/sanitized`
  const programs = {}
  mkdirSync(folder)
  try {
    for (const source of mutant.changed)
      await compile(source, SANITIZED, `${mutant.folder}/tree`, folder)
  } catch {
    return true
  }
  for (const program of new Set(reaching.map(({ program }) => program)))
    programs[program] = await link(mutant, program, SANITIZED, folder, (source) =>
      source.replace('tests/c', 'c/tests').replace(/^c\/(.*)c$/, 'build/sanitized/$1o'),
    )
  for (const { program, args } of reaching) {
    const { end } = await output([programs[program], ...args], {
      seconds: SANITIZED_SECONDS,
      memory: 'unlimited',
      environment: { ...PARTLY, ASAN_OPTIONS: 'hard_rss_limit_mb=4000' },
      isWrong: PROGRAMS[program].isWrong,
    })
    if (end !== 0 && end !== 'SIGKILL' && end !== 'SIGXCPU') return true // but not because of the time limit
  }
  return false
}

/** Returns the name of what kills a mutant; undefined if it survives. */
async function killerOf(mutant) {
  const { folder } = mutant
  const reaching = killersOf(mutant)
  const programs = {}
  for (const { name, program, args, seconds } of reaching) {
    programs[program] ??= await link(
      mutant,
      program,
      PLAIN,
      folder,
      (source) => `${FOLDER}/plain/${objectName(source)}`,
    )
    const { isWrong } = PROGRAMS[program]
    const { text, end } = await output([programs[program], ...args], {
      seconds: PATIENCE * seconds + 1,
      environment: PARTLY,
      isWrong,
    })
    if (end !== 0 || (program === 'determinism' && text !== HASHES)) return name
  }
  return (await sanitizersSee(mutant, reaching)) ? 'sanitizers' : undefined
}

const candidates = [...CORE, ...HEADERS.filter((file) => file !== 'c/copse.h')]
  .sort()
  .flatMap(candidatesOf)
const known = JSON.parse(readFileSync('tests/data/survivors.json', 'utf8'))
const isAlike = (mutant) => (each) =>
  ['file', 'line', 'was', 'instead'].every((key) => each[key] === mutant[key])
const describe = ({ file, number, was, instead }) =>
  `${file}:${number}: ${was} → ${instead || '(nothing)'}`

/** Tries the mutants of a seed. Returns those that count. @param {number} seed */
async function tryMutants(seed) {
  const random = createRandom(seed)
  const pool = candidates
    .map((mutant) => ({ mutant, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ mutant }) => ({ ...mutant }))
  // In drawing order, whichever finishes first.
  const tried = []
  const countingOf = () => tried.filter(({ counts }) => counts)
  function* draw() {
    while (tried.length < pool.length && countingOf().length < mutants) yield pool[tried.length]
  }
  await inTurn(draw(), async (mutant) => {
    mutant.folder = resolve(FOLDER, String(tried.push(mutant)))
    mutant.counts = await make(mutant)
    if (mutant.counts) {
      mutant.by = await killerOf(mutant)
      console.log(`${mutant.by ?? 'SURVIVES'}: ${describe(mutant)}`)
    }
    rmSync(mutant.folder, { recursive: true })
  })
  const counting = countingOf().slice(0, mutants)
  const killed = counting.filter(({ by }) => by).length
  console.log(`seed ${seed}: ${killed} of ${counting.length} killed\n`)
  return counting
}

const counting = []
for (const seed of seeds) counting.push(...(await tryMutants(seed)))

// ---- Summary ----

const survivors = counting.filter(({ by }) => !by)
console.log('\nSurvivors:')
for (const mutant of survivors) {
  const reason = known.find(isAlike(mutant))?.reason ?? 'NO REASON KNOWN'
  console.log(`${describe(mutant)}\n    ${mutant.line}\n    ${reason}`)
}
const figures = (title, values, keyOf) =>
  `${title}: ${values
    .map((value) => {
      const alike = counting.filter((mutant) => keyOf(mutant) === value)
      return `${value} ${alike.filter(({ by }) => by).length} of ${alike.length}`
    })
    .join(', ')}`
console.log(
  `\n${figures(
    'Killed by kind',
    MUTATIONS.map(([kind]) => kind),
    ({ kind }) => kind,
  )}`,
)
const steps = [...killers.map(({ name }) => name), 'sanitizers']
const byStep = steps.map((step) => `${step} ${counting.filter(({ by }) => by === step).length}`)
console.log(`By step: ${byStep.join(', ')}`)
const unexplained = survivors.filter((mutant) => !known.some(isAlike(mutant))).length
const share = (counting.length - survivors.length) / counting.length
console.log(
  `${counting.length} mutants, drawn from ${candidates.length} candidates with seeds ${seeds.join(', ')}: ` +
    `${counting.length - survivors.length} killed (${(100 * share).toFixed(1)} %; required: ` +
    `${100 * SHARE} %), ${survivors.length} survive, ${unexplained} of them without a known reason`,
)
process.exitCode = share >= SHARE ? 0 : 1
