// What happens in a step, in words: [title, sentence].

const round = (x) => `${Math.round(10 * x) / 10}`
const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`
const AXES = ['x', 'y']

/** Describes a step of the construction of a tree of points. */
export function describeBuild({ kind, node }, { tree, leafSize, axis, split, noun, nameOf }) {
  const count = node.ids.length
  const isKd = tree === 'k-d tree'
  if (kind === 'start') {
    const rules = {
      'agent tree': `A node with more than ${plural(leafSize, 'agent')} is cut ${
        axis === 'cycle' ? 'along x, y, x, … by depth' : 'along the longest side of its bounds'
      }, at the ${split}.`,
      'k-d tree': 'The median point of a range becomes a node: by x at depth 0, by y at depth 1, …',
      quadtree: `A cell with more than ${plural(leafSize, 'point')} is divided into four.`,
    }
    return [`${plural(count, noun)}, one range: the root`, rules[tree]]
  }
  const name = nameOf(node)
  const { cut, box, children, depth } = node
  if (kind === 'leaf' && isKd)
    return [`Leaf ${name}`, `The only point of its range, at depth ${depth}.`]
  if (kind === 'leaf') {
    const why =
      count > leafSize ? ': they can’t be divided further' : `; a leaf holds at most ${leafSize}`
    return [`Leaf ${name}`, `It has ${plural(count, noun)}${why}. Depth ${depth}.`]
  }
  if (tree === 'quadtree') {
    const counts = children.map(({ ids }) => ids.length).join(', ')
    const at = `(${round(cut.x)}, ${round(cut.y)})`
    return [
      `Divide ${name}`,
      `${count} points, more than ${leafSize}. The center ${at} makes four cells with ${counts} points.`,
    ]
  }
  const line = `${AXES[cut.axis]}\u00a0=\u00a0${round(cut.at)}`
  const [below, above] = cut.axis === 0 ? ['left', 'right'] : ['below', 'above']
  if (isKd) {
    const rest = `${children[0].ids.length} ${below}, ${children[1]?.ids.length ?? 0} ${above}`
    return [
      `Median ${name}`,
      `Depth ${depth}: of ${plural(count, 'point')} by ${AXES[cut.axis]}, the median is ${name}. Cut at ${line}: ${rest}.`,
    ]
  }
  const sides = `${round(box[2] - box[0])} × ${round(box[3] - box[1])}`
  const why =
    axis === 'cycle'
      ? `At depth ${depth}, the axis is ${AXES[cut.axis]}`
      : `Their bounds, ${sides}, are longest along ${AXES[cut.axis]}`
  const [first, second] = children.map(nameOf)
  return [
    `Cut ${name}`,
    `${plural(count, noun)}: a leaf holds at most ${leafSize}. ${why}: cut at the ${cut.rule}, ${line}. ${first} ${below}, ${second} ${above}.`,
  ]
}

/** Describes a step of the construction of an obstacle tree. */
export function describeWalls({ kind, node, candidate }, { leafSize, nameOf, lineName }) {
  const { pieces, candidates, cut, children, depth } = node
  const count = plural(pieces.length, 'edge')
  if (kind === 'start')
    return [
      `${count}, one node: the root`,
      `With more than ${leafSize} in a node, the lines along its edges are tried. The best has the fewest on its fuller side.`,
    ]
  if (kind === 'try') {
    const tried = candidates[candidate]
    const title = `Try ${lineName(tried)}: ${tried.left} left, ${tried.right} right`
    if (tried.best === candidate)
      return [title, 'The best so far. An edge that crosses counts on both sides.']
    const best = candidates[tried.best]
    return [title, `Not better than ${lineName(best)}: ${best.left}, ${best.right}.`]
  }
  if (kind === 'cut') {
    const extra = children[0].pieces.length + children[1].pieces.length - pieces.length
    const crossing = extra ? `It splits ${plural(extra, 'edge')}.` : 'It splits no edge.'
    return [
      `Divide by ${lineName(cut)}`,
      `${cut.left} left, ${cut.right} right: no line has fewer on its fuller side. ${crossing}`,
    ]
  }
  const why =
    pieces.length > leafSize
      ? ': no line leaves three quarters or fewer on each side'
      : `, at most ${leafSize}`
  return [`Cell ${nameOf(node)}`, `A leaf of ${count}${why}. Depth ${depth}.`]
}

/** Describes a step of a query. */
export function describeQuery(
  { kind, node, gaps, axis, found },
  { tree, radius, noun, nameOf, lineName },
) {
  const name = nameOf(node)
  const isWalls = tree === 'obstacle tree'
  const away = (gap) => (gap <= 0 ? 'on this side' : `${round(gap)} away`)
  if (kind === 'prune') {
    const along = axis >= 0 ? ` along ${AXES[axis]}` : ''
    const what = isWalls ? `Prune the other side of ${lineName(node.parent.cut)}` : `Prune ${name}`
    return [
      what,
      `It is ${round(gaps[0])} away${along}, beyond the radius ${round(radius)}: nothing in it is read.`,
    ]
  }
  if (kind === 'scan') {
    const count = (node.pieces ?? node.ids).length
    return [`Scan ${name}`, `A leaf: ${plural(count, noun)} tested; ${found} found so far.`]
  }
  if (isWalls) {
    const side = gaps[0] < 0 ? 'right' : 'left'
    const distance = round(Math.abs(gaps[0]))
    return [
      `Side of ${lineName(node.cut)}: ${side}`,
      `The query is ${distance} from the line, so the ${side} child comes first.`,
    ]
  }
  if (tree === 'quadtree')
    return [`Visit ${name}`, 'Which of the four cells meet the square around the circle?']
  if (tree === 'k-d tree') {
    const line = `${AXES[node.cut.axis]} = ${round(node.cut.at)}`
    return [
      `Test ${name}`,
      `Its line ${line} is ${round(Math.abs(gaps[0]))} away; ${found} found so far.`,
    ]
  }
  const [first, second] = node.children.map(nameOf)
  return [
    `Visit ${name}`,
    `Along ${AXES[node.cut.axis]}, ${first} is ${away(gaps[0])}, ${second} is ${away(gaps[1])}.`,
  ]
}
