// Shows the source file of the scene beside the stage, after the part of it that uses copse.

import { filesOf, partOf } from './part.js'

const files = import.meta.glob(
  [
    '/scenes/*.js',
    '/scenes/doorway/{connect,worker}.js', // see part.js
    '/view/{swap,threads}.js',
    '/peers/peers.js',
  ],
  { query: '?raw', import: 'default' },
)
const read = (file) => files[`/${file}`]()

async function readPart(scene) {
  const names = filesOf(scene)
  const parts = (await Promise.all(names.map(read))).map(partOf)
  return names.length === 1
    ? parts[0]
    : parts.map((part, i) => `// ${names[i]}\n${part}`).join('\n')
}

export function createSource(side) {
  const name = side.querySelector('h2')
  const part = side.querySelector('.part code')
  const code = side.querySelector('.file code')
  const copy = side.querySelector('.copy')
  let shown = '' // name of the scene whose source is shown

  enableCopy(copy, code)

  async function load() {
    const wanted = shown
    name.textContent = `scenes/${shown}.js`
    part.textContent = code.textContent = ''
    copy.textContent = 'Copy'
    const [text, used, { highlight }] = await Promise.all([
      read(`scenes/${shown}.js`),
      readPart(shown),
      import('sugar-high'),
    ])
    if (shown !== wanted) return // another scene was opened meanwhile
    part.innerHTML = highlight(used)
    code.innerHTML = highlight(text)
    code.parentElement.scrollTop = 0
  }

  return {
    get isOpen() {
      return !side.hidden
    },
    open(visible) {
      side.hidden = !visible
      if (visible && code.textContent === '' && shown) load()
    },
    /** Sets the scene whose source is shown. */
    follow(scene) {
      if (shown === scene) return
      shown = scene
      code.textContent = ''
      if (!side.hidden) load()
    },
  }
}

/** Makes a button copy the text of an element. Hides the button if the page has no clipboard: without TLS. */
export function enableCopy(button, code) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
  })
}

/** Shows a program in an element. */
export function showCode(code, text) {
  code.replaceChildren(...text.split(/(?<=\n)/).map(lineOf))
}

// Returns a line as a text, or in an element if it is a comment: comments are gray.
function lineOf(line) {
  if (!/^\s*(\/\/|\/\*\*|\*)/.test(line)) return line
  const comment = document.createElement('i')
  comment.textContent = line
  return comment
}
