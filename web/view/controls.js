// Controls for the settings of scenes: controllers of lil-gui, and the wheel.

import { formatNumber } from './format.js'

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16]

/** Adds a button. A press calls change(field) of the scene, although `field` is not a param. */
export const addButton = (gui, field, name) => gui.add({ [field]() {} }, field).name(name)

/** Adds params.speed, for view/pace.js. */
export const addSpeed = (gui, params) =>
  addSteps(gui, params, 'speed', SPEEDS).name('steps per frame')

/** Scales a setting by 10% per wheel step, in multiples of `grain`. */
export function scaleSetting(stage, params, field, steps, [min, max], grain = 1) {
  const scaled = grain * Math.round((params[field] * 1.1 ** steps) / grain)
  params[field] = Math.min(Math.max(scaled, min), max)
  stage.refresh()
}

/**
 * Adds a slider that sets params[field] to one of `steps`: numbers far apart, such as 100, 200, 500.
 * The controller has them as `steps`.
 */
export function addSteps(gui, params, field, steps) {
  const proxy = {
    get [field]() {
      return steps.indexOf(params[field])
    },
    set [field](index) {
      params[field] = steps[index]
    },
  }
  const last = steps.length - 1
  const controller = gui.add(proxy, field, 0, last, 1)
  const { $slider, $input, $name } = controller
  controller.steps = steps

  // Replaces lil-gui's input, which would show the index of the step, by the number itself. Arrow keys
  // move the slider instead.
  const output = document.createElement('output')
  output.ariaLive = 'off' // screen readers read the slider
  $input.replaceWith(output)
  $slider.tabIndex = 0
  $slider.setAttribute('role', 'slider')
  $slider.setAttribute('aria-labelledby', $name.id)
  $slider.setAttribute('aria-valuemin', steps[0])
  $slider.setAttribute('aria-valuemax', steps[last])
  $slider.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    event.stopPropagation() // keeps the keys from moving the scene's pointer
    controller.setValue(Math.min(Math.max(proxy[field] + step, 0), last))
  })

  const { updateDisplay } = controller
  controller.updateDisplay = () => {
    output.textContent = formatNumber(params[field])
    $slider.setAttribute('aria-valuenow', params[field])
    return updateDisplay.call(controller)
  }
  return controller.updateDisplay()
}
