// Frame times of the last five seconds, as a stacked area for each part of a frame.

import { PARTS } from './meter.js'
import { createPlot } from './plot.js'
import { theme } from './theme.js'

const SECONDS = 5
const LABELS = { move: 'Move', build: 'Build', query: 'Query', draw: 'Draw' }

export function createChart(figure) {
  const caption = document.createElement('figcaption')
  const title = document.createElement('span')
  title.textContent = 'Work per frame'
  const rate = document.createElement('output')
  rate.ariaLive = 'off' // it changes all the time
  caption.append(title, rate)
  const key = document.createElement('ul')
  key.append(
    ...PARTS.map((part) => {
      const item = document.createElement('li')
      item.className = part
      item.textContent = LABELS[part]
      return item
    }),
  )
  const plot = document.createElement('div')
  figure.append(caption, plot, key)

  // Each series is the sum of its part and all parts below, and is drawn before them.
  const stack = PARTS.toReversed()
  const data = [[], ...stack.map(() => [])]
  const chart = createPlot(plot, {
    label: 'Milliseconds of the parts of each frame, in the last seconds',
    x: { range: (u, min, max) => [max - SECONDS, max] },
    y: { range: (u, min, max) => [0, Math.max(2, max * 1.1)] },
    ticks: (value) => `${value} ms`,
    series: stack.map((part) => ({
      fill: () => theme.parts[part],
      width: 0,
      points: { show: false },
    })),
    data,
  })

  let isFirst = true

  return {
    /**
     * Adds a frame: `seconds` on the page's clock, `ms` of each part. Leaves out the first, which
     * compiles code and would hide the others.
     */
    add(seconds, ms) {
      if (isFirst) return void (isFirst = false)
      data[0].push(seconds)
      let sum = 0
      for (let i = PARTS.length; i >= 1; i--) data[i].push((sum += ms[stack[i - 1]]))
      while (data[0][0] < seconds - SECONDS) for (const row of data) row.shift()
    },
    show() {
      const times = data[0]
      if (times.length < 2 || !chart.isVisible) return
      const fps = (times.length - 1) / (times.at(-1) - times[0])
      const mean = data[1].reduce((sum, ms) => sum + ms, 0) / times.length
      rate.textContent = `${mean.toFixed(1)} ms · page: ${Math.round(fps)} fps`
      chart.show()
    },
    clear() {
      isFirst = true
      for (const row of data) row.length = 0
    },
    redraw: chart.redraw,
  }
}
