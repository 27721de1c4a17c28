// Distances, computed as the library does.

const { fround } = Math

/** Returns a squared distance, rounded like the library's. */
export function distance2(positions, id, x, y) {
  const dx = fround(fround(x) - positions[2 * id])
  const dy = fround(fround(y) - positions[2 * id + 1])
  return fround(fround(dx * dx) + fround(dy * dy))
}
