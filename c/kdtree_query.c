/* Querying the k-d tree. */

#include "kdtree.h"

#include "geom.h"
#include "region.h"

#include <string.h>

/* ---- What lies in a region ---------------------------------------------------------------- */

ALWAYS_INLINE void collect(const copse_kdtree *tree, const region *where, const copse_query *query,
                           copse_results *results, const shape kind, const int dim) {
  copse_results local = *results; /* lets the compiler keep it in registers */
  if (kind == SHAPE_BOX) local.distances2 = NULL;
  const scan_filter filter = agents_filter(&tree->agents, query);
  float4 lo, hi;
  region_bounds(where, &lo, &hi, kind, dim);
  kdtree_walk walk;
  kdtree_range run;
  kdtree_walk_start(&walk, tree, lo, hi, query->mask);
  while (kdtree_walk_next(&walk, tree, &run, dim)) {
    local.visits++;
    region_scan(&tree->agents.points, run.begin, run.end, where, &filter, &local, kind, dim);
  }
  results->total = local.total;
  results->visits = local.visits;
}

OUT_OF_LINE void collect_circle(const void *index, const float *center, float radius2,
                                const copse_query *query, copse_results *results) {
  const copse_kdtree *tree = index;
  region where;
  region_set_circle(&where, center, radius2, tree->agents.dimensions);
  if (tree->agents.dimensions == 3)
    collect(tree, &where, query, results, SHAPE_CIRCLE, 3);
  else
    collect(tree, &where, query, results, SHAPE_CIRCLE, 2);
}

copse_status copse_kdtree_within(const copse_kdtree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  if (!query_results_ok(&asked, results, true) ||
      !query_point_ok(center, (int)tree->agents.dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  collect_circle(tree, center, radius * radius, &asked, results);
  query_sort(&asked, results);
  return COPSE_OK;
}

copse_status copse_kdtree_range(const copse_kdtree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  region where;
  if (!query_results_ok(&asked, results, false) ||
      !region_set_box(&where, lo, hi, tree->agents.dimensions))
    return COPSE_INVALID_ARGUMENT;
  if (tree->agents.dimensions == 3)
    collect(tree, &where, &asked, results, SHAPE_BOX, 3);
  else
    collect(tree, &where, &asked, results, SHAPE_BOX, 2);
  query_sort(&asked, results);
  return COPSE_OK;
}

SMALL_CODE copse_status copse_kdtree_cone(const copse_kdtree *tree, const float *center,
                                          const float *direction, float halfAngle, float radius,
                                          const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  region where;
  if (!query_results_ok(&asked, results, true) ||
      !region_set_cone(&where, center, direction, halfAngle, radius, tree->agents.dimensions))
    return COPSE_INVALID_ARGUMENT;
  if (tree->agents.dimensions == 3)
    collect(tree, &where, &asked, results, SHAPE_CONE, 3);
  else
    collect(tree, &where, &asked, results, SHAPE_CONE, 2);
  query_sort(&asked, results);
  return COPSE_OK;
}

/* ---- How many ----------------------------------------------------------------------------- */

/* A range of points and the box that they lie in. */
typedef struct cell {
  kdtree_range range;
  float box[6];
} cell;

/* How many of a range the query admits. */
static uint32_t admitted(const copse_kdtree *tree, const kdtree_range *range,
                         const copse_query *query) {
  uint32_t total = range->end - range->begin;
  if (query->exclude != COPSE_NONE)
    for (uint32_t i = range->begin; i < range->end; i++)
      total -= tree->agents.points.ids[i] == query->exclude;
  return total;
}

ALWAYS_INLINE uint32_t count(const copse_kdtree *tree, const region *where,
                             const copse_query *query, uint32_t *visits, const bool stopAtFirst,
                             const int dim) {
  const float *center = where->circle.center, radius2 = where->circle.radius2;
  const scan_points *points = &tree->agents.points;
  const scan_filter filter = agents_filter(&tree->agents, query);
  cell stack[KDTREE_LEVELS];
  uint32_t waiting = 0, total = 0;
  if (agents_have(&tree->agents, query->mask)) {
    stack[0].range = (kdtree_range){0, tree->agents.present, 0};
    for (int i = 0; i < 2 * dim; i++) stack[0].box[i] = tree->bounds[i];
    waiting = 1;
  }
  while (waiting && !(stopAtFirst && total)) {
    const cell at = stack[--waiting];
    const kdtree_range *range = &at.range;
    ++*visits;
    if (!(box_gap2(at.box, center, dim) <= radius2)) continue;
    if (!filter.testGroups && box_reach2(at.box, center, dim) <= radius2) {
      total += admitted(tree, range, query);
    } else if (range->end - range->begin <= KDTREE_RUN) {
      total += scan_count(points, range->begin, range->end, center, radius2, &filter, dim);
    } else {
      const uint32_t middle = kdtree_middle(range->begin, range->end), axis = range->axis;
      const uint32_t next = kdtree_next_axis(axis, dim);
      const float x = points->axes[axis][middle];
      total += scan_count(points, middle, middle + 1, center, radius2, &filter, dim);
      stack[waiting] = at;
      stack[waiting].range = (kdtree_range){middle + 1, range->end, next};
      stack[waiting++].box[axis] = x;
      stack[waiting] = at;
      stack[waiting].range = (kdtree_range){range->begin, middle, next};
      stack[waiting++].box[dim + (int)axis] = x;
    }
  }
  return total;
}

static copse_status count_within(const copse_kdtree *tree, const float *center, float radius,
                                 const copse_query *query, uint32_t *total, uint32_t *visits,
                                 bool stopAtFirst) {
  const copse_query asked = query_or_default(query);
  const uint32_t dim = tree->agents.dimensions;
  uint32_t visited = 0;
  *total = 0;
  if (!query_point_ok(center, (int)dim) || !query_radius_ok(radius)) return COPSE_INVALID_ARGUMENT;
  region where;
  region_set_circle(&where, center, radius * radius, dim);
  *total = dim == 3 ? count(tree, &where, &asked, &visited, stopAtFirst, 3)
                    : count(tree, &where, &asked, &visited, stopAtFirst, 2);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_kdtree_count_within(const copse_kdtree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total,
                                       uint32_t *visits) {
  return count_within(tree, center, radius, query, total, visits, false);
}

copse_status copse_kdtree_any_within(const copse_kdtree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits) {
  uint32_t total;
  copse_status status = count_within(tree, center, radius, query, &total, visits, true);
  *any = total > 0;
  return status;
}

/* ---- Who is nearest ----------------------------------------------------------------------- */

/* What was left aside on the way down: the other side of a node, and the node itself, which is on
 * the line between and so no nearer than what is behind it. */
typedef struct aside {
  kdtree_range range;
  uint32_t node;
  float gaps[3]; /* from the center to the range along each axis */
  float gap2;    /* and in all, squared: no more than to any of its points */
} aside;

/* Offers all points that may be among the nearest: down to the center's side of each node, and then
 * back to what was left aside, where that is near enough. What is as far as the limit counts, for
 * the sake of ties by id. `one` is for the nearest alone, else `all` is. */
ALWAYS_INLINE uint32_t search(const copse_kdtree *tree, const float *center,
                              const copse_query *query, pair *one, scan_nearest *all,
                              const int dim) {
  const scan_points points = tree->agents.points;
  const scan_filter filter = agents_filter(&tree->agents, query);
  aside stack[KDTREE_LEVELS];
  float gaps[3] = {0};
  kdtree_range range = {0, tree->agents.present, 0};
  uint32_t waiting = 0, visits = 0;
  if (!agents_have(&tree->agents, query->mask)) return 0;
  for (;;) {
    while (range.end - range.begin > KDTREE_RUN) {
      const uint32_t node = kdtree_middle(range.begin, range.end), axis = range.axis;
      const uint32_t next = kdtree_next_axis(axis, dim);
      const float gap = center[axis] - points.axes[axis][node];
      aside *other = &stack[waiting++];
      const bool toLeft = gap < 0;
      other->range = toLeft ? (kdtree_range){node + 1, range.end, next}
                            : (kdtree_range){range.begin, node, next};
      range = toLeft ? (kdtree_range){range.begin, node, next}
                     : (kdtree_range){node + 1, range.end, next};
      other->node = node;
      EACH_AXIS (i, dim) other->gaps[i] = gaps[i];
      other->gaps[axis] = gap;
      other->gap2 = sum_of_squares(other->gaps, dim);
      visits++;
    }
    visits++;
    if (one)
      scan_nearest_one(&points, range.begin, range.end, center, &filter, one, false, dim);
    else
      scan_neighbors(&points, range.begin, range.end, center, &filter, all, dim);
    const aside *back;
    do {
      if (!waiting) return visits;
      back = &stack[--waiting];
    } while (!(back->gap2 <= (one ? one->distance2 : all->limit2)));
    if (one)
      scan_nearest_one(&points, back->node, back->node + 1, center, &filter, one, false, dim);
    else
      scan_neighbors(&points, back->node, back->node + 1, center, &filter, all, dim);
    range = back->range;
    EACH_AXIS (i, dim) gaps[i] = back->gaps[i];
  }
}

copse_status copse_kdtree_nearest(const copse_kdtree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits) {
  const copse_query asked = query_or_default(query);
  *id = COPSE_NONE;
  if (!query_point_ok(center, (int)tree->agents.dimensions) || !query_radius_ok(asked.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  pair nearest = {asked.maxDistance * asked.maxDistance, COPSE_NONE};
  const uint32_t visited = tree->agents.dimensions == 3
                               ? search(tree, center, &asked, &nearest, NULL, 3)
                               : search(tree, center, &asked, &nearest, NULL, 2);
  *id = nearest.id;
  if (distance2) *distance2 = nearest.id == COPSE_NONE ? INFINITY : nearest.distance2;
  if (visits) *visits = visited;
  return COPSE_OK;
}

/* The smallest range around a point that has enough points to tell where its k-th neighbor is. */
static float expected_reach2(const copse_kdtree *tree, const float *center, uint32_t k) {
  const int dim = (int)tree->agents.dimensions;
  kdtree_range range = {0, tree->agents.present, 0};
  float box[6];
  memcpy(box, tree->bounds, sizeof box);
  while (range.end - range.begin >= 4 * query_aim(k)) {
    const uint32_t node = kdtree_middle(range.begin, range.end), axis = range.axis;
    const float x = tree->agents.points.axes[axis][node];
    const bool toLeft = center[axis] < x;
    range = (kdtree_range){toLeft ? range.begin : node + 1, toLeft ? node : range.end,
                           kdtree_next_axis(axis, dim)};
    box[toLeft ? (uint32_t)dim + axis : axis] = x;
  }
  return query_reach2(box, range.end - range.begin, center, k, dim);
}

copse_status copse_kdtree_neighbors(const copse_kdtree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  if (k > tree->agents.present) k = tree->agents.present;
  if (!query_results_ok(&asked, results, true) || (k && !results->distances2) ||
      k > results->capacity || !query_point_ok(center, (int)tree->agents.dimensions) ||
      !query_radius_ok(asked.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!k) return COPSE_OK;
  float limit2 = asked.maxDistance * asked.maxDistance;
  if (k > 1 && k <= RANK_K) {
    const float reach2 = expected_reach2(tree, center, k);
    if (query_by_reach(tree, collect_circle, center, k, reach2, &asked, results, &limit2))
      return COPSE_OK;
  }
  scan_nearest nearest = {{results->distances2, results->ids}, k, 0, limit2};
  results->visits += tree->agents.dimensions == 3 ? search(tree, center, &asked, NULL, &nearest, 3)
                                                  : search(tree, center, &asked, NULL, &nearest, 2);
  results->total = nearest.size;
  heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
  return COPSE_OK;
}
