// The file of the scene, beside it.

const files = import.meta.glob('../scenes/*.js', { query: '?raw', import: 'default' })

export function createSource(side) {
  const name = side.querySelector('h2')
  const code = side.querySelector('code')
  const copy = side.querySelector('.copy')
  let shown = '' // the scene that it is of

  copy.hidden = !navigator.clipboard // there is none on a page without TLS
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    copy.textContent = 'Copied'
  })

  async function load() {
    const file = `../scenes/${shown}.js`
    const wanted = shown
    name.textContent = `scenes/${shown}.js`
    code.textContent = ''
    copy.textContent = 'Copy'
    const text = await files[file]()
    if (shown !== wanted) return // another scene has come
    code.append(...text.split(/(?<=\n)/).map(lineOf))
    code.parentElement.scrollTop = 0
  }

  return {
    get isOpen() {
      return !side.hidden
    },
    open(yes) {
      side.hidden = !yes
      if (yes && code.textContent === '' && shown) load()
    },
    /** Which scene is shown. */
    follow(scene) {
      if (shown === scene) return
      shown = scene
      code.textContent = ''
      if (!side.hidden) load()
    },
  }
}

// Comments are fainter; that is all there is of colors.
function lineOf(line) {
  if (!/^\s*(\/\/|\/\*\*|\*)/.test(line)) return line
  const comment = document.createElement('i')
  comment.textContent = line
  return comment
}
