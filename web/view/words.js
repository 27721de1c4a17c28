// Texts in the words of the device.

const WORDS = [
  ['Click', 'Tap'],
  ['click', 'tap'],
  ['Move the pointer', 'Drag'],
  ['Wheel or pinch', 'A pinch'],
  ['wheel or pinch', 'a pinch'],
]

/** Returns a short text that says what to do, for the pointer of this device: on a touch screen, one taps. */
export function forDevice(text) {
  if (!matchMedia('(hover: none)').matches) return text
  return WORDS.reduce((said, [mouse, touch]) => said.replaceAll(mouse, touch), text)
}
