// A small plot over time, in the colors of the page and as wide as its place.

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { FONT, theme } from './theme.js'

// In rem, as everything of the page.
const HEIGHT = 6.2
const TEXT = 0.79
const LEFT = 3.14

/** `x` and `y` are scales of uPlot, `ticks` makes the text at a value of y. */
export function createPlot(place, { x, y, ticks, series, data }) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const height = Math.round(HEIGHT * rem)
  const axis = (options) => ({
    stroke: () => theme.muted,
    grid: { stroke: () => theme.line, width: 1 },
    ticks: { show: false },
    font: `${TEXT * rem}px ${FONT}`,
    ...options,
  })
  const plot = new uPlot(
    {
      width: 260,
      height,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 4, 7, 0],
      scales: { x: { time: false, ...x }, y },
      axes: [
        axis({ show: false }),
        axis({
          size: LEFT * rem,
          gap: 0.3 * rem,
          space: 2 * rem,
          values: (u, values) => values.map(ticks),
        }),
      ],
      series: [{}, ...series],
    },
    data,
    place,
  )
  const observer = new ResizeObserver(() => {
    if (place.clientWidth) plot.setSize({ width: place.clientWidth, height })
  })
  observer.observe(place)

  return {
    /** Shows the data as they are now. */
    show() {
      if (place.clientWidth) plot.setData(data)
    },
    redraw: () => plot.redraw(false),
    dispose() {
      observer.disconnect()
      plot.destroy()
    },
  }
}
