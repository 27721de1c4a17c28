/* The k-d tree: balanced, one point per node, without pointers, for points that seldom move.
 *
 * The points are stored in separate arrays for coordinates, ids and groups. The node of a range
 * begin … end - 1 is its middle point, at begin + (end - begin) / 2. The points before the node are
 * its left subtree, those after it the right one. On the axis of the node's level (x, y, (z,) x, …)
 * no point on the left is greater than the node and none on the right is less, by the *super key*:
 * the coordinates from that axis on, cyclically, and then the id. No two super keys are equal, so
 * exactly one order satisfies this. It depends only on the points, and all builders produce it.
 *
 * After J. L. Bentley, "Multidimensional binary search trees used for associative searching"
 * (1975). */
#ifndef COPSE_KDTREE_H
#define COPSE_KDTREE_H

#include "points.h"

/* Scratch arrays of the builder that sorts first (COPSE_BUILDER_PRESORT). */
typedef struct presort_room {
  uint64_t *keys;      /* 2 * capacity keys to sort; NULL unless COPSE_BUILDER_PRESORT is used */
  uint32_t *orders[3]; /* per axis: `capacity` indices of points, in sorted order */
} presort_room;

struct kdtree {
  copse_points points;
  copse_builder builder;
  presort_room room;
  float bounds[6]; /* the tight bounds of all points */
};

/* A query scans a range of up to this many points, instead of descending to its two sides. */
enum { KDTREE_RUN = 32 };

/* A range of points, begin … end - 1, and the axis on which its node divides it. */
typedef struct kdtree_range {
  uint32_t begin, end, axis;
} kdtree_range;

ALWAYS_INLINE uint32_t kdtree_middle(uint32_t begin, uint32_t end) {
  return begin + (end - begin) / 2;
}
ALWAYS_INLINE uint32_t kdtree_next_axis(uint32_t axis, const int dim) {
  return axis + 1 == (uint32_t)dim ? 0 : axis + 1;
}

/* More than the number of levels of any tree: each level halves the ranges, and a tree has at most
 * 2^28 points. Enough for a stack that holds one waiting range per level. */
enum { KDTREE_LEVELS = 30 };

/* True if point i comes before point j by the super key: the coordinates from an axis on,
 * cyclically, and then the id. */
ALWAYS_INLINE bool kdtree_before(const scan_points *points, uint32_t i, uint32_t j, uint32_t axis,
                                 const int dim) {
  for (int key = 0; key < dim; key++, axis = kdtree_next_axis(axis, dim)) {
    const float a = points->axes[axis][i], b = points->axes[axis][j];
    WORKED(1);
    if (a != b) return a < b;
  }
  return points->ids[i] < points->ids[j];
}

/* ---- Walking over the points that can be in a box ---- */

/* A walk over the ranges of points that can be in the box lo … hi. */
typedef struct kdtree_walk {
  float lo[4], hi[4];
  uint32_t waiting;
  kdtree_range stack[2 * KDTREE_LEVELS]; /* still to visit: per level, a subtree and a node */
} kdtree_walk;

/* Starts a walk over runs, which are ranges of points. Together, the runs contain all points in the
 * box lo … hi, and some points outside the box. `lo` and `hi` have the lanes x, y, z. */
ALWAYS_INLINE void kdtree_walk_start(kdtree_walk *walk, const struct kdtree *tree, float4 lo,
                                     float4 hi, uint32_t mask) {
  float4_store(walk->lo, lo);
  float4_store(walk->hi, hi);
  walk->stack[0] = (kdtree_range){0, tree->points.present, 0};
  walk->waiting = points_have(&tree->points, mask);
}

/* Writes the next run of points to *run. The runs come in the order in which the tree stores the
 * points. Returns false at the end. */
ALWAYS_INLINE bool kdtree_walk_next(kdtree_walk *walk, const struct kdtree *tree, kdtree_range *run,
                                    const int dim) {
  while (walk->waiting) {
    const kdtree_range range = walk->stack[--walk->waiting];
    const uint32_t begin = range.begin, end = range.end;
    WORKED(1);
    *run = range;
    if (end - begin <= KDTREE_RUN) return true;
    const uint32_t middle = kdtree_middle(begin, end), next = kdtree_next_axis(range.axis, dim);
    const float x = tree->points.ordered.axes[range.axis][middle];
    const bool left = walk->lo[range.axis] <= x, right = x <= walk->hi[range.axis];
    if (left && right) {
      if (end - begin <= 2 * KDTREE_RUN) return true;
      walk->stack[walk->waiting++] = (kdtree_range){middle + 1, end, next};
      walk->stack[walk->waiting++] = (kdtree_range){middle, middle + 1, next};
      walk->stack[walk->waiting++] = (kdtree_range){begin, middle, next};
    } else
      walk->stack[walk->waiting++] =
          left ? (kdtree_range){begin, middle, next} : (kdtree_range){middle + 1, end, next};
  }
  return false;
}

/* The k-d tree's versions of the functions in the struct points_type, which says what each of them
 * does. */
void kdtree_build(void *tree, const points_source *source, const points_survey *survey);
uint32_t kdtree_collect(const void *tree, const region *where, shape kind, const copse_query *query,
                        copse_results *results);
uint32_t kdtree_count(const void *tree, const region *circle, const copse_query *query,
                      bool stopAtFirst, uint32_t *visits);
uint32_t kdtree_nearest(const void *tree, const float *center, const copse_query *query,
                        pair *nearest);
uint32_t kdtree_neighbors(const void *tree, const float *center, const copse_query *query,
                          scan_nearest *nearest);
float kdtree_reach2(const void *tree, const float *center, uint32_t k);
uint32_t kdtree_cast(const void *tree, const scan_ray *ray, const copse_query *query,
                     copse_hit *hit);
void kdtree_all_within(const void *tree, const batch_query *batch, float radius,
                       const task_range *places, row_writer *writer);
void kdtree_all_neighbors(const void *tree, neighbor_search *search, const task_range *places);
void kdtree_pairs(const void *tree, const batch_query *batch, pair_search *search);
void kdtree_neighbors_many(const void *tree, neighbor_search *search, const float *points,
                           uint32_t n);

/* Writes the ids of the points, in the order of the tree, to room.orders[0]. Reads the points from
 * ordered.ids and ordered.axes, where they can be in any order. */
void kdtree_presort(const struct kdtree *tree);

#endif
