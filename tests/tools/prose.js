// Finds phrases that make prose hard to read, and British spellings, in code, comments and docs.

import { readdirSync, readFileSync, statSync } from 'node:fs'

const ROOTS = ['c', 'wasm', 'web', 'tests', '.github', '.ci', 'Makefile', 'package.json']
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
const SKIPPED = /(^|\/)(dist|data|results|figures|node_modules)$|prose\.js$/
const TEXT = /\.([ch]|js|ts|md|html|css|json|yml|txt|cpp)$|(^|\/)(Makefile|run)$/

/** A phrase, and what to write instead. */
const PHRASES = [
  [/(?<!people |visitors |players |readers )\bwho\b/i, 'that, or a noun: only people are who'],
  [/\bwhom\b|\bwhoever\b/i, 'a noun'],
  [/\b(every|any|some|no)body\b/i, 'every agent, any agent, no agent'],
  [/\banswers? with\b/i, 'returns'],
  [/(?<!look )\bat first\b/i, 'Default: …'],
  [/\bheed(s|ed|ing)?\b/i, 'uses, avoids, counts'],
  [/\blikewise\b/i, 'what it does'],
  [/\bin vain\b|\banew\b|\bthereof\b|\btherein\b/i, 'again, from scratch, or nothing'],
  [/\b(unless|is|are|was) told\b|\btold otherwise\b/i, 'given, set, passed'],
  [/\bnot sure:/i, 'If in doubt, …'],
  [/\bthe most (agents|items|points|boxes|ids|neighbors)\b/i, 'the maximum number of …'],
  [/(^|[.:;] +|\* +)Of (?!course)/, 'the noun first'],
  [/\b(neighbour|colour|behaviour|favour|honour|centre|metre|grey|licence|defence)/i, 'American'],
  [/\b(catalogue|cancelled|travelled|labelled|modelled|whilst)\b/i, 'American'],
  [
    /\b\w*(optim|normal|initial|quant|serial|visual|recogn|organ|minim|maxim)is(e|ed|es|ing)\b/i,
    '-ize',
  ],
]

/** @returns {string[]} */
const filesIn = (path) => {
  if (SKIPPED.test(path)) return []
  if (!statSync(path).isDirectory()) return TEXT.test(path) ? [path] : []
  return readdirSync(path).flatMap((name) => filesIn(`${path}/${name}`))
}

const files = [...ROOTS.flatMap(filesIn), ...PAGES]
let hits = 0
for (const file of files)
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries())
    for (const [phrase, better] of PHRASES) {
      const [match] = phrase.exec(line) ?? []
      if (match === undefined) continue
      console.error(`${file}:${i + 1}: '${match.trim()}': write ${better}`)
      hits++
    }

if (files.length < 100) throw Error(`read ${files.length} files only`)
if (hits) process.exit(1)
