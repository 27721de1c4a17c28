/* Single queries: checks arguments, calls the search functions of the structure (points_type), and
 * sorts results. */

#include "points.h"

#include "../base/query.h"

#include <string.h>

/* ---- Regions ------------------------------------------------------------------------------ */

static copse_status collect(const copse_points *points, const region *where, shape kind,
                            const copse_query *query, copse_results *results) {
  results->visits = points->type->collect(points, where, kind, query, results);
  query_sort(query, results);
  return COPSE_OK;
}

copse_status copse_points_within(const copse_points *points, const float *center, float radius,
                                 const copse_query *query, copse_results *results) {
  const copse_query effective = query_or_default(query);
  region where;
  if (!query_results_ok(&effective, results, true) ||
      !query_point_ok(center, (int)points->dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  region_set_circle(&where, center, radius * radius, points->dimensions);
  return collect(points, &where, SHAPE_CIRCLE, &effective, results);
}

copse_status copse_points_range(const copse_points *points, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results) {
  const copse_query effective = query_or_default(query);
  region where;
  if (!query_results_ok(&effective, results, false) || !points_are_flat(points) ||
      !region_set_box(&where, lo, hi, points->dimensions))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  /* Writes no distances, even if the caller passed an array for them. */
  copse_results ids = *results;
  ids.distances2 = NULL;
  const copse_status status = collect(points, &where, SHAPE_BOX, &effective, &ids);
  results->total = ids.total;
  results->visits = ids.visits;
  return status;
}

copse_status copse_points_cone(const copse_points *points, const float *center,
                               const float *direction, float halfAngle, float radius,
                               const copse_query *query, copse_results *results) {
  const copse_query effective = query_or_default(query);
  region where;
  if (!query_results_ok(&effective, results, true) || !points_are_flat(points) ||
      !region_set_cone(&where, center, direction, halfAngle, radius, points->dimensions))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  return collect(points, &where, SHAPE_CONE, &effective, results);
}

/* Writes a row of results for each of n regions. If `radius` is NULL, `given` holds n boxes; else
 * it holds the centers of n circles with this radius. */
static copse_status rows_of(const copse_points *points, const float *given, uint32_t n,
                            const float *radius, const copse_query *query, copse_rows *rows) {
  const size_t dim = points->dimensions, width = radius ? dim : 2 * dim;
  copse_status status = points->isBuilt ? COPSE_OK : COPSE_NOT_BUILT;
  if ((query && query->sort != COPSE_SORT_NONE) || (!radius && !points_are_flat(points)))
    status = COPSE_INVALID_ARGUMENT;
  rows->total = 0;
  rows->truncated = false;
  for (uint32_t i = 0; i < n && status == COPSE_OK; i++) {
    copse_results row = query_row_begin(rows);
    const float *item = given + i * width;
    status = radius ? copse_points_within(points, item, *radius, query, &row)
                    : copse_points_range(points, item, item + dim, query, &row);
    query_row_end(rows, i, row.total);
  }
  return status;
}

copse_status copse_points_within_many(const copse_points *points, const float *centers, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows) {
  return query_radius_ok(radius) ? rows_of(points, centers, n, &radius, query, rows)
                                 : COPSE_INVALID_ARGUMENT;
}

copse_status copse_points_range_many(const copse_points *points, const float *boxes, uint32_t n,
                                     const copse_query *query, copse_rows *rows) {
  return rows_of(points, boxes, n, NULL, query, rows);
}

/* ---- Counting ----------------------------------------------------------------------------- */

static copse_status count_within(const copse_points *points, const float *center, float radius,
                                 const copse_query *query, uint32_t *total, uint32_t *visits,
                                 bool stopAtFirst) {
  const copse_query effective = query_or_default(query);
  uint32_t visited = 0;
  *total = 0;
  if (!query_point_ok(center, (int)points->dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  region where;
  region_set_circle(&where, center, radius * radius, points->dimensions);
  *total = points->type->count(points, &where, &effective, stopAtFirst, &visited);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_points_count_within(const copse_points *points, const float *center,
                                       float radius, const copse_query *query, uint32_t *total,
                                       uint32_t *visits) {
  return count_within(points, center, radius, query, total, visits, false);
}

copse_status copse_points_any_within(const copse_points *points, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits) {
  uint32_t total;
  const copse_status status = count_within(points, center, radius, query, &total, visits, true);
  *any = total > 0;
  return status;
}

copse_status copse_points_count_range(const copse_points *points, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits) {
  copse_results counted = {0}; /* no room for ids: the query only counts */
  copse_query unsorted = query_or_default(query);
  unsorted.sort = COPSE_SORT_NONE;
  const copse_status status = copse_points_range(points, lo, hi, &unsorted, &counted);
  *total = counted.total;
  if (visits) *visits = counted.visits;
  return status;
}

/* ---- Nearest ------------------------------------------------------------------------------ */

copse_status copse_points_nearest(const copse_points *points, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits) {
  const copse_query effective = query_or_default(query);
  *id = COPSE_NONE;
  if (!query_point_ok(center, (int)points->dimensions) || !query_radius_ok(effective.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  pair nearest = {effective.maxDistance * effective.maxDistance, COPSE_NONE};
  const uint32_t visited = points->type->nearest(points, center, &effective, &nearest);
  *id = nearest.id;
  if (distance2) *distance2 = nearest.id == COPSE_NONE ? INFINITY : nearest.distance2;
  if (visits) *visits = visited;
  return COPSE_OK;
}

float points_reach2(const float *box, uint32_t size, const float *center, uint32_t k, int dim) {
  const float aim = (float)points_aim(k);
  float each = (box[dim] - box[0]) * (box[dim + 1] - box[1]) / (float)size;
  float reach2 = each * aim / 3.14159265f;
  if (dim == 3) {
    /* The squared radius of a sphere in which `aim` agents are expected (a few more than k). `root`
     * is the cube root of `volume`, by Newton's method. */
    float volume = each * (box[5] - box[2]) * aim * 0.238732415f;
    float root = sqrtf(sqrtf(volume));
    for (int step = 0; step < 4 && root > 0; step++) root = (2 * root + volume / (root * root)) / 3;
    reach2 = root * root;
  }
  float gap2 = WITH_DIM(dim, box_gap2, box, center);
  float reach = sqrtf(reach2) + sqrtf(gap2);
  return reach2 > 0 ? reach * reach : 0;
}

/* Finds the k <= RANK_K nearest agents by sorting all agents within an estimated reach. This is
 * much faster than a search with a heap. The squared estimate is at least `reach2`. Returns false
 * if there is no estimate, or if it is too small or too great. The caller must then search with a
 * heap, up to the squared distance *limit2. If too many agents are within the reach, *limit2 is now
 * the square of the reach. */
static bool neighbors_by_reach(const copse_points *points, const float *center, uint32_t k,
                               const copse_query *query, float reach2, copse_results *results,
                               float *limit2) {
  enum { FOUND_LIMIT = 64, REACH_TRIES = 3 };
  float distances2[FOUND_LIMIT + RANK_PADDING];
  uint32_t ids[FOUND_LIMIT + RANK_PADDING];
  const float estimate2 = points->type->reach2(points, center, k);
  if (!(estimate2 > 0)) return false;
  if (reach2 < estimate2) reach2 = estimate2;
  copse_results candidates;
  /* In a sparse place, the estimate is too small: each further try doubles reach2. */
  for (int attempt = 1;; attempt++, reach2 *= 2) {
    if (!(reach2 < *limit2)) reach2 = *limit2;
    candidates = (copse_results){ids, distances2, FOUND_LIMIT, 0, 0};
    region where;
    region_set_circle(&where, center, reach2, points->dimensions);
    results->visits += points->type->collect(points, &where, SHAPE_CIRCLE, query, &candidates);
    if (candidates.total >= k || reach2 == *limit2) break;
    if (attempt == REACH_TRIES) return false;
  }
  *limit2 = reach2;
  if (candidates.total > FOUND_LIMIT) return false;
  results->total = candidates.total < k ? candidates.total : k;
  if (candidates.total <= RANK_LIMIT) {
    pairs_rank(distances2, ids, candidates.total, k, results->distances2, results->ids);
  } else {
    pairs_sort((pairs){distances2, ids}, candidates.total, BY_DISTANCE);
    memcpy(results->distances2, distances2, results->total * sizeof *distances2);
    memcpy(results->ids, ids, results->total * sizeof *ids);
  }
  return true;
}

void points_find_neighbors(const copse_points *points, const float *center, uint32_t k,
                           const copse_query *query, float reach2, copse_results *results) {
  float limit2 = query->maxDistance * query->maxDistance;
  if (k == 1 && points->type->nearest) {
    pair nearest = {limit2, COPSE_NONE};
    results->visits = points->type->nearest(points, center, query, &nearest);
    results->total = nearest.id != COPSE_NONE;
    results->ids[0] = nearest.id;
    results->distances2[0] = nearest.distance2;
    return;
  }
  const bool guess = points->type->reach2 && k <= RANK_K;
  if (guess && neighbors_by_reach(points, center, k, query, reach2, results, &limit2)) return;
  scan_nearest nearest = {{results->distances2, results->ids}, k, 0, limit2};
  results->visits += points->type->neighbors(points, center, query, &nearest);
  results->total = nearest.size;
  heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
}

copse_status copse_points_neighbors(const copse_points *points, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results) {
  const copse_query effective = query_or_default(query);
  if (k > points->present) k = points->present;
  if (!query_results_ok(&effective, results, true) || (k && !results->distances2) ||
      k > results->capacity || !query_point_ok(center, (int)points->dimensions) ||
      !query_radius_ok(effective.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  if (!k) return COPSE_OK;
  points_find_neighbors(points, center, k, &effective, 0, results);
  return COPSE_OK;
}

/* ---- Scans -------------------------------------------------------------------------------- */

void points_scan(const copse_points *points, uint32_t begin, uint32_t end, const region *where,
                 shape kind, const scan_filter *filter, copse_results *results) {
  const shape other = kind == SHAPE_BOX ? SHAPE_BOX : SHAPE_CONE;
  WITH_DIM(points->dimensions, region_scan, &points->ordered, begin, end, where, filter, results,
           other);
}

uint32_t points_scan_count(const copse_points *points, uint32_t begin, uint32_t end,
                           const region *circle, const scan_filter *filter) {
  const float *center = circle->circle.center, radius2 = circle->circle.radius2;
  return WITH_DIM(points->dimensions, scan_count, &points->ordered, begin, end, center, radius2,
                  filter);
}

void points_scan_nearest(const copse_points *points, uint32_t begin, uint32_t end,
                         const float *center, const scan_filter *filter, pair *nearest) {
  WITH_DIM(points->dimensions, scan_nearest_one, &points->ordered, begin, end, center, filter,
           nearest, false);
}

void points_scan_neighbors(const copse_points *points, uint32_t begin, uint32_t end,
                           const float *center, const scan_filter *filter, scan_nearest *nearest) {
  WITH_DIM(points->dimensions, scan_neighbors, &points->ordered, begin, end, center, filter,
           nearest);
}

void points_scan_ray(const copse_points *points, uint32_t begin, uint32_t end, const scan_ray *ray,
                     const scan_filter *filter, copse_hit *hit) {
  WITH_DIM(points->dimensions, scan_raycast, &points->ordered, begin, end, ray, filter, hit);
}
