// Draws the figures of the documentation as SVG, from results of the library: `node web/docs/figures.js [FOLDER]`.
// Default: figures/. The figures are committed, because forges show the pages without a build.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AgentTree, Crowd, FlowField, Grid, KdTree } from '../../dist/copse.js'
import { ObstacleTree, Quadtree, init } from '../../dist/copse.js'
import { createRandom } from '../random.js'
import { createStraddlers } from '../scenes/colliders/straddlers.js'

const [, , OUT = fileURLToPath(new URL('figures', import.meta.url))] = process.argv
const [WIDTH, HEIGHT, MARGIN] = [640, 360, 16]
const CELL_FLOATS = 6 // minX, minY, maxX, maxY, depth, number of items

const STYLE = `
  :root { --paper: #f4f5f0; --ink: #1e2b25; --muted: #66736b; --line: #c6cec3; --agent: #93a39a;
    --hit: #e2571e; --query: #1f7a58; --blue: #2c6cb5; --light: #fff3bf; --wall: #46544c }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #101613; --ink: #e3eae5; --muted: #8f9d95; --line: #3a463f; --agent: #66776d;
      --hit: #ffa45c; --query: #6fdcae; --blue: #63a9f5; --light: #4b4a2c; --wall: #9aaaa0 }
  }
  .paper { fill: var(--paper) }
  text { font: 13px system-ui, sans-serif; fill: var(--ink) }
  .muted { fill: var(--muted) }
  .agent { fill: var(--agent) } .hit { fill: var(--hit) } .query { fill: var(--query) }
  .blue { fill: var(--blue) } .wall { fill: var(--wall) } .light { fill: var(--light) }
  .tint { fill: var(--query); fill-opacity: 0.14 } .forbidden { fill: var(--hit); fill-opacity: 0.14 }
  .cell, .ring, .path, .split, .box { fill: none; stroke: var(--line) }
  .ring, .split, .path { stroke: var(--query) }
  .ring { stroke-width: 1.5 } .thick { stroke-width: 2.5 } .dashed { stroke-dasharray: 5 4 }
  .box { stroke: var(--agent) } .box.hit { stroke: var(--hit); fill-opacity: 0.25 }
  .edge { stroke: var(--wall); stroke-width: 3; fill: none; stroke-linecap: round }
  .limit { stroke: var(--hit); stroke-width: 1.5 } .arrow { stroke: var(--ink); stroke-width: 1.5 }
  .series { fill: none; stroke-width: 2 } .solid { fill: var(--line) }
  .clearance { opacity: 0.14 } .wide { fill: none; stroke: var(--hit); stroke-linejoin: round }
  .centers { fill: none; stroke: var(--agent); stroke-width: 2; stroke-linecap: round }
  .centers.hit { stroke: var(--hit); stroke-width: 3 }`

// ---- Shapes ----

const rounded = (value) => Number(value.toFixed(1))
const circle = (x, y, r, look) =>
  `<circle cx="${rounded(x)}" cy="${rounded(y)}" r="${rounded(r)}" class="${look}"/>`
const line = (x0, y0, x1, y1, look, width = 1) =>
  `<path d="M${rounded(x0)} ${rounded(y0)}L${rounded(x1)} ${rounded(y1)}" class="${look}" stroke-width="${rounded(width)}"/>`
const rect = ([minX, minY, maxX, maxY], look, round = 0) => {
  const size = `width="${rounded(maxX - minX)}" height="${rounded(maxY - minY)}" rx="${round}"`
  return `<rect x="${rounded(minX)}" y="${rounded(minY)}" ${size} class="${look}"/>`
}
const text = (x, y, words, look = '', anchor = 'start') =>
  `<text x="${rounded(x)}" y="${rounded(y)}" class="${look}" text-anchor="${anchor}">${words}</text>`
const outline = (corners) =>
  Array.from({ length: corners.length / 2 }, (_, i) => corners.slice(2 * i, 2 * i + 2))
    .map(([x, y]) => `${rounded(x)} ${rounded(y)}`)
    .join('L')
const polygon = (corners, look) => `<path d="M${outline(corners)}Z" class="${look}"/>`
const polyline = (corners, look) => `<path d="M${outline(corners)}" class="${look}"/>`

const svg = (
  title,
  body,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" class="paper"/>
${body.flat(Infinity).join('\n')}
</svg>
`

// ---- Figures ----

const spread = (random, side) => MARGIN + random() * (side - 2 * MARGIN)

/** Builds an index of random points all over the picture, and returns it. */
function scatter(index, count, seed) {
  const random = createRandom(seed)
  index.slots = count
  for (let i = 0; i < count; i++)
    index.positions.set([spread(random, WIDTH), spread(random, HEIGHT)], 2 * i)
  index.build()
  return index
}

/** Returns the cells of an index in preorder: box, depth, number of items. */
const cellsOf = (index) => {
  const floats = index.cells()
  return Array.from({ length: floats.length / CELL_FLOATS }, (_, i) => {
    const [minX, minY, maxX, maxY, depth, count] = floats.subarray(CELL_FLOATS * i)
    return { box: [minX, minY, maxX, maxY], depth, count }
  })
}
const leavesOf = (index) =>
  cellsOf(index).filter(({ depth }, i, cells) => !(cells[i + 1]?.depth > depth))

const dots = (index, lookOf) =>
  Array.from({ length: index.slots }, (_, i) =>
    circle(index.positions[2 * i], index.positions[2 * i + 1], 3, lookOf(i)),
  )

/** Returns the squared distance of a point, or a box, from a box. */
function distance2([minX, minY, maxX, maxY], [left, top, right = left, bottom = top]) {
  const dx = Math.max(minX - right, left - maxX, 0)
  const dy = Math.max(minY - bottom, top - maxY, 0)
  return dx * dx + dy * dy
}

/** Builds the flow field of a level, and returns what its figures show of both. */
function createLevel(cell) {
  const radius = 14
  const bounds = [MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN]
  const [left, top, right, bottom] = bounds
  const border = [left, top, right, top, right, bottom, left, bottom]
  const blocks = [
    [108, 90, 190, 76, 204, 150, 122, 166],
    [290, top, 330, top, 330, 190, 290, 190],
    [110, 250, 220, 236, 236, 292, 130, 300],
    [420, 120, 500, 120, 500, 150, 450, 150, 450, 250, 420, 250],
    [330, 280, 380, 268, 388, bottom, 330, bottom],
  ]
  const level = new ObstacleTree()
  level.addPolygon(border, { solid: 'outside' })
  for (const block of blocks) level.addPolygon(block)
  const field = new FlowField({ bounds, cell, radius })
  field.obstacles = level
  const goal = [560, 190]
  field.setGoals(goal)
  field.build()

  const floats = field.cells()
  const cells = Array.from({ length: floats.length / 7 }, (_, i) => {
    const [minX, minY, maxX, maxY, distance, anchor, isBlocked] = floats.subarray(7 * i)
    const center = [(minX + maxX) / 2, (minY + maxY) / 2]
    return { box: [minX, minY, maxX, maxY], center, distance, anchor, isBlocked }
  })
  const walls = [border, ...blocks]
  return {
    ...{ field, cells, goal },
    cellAt: (column, row) => cells[row * field.columns + column],
    drawWalls: () => [
      blocks.map((block) => polygon(block, 'solid')),
      walls.map((wall) => polygon(wall, 'edge')),
      circle(...goal, 6, 'hit'),
    ],
    /** Draws what is nearer to a wall than the radius. */
    drawClearance: () => [
      `<g class="clearance" stroke-width="${2 * radius}">`,
      walls.map((wall) => polygon(wall, 'wide')),
      '</g>',
    ],
    /** Cuts off what is outside of the border. */
    clip: (...body) => [
      `<clipPath id="inside">${rect(bounds)}</clipPath>`,
      '<g clip-path="url(#inside)">',
      body,
      '</g>',
    ],
  }
}

const figures = {
  agenttree() {
    const tree = scatter(new AgentTree({ capacity: 220, leafSize: 8 }), 220, 3)
    const [x, y, radius] = [300, 190, 75]
    const ids = new Set(tree.within(x, y, radius))
    const isRead = ({ box }) => distance2(box, [x, y]) <= radius * radius
    return svg('An agent tree: the tight bounds of its leaves, and the leaves that a query reads', [
      leavesOf(tree)
        .filter(isRead)
        .map(({ box }) => rect(box, 'tint')),
      leavesOf(tree).map(({ box }) => rect(box, 'cell')),
      dots(tree, (i) => (ids.has(i) ? 'hit' : 'agent')),
      circle(x, y, radius, 'ring'),
    ])
  },

  kdtree() {
    const tree = scatter(new KdTree({ capacity: 60 }), 60, 8)
    const [x, y] = [410, 205]
    const id = tree.nearest(x, y)
    const distance = Math.hypot(tree.positions[2 * id] - x, tree.positions[2 * id + 1] - y)
    return svg('A k-d tree: the splitting line of each node, and the nearest point to a place', [
      cellsOf(tree)
        .filter(({ count }) => count > 1)
        .map(({ box, depth }) => line(...box, 'split', Math.max(3.5 - 0.6 * depth, 0.6))),
      dots(tree, (i) => (i === id ? 'hit' : 'agent')),
      circle(x, y, distance, 'ring dashed'),
      circle(x, y, 3, 'query'),
    ])
  },

  grid() {
    const grid = scatter(new Grid({ capacity: 110, cellSize: 60 }), 110, 5)
    const [x, y, radius] = [330, 175, 60]
    const ids = new Set(grid.within(x, y, radius))
    const isRead = ({ box }) => distance2(box, [x, y]) <= radius * radius
    const { positions } = grid
    const order = [...grid.order()].flatMap((i) => [...positions.subarray(2 * i, 2 * i + 2)])
    return svg('A grid: its cells, its agents in memory order, and the cells that a query reads', [
      cellsOf(grid)
        .filter(isRead)
        .map(({ box }) => rect(box, 'tint')),
      cellsOf(grid).map(({ box }) => rect(box, 'cell')),
      polyline(order, 'path'),
      dots(grid, (i) => (ids.has(i) ? 'hit' : 'agent')),
      circle(x, y, radius, 'ring thick'),
    ])
  },

  quadtree() {
    const random = createRandom(4)
    const bounds = [MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN]
    const tree = new Quadtree({ bounds, capacity: 100, leafSize: 3, maxDepth: 5 })
    for (let i = 0; i < 90; i++) {
      const crowded = i % 3 > 0 // into one corner
      const x = spread(random, crowded ? WIDTH / 2 : WIDTH - 40)
      const y = spread(random, crowded ? HEIGHT / 2 : HEIGHT - 30)
      tree.add(x, y, x + 5 + 18 * random(), y + 5 + 14 * random())
    }
    const ids = new Uint32Array(tree.slots)
    const count = createStraddlers().find(tree.cells(), tree.boxes, tree.slots, 1, ids)
    const straddlers = new Set(ids.subarray(0, count))
    return svg('A quadtree: its cells, and the boxes that lie on a line between cells', [
      cellsOf(tree).map(({ box }) => rect(box, 'cell')),
      Array.from({ length: tree.slots }, (_, i) =>
        rect(tree.boxes.subarray(4 * i, 4 * i + 4), straddlers.has(i) ? 'box hit' : 'box'),
      ),
    ])
  },

  walls() {
    const level = new ObstacleTree({ capacity: 200, leafSize: 2 })
    const shapes = [
      [
        MARGIN,
        MARGIN,
        WIDTH - MARGIN,
        MARGIN,
        WIDTH - MARGIN,
        HEIGHT - MARGIN,
        MARGIN,
        HEIGHT - MARGIN,
      ],
      [120, 80, 190, 80, 190, 130, 120, 130],
      [250, 210, 330, 190, 350, 260, 280, 290],
      [430, 60, 520, 90, 450, 140],
      [90, 230, 150, 210, 170, 280],
      [480, 220, 560, 220, 560, 290, 480, 290],
    ]
    shapes.forEach((points, i) =>
      level.addPolygon(points, { solid: i === 0 ? 'outside' : 'inside' }),
    )
    level.addSegment(300, MARGIN, 300, 120)
    const [x, y] = [230, 170]
    const lines = level.lines()
    return svg('Walls: the lines that divide space, and the visibility polygon of a point', [
      polygon([...level.visibilityPolygon(x, y)], 'light'),
      Array.from({ length: lines.length / 5 }, (_, i) => {
        const [x0, y0, x1, y1, depth] = lines.subarray(5 * i)
        return line(x0, y0, x1, y1, 'split dashed', Math.max(2 - 0.3 * depth, 0.6))
      }),
      shapes.map((points) => polygon(points, 'edge')),
      line(300, MARGIN, 300, 120, 'edge', 3),
      circle(x, y, 6, 'hit'),
    ])
  },

  batch() {
    const [reach, width] = [40, 20] // of strips and their cells
    const tree = scatter(new AgentTree({ capacity: 420, leafSize: 40 }), 420, 11)
    const leaves = leavesOf(tree)
    const own = leaves.reduce((best, leaf) =>
      distance2(leaf.box, [WIDTH / 2, HEIGHT / 2]) < distance2(best.box, [WIDTH / 2, HEIGHT / 2])
        ? leaf
        : best,
    )
    const place = (i) => tree.positions.subarray(2 * i, 2 * i + 2)
    const order = [...tree.order()]
    const askers = new Set(order.filter((i) => distance2(own.box, place(i)) === 0))
    const gathered = new Set(order.filter((i) => distance2(own.box, place(i)) <= reach * reach))
    const [left, top, right, bottom] = own.box.map((side, i) => side + (i < 2 ? -reach : reach))
    const [columns, rows] = [Math.ceil((right - left) / width), Math.ceil((bottom - top) / reach)]
    const strips = Array.from({ length: rows + 1 }, (_, i) => [0, i, columns * width, i])
    const cells = Array.from({ length: columns + 1 }, (_, i) => [i * width, 0, i * width, rows])
    const [asker] = askers
    const [x, y] = place(asker)
    const column = left + Math.floor((x - left) / width - 2) * width
    const row = top + Math.floor((y - top) / reach - 1) * reach
    return svg(
      'A batch: one leaf, the agents gathered around it, and the run that one of its agents scans',
      [
        rect([column, row, column + 5 * width, row + 3 * reach], 'tint'),
        [...strips, ...cells].map(([x0, y0, x1, y1]) =>
          line(left + x0, top + y0 * reach, left + x1, top + y1 * reach, 'cell'),
        ),
        rect([left, top, right, bottom], 'ring dashed', reach),
        rect(own.box, 'ring thick'),
        dots(tree, (i) => (askers.has(i) ? 'query' : gathered.has(i) ? 'hit' : 'agent')),
        circle(x, y, reach, 'ring'),
      ],
    )
  },

  orca() {
    const crowd = new Crowd({
      capacity: 4,
      exact: true,
      timeHorizon: 1.5,
      maxSpeed: 1.6,
      radius: 0.6,
    })
    const preferred = [1.2, 0]
    const agents = [
      { position: [0, 0], velocity: [1.1, 0.1], preferredVelocity: preferred },
      { position: [2.9, -0.3], velocity: [-1.1, 0] },
      { position: [2.8, -2.1], velocity: [-0.2, 0.7] },
      { position: [0.9, 1.6], velocity: [0.8, -0.7] },
    ].map((agent) => ({ preferredVelocity: agent.velocity, ...agent }))
    for (const agent of agents) crowd.add(agent)
    const { constraints } = crowd.inspect(0, 1 / 60)
    const limits = Array.from({ length: constraints.length / 4 }, (_, i) => [
      ...constraints.slice(4 * i, 4 * i + 4),
    ])
    crowd.step(1 / 60)
    const chosen = [...crowd.velocities.subarray(0, 2)]

    const [scale, speedScale, far] = [54, 90, 10]
    const place = ([x, y]) => [90 + scale * x, 190 - scale * y]
    const speed = ([x, y]) => [480 + speedScale * x, 190 - speedScale * y]
    const maxRadius = speedScale * 1.6
    const beyond = ([x, y, dx, dy]) => [
      ...speed([x - far * dx, y - far * dy]),
      ...speed([x + far * dx, y + far * dy]),
      ...speed([x + far * (dx + dy), y + far * (dy - dx)]),
      ...speed([x - far * (dx - dy), y - far * (dy + dx)]),
    ]
    const arrow = (start, end) => line(...start, ...end, 'arrow')
    return svg(
      'Collision avoidance: an agent, its neighbors, and the velocities that they permit',
      [
        `<clipPath id="speeds">${circle(...speed([0, 0]), maxRadius, 'ring')}</clipPath>`,
        agents.map(({ position }, i) =>
          circle(...place(position), 0.6 * scale, i ? 'agent' : 'query'),
        ),
        agents.map(({ position: [x, y], velocity: [dx, dy] }) =>
          arrow(place([x, y]), place([x + dx, y + dy])),
        ),
        '<g clip-path="url(#speeds)">',
        limits.map((limit) => polygon(beyond(limit), 'forbidden')),
        limits.map(([x, y, dx, dy]) =>
          line(
            ...speed([x - far * dx, y - far * dy]),
            ...speed([x + far * dx, y + far * dy]),
            'limit',
            1.5,
          ),
        ),
        '</g>',
        circle(...speed([0, 0]), maxRadius, 'ring dashed'),
        circle(...speed([0, 0]), 2, 'agent'),
        arrow(speed([0, 0]), speed(chosen)),
        circle(...speed(preferred), 5, 'blue'),
        circle(...speed(chosen), 5, 'query'),
        text(MARGIN, 28, 'positions and velocities'),
        text(330, 28, 'velocities of the green agent'),
        text(speed(preferred)[0], speed(preferred)[1] - 12, 'preferred', '', 'middle'),
        text(speed(chosen)[0] - 10, speed(chosen)[1] + 4, 'chosen', '', 'end'),
      ],
    )
  },

  flowfield() {
    const { field, cells, clip, drawClearance, drawWalls } = createLevel(12)
    const lines = field.lines()
    const segments = Array.from({ length: lines.length / 5 }, (_, i) =>
      lines.slice(5 * i, 5 * i + 4),
    )
    const centers = (isBlocked, look) => {
      const places = cells.filter((cell) => cell.isBlocked === isBlocked)
      const dots = places.map(({ center: [x, y] }) => `M${rounded(x)} ${rounded(y)}h0`)
      return `<path d="${dots.join('')}" class="${look}"/>`
    }
    return svg('A flow field: blocked cells, turning points, and the paths between them', [
      clip(drawClearance(), centers(0, 'centers'), centers(1, 'centers hit')),
      segments.map((segment) => line(...segment, 'path', 1.5)),
      segments.map(([x, y]) => circle(x, y, 2.5, 'query')),
      drawWalls(),
    ])
  },

  flood() {
    const side = 20
    const { field, cells, goal, cellAt, clip, drawWalls } = createLevel(side)
    const place = goal.map((at) => (at - MARGIN) / side - 0.5) // in cells, from the center of the first
    const own = place.map(Math.round)
    const [column, row] = [22, 12] // of the cell whose line of sight is shown
    // The line of sight crosses the previous ring between two cells of the next column.
    const crossed = row + (place[1] - row) / (place[0] - column)
    const pair = [Math.floor(crossed), Math.ceil(crossed)].map((row) => cellAt(column + 1, row))
    const rings = Array.from({ length: own[0] - column + 1 }, (_, ring) =>
      cellAt(...own).box.map((border, i) => border + (i < 2 ? -ring : ring) * side),
    )
    const { center } = cellAt(column, row)
    return svg('A flood: the cells that see a goal, in rings, and the line of sight of one cell', [
      clip(
        cells
          .filter(({ anchor, isBlocked }) => anchor === cellAt(...own).anchor && !isBlocked)
          .map(({ box }) => rect(box, 'tint')),
        Array.from({ length: field.columns }, (_, i) => {
          const [x] = cellAt(i, 0).box
          return line(x, MARGIN, x, HEIGHT, 'cell')
        }),
        Array.from({ length: field.rows }, (_, i) => {
          const [, y] = cellAt(0, i).box
          return line(MARGIN, y, WIDTH, y, 'cell')
        }),
        rings.map((box) => rect(box, 'path')),
        pair.map(({ box }) => [rect(box, 'forbidden'), rect(box, 'box hit')]),
      ),
      line(...center, ...goal, 'limit', 1.5),
      circle(...center, 4, 'query'),
      drawWalls(),
    ])
  },

  distances() {
    const [side, band] = [2, 32]
    const { field, cellAt, drawWalls } = createLevel(side)
    const isInBand = (column, row) => Math.floor(cellAt(column, row).distance / band) % 2 === 0 // false for Infinity
    let runs = '' // of cells in the bands
    for (let row = 0; row < field.rows; row++)
      for (let column = 0; column < field.columns; column++) {
        if (!isInBand(column, row)) continue
        const [x, y] = cellAt(column, row).box
        let width = 0
        while (column < field.columns && isInBand(column, row)) {
          width += side
          column++
        }
        runs += `M${x} ${y}h${width}v${side}h${-width}z`
      }
    const start = [60, 120]
    const { corners } = field.path(...start)
    return svg('A flow field: bands of equal distances to the goal, and the path of an agent', [
      `<path d="${runs}" class="tint"/>`,
      polyline([...start, ...corners], 'ring thick'),
      Array.from({ length: corners.length / 2 }, (_, i) =>
        circle(corners[2 * i], corners[2 * i + 1], 3.5, 'query'),
      ),
      circle(...start, 5, 'blue'),
      drawWalls(),
    ])
  },

  /** Draws the first table of which-index.md. */
  crossings() {
    const page = readFileSync(new URL('which-index.md', import.meta.url), 'utf8')
    const [head, , ...rows] = page
      .match(/\| width of a cell [^]*?\n\n/)[0]
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    const widths = head.slice(1).map((width) => {
      const [above, below = 1] = width.split('/').map(Number)
      return above / below
    })
    const [left, right, top, bottom, maxRatio] = [60, 440, 40, 300, 2.5]
    const x = (width) => left + ((Math.log2(width) + 2) / 6) * (right - left)
    const y = (ratio) => bottom - (ratio / maxRatio) * (bottom - top)
    const colors = ['query', 'blue', 'hit', 'agent']
    return svg('Speed of the grid relative to the agent tree, by the width of its cells', [
      text(left - 40, 24, 'speed relative to the agent tree'),
      [0, 0.5, 1, 1.5, 2, 2.5].map((ratio) => [
        line(left, y(ratio), right, y(ratio), ratio === 1 ? 'arrow' : 'cell'),
        text(left - 8, y(ratio) + 4, ratio, 'muted', 'end'),
      ]),
      widths.map((width, i) => text(x(width), bottom + 20, head[i + 1], 'muted', 'middle')),
      text((left + right) / 2, bottom + 44, 'cell width / radius', '', 'middle'),
      rows.map(([name, ...ratios], i) => {
        const points = ratios.flatMap((ratio, j) => [x(widths[j]), y(Number(ratio))])
        const stroke = `var(--${colors[i]})`
        return [
          `<path d="M${outline(points)}" class="series" style="stroke: ${stroke}"/>`,
          ratios.map((ratio, j) => circle(x(widths[j]), y(Number(ratio)), 3, colors[i])),
          circle(right + 20, top + 20 + 24 * i, 4, colors[i]),
          text(right + 32, top + 24 + 24 * i, name.replaceAll('`', '').split(',')[0]),
        ]
      }),
    ])
  },

  /** Draws the kept results of `make bench-leaf`. */
  leafsizes() {
    const kept = new URL('../../tests/bench/results/leafsizes.json', import.meta.url)
    const { measurements } = JSON.parse(readFileSync(kept, 'utf8'))
    const works = {
      build: 'build',
      within: 'one within',
      nearest: 'one nearest',
      allWithin: 'every agent’s neighbors',
      allNeighbors: 'every agent’s 8 nearest',
    }
    const base = 64
    const counts = [...new Set(measurements.map(({ n }) => n))]
    const colors = ['blue', 'query', 'hit']
    const [width, height, columns] = [160, 104, 3]
    const ratios = [0.25, 1, 4, 16]
    const places = Object.keys(works).map((_, i) => [
      46 + (i % columns) * (width + 44),
      50 + Math.floor(i / columns) * (height + 62),
    ])
    const panels = Object.entries(works).map(([work, title], i) => {
      const [left, top] = places[i]
      const x = (size) => left + (Math.log2(size) / 10) * width
      const y = (ratio) => top + height - ((Math.log2(ratio) + 2) / 6.2) * height
      return [
        text(left, top - 12, title),
        ratios.map((ratio) => [
          line(left, y(ratio), left + width, y(ratio), ratio === 1 ? 'arrow' : 'cell'),
          text(left - 6, y(ratio) + 4, ratio === 0.25 ? '¼' : ratio, 'muted', 'end'),
        ]),
        [1, 8, base, 512].map((size) => text(x(size), top + height + 18, size, 'muted', 'middle')),
        counts.map((n, j) => {
          const { times } = measurements.find((it) => it.work === work && it.n === n)
          const points = Object.entries(times).flatMap(([size, { least }]) => [
            x(size),
            y(least / times[base].least),
          ])
          return `<path d="M${outline(points)}" class="series" style="stroke: var(--${colors[j]})"/>`
        }),
      ]
    })
    const left = 46 + 2 * (width + 44)
    const top = 50 + height + 62
    return svg(
      'Times of an agent tree by the size of its leaves, relative to leaves of 64 agents',
      [
        panels,
        counts.map((n, j) => [
          circle(left + 6, top + 8 + 24 * j, 4, colors[j]),
          text(left + 20, top + 12 + 24 * j, `${n.toLocaleString('en')} agents`),
        ]),
        text(left, top + 90, 'time, by leafSize', 'muted'),
        text(left, top + 110, '1: leaves of 64 agents', 'muted'),
      ],
    )
  },
}

await init()
mkdirSync(OUT, { recursive: true })
for (const [name, draw] of Object.entries(figures)) writeFileSync(`${OUT}/${name}.svg`, draw())
