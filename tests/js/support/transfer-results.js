// The queries of transfer.test.js, run in the main thread and in a worker.

/** Returns everything about a tree that a message can hold. */
export function resultsOf(tree, dimensions) {
  const center = [500, 400, 300].slice(0, dimensions)
  const rows = tree.allWithin(40)
  return {
    count: tree.count,
    slots: tree.slots,
    generations: tree.generations.slice(),
    capacity: tree.capacity,
    isValid: tree._validate(),
    order: tree.order(),
    cells: tree.cells(),
    bytes: tree.save(),
    within: tree.within(...center, 200).slice(),
    neighbors: tree.neighbors(...center, 20).slice(),
    total: rows.total,
    rows: rows.ids.slice(0, rows.total),
    hit: { ...tree.raycast(...center.map(() => 0), ...center.map(() => 999), { radius: 40 }) },
  }
}
