// The plot in the README: milliseconds per frame against the number of agents, on logarithmic axes. Line colors are
// readable on light and dark backgrounds; text follows the reader's color scheme.

const [WIDTH, HEIGHT] = [800, 500]
const [LEFT, RIGHT, TOP, BOTTOM] = [66, 650, 60, 450]
const LINE_HEIGHT = 15
const FRAME_MS = 1000 / 60

/** @type {Record<string, { color: string, dashed?: boolean, bold?: boolean }>} */
const looks = {
  copse: { color: '#12a05c', bold: true },
  'copse Grid': { color: '#1a9c9c' },
  'grid by hand': { color: '#e0a100' },
  'nanoflann native': { color: '#7d8590', dashed: true },
  kdbush: { color: '#d9622b' },
  flatbush: { color: '#2f81d6' },
  rbush: { color: '#8a63d2' },
  'd3-quadtree': { color: '#c2477f' },
  'quadtree-ts': { color: '#a5822a' },
  'brute force': { color: '#7d8590' },
}

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #3d444d; }
  .title { font-size: 16px; font-weight: 600; }
  .bold { font-weight: 700; }
  .grid { stroke: #7d8590; stroke-opacity: 0.25; }
  .frame { stroke: #7d8590; stroke-dasharray: 2 4; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  .line.bold { stroke-width: 4; }
  .dashed { stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) { text { fill: #d1d7e0; } }`

/** @param {number} lo @param {number} hi @param {number} begin @param {number} end */
const logarithmic = (lo, hi, begin, end) => (value) =>
  Number((begin + ((end - begin) * Math.log(value / lo)) / Math.log(hi / lo)).toFixed(1))

/** @param {number} lo @param {number} hi */
function decades(lo, hi) {
  const powers = []
  for (let power = Math.ceil(Math.log10(lo)); power <= Math.log10(hi); power++)
    powers.push(Number(`1e${power}`))
  return powers
}

/** Places the labels of lines that end on the right beside their ends, moved apart. */
function beside(labels) {
  const sorted = labels.toSorted((a, b) => a.y - b.y)
  for (let i = 1; i < sorted.length; i++)
    sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + LINE_HEIGHT)
  return sorted
}

/** Places the labels of lines that end earlier above the highest of them, where no line crosses. */
function above(labels) {
  const sorted = labels.toSorted((a, b) => b.y - a.y)
  const top = Math.min(...sorted.map(({ y }) => y)) - LINE_HEIGHT
  return sorted.map((label, i) => ({ ...label, y: top - i * LINE_HEIGHT, anchor: 'middle' }))
}

/**
 * Draws the plot.
 * @param {any[]} measurements
 * @returns {string} an SVG
 */
export function plot(measurements) {
  const frames = measurements
    .filter(({ work, dimensions, spread }) => `${work}${dimensions}${spread}` === 'frame2uniform')
    .sort((a, b) => a.n - b.n)
  const lines = Object.entries(looks)
    .map(([name, look]) => ({
      name,
      ...look,
      points: frames
        .filter(({ times }) => times[name])
        .map(({ n, times }) => ({ n, ms: times[name].median })),
    }))
    .filter(({ points }) => points.length > 1)

  const counts = frames.map(({ n }) => n)
  const times = lines.flatMap(({ points }) => points.map(({ ms }) => ms))
  const [least, most] = [Math.min(...times, FRAME_MS) / 1.5, Math.max(...times, FRAME_MS) * 1.5]
  const x = logarithmic(Math.min(...counts), Math.max(...counts), LEFT, RIGHT)
  const y = logarithmic(least, most, BOTTOM, TOP)

  const grid = decades(least, most).map(
    (ms) =>
      `<path class="grid" d="M${LEFT} ${y(ms)}H${RIGHT}"/>` +
      `<text x="${LEFT - 8}" y="${y(ms) + 4}" text-anchor="end">${ms.toLocaleString('en')}</text>`,
  )
  const columns = counts.map(
    (n) =>
      `<path class="grid" d="M${x(n)} ${TOP}V${BOTTOM}"/>` +
      `<text x="${x(n)}" y="${BOTTOM + 20}" text-anchor="middle">${n.toLocaleString('en')}</text>`,
  )
  const paths = lines.map(({ points, color, dashed, bold }) => {
    const look = `line${dashed ? ' dashed' : ''}${bold ? ' bold' : ''}`
    const path = points.map(({ n, ms }) => `${x(n)} ${y(ms)}`).join('L')
    const dots = points.map(({ n, ms }) => `<circle cx="${x(n)}" cy="${y(ms)}" r="3"/>`).join('')
    return (
      `<path class="${look}" stroke="${color}" d="M${path}"/>` + `<g fill="${color}">${dots}</g>`
    )
  })
  const labels = counts.flatMap((n) => {
    const ending = lines
      .filter(({ points }) => points.at(-1)?.n === n)
      .map(({ points, ...line }) => ({ ...line, x: x(n), y: y(points.at(-1).ms), anchor: 'start' }))
    return n === counts.at(-1) ? beside(ending) : above(ending)
  })
  const texts = labels.map(
    ({ name, color, bold, x, y, anchor }) =>
      `<text x="${anchor === 'start' ? x + 9 : x}" y="${y + 4}" text-anchor="${anchor}" ` +
      `style="fill: ${color}"${bold ? ' class="bold"' : ''}>${name}</text>`,
  )

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>Milliseconds per frame against the number of agents, for each library</title>
<style>${STYLE}
</style>
<text class="title" x="${LEFT}" y="24">Milliseconds per frame: build, and every agent’s neighbors</text>
<text x="${LEFT}" y="44">2D, uniform, about 10 neighbors each; lower is better; both axes logarithmic</text>
${[...grid, ...columns].join('\n')}
<path class="frame" d="M${LEFT} ${y(FRAME_MS)}H${RIGHT}"/>
<text x="${RIGHT - 6}" y="${y(FRAME_MS) + 16}" text-anchor="end">60 frames per second</text>
${[...paths, ...texts].join('\n')}
<text x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 42}" text-anchor="middle">agents</text>
</svg>
`
}
