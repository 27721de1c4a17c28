/* Rays through the k-d tree. At each node, a search descends first to the side that the ray reaches
 * first, and later to the other side, until all remaining subtrees lie beyond the first hit. */

#include "kdtree.h"

#include "ray.h"

#include <string.h>

/* A range of points, a box that contains them, and the fraction of the ray at which the ray reaches
 * the box. */
typedef struct kdtree_cell {
  kdtree_range range;
  float box[6 + BOX_PADDING];
  float time;
} kdtree_cell;

/* Writes the left or right half of a cell, with the points begin … end - 1. The coordinate `x`, on
 * the axis of the cell's node, divides the halves. */
ALWAYS_INLINE void cell_side(kdtree_cell *half, const kdtree_cell *cell, uint32_t begin,
                             uint32_t end, float x, const bool isLeft, const int dim) {
  const uint32_t axis = cell->range.axis;
  memcpy(half->box, cell->box, sizeof half->box);
  half->box[isLeft ? (uint32_t)dim + axis : axis] = x;
  half->range = (kdtree_range){begin, end, kdtree_next_axis(axis, dim)};
}

ALWAYS_INLINE uint32_t cast(const struct kdtree *tree, const scan_ray *ray,
                            const copse_query *query, copse_hit *hit, const int dim) {
  const scan_points *points = &tree->points.ordered;
  const scan_filter filter = points_filter(&tree->points, query);
  const ray4 along = ray4_of(ray, dim);
  kdtree_cell stack[KDTREE_LEVELS + 1] = {{.range = {0, tree->points.present, 0}}};
  uint32_t waiting = points_have(&tree->points, query->mask), visits = 0;
  memcpy(stack[0].box, tree->bounds, sizeof tree->bounds);
  while (waiting) {
    const kdtree_cell cell = stack[--waiting];
    const uint32_t begin = cell.range.begin, end = cell.range.end;
    if (cell.time > hit->fraction)
      continue; /* a cell as far as the hit is searched: a point in it may tie, with a lower id */
    visits++;
    if (end - begin <= KDTREE_RUN) {
      points_scan_ray(&tree->points, begin, end, ray, &filter, hit);
      continue;
    }
    const uint32_t middle = kdtree_middle(begin, end);
    const float x = points->axes[cell.range.axis][middle];
    points_scan_ray(&tree->points, middle, middle + 1, ray, &filter, hit);
    kdtree_cell left, right;
    cell_side(&left, &cell, begin, middle, x, true, dim);
    cell_side(&right, &cell, middle + 1, end, x, false, dim);
    float times[4];
    const uint32_t enter = ray4_reaches(&along, box4_load(left.box, dim), box4_load(right.box, dim),
                                        hit->fraction, times, dim);
    left.time = times[0];
    right.time = times[1];
    const bool leftFirst = times[0] <= times[1];
    if (leftFirst ? enter & 2 : enter & 1) stack[waiting++] = leftFirst ? right : left;
    if (leftFirst ? enter & 1 : enter & 2) stack[waiting++] = leftFirst ? left : right;
  }
  return visits;
}

uint32_t kdtree_cast(const void *index, const scan_ray *ray, const copse_query *query,
                     copse_hit *hit) {
  const struct kdtree *tree = index;
  return WITH_DIM(tree->points.dimensions, cast, tree, ray, query, hit);
}
