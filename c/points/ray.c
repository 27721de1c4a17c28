/* Rays: checks arguments, and casts one or many rays. The search itself is the function `cast` of
 * the tree or grid (see points_type). */

#include "points.h"

#include "../base/query.h"

static const copse_hit NO_HIT = {COPSE_NONE, 1};

/* What all rays of a call have in common. */
typedef struct ray_query {
  const copse_points *points;
  float radius;
  const float *radii; /* the radius of each agent, by slot; or NULL */
  copse_query query;
} ray_query;

static uint32_t cast_one(const ray_query *rays, const float *from, const float *to,
                         copse_hit *hit) {
  const scan_ray ray =
      WITH_DIM(rays->points->dimensions, scan_ray_from, from, to, rays->radius, rays->radii);
  *hit = NO_HIT;
  return rays->points->type->cast(rays->points, &ray, &rays->query, hit);
}

copse_status copse_points_raycast(const copse_points *points, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits) {
  const ray_query rays = {points, radius, radii, query_or_default(query)};
  const int dim = (int)points->dimensions;
  *hit = NO_HIT;
  if (!query_point_ok(from, dim) || !query_point_ok(to, dim) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  const uint32_t visited = cast_one(&rays, from, to, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_points_raycast_many(const copse_points *points, const float *segments,
                                       uint32_t n, float radius, const float *radii,
                                       const copse_query *query, uint32_t *ids, float *fractions) {
  const ray_query rays = {points, radius, radii, query_or_default(query)};
  const size_t dim = points->dimensions;
  if (!query_radius_ok(radius)) return COPSE_INVALID_ARGUMENT;
  for (size_t end = 0; end < 2 * (size_t)n; end++)
    if (!query_point_ok(segments + end * dim, (int)dim)) return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  for (uint32_t i = 0; i < n; i++) {
    const float *from = segments + 2 * dim * i;
    copse_hit hit;
    cast_one(&rays, from, from + dim, &hit);
    ids[i] = hit.id;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}
