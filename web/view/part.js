// Chooses the part of a scene's source that uses copse: what follows the marks `// copse:` in it. Such a
// part ends before an empty line, or a line farther left than the mark.

const MARK = /^( *)\/\/ copse:$/

/** How the part of a file without marks begins. It ends where a line as far left closes its brace. */
const BEGINNINGS = [/= connectWorld\(/, /^runWorld\(/]

const SWAP = 'view/swap.js'
const THREADS = 'view/threads.js'

/** The files that hold this part, in web/, for scenes whose own file does not hold all of it. */
const FILES = {
  blocks: ['scenes/blocks.js', SWAP],
  circle: ['scenes/circle.js', SWAP, THREADS],
  doorway: ['scenes/doorway/connect.js', 'scenes/doorway/worker.js', THREADS],
  flock: ['scenes/flock.js', THREADS],
  race: ['peers/peers.js', 'scenes/race.js', THREADS],
  spheres: ['scenes/spheres.js', SWAP],
}

/** Returns the files that hold the part of a scene, in web/. */
export const filesOf = (scene) => FILES[scene] ?? [`scenes/${scene}.js`]

/** Returns the imports from copse, and the lines that create, build, step and query. */
export function partOf(source) {
  const lines = source.split('\n')
  const imports = lines.filter((line) => / from 'copse(\/worker)?'$/.test(line))
  const parts = lines.flatMap((line, i) => (MARK.test(line) ? [markedFrom(lines, i)] : []))
  if (parts.length === 0) parts.push(bracedFrom(lines))
  return [...(imports.length ? [imports] : []), ...parts]
    .map((part) => `${part.join('\n')}\n`)
    .join('\n')
}

function markedFrom(lines, mark) {
  const [, indent] = lines[mark].match(MARK)
  const rest = lines.slice(mark + 1)
  const length = rest.findIndex((line) => !line.trim() || !line.startsWith(indent))
  return rest.slice(0, length).map((line) => line.slice(indent.length))
}

function bracedFrom(lines) {
  const first = lines.findIndex((line) => BEGINNINGS.some((begins) => begins.test(line)))
  const [indent] = lines[first].match(/^ */)
  const length = lines.slice(first).findIndex((line) => line.startsWith(`${indent}}`)) + 1
  return lines.slice(first, first + length).map((line) => line.slice(indent.length))
}
