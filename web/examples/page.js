// Shared by all pages of the examples: the header with links, and the sources below the text. On the overview
// page: the list of examples.

import icon from '../icon.svg'

const examples = {
  three: [
    'three.js',
    'A thousand drones fly among 20,000 rocks without touching. Only what the camera sees is drawn.',
  ],
  pixi: [
    'PixiJS',
    'Five thousand particles: those near the pointer light up, and the nearest gets a ring.',
  ],
  phaser: ['Phaser', 'A player among walls, chased by every agent with a line of sight.'],
  bitecs: ['bitECS', 'An entity component system whose component arrays are the library’s memory.'],
  heroes: [
    'recast-navigation',
    'A navigation mesh finds a way for each hero, and a flow field leads the horde around them.',
  ],
  worker: [
    'Worker',
    'Ten thousand agents in a worker. The page’s thread only draws, without special headers.',
  ],
  server: ['Game server', 'A Node server and two clients in lockstep, verified by hashes.'],
}
const load = import.meta.glob('./*/*.js', { query: '?raw', import: 'default' })
const files = Object.keys(load).sort()
const { example } = document.body.dataset // undefined on the overview page
const root = example ? '../' : './'

/** @param {string} tag @param {object} properties @param {(Node | string)[]} children */
function create(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const link = (href, ...children) => create('a', { href }, ...children)

const places = Object.entries(examples).map(([folder, [title]]) => {
  const place = link(`${root}${folder}/`, title)
  if (folder === example) place.ariaCurrent = 'page'
  return create('li', {}, place)
})
document.body.prepend(
  create(
    'header',
    {},
    create('h1', {}, link(root, create('img', { src: icon, alt: '' }), 'copse')),
    create('nav', { ariaLabel: 'Examples' }, create('ul', {}, ...places)),
    create(
      'nav',
      { className: 'actions', ariaLabel: 'Site' },
      link(`${root}../`, 'Demo'),
      link(`${root}../docs/`, 'Docs'),
    ),
  ),
)
document.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest' })

document.querySelector('#examples')?.append(
  ...Object.entries(examples).map(([folder, [title, text]]) => {
    const name = Object.assign(link(`./${folder}/`, title), { className: 'title' })
    return create('li', {}, name, create('p', {}, text), link(`./${folder}/#source`, 'Source'))
  }),
)

for (const file of files.filter((file) => file.startsWith(`./${example}/`))) {
  const code = create('code', {})
  const details = create('details', {}, create('summary', {}, file.split('/').at(-1)))
  details.append(create('pre', {}, code))
  details.ontoggle = async () => (code.textContent ||= await load[file]())
  details.open = location.hash === '#source' && file.endsWith('/main.js')
  document.querySelector('#panel').append(details)
}
