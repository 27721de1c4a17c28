// Numbers as they are read.

/** '1,000' */
export const inWords = (number) => number.toLocaleString('en')

/** '42 %' of a part of 1; '–' where there is none. */
export const inPercent = (part) => (Number.isFinite(part) ? `${Math.round(100 * part)} %` : '–')
