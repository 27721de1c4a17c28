/* Querying the k-d tree. */

#include "kdtree.h"

#include "../base/geom.h"
#include "../base/region.h"

#include <string.h>

/* ---- Regions ------------------------------------------------------------------------------ */

ALWAYS_INLINE uint32_t collect_in(const struct kdtree *tree, const region *where, const shape kind,
                                  const copse_query *query, copse_results *results, const int dim) {
  copse_results local = *results; /* a local copy, which can stay in registers */
  const scan_filter filter = points_filter(&tree->points, query);
  uint32_t visits = 0;
  float4 lo, hi;
  region_bounds(where, &lo, &hi, kind, dim);
  kdtree_walk walk;
  kdtree_range run;
  kdtree_walk_start(&walk, tree, lo, hi, query->mask);
  while (kdtree_walk_next(&walk, tree, &run, dim)) {
    visits++;
    if (kind == SHAPE_CIRCLE)
      region_scan(&tree->points.ordered, run.begin, run.end, where, &filter, &local, kind, dim);
    else
      points_scan(&tree->points, run.begin, run.end, where, kind, &filter, &local);
  }
  results->total = local.total;
  return visits;
}

ALWAYS_INLINE uint32_t collect_circle(const struct kdtree *tree, const region *where,
                                      const copse_query *query, copse_results *results) {
  return WITH_DIM(tree->points.dimensions, collect_in, tree, where, SHAPE_CIRCLE, query, results);
}

OUT_OF_LINE uint32_t collect_other(const struct kdtree *tree, const region *where, shape kind,
                                   const copse_query *query, copse_results *results) {
  const shape other = kind == SHAPE_BOX ? SHAPE_BOX : SHAPE_CONE;
  return collect_in(tree, where, other, query, results, (int)tree->points.dimensions);
}

uint32_t kdtree_collect(const void *tree, const region *where, shape kind, const copse_query *query,
                        copse_results *results) {
  return kind == SHAPE_CIRCLE ? collect_circle(tree, where, query, results)
                              : collect_other(tree, where, kind, query, results);
}

/* ---- Counting ----------------------------------------------------------------------------- */

/* A range of points, and a box that contains them. */
typedef struct kdtree_cell {
  kdtree_range range;
  float box[6];
} kdtree_cell;

/* Returns the number of points in a range, not counting the query's excluded point. Call it only if
 * all points of the range match the query's mask. */
static uint32_t admitted(const struct kdtree *tree, const kdtree_range *range,
                         const copse_query *query) {
  uint32_t total = range->end - range->begin;
  if (query->exclude != COPSE_NONE)
    for (uint32_t i = range->begin; i < range->end; i++)
      total -= tree->points.ordered.ids[i] == query->exclude;
  return total;
}

ALWAYS_INLINE uint32_t count_in(const struct kdtree *tree, const region *where,
                                const copse_query *query, uint32_t *visits, const bool stopAtFirst,
                                const int dim) {
  const float *center = where->circle.center, radius2 = where->circle.radius2;
  const scan_points *points = &tree->points.ordered;
  const scan_filter filter = points_filter(&tree->points, query);
  kdtree_cell stack[KDTREE_LEVELS];
  uint32_t waiting = 0, total = 0;
  if (points_have(&tree->points, query->mask)) {
    stack[0].range = (kdtree_range){0, tree->points.present, 0};
    for (int i = 0; i < 2 * dim; i++) stack[0].box[i] = tree->bounds[i];
    waiting = 1;
  }
  while (waiting && !(stopAtFirst && total)) {
    const kdtree_cell cell = stack[--waiting];
    const kdtree_range *range = &cell.range;
    ++*visits;
    if (!(box_gap2(cell.box, center, dim) <= radius2)) continue;
    if (!filter.testGroups && box_reach2(cell.box, center, dim) <= radius2) {
      total += admitted(tree, range, query);
    } else if (range->end - range->begin <= KDTREE_RUN) {
      total += points_scan_count(&tree->points, range->begin, range->end, where, &filter);
    } else {
      const uint32_t middle = kdtree_middle(range->begin, range->end), axis = range->axis;
      const uint32_t next = kdtree_next_axis(axis, dim);
      const float x = points->axes[axis][middle];
      total += points_scan_count(&tree->points, middle, middle + 1, where, &filter);
      stack[waiting] = cell;
      stack[waiting].range = (kdtree_range){middle + 1, range->end, next};
      stack[waiting++].box[axis] = x;
      stack[waiting] = cell;
      stack[waiting].range = (kdtree_range){range->begin, middle, next};
      stack[waiting++].box[dim + (int)axis] = x;
    }
  }
  return total;
}

uint32_t kdtree_count(const void *tree, const region *circle, const copse_query *query,
                      bool stopAtFirst, uint32_t *visits) {
  return WITH_DIM(((const struct kdtree *)tree)->points.dimensions, count_in, tree, circle, query,
                  visits, stopAtFirst);
}

/* ---- Nearest ------------------------------------------------------------------------------ */

/* A node that a search passed on its way down, to come back to it later. The search went on to the
 * side of the node on which the query's center is. Still to be searched are the node's point and
 * the far side, on which the center is not. */
typedef struct aside {
  kdtree_range range; /* the points on the far side of the node */
  uint32_t node;
  /* The distances from the query's center to the far side of the node, along each axis. */
  float gaps[3];
  /* The squared length of `gaps`: neither the node nor a point on its far side is nearer to the
   * query's center. */
  float gap2;
} aside;

/* A search for the nearest points: where it goes down next. */
typedef struct nearest_descent {
  kdtree_range range; /* the range to enter next */
  float gaps[3];      /* the distances from the center to `range`, along each axis */
  uint32_t waiting;   /* the number of nodes on the stack, which are left for later */
  uint32_t visits;
} nearest_descent;

/* Goes down, at each node to the side on which the center is, until a range is small enough to be
 * scanned. Returns this range. Each node on the way is pushed onto the stack. */
ALWAYS_INLINE kdtree_range go_down(nearest_descent *descent, aside *stack,
                                   const scan_points *points, const float *center, const int dim) {
  while (descent->range.end - descent->range.begin > KDTREE_RUN) {
    const kdtree_range range = descent->range;
    const uint32_t node = kdtree_middle(range.begin, range.end), axis = range.axis;
    const uint32_t next = kdtree_next_axis(axis, dim);
    WORKED(1);
    const kdtree_range left = {range.begin, node, next}, right = {node + 1, range.end, next};
    const float gap = center[axis] - points->axes[axis][node];
    aside *other = &stack[descent->waiting++];
    other->node = node;
    other->range = gap < 0 ? right : left;
    descent->range = gap < 0 ? left : right;
    EACH_AXIS (i, dim) other->gaps[i] = descent->gaps[i];
    other->gaps[axis] = gap;
    other->gap2 = sum_of_squares(other->gaps, dim);
    descent->visits++;
  }
  descent->visits++;
  return descent->range;
}

/* Pops nodes from the stack until one may be near enough. Writes this node to *node, as a range of
 * one point to scan. Sets descent->range to its far side, to go down there next. A node exactly as
 * far as the limit is near enough: of equally near points, the search finds those with the lowest
 * ids. Returns false if no such node is left. */
ALWAYS_INLINE bool go_back(nearest_descent *descent, const aside *stack, float limit2,
                           kdtree_range *node, const int dim) {
  const aside *back;
  do {
    if (!descent->waiting) return false;
    back = &stack[--descent->waiting];
  } while (!(back->gap2 <= limit2));
  *node = (kdtree_range){back->node, back->node + 1, 0};
  descent->range = back->range;
  EACH_AXIS (i, dim) descent->gaps[i] = back->gaps[i];
  return true;
}

/* Finds the nearest point (if `one` is not NULL), or the k nearest (in `nearest`). Goes down to a
 * range of points and scans it, goes back to a node passed on the way and scans its point, goes
 * down on its other side, and so on. Returns the number of nodes visited. */
ALWAYS_INLINE uint32_t search(const struct kdtree *tree, const float *center,
                              const copse_query *query, pair *one, scan_nearest *nearest,
                              const int dim) {
  const scan_points points = tree->points.ordered;
  const scan_filter filter = points_filter(&tree->points, query);
  aside stack[KDTREE_LEVELS];
  nearest_descent descent = {{0, tree->points.present, 0}, {0}, 0, 0};
  if (!points_have(&tree->points, query->mask)) return 0;
  for (bool down = true;; down = !down) {
    kdtree_range run;
    if (down)
      run = go_down(&descent, stack, &points, center, dim);
    else if (!go_back(&descent, stack, one ? one->distance2 : nearest->limit2, &run, dim))
      return descent.visits;
    if (one)
      scan_nearest_one(&points, run.begin, run.end, center, &filter, one, false, dim);
    else
      points_scan_neighbors(&tree->points, run.begin, run.end, center, &filter, nearest);
  }
}

uint32_t kdtree_nearest(const void *tree, const float *center, const copse_query *query,
                        pair *nearest) {
  return WITH_DIM(((const struct kdtree *)tree)->points.dimensions, search, tree, center, query,
                  nearest, NULL);
}

uint32_t kdtree_neighbors(const void *tree, const float *center, const copse_query *query,
                          scan_nearest *nearest) {
  return WITH_DIM(((const struct kdtree *)tree)->points.dimensions, search, tree, center, query,
                  NULL, nearest);
}

/* Estimates the squared distance of the k-th neighbor, from the density of the points in a range of
 * the tree: the smallest one that contains `center` and has enough points. */
float kdtree_reach2(const void *index, const float *center, uint32_t k) {
  const struct kdtree *tree = index;
  const int dim = (int)tree->points.dimensions;
  kdtree_range range = {0, tree->points.present, 0};
  float box[6];
  memcpy(box, tree->bounds, sizeof box);
  while (range.end - range.begin >= 4 * points_aim(k)) {
    const uint32_t node = kdtree_middle(range.begin, range.end), axis = range.axis;
    const float x = tree->points.ordered.axes[axis][node];
    const bool toLeft = center[axis] < x;
    range = (kdtree_range){toLeft ? range.begin : node + 1, toLeft ? node : range.end,
                           kdtree_next_axis(axis, dim)};
    box[toLeft ? (uint32_t)dim + axis : axis] = x;
  }
  return points_reach2(box, range.end - range.begin, center, k, dim);
}
