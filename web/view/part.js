// Chooses the part of a scene's source that uses copse.

/** How such a part begins, the most telling first. It ends where a line as far left closes its brace. */
const BEGINNINGS = [
  /= connectWorld\(/,
  /^runWorld\(/,
  /= createSwap\(/,
  /^ {4}function step\(/,
  /^ {6}frame\(/,
]

/** The files that hold this part, for scenes whose own file does not. */
const FILES = { doorway: ['doorway/connect.js', 'doorway/worker.js'] }

/** Returns the files that hold the part of a scene, in scenes/. */
export const filesOf = (scene) => FILES[scene] ?? [`${scene}.js`]

/** Returns the imports from copse, and the lines that move, build and query. */
export function partOf(source) {
  const lines = source.split('\n')
  const first = BEGINNINGS.map((begins) => lines.findIndex((line) => begins.test(line))).find(
    (line) => line >= 0,
  )
  const [indent] = lines[first].match(/^ */)
  const length = lines.slice(first).findIndex((line) => line.startsWith(`${indent}}`)) + 1
  const part = lines.slice(first, first + length).map((line) => line.slice(indent.length))
  const imports = lines.filter((line) => / from 'copse(\/worker)?'$/.test(line))
  return [...imports, ...(imports.length ? [''] : []), ...part, ''].join('\n')
}
