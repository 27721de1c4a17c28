// What is shown, as its address says: #scene=battle&n=2000&archers=0.5&paused=1. It says all that
// differs from the defaults. Anybody may have written it: what no controller could have set is ignored.

const COUNT = 'n' // what the main number of a scene is called in every address

/** @param {string} hash of a location */
export function readAddress(hash) {
  const values = new Map(new URLSearchParams(hash.slice(1)))
  return { scene: values.get('scene'), paused: values.get('paused') === '1', values }
}

/** The hash for a scene, whose params may differ from its defaults. */
export function writeAddress({ name, count, params, defaults, passing = [] }, paused) {
  const address = new URLSearchParams({ scene: name })
  for (const [field, value] of Object.entries(params)) {
    if (value === defaults[field] || passing.includes(field)) continue
    address.set(field === count ? COUNT : field, inText(value))
  }
  if (paused) address.set('paused', '1')
  return `#${address}`
}

/** Sets all params that have a controller to what an address says, else to their defaults. */
export function applyAddress({ values }, { count, params, defaults, passing = [] }, controllers) {
  for (const controller of controllers) {
    const field = controller.property
    if (!Object.hasOwn(params, field) || passing.includes(field)) continue
    const range = rangeOf(controller)
    const text = values.get(field) ?? (field === count ? values.get(COUNT) : undefined)
    const value = accept(text, range) ?? defaults[field]
    controller.setValue(range.steps ? range.steps.indexOf(value) : value)
  }
}

/**
 * The value that a text stands for, if one of `options`; a number becomes the nearest that there is.
 * @param {string | undefined} text
 * @param {{ options?: any[], steps?: number[], min?: number, max?: number, step?: number }} range
 * @returns {any} undefined: none
 */
export function accept(text, { options, steps, min, max, step }) {
  if (options) return options.find((option) => inText(option) === text)
  if (!text?.trim() || !Number.isFinite(Number(text))) return undefined
  const number = Number(text)
  if (steps) return steps.reduce((a, b) => (Math.abs(b - number) < Math.abs(a - number) ? b : a))
  const within = Math.min(Math.max(number, min), max)
  const snapped = min + Math.round((within - min) / step) * step
  return Math.min(parseFloat(snapped.toPrecision(12)), max)
}

/** What a controller of lil-gui, or of view/controls.js, can be set to. */
function rangeOf({ initialValue, steps, _values, _min, _max, _step }) {
  if (typeof initialValue === 'boolean') return { options: [false, true] }
  return { options: _values, steps, min: _min, max: _max, step: _step }
}

const inText = (value) => String(typeof value === 'boolean' ? Number(value) : value)
