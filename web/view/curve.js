// A curve of what a scene counts, from its start on.

import { createPlot } from './plot.js'
import { theme } from './theme.js'

/** `data`: times and values, two arrays that may grow. */
export function createCurve(figure, { caption, data }) {
  const title = document.createElement('figcaption')
  title.textContent = caption
  const place = document.createElement('div')
  figure.replaceChildren(title, place)
  return createPlot(place, {
    x: { range: (u, min, max) => [0, Math.max(10, max ?? 0)] },
    y: { range: (u, min, max) => [0, Math.max(1, 1.1 * (max ?? 0))] },
    ticks: (value) => value,
    series: [
      { stroke: () => theme.accent, fill: () => theme.tint, width: 1.5, points: { show: false } },
    ],
    data,
  })
}
