// Formats numbers for people.

const english = new Intl.NumberFormat('en')

/** Returns '1,000'. */
export const formatNumber = (number) => english.format(number)

/** Returns '42 %' for 0.42, '–' for NaN. */
export const formatPercent = (part) => (Number.isFinite(part) ? `${Math.round(100 * part)} %` : '–')

/** Returns '0.06 µs', '3.2 µs', '14 µs', '1.4 ms': only significant digits; '–' for undefined. */
export function formatTime(ms) {
  if (ms === undefined) return '–'
  const micro = ms < 1
  const value = micro ? ms * 1000 : ms
  return `${value.toFixed(value < 0.1 ? 2 : value < 10 ? 1 : 0)} ${micro ? 'µs' : 'ms'}`
}

/** Returns '2.4 ×', the ratio of two times; '–' if one of them is missing. */
export function formatFactor(ms, than) {
  if (!(ms > 0 && than > 0)) return '–'
  const factor = ms / than
  return `${factor.toFixed(factor < 10 ? 1 : 0)} ×`
}

/** Returns '24 × slower' or '2.1 × faster': a time beside another one; '–' if one of them is missing. */
export function formatSpeed(ms, than) {
  if (!(ms > 0 && than > 0)) return '–'
  return ms < than ? `${formatFactor(than, ms)} faster` : `${formatFactor(ms, than)} slower`
}
