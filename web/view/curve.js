// A curve over time of a number of the scene, since its start.

import { createPlot } from './plot.js'
import { theme } from './theme.js'

/** Shows `data`: an array of times and one of values. Both may grow. */
export function createCurve(figure, { caption, data }) {
  const title = document.createElement('figcaption')
  title.textContent = caption
  const container = document.createElement('div')
  figure.replaceChildren(title, container)
  return createPlot(container, {
    label: caption,
    x: { range: (u, min, max) => [0, Math.max(10, max ?? 0)] },
    y: { range: (u, min, max) => [0, Math.max(1, 1.1 * (max ?? 0))] },
    ticks: (value) => value,
    series: [
      { stroke: () => theme.accent, fill: () => theme.tint, width: 1.5, points: { show: false } },
    ],
    data,
  })
}
