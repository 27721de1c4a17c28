// A small plot over time, in the colours of the page and as wide as its place.

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from './theme.js'

const HEIGHT = 86

/** `x` and `y` are scales of uPlot, `ticks` makes the text at a value of y. */
export function createPlot(place, { x, y, ticks, series, data }) {
  const axis = (options) => ({
    stroke: () => theme.muted,
    grid: { stroke: () => theme.line, width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
    ...options,
  })
  const plot = new uPlot(
    {
      width: 260,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 4, 7, 0],
      scales: { x: { time: false, ...x }, y },
      axes: [
        axis({ show: false }),
        axis({ size: 44, gap: 4, space: 28, values: (u, values) => values.map(ticks) }),
      ],
      series: [{}, ...series],
    },
    data,
    place,
  )
  const observer = new ResizeObserver(() => {
    if (place.clientWidth) plot.setSize({ width: place.clientWidth, height: HEIGHT })
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
