/* Builds the k-d tree by presorting, as in R. A. Brown, "Building a balanced k-d tree in
 * O(kn log n) time" (JCGT 4(1), 2015). First, the points are sorted once per axis, which gives an
 * order for each axis. Then ranges of points are divided: the median in the order of the range's
 * axis becomes the node, and the orders of the other axes are divided into the same two sides,
 * without sorting again. Equal points are allowed: points are compared by super keys (see
 * kdtree.h), which end with the id. */

#include "kdtree.h"

#include <string.h>

/* Returns a key to sort by. Its high half is the coordinate, as an integer that compares in the
 * same way; its low half is the index of the point. */
static uint64_t key_of(float coordinate, uint32_t place) {
  return (uint64_t)ordered_bits(coordinate) << 32 | place;
}

static bool key_before(const scan_points *points, uint64_t a, uint64_t b, uint32_t axis, int dim) {
  if (a >> 32 != b >> 32) return a < b;
  return kdtree_before(points, (uint32_t)a, (uint32_t)b, axis, dim);
}

/* Sorts keys by coordinate on an axis, and equal coordinates in the order of kdtree_before. Merges
 * runs that double in length. Overwrites both arrays. Returns the one with the result. */
static uint64_t *sort_keys(const struct kdtree *tree, uint64_t *input, uint64_t *output,
                           uint32_t axis) {
  const scan_points *points = &tree->points.ordered;
  const uint64_t n = tree->points.present;
  const int dim = (int)tree->points.dimensions;
  for (uint64_t width = 1; width < n; width *= 2) {
    for (uint64_t begin = 0; begin < n; begin += 2 * width) {
      const uint64_t middle = begin + width < n ? begin + width : n;
      const uint64_t end = begin + 2 * width < n ? begin + 2 * width : n;
      uint64_t left = begin, right = middle;
      for (uint64_t i = begin; i < end; i++) {
        WORKED(1);
        const bool second = left == middle || (right < end && key_before(points, input[right],
                                                                         input[left], axis, dim));
        output[i] = second ? input[right++] : input[left++];
      }
    }
    uint64_t *swapped = input;
    input = output;
    output = swapped;
  }
  return input;
}

/* Rearranges a range of the order of one axis: first the points left of a node, then the node's own
 * point, then those right of it. The points of each side keep their order. `right` is scratch
 * memory. */
static void divide(uint32_t *order, const kdtree_range *range, uint32_t node, const bool *isLeft,
                   uint32_t *right) {
  uint32_t front = range->begin, behind = 0;
  for (uint32_t i = range->begin; i < range->end; i++) {
    const uint32_t place = order[i];
    if (place == node) continue;
    if (isLeft[place])
      order[front++] = place;
    else
      right[behind++] = place;
  }
  order[front] = node;
  memcpy(order + front + 1, right, behind * sizeof *right);
}

void kdtree_presort(const struct kdtree *tree) {
  const uint32_t n = tree->points.present;
  const int dim = (int)tree->points.dimensions;
  uint64_t *keys = tree->room.keys;
  uint32_t *const *orders = tree->room.orders;
  if (!n) return;
  for (uint32_t axis = 0; axis < (uint32_t)dim; axis++) {
    for (uint32_t i = 0; i < n; i++) keys[i] = key_of(tree->points.ordered.axes[axis][i], i);
    const uint64_t *sorted = sort_keys(tree, keys, keys + n, axis);
    for (uint32_t i = 0; i < n; i++) orders[axis][i] = (uint32_t)sorted[i];
  }

  /* Scratch memory in place of the keys, which are not needed any more. */
  uint32_t *right = (uint32_t *)(void *)keys;
  bool *isLeft = (bool *)(right + n);
  kdtree_range stack[KDTREE_LEVELS];
  uint32_t waiting = 0;
  stack[waiting++] = (kdtree_range){0, n, 0};
  while (waiting) {
    const kdtree_range range = stack[--waiting];
    /* At most one point: the orders of all axes agree. */
    if (range.end - range.begin <= 1) continue;
    const uint32_t *order = orders[range.axis];
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    for (uint32_t i = range.begin; i < range.end; i++) isLeft[order[i]] = i < middle;
    const uint32_t next = kdtree_next_axis(range.axis, dim);
    for (uint32_t axis = next; axis != range.axis; axis = kdtree_next_axis(axis, dim))
      divide(orders[axis], &range, order[middle], isLeft, right);
    stack[waiting++] = (kdtree_range){middle + 1, range.end, next};
    stack[waiting++] = (kdtree_range){range.begin, middle, next};
  }
  for (uint32_t i = 0; i < n; i++) orders[0][i] = tree->points.ordered.ids[orders[0][i]];
}
