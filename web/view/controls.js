// Controllers of lil-gui, and the wheel, for the settings of scenes.

import { formatNumber } from './format.js'

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16]

/** Adds a button: it is a change of that field, which is no setting. */
export const addButton = (gui, field, name) => gui.add({ [field]() {} }, field).name(name)

/** Adds params.speed, for view/pace.js. */
export const addSpeed = (gui, params) =>
  addSteps(gui, params, 'speed', SPEEDS).name('steps a frame')

/** Lets the wheel change a setting, by a tenth a step. */
export function scaleSetting(stage, params, field, steps, [min, max], grain = 1) {
  const scaled = grain * Math.round((params[field] * 1.1 ** steps) / grain)
  params[field] = Math.min(Math.max(scaled, min), max)
  stage.refresh()
}

/**
 * Adds a slider over numbers that are far apart, 100, 200, 500, …, for params[field], which is one of
 * these steps; the controller tells them.
 */
export function addSteps(gui, params, field, steps) {
  const place = {
    get [field]() {
      return steps.indexOf(params[field])
    },
    set [field](index) {
      params[field] = steps[index]
    },
  }
  const last = steps.length - 1
  const controller = gui.add(place, field, 0, last, 1)
  const { $slider, $input, $name } = controller
  controller.steps = steps

  // The number stands where lil-gui's input would show the place among the steps; so arrow keys are
  // the slider's.
  const shown = document.createElement('output')
  $input.replaceWith(shown)
  $slider.tabIndex = 0
  $slider.setAttribute('role', 'slider')
  $slider.setAttribute('aria-labelledby', $name.id)
  $slider.setAttribute('aria-valuemin', steps[0])
  $slider.setAttribute('aria-valuemax', steps[last])
  $slider.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    event.stopPropagation() // else they would move the scene's pointer
    controller.setValue(Math.min(Math.max(place[field] + step, 0), last))
  })

  const { updateDisplay } = controller
  controller.updateDisplay = () => {
    shown.textContent = formatNumber(params[field])
    $slider.setAttribute('aria-valuenow', params[field])
    return updateDisplay.call(controller)
  }
  return controller.updateDisplay()
}
