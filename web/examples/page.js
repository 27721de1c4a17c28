// The frame of all pages of the examples, which vite.config.js adds to them: the header with links, a button that
// pauses, keys for the pointer, and the sources below the text. On the overview page: the list of examples.

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
    'A navigation mesh finds a path for each hero, and a flow field leads the horde around them.',
  ],
  worker: [
    'Worker',
    'Ten thousand agents in a worker. The page’s thread only draws, without special headers.',
  ],
  server: ['Game server', 'A Node server and two clients in lockstep, verified by hashes.'],
}
/** Examples that know only a pointer. The others have keys of their own. */
const POINTED = ['bitecs', 'heroes', 'pixi', 'server']
const STEP = 16 // CSS pixels that an arrow key moves the pointer
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
const STILL = 10 // frames until a still picture is complete

const load = import.meta.glob(['./*/*.js', '!./zones/*.js'], { query: '?raw', import: 'default' })
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

/** Creates a button that holds back all frames. Default: they are held back if the visitor prefers less motion. */
function createPause() {
  const button = create('button', { type: 'button' })
  const request = window.requestAnimationFrame.bind(window)
  let waiting = []
  let left = Infinity // frames that may be drawn

  window.requestAnimationFrame = (callback) =>
    request((now) => {
      if (left === 0) return void waiting.push(callback)
      left--
      callback(now)
    })

  function play(frames) {
    left = frames
    button.textContent = frames === Infinity ? 'Pause' : 'Play'
    for (const callback of waiting.splice(0)) requestAnimationFrame(callback)
  }
  button.onclick = () => play(left === Infinity ? 0 : Infinity)
  addEventListener('resize', () => left === Infinity || play(STILL))
  play(matchMedia('(prefers-reduced-motion: reduce)').matches ? STILL : Infinity)
  return button
}

/** Adds a pointer to the stage that keys move and press. It shows while it has the focus. */
function addPointer(stage) {
  const pointer = create('div', {
    ...{ className: 'pointer', tabIndex: 0, role: 'application' },
    ariaLabel: 'Pointer: arrow keys move it, Enter presses',
  })
  stage.append(pointer)
  pointer.onkeydown = (event) => {
    const direction = ARROWS[event.key]
    if (!direction && event.key !== 'Enter') return
    event.preventDefault()
    if (direction) {
      const { offsetLeft, offsetTop } = pointer
      const [x, y] = [offsetLeft + STEP * direction[0], offsetTop + STEP * direction[1]]
      pointer.style.left = `${Math.min(Math.max(x, 0), stage.clientWidth - 1)}px`
      pointer.style.top = `${Math.min(Math.max(y, 0), stage.clientHeight - 1)}px`
    }
    const { left, top } = stage.getBoundingClientRect()
    const [clientX, clientY] = [left + pointer.offsetLeft, top + pointer.offsetTop]
    const target = document.elementFromPoint(clientX, clientY)
    for (const type of direction ? ['pointermove'] : ['pointerdown', 'pointerup'])
      target?.dispatchEvent(new PointerEvent(type, { clientX, clientY, bubbles: true }))
  }
}

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
      ...(example ? [createPause()] : []),
      link(`${root}../`, 'Demo'),
      link(`${root}../docs/`, 'Docs'),
    ),
  ),
)
if (POINTED.includes(example)) addPointer(document.querySelector('#stage'))
document.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

document.querySelector('#examples')?.append(
  ...Object.entries(examples).map(([folder, [title, text]]) => {
    const name = Object.assign(link(`./${folder}/`, title), { className: 'title' })
    return create('li', {}, name, create('p', {}, text), link(`./${folder}/#source`, 'Source'))
  }),
)

for (const file of files.filter((file) => file.startsWith(`./${example}/`))) {
  const code = create('code', {})
  const details = create('details', {}, create('summary', {}, file.split('/').at(-1)))
  details.append(create('pre', { tabIndex: 0 }, code))
  details.ontoggle = async () => (code.textContent ||= await load[file]())
  details.open = location.hash === '#source' && file.endsWith('/main.js')
  document.querySelector('#panel').append(details)
}
