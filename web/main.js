// The shell of the demo: starts the library, opens the scene that the address names, and runs the
// frame loop. If the address names no scene, the first screen introduces the library beside a running scene, above the
// gallery. With ?minimal in the address, a page with short programs is shown instead.
//
// Tests read the live state from window.copseDemo:
//   ready    true once the library has started and a scene runs
//   scene    name of the open scene
//   scenes   names of all scenes
//   frame    frames drawn since the page opened
//   hits     items lit in the last frame
//   results  comparisons of the scene: [{ name, total, equal }, …], total in ms; often empty
//   paused   true while the simulation is paused (frames are still drawn)
//   errors   messages of all errors so far
// The performance mark `first frame` is set when the first frame has been drawn.

import { init } from 'copse'
import { scenes } from './scenes.js'
import { applyAddress, readAddress, writeAddress } from './view/address.js'
import { createChart } from './view/chart.js'
import { formatNumber, formatTime } from './view/format.js'
import { createKeyboard } from './view/keyboard.js'
import { showLegend } from './view/legend.js'
import { createMeter } from './view/meter.js'
import { createOverview } from './view/overview.js'
import { FRAME } from './view/pace.js'
import { createPanel } from './view/panel.js'
import { createSource, enableCopy } from './view/source.js'
import { createStage } from './view/stage.js'
import { watchTheme } from './view/theme.js'

const byId = (id) => document.getElementById(id)
const LANDING = 'doorway' // the scene of the first screen
const TITLE = document.title
const MAX_STEP = 1 / 20 // seconds: caps the time step after a hitch or in a hidden tab
const REPORTS = 5 // per second: faster numbers are unreadable
const CHARTS = 5 // per second
const ADDRESSES = 2 // per second: browsers limit how often the address may change

const panel = createPanel()
const chart = createChart(byId('chart'))
const source = createSource(byId('source'))
const overview = createOverview(byId('overview'), byId('gallery'), scenes)
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
const errors = []

let landing // true while the first screen is shown
let stage = null
let scene = null
let running = null // the object that scene.setup returned
let gui = null // the scene's controls
let keys = null // keys that are held down
let meter = null // times the parts of each frame
let address = null // last address read or written
let frame = 0
let paused = false
let single = false // true: advance one frame while paused
let lastTime = 0
let nextReport = 0
let nextChart = 0
let nextAddress = 0
let isMeasured = false // the yardstick

const KEYS = [
  {
    keys: [' '],
    does: 'Pause or resume',
    press: () => pause(!paused),
    name: 'Space',
    button: 'pause',
  },
  { keys: ['.'], does: 'Advance one frame', press: step, repeats: true, button: 'step' },
  { keys: ['r'], does: 'Restart the scene', press: restart, button: 'restart' },
  {
    keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
    does: 'Move the pointer',
    name: 'Arrow keys',
  },
  { keys: ['Enter'], does: 'Click at the pointer', press: () => running?.press?.() },
  {
    keys: ['+', '=', '-'],
    does: 'Same as wheel or pinch',
    press: (key) => running?.scroll?.(key === '-' ? -1 : 1),
    repeats: true,
    name: '+ and -',
  },
  {
    keys: ['[', 'PageUp'],
    does: 'Previous scene',
    press: () => visit(neighbor(-1)),
    name: '[ or Page up',
    button: 'previous',
  },
  {
    keys: [']', 'PageDown'],
    does: 'Next scene',
    press: () => visit(neighbor(1)),
    name: '] or Page down',
    button: 'next',
  },
  {
    keys: [...'123456789'],
    does: 'Open one of the first nine scenes',
    press: (digit) => visit(scenes[digit - 1]),
    name: '1 … 9',
  },
  { keys: ['l'], does: 'List of scenes', press: showOverview, button: 'scene' },
  { keys: ['p'], does: 'Show or hide the panel', press: togglePanel, button: 'toggle' },
  {
    keys: ['v'],
    does: 'Show or hide the source',
    press: () => showSource(!source.isOpen),
    button: 'view',
  },
  {
    keys: ['?'],
    does: 'Keyboard shortcuts',
    press: () => byId('keys').showModal(),
    button: 'help-keys',
  },
  { keys: ['Escape'], does: 'Close the source, or leave the first screen', press: dismiss },
]

const isLanding = () => landing === true
const titleOf = ({ title }) => (isLanding() ? TITLE : `${title} · copse`)

// Opens the scene and settings in the address.
function openAddress() {
  const read = readAddress(location.hash)
  const named = scenes.find(({ name }) => name === read.scene)
  const next = named ?? scenes.find(({ name }) => name === LANDING)
  address = location.hash
  showLanding(!named)
  showUnknown(named ? undefined : read.scene)
  if (next !== scene) {
    if (scene && !lessMotion) pause(false) // a scene that stands still looks broken
    close()
    open(next, read)
  } else {
    applyAddress(read, scene, gui.controllersRecursive())
    document.title = titleOf(scene)
  }
  if (read.paused) pause(true)
}

// Shows or hides the first screen. It has its own panel of numbers.
function showLanding(visible) {
  if (visible === landing) return
  landing = visible
  document.body.classList.toggle('landing', visible)
  panel.open(!visible)
  overview.place(visible)
  if (visible) showYardstick()
  else scrollTo(0, 0)
}

function showUnknown(name) {
  const message = byId('unknown')
  message.hidden = !name
  message.textContent = name ? `There is no scene “${name}”. All scenes are below.` : ''
}

// Measures once, while the scene runs.
async function showYardstick() {
  if (isMeasured) return
  isMeasured = true
  const { measure } = await import('./view/yardstick.js')
  const { units, copse, rbush, equal } = await measure()
  const time = (ms) => formatTime(ms).replace(' ', '\u00a0')
  const verdict = equal ? 'equal\u00a0✓' : 'results differ'
  byId('yardstick').textContent =
    `${formatNumber(units)} units, all neighbors: AgentTree ${time(copse)}, rbush ${time(rbush)} (${verdict})`
}

/** Opens a scene, with the settings of the parsed address `read`, or else with its current ones. */
function open(next, read) {
  byId('message').hidden = true
  scene = next
  showLegend(byId('legend').firstElementChild, scene.legend) // first, since it takes room from the stage
  stage = createStage(byId('stage'), {
    label: `${scene.title}: ${scene.description}`,
    scroll: (steps) => running?.scroll?.(steps),
    scrolls: () => Boolean(running?.scroll) || !isLanding(),
    press: () => running?.press?.(),
    refresh: panel.refresh,
  })
  document.title = titleOf(scene)
  byId('scene').textContent = scene.title
  byId('previous').href = `#scene=${neighbor(-1).name}`
  byId('next').href = `#scene=${neighbor(1).name}`
  source.follow(scene.name)
  gui = panel.start(scene, (field) => running?.change?.(field))
  if (read) applyAddress(read, scene, gui.controllersRecursive())
  running = scene.setup(stage, scene.params)
  if (document.activeElement === byId('scene')) stage.canvas.focus() // the scene was chosen from the list
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

// Writes the current settings to the address. An address that was edited since is followed first.
function updateAddress() {
  if (isLanding() || location.hash !== address) return
  const written = writeAddress(scene, paused && !lessMotion)
  if (written === address) return
  history.replaceState(null, '', written)
  address = location.hash
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
  stage.paused = paused

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
  running.frame(dt, meter.lap, meter.whole)
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
  }
  if (now >= nextAddress) {
    nextAddress = now + 1000 / ADDRESSES
    updateAddress()
  }
  if (now >= nextChart) {
    nextChart = now + 1000 / CHARTS
    chart.show()
  }
  meter.end()
}

function loop(now) {
  requestAnimationFrame(loop)
  if (running) guard('The scene stopped', () => tick(now))
}

// Closes a scene that throws. Other scenes can still be opened.
function guard(summary, task) {
  try {
    task()
  } catch (error) {
    fail(summary, error)
    close()
  }
}

function pause(on) {
  paused = on
  byId('pause').textContent = on ? 'Play' : 'Pause'
  byId('still').hidden = !(on && lessMotion)
}

function step() {
  pause(true)
  single = true
}

function showOverview() {
  overview.open(isLanding() ? '' : scene?.name)
}

// The source covers the panel, so it closes first.
function togglePanel() {
  if (!source.isOpen) return panel.toggle()
  showSource(false)
  panel.toggle(true)
}

function showSource(visible) {
  if (visible && isLanding()) return
  const hadFocus = byId('source').contains(document.activeElement)
  source.open(visible)
  byId('view').setAttribute('aria-expanded', visible)
  if (visible) byId('source').querySelector('.file').focus()
  else if (hadFocus) byId('view').focus()
}

function dismiss() {
  if (source.isOpen) showSource(false)
  else if (isLanding()) visit(scene)
}

function fail(summary, error) {
  errors.push(String(error?.stack ?? error))
  console.error(error)
  const message = byId('message')
  message.hidden = false
  message.textContent = `${summary}: ${error?.message ?? error}`
}

function listen() {
  keys = createKeyboard(KEYS, byId('key-list'))
  byId('explore').addEventListener('click', showOverview)
  enableCopy(byId('copy'), byId('six'))
  byId('source')
    .querySelector('.close')
    .addEventListener('click', () => showSource(false))
  addEventListener('hashchange', () => guard('The scene could not start', openAddress))
}

async function start() {
  if (new URLSearchParams(location.search).has('minimal')) {
    const { showMinimal } = await import('./view/minimal.js')
    showMinimal(byId('stage'), scenes)
    return
  }
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
    fail(
      'This demo needs WebAssembly',
      new Error('this browser does not support it, or it is turned off'),
    )
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
  guard('The scene could not start', openAddress)
  listen()
  requestAnimationFrame((now) => {
    lastTime = now
    loop(now)
  })
}

start()
