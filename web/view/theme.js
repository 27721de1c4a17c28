// The colors of style.css for canvas and chart: theme.agent is --agent, theme.parts.build is --part-build,
// and so on. The same object is updated when the color scheme changes.

import { PARTS } from './meter.js'

const names =
  'paper panel ink muted line accent agent hit query tint red blue flash floor light wall'.split(
    ' ',
  )

export const FONT = 'system-ui, sans-serif'

export const theme = { parts: {} }

function read() {
  const style = getComputedStyle(document.documentElement)
  for (const name of names) theme[name] = style.getPropertyValue(`--${name}`).trim()
  for (const part of PARTS) theme.parts[part] = style.getPropertyValue(`--part-${part}`).trim()
}

/** Reads the colors. Reads them again, and calls changed(), whenever the color scheme changes. */
export function watchTheme(changed) {
  read()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    read()
    changed()
  })
}
