// Reads and writes the address of a scene: #scene=battle&n=2000&archers=0.5&paused=1. It holds every
// setting that differs from its default. An address is untrusted: values that no controller can set are
// ignored.

const COUNT = 'n' // name of a scene's `count` param in every address

/** Parses an address. @param {string} hash of a location */
export function readAddress(hash) {
  const values = new Map(new URLSearchParams(hash.slice(1)))
  return { scene: values.get('scene'), paused: values.get('paused') === '1', values }
}

/** Returns the hash of a scene: its name and the params that differ from its defaults. */
export function writeAddress({ name, count, params, defaults, passing = [] }, paused) {
  const address = new URLSearchParams({ scene: name })
  for (const [field, value] of Object.entries(params)) {
    if (value === defaults[field] || passing.includes(field)) continue
    address.set(field === count ? COUNT : field, toText(value))
  }
  if (paused) address.set('paused', '1')
  return `#${address}`
}

/** Sets every param that has a controller to its value in the address, or else to its default. */
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
 * Returns the value that a text names: one of `options`, or the nearest possible number.
 * @param {string | undefined} text
 * @param {{ options?: any[], steps?: number[], min?: number, max?: number, step?: number }} range
 * @returns {any} undefined: no such value
 */
export function accept(text, { options, steps, min, max, step }) {
  if (options) return options.find((option) => toText(option) === text)
  if (!text?.trim() || !Number.isFinite(Number(text))) return undefined
  const number = Number(text)
  if (steps) return steps.reduce((a, b) => (Math.abs(b - number) < Math.abs(a - number) ? b : a))
  const within = Math.min(Math.max(number, min), max)
  const snapped = min + Math.round((within - min) / step) * step
  return Math.min(parseFloat(snapped.toPrecision(12)), max)
}

/** Returns the values that a controller of lil-gui or view/controls.js accepts. */
function rangeOf({ initialValue, steps, _values, _min, _max, _step }) {
  if (typeof initialValue === 'boolean') return { options: [false, true] }
  return { options: _values, steps, min: _min, max: _max, step: _step }
}

const toText = (value) => String(typeof value === 'boolean' ? Number(value) : value)
