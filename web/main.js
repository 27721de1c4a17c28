// The shell of the demo: starts the library, opens scenes by the address, runs the frame loop.
//
// For tests, window.copseDemo tells (live, read only):
//   ready    the library has started and a scene runs
//   scene    name of the scene that is shown; scenes: the names of all
//   frame    frames drawn since the page opened
//   hits     items lit in the last frame
//   results  what a scene compares: [{ name, total, equal }, …], total in ms; empty in most scenes
//   paused   the simulation stands still (frames are still drawn)
//   errors   messages of everything that went wrong, empty if all is well

import { init } from 'copse'
import { scenes } from './scenes.js'
import { createChart } from './view/chart.js'
import { createMeter } from './view/meter.js'
import { createPanel } from './view/panel.js'
import { createStage } from './view/stage.js'
import { watchTheme } from './view/theme.js'

const byId = (id) => document.getElementById(id)
const MAX_STEP = 1 / 20 // seconds: after a hitch or in a hidden tab time stands still, nobody jumps
const REPORTS = 5 // a second: numbers that change faster can't be read
const CHARTS = 10

const panel = createPanel()
const chart = createChart(byId('chart'))
const meter = createMeter()
const errors = []
const keys = new Set() // arrow keys that are down

let stage = null
let scene = null
let running = null // what the scene's setup returned
let frame = 0
let paused = false
let lastTime = 0
let nextReport = 0
let nextChart = 0

// Opens the scene that the address names, else the first.
function open() {
  const name = new URLSearchParams(location.hash.slice(1)).get('scene')
  const next = scenes.find((one) => one.name === name) ?? scenes[0]
  if (next === scene) return
  close()
  byId('message').hidden = true
  scene = next
  stage = createStage(byId('stage'), {
    label: `${scene.title}: ${scene.description}`,
    scroll: (steps) => running?.scroll?.(steps),
    press: () => running?.press?.(),
    refresh: panel.refresh,
  })
  running = scene.setup(stage, scene.params)
  panel.start(scene, (field) => running.change?.(field))
  chart.clear()
  nextReport = 0
  document.title = `${scene.title} · copse`
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.scene === scene.name) {
      link.setAttribute('aria-current', 'page')
      link.scrollIntoView({ block: 'nearest', inline: 'center' }) // the list may be wider than a phone
    } else link.removeAttribute('aria-current')
  }
}

function close() {
  if (!scene) return
  panel.stop()
  running?.dispose()
  stage.dispose()
  scene = stage = running = null
}

function tick(now) {
  const elapsed = Math.min((now - lastTime) / 1000, MAX_STEP)
  lastTime = now

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
    !paused,
  )

  meter.start()
  running.frame(paused ? 0 : elapsed, meter.lap)
  meter.lap()
  stage.clear()
  running.draw()
  meter.lap('draw')
  frame++

  chart.add(now / 1000, meter.ms)
  if (now >= nextReport) {
    nextReport = now + 1000 / REPORTS
    panel.show(running.report(meter.mean))
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
}

function fail(what, error) {
  errors.push(String(error?.stack ?? error))
  console.error(error)
  const message = byId('message')
  message.hidden = false
  message.textContent = `${what}: ${error?.message ?? error}`
}

function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest('input, select, button')) return
  const digit = Number(event.key)
  if (event.key.startsWith('Arrow')) keys.add(event.key)
  else if (event.key === ' ') pause(!paused)
  else if (event.key === '+' || event.key === '=') running?.scroll?.(1)
  else if (event.key === '-') running?.scroll?.(-1)
  else if (event.key === 'Enter' && !event.target.closest('a')) running?.press?.()
  else if (scenes[digit - 1]) location.hash = `scene=${scenes[digit - 1].name}`
  else return
  event.preventDefault()
}

function listScenes() {
  byId('scenes').append(
    ...scenes.map(({ name, title }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = `#scene=${name}`
      link.dataset.scene = name
      link.textContent = title
      item.append(link)
      return item
    }),
  )
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
      return running?.hits ?? 0
    },
    get results() {
      return running?.results ?? []
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

  listScenes()
  watchTheme(() => {
    chart.redraw()
    panel.redraw()
  })
  if (typeof WebAssembly !== 'object') {
    fail('This demo needs WebAssembly', new Error('this browser has none, or has it switched off'))
    return
  }
  try {
    await init()
  } catch (error) {
    fail('The library could not start', error)
    return
  }

  const openScene = () => guard('The scene could not start', open)
  openScene()
  addEventListener('hashchange', openScene)
  addEventListener('keydown', pressKey)
  addEventListener('keyup', (event) => keys.delete(event.key))
  addEventListener('blur', () => keys.clear())
  byId('pause').addEventListener('click', () => pause(!paused))
  pause(matchMedia('(prefers-reduced-motion: reduce)').matches)
  requestAnimationFrame((now) => {
    lastTime = now
    loop(now)
  })
}

start()
