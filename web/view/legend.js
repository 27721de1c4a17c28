// The strip below the stage that says what colors and shapes mean.

/**
 * Shows the legend of a scene, [[shape, color, text], …]. The shapes are the classes of
 * #legend in style.css. A color is the name of one there, or a CSS background.
 */
export function showLegend(list, legend = []) {
  list.replaceChildren(
    ...legend.map(([shape, color, text]) => {
      const swatch = document.createElement('i')
      swatch.className = shape
      swatch.style.setProperty('--color', /^[a-z-]+$/.test(color) ? `var(--${color})` : color)
      const item = document.createElement('li')
      item.append(swatch, text)
      return item
    }),
  )
}
