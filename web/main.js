// The shell of the demo: starts the library, opens scenes by the address, runs the frame loop.
// While the address names no scene, a card tells what the library is, over one that moves.
//
// For tests, window.copseDemo tells (live, read only):
//   ready    the library has started and a scene runs
//   scene    name of the scene that is shown; scenes: the names of all
//   frame    frames drawn since the page opened
//   hits     items lit in the last frame
//   results  what a scene compares: [{ name, total, equal }, …], total in ms; empty in most scenes
//   paused   the simulation stands still (frames are still drawn)
//   errors   messages of everything that went wrong, empty if all is well
// The mark `first frame` on the page's timeline is when the first one was drawn.

import { init } from 'copse'
import { scenes } from './scenes.js'
import { applyAddress, readAddress, writeAddress } from './view/address.js'
import { createChart } from './view/chart.js'
import { formatNumber, formatTime } from './view/format.js'
import { createKeyboard } from './view/keyboard.js'
import { createMeter } from './view/meter.js'
import { createOverview } from './view/overview.js'
import { FRAME } from './view/pace.js'
import { createPanel } from './view/panel.js'
import { createSource } from './view/source.js'
import { createStage } from './view/stage.js'
import { watchTheme } from './view/theme.js'

const byId = (id) => document.getElementById(id)
const LANDING = 'flock' // the scene behind the card
const MAX_STEP = 1 / 20 // seconds: after a hitch or in a hidden tab time stands still, nothing jumps
const REPORTS = 5 // a second: numbers that change faster can't be read
const CHARTS = 10
const ADDRESSES = 2 // browsers refuse to change the address all the time

const panel = createPanel()
const chart = createChart(byId('chart'))
const source = createSource(byId('source'))
const overview = createOverview(byId('overview'), scenes)
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
const errors = []

let stage = null
let scene = null
let running = null // what the scene's setup returned
let gui = null // its controls
let keys = null // those that are held
let meter = null // of the scene's times
let address = null // that was last read or written
let frame = 0
let paused = false
let single = false // one frame is due although it is paused
let lastTime = 0
let nextReport = 0
let nextChart = 0
let nextAddress = 0

const KEYS = [
  { keys: [' '], does: 'Pause, or go on', press: () => pause(!paused), name: 'Space', at: 'pause' },
  { keys: ['.'], does: 'One single frame', press: step, repeats: true, at: 'step' },
  { keys: ['r'], does: 'Start the scene anew', press: restart, at: 'restart' },
  {
    keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
    does: 'Move the pointer',
    name: 'Arrow keys',
  },
  { keys: ['Enter'], does: 'Click at the pointer', press: () => running?.press?.() },
  {
    keys: ['+', '=', '-'],
    does: 'What the wheel and a pinch do',
    press: (key) => running?.scroll?.(key === '-' ? -1 : 1),
    repeats: true,
    name: '+ and -',
  },
  {
    keys: ['[', 'PageUp'],
    does: 'Previous scene',
    press: () => visit(neighbor(-1)),
    name: '[ or Page up',
    at: 'previous',
  },
  {
    keys: [']', 'PageDown'],
    does: 'Next scene',
    press: () => visit(neighbor(1)),
    name: '] or Page down',
    at: 'next',
  },
  {
    keys: [...'123456789'],
    does: 'One of the first scenes',
    press: (digit) => visit(scenes[digit - 1]),
    name: '1 … 9',
  },
  { keys: ['l'], does: 'All scenes', press: showOverview, at: 'scene' },
  { keys: ['p'], does: 'Numbers and controls', press: togglePanel, at: 'toggle' },
  { keys: ['v'], does: 'View the source', press: () => showSource(!source.isOpen), at: 'view' },
  { keys: ['?'], does: 'These keys', press: () => byId('keys').showModal(), at: 'help-keys' },
  { keys: ['Escape'], does: 'Close what is open', press: dismiss },
]

const isLanding = () => document.body.classList.contains('landing')

// Shows what the address says.
function follow() {
  const read = readAddress(location.hash)
  const named = scenes.find(({ name }) => name === read.scene)
  const next = named ?? scenes.find(({ name }) => name === LANDING)
  address = location.hash
  welcome(!named)
  if (next !== scene) {
    close()
    open(next, read)
  } else applyAddress(read, scene, gui.controllersRecursive())
  if (read.paused) pause(true)
}

// The card, which has the page for itself, and a stage.
function welcome(yes) {
  if (yes === isLanding()) return
  document.body.classList.toggle('landing', yes)
  panel.open(!yes)
}

/** Opens a scene as an address that was read says, without one with the params that it has. */
function open(next, read) {
  byId('message').hidden = true
  scene = next
  stage = createStage(byId('stage'), {
    label: `${scene.title}: ${scene.description}`,
    scroll: (steps) => running?.scroll?.(steps),
    press: () => running?.press?.(),
    refresh: panel.refresh,
  })
  document.title = `${scene.title} · copse`
  byId('scene').textContent = scene.title
  byId('explore').href = `#scene=${scene.name}`
  byId('previous').href = `#scene=${neighbor(-1).name}`
  byId('next').href = `#scene=${neighbor(1).name}`
  source.follow(scene.name)
  gui = panel.start(scene, (field) => running?.change?.(field))
  if (read) applyAddress(read, scene, gui.controllersRecursive())
  running = scene.setup(stage, scene.params)
  if (document.activeElement === byId('scene')) stage.canvas.focus() // it was chosen from the list
  meter = createMeter()
  chart.clear()
  nextReport = 0
}

function close() {
  if (!scene) return
  panel.stop()
  running?.dispose()
  stage.dispose()
  scene = stage = running = gui = null
}

function restart() {
  if (!scene) return
  const same = scene
  const hadFocus = document.activeElement === stage.canvas
  guard('The scene could not start', () => {
    close()
    open(same)
    if (hadFocus) stage.canvas.focus()
  })
}

// A link to what is shown is always there. An address that has just changed is followed first.
function keepAddress() {
  if (isLanding() || location.hash !== address) return
  const written = writeAddress(scene, paused && !lessMotion)
  if (written === address) return
  history.replaceState(null, '', written)
  address = location.hash
}

// On the card: only what is measured here and now.
function tellTimes() {
  const { build, query } = meter.mean
  if (!build) return // nothing is measured yet
  const agents = `${formatNumber(scene.params[scene.count])} agents, indexed in ${formatTime(build)}`
  const queries = `all queries answered in ${formatTime(query)}`
  byId('live').textContent = `Here, in every frame: ${agents}, ${queries}.`
}

const neighbor = (step) => scenes.at((scenes.indexOf(scene) + step) % scenes.length)

function visit(next) {
  if (next) location.hash = `scene=${next.name}`
}

function tick(now) {
  const elapsed = Math.min((now - lastTime) / 1000, MAX_STEP)
  const dt = !paused ? elapsed : single ? FRAME : 0
  lastTime = now
  single = false

  const { width, height, pointer } = stage
  if (stage.fit()) {
    const [x, y] = [stage.width / width, stage.height / height]
    pointer.x *= x
    pointer.y *= y
    running.resize?.(x, y)
  }
  pointer.update(
    elapsed,
    keys.has('ArrowRight') - keys.has('ArrowLeft'),
    keys.has('ArrowDown') - keys.has('ArrowUp'),
    dt > 0,
  )

  meter.start()
  running.frame(dt, meter.lap)
  meter.lap()
  stage.clear()
  running.draw()
  meter.lap('draw')
  frame++
  if (frame === 1) performance.mark('first frame')

  chart.add(now / 1000, meter.ms)
  if (now >= nextReport) {
    nextReport = now + 1000 / REPORTS
    panel.show(running.report(meter.mean))
    if (isLanding() && !paused) tellTimes()
  }
  if (now >= nextAddress) {
    nextAddress = now + 1000 / ADDRESSES
    keepAddress()
  }
  if (now >= nextChart) {
    nextChart = now + 1000 / CHARTS
    chart.show()
  }
}

function loop(now) {
  requestAnimationFrame(loop)
  if (running) guard('The scene has stopped', () => tick(now))
}

// A scene that fails is closed; another one can still be opened.
function guard(what, task) {
  try {
    task()
  } catch (error) {
    fail(what, error)
    close()
  }
}

function pause(yes) {
  paused = yes
  byId('pause').textContent = yes ? 'Play' : 'Pause'
  byId('still').hidden = !(yes && lessMotion)
}

function step() {
  pause(true)
  single = true
}

function showOverview() {
  overview.open(isLanding() ? '' : scene?.name)
}

// The source lies over the panel.
function togglePanel() {
  if (!source.isOpen) return panel.toggle()
  showSource(false)
  panel.toggle(true)
}

function showSource(yes) {
  source.open(yes)
  byId('view').setAttribute('aria-expanded', yes)
  if (yes) byId('source').querySelector('pre').focus()
}

function dismiss() {
  if (source.isOpen) showSource(false)
  else if (isLanding()) visit(scene)
}

function fail(what, error) {
  errors.push(String(error?.stack ?? error))
  console.error(error)
  const message = byId('message')
  message.hidden = false
  message.textContent = `${what}: ${error?.message ?? error}`
}

function listen() {
  keys = createKeyboard(KEYS, byId('key-list'))
  byId('all').addEventListener('click', showOverview)
  byId('look').addEventListener('click', () => showSource(true))
  byId('source')
    .querySelector('.close')
    .addEventListener('click', () => showSource(false))
  addEventListener('hashchange', () => guard('The scene could not start', follow))
}

async function start() {
  window.copseDemo = Object.freeze({
    get ready() {
      return running !== null
    },
    get scene() {
      return scene?.name ?? ''
    },
    get scenes() {
      return scenes.map(({ name }) => name)
    },
    get frame() {
      return frame
    },
    get hits() {
      return running?.hits() ?? 0
    },
    get results() {
      return running?.results?.() ?? []
    },
    get paused() {
      return paused
    },
    get errors() {
      return [...errors]
    },
  })
  addEventListener('error', (event) => errors.push(event.message))
  addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)))

  watchTheme(() => {
    chart.redraw()
    panel.redraw()
  })
  if (typeof WebAssembly !== 'object') {
    document.body.className = 'failed'
    fail('This demo needs WebAssembly', new Error('this browser has none, or has it switched off'))
    return
  }
  try {
    await init()
  } catch (error) {
    document.body.className = 'failed'
    fail('The library could not start', error)
    return
  }

  pause(lessMotion)
  guard('The scene could not start', follow)
  listen()
  requestAnimationFrame((now) => {
    lastTime = now
    loop(now)
  })
}

start()
