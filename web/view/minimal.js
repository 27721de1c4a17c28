// The page that ?minimal in the address shows instead of a scene: the programs of docs/recipes.md that belong
// to the scene, to copy into an empty folder. Without a scene: all of them.

import page from '../docs/recipes.md?raw'
import { readAddress } from './address.js'
import { readRecipes } from './recipes.js'
import { enableCopy, showCode } from './source.js'

const recipes = readRecipes(page)
const recipeOf = (anchor) => recipes.find(({ name }) => name === anchor)

/** @param {string} tag @param {(Node | string)[]} children */
function create(tag, ...children) {
  const element = document.createElement(tag)
  element.append(...children)
  return element
}

const link = (href, text) => Object.assign(create('a', text), { href })

/** Returns Markdown as elements: every second part between backticks is code. */
const format = (text) =>
  text.split('`').map((part, i) => (i % 2 === 1 ? create('code', part) : part))

/** Returns a block of code. It has a tab stop, since it may scroll. */
const block = (code) => Object.assign(create('pre', code), { tabIndex: 0 })

function sectionOf({ title, text, code, output }) {
  const shown = create('code')
  showCode(shown, code)
  const copy = Object.assign(create('button', 'Copy'), { type: 'button' })
  enableCopy(copy, shown)
  const bar = create('div', create('h3', title), copy)
  bar.className = 'bar'
  return create(
    'section',
    bar,
    create('p', ...format(text)),
    block(shown),
    'Prints:',
    block(create('code', output)),
  )
}

/** Shows the page in place of the scene, and follows the address. */
export function showMinimal(main, scenes) {
  document.body.className = 'minimal'
  main.id = 'minimal'
  document.querySelector('h1 a').href = './'
  for (const part of document.querySelectorAll('nav, .actions, aside')) part.remove()
  const install = document.getElementById('install') // of the first screen, which is hidden
  install.removeAttribute('id')

  function show() {
    const named = readAddress(location.hash).scene
    const scene = scenes.find(({ name, minimal }) => name === named && minimal)
    const plural = scene?.minimal.length === 1 ? '' : 's'
    const title = scene ? `${scene.title}: minimal program${plural}` : 'Minimal programs'
    const links = create('p', link('docs/documents/recipes.html', 'All recipes'))
    if (scene) links.prepend(link(`./#scene=${scene.name}`, 'Back to the scene'))
    links.className = 'links'
    const how =
      'To run a program, install copse in an empty folder, save the program there as `main.mjs`, and run `node main.mjs`.'
    const shown = scene ? scene.minimal.map(recipeOf) : recipes
    document.title = `${title} · copse`
    main.replaceChildren(
      create('h2', title),
      create('p', ...format(how)),
      install,
      links,
      ...shown.map(sectionOf),
    )
    main.scrollTop = 0
  }

  addEventListener('hashchange', show)
  show()
}
