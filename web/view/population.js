// Items that come and go in a quadtree or octree: newborn ones live for a few seconds, a click adds some, and a
// strike removes those in its area.

import { addSteps } from './controls.js'
import { formatTime } from './format.js'

const BIRTHS = [0, 50, 100, 200, 500, 1_000]
const LIFE = 4 // seconds
const BURST = 0.5 // seconds between births, which come many at a time: cells split and merge at once
const CLICKED = 50 // items that a click adds
const SLOP = 6 // units of the stage between press and release; farther is a drag
const FADE = 4_000 // calls: older times count less
const [ADDS, STRIKES] = ['adds items', 'strikes the area']

/** The room for newborn and added items. */
export const MAX_ADDED = 5_000

export const populationParams = { births: 0, click: ADDS }

export function addPopulationControls(gui, params) {
  addSteps(gui, params, 'births', BIRTHS).name('births per second')
  gui.add(params, 'click', [ADDS, STRIKES])
}

/**
 * Creates a population of a tree. Options:
 *
 *   dimensions             2 or 3
 *   capacity               maximum number of items
 *   tree()                 returns the tree
 *   place(slot, nest)      writes the box of a new item to the tree's boxes: in one of many nests, or at the
 *                          pointer if `nest` is undefined
 *   struck()               returns the slots in the area that a strike removes
 */
export function createPopulation({ canvas, pointer }, params, options) {
  const { dimensions, capacity, tree, place, struck } = options
  const sides = 2 * dimensions
  const deaths = new Float64Array(capacity) // the time at which an item dies; 0: the slot is free
  const slots = new Uint32Array(capacity) // slots in use
  const insert = createCost()
  const removal = createCost()
  let free = []
  let count = 0
  let time = 0
  let born = 0 // bursts so far
  let pressed = null // where the pointer was pressed

  // Lists the slots in use. No query and no loop finds the boxes of free ones: min > max.
  function list() {
    const { boxes } = tree()
    count = 0
    for (let slot = 0; slot < capacity; slot++) {
      if (deaths[slot] > 0) slots[count++] = slot
      else {
        boxes.fill(1e9, sides * slot, sides * slot + dimensions)
        boxes.fill(-1e9, sides * slot + dimensions, sides * (slot + 1))
      }
    }
  }

  function add(number, death, nest) {
    const added = free.splice(Math.max(free.length - number, 0))
    for (const slot of added) {
      place(slot, nest)
      deaths[slot] = death
    }
    const grown = tree()
    const { boxes: b } = grown
    insert.measure(added.length, () => {
      for (const slot of added) {
        const i = sides * slot
        if (dimensions === 2) grown.addAt(slot, b[i], b[i + 1], b[i + 2], b[i + 3])
        else grown.addAt(slot, b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5])
      }
    })
    list()
  }

  function remove(removed) {
    const shrunk = tree()
    removal.measure(removed.length, () => {
      for (const slot of removed) shrunk.remove(slot)
    })
    for (const slot of removed) {
      deaths[slot] = 0
      free.push(slot)
    }
    list()
  }

  function act() {
    if (params.click === ADDS) add(CLICKED, Infinity)
    else remove(struck())
  }

  // A drag, which moves the area or turns the view, is no click.
  function release() {
    const near = pressed && Math.hypot(pointer.x - pressed.x, pointer.y - pressed.y) < SLOP
    pressed = null
    if (near) act()
  }
  canvas.addEventListener('pointerup', release)

  return {
    /** The slots in use: the first `count`. */
    slots,

    get count() {
      return count
    },

    /** Called after items 0 … number - 1 were loaded. */
    begin(number) {
      deaths.fill(0)
      deaths.fill(Infinity, 0, number)
      free = []
      for (let slot = capacity - 1; slot >= number; slot--) free.push(slot)
      list()
    },

    /** Called every frame: items are born and die. */
    pass(dt) {
      const burst = Math.floor(time / BURST)
      time += dt
      if (Math.floor(time / BURST) === burst) return
      const dying = slots.subarray(0, count).filter((slot) => deaths[slot] <= time)
      if (dying.length > 0) remove(dying)
      if (params.births > 0) add(params.births * BURST, time + LIFE, born++)
    },

    press() {
      if (pointer.isDown) pressed = { x: pointer.x, y: pointer.y }
      else act() // by a key
    },

    numbers: () => [
      ['Insert, each', formatTime(insert.mean)],
      ['Remove, each', formatTime(removal.mean)],
    ],

    dispose: () => canvas.removeEventListener('pointerup', release),
  }
}

/** Measures calls that are shorter than a tick of the clock: by the mean of many. */
function createCost() {
  let ms = 0
  let calls = 0
  return {
    get mean() {
      return calls > 0 ? ms / calls : undefined
    },
    measure(number, task) {
      const start = performance.now()
      task()
      ms += performance.now() - start
      calls += number
      if (calls < FADE) return
      ms /= 2
      calls /= 2
    },
  }
}
