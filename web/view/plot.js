// A small plot over time, in the colors of the page and as wide as its container.

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { FONT, theme } from './theme.js'

// In rem, like all lengths of the page.
const HEIGHT = 6.2
const TEXT = 0.79
const LEFT = 3.14

/**
 * Creates a plot. `label` names it for screen readers. `x` and `y` are scales of uPlot; `ticks` returns the label of a
 * value of y.
 */
export function createPlot(container, { label, x, y, ticks, series, data }) {
  Object.assign(container, { role: 'img', ariaLabel: label })
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
    container,
  )
  let width = 0 // of the container, 0 while it is hidden. To read it there would force a layout
  const observer = new ResizeObserver(([{ contentRect }]) => {
    width = Math.round(contentRect.width)
    if (width) plot.setSize({ width, height })
  })
  observer.observe(container)

  return {
    get isVisible() {
      return width > 0
    },
    /** Shows the current data. */
    show() {
      if (width) plot.setData(data)
    },
    redraw: () => plot.redraw(false),
    dispose() {
      observer.disconnect()
      plot.destroy()
    },
  }
}
