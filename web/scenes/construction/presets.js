// Worked examples, in a world of 10 × 10.

export const WORLD = [0, 0, 10, 10]

/** Points by name: x, y, x, y, …. */
export const POINTS = {
  // With one agent per leaf, the agent tree cuts ABCDEF, BCD, BC, AEF and AF.
  'agents A to F': [6.5, 3.5, 1.5, 6, 3.5, 8.5, 2.5, 2, 7.5, 8, 9, 1.5],
  // The points by which textbooks explain the k-d tree: its root is (7, 2).
  'six points': [7, 2, 5, 4, 2, 3, 4, 7, 9, 6, 8, 1],
}

/** Walls by name: polygons, counter-clockwise, and segments. */
export const WALLS = {
  'four houses': [
    [1.5, 1.5, 4, 2, 2, 4],
    [6, 1.5, 8.5, 2.5, 8, 4.5, 5.5, 3.5],
    [2, 6.5, 4.5, 6, 3.5, 8.5],
    [6.5, 6.5, 9, 7, 7.5, 9],
  ],
  'thin walls': [
    [1, 2, 4.5, 1],
    [2, 4, 3, 7],
    [5, 3.5, 8, 3],
    [5.5, 9, 4.5, 5.5],
    [7, 5, 9, 7.5],
    [1.5, 9, 4, 8.5],
  ],
}
