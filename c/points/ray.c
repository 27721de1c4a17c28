/* Rays: checks arguments, and casts one or many rays. The search itself is the function `cast` of
 * the tree or grid (see points_type). */

#include "points.h"

#include "../base/heap.h"
#include "../base/query.h"

static const copse_hit NO_HIT = {COPSE_NONE, 1};

/* What all rays of a call have in common. */
typedef struct ray_query {
  const copse_points *points;
  float radius;
  const float *radii; /* the radius of each agent, by slot; or NULL */
} ray_query;

/* Casts a ray. Adds all hits to `all`, unless it is NULL. Returns the number of nodes visited. */
static uint32_t cast_one(const ray_query *rays, const copse_query *query, const float *from,
                         const float *to, scan_hits *all, copse_hit *hit) {
  float ends[2][3] = {{0}};
  for (uint32_t axis = 0; axis < rays->points->dimensions; axis++) {
    ends[0][axis] = from[axis];
    ends[1][axis] = to[axis];
  }
  const scan_ray ray =
      scan_ray_from(ends[0], ends[1], rays->radius, rays->radii, query->inflate, all);
  *hit = NO_HIT;
  return rays->points->type->cast(rays->points, &ray, query, hit);
}

static bool ray_ok(const copse_points *points, const float *from, const float *to, float radius,
                   float inflate) {
  const int dim = (int)points->dimensions;
  return query_point_ok(from, dim) && query_point_ok(to, dim) && query_radius_ok(radius) &&
         query_radius_ok(inflate);
}

static copse_status raycast(const copse_points *points, const float *from, const float *to,
                            float radius, const float *radii, const copse_query *query,
                            scan_hits *all, copse_hit *hit, uint32_t *visits) {
  const ray_query rays = {points, radius, radii};
  const copse_query effective = query_or_default(query);
  *hit = NO_HIT;
  if (!ray_ok(points, from, to, radius, effective.inflate) || !points_are_flat(points))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  const uint32_t visited = cast_one(&rays, &effective, from, to, all, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_points_raycast(const copse_points *points, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits) {
  return raycast(points, from, to, radius, radii, query, NULL, hit, visits);
}

copse_status copse_points_raycast_all(const copse_points *points, const float *from,
                                      const float *to, float radius, const float *radii,
                                      const copse_query *query, copse_hits *hits) {
  scan_hits all = {{{hits->fractions, hits->ids}, hits->capacity, 0, INFINITY}, 0, 0, INFINITY};
  copse_hit none;
  hits->visits = 0;
  const copse_status status =
      raycast(points, from, to, radius, radii, query, &all, &none, &hits->visits);
  hits->total = all.total;
  heap_sort(all.nearest.heap, all.nearest.size, BY_DISTANCE);
  return status;
}

copse_status copse_points_raycast_many(const copse_points *points, const float *segments,
                                       uint32_t n, float radius, const float *radii,
                                       const copse_query *query,
                                       const copse_segment_filters *filters, uint32_t *ids,
                                       float *fractions) {
  const ray_query rays = {points, radius, radii};
  const copse_query effective = query_or_default(query);
  const size_t step = 2 * (size_t)points->dimensions;
  bool ok = query_radius_ok(radius) && query_radius_ok(effective.inflate);
  for (uint32_t i = 0; i < n && ok; i++) {
    const float *from = segments + step * i;
    const copse_query one = query_of_segment(&effective, filters, i);
    ok = ray_ok(points, from, from + step / 2, radius, one.inflate);
  }
  if (!ok || !points_are_flat(points)) return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  for (uint32_t i = 0; i < n; i++) {
    const float *from = segments + step * i;
    const copse_query one = query_of_segment(&effective, filters, i);
    copse_hit hit;
    cast_one(&rays, &one, from, from + step / 2, NULL, &hit);
    ids[i] = hit.id;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}
