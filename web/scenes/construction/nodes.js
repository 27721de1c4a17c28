// The nodes of a tree of points as the library built it, in build order, read from what the classes return
// to draw them: cells() and order().
//
// A node:
//   index, parent      index in the list of nodes; parent: a node, null for the root
//   children           nodes; empty for a leaf
//   depth              0 for the root
//   ids                the points in its subtree
//   own                the point that the node itself holds (k-d tree), or else -1
//   box                minX, minY, maxX, maxY: the bounds of its points (agent tree), or its region
//   cut                { axis, at, rule } (agent tree, k-d tree), { x, y } (quadtree), or null in a leaf
//   count              the number of points that cells() says

const { fround } = Math

/** Reads rows of cells() one by one, in order. `isDeeper(depth)`: true if the next row is deeper. */
function createReader(cells) {
  let offset = 0
  return {
    next() {
      const [minX, minY, maxX, maxY, depth, count] = cells.subarray(offset, (offset += 6))
      return { box: [minX, minY, maxX, maxY], depth, count }
    },
    isDeeper: (depth) => cells[offset + 4] > depth,
  }
}

function addNode(nodes, parent, rest) {
  const node = { index: nodes.length, parent, children: [], own: -1, cut: null, ...rest }
  nodes.push(node)
  parent?.children.push(node)
  return node
}

/** Returns the nodes of an AgentTree with the options `axis` and `split`. */
export function agentTreeNodes(tree, { axis, split }) {
  const nodes = []
  const order = tree.order()
  const rows = createReader(tree.cells())

  function grow(parent, begin) {
    const row = rows.next()
    const ids = [...order.subarray(begin, begin + row.count)]
    const node = addNode(nodes, parent, { ...row, ids })
    if (!rows.isDeeper(node.depth)) return
    grow(node, begin)
    grow(node, begin + node.children[0].count)
    node.cut = cutOf(node, axis, split)
  }
  if (order.length > 0) grow(null, 0)
  return nodes
}

// Follows from the rule and the bounds of the children. The tree cuts at a median, too, where midpoints
// would make it too deep.
function cutOf({ box, depth, children: [left, right] }, rule, split) {
  const sides = [fround(box[2] - box[0]), fround(box[3] - box[1])]
  let axis = sides[1] > sides[0] ? 1 : 0
  if (rule === 'cycle') axis = sides[depth % 2] > 0 ? depth % 2 : 1 - (depth % 2)
  const middle = fround(box[axis] + fround(sides[axis] / 2))
  const isMiddle = left.box[axis + 2] < middle && middle <= right.box[axis]
  return split === 'midpoint' && isMiddle
    ? { axis, at: middle, rule: 'midpoint' }
    : { axis, at: right.box[axis], rule: 'median' }
}

/** Returns the nodes of a KdTree. Their regions divide the box `world`. */
export function kdTreeNodes(tree, world) {
  const nodes = []
  const order = tree.order()
  const rows = createReader(tree.cells())

  function grow(parent, begin, end, region) {
    if (begin === end) return
    const { box: line, depth, count } = rows.next()
    const axis = depth % 2
    const middle = begin + ((end - begin) >> 1)
    const ids = [...order.subarray(begin, end)]
    const cut = { axis, at: line[axis], rule: 'median' }
    const node = addNode(nodes, parent, { box: region, depth, count, ids, own: order[middle], cut })
    const [below, above] = [[...region], [...region]]
    below[axis + 2] = above[axis] = line[axis]
    grow(node, begin, middle, below)
    grow(node, middle + 1, end, above)
  }
  grow(null, 0, order.length, world)
  return nodes
}

/** Returns the nodes of a Quadtree of the points in `positions`. */
export function quadtreeNodes(tree, positions) {
  const nodes = []
  const rows = createReader(tree.cells())

  function grow(parent) {
    const node = addNode(nodes, parent, { ...rows.next(), ids: [] })
    while (node.children.length < 4 && rows.isDeeper(node.depth)) grow(node)
    const [x, y] = node.children.at(-1)?.box ?? []
    if (x !== undefined) node.cut = { x, y }
  }
  grow(null)

  // A point descends to the child on its side of the center.
  for (let id = 0; id < positions.length / 2; id++) {
    let node = nodes[0]
    for (; node.cut; node = node.children[quarterOf(node.cut, positions, id)]) node.ids.push(id)
    node.ids.push(id)
  }
  return nodes
}

const quarterOf = ({ x, y }, positions, id) =>
  Number(positions[2 * id] >= x) + 2 * Number(positions[2 * id + 1] >= y)
