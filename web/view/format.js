// Numbers as they are read.

/** '1,000' */
export const formatNumber = (number) => number.toLocaleString('en')

/** '42 %' of a part of 1; '–' where there is none. */
export const formatPercent = (part) => (Number.isFinite(part) ? `${Math.round(100 * part)} %` : '–')

/** '0.06 µs', '3.2 µs', '14 µs', '1.4 ms': as many digits as are worth reading. */
export function formatTime(ms) {
  if (ms === undefined) return '–'
  const micro = ms < 1
  const value = micro ? ms * 1000 : ms
  return `${value.toFixed(value < 0.1 ? 2 : value < 10 ? 1 : 0)} ${micro ? 'µs' : 'ms'}`
}

/** '2.4 ×': how many times as long it takes; '–' where one of the times is missing. */
export function formatFactor(ms, than) {
  if (!(ms > 0 && than > 0)) return '–'
  const factor = ms / than
  return `${factor.toFixed(factor < 10 ? 1 : 0)} ×`
}
