// Counts the instructions of the hot loops in C, of this commit and of another one, with callgrind: the counts of a
// program repeat, whatever else the machine does.
//
//   node tests/bench/instructions.js OWN_PROGRAM BASE_PROGRAM [word]
//
// The programs are native/instructions.c, each with the library of its commit. With a word, only loops whose names
// contain it. Prints instructions for each agent, query or cell, and the ratio, the largest first.

import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { inTurn } from '../tools/commands.js'

const run = promisify(execFile)
const CALLGRIND = [
  ...['--tool=callgrind', '--callgrind-out-file=/dev/null'],
  ...['--collect-atstart=no', '--toggle-collect=measured'],
]

const [own, base, word = ''] = process.argv.slice(2)

/** Returns the instructions for each item of a loop. @param {string} program @param {string} loop */
async function instructions(program, loop) {
  const { stdout, stderr } = await run('valgrind', [...CALLGRIND, program, loop])
  const [, collected] = /Collected : (\d+)/.exec(stderr) ?? []
  const items = Number(stdout)
  if (!(Number(collected) > 0 && items > 0)) throw new Error(`${program}, ${loop}: ${stderr}`)
  return Number(collected) / items
}

const loopsOf = (/** @type {string} */ program) =>
  execFileSync(program, { encoding: 'utf8' }).trim().split('\n')
const inBase = loopsOf(base)
const loops = loopsOf(own).filter((loop) => inBase.includes(loop) && loop.includes(word))
/** @type {{ loop: string, before: number, after: number }[]} */
const rows = []
await inTurn(loops, async (loop) => {
  const [before, after] = [await instructions(base, loop), await instructions(own, loop)]
  rows.push({ loop, before, after })
})
rows.sort((a, b) => b.after / b.before - a.after / a.before)
const row = (/** @type {string[]} */ [name, ...cells]) =>
  console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(10)).join(''))
row(['instructions', 'before', 'after', 'ratio'])
for (const { loop, before, after } of rows)
  row([loop, before.toFixed(1), after.toFixed(1), (after / before).toFixed(3)])
if (!rows.length) throw new Error(`no loop contains ${word}`)
